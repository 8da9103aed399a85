// sycl_ext_oneapi_forward_progress: which guarantees of progress devices give, and kernels that demand them.
#include <algorithm>
#include <images/kernel_name.hpp>
#include <runtime/handler_impl.hpp>
#include <runtime/object_access.hpp>
#include <string>
#include <sycl/ext/oneapi/experimental/forward_progress.hpp>

namespace sycl::inline _V1::detail {

using guarantee = oneapi::forward_progress_guarantee;
using scope = oneapi::execution_scope;

namespace {

/// Returns the strongest guarantee that the device gives threads of a scope. Wider scopes of coordination weaken no
/// guarantee, because work-groups have the strongest one: launches that demand it, and in which not all work-groups can
/// run at the same time, are refused (kernel_with_groups_together).
guarantee strongest(scope of, const sinter::device_facts& facts) {
  switch (of) {
    case scope::work_group: return guarantee::concurrent;
    // The threads of the CPU device run the sub-groups of a work-group one after the other, from barrier to barrier.
    case scope::sub_group: return facts.independent_progress ? guarantee::concurrent : guarantee::weakly_parallel;
    default: return guarantee::weakly_parallel;
  }
}

const char* const guarantee_names[] = {"concurrent", "parallel", "weakly_parallel"};
const char* const scope_names[] = {"work_item", "sub_group", "work_group", "root_group"};

}  // namespace

std::vector<guarantee> progress_guarantees(const device& on, scope of) {
  std::vector<guarantee> given;
  for (auto each = static_cast<int>(strongest(of, object_access::impl(on)->facts())); each <= 2; ++each) {
    given.push_back(static_cast<guarantee>(each));
  }
  return given;
}

void require_progress(const handler_impl& handler, const char* kernel_type, const progress_demand& demand) {
  const sinter::device_facts& facts = handler.queue().backend().facts();
  for (int each = demand.scope; each < demand.among; ++each) {
    const guarantee given = strongest(static_cast<scope>(each), facts);
    if (static_cast<int>(given) <= demand.guarantee) continue;
    const std::string name = scope_names[each];
    throw_error(errc::feature_not_supported,
                "kernel '" + sinter::kernel_display_name(kernel_type) + "' on device '" + facts.name +
                    "': its property " + scope_names[demand.scope] + "_progress demands that each " + name + " makes " +
                    guarantee_names[demand.guarantee] + " progress, and the device guarantees " +
                    guarantee_names[static_cast<int>(given)] + " progress (info::device::" + name +
                    "_progress_capabilities); let work-items wait for each other at barriers only, or use another "
                    "device");
  }
}

}  // namespace sycl::detail
