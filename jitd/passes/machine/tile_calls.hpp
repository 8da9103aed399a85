#pragma once
/// Calls that represent instructions on AMX's tiles, up to 16 rows of up to 64 bytes. A tile is a value of the whole
/// sub-group: a number of 8192 bits, row after row of 16 words, whatever part of it is used. It is no vector, because
/// vectors are taken apart before work-items become lanes. The calls read no ids, so lanes have one result. In the end
/// LLVM keeps tiles of loops in tile registers.

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace sinter::passes {

/// Sums of products: the element types of both sides. Elements that are multiplied together share a word.
enum class tile_sum : unsigned { bf16, f16, s8_s8, s8_u8, u8_s8, u8_u8 };

inline constexpr unsigned most_tile_rows = 16, most_tile_row_bytes = 64;

bool has_tile_sum(const llvm::TargetMachine& machine, tile_sum which);

llvm::IntegerType* tile_type(llvm::LLVMContext& context);

/// Rows of `row_bytes` bytes, `stride` bytes apart.
llvm::Value* load_tile(llvm::IRBuilder<>& builder, llvm::Value* from, llvm::Value* stride, unsigned rows,
                       unsigned row_bytes);
/// Rows of elements of 1 or 2 bytes, whose words hold neighbours of a column: as right sides of sums expect them.
llvm::Value* pack_tile(llvm::IRBuilder<>& builder, llvm::Value* from, llvm::Value* stride, unsigned element_rows,
                       unsigned columns, unsigned element_bytes);
/// All its words are this one.
llvm::Value* fill_tile(llvm::IRBuilder<>& builder, llvm::Value* word);
void store_tile(llvm::IRBuilder<>& builder, llvm::Value* to, llvm::Value* stride, unsigned rows, unsigned row_bytes,
                llvm::Value* tile);
/// sum + left * right: rows x columns words, with `depth` words in a row of the left side.
llvm::Value* sum_tiles(llvm::IRBuilder<>& builder, tile_sum which, unsigned rows, unsigned columns, unsigned depth,
                       llvm::Value* sum, llvm::Value* left, llvm::Value* right);

/// The calls become instructions.
void lower_tile_calls(llvm::Module& module);

}  // namespace sinter::passes
