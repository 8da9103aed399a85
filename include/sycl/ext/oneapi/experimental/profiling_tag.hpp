#pragma once
/// sycl_ext_oneapi_profiling_tag: a command that records the time on a queue.

#include "../../../queue.hpp"

#define SYCL_EXT_ONEAPI_PROFILING_TAG 1

namespace sycl::inline _V1::detail {
SINTER_EXPORT event submit_tag(const queue& where);
}

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Submits a command that is complete when all earlier commands of the queue are complete. In an out-of-order queue,
/// later commands wait for it. All its profiling times, in nanoseconds, are equal. Throws errc::invalid if the
/// queue has no enable_profiling, because no device of Sinter has aspect::ext_oneapi_queue_profiling_tag.
inline event submit_profiling_tag(const queue& where) { return detail::submit_tag(where); }

}  // namespace sycl::ext::oneapi::experimental
