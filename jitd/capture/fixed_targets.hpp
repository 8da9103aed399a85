#pragma once
/// The targets for which all kernels of a file are meant (-fplugin-arg-sinter-fixed-targets=TARGET,TARGET). The option
/// is a promise; it is checked when the file is compiled and when its kernels are submitted. The built-in table lists
/// the features of targets (abi/device_targets.hpp). A file that the user provides can add targets and can replace
/// targets of the table (-fplugin-arg-sinter-device-config-file=FILE).

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "device_configuration.hpp"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {

using target_list = std::vector<device_configuration>;

/// The targets of the built-in table and of the file at `path` (empty: no file). `error` says why the file can't be
/// read.
target_list find_targets(llvm::StringRef path, std::string& error);
/// Adds the named targets to `chosen`. If a name is not among `known`, `error` says which one.
void choose_targets(llvm::StringRef names, const target_list& known, target_list& chosen, std::string& error);

/// These functions return the names of the targets that lack a feature, with commas between the names. The feature is
/// an aspect, a size of sub-groups, or a size of work-groups. A size of work-groups is in SYCL's order, and missing
/// dimensions in front have size 1. An empty text means that no target lacks the feature.
std::string targets_without(unsigned aspect, const target_list& targets);
std::string targets_without_size(std::uint32_t sub_group_size, const target_list& targets);
std::string targets_without_group(const std::array<std::uint32_t, 3>& size, const target_list& targets);

/// Returns the bits of abi::kernel_flags that stand for the targets. If the runtime does not know the devices of one of
/// the targets, no bit is set. In this case, a kernel may run on any device that meets the kernel's requirements.
std::uint32_t flags_of(const target_list& targets);

/// The fixed targets of this compilation. If the list is empty, kernels may run on any device. The plugin's AST role
/// sets the list.
target_list& fixed_targets();

/// Writes the names of the targets into the function's metadata sycl_fixed_targets. Without targets there is no such
/// metadata.
void write_fixed_targets(llvm::Function& function, const target_list& targets);

}  // namespace sinter::capture
