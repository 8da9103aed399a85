#include "group_turns.hpp"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {
namespace {

// The groups that take turns together have this many work-items, so that they read 16 KiB of floats along a row.
constexpr std::uint64_t items_in_turns = 4096;
constexpr unsigned most_groups = 16;

/// Whether another group could observe when this instruction runs. (Data races are ignored, because programs must not
/// have any.)
bool shows_order(const llvm::Instruction& instruction) {
  if (instruction.isVolatile()) return true;
  // Atomic additions to results are common. They do not show the order of groups if the old value is not used.
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) return !update->use_empty();
  if (instruction.isAtomic()) return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call && !llvm::isa<llvm::IntrinsicInst>(call) && !(call->doesNotAccessMemory() && call->willReturn());
}

}  // namespace

bool may_take_turns(llvm::ArrayRef<llvm::Function*> regions) {
  return llvm::all_of(regions, [](llvm::Function* region) {
    // Groups that use local memory can't take turns, because a thread has local memory for one group only.
    return region->getArg(parameter_local_base)->use_empty() && llvm::none_of(llvm::instructions(region), shows_order);
  });
}

unsigned groups_that_take_turns(std::uint64_t items) {
  if (items == 0) return 1;
  return static_cast<unsigned>(
      std::clamp<std::uint64_t>(llvm::bit_floor(items_in_turns / items), 1, most_groups));
}

}  // namespace sinter::passes
