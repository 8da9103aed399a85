#pragma once
/// Properties of user-driven kernel fusion (extension sycl_ext_codeplay_kernel_fusion).

#include "../../../property_list.hpp"

#define SYCL_EXT_CODEPLAY_KERNEL_FUSION 1

namespace sycl::inline _V1::ext::codeplay::experimental::property {

/// Buffers, accessors: no element is touched by more than one work-item of a fused kernel, and the final values may be
/// lost.
struct promote_private : sycl::detail::property_of_kind<sycl::detail::property_kind::promote_private> {};
/// Buffers, accessors: no element is touched by more than one work-group of a fused kernel, and the final values may be
/// lost. Needs kernels with a local range.
struct promote_local : sycl::detail::property_of_kind<sycl::detail::property_kind::promote_local> {};
/// complete_fusion: no work-group barrier between the kernels. A barrier that is proved to be needed stays.
struct no_barriers : sycl::detail::property_of_kind<sycl::detail::property_kind::no_barriers> {};
/// complete_fusion: fuse even if it does not pay, which this implementation does anyway when asked to fuse. A fusion
/// that is impossible or wrong is still not done.
struct force_fusion : sycl::detail::property_of_kind<sycl::detail::property_kind::force_fusion> {};

namespace queue {
/// Lets a fusion_wrapper be made for the queue. errc::invalid on devices that can't fuse.
struct enable_fusion : sycl::detail::property_of_kind<sycl::detail::property_kind::enable_fusion> {};
} // namespace queue
} // namespace sycl::ext::codeplay::experimental::property
