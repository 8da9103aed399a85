#pragma once
/// sycl_ext_oneapi_profiling_tag: a command that records the time at its point in a queue.

#include "../../../queue.hpp"

#define SYCL_EXT_ONEAPI_PROFILING_TAG 1

namespace sycl::inline _V1::detail {
SINTER_EXPORT event submit_tag(const queue& where);
}

namespace sycl::inline _V1::ext::oneapi::experimental {

/// Submits a command that is complete when all earlier commands of the queue are complete. In an out-of-order queue,
/// later commands wait for the tag. All profiling times of the tag's event, in nanoseconds, are equal. Throws
/// errc::invalid if the queue was made without enable_profiling. The extension requires this property on devices
/// without aspect::ext_oneapi_queue_profiling_tag, which Sinter's devices lack.
inline event submit_profiling_tag(const queue& where) { return detail::submit_tag(where); }

}  // namespace sycl::ext::oneapi::experimental
