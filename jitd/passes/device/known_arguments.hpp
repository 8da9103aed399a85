#pragma once
/// Bytes of the argument block that all launches of the code have become constants, and so do bytes of memory to which
/// an address in the block leads.
///
/// Input: a kernel, before it knows its work-item; its first parameter is the argument block. Output: loads of these
/// bytes alone are gone, and copies of parts of the block have them stored behind. Other loads stay, also of a known
/// byte among unknown ones, and of memory whose address was copied before it is used.

#include <abi/launch_abi.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/IR/Function.h"

namespace sinter::passes {

struct known_bytes {
  std::uint64_t offset;  ///< from the start of the block
  llvm::StringRef bytes;
  std::optional<std::uint64_t> in_memory{};  ///< set: the bytes are so far behind the address at `offset`
};

/// The known local accessors in the argument block, which all launches share.
std::vector<known_bytes> known_local_accessors(llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups);

/// The known local accessors, and also the arguments of the table (specialization_of_argument).
std::vector<known_bytes> known_arguments(llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups,
                                         const abi::specialization_table* values);

/// Places of local accessors are not among the known bytes any more.
void leave_places(std::vector<known_bytes>& known, llvm::ArrayRef<abi::image_leaf> leaves);

void fold_known_arguments(llvm::Function& kernel, llvm::ArrayRef<known_bytes> known);

}  // namespace sinter::passes
