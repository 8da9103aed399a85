#include "short_compares.hpp"

#include "../passes/llvm_versions.hpp"
#include "../passes/value_passes.hpp"
#include "device_library.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/PatternMatch.h"

namespace sinter::capture {
namespace {

// Longer comparisons are left as loops that end at the first difference. For lanes that read from addresses far apart,
// loading all bytes takes longer than such a loop: twice as long for 40 bytes.
constexpr std::uint64_t most_bytes = 32;

bool is_short_compare(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
  if (!callee || call->arg_size() != 3) return false;
  llvm::StringRef name = callee->getName();
  if (!name.consume_front(library_prefix) || (name != "memcmp" && name != "bcmp")) return false;
  const auto* size = llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(2));
  return size && size->getValue().ule(most_bytes);
}

bool asks_for_equality(const llvm::CallInst& call) {
  return llvm::all_of(call.users(), [](const llvm::User* user) {
    const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(user);
    return compare && compare->isEquality() && llvm::PatternMatch::match(compare->getOperand(1),
                                                                         llvm::PatternMatch::m_Zero());
  });
}

struct word_pair {
  llvm::Value *left, *right;
};

/// Loads words of both objects. The first byte is in a word's lowest bits.
llvm::SmallVector<word_pair, 8> load_words(llvm::IRBuilder<>& builder, const llvm::CallInst& call) {
  llvm::SmallVector<word_pair, 8> words;
  std::uint64_t left = llvm::cast<llvm::ConstantInt>(call.getArgOperand(2))->getZExtValue();
  for (std::uint64_t at = 0, size = 8; left != 0; at += size, left -= size) {
    while (size > left) size /= 2;
    const auto load = [&](llvm::Value* from) {
      llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), from, at);
      return builder.CreateAlignedLoad(builder.getIntNTy(8 * size), place, llvm::Align(1));
    };
    llvm::Value* first = load(call.getArgOperand(0));
    words.push_back({first, load(call.getArgOperand(1))});
  }
  return words;
}

llvm::Value* differ(llvm::IRBuilder<>& builder, llvm::ArrayRef<word_pair> words) {
  llvm::Value* all = builder.getInt64(0);
  for (const word_pair& each : words) {
    all = builder.CreateOr(all, builder.CreateZExt(builder.CreateXor(each.left, each.right), builder.getInt64Ty()));
  }
  return builder.CreateZExt(builder.CreateICmpNE(all, builder.getInt64(0)), builder.getInt32Ty());
}

/// Compares the words from the first byte on. The first byte is the lowest byte of a word.
llvm::Value* order(llvm::IRBuilder<>& builder, llvm::ArrayRef<word_pair> words) {
  llvm::Value* result = builder.getInt32(0);
  for (const auto& [left, right] : llvm::reverse(words)) {
    const auto turned = [&builder = builder](llvm::Value* word) {
      return word->getType()->isIntegerTy(8) ? word : builder.CreateUnaryIntrinsic(llvm::Intrinsic::bswap, word);
    };
    llvm::Value* sign = builder.CreateSelect(builder.CreateICmpULT(turned(left), turned(right)),
                                             builder.getInt32(-1), builder.getInt32(1));
    result = builder.CreateSelect(builder.CreateICmpNE(left, right), sign, result);
  }
  return result;
}

} // namespace

llvm::PreservedAnalyses expand_short_compares::run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
  llvm::SmallVector<llvm::CallInst*, 8> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_short_compare(instruction)) found.push_back(llvm::cast<llvm::CallInst>(&instruction));
  }
  if (found.empty()) return llvm::PreservedAnalyses::all();
  for (llvm::CallInst* call : found) {
    llvm::IRBuilder<> builder(call);
    const auto words = load_words(builder, *call);
    call->replaceAllUsesWith(asks_for_equality(*call) ? differ(builder, words) : order(builder, words));
    call->eraseFromParent();
  }
  // The compared objects may no longer need an address, so they can become SSA values.
  passes::find_values(function, manager);
  return llvm::PreservedAnalyses::none();
}

void allow_inlining(llvm::Module& device) {
  for (llvm::Function& function : device) {
    if (function.getName().starts_with(library_prefix)) function.removeFnAttr(llvm::Attribute::NoInline);
  }
}

} // namespace sinter::capture
