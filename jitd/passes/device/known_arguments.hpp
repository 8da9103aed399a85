#pragma once
/// Replaces a load by a constant if the loaded bytes are equal in all launches of the code. The bytes may be in the
/// argument block, or in memory to which a pointer in the block leads.
///
/// Input: a kernel before make_work_item_function. The kernel's first parameter is the argument block. Output: loads of
/// known bytes are replaced, and known bytes are stored behind copies of parts of the block. Two kinds of loads stay:
/// loads that also read unknown bytes, and loads through a pointer that was copied before its use.

#include <abi/launch_abi.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

struct known_bytes {
  std::uint64_t offset;  ///< distance from the start of the block
  llvm::StringRef bytes;
  std::optional<std::uint64_t> in_memory{};  ///< if set, distance of the bytes from the address at `offset`
};

/// The known bytes of local accessors in the argument block. All launches have the same local accessors.
std::vector<known_bytes> known_local_accessors(llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups);

/// The known local accessors, and the arguments in the table (specialization_of_argument).
std::vector<known_bytes> known_arguments(llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups,
                                         const abi::specialization_table* values);

/// Removes the offsets of local accessors in local memory from the known bytes, so that only their ranges stay known.
void leave_places(std::vector<known_bytes>& known, llvm::ArrayRef<abi::image_leaf> leaves);

void fold_known_arguments(llvm::Function& kernel, llvm::ArrayRef<known_bytes> known);

}  // namespace sinter::passes
