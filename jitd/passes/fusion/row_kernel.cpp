// Writes the kernel that row_groups.hpp describes.

#include <abi/device_abi.hpp>
#include <abi/planted_error.hpp>

#include <algorithm>
#include <tuple>

#include "llvm/Analysis/Utils/Local.h"
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
    m_rows = m_plan.local_bytes == 0 ? llvm::ConstantPointerNull::get(m_builder.getPtrTy()) : query_local();
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

  llvm::Value* query_local() {
    return m_builder.CreateCall(
        m_fused.getParent()->getOrInsertFunction("__sinter_local_base", m_builder.getPtrTy()));
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

  /// Parameters of the functions that function_of makes.
  enum parameter : unsigned { of_block, of_ids, of_local = 4, of_place };

  /// Makes a copy of the kernel with the ids as parameters: void(ptr block, i64 id[3], ptr local memory, i64 number of
  /// the row in the group).
  llvm::Function& function_of(unsigned k, llvm::Function& kernel) {
    llvm::Type *id = m_builder.getInt64Ty(), *pointer = m_builder.getPtrTy();
    auto* type = llvm::FunctionType::get(m_builder.getVoidTy(), {pointer, id, id, id, pointer, id}, false);
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
      if (name == "__sinter_global_id") value = range.global[d] == 1 ? number(0) : copy->getArg(of_ids + d);
      if (name == "__sinter_global_range") value = number(range.global[d]);
      if (name == "__sinter_global_offset") value = number(0);
      if (!value) continue;
      instruction.replaceAllUsesWith(value);
      instruction.eraseFromParent();
    }
    return *copy;
  }

  /// Runs a member, which has a work-item for each row or for each element. Work-items for elements run row by row.
  void run_member(unsigned k, llvm::Function& kernel) {
    const auto& stream = m_plan.past_caches;
    llvm::Function& function = function_of(k, kernel);
    if (m_plan.in_groups) return share_member(k, function);
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
    llvm::StoreInst* found = nullptr;
    for (llvm::Instruction& each : llvm::instructions(function)) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&each);
      if (!store) continue;
      const llvm::Value* object = llvm::getUnderlyingObject(store->getPointerOperand(), 0);
      if (!is_argument(object, function, m_plan.past_caches->leaf)) continue;
      if (found || !store->isSimple()) return false;
      found = store;
    }
    if (!found) return false;
    llvm::Metadata* one = llvm::ConstantAsMetadata::get(m_builder.getInt32(1));
    found->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(m_fused.getContext(), one));
    return true;
  }

  /// Whether the value is loaded from the leaf in the function's argument block.
  bool is_argument(const llvm::Value* value, const llvm::Function& function, unsigned leaf) const {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
    if (!load) return false;
    llvm::APInt offset(64, 0);
    const llvm::DataLayout& layout = m_fused.getParent()->getDataLayout();
    const llvm::Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
    return base == function.getArg(of_block) && offset == leaf;
  }

  void call_member(unsigned k, llvm::Function& function, llvm::ArrayRef<llvm::Value*> id) {
    m_builder.CreateCall(&function, {m_blocks[k], id[0], id[1], id[2], m_rows, m_local});
  }

  void run_as(unsigned k, llvm::Function& function) {
    const fusion_range& range = m_request.members[k].range;
    const unsigned along = 3 - range.dimensions;
    llvm::Value* ids[3] = {number(0), number(0), number(0)};
    const auto call = [&] { call_member(k, function, ids); };
    if (size_of(range) == m_plan.rows) {
      ids[along] = m_builder.CreateNUWAdd(m_first, m_local);
      // In most groups, all work-items have a row. The code for these groups needs no masks.
      if_true(m_is_whole, call);
      if (m_plan.rows % m_plan.group == 0) return;
      llvm::Value* has_row = m_builder.CreateICmpULT(ids[along], m_last);
      if_true(m_builder.CreateNot(m_is_whole), [&] { if_true(has_row, call); });
      return;
    }
    loop(m_first, m_last, 1, "row", [&](llvm::Value* row) {
      ids[along] = row;
      const auto lanes = [&] {
        // In most iterations, all work-items have an element. The code of these iterations needs no masks.
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

  // --------------------------------------------------------------------------------------------------- GPUs

  /// Distributes a member over the work-items of a group that has more work-items than rows.
  void share_member(unsigned k, llvm::Function& function) {
    const fusion_range& range = m_request.members[k].range;
    const unsigned along = 3 - range.dimensions;
    llvm::Value* id[3] = {number(0), number(0), number(0)};
    if (size_of(range) != m_plan.rows) {
      const std::uint64_t of_row = size_of(range) / m_plan.rows;
      return deal_out(of_row, [&](llvm::Value* row, llvm::Value* element) {
        id[along] = m_builder.CreateNUWAdd(m_first, row);
        id[2] = element;
        if (range.dimensions == 3) std::tie(id[1], id[2]) = divide(element, range.global[2], of_row);
        call_member(k, function, id);
      });
    }
    bool copies = false;
    for (const row_groups::copied_rows& each : m_plan.copies)
      if (each.member == k) copies |= copy_rows(each, function);
    if (copies && !abi::is_planted("tiles_without_barriers")) create_barrier(m_builder, abi::scope::work_group);
    id[along] = m_builder.CreateNUWAdd(m_first, m_local);
    if_true(m_builder.CreateICmpULT(m_local, m_builder.CreateNUWSub(m_last, m_first)),
            [&] { call_member(k, function, id); });
  }

  /// Returns quotient and remainder of a value that is less than `end`. GPUs divide 32-bit numbers faster.
  std::pair<llvm::Value*, llvm::Value*> divide(llvm::Value* value, std::uint64_t by, std::uint64_t end) {
    const auto widen = [&](llvm::Value* narrow) {
      return m_builder.CreateZExt(narrow, m_builder.getInt64Ty(), "", /*IsNonNeg=*/true);
    };
    if (end >= std::uint64_t{1} << 31)
      return {m_builder.CreateUDiv(value, number(by)), m_builder.CreateURem(value, number(by))};
    llvm::Value *narrow = m_builder.CreateTrunc(value, m_builder.getInt32Ty()),
                *divisor = m_builder.getInt32(static_cast<std::uint32_t>(by));
    llvm::Value* quotient = widen(m_builder.CreateUDiv(narrow, divisor));
    return {quotient, widen(m_builder.CreateURem(narrow, divisor))};
  }

  /// Distributes `of_row` elements of each row over the work-items of the group. body(row, element) emits the code for
  /// one element.
  template <class Body>
  void deal_out(std::uint64_t of_row, const Body& body) {
    llvm::Value* end = m_builder.CreateNUWMul(m_builder.CreateNUWSub(m_last, m_first), number(of_row));
    llvm::BasicBlock* before = m_builder.GetInsertBlock();
    llvm::BasicBlock *head = new_block("turn"), *inside = new_block("element"), *behind = new_block("behind");
    m_builder.CreateBr(head);
    m_builder.SetInsertPoint(head);
    llvm::PHINode* item = m_builder.CreatePHI(m_builder.getInt64Ty(), 2, "item");
    m_builder.CreateCondBr(m_builder.CreateICmpULT(item, end), inside, behind);
    m_builder.SetInsertPoint(inside);
    const auto [row, element] = divide(item, of_row, m_plan.group * of_row);
    body(row, element);
    llvm::Value* next = m_builder.CreateAdd(item, number(m_plan.items), "", true, true);
    item->addIncoming(m_local, before);
    item->addIncoming(next, m_builder.GetInsertBlock());
    m_builder.CreateBr(head);
    m_builder.SetInsertPoint(behind);
  }

  /// Makes the function read the rows in local memory, and emits code that copies them there. Returns false if the
  /// function has no load that can read local memory.
  bool copy_rows(const row_groups::copied_rows& what, llvm::Function& function) {
    const std::optional<llvm::Align> alignment = read_locally(what, function);
    if (!alignment) return false;
    llvm::Type *byte = m_builder.getInt8Ty(), *unit = m_builder.getIntNTy(static_cast<unsigned>(8 * what.unit));
    if (what.unit > 8) unit = llvm::FixedVectorType::get(m_builder.getInt32Ty(), static_cast<unsigned>(what.unit / 4));
    llvm::Value* memory = m_builder.CreateLoad(
        m_builder.getPtrTy(), m_builder.CreateConstInBoundsGEP1_64(byte, m_blocks[what.member], what.leaf));
    const std::uint64_t short_by = abi::is_planted("rows_copied_short") ? 1 : 0;
    deal_out(what.bytes / what.unit - short_by, [&](llvm::Value* row, llvm::Value* element) {
      llvm::Value* place = m_builder.CreateNUWMul(element, number(what.unit));
      llvm::Value* from = m_builder.CreateNSWMul(m_builder.CreateNUWAdd(m_first, row), signed_number(what.pitch));
      from = m_builder.CreateAdd(m_builder.CreateNSWAdd(from, signed_number(what.begin)), place);
      llvm::Value* to = m_builder.CreateNUWMul(row, number(what.local_pitch));
      to = m_builder.CreateNUWAdd(m_builder.CreateNUWAdd(to, number(what.place)), place);
      llvm::Value* value = m_builder.CreateAlignedLoad(unit, m_builder.CreateGEP(byte, memory, from), *alignment);
      m_builder.CreateAlignedStore(value, m_builder.CreateInBoundsGEP(byte, m_rows, to), llvm::Align(what.unit));
    });
    return true;
  }

  llvm::Value* signed_number(std::int64_t value) { return number(static_cast<std::uint64_t>(value)); }

  /// Replaces loads of the rows by loads from local memory. Returns the least alignment of the replaced loads, or
  /// nothing if no load was replaced. Loads that are not replaced find the same values in memory.
  std::optional<llvm::Align> read_locally(const row_groups::copied_rows& what, llvm::Function& function) {
    const unsigned along = 3 - m_request.members[what.member].range.dimensions;
    const llvm::DataLayout& layout = m_fused.getParent()->getDataLayout();
    std::optional<llvm::Align> least;
    for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(function))) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
      if (!load || !load->isSimple() || layout.getTypeStoreSize(load->getType()) != what.unit) continue;
      llvm::SmallVector<llvm::GEPOperator*, 4> steps;
      llvm::Value* base = load->getPointerOperand();
      while (auto* step = llvm::dyn_cast<llvm::GEPOperator>(base)) {
        steps.push_back(step);
        base = step->getPointerOperand();
      }
      if (!is_argument(base, function, what.leaf)) continue;
      llvm::IRBuilder<> builder(load);
      llvm::Value* at = builder.getInt64(what.place - static_cast<std::uint64_t>(what.begin));
      for (llvm::GEPOperator* step : steps)
        at = builder.CreateAdd(at, llvm::emitGEPOffset(&builder, layout, step));
      const auto bytes = [&](llvm::Value* row, std::uint64_t pitch) {
        return builder.CreateMul(row, builder.getInt64(pitch));
      };
      at = builder.CreateSub(at, bytes(function.getArg(of_ids + along), static_cast<std::uint64_t>(what.pitch)));
      at = builder.CreateAdd(at, bytes(function.getArg(of_place), what.local_pitch));
      const llvm::Align alignment = std::min(load->getAlign(), llvm::Align(what.unit));
      llvm::Value* local = builder.CreateGEP(builder.getInt8Ty(), function.getArg(of_local), at);
      load->replaceAllUsesWith(builder.CreateAlignedLoad(load->getType(), local, llvm::Align(what.unit)));
      load->eraseFromParent();
      least = least ? std::min(*least, alignment) : alignment;
    }
    return least;
  }

  // ------------------------------------------------------------------------------------------------ branches

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
  llvm::Value* m_rows = nullptr;  ///< the group's local memory with copied rows; a null pointer if there is none
};

}  // namespace

llvm::Error build_row_kernel(llvm::Function& fused, llvm::ArrayRef<llvm::Function*> members,
                             const decision_request& request, const row_groups& plan) {
  return row_kernel(fused, request, plan).build(members);
}

}  // namespace sinter::passes
