#pragma once
/// Gives access to a kernel's properties, which are in its image. A kernel without an image, as in library mode, has no
/// requirements.

#include <abi/device_targets.hpp>
#include <abi/launch_abi.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "registry.hpp"

namespace sinter {

/// Returns an empty text if a kernel with these fixed targets may run on a device with the targets `its`
/// (device_facts::fixed_targets). Otherwise returns the kernel's targets as text, such as "x86_64,nvptx64".
std::string other_targets(std::uint32_t flags, std::uint32_t its);
/// Returns the required aspects that are not in `present`. Aspects are values of sycl::aspect; abi::aspect_limit
/// represents unknown aspects.
std::vector<std::uint32_t> missing_aspects(const abi::aspect_set& required, std::span<const std::uint32_t> present);

class kernel_view {
public:
  /// The view is valid as long as the image is registered.
  explicit kernel_view(const abi::kernel_descriptor& kernel) noexcept
      : m_kernel(kernel), m_image(image_of(kernel)), m_row(m_image ? &m_image->kernel(kernel.index) : nullptr) {}

  const abi::kernel_descriptor& descriptor() const noexcept { return m_kernel; }
  bool has_image() const noexcept { return m_image != nullptr; }

  /// Returns whether the kernel may run on every device and with every size of groups, as most kernels may: none of the
  /// properties below is set.
  bool is_unrestricted() const noexcept {
    constexpr std::uint32_t restricting =
        abi::kernel_not_portable | abi::kernel_fixed_targets | abi::kernel_groups_meet | abi::kernel_device_globals;
    if (!m_row) return true;
    const std::uint32_t numbers = (m_row->flags & restricting) | m_row->required_work_group_size[2] |
                                  m_row->required_sub_group_size | m_row->call_count;
    return numbers == 0 && !m_row->required_aspects;
  }
  /// Returns three sizes in padded SYCL order, or null if the kernel does not require a size.
  const std::uint32_t* required_work_group_size() const noexcept {
    return m_row && m_row->required_work_group_size[2] != 0 ? m_row->required_work_group_size : nullptr;
  }
  /// Returns whether the required sizes apply only to groups that the kernel itself makes, and not to launches.
  bool has_own_groups() const noexcept { return m_row && (m_row->flags & abi::kernel_own_groups) != 0; }
  /// Returns whether the required sizes of groups and sub-groups apply only on CPUs.
  bool has_sizes_for_cpu() const noexcept { return m_row && (m_row->flags & abi::kernel_sizes_for_cpu) != 0; }
  /// Returns whether the kernel calls functions that exist only on the host, because no captured file defines them.
  bool needs_this_process() const noexcept { return m_row && (m_row->flags & abi::kernel_not_portable) != 0; }
  bool has_device_globals() const noexcept { return m_row && (m_row->flags & abi::kernel_device_globals) != 0; }
  /// Returns the kernel's abi::kernel_flags.
  std::uint32_t flags() const noexcept { return m_row ? m_row->flags : 0; }
  /// Returns the required size, or 0 if the kernel does not require one.
  std::uint32_t required_sub_group_size() const noexcept { return m_row ? m_row->required_sub_group_size : 0; }
  /// Returns the number of sizes in reqd_work_group_size, or 0 if the number is not known.
  std::uint32_t required_group_dimensions() const noexcept { return abi::dimensions_of_group(flags()); }
  bool has_fixed_targets() const noexcept { return (flags() & abi::kernel_fixed_targets) != 0; }
  bool requires_aspects() const noexcept { return m_row && static_cast<bool>(m_row->required_aspects); }
  /// Returns the aspects that [[sycl::device_has]] requires and that the device lacks.
  std::vector<std::uint32_t> missing_aspects(std::span<const std::uint32_t> present) const;
  /// The kernel may call functions of other files. Returns the called functions that have requirements, or null if
  /// there are none.
  std::shared_ptr<const std::vector<called_function>> demanding_functions() const {
    return m_row && m_row->call_count != 0 ? sinter::demanding_functions(m_kernel) : nullptr;
  }
  std::span<const abi::image_leaf> leaves() const noexcept {
    return m_image ? m_image->leaves(m_kernel.index) : std::span<const abi::image_leaf>();
  }
  std::span<const abi::image_constant> constants() const noexcept {
    return m_image ? m_image->constants(m_kernel.index) : std::span<const abi::image_constant>();
  }

private:
  const abi::kernel_descriptor& m_kernel;
  const image_view* m_image;
  const abi::image_kernel* m_row;
};

}  // namespace sinter
