#include "textures.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <sycl/exception.hpp>

#include "gpus.hpp"

namespace sinter::cuda {

/// The memory of an image: an array, a mipmapped array with its levels, or one level of a mipmapped array.
struct texture_memory {
  CUarray array = nullptr;
  CUmipmappedArray mipmap = nullptr;
  std::vector<std::unique_ptr<texture_memory>> levels;
};

namespace {

using sycl::detail::texel_addressing;
using sycl::detail::texel_type;

CUarray_format format_of(texel_type type) {
  switch (type) {
    case texel_type::unorm8:
    case texel_type::uint8:
      return CU_AD_FORMAT_UNSIGNED_INT8;
    case texel_type::unorm16:
    case texel_type::uint16:
      return CU_AD_FORMAT_UNSIGNED_INT16;
    case texel_type::uint32:
      return CU_AD_FORMAT_UNSIGNED_INT32;
    case texel_type::snorm8:
    case texel_type::sint8:
      return CU_AD_FORMAT_SIGNED_INT8;
    case texel_type::snorm16:
    case texel_type::sint16:
      return CU_AD_FORMAT_SIGNED_INT16;
    case texel_type::sint32:
      return CU_AD_FORMAT_SIGNED_INT32;
    case texel_type::fp16:
      return CU_AD_FORMAT_HALF;
    case texel_type::fp32:
      return CU_AD_FORMAT_FLOAT;
  }
  return CU_AD_FORMAT_FLOAT;
}

bool has_format(sycl::detail::image_traits traits) { return traits.channels() != 3 && !traits.is_bgra(); }

int mode_of(texel_addressing mode) {
  constexpr int wrap = 0, edge = 1, mirror = 2, border = 3;
  switch (mode) {
    case texel_addressing::repeat:
      return wrap;
    case texel_addressing::mirrored_repeat:
      return mirror;
    case texel_addressing::clamp:
      return border;
    default:
      return edge;
  }
}

CUDA_TEXTURE_DESC description_of(const texture_shape& shape, const texture_sampler& sampler) {
  const sycl::detail::image_traits traits = shape.traits;
  CUDA_TEXTURE_DESC result;
  // Texture units also filter along dimensions that the image does not have. Such a dimension gets clamp_to_edge: with
  // a border color in it, half of each sample of a one-dimensional image would be border color. Faces of a cube get
  // clamp_to_edge, too, because SYCL's samplers use the texels at a face's edge for positions outside of the face.
  for (int d = 0; d < 3; ++d) {
    const bool has_ends = shape.extent[d] != 0 && !shape.is_cube;
    result.addressMode[d] = mode_of(has_ends ? traits.addressing(d) : texel_addressing::clamp_to_edge);
  }
  result.filterMode = traits.is_linear() ? 1 : 0;
  result.mipmapFilterMode = traits.has_linear_levels() ? 1 : 0;
  result.minMipmapLevelClamp = sampler.least_level;
  result.maxMipmapLevelClamp = sampler.most_level;
  if (is_integer(traits.type())) result.flags |= CU_TRSF_READ_AS_INTEGER;
  // The driver allows only normalized coordinates for images with mip levels. If the sampler's coordinates are not
  // normalized, kernels normalize them.
  if (traits.is_normalized() || shape.levels > 1) result.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (sampler.seamless) result.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
  return result;
}

CUDA_ARRAY3D_DESCRIPTOR array_of(const texture_shape& shape) {
  CUDA_ARRAY3D_DESCRIPTOR wanted;
  wanted.Width = shape.extent[0];
  wanted.Height = shape.extent[1];
  wanted.Depth = shape.has_layers ? shape.layers : shape.extent[2];
  wanted.Format = format_of(shape.traits.type());
  wanted.NumChannels = shape.traits.channels();
  wanted.Flags = CUDA_ARRAY3D_SURFACE_LDST | (shape.has_layers && !shape.is_cube ? CUDA_ARRAY3D_LAYERED : 0) |
                 (shape.is_cube ? CUDA_ARRAY3D_CUBEMAP : 0) | (shape.gathers ? CUDA_ARRAY3D_TEXTURE_GATHER : 0);
  return wanted;
}

}  // namespace

void* texture_units::allocate(const texture_shape& shape) {
  if (!has_format(shape.traits)) return nullptr;
  m_gpu.use();
  const CUDA_ARRAY3D_DESCRIPTOR wanted = array_of(shape);
  auto made = std::make_unique<texture_memory>();
  const CUresult result = shape.levels > 1
                              ? m_functions.cuMipmappedArrayCreate(&made->mipmap, &wanted, shape.levels)
                              : m_functions.cuArray3DCreate(&made->array, &wanted);
  // The driver returns invalid_value for sizes beyond the limits of the units.
  if (result == gpu::invalid_value) return nullptr;
  m_gpu.check(result, [&] { return "allocating memory for an image"; });
  if (made->mipmap) find_levels(*made, shape.levels);
  return made.release();
}

void texture_units::find_levels(texture_memory& made, std::uint32_t count) {
  for (std::uint32_t level = 0; level < count; ++level) {
    CUarray array = nullptr;
    const CUresult found = m_functions.cuMipmappedArrayGetLevel(&array, made.mipmap, level);
    if (found != gpu::success) m_functions.cuMipmappedArrayDestroy(made.mipmap);
    m_gpu.check(found, "finding a level of an image");
    if (count == 1) made.array = array;
    else made.levels.emplace_back(std::make_unique<texture_memory>())->array = array;
  }
}

void* texture_units::level_of(void* memory, std::uint32_t level) {
  return static_cast<texture_memory*>(memory)->levels[level].get();
}

void texture_units::deallocate(void* memory) noexcept {
  const std::unique_ptr<texture_memory> gone(static_cast<texture_memory*>(memory));
  if (m_gpu.try_to_use() != gpu::success) return;
  if (gone->mipmap) m_functions.cuMipmappedArrayDestroy(gone->mipmap);
  else if (gone->array) m_functions.cuArrayDestroy(gone->array);
}

void* texture_units::native(void* memory) {
  const auto* found = static_cast<texture_memory*>(memory);
  return found->array ? static_cast<void*>(found->array) : found->mipmap;
}

std::size_t texture_units::row_alignment() {
  constexpr int least = 32;  // in bytes, on all GPUs so far
  return static_cast<std::size_t>(
      std::max(gpu_attribute(m_functions, m_gpu.device(), CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT), least));
}

std::uint64_t texture_units::make_texture(void* memory, const texture_shape& shape, const texture_sampler& sampler) {
  m_gpu.use();
  const auto* from = static_cast<texture_memory*>(memory);
  CUDA_RESOURCE_DESC resource;
  resource.resType = from->array ? CU_RESOURCE_TYPE_ARRAY : CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.array = native(memory);
  const CUDA_TEXTURE_DESC texture = description_of(shape, sampler);
  std::uint64_t number = 0;
  m_gpu.check(m_functions.cuTexObjectCreate(&number, &resource, &texture, nullptr), [] { return "making a texture"; });
  return number;
}

std::uint64_t texture_units::make_texture_of(const void* rows, std::size_t pitch, const texture_shape& shape) {
  if (!has_format(shape.traits) || shape.extent[1] == 0 || shape.extent[2] != 0) return 0;
  // Ordinary code reads the largest texels faster than texture units do (benchmarks/images).
  if (shape.traits.texel_bytes() == 16) return 0;
  m_gpu.use();
  unsigned type = 0;
  if (m_functions.get_pointer_attribute(&type, gpu::pointer_attribute::memory_type, gpu::address_of(rows)) !=
          gpu::success ||
      type != gpu::device_memory_type) {
    return 0;
  }
  CUDA_RESOURCE_DESC resource;
  resource.resType = CU_RESOURCE_TYPE_PITCH2D;
  resource.res.plane = {gpu::address_of(rows), format_of(shape.traits.type()), shape.traits.channels(), shape.extent[0],
                        shape.extent[1], pitch};
  const CUDA_TEXTURE_DESC texture = description_of(shape, {});
  std::uint64_t number = 0;
  // The driver returns an error for wrong alignments of address or pitch, and for sizes beyond its limits.
  if (m_functions.cuTexObjectCreate(&number, &resource, &texture, nullptr) != gpu::success) return 0;
  return number;
}

std::uint64_t texture_units::make_surface(void* memory) {
  m_gpu.use();
  CUDA_RESOURCE_DESC resource;
  resource.res.array = native(memory);
  std::uint64_t number = 0;
  m_gpu.check(m_functions.cuSurfObjectCreate(&number, &resource), [] { return "making a surface"; });
  return number;
}

void texture_units::destroy_texture(std::uint64_t texture) noexcept {
  if (m_gpu.try_to_use() == gpu::success) m_functions.cuTexObjectDestroy(texture);
}
void texture_units::destroy_surface(std::uint64_t surface) noexcept {
  if (m_gpu.try_to_use() == gpu::success) m_functions.cuSurfObjectDestroy(surface);
}

std::uint64_t texture_units::import_memory(int descriptor, std::size_t bytes) {
  m_gpu.use();
  CUDA_EXTERNAL_MEMORY_HANDLE_DESC from;
  from.handle.fd = descriptor;
  from.size = bytes;
  CUexternalMemory memory = nullptr;
  m_gpu.check(m_functions.cuImportExternalMemory(&memory, &from), [] { return "importing external memory"; });
  return reinterpret_cast<std::uint64_t>(memory);
}

void texture_units::release_memory(std::uint64_t memory) {
  m_gpu.use();
  m_gpu.check(m_functions.cuDestroyExternalMemory(reinterpret_cast<CUexternalMemory>(memory)),
              [] { return "releasing external memory"; });
}

void* texture_units::map(std::uint64_t memory, std::size_t offset, std::size_t bytes) {
  m_gpu.use();
  CUDA_EXTERNAL_MEMORY_BUFFER_DESC part;
  part.offset = offset;
  part.size = bytes;
  CUdeviceptr address{};
  m_gpu.check(
      m_functions.cuExternalMemoryGetMappedBuffer(&address, reinterpret_cast<CUexternalMemory>(memory), &part),
      [] { return "mapping external memory"; });
  return reinterpret_cast<void*>(address);
}

void texture_units::unmap(void* address) {
  m_gpu.use();
  m_gpu.check(m_functions.free_memory(gpu::address_of(address)), [] { return "unmapping external memory"; });
}

void* texture_units::map_texels(std::uint64_t memory, const texture_shape& shape) {
  if (!has_format(shape.traits)) return nullptr;
  m_gpu.use();
  CUDA_EXTERNAL_MEMORY_MIPMAPPED_ARRAY_DESC wanted;
  wanted.arrayDesc = array_of(shape);
  wanted.numLevels = shape.levels;
  auto made = std::make_unique<texture_memory>();
  m_gpu.check(m_functions.cuExternalMemoryGetMappedMipmappedArray(
                  &made->mipmap, reinterpret_cast<CUexternalMemory>(memory), &wanted),
              [] { return "mapping external memory of an image"; });
  find_levels(*made, shape.levels);
  return made.release();
}

std::uint64_t texture_units::import_semaphore(int descriptor, bool counts) {
  m_gpu.use();
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC from;
  if (counts) from.type = 9;
  from.handle.fd = descriptor;
  CUexternalSemaphore semaphore = nullptr;
  m_gpu.check(m_functions.cuImportExternalSemaphore(&semaphore, &from), [] { return "importing a semaphore"; });
  return reinterpret_cast<std::uint64_t>(semaphore);
}

void texture_units::release_semaphore(std::uint64_t semaphore) {
  m_gpu.use();
  m_gpu.check(m_functions.cuDestroyExternalSemaphore(reinterpret_cast<CUexternalSemaphore>(semaphore)),
              [] { return "releasing a semaphore"; });
}

void texture_units::use_semaphore(std::uint64_t semaphore, std::uint64_t value, bool waits, void* stream) {
  m_gpu.use();
  const auto native = reinterpret_cast<CUexternalSemaphore>(semaphore);
  CUDA_EXTERNAL_SEMAPHORE_PARAMS how;
  how.value = value;
  const auto use = waits ? m_functions.cuWaitExternalSemaphoresAsync : m_functions.cuSignalExternalSemaphoresAsync;
  m_gpu.check(use(&native, &how, 1, static_cast<CUstream>(stream)), [] { return "using a semaphore"; });
}

}  // namespace sinter::cuda
