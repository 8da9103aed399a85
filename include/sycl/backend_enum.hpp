#pragma once
/// sycl::backend (SYCL 2020 4.1): the driver interface to which an object belongs. In Sinter, the backend of an object
/// is sinter_cpu, or ext_oneapi_cuda on NVIDIA GPUs, ext_oneapi_hip on AMD GPUs, ext_oneapi_level_zero on devices of
/// Level Zero drivers, or opencl on devices of OpenCL drivers. Khronos registered the other values for other
/// implementations. The enumeration has these other values so that programs can compare with them.

namespace sycl::inline _V1 {

enum class backend : char {
  sinter_cpu = 1,
  opencl,
  ext_oneapi_level_zero,
  ext_oneapi_cuda,
  ext_oneapi_hip,
  ext_oneapi_native_cpu,
  level_zero,
  cuda,
  hip,
  omp,
  all,
  ext_intel_esimd_emulator,
};

}  // namespace sycl
