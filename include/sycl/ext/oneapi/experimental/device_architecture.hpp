#pragma once
/// sycl_ext_oneapi_device_architecture: queries on the host for the architecture of a device. CPUs of type x86-64
/// report x86_64. NVIDIA's GPUs report their own architecture. All other devices report unknown; the extension has no
/// name for Arm CPUs.

#include <cstdint>
#include <string>

#include "../../../device.hpp"

#define SYCL_EXT_ONEAPI_DEVICE_ARCHITECTURE 1

namespace sycl::inline _V1 {
namespace ext::oneapi::experimental {

#define SINTER_NVIDIA_ARCHITECTURES(each)                                                                              \
  each(50) each(52) each(53) each(60) each(61) each(62) each(70) each(72) each(75) each(80) each(86) each(87) each(89) \
      each(90) each(90a) each(100) each(100a) each(120) each(120a)

/// Programs can compare with all these architectures, but devices of Sinter report only x86_64, NVIDIA's architectures
/// and unknown.
enum class architecture : std::uint64_t {
  unknown,
  x86_64,
  intel_cpu_spr,
  intel_cpu_gnr,
  intel_cpu_dmr,
  intel_gpu_bdw,
  intel_gpu_skl,
  intel_gpu_kbl,
  intel_gpu_cfl,
  intel_gpu_apl,
  intel_gpu_glk,
  intel_gpu_whl,
  intel_gpu_aml,
  intel_gpu_cml,
  intel_gpu_icllp,
  intel_gpu_ehl,
  intel_gpu_tgllp,
  intel_gpu_rkl,
  intel_gpu_adl_s,
  intel_gpu_adl_p,
  intel_gpu_adl_n,
  intel_gpu_dg1,
  intel_gpu_acm_g10,
  intel_gpu_acm_g11,
  intel_gpu_acm_g12,
  intel_gpu_pvc,
  intel_gpu_pvc_vg,
  intel_gpu_mtl_u,
  intel_gpu_mtl_h,
  intel_gpu_arl_h,
  intel_gpu_bmg_g21,
  intel_gpu_bmg_g31,
  intel_gpu_lnl_m,
  intel_gpu_ptl_h,
  intel_gpu_ptl_u,
  intel_gpu_wcl,
  intel_cpu_cwf,
#define SINTER_EACH(number) nvidia_gpu_sm_##number,
  SINTER_NVIDIA_ARCHITECTURES(SINTER_EACH)
#undef SINTER_EACH
      amd_gpu_gfx906,
  amd_gpu_gfx908,
  amd_gpu_gfx90a,
  amd_gpu_gfx940,
  amd_gpu_gfx941,
  amd_gpu_gfx942,
  amd_gpu_gfx1030,
  amd_gpu_gfx1100,
  amd_gpu_gfx1101,
  amd_gpu_gfx1102,
  amd_gpu_gfx1200,
  amd_gpu_gfx1201,
  intel_gpu_8_0_0 = intel_gpu_bdw,
  intel_gpu_9_0_9 = intel_gpu_skl,
  intel_gpu_12_0_0 = intel_gpu_tgllp,
  intel_gpu_12_10_0 = intel_gpu_dg1,
  intel_gpu_12_60_7 = intel_gpu_pvc,
  intel_gpu_dg2_g10 = intel_gpu_acm_g10,
  intel_gpu_dg2_g11 = intel_gpu_acm_g11,
  intel_gpu_dg2_g12 = intel_gpu_acm_g12,
  intel_gpu_tgl = intel_gpu_tgllp,
  intel_gpu_icl = intel_gpu_icllp
};

enum class arch_category { intel_gpu, nvidia_gpu, amd_gpu, unknown };

}  // namespace ext::oneapi::experimental
namespace detail {

/// Whether a device of Sinter can report the value. Kernels can't test for such an architecture, because one kernel
/// body is compiled for all devices.
constexpr bool is_said_by_devices(ext::oneapi::experimental::architecture which) noexcept {
  using enum ext::oneapi::experimental::architecture;
  return which == unknown || which == x86_64 || (which >= nvidia_gpu_sm_50 && which <= nvidia_gpu_sm_120a);
}
constexpr bool is_said_by_devices(ext::oneapi::experimental::arch_category which) noexcept {
  using enum ext::oneapi::experimental::arch_category;
  return which == unknown || which == nvidia_gpu;
}

/// The result of a branch that was not taken. With its member functions, the program adds else branches, which may then
/// be taken.
struct else_branch {
  template <auto... Architectures, class Function>
  constexpr else_branch else_if_architecture_is(const Function&) const noexcept {
    static_assert(!(is_said_by_devices(Architectures) || ...),
                  "kernels are compiled once for all devices: ask the device on the host "
                  "(device::ext_oneapi_architecture_is), and launch a kernel for it");
    return {};
  }
  template <class Function>
  constexpr void otherwise(const Function& function) const {
    function();
  }
};

}  // namespace detail
namespace ext::oneapi::experimental {

/// Makes a branch in a kernel. `function` is for certain architectures, such as Intel's and AMD's GPUs. No device of
/// Sinter reports these architectures, so `function` is never called, and a later otherwise() calls its own function.
/// If Sinter's devices report one of the architectures, the call does not compile.
template <architecture... Architectures, class Function>
  requires(sizeof...(Architectures) > 0)
constexpr detail::else_branch if_architecture_is(const Function& function) noexcept {
  return detail::else_branch().else_if_architecture_is<Architectures...>(function);
}
template <arch_category... Categories, class Function>
  requires(sizeof...(Categories) > 0)
constexpr detail::else_branch if_architecture_is(const Function& function) noexcept {
  return detail::else_branch().else_if_architecture_is<Categories...>(function);
}

namespace info::device {
struct architecture {
  using return_type = experimental::architecture;
};
}  // namespace info::device

}  // namespace ext::oneapi::experimental

template <>
inline ext::oneapi::experimental::architecture device::get_info<ext::oneapi::experimental::info::device::architecture>()
    const {
  using ext::oneapi::experimental::architecture;
#if defined(__x86_64__)
  if (get_backend() == backend::sinter_cpu) return architecture::x86_64;
#endif
  if (get_backend() != backend::ext_oneapi_cuda) return architecture::unknown;
  const std::string name = get_info<info::device::version>();
#define SINTER_EACH(number) \
  if (name == "sm_" #number) return architecture::nvidia_gpu_sm_##number;
  SINTER_NVIDIA_ARCHITECTURES(SINTER_EACH)
#undef SINTER_EACH
  return architecture::unknown;
}
#undef SINTER_NVIDIA_ARCHITECTURES

inline bool device::ext_oneapi_architecture_is(ext::oneapi::experimental::architecture which) const {
  return get_info<ext::oneapi::experimental::info::device::architecture>() == which;
}
inline bool device::ext_oneapi_architecture_is(ext::oneapi::experimental::arch_category which) const {
  using enum ext::oneapi::experimental::arch_category;
  return which == (get_backend() == backend::ext_oneapi_cuda ? nvidia_gpu : unknown);
}

}  // namespace sycl
