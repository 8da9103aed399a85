#pragma once
/// Stores to local memory behind a branch, where the same work-item has just read what they replace, and the lanes fill
/// whole vectors together (lane_orders.hpp): what is stored is chosen, and the store is made always. Lanes need no
/// masks then, which would have to be rearranged as well.
///
/// Input: a function with the parameters of work_item_function.hpp, of one work-item, as prepare_for_lanes leaves it.
/// Output: the same without branches that lead to nothing but such stores and cheap arithmetic.
/// A work-group runs on one thread, so nobody comes between the load and the store; and no two lanes store in one
/// place, so that none puts back what another has replaced. Not even programs that race notice.

#include "passes/lanes/lane_shapes.hpp"
#include "llvm/IR/Function.h"

namespace sinter::passes {

void unguard_local_stores(llvm::Function& work_item, lane_facts facts);

}  // namespace sinter::passes
