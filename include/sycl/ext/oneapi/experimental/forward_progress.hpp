#pragma once
/// sycl_ext_oneapi_forward_progress: guarantees that work-groups, sub-groups and work-items make progress while others
/// of the launch wait for them. A device says which guarantees it gives, and a kernel demands guarantees by properties.
/// Launches throw errc::feature_not_supported if the device does not give what the kernel demands.
///
/// All devices run work-groups concurrently if there are no more of them than the query
/// info::kernel_queue_specific::max_num_work_groups returns (root_group.hpp): one on the CPU. Larger launches throw
/// errc::nd_range if their kernel demands concurrent work-groups. Such kernels begin with a barrier of all work-items.

#include <type_traits>
#include <vector>

#include "../../../device.hpp"
#include "../kernel_properties/properties.hpp"

#define SYCL_EXT_ONEAPI_FORWARD_PROGRESS 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// The guarantees of the C++ standard ([intro.progress]), from the strongest to the weakest.
enum class forward_progress_guarantee { concurrent, parallel, weakly_parallel };
/// The threads that make progress, and the wider scope within which others may wait for them.
enum class execution_scope { work_item, sub_group, work_group, root_group };

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1::detail {

/// Common parts of the properties of the three scopes.
template <oneapi::execution_scope Scope, oneapi::forward_progress_guarantee Guarantee, oneapi::execution_scope Among>
struct progress_property {
  static_assert(Scope < Among, "the coordination scope of a property of progress is wider than the property's scope");
  static constexpr oneapi::forward_progress_guarantee guarantee = Guarantee;
  static constexpr oneapi::execution_scope coordinationScope = Among;
  static constexpr progress_demand progress{static_cast<int>(Scope), static_cast<int>(Guarantee),
                                            static_cast<int>(Among)};
  static constexpr bool needs_groups_together = Guarantee == oneapi::forward_progress_guarantee::concurrent &&
                                                Among == oneapi::execution_scope::root_group;
};

/// Returns the guarantees that the device gives the threads of a scope.
SINTER_EXPORT std::vector<oneapi::forward_progress_guarantee> progress_guarantees(const device& on,
                                                                                  oneapi::execution_scope scope);

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

#define SINTER_PROGRESS_PROPERTY(scope)                                                                              \
  struct scope##_progress_key {                                                                                      \
    template <forward_progress_guarantee Guarantee, execution_scope CoordinationScope>                               \
    using value_t =                                                                                                  \
        property_value<scope##_progress_key, std::integral_constant<forward_progress_guarantee, Guarantee>,          \
                       std::integral_constant<execution_scope, CoordinationScope>>;                                  \
  };                                                                                                                 \
  template <forward_progress_guarantee Guarantee, execution_scope CoordinationScope>                                 \
  struct property_value<scope##_progress_key, std::integral_constant<forward_progress_guarantee, Guarantee>,         \
                        std::integral_constant<execution_scope, CoordinationScope>>                                  \
      : detail::progress_property<execution_scope::scope, Guarantee, CoordinationScope> {                            \
    using key_t = scope##_progress_key;                                                                              \
  };                                                                                                                 \
  template <forward_progress_guarantee Guarantee, execution_scope CoordinationScope>                                 \
  inline constexpr scope##_progress_key::value_t<Guarantee, CoordinationScope> scope##_progress;                     \
  template <>                                                                                                        \
  struct is_property_key<scope##_progress_key> : std::true_type {};                                                  \
  template <forward_progress_guarantee Guarantee, execution_scope CoordinationScope>                                 \
  struct has_compile_time_kernel_effect<scope##_progress_key::value_t<Guarantee, CoordinationScope>>                 \
      : std::true_type {};                                                                                           \
  namespace info::device {                                                                                           \
  template <execution_scope CoordinationScope>                                                                       \
  struct scope##_progress_capabilities {                                                                             \
    static_assert(execution_scope::scope < CoordinationScope,                                                        \
                  "the coordination scope of a query about progress is wider than the query's scope");               \
    using return_type = std::vector<forward_progress_guarantee>;                                                     \
  };                                                                                                                 \
  }
SINTER_PROGRESS_PROPERTY(work_item)
SINTER_PROGRESS_PROPERTY(sub_group)
SINTER_PROGRESS_PROPERTY(work_group)
#undef SINTER_PROGRESS_PROPERTY

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1 {

#define SINTER_PROGRESS_QUERY(scope, among)                                                                       \
  template <>                                                                                                     \
  inline std::vector<ext::oneapi::experimental::forward_progress_guarantee> device::get_info<                     \
      ext::oneapi::experimental::info::device::scope##_progress_capabilities<                                     \
          ext::oneapi::experimental::execution_scope::among>>() const {                                           \
    return detail::progress_guarantees(*this, ext::oneapi::experimental::execution_scope::scope);                 \
  }
SINTER_PROGRESS_QUERY(work_item, sub_group)
SINTER_PROGRESS_QUERY(work_item, work_group)
SINTER_PROGRESS_QUERY(work_item, root_group)
SINTER_PROGRESS_QUERY(sub_group, work_group)
SINTER_PROGRESS_QUERY(sub_group, root_group)
SINTER_PROGRESS_QUERY(work_group, root_group)
#undef SINTER_PROGRESS_QUERY

}  // namespace sycl
