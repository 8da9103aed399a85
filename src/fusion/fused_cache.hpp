#pragma once
/// Fused code of this process: loaded or compiled once for each list of kernels, ranges, aliasing and promotions, as far as
/// it depends on them.

#include <images/loader.hpp>
#include <string>

#include "fusion_list.hpp"
#include "member_arguments.hpp"

namespace sycl::detail {

/// How the temporaries of a list with this key will probably look at its launch: as they did last time, else forgotten.
member_arguments::outlook expected_outlook(const std::string& key);
/// What they looked like.
void remember_outlook(const std::string& key, member_arguments::outlook seen);

/// Null with a reason when the members can't or must not be fused; that is remembered as well. The code stays until the
/// program ends.
const sinter::fused_code* find_fused_code(member_arguments&& arguments, const fusion_options& options, std::string& why);

} // namespace sycl::detail
