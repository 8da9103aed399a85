#pragma once
/// A kernel's properties, read once from its image. Kernels without an image, as in library mode, require nothing.

#include <abi/device_targets.hpp>
#include <abi/launch_abi.hpp>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "registry.hpp"

namespace sinter {

/// Returns the fixed targets in `flags` as text, such as "x86_64,nvptx64", if the device has none of them in `its`
/// (device_facts::fixed_targets). Returns an empty text if the kernel may run on the device.
std::string other_targets(std::uint32_t flags, std::uint32_t its);
/// Returns the required aspects that are missing: values of sycl::aspect, and abi::aspect_limit for unknown aspects.
std::vector<std::uint32_t> missing_aspects(const abi::aspect_set& required, std::span<const std::uint32_t> present);

class kernel_view {
public:
  /// The view is valid as long as the image is registered.
  explicit kernel_view(const abi::kernel_descriptor& kernel) noexcept
      : m_kernel(kernel), m_image(image_of(kernel)), m_row(m_image ? &m_image->kernel(kernel.index) : nullptr) {}

  const abi::kernel_descriptor& descriptor() const noexcept { return m_kernel; }
  bool has_image() const noexcept { return m_image != nullptr; }

  /// Returns whether the facts below allow the kernel on any device and with any groups, which is true for most
  /// kernels.
  bool is_unrestricted() const noexcept {
    constexpr std::uint32_t restricting =
        abi::kernel_not_portable | abi::kernel_fixed_targets | abi::kernel_groups_meet | abi::kernel_device_globals;
    if (!m_row) return true;
    const std::uint32_t numbers = (m_row->flags & restricting) | m_row->required_work_group_size[2] |
                                  m_row->required_sub_group_size | m_row->call_count;
    return numbers == 0 && !m_row->required_aspects;
  }
  /// Returns three sizes in padded SYCL order, or null if the kernel requires none.
  const std::uint32_t* required_work_group_size() const noexcept {
    return m_row && m_row->required_work_group_size[2] != 0 ? m_row->required_work_group_size : nullptr;
  }
  /// Returns whether the required sizes belong to groups that the kernel makes itself, and not to launches.
  bool has_own_groups() const noexcept { return m_row && (m_row->flags & abi::kernel_own_groups) != 0; }
  /// Returns whether required sizes of groups and sub-groups hold on CPUs only.
  bool has_sizes_for_cpu() const noexcept { return m_row && (m_row->flags & abi::kernel_sizes_for_cpu) != 0; }
  /// Returns whether the kernel uses functions that only the host has, because no file defines them for devices.
  bool needs_this_process() const noexcept { return m_row && (m_row->flags & abi::kernel_not_portable) != 0; }
  bool has_device_globals() const noexcept { return m_row && (m_row->flags & abi::kernel_device_globals) != 0; }
  /// Returns the kernel's abi::kernel_flags.
  std::uint32_t flags() const noexcept { return m_row ? m_row->flags : 0; }
  /// Returns 0 if the kernel requires no size.
  std::uint32_t required_sub_group_size() const noexcept { return m_row ? m_row->required_sub_group_size : 0; }
  /// Returns the number of sizes in reqd_work_group_size, or 0 if it is not known.
  std::uint32_t required_group_dimensions() const noexcept { return abi::dimensions_of_group(flags()); }
  bool has_fixed_targets() const noexcept { return (flags() & abi::kernel_fixed_targets) != 0; }
  bool requires_aspects() const noexcept { return m_row && static_cast<bool>(m_row->required_aspects); }
  /// Returns the aspects that [[sycl::device_has]] requires and the device lacks.
  std::vector<std::uint32_t> missing_aspects(std::span<const std::uint32_t> present) const;
  /// Returns the called functions of other files that have requirements, or null if there are none.
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
