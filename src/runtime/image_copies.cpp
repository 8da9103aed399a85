#include <algorithm>
#include <backends/device.hpp>
#include <memory/usm.hpp>
#include <string>

#include <sycl/detail/image_copies.hpp>
#include <sycl/exception.hpp>

#include "handler_impl.hpp"
#include "image_memory.hpp"

namespace sycl::inline _V1::detail {

namespace {

[[noreturn]] void refuse(const std::string& why) { throw_error(errc::invalid, "ext_oneapi_copy: " + why); }

/// Returns the extents; an extent of 0 becomes 1.
range<3> filled(const range<3>& size) {
  return {std::max<std::size_t>(size[0], 1), std::max<std::size_t>(size[1], 1), std::max<std::size_t>(size[2], 1)};
}
range<3> extents_of_image(const image_descriptor& shape) {
  return filled({shape.width, shape.height, shape.array_size > 1 ? shape.array_size : shape.depth});
}
std::string text_of(const range<3>& size) {
  return "{" + std::to_string(size[0]) + ", " + std::to_string(size[1]) + ", " + std::to_string(size[2]) + "}";
}

/// One end of a copy: its address, and the distances from row to row and from slice to slice.
struct copy_end {
  char* data;
  range<3> extent;
  std::size_t texel, row, slice;
  const image_memory* in_units = nullptr;  ///< memory of texture units, which has no address

  /// Makes an end of a copy in memory of texture units.
  copy_end(const image_memory& memory, const range<3>& its_extent, std::size_t texel_bytes)
      : data(nullptr), extent(its_extent), texel(texel_bytes), row(0), slice(0), in_units(&memory) {}
  /// Makes an end of a copy in memory without gaps.
  copy_end(const void* memory, const range<3>& its_extent, std::size_t texel_bytes)
      : data(const_cast<char*>(static_cast<const char*>(memory))),
        extent(filled(its_extent)),
        texel(texel_bytes),
        row(extent[0] * texel),
        slice(row * extent[1]) {
    if (!memory) refuse("a pointer is null");
  }
  copy_end with_pitch(std::size_t pitch) const {
    if (pitch == 0) return *this;
    if (pitch < row)
      refuse("the pitch of " + std::to_string(pitch) + " bytes is less than a row of " + std::to_string(row));
    copy_end result = *this;
    result.row = pitch;
    result.slice = pitch * extent[1];
    return result;
  }
};

std::size_t texel_bytes_of(const image_descriptor& shape) {
  shape.verify();
  return image_sizes(shape).layout.traits.texel_bytes();
}

copy_end image_end(image_mem_handle handle, const image_descriptor& shape) {
  const std::size_t texel = texel_bytes_of(shape);
  const image_memory& memory = memory_of(handle, "ext_oneapi_copy");
  if (memory.levels.size() > 1) refuse("a mip map is copied level by level (get_mip_level_mem_handle)");
  if (const std::size_t bytes = image_sizes(shape, memory.row_alignment).bytes; bytes > memory.bytes) {
    refuse("the descriptor is of " + std::to_string(bytes) + " bytes, the memory of the image has " +
           std::to_string(memory.bytes));
  }
  if (memory.texels) return {memory, extents_of_image(shape), texel};
  const copy_end packed(memory.data, extents_of_image(shape), texel);
  return memory.row_alignment > 1 ? packed.with_pitch(image_sizes(shape, memory.row_alignment).layout.row_pitch)
                                  : packed;
}

void check_inside(const char* which, const copy_end& end, const range<3>& offset, const range<3>& extent) {
  for (int d = 0; d < 3; ++d) {
    if (offset[d] <= end.extent[d] && extent[d] <= end.extent[d] - offset[d]) continue;
    refuse("texels " + text_of(extent) + " at " + text_of(offset) + " do not lie inside the " + which + " of " +
           text_of(end.extent));
  }
}

/// Throws if an allocation of USM is too small for all rows.
void check_allocation(const char* which, const copy_end& end, const range<3>& offset, const range<3>& extent) {
  const std::span<const char> memory = find_usm_allocation(end.data);
  if (memory.empty()) return;
  const std::size_t reached = (offset[2] + extent[2] - 1) * end.slice + (offset[1] + extent[1] - 1) * end.row +
                              (offset[0] + extent[0]) * end.texel;
  const auto bytes = static_cast<std::size_t>(memory.data() + memory.size() - end.data);
  if (reached <= bytes) return;
  refuse("the " + std::string(which) + " is memory of USM with " + std::to_string(bytes) +
         " bytes from there on, but the texels end at byte " + std::to_string(reached));
}

void submit_texels(handler_impl& command, const copy_end& source, const range<3>& source_offset,
                   const copy_end& destination, const range<3>& destination_offset, const range<3>& extent) {
  sinter::device_textures* const units = command.queue().backend().textures();
  const auto driver_end = [&](const copy_end& end, const range<3>& at) -> sinter::texel_copy::end {
    if (!end.in_units) {
      char* const memory = end.data + at[2] * end.slice + at[1] * end.row + at[0] * end.texel;
      return {memory, end.row, end.slice / end.row};
    }
    if (end.in_units->units != units) refuse("the image is in memory of another device than the queue's");
    const auto number = [](std::size_t value) { return static_cast<std::uint32_t>(value); };
    return {units->native(end.in_units->texels), 0, 0, {number(at[0] * end.texel), number(at[1]), number(at[2])}, true};
  };
  set_texel_copy(
      command, "ext_oneapi_copy",
      {driver_end(source, source_offset), driver_end(destination, destination_offset), extent[0] * source.texel,
       static_cast<std::uint32_t>(extent[1]), static_cast<std::uint32_t>(extent[2])});
}

void submit(handler_impl& command, const copy_end& source, const range<3>& source_offset, const copy_end& destination,
            const range<3>& destination_offset, const range<3>& wanted) {
  const range<3> extent = filled(wanted);
  if (source.texel != destination.texel) refuse("the texels of the two images have different sizes");
  check_inside("source", source, source_offset, extent);
  check_inside("destination", destination, destination_offset, extent);
  check_allocation("source", source, source_offset, extent);
  check_allocation("destination", destination, destination_offset, extent);
  if (source.in_units || destination.in_units) {
    return submit_texels(command, source, source_offset, destination, destination_offset, extent);
  }
  const auto place = [](const copy_end& end, const range<3>& offset) {
    return end.data + offset[2] * end.slice + offset[1] * end.row + offset[0] * end.texel;
  };
  const std::size_t row = extent[0] * source.texel;
  set_strided_copy(command, "ext_oneapi_copy",
                   {place(destination, destination_offset), place(source, source_offset), row, extent[1], extent[2],
                    destination.row, destination.slice, source.row, source.slice, row, extent[1]},
                   sinter::abi::pointer_end::none);
}

void submit_whole(handler_impl& command, const copy_end& source, const copy_end& destination) {
  submit(command, source, {0, 0, 0}, destination, {0, 0, 0}, destination.extent);
}

/// Returns whether the descriptor's row pitch applies to this memory. The pitch applies to device and shared USM.
bool is_pitched(const void* memory) {
  const auto found = usm_allocation_of(memory);
  return found && found->kind != usm::alloc::host;
}

}  // namespace

void copy_image(handler_impl& command, const void* source, image_mem_handle destination,
                const image_descriptor& shape) {
  const copy_end image = image_end(destination, shape);
  submit_whole(command, {source, image.extent, image.texel}, image);
}

void copy_image(handler_impl& command, image_mem_handle source, void* destination, const image_descriptor& shape) {
  const copy_end image = image_end(source, shape);
  submit_whole(command, image, {destination, image.extent, image.texel});
}

void copy_image(handler_impl& command, const void* source, void* destination, const image_descriptor& shape,
                std::size_t row_pitch) {
  const std::size_t texel = texel_bytes_of(shape);
  const copy_end from(source, extents_of_image(shape), texel), to(destination, extents_of_image(shape), texel);
  submit_whole(command, is_pitched(source) ? from.with_pitch(row_pitch) : from,
               is_pitched(destination) ? to.with_pitch(row_pitch) : to);
}

void copy_image(handler_impl& command, image_mem_handle source, image_mem_handle destination,
                const image_descriptor& shape) {
  submit_whole(command, image_end(source, shape), image_end(destination, shape));
}

void copy_image(handler_impl& command, const void* source, range<3> source_offset, range<3> source_extent,
                image_mem_handle destination, range<3> destination_offset, const image_descriptor& shape,
                range<3> extent) {
  const copy_end image = image_end(destination, shape);
  const range<3> whole = source_extent == range<3>(0, 0, 0) ? image.extent : source_extent;
  submit(command, {source, whole, image.texel}, source_offset, image, destination_offset, extent);
}

void copy_image(handler_impl& command, image_mem_handle source, range<3> source_offset, const image_descriptor& shape,
                void* destination, range<3> destination_offset, range<3> destination_extent, range<3> extent) {
  const copy_end image = image_end(source, shape);
  const range<3> whole = destination_extent == range<3>(0, 0, 0) ? image.extent : destination_extent;
  submit(command, image, source_offset, {destination, whole, image.texel}, destination_offset, extent);
}

void copy_image(handler_impl& command, const void* source, range<3> source_offset, void* destination,
                range<3> destination_offset, const image_descriptor& shape, std::size_t row_pitch, range<3> host_extent,
                range<3> extent) {
  const std::size_t texel = texel_bytes_of(shape);
  const auto end = [&](const void* memory) {
    if (is_pitched(memory)) return copy_end(memory, extents_of_image(shape), texel).with_pitch(row_pitch);
    return copy_end(memory, host_extent == range<3>(0, 0, 0) ? extents_of_image(shape) : host_extent, texel);
  };
  submit(command, end(source), source_offset, end(destination), destination_offset, extent);
}

void copy_image(handler_impl& command, image_mem_handle source, range<3> source_offset,
                const image_descriptor& source_shape, image_mem_handle destination, range<3> destination_offset,
                const image_descriptor& destination_shape, range<3> extent) {
  submit(command, image_end(source, source_shape), source_offset, image_end(destination, destination_shape),
         destination_offset, extent);
}

}  // namespace sycl::detail
