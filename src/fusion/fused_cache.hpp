#pragma once
/// Fused code of this process. It is loaded or compiled once for each combination of kernels, ranges, aliasing and
/// promotions on which the code depends.

#include <images/fused_code.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "fusion_list.hpp"
#include "member_arguments.hpp"

namespace sycl::inline _V1::detail {

/// The moment at which code is requested. When a list is completed, temporaries may still exist that will be destroyed
/// before the launch. Such a temporary counts as destroyed if it was destroyed at the previous launch of the same list.
enum class fusion_moment { completion, launch };

/// The reason why members do not run as one kernel.
struct fusion_refused {
  std::string why;
  /// for each part of the list that can be fused, its first member; empty: there are no such parts
  std::vector<std::uint32_t> parts{};
  bool measured = false;  ///< the members can be fused, but measurements showed that the fused kernel is slower
};

/// The reason why an automatic list is not fused while its code is compiled in the background.
inline constexpr std::string_view not_compiled_yet = "not compiled yet";

/// Returns null with a reason if the members can't or must not be fused. Refusals are remembered, too. The code stays
/// until the program ends.
const sinter::fused_code* find_fused_code(member_arguments& arguments, const fusion_options& options,
                                          const sinter::code_target& target, sinter::launch_class launches,
                                          fusion_moment moment, fusion_refused& refused);

/// Returns whether an automatic list of exactly these kernels was already refused, with a first kernel of about this
/// range. The last kernel has to be a reduction.
bool was_refused(std::span<sinter::abi::kernel_descriptor* const> kernels, const sinter::abi::launch_geometry& first);

} // namespace sycl::detail
