// Writes the kernel that row_groups.hpp describes.

#include <abi/device_abi.hpp>
#include <abi/planted_error.hpp>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/called_names.hpp"
#include "passes/convergence.hpp"
#include "row_groups.hpp"

namespace sinter::passes {
namespace {

constexpr std::uint64_t line_bytes = 64;

class row_kernel {
public:
  row_kernel(llvm::Function& fused, const decision_request& request, const row_groups& plan)
      : m_fused(fused), m_request(request), m_plan(plan), m_builder(fused.getContext()) {}

  llvm::Error build(llvm::ArrayRef<llvm::Function*> members) {
    if (!m_fused.isDeclaration()) m_fused.deleteBody();
    m_fused.setLinkage(llvm::GlobalValue::ExternalLinkage);
    m_builder.SetInsertPoint(new_block("entry"));
    load_blocks(members.size());
    m_local = query("__sinter_local_id");
    m_first = m_builder.CreateNUWMul(query("__sinter_group_id"), number(m_plan.group));
    m_last = m_builder.CreateNUWAdd(m_first, number(m_plan.group));
    m_is_whole = m_builder.getTrue();
    if (m_plan.rows % m_plan.group != 0) {
      m_is_whole = m_builder.CreateICmpULE(m_last, number(m_plan.rows));
      m_last = m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, m_last, number(m_plan.rows));
    }
    for (unsigned k = 0; k < members.size(); ++k) {
      if (k > 0 && !abi::is_planted("tiles_without_barriers")) create_barrier(m_builder, abi::scope::work_group);
      run_member(k, *members[k]);
    }
    if (m_plan.past_caches) {
      // Stores past the caches are not ordered with later accesses, so other threads might see the later accesses
      // first.
      create_barrier(m_builder, abi::scope::work_group);
      if_true(m_builder.CreateIsNull(m_local),
              [&] { m_builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent); });
    }
    m_builder.CreateRetVoid();
    return inline_members();
  }

private:
  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(m_fused.getContext(), name, &m_fused);
  }
  llvm::Value* number(std::uint64_t value) { return m_builder.getInt64(value); }
  llvm::Value* query(llvm::StringRef name) {
    llvm::FunctionCallee callee =
        m_fused.getParent()->getOrInsertFunction(name, m_builder.getInt64Ty(), m_builder.getInt32Ty());
    return m_builder.CreateCall(callee, {m_builder.getInt32(2)});
  }

  void load_blocks(std::size_t count) {
    llvm::MDNode* invariant = llvm::MDNode::get(m_fused.getContext(), {});
    for (unsigned i = 0; i < count; ++i) {
      llvm::LoadInst* block = m_builder.CreateLoad(
          m_builder.getPtrTy(), m_builder.CreateConstInBoundsGEP1_64(m_builder.getPtrTy(), m_fused.getArg(0), i),
          "block");
      block->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
      m_blocks.push_back(block);
    }
  }

  /// Makes a copy of the kernel with the ids as parameters: void(ptr block, i64 id[3]).
  llvm::Function& function_of(unsigned k, llvm::Function& kernel) {
    llvm::Type *id = m_builder.getInt64Ty(), *pointer = m_builder.getPtrTy();
    auto* type = llvm::FunctionType::get(m_builder.getVoidTy(), {pointer, id, id, id}, false);
    llvm::Function* copy = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                                  "sinter.row" + std::to_string(k), m_fused.getParent());
    llvm::ValueToValueMapTy map;
    map[kernel.getArg(0)] = copy->getArg(0);
    llvm::SmallVector<llvm::ReturnInst*, 4> returns;
    llvm::CloneFunctionInto(copy, &kernel, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
    copy->setLinkage(llvm::GlobalValue::InternalLinkage);
    m_functions.push_back(copy);
    copy->removeFnAttr(llvm::Attribute::NoInline);
    copy->removeFnAttr(llvm::Attribute::OptimizeNone);
    const fusion_range& range = m_request.members[k].range;
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*copy))) {
      const llvm::StringRef name = called_name(instruction);
      const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (!call || call->arg_size() != 1 || !llvm::isa<llvm::ConstantInt>(call->getArgOperand(0))) continue;
      const auto d =
          static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue() % 3);
      llvm::Value* value = nullptr;
      if (name == "__sinter_global_id") value = range.global[d] == 1 ? number(0) : copy->getArg(1 + d);
      if (name == "__sinter_global_range") value = number(range.global[d]);
      if (name == "__sinter_global_offset") value = number(0);
      if (!value) continue;
      instruction.replaceAllUsesWith(value);
      instruction.eraseFromParent();
    }
    return *copy;
  }

  /// A member has a work-item for each row, or for each element. Elements run row by row.
  void run_member(unsigned k, llvm::Function& kernel) {
    const auto& stream = m_plan.past_caches;
    llvm::Function& function = function_of(k, kernel);
    if (!stream || stream->member != k) return run_as(k, function);
    llvm::Function& past_caches = function_of(k, kernel);
    if (!write_past_caches(past_caches)) return run_as(k, function);
    llvm::Value* pointer = m_builder.CreateLoad(
        m_builder.getPtrTy(), m_builder.CreateConstInBoundsGEP1_64(m_builder.getInt8Ty(), m_blocks[k], stream->leaf));
    llvm::Value* begin = m_builder.CreatePtrAdd(pointer, number(static_cast<std::uint64_t>(stream->begin)));
    llvm::Value* address = m_builder.CreatePtrToInt(begin, m_builder.getInt64Ty());
    llvm::Value* low = m_builder.CreateAnd(address, number(line_bytes - 1));
    llvm::Value* is_aligned = m_builder.CreateIsNull(low);
    if_true(is_aligned, [&] {
      m_builder.CreateAlignmentAssumption(m_fused.getParent()->getDataLayout(), begin, line_bytes);
      run_as(k, past_caches);
    });
    if_true(m_builder.CreateNot(is_aligned), [&] { run_as(k, function); });
  }

  /// Makes the only store to the stream (row_groups::stream) go past the caches. Returns false if there is not exactly
  /// one such store.
  bool write_past_caches(llvm::Function& function) {
    const llvm::DataLayout& layout = m_fused.getParent()->getDataLayout();
    llvm::StoreInst* found = nullptr;
    for (llvm::Instruction& each : llvm::instructions(function)) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&each);
      const auto* object =
          store ? llvm::dyn_cast<llvm::LoadInst>(llvm::getUnderlyingObject(store->getPointerOperand(), 0)) : nullptr;
      if (!object) continue;
      llvm::APInt offset(64, 0);
      const llvm::Value* block = object->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
      if (block != function.getArg(0) || offset != m_plan.past_caches->leaf) continue;
      if (found || !store->isSimple()) return false;
      found = store;
    }
    if (!found) return false;
    llvm::Metadata* one = llvm::ConstantAsMetadata::get(m_builder.getInt32(1));
    found->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(m_fused.getContext(), one));
    return true;
  }

  void run_as(unsigned k, llvm::Function& function) {
    const fusion_range& range = m_request.members[k].range;
    const unsigned along = 3 - range.dimensions;
    llvm::Value* ids[3] = {number(0), number(0), number(0)};
    const auto call = [&] { m_builder.CreateCall(&function, {m_blocks[k], ids[0], ids[1], ids[2]}); };
    if (size_of(range) == m_plan.rows) {
      ids[along] = m_builder.CreateNUWAdd(m_first, m_local);
      // In most groups, all work-items have a row. Their code needs no masks.
      if_true(m_is_whole, call);
      if (m_plan.rows % m_plan.group == 0) return;
      llvm::Value* has_row = m_builder.CreateICmpULT(ids[along], m_last);
      if_true(m_builder.CreateNot(m_is_whole), [&] { if_true(has_row, call); });
      return;
    }
    loop(m_first, m_last, 1, "row", [&](llvm::Value* row) {
      ids[along] = row;
      const auto lanes = [&] {
        // In most iterations, all work-items have an element. Their code needs no masks.
        const std::uint64_t width = range.global[2], whole = width / m_plan.group * m_plan.group;
        if (whole != 0) {
          loop(number(0), number(whole), m_plan.group, "lanes", [&](llvm::Value* lane) {
            ids[2] = m_builder.CreateNUWAdd(lane, m_local);
            call();
          });
        }
        if (whole == width) return;
        ids[2] = m_builder.CreateNUWAdd(number(whole), m_local);
        if_true(m_builder.CreateICmpULT(m_local, number(width - whole)), call);
      };
      if (range.dimensions < 3) return lanes();
      loop(number(0), number(range.global[1]), 1, "middle", [&](llvm::Value* middle) {
        ids[1] = middle;
        lanes();
      });
    });
  }

  template <class Body>
  void if_true(llvm::Value* condition, const Body& body) {
    llvm::BasicBlock *inside = new_block("inside"), *behind = new_block("behind");
    m_builder.CreateCondBr(condition, inside, behind);
    m_builder.SetInsertPoint(inside);
    body();
    m_builder.CreateBr(behind);
    m_builder.SetInsertPoint(behind);
  }

  /// Writes a loop that has at least one iteration.
  template <class Body>
  void loop(llvm::Value* begin, llvm::Value* end, std::uint64_t step, const char* name, const Body& body) {
    llvm::BasicBlock *before = m_builder.GetInsertBlock(), *inside = new_block(name), *behind = new_block("behind");
    m_builder.CreateBr(inside);
    m_builder.SetInsertPoint(inside);
    llvm::PHINode* counter = m_builder.CreatePHI(m_builder.getInt64Ty(), 2, name);
    body(counter);
    llvm::Value* next = m_builder.CreateAdd(counter, number(step), "", true, true);
    counter->addIncoming(begin, before);
    counter->addIncoming(next, m_builder.GetInsertBlock());
    m_builder.CreateCondBr(m_builder.CreateICmpULT(next, end), inside, behind);
    m_builder.SetInsertPoint(behind);
  }

  llvm::Error inline_members() {
    for (llvm::Function* function : m_functions) {
      for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
        llvm::InlineFunctionInfo info;
        const llvm::InlineResult result = llvm::InlineFunction(*llvm::cast<llvm::CallBase>(user), info);
        if (!result.isSuccess()) {
          return llvm::createStringError("kernel fusion: '" + function->getName() +
                                         "' can't be inlined: " + result.getFailureReason());
        }
      }
      function->eraseFromParent();
    }
    return llvm::Error::success();
  }

  llvm::Function& m_fused;
  const decision_request& m_request;
  const row_groups& m_plan;
  llvm::IRBuilder<> m_builder;
  std::vector<llvm::Value*> m_blocks;
  std::vector<llvm::Function*> m_functions;
  /// The local id, the group's first row, and the row after its last row.
  llvm::Value *m_local = nullptr, *m_first = nullptr, *m_last = nullptr;
  /// Whether the group has a row for each of its work-items.
  llvm::Value* m_is_whole = nullptr;
};

}  // namespace

llvm::Error build_row_kernel(llvm::Function& fused, llvm::ArrayRef<llvm::Function*> members,
                             const decision_request& request, const row_groups& plan) {
  return row_kernel(fused, request, plan).build(members);
}

}  // namespace sinter::passes
