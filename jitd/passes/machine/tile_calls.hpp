#pragma once
/// Calls that represent instructions on AMX's tiles of 16 rows of 64 bytes. A tile is a value of the whole sub-group: a
/// number of 8192 bits, row after row. It is no vector, because vectors are taken apart before work-items become lanes.
/// The calls read no ids, so lanes have one result. In the end LLVM keeps tiles of loops in tile registers. All tiles
/// are whole: LLVM 22 runs out of registers where tiles of several shapes meet.

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Sums of products: the element types of both sides. Elements that are multiplied together share a word.
enum class tile_sum : unsigned { bf16, f16, s8_s8, s8_u8, u8_s8, u8_u8 };

inline constexpr unsigned tile_rows = 16, tile_row_bytes = 64;

bool has_tile_sum(const llvm::TargetMachine& machine, tile_sum which);

llvm::IntegerType* tile_type(llvm::LLVMContext& context);

/// Rows are `stride` bytes apart.
llvm::Value* load_tile(llvm::IRBuilder<>& builder, llvm::Value* from, llvm::Value* stride);
/// From 16 columns of elements of 1 or 2 bytes: words hold neighbours of a column, as right sides of sums expect them.
llvm::Value* pack_tile(llvm::IRBuilder<>& builder, llvm::Value* from, llvm::Value* stride, unsigned element_bytes);
/// All its words are this one.
llvm::Value* fill_tile(llvm::IRBuilder<>& builder, llvm::Value* word);
void store_tile(llvm::IRBuilder<>& builder, llvm::Value* to, llvm::Value* stride, llvm::Value* tile);
/// sum + left * right.
llvm::Value* sum_tiles(llvm::IRBuilder<>& builder, tile_sum which, llvm::Value* sum, llvm::Value* left,
                       llvm::Value* right);

/// The calls become instructions.
void lower_tile_calls(llvm::Module& module);

}  // namespace sinter::passes
