#include "usual_launches.hpp"

#include <abi/planted_error.hpp>

#include "passes/lanes/early_values.hpp"
#include "linear_ids.hpp"
#include "llvm/IR/Dominators.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/lanes/number_bounds.hpp"
#include "unwrapped_sums.hpp"

namespace sinter::passes {

usual_launches find_usual_launches(llvm::Function& work_item, llvm::MDNode* accesses) {
  llvm::ValueToValueMapTy map;
  if (accesses) map.MD()[accesses].reset(accesses);
  llvm::Function* copy = llvm::CloneFunction(&work_item, map);
  early_function early(*copy, bounds_parameters(), llvm::Type::getInt1Ty(copy->getContext()),
                       copy->getName() + ".is_usual");
  llvm::Value* width = take_linear_ids_apart(*copy, early);
  const llvm::DominatorTree dominators(*copy);
  bounds_finder bounds(*copy, dominators, early);
  const unwrapped_sums unwrapped = unwrap_sums(*copy, bounds);
  if (!width && !unwrapped.condition) {
    early.drop();
    copy->eraseFromParent();
    return {};
  }
  early_conditions both(early.builder());
  for (llvm::Value* each : {width, unwrapped.condition}) {
    if (each) both.require(each);
  }
  llvm::Value* holds = abi::is_planted("usual_launches") ? early.builder().getTrue() : both.all();
  return {copy, early.finish(holds), !width && !unwrapped.asks_for_signs};
}

}  // namespace sinter::passes
