#pragma once
/// Properties of user-driven kernel fusion (extension sycl_ext_codeplay_kernel_fusion).

#include "../../../property_list.hpp"

#define SYCL_EXT_CODEPLAY_KERNEL_FUSION 1

namespace sycl::inline _V1::ext::codeplay::experimental::property {

/// A property of buffers and accessors. It promises that each element is accessed by only one work-item of the fused
/// kernel, and that nothing reads the values after the fused kernel.
struct promote_private : sycl::detail::property_of_kind<sycl::detail::property_kind::promote_private> {};
/// A property of buffers and accessors. It promises that each element is accessed by only one work-group of the fused
/// kernel, and that nothing reads the values after the fused kernel. The fused kernels need a local range.
struct promote_local : sycl::detail::property_of_kind<sycl::detail::property_kind::promote_local> {};
/// A property of complete_fusion: leaves out the work-group barriers between the fused kernels, except barriers that
/// Sinter proves to be necessary.
struct no_barriers : sycl::detail::property_of_kind<sycl::detail::property_kind::no_barriers> {};
/// A property of complete_fusion: fuses the kernels even if the fused kernel is not faster. It has no effect, because
/// Sinter always does this when a program requests a fusion. Kernels are still not fused if this is impossible or would
/// give wrong results.
struct force_fusion : sycl::detail::property_of_kind<sycl::detail::property_kind::force_fusion> {};

namespace queue {
/// A property of queues: a fusion_wrapper can be made for the queue. The queue's constructor throws errc::invalid if
/// the device can't fuse kernels.
struct enable_fusion : sycl::detail::property_of_kind<sycl::detail::property_kind::enable_fusion> {};
} // namespace queue
} // namespace sycl::ext::codeplay::experimental::property
