#pragma once
/// Access modes, targets, tags and address spaces (SYCL 2020 4.7.6 and 4.7.7).

#include <cstdint>

namespace sycl::inline _V1 {

enum class access_mode : std::uint32_t { read, write, read_write, discard_write, discard_read_write, atomic };
// All targets except the first two are deprecated.
enum class target : std::uint32_t {
  device, host_task, constant_buffer, local, host_buffer, image, host_image, image_array, global_buffer = device
};

namespace access {
using mode = sycl::access_mode;
using target = sycl::target;
/// The argument type of SYCL 1.2.1's nd_item::barrier, which many migrated programs pass.
enum class fence_space : char { local_space, global_space, global_and_local };
enum class placeholder { false_t, true_t };
/// The extension sycl_ext_intel_usm_address_spaces adds two more names for the global space.
enum class address_space : int {
  global_space,
  local_space,
  constant_space,
  private_space,
  generic_space,
  ext_intel_global_device_space = global_space,
  ext_intel_global_host_space = global_space
};
enum class decorated : int { no, yes, legacy };
} // namespace access

template <access_mode Mode>
struct mode_tag_t {
  explicit mode_tag_t() = default;
};
template <access_mode Mode, target Target>
struct mode_target_tag_t {
  explicit mode_target_tag_t() = default;
};
inline constexpr mode_tag_t<access_mode::read> read_only{};
inline constexpr mode_tag_t<access_mode::write> write_only{};
inline constexpr mode_tag_t<access_mode::read_write> read_write{};
inline constexpr mode_target_tag_t<access_mode::read, target::host_task> read_only_host_task{};
inline constexpr mode_target_tag_t<access_mode::write, target::host_task> write_only_host_task{};
inline constexpr mode_target_tag_t<access_mode::read_write, target::host_task> read_write_host_task{};

namespace detail {

constexpr bool mode_reads(access_mode mode) noexcept {
  return mode != access_mode::write && mode != access_mode::discard_write && mode != access_mode::discard_read_write;
}
constexpr bool mode_writes(access_mode mode) noexcept { return mode != access_mode::read; }

} // namespace detail
} // namespace sycl
