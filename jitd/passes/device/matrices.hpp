#pragma once
/// Matrices of sub-groups (abi/matrix_abi.hpp) for devices without matrix units.

#include <abi/matrix_layout.hpp>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Whether the kernel has any.
bool has_matrices(const llvm::Function& kernel);

/// Input: a kernel in which all is inlined; its sub-groups have `size` work-items.
/// Output: no call asks for a matrix. Loads and stores are those of elements, products are sums of words that
///   work-items hand to each other by shuffles, and parts lie in SSA values. Where `a` was loaded right before its
///   product, its words are read again from memory instead, which vectors can do within the multiplication.
/// Legal because nothing in between writes memory. `machine`: a CPU, whose instructions for sums of products of small
/// elements are used (machine/machine_calls.hpp); null: another device.
/// A CPU with AMX multiplies by tiles (matrix_tiles.hpp).
/// `meets`: a barrier of the sub-group stands in front of each call, so that work-items that do not reach it are found.
llvm::Error lower_matrices(llvm::Function& kernel, unsigned size, const llvm::TargetMachine* machine,
                           bool meets = false);

/// For devices with matrix units: `lower` makes the code of each call in front of it, and its result replaces the
/// call's. Calls come in reverse order. Around it loops over parts are unrolled, and parts become values.
llvm::Error lower_matrices(llvm::Function& kernel,
                           llvm::function_ref<llvm::Expected<llvm::Value*>(llvm::CallInst&)> lower);

inline constexpr llvm::StringRef matrix_prefix = "__sinter_matrix_";

/// The load right before the product that filled this part, if memory still has the same contents; otherwise null.
llvm::CallInst* load_in_front(llvm::CallInst& product, const llvm::Value* part);

/// Reads the matrix type from an operand of the call.
abi::matrix_type matrix_type_operand(const llvm::CallInst& call, unsigned operand);

}  // namespace sinter::passes
