#pragma once
/// Copies a row of the table of targets into device_facts.

#include <abi/device_targets.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <sycl/aspects.hpp>

namespace sinter {

inline std::vector<std::uint32_t> aspects_of(const abi::target_row& target) {
  std::vector<std::uint32_t> result;
  for (const abi::aspect_row& each : abi::aspect_table) {
    if (target.aspects.has(each.number)) result.push_back(each.number);
  }
  return result;
}

/// Adds the aspects of images that need no texture units: bindless images are in USM memory, and kernels compute
/// samples in software. The aspects of seamless filters across the faces of a cube, and of anisotropic filters, are
/// left out, because these filters need texture units.
inline void add_image_aspects(std::vector<std::uint32_t>& aspects) {
  using sycl::aspect;
  const auto has = [&](aspect which) {
    return std::find(aspects.begin(), aspects.end(), static_cast<std::uint32_t>(which)) != aspects.end();
  };
  if (!has(aspect::usm_device_allocations)) return;
  for (const aspect each :
       {aspect::ext_oneapi_bindless_images, aspect::ext_oneapi_bindless_images_shared_usm,
        aspect::ext_oneapi_bindless_images_1d_usm, aspect::ext_oneapi_bindless_images_2d_usm, aspect::ext_oneapi_mipmap,
        aspect::ext_oneapi_mipmap_level_reference, aspect::ext_oneapi_cubemap,
        aspect::ext_oneapi_bindless_sampled_image_fetch_1d_usm, aspect::ext_oneapi_bindless_sampled_image_fetch_1d,
        aspect::ext_oneapi_bindless_sampled_image_fetch_2d_usm, aspect::ext_oneapi_bindless_sampled_image_fetch_2d,
        aspect::ext_oneapi_bindless_sampled_image_fetch_3d, aspect::ext_oneapi_image_array,
        aspect::ext_oneapi_unique_addressing_per_dim, aspect::ext_oneapi_bindless_images_sample_1d_usm,
        aspect::ext_oneapi_bindless_images_sample_2d_usm, aspect::ext_oneapi_bindless_images_gather}) {
    if (!has(each)) aspects.push_back(static_cast<std::uint32_t>(each));
  }
}

inline std::vector<std::size_t> sub_group_sizes_of(const abi::target_row& target) {
  std::vector<std::size_t> result;
  for (const std::uint32_t each : target.sub_group_sizes) {
    if (each != 0) result.push_back(each);
  }
  return result;
}

}  // namespace sinter
