#pragma once
/// Calls that represent instructions on AMX's tiles of 16 rows of 64 bytes. In LLVM IR, a tile is one integer of 8192
/// bits, which all work-items of a sub-group share. A tile is not a vector in LLVM IR, because vectors are split before
/// work-items become lanes. The calls read no ids, so all lanes have the same result. LLVM keeps tiles in tile
/// registers across iterations of loops. All tiles have the full size, because LLVM 22 runs out of registers if tiles
/// of several shapes are used together.

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// The kinds of sums of products, named by the element types of both sides. A word holds the elements that one
/// instruction multiplies and adds up.
enum class tile_sum : unsigned { bf16, f16, s8_s8, s8_u8, u8_s8, u8_u8 };

inline constexpr unsigned tile_rows = 16, tile_row_bytes = 64;

bool has_tile_sum(const llvm::TargetMachine& machine, tile_sum which);

llvm::IntegerType* tile_type(llvm::LLVMContext& context);

/// Loads a tile from rows that are `stride` bytes apart.
llvm::Value* load_tile(llvm::IRBuilder<>& builder, llvm::Value* from, llvm::Value* stride);
/// Loads a tile from 16 columns of elements of 1 or 2 bytes. Each word holds neighbouring elements of one column, as
/// sum_tiles expects for `right`.
llvm::Value* pack_tile(llvm::IRBuilder<>& builder, llvm::Value* from, llvm::Value* stride, unsigned element_bytes);
/// Makes a tile in which every word is `word`.
llvm::Value* fill_tile(llvm::IRBuilder<>& builder, llvm::Value* word);
void store_tile(llvm::IRBuilder<>& builder, llvm::Value* to, llvm::Value* stride, llvm::Value* tile);
/// Computes sum + left * right.
llvm::Value* sum_tiles(llvm::IRBuilder<>& builder, tile_sum which, llvm::Value* sum, llvm::Value* left,
                       llvm::Value* right);

/// Replaces the calls by instructions.
void lower_tile_calls(llvm::Module& module);

}  // namespace sinter::passes
