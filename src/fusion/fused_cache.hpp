#pragma once
/// Fused code of this process: loaded or compiled once for each list of kernels, ranges, aliasing and promotions, as
/// far as it depends on them.

#include <images/fused_code.hpp>
#include <string>

#include "fusion_list.hpp"
#include "member_arguments.hpp"

namespace sycl::inline _V1::detail {

/// When code is asked for: temporaries that will be forgotten at the launch may still be there at the completion, and
/// are taken for forgotten when they were so last time.
enum class fusion_moment { completion, launch };

/// Returns null with a reason when the members can't or must not be fused; that is remembered too. The code stays until
/// the program ends.
const sinter::fused_code* find_fused_code(member_arguments& arguments, const fusion_options& options,
                                          const sinter::code_target& target, sinter::launch_class launches,
                                          fusion_moment moment, std::string& why);

/// A list that was made automatically and ended with this reduction came to nothing.
bool was_refused(const sinter::abi::kernel_descriptor& reduction);

} // namespace sycl::detail
