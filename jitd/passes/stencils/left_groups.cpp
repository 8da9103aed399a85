#include "left_groups.hpp"

#include <algorithm>

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "passes/called_names.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

enum class query { none, local_id, group_id, local_range, group_range, of_groups };

/// Calls with names that are not listed here, such as barriers and queries of sub-groups, need work-groups.
query query_of(const llvm::Instruction& instruction) {
  const llvm::StringRef name = called_name(instruction);
  if (!name.starts_with("__sinter_")) return query::none;
  if (name.starts_with("__sinter_math_") || name.starts_with("__sinter_texture_")) return query::none;
  return llvm::StringSwitch<query>(name)
      .Case("__sinter_global_id", query::none)
      .Case("__sinter_global_range", query::none)
      .Case("__sinter_global_offset", query::none)
      .Case("__sinter_trap", query::none)
      .Case("__sinter_assert_fail", query::none)
      .Case("__sinter_local_id", query::local_id)
      .Case("__sinter_group_id", query::group_id)
      .Case("__sinter_local_range", query::local_range)
      .Case("__sinter_group_range", query::group_range)
      .Default(query::of_groups);
}

/// Emits code that computes the call's value from the global id, the offset and the size of groups.
llvm::Value* value_of(query what, llvm::CallInst& call, const fusion_range& range) {
  llvm::IRBuilder<> builder(&call);
  llvm::Value* dimension = call.getArgOperand(0);
  const auto d = llvm::cast<llvm::ConstantInt>(dimension)->getZExtValue() % 3;
  const auto number = [&](std::uint64_t value) { return llvm::ConstantInt::get(call.getType(), value); };
  if (what == query::local_range) return number(range.local[d]);
  if (what == query::group_range) return number(range.global[d] / range.local[d]);
  const llvm::FunctionCallee id = call.getModule()->getOrInsertFunction(
      "__sinter_global_id", call.getCalledFunction()->getFunctionType(), call.getCalledFunction()->getAttributes());
  llvm::Value* from_start = builder.CreateNUWSub(builder.CreateCall(id, {dimension}), number(range.offset[d]));
  llvm::Value* size = number(range.local[d]);
  return what == query::group_id ? builder.CreateUDiv(from_start, size) : builder.CreateURem(from_start, size);
}

/// If groups have 2^n work-items, a sum of group * size and local id has become (id & ~(size - 1)) | (id & (size - 1)),
/// which LLVM does not simplify to id.
void join_bits(llvm::Function& kernel) {
  using namespace llvm::PatternMatch;
  for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    llvm::Value *a = nullptr, *b = nullptr;
    const llvm::APInt *high = nullptr, *low = nullptr;
    const bool is_sum = match(&each, m_Or(m_And(m_Value(a), m_APInt(high)), m_And(m_Value(b), m_APInt(low)))) ||
                        match(&each, m_Add(m_And(m_Value(a), m_APInt(high)), m_And(m_Value(b), m_APInt(low))));
    if (!is_sum || a != b || high->intersects(*low)) continue;
    llvm::IRBuilder<> builder(&each);
    each.replaceAllUsesWith(builder.CreateAnd(a, llvm::ConstantInt::get(each.getType(), *high | *low)));
    each.eraseFromParent();
  }
}

}  // namespace

bool leave_groups(llvm::Function& kernel, fusion_range& range) {
  if (!has_groups(range)) return true;
  llvm::SmallVector<std::pair<llvm::CallInst*, query>, 8> found;
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const query what = query_of(instruction);
    if (what == query::of_groups) return false;
    if (what == query::none) continue;
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || call->arg_size() != 1 || !llvm::isa<llvm::ConstantInt>(call->getArgOperand(0))) return false;
    found.push_back({call, what});
  }
  for (const auto& [call, what] : found) {
    call->replaceAllUsesWith(value_of(what, *call, range));
    call->eraseFromParent();
  }
  std::fill_n(range.local, 3, 0);
  return true;
}

void simplify_group_ids(llvm::Function& kernel) {
  llvm::FunctionPassManager sums;
  sums.addPass(llvm::InstCombinePass());
  sums.addPass(llvm::EarlyCSEPass());
  pass_runner().run(kernel, std::move(sums));
  join_bits(kernel);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass());
  pass_runner().run(kernel, std::move(passes));
}

}  // namespace sinter::passes
