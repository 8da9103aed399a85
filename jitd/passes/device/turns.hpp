#pragma once
/// Handles kernels whose work-items can do the work of several groups (abi/device_abi.hpp, __sinter_has_turn), on
/// devices where each work-item does only its own group's work. Output: code without calls for turns and without loops
/// over turns.

#include "llvm/IR/Module.h"

namespace sinter::passes {

inline constexpr llvm::StringLiteral has_turn_name = "__sinter_has_turn",
                                     turn_group_id_name = "__sinter_turn_group_id",
                                     turn_global_id_name = "__sinter_turn_global_id",
                                     groups_of_turns_name = "__sinter_groups_of_turns";

void take_one_turn(llvm::Module& module);

}  // namespace sinter::passes
