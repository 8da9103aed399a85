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

/// The fixed targets of `flags` as text, such as "x86_64,nvptx64", if none of them is among the device's, `its`
/// (device_facts::fixed_targets). Empty: it may run there.
std::string other_targets(std::uint32_t flags, std::uint32_t its);
/// The required aspects that are missing: values of sycl::aspect, and abi::aspect_limit for unknown ones.
std::vector<std::uint32_t> missing_aspects(const abi::aspect_set& required, std::span<const std::uint32_t> present);

class kernel_view {
public:
  /// Valid as long as the image stays.
  explicit kernel_view(const abi::kernel_descriptor& kernel) noexcept
      : m_kernel(kernel), m_image(image_of(kernel)), m_row(m_image ? &m_image->kernel(kernel.index) : nullptr) {}

  const abi::kernel_descriptor& descriptor() const noexcept { return m_kernel; }
  bool has_image() const noexcept { return m_image != nullptr; }

  /// Whether the kernel may be launched on any device and with any groups, as far as the facts below say; most kernels
  /// may.
  bool is_unrestricted() const noexcept {
    constexpr std::uint32_t restricting =
        abi::kernel_not_portable | abi::kernel_fixed_targets | abi::kernel_groups_meet | abi::kernel_device_globals;
    if (!m_row) return true;
    const std::uint32_t numbers = (m_row->flags & restricting) | m_row->required_work_group_size[2] |
                                  m_row->required_sub_group_size | m_row->call_count;
    return numbers == 0 && !m_row->required_aspects;
  }
  /// Three sizes in padded SYCL order; null: no requirement.
  const std::uint32_t* required_work_group_size() const noexcept {
    return m_row && m_row->required_work_group_size[2] != 0 ? m_row->required_work_group_size : nullptr;
  }
  /// Whether the required sizes are those of groups that the kernel makes itself, and not of launches.
  bool has_own_groups() const noexcept { return m_row && (m_row->flags & abi::kernel_own_groups) != 0; }
  /// Whether both are requirements on CPUs only.
  bool has_sizes_for_cpu() const noexcept { return m_row && (m_row->flags & abi::kernel_sizes_for_cpu) != 0; }
  /// Whether it uses functions that only the host has, because no file defines them for devices.
  bool needs_this_process() const noexcept { return m_row && (m_row->flags & abi::kernel_not_portable) != 0; }
  bool has_device_globals() const noexcept { return m_row && (m_row->flags & abi::kernel_device_globals) != 0; }
  /// abi::kernel_flags.
  std::uint32_t flags() const noexcept { return m_row ? m_row->flags : 0; }
  /// 0: no requirement.
  std::uint32_t required_sub_group_size() const noexcept { return m_row ? m_row->required_sub_group_size : 0; }
  /// The number of sizes in reqd_work_group_size; 0 means not known.
  std::uint32_t required_group_dimensions() const noexcept { return abi::dimensions_of_group(flags()); }
  bool has_fixed_targets() const noexcept { return (flags() & abi::kernel_fixed_targets) != 0; }
  bool requires_aspects() const noexcept { return m_row && static_cast<bool>(m_row->required_aspects); }
  /// The aspects that [[sycl::device_has]] requires and the device lacks.
  std::vector<std::uint32_t> missing_aspects(std::span<const std::uint32_t> present) const;
  /// Functions of other files that it calls and that require something; null: it calls none.
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
