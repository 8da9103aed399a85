#pragma once
/// Devices that all kernels of a file are meant for (-fplugin-arg-sinter-fixed-targets=TARGET,TARGET): a promise, which
/// is checked when the file is compiled and when its kernels are submitted.

#include <cstdint>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {

struct device_target {
  llvm::StringLiteral name;
  std::uint32_t flag;     ///< abi::kernel_flags
  // What its devices have, as in jitd/tools/aspect_filter/devices.yaml.
  std::uint64_t aspects;
  std::uint64_t sub_group_sizes;  ///< a bit for each power of two
};

/// As flags; empty `error` when each name is known.
std::uint32_t parse_fixed_targets(llvm::StringRef names, std::string& error);
/// "x86_64,nvptx64".
std::string names_of_targets(std::uint32_t flags);
/// Those that have not all of these aspects, as flags.
std::uint32_t targets_without(std::uint64_t aspects, std::uint32_t flags);

/// Those that have no sub-groups of that size, as flags.
std::uint32_t targets_without_size(std::uint32_t sub_group_size, std::uint32_t flags);

/// Of this compilation, as flags; 0: any device. Set by the AST role.
std::uint32_t& fixed_targets();

/// The metadata sycl_fixed_targets of a function: names, or nothing.
void write_fixed_targets(llvm::Function& function, std::uint32_t flags);

}  // namespace sinter::capture
