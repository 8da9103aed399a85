#pragma once
/// Properties that Sinter accepts and ignores: those of sycl_ext_oneapi_queue_priority and of
/// sycl_ext_oneapi_discard_queue_events (events remain valid), the choice of Level Zero's command lists, and the
/// property for memory that kernels only read.

#include "../../property_list.hpp"

#define SYCL_EXT_ONEAPI_QUEUE_PRIORITY 1
#define SYCL_EXT_ONEAPI_DISCARD_QUEUE_EVENTS 1
#define SYCL_EXT_INTEL_QUEUE_IMMEDIATE_COMMAND_LIST 1
#define SYCL_EXT_ONEAPI_USM_DEVICE_READ_ONLY 1

namespace sycl::inline _V1::ext {

namespace oneapi::property {
namespace queue {
struct priority_low : detail::property_of_kind<detail::property_kind::priority_low> {};
struct priority_normal : detail::property_of_kind<detail::property_kind::priority_normal> {};
struct priority_high : detail::property_of_kind<detail::property_kind::priority_high> {};
struct discard_events : detail::property_of_kind<detail::property_kind::discard_events> {};
}  // namespace queue
namespace usm {
struct device_read_only : detail::property_of_kind<detail::property_kind::device_read_only> {};
}  // namespace usm
}  // namespace oneapi::property

namespace intel::property::queue {
struct immediate_command_list : detail::property_of_kind<detail::property_kind::immediate_command_list> {};
struct no_immediate_command_list : detail::property_of_kind<detail::property_kind::no_immediate_command_list> {};
}  // namespace intel::property::queue

}  // namespace sycl::ext
