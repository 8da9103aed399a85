#include "textures.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <sycl/exception.hpp>

#include "gpus.hpp"

namespace sinter::cuda {
namespace {

using sycl::detail::texel_addressing;
using sycl::detail::texel_type;

/// One array, or one for each level.
struct texture_memory {
  CUarray array = nullptr;
  CUmipmappedArray mipmap = nullptr;
  std::vector<std::unique_ptr<texture_memory>> levels;
};

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
  // The units filter along dimensions that the image lacks, too: half of a line would be border. They would also take
  // the border for places beyond a face of a cube, where samplers mean the face's edge.
  for (int d = 0; d < 3; ++d) {
    const bool has_ends = shape.extent[d] != 0 && !shape.is_cube;
    result.addressMode[d] = mode_of(has_ends ? traits.addressing(d) : texel_addressing::clamp_to_edge);
  }
  result.filterMode = traits.is_linear() ? 1 : 0;
  result.mipmapFilterMode = traits.has_linear_levels() ? 1 : 0;
  result.minMipmapLevelClamp = sampler.least_level;
  result.maxMipmapLevelClamp = sampler.most_level;
  if (is_integer(traits.type())) result.flags |= CU_TRSF_READ_AS_INTEGER;
  // Levels are there for normalized coordinates only; kernels divide others themselves.
  if (traits.is_normalized() || shape.levels > 1) result.flags |= CU_TRSF_NORMALIZED_COORDINATES;
  if (sampler.seamless) result.flags |= CU_TRSF_SEAMLESS_CUBEMAP;
  return result;
}

}  // namespace

void* texture_units::allocate(const texture_shape& shape) {
  if (!has_format(shape.traits)) return nullptr;
  m_gpu.use();
  CUDA_ARRAY3D_DESCRIPTOR wanted;
  wanted.Width = shape.extent[0];
  wanted.Height = shape.extent[1];
  wanted.Depth = shape.has_layers ? shape.layers : shape.extent[2];
  wanted.Format = format_of(shape.traits.type());
  wanted.NumChannels = shape.traits.channels();
  wanted.Flags = CUDA_ARRAY3D_SURFACE_LDST | (shape.has_layers && !shape.is_cube ? CUDA_ARRAY3D_LAYERED : 0) |
                 (shape.is_cube ? CUDA_ARRAY3D_CUBEMAP : 0) | (shape.gathers ? CUDA_ARRAY3D_TEXTURE_GATHER : 0);
  auto made = std::make_unique<texture_memory>();
  const CUresult result = shape.levels > 1
                              ? m_functions.cuMipmappedArrayCreate(&made->mipmap, &wanted, shape.levels)
                              : m_functions.cuArray3DCreate(&made->array, &wanted);
  // The driver says this of sizes beyond the limits of the units.
  if (result == gpu::invalid_value) return nullptr;
  m_gpu.check(result, [&] { return "allocating memory for an image"; });
  for (std::uint32_t level = 0; made->mipmap && level < shape.levels; ++level) {
    auto& part = made->levels.emplace_back(std::make_unique<texture_memory>());
    const CUresult found = m_functions.cuMipmappedArrayGetLevel(&part->array, made->mipmap, level);
    if (found != gpu::success) m_functions.cuMipmappedArrayDestroy(made->mipmap);
    m_gpu.check(found, "finding a level of an image");
  }
  return made.release();
}

void* texture_units::level_of(void* memory, std::uint32_t level) {
  return static_cast<texture_memory*>(memory)->levels[level].get();
}

void texture_units::deallocate(void* memory) noexcept {
  const std::unique_ptr<texture_memory> gone(static_cast<texture_memory*>(memory));
  if (m_gpu.try_to_use() != gpu::success) return;
  if (gone->mipmap) m_functions.cuMipmappedArrayDestroy(gone->mipmap);
  if (gone->array) m_functions.cuArrayDestroy(gone->array);
}

void* texture_units::native(void* memory) {
  const auto* found = static_cast<texture_memory*>(memory);
  return found->mipmap ? static_cast<void*>(found->mipmap) : found->array;
}

std::size_t texture_units::row_alignment() {
  constexpr int least = 32;  // on all GPUs so far
  return static_cast<std::size_t>(
      std::max(gpu_attribute(m_functions, m_gpu.device(), CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT), least));
}

std::uint64_t texture_units::make_texture(void* memory, const texture_shape& shape, const texture_sampler& sampler) {
  m_gpu.use();
  const auto* from = static_cast<texture_memory*>(memory);
  CUDA_RESOURCE_DESC resource;
  resource.resType = from->mipmap ? CU_RESOURCE_TYPE_MIPMAPPED_ARRAY : CU_RESOURCE_TYPE_ARRAY;
  resource.res.array = native(memory);
  const CUDA_TEXTURE_DESC texture = description_of(shape, sampler);
  std::uint64_t number = 0;
  m_gpu.check(m_functions.cuTexObjectCreate(&number, &resource, &texture, nullptr), [] { return "making a texture"; });
  return number;
}

std::uint64_t texture_units::make_texture_of(const void* rows, std::size_t pitch, const texture_shape& shape) {
  if (!has_format(shape.traits) || shape.extent[1] == 0 || shape.extent[2] != 0) return 0;
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
  // Addresses and pitches have to be multiples of what the GPU says, and sizes have limits: the driver knows all of it.
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

}  // namespace sinter::cuda
