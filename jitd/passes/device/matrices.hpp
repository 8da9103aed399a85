#pragma once
/// Lowers matrices of sub-groups (abi/matrix_abi.hpp), mainly for devices without matrix units.

#include <abi/matrix_layout.hpp>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Whether the kernel uses matrices.
bool has_matrices(const llvm::Function& kernel);

/// Input: a kernel in which all calls are inlined. The kernel's sub-groups have `size` work-items.
/// Output: no call of a matrix function is left. Loads and stores become loads and stores of elements, products become
/// sums of words that work-items exchange by shuffles, and the work-items' parts of matrices become SSA values. If the
/// left factor `a` was loaded right before the product, the product reads the words of `a` from memory again instead of
/// exchanging them, because vector multiplications can have an operand in memory. This gives the same values, because
/// nothing between the load and the product writes memory. `machine` is a CPU, whose instructions for sums of products
/// of small elements are used (machine/machine_calls.hpp), or null for other devices. A CPU with AMX multiplies by
/// tiles (matrix_tiles.hpp). With `meets`, a barrier of the sub-group is put in front of each call, to find work-items
/// that do not reach the call.
llvm::Error lower_matrices(llvm::Function& kernel, unsigned size, const llvm::TargetMachine* machine,
                           bool meets = false);

/// For devices with matrix units. `lower` emits the code of each call in front of the call, and returns the replacement
/// of the call's result. `lower` gets the calls in reverse order. Loops over parts are unrolled before `lower` is
/// called. Parts become SSA values after all calls are lowered.
llvm::Error lower_matrices(llvm::Function& kernel,
                           llvm::function_ref<llvm::Expected<llvm::Value*>(llvm::CallInst&)> lower);

/// Unrolls loops whose iterations access different parts of matrices, or different elements of a part.
void unroll_matrix_loops(llvm::Function& kernel);

inline constexpr llvm::StringRef matrix_prefix = "__sinter_matrix_";

/// The load that filled this part right before the product, if memory still has the same contents. Otherwise null.
llvm::CallInst* load_in_front(llvm::CallInst& product, const llvm::Value* part);

/// Reads the matrix type from an operand of the call.
abi::matrix_type matrix_type_operand(const llvm::CallInst& call, unsigned operand);

}  // namespace sinter::passes
