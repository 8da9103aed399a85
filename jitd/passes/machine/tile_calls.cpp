#include "tile_calls.hpp"

#include <abi/read_variable.hpp>

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/MC/MCSubtargetInfo.h"

namespace sinter::passes {
namespace {

constexpr unsigned words_of_row = tile_row_bytes / 4;
constexpr llvm::StringRef load_name = "__sinter_tile_load", pack_name = "__sinter_tile_pack",
                          fill_name = "__sinter_tile_fill", store_name = "__sinter_tile_store";

struct sum_description {
  const char *name, *features;
  llvm::Intrinsic::ID id;
};

constexpr sum_description sums[] = {
    {"__sinter_tile_sum_bf16", "+amx-tile,+amx-bf16", llvm::Intrinsic::x86_tdpbf16ps_internal},
    {"__sinter_tile_sum_f16", "+amx-tile,+amx-fp16", llvm::Intrinsic::x86_tdpfp16ps_internal},
    {"__sinter_tile_sum_s8_s8", "+amx-tile,+amx-int8", llvm::Intrinsic::x86_tdpbssd_internal},
    {"__sinter_tile_sum_s8_u8", "+amx-tile,+amx-int8", llvm::Intrinsic::x86_tdpbsud_internal},
    {"__sinter_tile_sum_u8_s8", "+amx-tile,+amx-int8", llvm::Intrinsic::x86_tdpbusd_internal},
    {"__sinter_tile_sum_u8_u8", "+amx-tile,+amx-int8", llvm::Intrinsic::x86_tdpbuud_internal},
};

llvm::CallInst* call_tile(llvm::IRBuilder<>& builder, llvm::StringRef name, llvm::Type* result,
                          llvm::MemoryEffects effects, llvm::ArrayRef<llvm::Value*> operands) {
  llvm::SmallVector<llvm::Type*, 6> types;
  for (llvm::Value* each : operands) types.push_back(each->getType());
  llvm::FunctionCallee callee = builder.GetInsertBlock()->getModule()->getOrInsertFunction(
      name, llvm::FunctionType::get(result, types, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setWillReturn();
  function->setMemoryEffects(effects);
  return builder.CreateCall(callee, operands);
}

/// The vector type that LLVM can convert to a tile and back.
llvm::FixedVectorType* vector_type(llvm::LLVMContext& context) {
  return llvm::FixedVectorType::get(llvm::Type::getInt32Ty(context), tile_rows * words_of_row);
}

/// Returns a tile, which is a number of 8192 bits, as a vector.
llvm::Value* as_vector(llvm::IRBuilder<>& builder, llvm::Value* number) {
  llvm::Type* type = vector_type(builder.getContext());
  auto* cast = llvm::dyn_cast<llvm::BitCastInst>(number);
  return cast && cast->getSrcTy() == type ? cast->getOperand(0) : builder.CreateBitCast(number, type);
}
/// Returns a tile, which is a number of 8192 bits, as LLVM's type x86_amx.
llvm::Value* as_tile(llvm::IRBuilder<>& builder, llvm::Value* number) {
  llvm::Value* vector = as_vector(builder, number);
  if (auto* cast = llvm::dyn_cast<llvm::IntrinsicInst>(vector);
      cast && cast->getIntrinsicID() == llvm::Intrinsic::x86_cast_tile_to_vector)
    return cast->getArgOperand(0);
  return builder.CreateIntrinsic(llvm::Intrinsic::x86_cast_vector_to_tile, {vector->getType()}, {vector});
}
llvm::Value* as_number(llvm::IRBuilder<>& builder, llvm::Value* value) {
  if (!value->getType()->isVectorTy()) {
    value = builder.CreateIntrinsic(llvm::Intrinsic::x86_cast_tile_to_vector, {vector_type(builder.getContext())},
                                    {value});
  }
  return builder.CreateBitCast(value, tile_type(builder.getContext()));
}

/// Returns the address of a row for a call that takes an address and a stride.
llvm::Value* row_address(llvm::IRBuilder<>& builder, const llvm::CallInst& call, unsigned row) {
  llvm::Value* offset = builder.CreateMul(call.getArgOperand(1), builder.getInt64(row));
  return builder.CreateGEP(builder.getInt8Ty(), call.getArgOperand(0), offset);
}

/// Row r of the result holds rows r * pack, r * pack + 1, ... of the memory, element by element.
llvm::Value* packed_rows(llvm::IRBuilder<>& builder, const llvm::CallInst& call) {
  const auto bytes = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(call.getArgOperand(2))->getZExtValue());
  const unsigned pack = 4 / bytes;
  llvm::SmallVector<int, 64> order;
  for (unsigned i = 0; i < words_of_row * pack; ++i)
    order.push_back(static_cast<int>(i % pack * words_of_row + i / pack));
  auto* row_type = llvm::FixedVectorType::get(builder.getIntNTy(8 * bytes), words_of_row);
  llvm::SmallVector<llvm::Value*, 16> words;
  for (unsigned row = 0; row < tile_rows; ++row) {
    llvm::SmallVector<llvm::Value*, 4> parts;
    for (unsigned within = 0; within < pack; ++within) {
      llvm::Value* address = row_address(builder, call, row * pack + within);
      parts.push_back(builder.CreateAlignedLoad(row_type, address, llvm::Align(bytes)));
    }
    llvm::Value* mixed = builder.CreateShuffleVector(llvm::concatenateVectors(builder, parts), order);
    words.push_back(builder.CreateBitCast(mixed, llvm::FixedVectorType::get(builder.getInt32Ty(), words_of_row)));
  }
  return llvm::concatenateVectors(builder, words);
}

/// Whether TEST_TILES=vectors is set. With it, tests run code for tiles on processors without tiles: tiles become
/// vectors.
bool are_tiles_vectors() {
  static const char* const asked = abi::read_variable("TEST_TILES");
  return asked && llvm::StringRef(asked) == "vectors";
}

llvm::Value* row_of(llvm::IRBuilder<>& builder, llvm::Value* tile, unsigned row) {
  llvm::SmallVector<int, 16> words;
  for (unsigned i = 0; i < words_of_row; ++i) words.push_back(static_cast<int>(row * words_of_row + i));
  return builder.CreateShuffleVector(tile, words);
}

/// Returns element `within` of each word, as floats or as integers of 32 bits.
llvm::Value* elements_of(llvm::IRBuilder<>& builder, llvm::Value* words, tile_sum which, bool left, unsigned within) {
  const auto vector_of = [](llvm::Type* type) { return llvm::FixedVectorType::get(type, words_of_row); };
  if (which == tile_sum::bf16) {
    words = within == 0 ? builder.CreateShl(words, 16) : builder.CreateAnd(words, 0xffff0000u);
    return builder.CreateBitCast(words, vector_of(builder.getFloatTy()));
  }
  if (which == tile_sum::f16) {
    words = builder.CreateTrunc(builder.CreateLShr(words, 16 * within), vector_of(builder.getInt16Ty()));
    return builder.CreateFPExt(builder.CreateBitCast(words, vector_of(builder.getHalfTy())),
                               vector_of(builder.getFloatTy()));
  }
  words = builder.CreateShl(words, 24 - 8 * within);
  const bool is_signed = which == tile_sum::s8_s8 || which == (left ? tile_sum::s8_u8 : tile_sum::u8_s8);
  return is_signed ? builder.CreateAShr(words, 24) : builder.CreateLShr(words, 24);
}

/// Returns a function for the sum, because its code is too long to be copied to each call.
llvm::Function* sum_by_vectors(llvm::CallInst& call, tile_sum which) {
  const std::string name = (call.getCalledFunction()->getName() + "_by_vectors").str();
  llvm::Module& module = *call.getFunction()->getParent();
  if (llvm::Function* made = module.getFunction(name)) return made;
  llvm::Type* tile = vector_type(module.getContext());
  auto* function = llvm::Function::Create(llvm::FunctionType::get(tile, {tile, tile, tile}, false),
                                          llvm::GlobalValue::InternalLinkage, name, module);
  for (const char* each : {"target-cpu", "target-features"}) {
    if (call.getFunction()->hasFnAttribute(each)) function->addFnAttr(call.getFunction()->getFnAttribute(each));
  }
  function->addFnAttr(llvm::Attribute::NoInline);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "", function));
  const bool floats = which == tile_sum::bf16 || which == tile_sum::f16;
  llvm::Value *sum = function->getArg(0), *left = function->getArg(1), *right = function->getArg(2);
  llvm::SmallVector<llvm::Value*, 16> results;
  for (unsigned row = 0; row < tile_rows; ++row) {
    llvm::Value* result = row_of(builder, sum, row);
    llvm::Type* words = result->getType();
    if (floats) result = builder.CreateBitCast(result, llvm::FixedVectorType::get(builder.getFloatTy(), words_of_row));
    for (unsigned k = 0; k < words_of_row; ++k) {
      llvm::Value* word = builder.CreateExtractElement(left, std::uint64_t{row} * words_of_row + k);
      llvm::Value *all = builder.CreateVectorSplat(words_of_row, word), *columns = row_of(builder, right, k);
      for (unsigned within = 0; within < (floats ? 2 : 4); ++within) {
        llvm::Value *a = elements_of(builder, all, which, true, within),
                    *b = elements_of(builder, columns, which, false, within);
        result = floats ? builder.CreateFAdd(builder.CreateFMul(a, b), result)
                        : builder.CreateAdd(builder.CreateMul(a, b), result);
      }
    }
    results.push_back(builder.CreateBitCast(result, words));
  }
  builder.CreateRet(llvm::concatenateVectors(builder, results));
  return function;
}

llvm::Value* load_by_vectors(llvm::IRBuilder<>& builder, const llvm::CallInst& call) {
  auto* type = llvm::FixedVectorType::get(builder.getInt32Ty(), words_of_row);
  llvm::SmallVector<llvm::Value*, 16> rows;
  for (unsigned row = 0; row < tile_rows; ++row)
    rows.push_back(builder.CreateAlignedLoad(type, row_address(builder, call, row), llvm::Align(1)));
  return llvm::concatenateVectors(builder, rows);
}
void store_by_vectors(llvm::IRBuilder<>& builder, const llvm::CallInst& call) {
  llvm::Value* tile = as_vector(builder, call.getArgOperand(2));
  for (unsigned row = 0; row < tile_rows; ++row)
    builder.CreateAlignedStore(row_of(builder, tile, row), row_address(builder, call, row), llvm::Align(1));
}

llvm::Value* lowered(llvm::CallInst& call, const sum_description* sum) {
  llvm::IRBuilder<> builder(&call);
  const auto operand = [&](unsigned number) { return call.getArgOperand(number); };
  const llvm::StringRef name = call.getCalledFunction()->getName();
  if (name == pack_name) return as_number(builder, packed_rows(builder, call));
  if (name == fill_name) {
    return as_number(builder, builder.CreateVectorSplat(tile_rows * words_of_row, operand(0)));
  }
  if (are_tiles_vectors()) {
    if (name == store_name) return store_by_vectors(builder, call), nullptr;
    if (name == load_name) return as_number(builder, load_by_vectors(builder, call));
    return as_number(builder, builder.CreateCall(sum_by_vectors(call, static_cast<tile_sum>(sum - sums)),
                                                 {as_vector(builder, operand(0)), as_vector(builder, operand(1)),
                                                  as_vector(builder, operand(2))}));
  }
  llvm::Value *rows = builder.getInt16(tile_rows), *bytes = builder.getInt16(tile_row_bytes);
  if (name == load_name) {
    return as_number(builder, builder.CreateIntrinsic(llvm::Intrinsic::x86_tileloadd64_internal, {},
                                                      {rows, bytes, operand(0), operand(1)}));
  }
  if (name == store_name) {
    builder.CreateIntrinsic(llvm::Intrinsic::x86_tilestored64_internal, {},
                            {rows, bytes, operand(0), operand(1), as_tile(builder, operand(2))});
    return nullptr;
  }
  llvm::Value *before = as_tile(builder, operand(0)), *left = as_tile(builder, operand(1)),
              *right = as_tile(builder, operand(2));
  return as_number(builder, builder.CreateIntrinsic(sum->id, {}, {rows, bytes, bytes, before, left, right}));
}

/// Turns phis of tiles into phis of vectors, which LLVM can keep in tile registers.
void lower_phis(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  llvm::SmallVector<llvm::PHINode*, 16> phis;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& each : llvm::instructions(function)) {
      auto* phi = llvm::dyn_cast<llvm::PHINode>(&each);
      if (phi && phi->getType() == tile_type(context)) phis.push_back(phi);
    }
  }
  llvm::SmallVector<llvm::PHINode*, 16> made;
  for (llvm::PHINode* phi : phis) {
    llvm::IRBuilder<> builder(phi);
    made.push_back(builder.CreatePHI(vector_type(context), phi->getNumIncomingValues()));
    builder.SetInsertPoint(phi->getParent(), phi->getParent()->getFirstInsertionPt());
    llvm::Value* number = builder.CreateBitCast(made.back(), phi->getType());
    phi->replaceUsesWithIf(number, [&](const llvm::Use& use) { return !llvm::is_contained(phis, use.getUser()); });
  }
  for (auto [phi, vector] : llvm::zip(phis, made)) {
    for (unsigned i = 0; i < phi->getNumIncomingValues(); ++i) {
      llvm::Value* from = phi->getIncomingValue(i);
      llvm::IRBuilder<> builder(phi->getIncomingBlock(i)->getTerminator());
      const auto* found = llvm::find(phis, from);
      vector->addIncoming(found != phis.end() ? made[found - phis.begin()] : as_vector(builder, from),
                          phi->getIncomingBlock(i));
    }
  }
  for (llvm::PHINode* phi : phis) {
    phi->replaceAllUsesWith(llvm::PoisonValue::get(phi->getType()));
    phi->eraseFromParent();
  }
}

/// Removes casts of a vector to a number and back.
void join_casts(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* cast = llvm::dyn_cast<llvm::BitCastInst>(&each);
      auto* before = cast ? llvm::dyn_cast<llvm::BitCastInst>(cast->getOperand(0)) : nullptr;
      if (!before || before->getType() != tile_type(module.getContext()) || before->getSrcTy() != cast->getType())
        continue;
      cast->replaceAllUsesWith(before->getOperand(0));
      cast->eraseFromParent();
    }
    for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(function))) {
      if (each.use_empty() && each.getType() == tile_type(module.getContext()) && llvm::isa<llvm::BitCastInst>(each))
        each.eraseFromParent();
    }
  }
}

}  // namespace

bool has_tile_sum(const llvm::TargetMachine& machine, tile_sum which) {
  if (are_tiles_vectors()) return true;
  // LLVM ends the process if it is asked for a feature of another architecture.
  return machine.getTargetTriple().isX86() &&
         machine.getMCSubtargetInfo()->checkFeatures(sums[static_cast<unsigned>(which)].features);
}

llvm::IntegerType* tile_type(llvm::LLVMContext& context) {
  return llvm::IntegerType::get(context, 32 * tile_rows * words_of_row);
}

llvm::Value* load_tile(llvm::IRBuilder<>& builder, llvm::Value* from, llvm::Value* stride) {
  return call_tile(builder, load_name, tile_type(builder.getContext()), llvm::MemoryEffects::readOnly(),
                   {from, stride});
}
llvm::Value* pack_tile(llvm::IRBuilder<>& builder, llvm::Value* from, llvm::Value* stride, unsigned element_bytes) {
  return call_tile(builder, pack_name, tile_type(builder.getContext()), llvm::MemoryEffects::readOnly(),
                   {from, stride, builder.getInt32(element_bytes)});
}
llvm::Value* fill_tile(llvm::IRBuilder<>& builder, llvm::Value* word) {
  const auto* known = llvm::dyn_cast<llvm::Constant>(word);
  if (known && known->isNullValue()) return llvm::ConstantInt::get(tile_type(builder.getContext()), 0);
  return call_tile(builder, fill_name, tile_type(builder.getContext()), llvm::MemoryEffects::none(), {word});
}
void store_tile(llvm::IRBuilder<>& builder, llvm::Value* to, llvm::Value* stride, llvm::Value* tile) {
  call_tile(builder, store_name, builder.getVoidTy(), llvm::MemoryEffects::writeOnly(), {to, stride, tile});
}
llvm::Value* sum_tiles(llvm::IRBuilder<>& builder, tile_sum which, llvm::Value* sum, llvm::Value* left,
                       llvm::Value* right) {
  return call_tile(builder, sums[static_cast<unsigned>(which)].name, tile_type(builder.getContext()),
                   llvm::MemoryEffects::none(), {sum, left, right});
}

void lower_tile_calls(llvm::Module& module) {
  const auto lower = [&](llvm::StringRef name, const sum_description* sum) {
    llvm::Function* function = module.getFunction(name);
    if (!function) return;
    for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      if (llvm::Value* result = lowered(*call, sum)) call->replaceAllUsesWith(result);
      call->eraseFromParent();
    }
    function->eraseFromParent();
  };
  const bool any = llvm::any_of(sums, [&](const sum_description& each) { return module.getFunction(each.name); });
  if (!any) return;
  lower_phis(module);
  // Calls that produce tiles are lowered before calls that use them.
  for (llvm::StringRef name : {load_name, pack_name, fill_name}) lower(name, nullptr);
  for (const sum_description& each : sums) lower(each.name, &each);
  lower(store_name, nullptr);
  join_casts(module);
}

}  // namespace sinter::passes
