#include "barrier_regions.hpp"

#include <abi/byte_count.hpp>
#include <abi/device_abi.hpp>
#include <algorithm>
#include <utility>

#include "passes/alias_scopes.hpp"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/PromoteMemToReg.h"
#include "passes/called_names.hpp"
#include "passes/convergence.hpp"
#include "passes/device/sub_groups.hpp"
#include "passes/device/work_item_function.hpp"
#include "passes/work_items/block_copies.hpp"

namespace sinter::passes {
namespace {

// Expressions of up to this many instructions are computed again behind a barrier instead of being kept.
constexpr unsigned max_rematerialised = 12;

// In a function with more barriers than this, regions may also end where a path around a barrier meets the path through
// the barrier.
constexpr unsigned most_without_cuts = 64;

// If the number of work-items is a multiple of `even_items`, slots have space for even_items / more_items additional
// work-items.
constexpr std::uint64_t even_items = 128, more_items = 8;

llvm::Value* behind_copies(llvm::Value* value) {
  for (;;) {
    auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
    auto* cast = llvm::dyn_cast<llvm::BitCastInst>(value);
    llvm::Value* same = phi ? phi->hasConstantValue() : nullptr;
    if (cast && cast->getSrcTy() == cast->getDestTy()) same = cast->getOperand(0);
    if (!same) return value;
    value = same;
  }
}

class region_splitter {
public:
  region_splitter(llvm::Function& function, const split_request& request)
      : m_function(function),
        m_request(request),
        m_layout(function.getParent()->getDataLayout()) {}

  barrier_regions run() {
    cut_where_ways_meet();
    collect_barriers();
    if (m_barriers.empty()) return {};
    const llvm::SmallPtrSet<const llvm::Instruction*, 16> barriers(m_barriers.begin(), m_barriers.end());
    drop_scopes_across(m_function, [&](const llvm::Instruction& each) { return barriers.contains(&each); });
    hoist_allocas();
    isolate_barriers();
    number_blocks();
    demote_live_values();
    find_needed_slots();
    barrier_regions result;
    result.within_sub_group.push_back(false);
    for (const llvm::CallInst* barrier : m_barriers) {
      result.within_sub_group.push_back(sub_group_call_of(*barrier) == sub_group_call::barrier);
    }
    assign_slots(result);
    find_access_groups();
    for (unsigned region = 0; region <= m_barriers.size(); ++region) result.regions.push_back(make_region(region));
    return result;
  }

private:
  /// If a kernel can skip a barrier, the path around it leads on to the next barrier, so each region would contain the
  /// paths around all later barriers. Regions may therefore also end where the path around a barrier meets the path
  /// through the barrier. All work-items that reach the branch get to this place.
  void cut_where_ways_meet() {
    if (!m_request.is_common) return;
    llvm::DenseMap<const llvm::BasicBlock*, unsigned> barriers;  // barriers in the blocks that a block dominates
    unsigned all = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(m_function)) {
      const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      // A variable of unknown size would not outlive its region.
      if (variable && !llvm::isa<llvm::ConstantInt>(variable->getArraySize())) return;
      if (!is_barrier(instruction)) continue;
      ++barriers[instruction.getParent()];
      ++all;
    }
    if (all <= most_without_cuts) return;
    llvm::DenseMap<const llvm::BasicBlock*, unsigned> own = barriers;
    const llvm::DominatorTree tree(m_function);
    const llvm::PostDominatorTree after(m_function);
    for (const auto* node : llvm::post_order(tree.getRootNode())) {
      if (node->getIDom()) barriers[node->getIDom()->getBlock()] += barriers.lookup(node->getBlock());
    }
    llvm::SmallSetVector<llvm::BasicBlock*, 16> meetings;
    for (llvm::BasicBlock& block : m_function) {
      if (block.getTerminator()->getNumSuccessors() < 2 || !tree.isReachableFromEntry(&block)) continue;
      const auto* meeting = after.getNode(&block) ? after.getNode(&block)->getIDom() : nullptr;
      llvm::BasicBlock* meet = meeting ? meeting->getBlock() : nullptr;
      if (!meet || !m_request.is_common(block) || !m_request.is_common(*meet)) continue;
      const unsigned behind = tree.dominates(&block, meet) ? barriers.lookup(meet) : 0;
      if (barriers.lookup(&block) > own.lookup(&block) + behind) meetings.insert(meet);
    }
    for (llvm::BasicBlock* meet : meetings) {
      llvm::IRBuilder<> builder(meet, meet->getFirstInsertionPt());
      create_barrier(builder, abi::scope::work_group);
    }
  }

  void collect_barriers() {
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(m_function))) {
      if (!is_barrier(instruction)) continue;
      auto& call = llvm::cast<llvm::CallInst>(instruction);
      const auto* fence = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
      // One thread runs all work-items of a group in order. Fences are only needed for other groups, on other threads.
      if (!fence || fence->getZExtValue() >= static_cast<std::uint64_t>(abi::scope::device)) {
        llvm::IRBuilder<>(&call).CreateFence(llvm::AtomicOrdering::AcquireRelease);
      }
      if (m_request.cut_sub_groups || sub_group_call_of(call) != sub_group_call::barrier) m_barriers.push_back(&call);
    }
  }

  /// Makes an entry block with static allocas and a jump. Each region copies this block, and jumps to its own code.
  void hoist_allocas() {
    llvm::BasicBlock& entry = m_function.getEntryBlock();
    llvm::BasicBlock* allocas = llvm::BasicBlock::Create(m_function.getContext(), "allocas", &m_function, &entry);
    llvm::Instruction* jump = llvm::BranchInst::Create(&entry, allocas);
    for (llvm::BasicBlock& block : m_function) {
      for (llvm::Instruction& instruction : llvm::make_early_inc_range(block)) {
        auto* alloca = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
        if (alloca && llvm::isa<llvm::ConstantInt>(alloca->getArraySize())) {
          alloca->moveBefore(*jump->getParent(), jump->getIterator());
        } else if (llvm::isa<llvm::LifetimeIntrinsic>(instruction)) {
          // Private variables exist as long as their region, so lifetime markers are removed.
          instruction.eraseFromParent();
        }
      }
    }
  }

  void isolate_barriers() {
    // Splits at the last barrier first. Each split moves the code behind the barrier. If the first barrier were split
    // first, code would be moved once for each barrier in front of the code.
    for (llvm::CallInst* barrier : llvm::reverse(m_barriers)) {
      llvm::SplitBlock(barrier->getParent(), barrier->getIterator());
      llvm::BasicBlock::iterator first_behind = std::next(barrier->getIterator());
      first_behind.setHeadBit(true);  // the new block begins with the debug records in front of the instruction
      m_resume.push_back(llvm::SplitBlock(barrier->getParent(), first_behind));
    }
    std::reverse(m_resume.begin(), m_resume.end());
  }

  void number_blocks() {
    for (llvm::BasicBlock& block : m_function) m_block_numbers.insert({&block, m_block_numbers.size()});
    for (unsigned k = 0; k < m_resume.size(); ++k) {
      m_barrier_numbers.insert({m_barriers[k]->getParent(), k});
      m_resume_numbers.insert({m_resume[k], k});
    }
  }

  // ------------------------------------------------------------------------------------------------- liveness

  static constexpr unsigned no_barrier = ~0u;

  /// Finds the first barrier behind which the value is needed, by going back from its uses to its definition. `reached`
  /// has this value's stamp for blocks that need the value at their beginning.
  unsigned first_barrier_across(const llvm::Instruction& value, std::vector<unsigned>& reached, unsigned stamp) const {
    unsigned first = no_barrier;
    llvm::SmallVector<const llvm::BasicBlock*, 16> blocks;
    const auto need_in = [&](const llvm::BasicBlock* block) {
      if (std::exchange(reached[m_block_numbers.lookup(block)], stamp) == stamp) return;
      const auto resume = m_resume_numbers.find(block);
      if (resume != m_resume_numbers.end()) first = std::min(first, resume->second);
      blocks.push_back(block);
    };
    const llvm::BasicBlock* home = value.getParent();
    for (const llvm::Use& use : value.uses()) {
      const auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      const auto* phi = llvm::dyn_cast<llvm::PHINode>(user);
      // A phi needs its operand at the end of the block from which the operand comes.
      const llvm::BasicBlock* block = phi ? phi->getIncomingBlock(use) : user->getParent();
      if (block != home) need_in(block);
    }
    while (!blocks.empty()) {
      for (const llvm::BasicBlock* before : llvm::predecessors(blocks.pop_back_val())) {
        if (before != home) need_in(before);
      }
    }
    return first;
  }

  /// Whether the instruction queries a number that becomes a constant or a lane's position when the sub-group becomes a
  /// vector.
  static bool is_place_in_sub_group(const llvm::Instruction& instruction) {
    const sub_group_call what = sub_group_call_of(instruction);
    return what == sub_group_call::size || what == sub_group_call::local_id || what == sub_group_call::local_range;
  }

  /// Whether `value` is a small expression of arguments, constants, loads from the argument block and positions in
  /// sub-groups.
  bool is_cheap(llvm::Value* value, unsigned& budget) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || llvm::isa<llvm::AllocaInst>(instruction)) return true;
    if (budget == 0 || llvm::isa<llvm::PHINode>(instruction)) return false;
    --budget;
    if (is_place_in_sub_group(*instruction)) return true;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
      if (!load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
    } else if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(instruction)) {
      if (binary->isIntDivRem()) return false;
    } else if (!llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst, llvm::SelectInst>(instruction)) {
      return false;
    }
    return llvm::all_of(instruction->operands(), [&](llvm::Value* operand) { return is_cheap(operand, budget); });
  }

  llvm::Value* copy_before(llvm::Value* value, llvm::Instruction* before) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || llvm::isa<llvm::AllocaInst>(instruction)) return value;
    llvm::Instruction* copy = instruction->clone();
    for (llvm::Use& operand : copy->operands()) operand.set(copy_before(operand.get(), before));
    copy->insertBefore(before->getIterator());
    return copy;
  }

  void rematerialise(llvm::Instruction* value) {
    llvm::DenseMap<llvm::BasicBlock*, llvm::Value*> at_end;  // all edges from one block to a phi need the same value
    for (llvm::Use& use : llvm::make_early_inc_range(value->uses())) {
      auto* user = llvm::cast<llvm::Instruction>(use.getUser());
      llvm::Instruction* before = user;
      if (auto* phi = llvm::dyn_cast<llvm::PHINode>(user)) before = phi->getIncomingBlock(use)->getTerminator();
      if (before->getParent() == value->getParent()) continue;
      if (llvm::isa<llvm::PHINode>(user)) {
        llvm::Value*& copy = at_end[before->getParent()];
        if (!copy) copy = copy_before(value, before);
        use.set(copy);
      } else {
        use.set(copy_before(value, before));
      }
    }
  }

  /// Returns the values, sorted by the first barrier across which each value lives, and then by program order, so that
  /// the layout of the context is the same in each compilation.
  std::vector<llvm::Instruction*> live_across_barriers() {
    struct crossing {
      unsigned barrier, number;
      llvm::Instruction* value;
    };
    std::vector<crossing> found;
    std::vector<unsigned> reached(m_block_numbers.size());
    unsigned number = 0;
    for (llvm::Instruction& instruction : llvm::instructions(m_function)) {
      if (llvm::isa<llvm::AllocaInst>(instruction)) continue;
      const unsigned barrier = first_barrier_across(instruction, reached, ++number);
      if (barrier != no_barrier) found.push_back({barrier, number, &instruction});
    }
    llvm::sort(found, [](const crossing& a, const crossing& b) {
      return std::pair(a.barrier, a.number) < std::pair(b.barrier, b.number);
    });
    std::vector<llvm::Instruction*> result;
    for (const crossing& each : found) result.push_back(each.value);
    return result;
  }

  /// Removes LCSSA phis, because each would be kept in addition to the loop's value, as a copy.
  void join_closed_values() {
    for (llvm::BasicBlock& block : m_function) {
      for (llvm::PHINode& phi : llvm::make_early_inc_range(block.phis())) {
        auto* value = phi.getNumIncomingValues() == 1 ? llvm::dyn_cast<llvm::Instruction>(phi.getIncomingValue(0))
                                                      : nullptr;
        // If work-items leave a loop in different iterations, a value that is uniform in the loop is not uniform behind
        // it.
        const bool same = value && m_request.is_uniform && m_request.is_uniform(phi) == m_request.is_uniform(*value);
        if (!same) continue;
        phi.replaceAllUsesWith(value);
        phi.eraseFromParent();
      }
    }
  }

  /// Stores values in allocas. Afterwards only allocas and arguments are live across a barrier.
  void demote_live_values() {
    join_closed_values();
    for (llvm::Instruction* value : live_across_barriers()) {
      unsigned budget = max_rematerialised;
      if (is_cheap(value, budget)) rematerialise(value);
    }
    llvm::BasicBlock::iterator at = m_function.getEntryBlock().begin();
    llvm::MapVector<llvm::AllocaInst*, llvm::PHINode*> phis;
    for (llvm::Instruction* instruction : live_across_barriers()) {
      const bool uniform = m_request.is_uniform && m_request.is_uniform(*instruction);
      auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction);
      if (phi) {
        // A copy of the phi is demoted, because LLVM's demotion of phis would put loads in front of other phis.
        llvm::Instruction* copy;
        if (phi->getType()->isAggregateType()) {
          copy = new llvm::FreezeInst(phi, "", phi->getParent()->getFirstInsertionPt());
        } else {
          copy = new llvm::BitCastInst(phi, phi->getType(), "", phi->getParent()->getFirstInsertionPt());
        }
        phi->replaceUsesWithIf(copy, [&](llvm::Use& use) { return use.getUser() != copy; });
        instruction = copy;
      }
      llvm::AllocaInst* slot = llvm::DemoteRegToStack(*instruction, false, at);
      if (!slot) continue;
      m_slots.insert(slot);
      if (uniform) m_uniform_slots.insert(slot);
      // An LCSSA phi (a loop's result behind the loop) is treated like a value that is not a phi.
      if (phi && phi->getNumIncomingValues() > 1) phis[slot] = phi;
    }
    const llvm::DominatorTree tree(m_function);
    llvm::SmallPtrSet<llvm::AllocaInst*, 16> joined;
    for (const auto& [slot, phi] : phis) join_slots(*phi, *slot, phis, tree, joined);
    for (const auto& [slot, phi] : phis) join_with_loop(*phi, *slot, phis, joined);
    m_slots.remove_if([&](llvm::AllocaInst* each) { return joined.contains(each); });
    for (llvm::AllocaInst* each : joined) each->eraseFromParent();
  }

  /// Gives a loop's phi and the value that it takes in the next iteration one slot, if they are not needed at the same
  /// time. So nothing is copied from slot to slot. `joined` gets the slots that are no longer used.
  void join_slots(llvm::PHINode& phi, llvm::AllocaInst& slot,
                  const llvm::MapVector<llvm::AllocaInst*, llvm::PHINode*>& phis, const llvm::DominatorTree& tree,
                  llvm::SmallPtrSetImpl<llvm::AllocaInst*>& joined) {
    for (llvm::Value* incoming : phi.incoming_values()) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(incoming);
      auto* next = load ? llvm::dyn_cast<llvm::AllocaInst>(load->getPointerOperand()) : nullptr;
      if (!next || phis.contains(next) || !m_slots.contains(next)) continue;
      if (m_uniform_slots.contains(next) != m_uniform_slots.contains(&slot)) continue;
      // The next value is not a phi, so there is only one store of it. Every load of the value comes after this store,
      // or after the phi has stored the same value.
      const auto store =
          llvm::find_if(next->users(), [](llvm::User* user) { return llvm::isa<llvm::StoreInst>(user); });
      if (store == next->user_end()) continue;
      auto& made = *llvm::cast<llvm::StoreInst>(*store);
      if (!tree.dominates(phi.getParent(), made.getParent()) || is_read_behind(slot, made, *phi.getParent())) continue;
      next->replaceAllUsesWith(&slot);
      m_uniform_slots.erase(next);
      joined.insert(next);
    }
  }

  /// Lets a value that joins results of loops share the slot of one of these loops, if they are not needed at the same
  /// time. Then work-items that leave this loop copy nothing.
  void join_with_loop(const llvm::PHINode& phi, llvm::AllocaInst& slot,
                      const llvm::MapVector<llvm::AllocaInst*, llvm::PHINode*>& phis,
                      llvm::SmallPtrSetImpl<llvm::AllocaInst*>& joined) {
    if (joined.contains(&slot) || m_uniform_slots.contains(&slot)) return;
    const auto stores_cross = [](llvm::AllocaInst& written, const llvm::AllocaInst& read, const llvm::BasicBlock& end) {
      return llvm::any_of(written.users(), [&](llvm::User* user) {
        auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
        return store && is_read_behind(read, *store, end);
      });
    };
    for (llvm::Value* incoming : phi.incoming_values()) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(incoming);
      auto* of_loop = load ? llvm::dyn_cast<llvm::AllocaInst>(load->getPointerOperand()) : nullptr;
      const auto loop = of_loop ? phis.find(of_loop) : phis.end();
      if (loop == phis.end() || of_loop == &slot || m_uniform_slots.contains(of_loop)) continue;
      if (of_loop->getAllocatedType() != slot.getAllocatedType() ||
          stores_cross(slot, *of_loop, *loop->second->getParent()) || stores_cross(*of_loop, slot, *phi.getParent()))
        continue;
      slot.replaceAllUsesWith(of_loop);
      joined.insert(&slot);
      return;
    }
  }

  /// Whether control may come from `store` to a load of the slot without passing `header`.
  static bool is_read_behind(const llvm::AllocaInst& slot, llvm::StoreInst& store, const llvm::BasicBlock& header) {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 8> readers;
    for (const llvm::User* user : slot.users()) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
      if (!load) continue;
      if (load->getParent() == store.getParent() && store.comesBefore(load)) return true;
      readers.insert(load->getParent());
    }
    llvm::SmallPtrSet<llvm::BasicBlock*, 16> reached;
    llvm::SmallVector<llvm::BasicBlock*, 16> blocks(llvm::successors(store.getParent()));
    while (!blocks.empty()) {
      llvm::BasicBlock* block = blocks.pop_back_val();
      if (block == &header || !reached.insert(block).second) continue;
      if (readers.contains(block)) return true;
      llvm::append_range(blocks, llvm::successors(block));
    }
    return false;
  }

  // ------------------------------------------------------------------------------------------------- context

  struct context_slot {
    llvm::AllocaInst* variable;
    std::uint64_t offset;  ///< bytes that the slots in front of this slot take per work-item
    std::uint64_t size;
    std::uint64_t element;  ///< size of an element if the array is spread (spread_elements); else 0
  };

  /// Whether the use stores the address or passes it on, so that any code may access the variable.
  static bool may_escape(const llvm::Use& use) {
    if (llvm::isa<llvm::StoreInst>(use.getUser()))
      return use.getOperandNo() != llvm::StoreInst::getPointerOperandIndex();
    const auto* call = llvm::dyn_cast<llvm::CallBase>(use.getUser());
    return call && !(call->isArgOperand(&use) && call->doesNotCapture(call->getArgOperandNo(&use)));
  }

  /// Whether code behind a barrier may use the variable, so that its contents have to survive. `behind` has the blocks
  /// that may run after a barrier.
  static bool survives(llvm::AllocaInst* variable, const llvm::SmallPtrSetImpl<const llvm::BasicBlock*>& behind) {
    llvm::SmallPtrSet<llvm::BasicBlock*, 16> users;
    llvm::SmallVector<llvm::Value*, 8> work{variable};
    llvm::SmallPtrSet<llvm::Value*, 16> seen;
    while (!work.empty()) {
      llvm::Value* value = work.pop_back_val();
      for (llvm::Use& use : value->uses()) {
        auto* instruction = llvm::dyn_cast<llvm::Instruction>(use.getUser());
        if (!instruction) continue;
        if (may_escape(use)) return true;
        if (!seen.insert(instruction).second) continue;
        users.insert(instruction->getParent());
        if (!instruction->getType()->isVoidTy()) work.push_back(instruction);
      }
    }
    return llvm::any_of(users, [&](llvm::BasicBlock* block) { return behind.contains(block); });
  }

  llvm::SmallPtrSet<const llvm::BasicBlock*, 16> blocks_behind_barriers() const {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> reached;
    llvm::SmallVector<const llvm::BasicBlock*, 16> blocks(m_resume.begin(), m_resume.end());
    while (!blocks.empty()) {
      const llvm::BasicBlock* block = blocks.pop_back_val();
      if (reached.insert(block).second) llvm::append_range(blocks, llvm::successors(block));
    }
    return reached;
  }

  void assign_slots(barrier_regions& result) {
    std::uint64_t offset = 0, uniform_offset = 0, most_aligned = 64;
    bool spreads = false;
    const llvm::SmallPtrSet<const llvm::BasicBlock*, 16> behind = blocks_behind_barriers();
    llvm::BitVector needed(m_slots.size());
    for (const llvm::BitVector& each : m_needed) needed |= each;
    for (llvm::Instruction& instruction : m_function.getEntryBlock()) {
      auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
      if (!variable) continue;
      const bool kept =
          is_register_slot(variable) ? needed.test(m_slot_numbers.lookup(variable)) : survives(variable, behind);
      if (!kept) continue;
      const llvm::Align alignment = variable->getAlign();
      most_aligned = std::max(most_aligned, alignment.value());
      const auto allocated = variable->getAllocationSize(m_layout);
      const std::uint64_t size =
          abi::align_bytes(allocated ? allocated->getFixedValue() : abi::too_many_bytes, alignment.value());
      const bool is_kept_once = m_uniform_slots.contains(variable);
      std::uint64_t& next = is_kept_once ? uniform_offset : offset;
      next = abi::align_bytes(next, alignment.value());
      if (is_kept_once) result.uniform_values.push_back({next, variable->getAllocatedType()});
      const bool may_spread = m_request.spread_arrays && m_request.is_uniform && !is_register_slot(variable) &&
                              counts_elements_together(*variable, m_request.is_uniform);
      const std::uint64_t element = may_spread ? element_bytes(*variable) : 0;
      spreads |= element != 0;
      m_context_numbers.insert({variable, m_context.size()});
      m_context.push_back({variable, next, size, element});
      next = abi::add_bytes(next, size);
    }
    if (spreads) offset = abi::add_bytes(offset, llvm::divideCeil(offset, more_items));
    m_spreads = spreads;
    // The slots of work-items follow these bytes, so the rounding aligns these slots as well.
    m_uniform_bytes = llvm::alignTo(uniform_offset, most_aligned);
    result.context_alignment = most_aligned;
    result.uniform_bytes = m_uniform_bytes;
    result.item_bytes = offset;
    // The bytes of the values that are kept once are added to the bytes of each work-item, so that even a group of one
    // work-item has space for them.
    result.context_bytes_per_item = abi::add_bytes(abi::align_bytes(offset, 64), 2 * m_uniform_bytes);
  }

  bool is_register_slot(const llvm::AllocaInst* variable) const { return m_slot_numbers.contains(variable); }

  /// Returns the number of work-items for which slots have space. If the number of work-items is a multiple of
  /// even_items, the result is a little larger. Without the additional space, all elements of a work-item would be in
  /// one or a few sets of a cache.
  llvm::Value* items_with_room(llvm::IRBuilder<>& builder, const llvm::Function& region) const {
    llvm::Value* count = region.getArg(parameter_item_count);
    if (!m_spreads) return count;
    llvm::Value* is_even = builder.CreateIsNull(builder.CreateAnd(count, builder.getInt64(even_items - 1)));
    return builder.CreateNUWAdd(count, builder.CreateSelect(is_even, builder.getInt64(even_items / more_items),
                                                            builder.getInt64(0)));
  }

  llvm::Value* context_address(llvm::IRBuilder<>& builder, const llvm::Function& region, const context_slot& slot,
                               llvm::Value* items, bool write) {
    llvm::Value* context = region.getArg(parameter_context);
    if (m_uniform_slots.contains(slot.variable)) {
      return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), context,
                                                slot.offset + (write ? m_uniform_bytes : 0));
    }
    llvm::Value* item = region.getArg(parameter_item);
    const std::uint64_t step = slot.element != 0 ? slot.element : slot.size;
    llvm::Value* offset = builder.CreateNUWAdd(builder.CreateNUWMul(items, builder.getInt64(slot.offset)),
                                               builder.CreateNUWMul(item, builder.getInt64(step)));
    if (m_uniform_bytes != 0) offset = builder.CreateNUWAdd(offset, builder.getInt64(2 * m_uniform_bytes));
    return builder.CreatePtrAdd(context, offset);
  }

  /// Finds the slots that may be read behind each barrier before they are written, by backward iteration to a fixed
  /// point.
  void find_needed_slots() {
    for (llvm::AllocaInst* slot : m_slots) m_slot_numbers.insert({slot, m_slot_numbers.size()});
    struct slots_of_block {
      llvm::BitVector needed, written;
    };
    llvm::DenseMap<llvm::BasicBlock*, slots_of_block> slots;
    for (llvm::BasicBlock& block : m_function) {
      slots_of_block& here = slots[&block];
      here.needed.resize(m_slots.size());
      here.written.resize(m_slots.size());
      for (llvm::Instruction& instruction : block) {
        const auto* slot = llvm::dyn_cast_or_null<llvm::AllocaInst>(llvm::getLoadStorePointerOperand(&instruction));
        const auto found = m_slot_numbers.find(slot);
        if (found == m_slot_numbers.end()) continue;
        const bool reads = llvm::isa<llvm::LoadInst>(instruction);
        if (reads && !here.written.test(found->second)) here.needed.set(found->second);
        if (!reads) here.written.set(found->second);
      }
    }
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::BasicBlock& block : llvm::reverse(m_function)) {
        slots_of_block& here = slots[&block];
        for (llvm::BasicBlock* next : llvm::successors(&block)) {
          llvm::BitVector behind = slots[next].needed;
          behind.reset(here.written);
          changed |= behind.test(here.needed);
          here.needed |= behind;
        }
      }
    }
    for (llvm::BasicBlock* resume : m_resume) m_needed.push_back(slots[resume].needed);
  }

  bool needed_behind(unsigned barrier, const llvm::AllocaInst* slot) const {
    return m_needed[barrier].test(m_slot_numbers.lookup(slot));
  }

  // ------------------------------------------------------------------------------------------------- regions

  /// The parts of the function that belong to a region. Each list is in program order.
  struct region_parts {
    llvm::SmallVector<const llvm::BasicBlock*, 16> blocks;  ///< from the region's beginning up to barriers
    llvm::SmallVector<unsigned, 4> barriers;                ///< the barriers at which the region stops
    /// Variables that the region uses, and the entry block's jump.
    llvm::SmallVector<const llvm::Instruction*, 16> front;
    llvm::SmallVector<unsigned, 16> context;                ///< numbers in m_context of those variables that are kept
  };

  region_parts parts_of(unsigned number) const {
    region_parts parts;
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> reached;
    llvm::SmallVector<const llvm::BasicBlock*, 16> blocks;
    if (number > 0) {
      blocks.push_back(m_resume[number - 1]);
    } else {
      llvm::append_range(blocks, llvm::successors(&m_function.getEntryBlock()));
    }
    while (!blocks.empty()) {
      const llvm::BasicBlock* block = blocks.pop_back_val();
      if (!reached.insert(block).second) continue;
      parts.blocks.push_back(block);
      const auto barrier = m_barrier_numbers.find(block);
      if (barrier != m_barrier_numbers.end()) {
        parts.barriers.push_back(barrier->second);
      } else {
        llvm::append_range(blocks, llvm::successors(block));
      }
    }
    llvm::sort(parts.barriers);
    llvm::sort(parts.blocks, [&](const llvm::BasicBlock* a, const llvm::BasicBlock* b) {
      return m_block_numbers.lookup(a) < m_block_numbers.lookup(b);
    });
    find_variables(number, parts);
    return parts;
  }

  void find_variables(unsigned number, region_parts& parts) const {
    llvm::SmallPtrSet<const llvm::AllocaInst*, 16> used;
    const auto add = [&](const llvm::Value* value) {
      const auto* variable = llvm::dyn_cast_or_null<llvm::AllocaInst>(value);
      if (variable && variable->getParent() == &m_function.getEntryBlock()) used.insert(variable);
    };
    for (const llvm::BasicBlock* block : parts.blocks) {
      for (const llvm::Instruction& instruction : *block) {
        for (const llvm::Value* operand : instruction.operands()) add(operand);
        for (const llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
          for (const llvm::Value* location : record.location_ops()) add(location);
        }
      }
    }
    // Between two regions, all uniform values are replaced by the bytes that the region wrote. So a region also has to
    // write the values that it only passes on.
    for (const unsigned barrier : parts.barriers) {
      if (m_uniform_slots.empty()) break;
      for (const unsigned slot : m_needed[barrier].set_bits()) {
        if (m_uniform_slots.contains(m_slots[slot])) used.insert(m_slots[slot]);
      }
    }
    parts.front.append(used.begin(), used.end());
    llvm::sort(parts.front, [](const auto* a, const auto* b) { return a->comesBefore(b); });
    for (const llvm::Instruction* each : parts.front) {
      const auto kept = m_context_numbers.find(llvm::cast<llvm::AllocaInst>(each));
      if (kept != m_context_numbers.end()) parts.context.push_back(kept->second);
    }
    parts.front.push_back(m_function.getEntryBlock().getTerminator());
  }

  /// Collects the access groups for which the loops around the regions are declared parallel.
  void find_access_groups() {
    for (llvm::Instruction& instruction : llvm::instructions(m_function)) {
      if (llvm::MDNode* group = instruction.getMetadata(llvm::LLVMContext::MD_access_group))
        m_access_groups.insert(group);
    }
  }

  /// Returns the region's slots in the order of their creation.
  llvm::SmallVector<llvm::AllocaInst*, 16> slots_in(const region_parts& parts) const {
    llvm::SmallVector<unsigned, 16> numbers;
    for (const llvm::Instruction* each : parts.front) {
      const auto slot = m_slot_numbers.find(llvm::dyn_cast<llvm::AllocaInst>(each));
      if (slot != m_slot_numbers.end()) numbers.push_back(slot->second);
    }
    llvm::sort(numbers);
    llvm::SmallVector<llvm::AllocaInst*, 16> slots;
    for (const unsigned each : numbers) slots.push_back(m_slots[each]);
    return slots;
  }

  llvm::Function* make_region(unsigned number) {
    llvm::ValueToValueMapTy map;
    for (llvm::MDNode* group : m_access_groups) map.MD()[group].reset(group);
    const region_parts parts = parts_of(number);
    llvm::Function* region = clone_blocks(m_function, parts.front, parts.blocks, map);
    region->removeFnAttr(llvm::Attribute::NoReturn);
    region->setName(m_function.getName() + ".region" + llvm::Twine(number));
    llvm::BasicBlock& entry = region->getEntryBlock();
    llvm::IRBuilder<> builder(entry.getTerminator());

    llvm::SmallPtrSet<const llvm::Instruction*, 16> accesses;  // accesses to slots that may become registers
    llvm::DenseMap<llvm::AllocaInst*, llvm::Value*> addresses;  // where the region stores such slots
    llvm::Value* items = m_context.empty() ? nullptr : items_with_room(builder, *region);
    for (const unsigned kept_number : parts.context) {
      const context_slot& slot = m_context[kept_number];
      auto* variable = llvm::cast<llvm::AllocaInst>(map[slot.variable]);
      llvm::Value* address = context_address(builder, *region, slot, items, /*write=*/false);
      if (slot.element != 0) spread_elements(*variable, slot.element, address, items);
      if (!is_register_slot(slot.variable)) {
        variable->replaceAllUsesWith(address);
        continue;
      }
      const bool kept_once = m_uniform_slots.contains(slot.variable);
      addresses[slot.variable] = kept_once ? context_address(builder, *region, slot, items, /*write=*/true) : address;
      if (number > 0 && needed_behind(number - 1, slot.variable)) {
        llvm::LoadInst* load = builder.CreateLoad(variable->getAllocatedType(), address);
        accesses.insert(load);
        builder.CreateStore(load, variable);
      }
    }
    if (number > 0) {
      entry.getTerminator()->eraseFromParent();
      llvm::BranchInst::Create(llvm::cast<llvm::BasicBlock>(map[m_resume[number - 1]]), &entry);
    }
    llvm::SmallVector<llvm::WeakVH, 16> kept;  // an entry becomes null if its block is removed as unreachable
    for (const unsigned k : parts.barriers) {
      auto* barrier = llvm::cast<llvm::CallInst>(map[m_barriers[k]]);
      llvm::BasicBlock* block = barrier->getParent();
      builder.SetInsertPoint(barrier);
      for (const unsigned kept_number : parts.context) {
        const context_slot& slot = m_context[kept_number];
        if (!is_register_slot(slot.variable) || !needed_behind(k, slot.variable)) continue;
        auto* variable = llvm::cast<llvm::AllocaInst>(map[slot.variable]);
        kept.push_back(
            builder.CreateStore(builder.CreateLoad(variable->getAllocatedType(), variable), addresses[slot.variable]));
        accesses.insert(llvm::cast<llvm::Instruction>(static_cast<llvm::Value*>(kept.back())));
      }
      builder.CreateRet(builder.getInt32(k + 1));
      // Removes the jump to the resume block. This block has no phis, because the jump was its only predecessor. Debug
      // records in front of the barrier are dropped, because they would otherwise follow the return.
      block->back().eraseFromParent();
      barrier->dropDbgRecords();
      barrier->eraseFromParent();
    }
    llvm::removeUnreachableBlocks(*region);
    llvm::DominatorTree tree(*region);
    llvm::SmallVector<llvm::AllocaInst*, 16> promotable;
    for (llvm::AllocaInst* slot : slots_in(parts)) {
      auto* variable = llvm::cast<llvm::AllocaInst>(map[slot]);
      if (llvm::isAllocaPromotable(variable)) promotable.push_back(variable);
    }
    llvm::PromoteMemToReg(promotable, tree);
    for (const llvm::WeakVH& each : kept) {
      auto* store = llvm::cast_or_null<llvm::StoreInst>(static_cast<llvm::Value*>(each));
      if (!store) continue;
      // A value that the region does not change need not be stored again at a barrier: the value is still in the place
      // from which the region has read it. Uniform values are always stored, because a region reads and writes them at
      // different addresses.
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(behind_copies(store->getValueOperand()));
      if (load && load->getPointerOperand() == store->getPointerOperand()) store->eraseFromParent();
    }
    set_apart(*region, accesses);
    region->addFnAttr(llvm::Attribute::AlwaysInline);
    return region;
  }

  /// Tells LLVM by alias scopes that only `accesses` use the memory of kept values. Otherwise LLVM would load values
  /// again after each store of a work-item.
  void set_apart(llvm::Function& region, const llvm::SmallPtrSetImpl<const llvm::Instruction*>& accesses) const {
    llvm::MDBuilder builder(region.getContext());
    llvm::MDNode* scope = builder.createAnonymousAliasScope(builder.createAnonymousAliasScopeDomain());
    llvm::MDNode* scopes = llvm::MDNode::get(region.getContext(), {scope});
    for (llvm::Instruction& instruction : llvm::instructions(region)) {
      if (!instruction.mayReadOrWriteMemory() || llvm::isa<llvm::FenceInst>(instruction)) continue;
      const unsigned kind =
          accesses.contains(&instruction) ? llvm::LLVMContext::MD_alias_scope : llvm::LLVMContext::MD_noalias;
      instruction.setMetadata(kind, llvm::MDNode::concatenate(instruction.getMetadata(kind), scopes));
    }
  }

  llvm::Function& m_function;
  const split_request& m_request;
  const llvm::DataLayout& m_layout;
  llvm::SmallVector<llvm::CallInst*, 8> m_barriers;
  llvm::SmallVector<llvm::BasicBlock*, 8> m_resume;        ///< the block behind each barrier
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> m_block_numbers;    ///< positions of blocks in the function
  /// For each block that ends with a barrier, the barrier's number.
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> m_barrier_numbers;
  llvm::DenseMap<const llvm::BasicBlock*, unsigned> m_resume_numbers;   ///< indices in m_resume
  llvm::SmallSetVector<llvm::AllocaInst*, 16> m_slots;     ///< allocas that this pass made for values
  llvm::DenseMap<const llvm::AllocaInst*, unsigned> m_slot_numbers;  ///< indices in m_slots
  std::vector<llvm::BitVector> m_needed;                   ///< for each barrier, numbers of the slots needed behind it
  llvm::SmallPtrSet<llvm::AllocaInst*, 16> m_uniform_slots;
  std::uint64_t m_uniform_bytes = 0;
  bool m_spreads = false;  ///< whether an array is spread (spread_elements)
  std::vector<context_slot> m_context;
  llvm::DenseMap<const llvm::AllocaInst*, unsigned> m_context_numbers;  ///< indices in m_context
  llvm::SmallSetVector<llvm::MDNode*, 2> m_access_groups;
};

} // namespace

barrier_regions split_at_barriers(llvm::Function& work_item, const split_request& request) {
  return region_splitter(work_item, request).run();
}

} // namespace sinter::passes
