#include "turns.hpp"

#include <abi/device_abi.hpp>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

namespace sinter::capture {
namespace {

/// A block of a GPU may run several groups in turns, one group after the other. Whether the function has the same
/// result in each turn. All turns use the same local memory and scratch memory.
bool is_alike_in_turns(llvm::StringRef name) {
  if (!name.starts_with(abi::device_symbol_prefix) || name.starts_with(abi::device_math_prefix)) return true;
  return name == "__sinter_local_id" || name == "__sinter_local_range" || name == "__sinter_global_range" ||
         name == "__sinter_group_range" || name == "__sinter_global_offset" || name == "__sinter_fence" ||
         name == "__sinter_trap" || name == "__sinter_assert_fail" || name == abi::specialization_symbol;
}

/// Visits `first` and all functions that it calls by name. Returns false as soon as `visit` returns false.
bool for_each_reached(const llvm::Function& first, llvm::function_ref<bool(const llvm::Function&)> visit) {
  llvm::SmallPtrSet<const llvm::Function*, 32> seen{&first};
  llvm::SmallVector<const llvm::Function*, 32> work{&first};
  while (!work.empty()) {
    const llvm::Function* function = work.pop_back_val();
    if (!visit(*function)) return false;
    for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && seen.insert(callee).second) work.push_back(callee);
    }
  }
  return true;
}

bool calls_by_address(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    return call && !call->getCalledFunction();
  });
}

/// Whether everything that the function calls has the same result in each turn. This is unknown for functions of other
/// files and for functions that are called by their address.
bool may_take_turns(const llvm::Function& function) {
  return for_each_reached(function, [](const llvm::Function& reached) {
    return !reached.hasFnAttribute(external_attribute) && !calls_by_address(reached) &&
           is_alike_in_turns(reached.getName());
  });
}

}  // namespace

llvm::StringSet<> find_turn_takers(llvm::Module& host, const llvm::Module& device,
                                   llvm::ArrayRef<captured_kernel> kernels) {
  llvm::StringSet<> takers;
  const llvm::StringSet<> annotated = names_of_turns(host);
  if (annotated.empty()) return takers;
  for (const captured_kernel& kernel : kernels) {
    bool takes = false;
    const bool safe = for_each_reached(*device.getFunction(kernel.symbol), [&](const llvm::Function& reached) {
      if (!annotated.contains(reached.getName())) return true;
      takes = true;
      return may_take_turns(reached);
    });
    if (takes && safe) takers.insert(kernel.symbol);
  }
  return takers;
}

}  // namespace sinter::capture
