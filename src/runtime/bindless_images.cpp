#include <abi/byte_count.hpp>
#include <algorithm>
#include <atomic>
#include <backends/device.hpp>
#include <backends/textures.hpp>
#include <base/race_notes.hpp>
#include <map>
#include <memory>
#include <memory/usm.hpp>
#include <mutex>
#include <runtime/object_access.hpp>
#include <runtime/queue_registry.hpp>
#include <scheduler/scheduler.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include <sycl/detail/image_record.hpp>
#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/bindless_images_interop.hpp>

#include "image_memory.hpp"
#include "texel_types.hpp"

namespace sycl::inline _V1 {

namespace oneapi = ext::oneapi::experimental;

namespace detail {

namespace {

/// The driver's objects for an image.
struct unit_objects {
  sinter::device_textures* units = nullptr;
  std::uint64_t texture = 0, surface = 0;

  void destroy() const noexcept {
    if (texture != 0) units->destroy_texture(texture);
    if (surface != 0) units->destroy_surface(surface);
  }
};
struct known_handle {
  unit_objects objects;
  image_traits traits;
};

/// Objects of the driver that commands may still use. The last of these commands frees the objects.
struct freed_objects : counted {
  freed_objects(const unit_objects& its_objects, void* its_texels) : objects(its_objects), texels(its_texels) {}
  ~freed_objects() override {
    objects.destroy();
    if (texels) objects.units->deallocate(texels);
  }
  const unit_objects objects;
  void* const texels;
};
void free_objects(const unit_objects& objects, void* texels, const context& context) {
  if (!objects.units) return;
  const auto users = queue_registry::instance().commands_of(context);
  const auto freed = make_counted<freed_objects>(objects, texels);
  if (!users.empty()) keep_until_complete(freed, users);
}

/// Contains the images of all devices. An image is found by the address in its handle.
struct image_registry {
  std::mutex mutex;
  std::map<const void*, std::unique_ptr<image_memory>> memory;
  std::unordered_map<std::uint64_t, known_handle> handles;
};
image_registry& registry() {
  static auto* instance = new (sinter::lasting) image_registry;
  return *instance;
}

image_traits traits_of(const oneapi::image_descriptor& shape) {
  return {texel_type_of(shape.channel_type).value_or(texel_type::unorm8), shape.num_channels};
}

void require_images(const device& device, const char* call) {
  if (device.has(aspect::ext_oneapi_bindless_images)) return;
  throw_error(errc::feature_not_supported,
              std::string(call) + ": device '" + device.get_info<info::device::name>() +
                  "' has no bindless images (aspect::ext_oneapi_bindless_images), since it "
                  "has no memory of USM; use sampled_image or unsampled_image");
}

void* allocate(std::size_t bytes, std::size_t alignment, const device& device, const context& context,
               const char* call) {
  void* memory = allocate_usm(bytes, alignment, usm::alloc::device, context, &device);
  // If there is no memory with this alignment, memory with any alignment is used, because only texture units need the
  // alignment.
  if (!memory) memory = allocate_usm(bytes, 0, usm::alloc::device, context, &device);
  if (memory) return memory;
  throw_error(errc::memory_allocation, std::string(call) + ": no memory for " + std::to_string(bytes) +
                                           " bytes on device '" + device.get_info<info::device::name>() + "'");
}

/// Adds the sampler's settings to the traits, in the form that kernels read.
image_traits with_sampler(image_traits traits, const oneapi::bindless_image_sampler& sampler, bool in_units) {
  const bool normalized = sampler.coordinate == coordinate_normalization_mode::normalized;
  const bool linear = sampler.filtering == filtering_mode::linear;
  if (sampler.cubemap_filtering == oneapi::cubemap_filtering_mode::seamless && !in_units) {
    throw_error(errc::feature_not_supported,
                "create_image: only texture units filter across the faces of a cube "
                "(aspect::ext_oneapi_cubemap_seamless_filtering); use cubemap_filtering_mode::disjointed");
  }
  if (linear && is_integer(traits.type())) {
    throw_invalid("create_image: linear filtering of integer channels is undefined; use filtering_mode::nearest");
  }
  texel_addressing modes[3];
  for (int d = 0; d < 3; ++d) {
    modes[d] = static_cast<texel_addressing>(sampler.addressing[d]);
    if (modes[d] > texel_addressing::none)
      throw_invalid("create_image: the addressing mode is none of addressing_mode");
    if (modes[d] == texel_addressing::none && normalized) modes[d] = texel_addressing::repeat;
    if (modes[d] <= texel_addressing::repeat && !normalized) modes[d] = texel_addressing::clamp_to_edge;
  }
  return traits.sampled(modes, normalized, linear, sampler.mipmap_filtering == filtering_mode::linear);
}

sinter::device_backend& backend_of(const device& device, const context& context) {
  return object_access::impl(object_access::impl(context)->own(device))->backend();
}

/// An image that has no handle yet. Without a handle, no command can use the image.
struct new_image : image_record {
  explicit new_image(const image_record& record, sinter::device_textures* its_units = nullptr)
      : image_record(record), units(its_units) {}
  new_image(const new_image&) = delete;
  ~new_image() { objects().destroy(); }

  unit_objects objects() const noexcept { return {units, texture, surface}; }
  /// Copies the image's description to memory of the device, and returns its address as the handle. After this call,
  /// the handle owns the driver's objects.
  std::uint64_t make_handle(const device& device, const context& context) {
    layout.traits = layout.traits.reached(texture != 0, surface != 0, data != nullptr);
    image_registry& all = registry();
    void* const place = allocate(sizeof(image_record), alignof(image_record), device, context, "create_image");
    const auto handle = reinterpret_cast<std::uint64_t>(place);
    try {
      backend_of(device, context).copy_bytes(place, static_cast<const image_record*>(this), sizeof(image_record));
      const std::lock_guard lock(all.mutex);
      all.handles[handle] = {objects(), layout.traits};
      image_handle_count.store(all.handles.size(), std::memory_order_relaxed);
    } catch (...) {
      sycl::free(place, context);
      throw;
    }
    texture = surface = 0;
    return handle;
  }

  sinter::device_textures* const units;
};

/// Throws if the wanted shape differs from the shape for which the memory was allocated, because this shape determines
/// where texture units look for a texel.
void check_same_shape(const oneapi::image_descriptor& wanted, const oneapi::image_descriptor& made) {
  const auto extent = [](std::size_t size) { return std::max<std::size_t>(size, 1); };
  if (wanted.width == made.width && extent(wanted.height) == extent(made.height) &&
      extent(wanted.depth) == extent(made.depth) && wanted.num_channels == made.num_channels &&
      wanted.channel_type == made.channel_type && wanted.num_levels == made.num_levels &&
      wanted.array_size == made.array_size &&
      (wanted.type == oneapi::image_type::cubemap) == (made.type == oneapi::image_type::cubemap)) {
    return;
  }
  throw_invalid("create_image: the descriptor is not that of the memory, which texture units read; use memory of its "
                "own, or SINTER_TEXTURES=0");
}

image_record record_of_memory(oneapi::image_mem_handle memory, const oneapi::image_descriptor& shape) {
  shape.verify();
  const image_memory& found = memory_of(memory, "create_image");
  const image_sizes sizes(shape, found.row_alignment);
  if (sizes.bytes > found.bytes) {
    throw_error(errc::invalid, "create_image: the descriptor is of " + std::to_string(sizes.bytes) +
                                   " bytes, the memory has " + std::to_string(found.bytes));
  }
  image_record record;
  if (found.texels) check_same_shape(shape, found.shape);
  record.layout = sizes.layout;
  record.data = found.data;
  record.layers = static_cast<std::int32_t>(sizes.layers);
  record.levels = static_cast<std::int32_t>(sizes.levels);
  record.layer_pitch = sizes.layer_bytes;
  std::copy(sizes.level_offset.begin(), sizes.level_offset.end(), record.level_offset);
  return record;
}

image_record record_of_usm(const void* memory, std::size_t pitch, const oneapi::image_descriptor& shape) {
  shape.verify();
  if (!memory) throw_invalid("create_image: the memory is a null pointer");
  if (shape.type != oneapi::image_type::standard || shape.depth > 1) {
    throw_invalid("create_image: memory of USM holds images of one and two dimensions, without layers or levels");
  }
  image_record record;
  record.layout = image_sizes(shape).layout;
  const std::size_t texel = record.layout.traits.texel_bytes();
  const std::size_t alignment = shape.num_channels == 3 ? record.layout.traits.channel_size() : texel;
  if (pitch != 0) {
    if (pitch < record.layout.row_pitch || pitch % alignment != 0) {
      throw_error(errc::invalid, "create_image: the pitch of " + std::to_string(pitch) +
                                     " bytes is less than a row of " + std::to_string(record.layout.row_pitch) +
                                     ", or no multiple of a texel");
    }
    record.layout.row_pitch = pitch;
    record.layout.slice_pitch = pitch * static_cast<std::size_t>(record.layout.extent[1]);
  }
  if (reinterpret_cast<std::uintptr_t>(memory) % alignment != 0) {
    throw_invalid("create_image: the memory is not aligned to a texel");
  }
  const std::span<const char> allocation = find_usm_allocation(memory);
  const auto row = static_cast<std::size_t>(record.layout.extent[0]) * texel;
  const std::size_t needed = record.layout.row_pitch * (static_cast<std::size_t>(record.layout.extent[1]) - 1) + row;
  const char* const start = static_cast<const char*>(memory);
  if (!allocation.empty() && needed > static_cast<std::size_t>(allocation.data() + allocation.size() - start)) {
    throw_error(errc::invalid, "create_image: the image has " + std::to_string(needed) +
                                   " bytes, more than the allocation of USM that it is to lie in");
  }
  record.data = static_cast<const unsigned char*>(memory);
  return record;
}

void add_sampler(image_record& record, const oneapi::bindless_image_sampler& sampler, bool in_units) {
  record.layout.traits = with_sampler(record.layout.traits, sampler, in_units);
  record.least_level = sampler.min_mipmap_level_clamp;
  record.most_level = std::min(sampler.max_mipmap_level_clamp, static_cast<float>(record.levels - 1));
}

/// Adds a texture if texture units can sample planes (two-dimensional images) in memory that has addresses.
void add_texture(new_image& image, const oneapi::image_descriptor& shape) {
  if (!image.units || shape.type != oneapi::image_type::standard) return;
  image.texture =
      image.units->make_texture_of(image.data, image.layout.row_pitch, texture_shape_of(shape, image.layout.traits));
}

void destroy(std::uint64_t handle, const context& context) {
  unit_objects objects;
  {
    const std::lock_guard lock(registry().mutex);
    const auto found = registry().handles.find(handle);
    if (found == registry().handles.end()) {
      throw_invalid("destroy_image_handle: it is no handle of an image (destroyed twice, or never made?)");
    }
    objects = found->second.objects;
    registry().handles.erase(found);
    image_handle_count.store(registry().handles.size(), std::memory_order_relaxed);
  }
  free_objects(objects, nullptr, context);
  sycl::free(reinterpret_cast<void*>(handle), context);
}

}  // namespace

namespace {

/// An image has several objects of the driver. Returns the driver's number for the object `which` of the image with
/// this handle.
unsigned long long native_number(std::uint64_t handle, std::uint64_t unit_objects::*which, const char* kind) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().handles.find(handle);
  if (found != registry().handles.end() && found->second.objects.*which != 0) return found->second.objects.*which;
  throw_error(errc::invalid, std::string("get_native: the image has no ") + kind +
                                 " (it is not in memory of texture units, or the handle was destroyed)");
}

}  // namespace

unsigned long long native_texture(std::uint64_t handle) {
  return native_number(handle, &unit_objects::texture, "CUtexObject");
}
unsigned long long native_surface(std::uint64_t handle) {
  return native_number(handle, &unit_objects::surface, "CUsurfObject");
}
void* native_array(oneapi::image_mem_handle memory) {
  const image_memory& found = memory_of(memory, "get_native");
  if (found.texels) return found.units->native(found.texels);
  throw_invalid("get_native: the image has no CUarray: it is not in memory of texture units");
}

sinter::texture_shape texture_shape_of(const oneapi::image_descriptor& shape, image_traits traits) {
  return {.extent = {shape.width, shape.height, shape.depth},
          .layers = shape.array_size,
          .levels = shape.type == oneapi::image_type::mipmap ? shape.num_levels : 1,
          .has_layers = shape.array_size > 1,
          .is_cube = shape.type == oneapi::image_type::cubemap,
          .gathers = shape.type == oneapi::image_type::gather,
          .traits = traits};
}

std::optional<image_traits> traits_of_handle(std::uint64_t number) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().handles.find(number);
  if (found == registry().handles.end()) return std::nullopt;
  return found->second.traits;
}

image_sizes::image_sizes(const oneapi::image_descriptor& shape, std::size_t row_alignment) {
  layout.traits = traits_of(shape);
  const std::size_t extents[3] = {shape.width, shape.height, shape.depth};
  for (int d = 0; d < 3; ++d) layout.extent[d] = static_cast<std::int32_t>(std::max<std::size_t>(extents[d], 1));
  levels = shape.type == oneapi::image_type::mipmap ? shape.num_levels : 1;
  layers = shape.array_size;
  std::size_t width = static_cast<std::size_t>(layout.extent[0]), height = static_cast<std::size_t>(layout.extent[1]),
              depth = static_cast<std::size_t>(layout.extent[2]);
  const std::size_t texel = layout.traits.texel_bytes();
  layout.row_pitch = (width * texel + row_alignment - 1) / row_alignment * row_alignment;
  layout.slice_pitch = layout.row_pitch * height;
  for (unsigned level = 0; level < levels; ++level) {
    // Rows with texels of 16 bytes need the largest alignment.
    level_offset[level] = (bytes + 15) / 16 * 16;
    level_bytes[level] =
        sinter::abi::multiply_bytes(sinter::abi::multiply_bytes(levels == 1 ? layout.row_pitch : width * texel, height),
                                    depth);
    bytes = level_bytes[level] == sinter::abi::too_many_bytes ? sinter::abi::too_many_bytes
                                                              : level_offset[level] + level_bytes[level];
    width = std::max<std::size_t>(width / 2, 1);
    height = std::max<std::size_t>(height / 2, 1);
    depth = std::max<std::size_t>(depth / 2, 1);
    if (bytes == sinter::abi::too_many_bytes) break;
  }
  layer_bytes = bytes;
  bytes = sinter::abi::multiply_bytes(bytes, layers);
}

const image_memory& memory_of(oneapi::image_mem_handle handle, const char* call) {
  const std::lock_guard lock(registry().mutex);
  const auto found = registry().memory.find(handle.raw_handle);
  if (found == registry().memory.end()) {
    throw_error(errc::invalid, std::string(call) + ": it is no memory of an image (freed, or never made?)");
  }
  return *found->second;
}

namespace {

oneapi::image_mem_handle add_memory(std::unique_ptr<image_memory> memory) {
  const oneapi::image_mem_handle handle{memory.get()};
  const std::lock_guard lock(registry().mutex);
  registry().memory.emplace(handle.raw_handle, std::move(memory));
  return handle;
}

/// Registers image memory that has mip levels. Each level also gets a handle of its own.
oneapi::image_mem_handle add_with_levels(std::unique_ptr<image_memory> memory, const image_sizes& sizes) {
  auto* const whole = memory.get();
  const oneapi::image_mem_handle handle = add_memory(std::move(memory));
  for (unsigned level = 0; sizes.levels > 1 && level < sizes.levels; ++level) {
    auto part = std::make_unique<image_memory>();
    part->units = whole->units;
    if (whole->texels) part->texels = whole->units->level_of(whole->texels, level);
    else part->data = whole->data + sizes.level_offset[level];
    part->bytes = sizes.level_bytes[level];
    part->shape = whole->shape.get_mip_level_desc(level);
    part->is_level = true;
    whole->levels.push_back(add_memory(std::move(part)).raw_handle);
  }
  return handle;
}

}  // namespace

oneapi::image_mem_handle add_image_memory(const oneapi::image_descriptor& shape, const image_sizes& sizes,
                                          sinter::device_textures* units, void* texels) {
  auto memory = std::make_unique<image_memory>();
  memory->units = units;
  memory->texels = texels;
  memory->bytes = sizes.bytes;
  memory->shape = shape;
  return add_with_levels(std::move(memory), sizes);
}

}  // namespace detail

namespace ext::oneapi::experimental {

using namespace sycl::detail;

image_descriptor image_descriptor::get_mip_level_desc(unsigned int level) const {
  if (level >= num_levels) {
    throw_error(errc::invalid, "image_descriptor::get_mip_level_desc: there is no level " + std::to_string(level) +
                                   " of " + std::to_string(num_levels));
  }
  const auto halved = [&](std::size_t extent) { return extent == 0 ? 0 : std::max<std::size_t>(extent >> level, 1); };
  return {range<3>(halved(width), halved(height), halved(depth)), num_channels, channel_type};
}

void image_descriptor::verify() const {
  const auto refuse = [](const std::string& why) { throw_error(errc::invalid, "image_descriptor: " + why); };
  if (width == 0) refuse("the width is 0");
  if (height == 0 && depth != 0) refuse("it has a depth, but no height");
  for (const std::size_t extent : {width, height, depth}) {
    if (extent > most_texels) refuse(std::to_string(extent) + " texels along a dimension are too many");
  }
  if (num_channels < 1 || num_channels > 4) refuse(std::to_string(num_channels) + " channels; there are 1 to 4");
  if (!texel_type_of(channel_type)) refuse("the channel type is packed, or none of image_channel_type");
  switch (type) {
    case image_type::standard:
    case image_type::gather:
      if (num_levels != 1 || array_size != 1) refuse("a standard image has one level and one layer");
      return;
    case image_type::mipmap: {
      unsigned most = 1;
      for (std::size_t extent = std::max({width, height, depth}); extent > 1; extent /= 2) ++most;
      if (array_size != 1) refuse("a mip map has one layer");
      if (num_levels < 2 || num_levels > most) {
        refuse(std::to_string(num_levels) + " levels; a mip map of this size has 2 to " + std::to_string(most));
      }
      return;
    }
    case image_type::array:
      if (num_levels != 1) refuse("an array has one level");
      if (array_size < 2) refuse("an array has two layers or more");
      if (depth != 0) refuse("an array is of one- or two-dimensional images");
      return;
    case image_type::cubemap:
      if (num_levels != 1) refuse("a cubemap has one level");
      if (array_size != 6) refuse("a cubemap has six layers");
      if (depth != 0 || width != height) refuse("a cubemap has faces as wide as they are high");
      return;
  }
  refuse("the type is none of image_type");
}

image_mem_handle alloc_image_mem(const image_descriptor& shape, const device& device, const context& context) {
  require_images(device, "alloc_image_mem");
  shape.verify();
  auto memory = std::make_unique<image_memory>();
  memory->units = backend_of(device, context).textures();
  // Texture units can sample a plane (a two-dimensional image) in ordinary memory with addresses, and this is as fast
  // as sampling a plane in their own memory. If work-items have different handles, ordinary code can read such a plane,
  // too.
  const bool is_plane = shape.type == image_type::standard && shape.height != 0 && shape.depth == 0;
  // Programs may sample an image of one slice as a plane or as a volume, but a texture is either a plane or a volume.
  const bool is_slice = shape.depth == 1;
  if (memory->units && is_plane) memory->row_alignment = memory->units->row_alignment();
  const image_sizes sizes(shape, memory->row_alignment);
  if (sizes.bytes == sinter::abi::too_many_bytes) {
    throw_error(errc::memory_allocation, "alloc_image_mem: the image has more bytes than memory can have");
  }
  if (memory->units && !is_plane && !is_slice) {
    memory->texels = memory->units->allocate(texture_shape_of(shape, sizes.layout.traits));
  }
  if (!memory->texels) {
    memory->data = static_cast<unsigned char*>(allocate(sizes.bytes, 512, device, context, "alloc_image_mem"));
  }
  memory->bytes = sizes.bytes;
  memory->shape = shape;
  return add_with_levels(std::move(memory), sizes);
}

void free_image_mem(image_mem_handle memory, image_type, const device&, const context& context) {
  const image_memory& found = memory_of(memory, "free_image_mem");
  if (found.is_level) throw_invalid("free_image_mem: it is a level; free the whole mip map");
  void *const data = found.data, *const texels = found.texels;
  sinter::device_textures* const units = found.units;
  {
    const std::lock_guard lock(registry().mutex);
    for (const void* level : found.levels) registry().memory.erase(level);
    registry().memory.erase(memory.raw_handle);
  }
  if (texels) free_objects({.units = units}, texels, context);
  else sycl::free(data, context);
}

image_mem_handle get_mip_level_mem_handle(image_mem_handle memory, unsigned int level, const device&, const context&) {
  const image_memory& found = memory_of(memory, "get_mip_level_mem_handle");
  if (level >= found.levels.size()) {
    throw_error(errc::invalid, "get_mip_level_mem_handle: there is no level " + std::to_string(level) + " of " +
                                   std::to_string(found.levels.size()));
  }
  return {found.levels[level]};
}

range<3> get_image_range(image_mem_handle memory, const device&, const context&) {
  const image_descriptor& shape = memory_of(memory, "get_image_range").shape;
  return {shape.width, shape.height, shape.depth};
}
image_channel_type get_image_channel_type(image_mem_handle memory, const device&, const context&) {
  return memory_of(memory, "get_image_channel_type").shape.channel_type;
}
unsigned int get_image_num_channels(image_mem_handle memory, const device&, const context&) {
  return memory_of(memory, "get_image_num_channels").shape.num_channels;
}

unsampled_image_handle create_image(image_mem_handle memory, const image_descriptor& shape, const device& device,
                                    const context& context) {
  if (shape.type == image_type::mipmap) {
    throw_error(errc::runtime, "create_image: a mip map needs a sampler; without one, make an image of a level");
  }
  const image_memory& found = memory_of(memory, "create_image");
  new_image image(record_of_memory(memory, shape), found.units);
  if (found.texels) image.surface = found.units->make_surface(found.texels);
  return image.make_handle(device, context);
}
sampled_image_handle create_image(image_mem_handle memory, const bindless_image_sampler& sampler,
                                  const image_descriptor& shape, const device& device, const context& context) {
  const image_memory& found = memory_of(memory, "create_image");
  new_image image(record_of_memory(memory, shape), found.units);
  add_sampler(image, sampler, found.texels != nullptr);
  if (!found.texels) {
    add_texture(image, shape);
    return image.make_handle(device, context);
  }
  image.texture = found.units->make_texture(found.texels, texture_shape_of(shape, image.layout.traits),
                                            {sampler.cubemap_filtering == cubemap_filtering_mode::seamless,
                                             image.least_level, image.most_level});
  if (image.levels == 1) image.surface = found.units->make_surface(found.texels);
  return image.make_handle(device, context);
}
unsampled_image_handle create_image(void* memory, std::size_t pitch, const image_descriptor& shape,
                                    const device& device, const context& context) {
  require_images(device, "create_image");
  return new_image(record_of_usm(memory, pitch, shape)).make_handle(device, context);
}
sampled_image_handle create_image(void* memory, std::size_t pitch, const bindless_image_sampler& sampler,
                                  const image_descriptor& shape, const device& device, const context& context) {
  require_images(device, "create_image");
  new_image image(record_of_usm(memory, pitch, shape), backend_of(device, context).textures());
  add_sampler(image, sampler, /*in_units=*/false);
  add_texture(image, shape);
  return image.make_handle(device, context);
}

void destroy_image_handle(unsampled_image_handle& handle, const device&, const context& context) {
  destroy(handle.raw_handle, context);
  handle.raw_handle = 0;
}
void destroy_image_handle(sampled_image_handle& handle, const device&, const context& context) {
  destroy(handle.raw_handle, context);
  handle.raw_handle = 0;
}

void* pitched_alloc_device(std::size_t* pitch, std::size_t width_bytes, std::size_t height, unsigned int,
                           const device& device, const context& context) {
  require_images(device, "pitched_alloc_device");
  if (!pitch || width_bytes == 0 || height == 0) {
    throw_invalid("pitched_alloc_device: it takes where the pitch goes, and rows of some bytes");
  }
  constexpr std::size_t alignment = 64;
  *pitch = (width_bytes + alignment - 1) / alignment * alignment;
  const std::size_t bytes = sinter::abi::multiply_bytes(*pitch, height);
  return allocate(bytes, 512, device, context, "pitched_alloc_device");
}
void* pitched_alloc_device(std::size_t* pitch, const image_descriptor& shape, const device& device,
                           const context& context) {
  shape.verify();
  const image_sizes sizes(shape);
  return pitched_alloc_device(pitch, sizes.layout.row_pitch,
                              static_cast<std::size_t>(sizes.layout.extent[1]) *
                                  static_cast<std::size_t>(sizes.layout.extent[2]),
                              0, device, context);
}

}  // namespace ext::oneapi::experimental
}  // namespace sycl
