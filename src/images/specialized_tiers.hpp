#pragma once
/// Code that was compiled for values of specialization constants: one kernel_tier per kernel, width of ids and values.

#include <abi/launch_abi.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace sinter {

struct kernel_tier;

/// Keys and bytes of the constants, as text. Equal text means equal code.
std::string describe(const abi::specialization_table& constants);

/// What makes a tier: `constants` is null when they are not to become part of the code, and the description says so.
using tier_maker = std::function<kernel_tier*(const abi::specialization_table* constants, const std::string& description)>;

/// Made at most once for the same values, whoever asks. After 32 different ones a kernel gets code that reads them when it
/// runs. Who needs other values of the same kernel waits while code is made.
const kernel_tier& acquire_specialized(const abi::kernel_descriptor& kernel, bool narrow_ids,
                                       const abi::specialization_table& constants, const tier_maker& make);

/// All of the kernel's, which nothing runs any more, for the caller to free.
std::vector<std::unique_ptr<kernel_tier>> take_specialized(const abi::kernel_descriptor& kernel);

} // namespace sinter
