#pragma once
/// Code that was compiled for values of specialization constants: one kernel_tier per kernel, width of ids and values.

#include <abi/launch_abi.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "group_layout.hpp"

namespace sinter {

struct kernel_tier;

/// A kernel gets code for so many layouts of groups: most programs have one. All others share code for any.
inline constexpr std::size_t most_group_layouts = 1;
/// And for so many sets of values of specialization constants, as a list of fused kernels does.
inline constexpr std::size_t most_specialized = 32;

/// Keys and bytes of the constants, as text. Equal text means equal code.
std::string describe(const abi::specialization_table& constants);

/// What makes a tier: `constants` is null when they are not to become part of the code, and the description says so.
using tier_maker = std::function<kernel_tier*(const abi::specialization_table* constants, const std::string& description)>;

/// Made at most once for the same values, whoever asks. After most_specialized different ones a kernel gets code that
/// reads them when it runs. The layout of groups is one of them, up to most_group_layouts. Who needs other values
/// of the same kernel waits while code is made.
const kernel_tier& acquire_specialized(const abi::kernel_descriptor& kernel, bool narrow_ids,
                                       const group_layout& layout,
                                       const abi::specialization_table& constants, const tier_maker& make);

/// All of the kernel's, which nothing runs any more, for the caller to free.
std::vector<std::unique_ptr<kernel_tier>> take_specialized(const abi::kernel_descriptor& kernel);

} // namespace sinter
