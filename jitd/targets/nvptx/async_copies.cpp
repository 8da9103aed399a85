#include "async_copies.hpp"

#include <map>
#include <optional>
#include <tuple>

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/MemoryLocation.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "targets/gpu/accessor_places.hpp"
#include "targets/gpu/dialect.hpp"

namespace sinter::jit::nvptx {
namespace {

/// A copy consists of pieces of 8 or 16 bytes. With smaller pieces, a copy would take as many instructions as a copy
/// through registers.
constexpr std::uint64_t small_piece = 8, large_piece = 16, most_copied = 64;

/// A load and the store of the loaded value. For a memcpy, load and store are the same instruction.
struct memory_copy {
  llvm::Instruction *load, *store;
  llvm::Value *from, *to;
  std::uint64_t bytes, piece;
  /// The first instructions after the copy at which work-items meet, or which may access the copied memory.
  llvm::SmallSetVector<llvm::Instruction*, 4> ends{};

  llvm::MemoryLocation source() const { return llvm::MemoryLocation(from, llvm::LocationSize::precise(bytes)); }
  llvm::MemoryLocation target() const { return llvm::MemoryLocation(to, llvm::LocationSize::precise(bytes)); }
};

/// Returns the instruction if it loads or stores a matrix, otherwise null.
const llvm::IntrinsicInst* as_matrix_access(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  const bool is_matrix = call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.wmma.");
  return is_matrix && call->arg_size() > 0 && call->getArgOperand(0)->getType()->isPointerTy() ? call : nullptr;
}

bool is_matrix_load(const llvm::Instruction& instruction) {
  const auto* call = as_matrix_access(instruction);
  return call && call->onlyReadsMemory();
}

/// Whether the instruction is a barrier of all work-items of the group, without another effect.
bool is_group_barrier(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all &&
         llvm::isa<llvm::ConstantInt>(call->getArgOperand(0)) &&
         llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->isZero();
}

/// Whether the instruction may show earlier writes of this work-item to other work-items. Such instructions are
/// barriers, fences, atomic accesses, and unknown calls.
bool is_meeting(const llvm::Instruction& instruction) {
  if (!instruction.mayReadOrWriteMemory()) return false;
  if (instruction.isAtomic() || instruction.isVolatile()) return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (!call || call->onlyAccessesArgMemory() || call->onlyAccessesInaccessibleMemory()) return false;
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
  return !intrinsic || !(intrinsic->isAssumeLikeIntrinsic() || intrinsic->isLifetimeStartOrEnd());
}

/// An address as a sum of a constant and of products: some bits of a value, times a factor. If one work-item copies
/// several pieces, the indices of these pieces differ in bits that do not depend on the work-item. These bits show that
/// the pieces are different.
struct address_sum {
  using bits = std::tuple<const llvm::Value*, unsigned, std::uint64_t>;  ///< the bits are (value >> second) & third

  std::map<bits, std::int64_t> terms{};
  std::int64_t constant = 0;

  void add(const llvm::Value* value, std::int64_t factor, unsigned shift = 0, std::uint64_t mask = ~std::uint64_t{0}) {
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(value);
    if (known && known->getBitWidth() <= 64) {
      constant += factor * static_cast<std::int64_t>(known->getZExtValue() >> shift & mask);
      return;
    }
    const bool whole = shift == 0 && mask == ~std::uint64_t{0};
    const auto* made = llvm::dyn_cast<llvm::Operator>(value);
    const llvm::Value* first = made && made->getNumOperands() > 0 ? made->getOperand(0) : nullptr;
    const auto* second =
        made && made->getNumOperands() > 1 ? llvm::dyn_cast<llvm::ConstantInt>(made->getOperand(1)) : nullptr;
    switch (made ? made->getOpcode() : 0) {
      case llvm::Instruction::ZExt:
        return add(first, factor, shift, mask);
      case llvm::Instruction::Or:
        // If the two sides have no common bits, the "or" is a sum.
        if (!llvm::cast<llvm::PossiblyDisjointInst>(made)->isDisjoint()) break;
        add(first, factor, shift, mask);
        return add(made->getOperand(1), factor, shift, mask);
      case llvm::Instruction::Add:
        if (!whole || !made->getType()->isIntegerTy(64)) break;
        add(first, factor);
        return add(made->getOperand(1), factor);
      case llvm::Instruction::Mul:
        if (!whole || !second || !made->getType()->isIntegerTy(64)) break;
        return add(first, factor * second->getSExtValue());
      case llvm::Instruction::Shl:
        if (!whole || !second || !made->getType()->isIntegerTy(64)) break;
        return add(first, factor << second->getZExtValue());
      case llvm::Instruction::LShr:
        if (!second || mask != ~std::uint64_t{0}) break;
        return add(first, factor, shift + static_cast<unsigned>(second->getZExtValue()), mask);
      case llvm::Instruction::And:
        if (!second || mask != ~std::uint64_t{0}) break;
        return add(first, factor, shift, second->getZExtValue() >> shift);
      default:
        break;
    }
    terms[{value, shift, mask}] += factor;
  }

  address_sum(const llvm::Value* address, const llvm::DataLayout& layout) {
    while (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(address)) {
      llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> offsets;
      llvm::APInt fixed(64, 0);
      const unsigned width = layout.getIndexTypeSizeInBits(step->getType());
      if (width != 64 || !step->collectOffset(layout, width, offsets, fixed)) break;
      constant += fixed.getSExtValue();
      for (const auto& [index, factor] : offsets) add(index, factor.getSExtValue());
      address = step->getPointerOperand();
    }
    terms[{address, 0, ~std::uint64_t{0}}] += 1;
  }
};

class copy_search {
public:
  copy_search(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves, llvm::AAResults& aliases,
              llvm::ScalarEvolution& numbers, const llvm::LoopInfo& loops)
      : m_aliases(aliases), m_numbers(numbers), m_loops(loops) {
    for (llvm::Instruction& each : llvm::instructions(entry)) {
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
      const unsigned place = load ? gpu::place_read_by(*load, entry, leaves) : 0;
      if (place != 0) m_places.insert({load, place});
    }
  }

  /// Returns the copy that ends with this instruction, if it can be done in pieces that need no registers.
  std::optional<memory_copy> copy_at(llvm::Instruction& instruction) {
    llvm::Align alignment;
    memory_copy copy{};
    if (auto* whole = llvm::dyn_cast<llvm::MemCpyInst>(&instruction)) {
      const auto* length = llvm::dyn_cast<llvm::ConstantInt>(whole->getLength());
      if (!length || whole->isVolatile()) return {};
      copy = {whole, whole, whole->getRawSource(), whole->getRawDest(), length->getZExtValue(), 0};
      alignment = std::min(whole->getSourceAlign().valueOrOne(), whole->getDestAlign().valueOrOne());
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(store->getValueOperand());
      if (!load || !load->hasOneUse() || load->getParent() != store->getParent()) return {};
      const auto bytes = store->getDataLayout().getTypeStoreSize(load->getType());
      if (!load->isSimple() || !store->isSimple() || bytes.isScalable()) return {};
      copy = {load, store, load->getPointerOperand(), store->getPointerOperand(), bytes.getFixedValue(), 0};
      alignment = std::min(load->getAlign(), store->getAlign());
    } else {
      return {};
    }
    if (copy.from->getType()->getPointerAddressSpace() != gpu::global_space ||
        copy.to->getType()->getPointerAddressSpace() != gpu::shared_space)
      return {};
    copy.piece = copy.bytes % large_piece == 0 && alignment >= large_piece ? large_piece : small_piece;
    if (copy.bytes == 0 || copy.bytes > most_copied) return {};
    if (copy.bytes % copy.piece != 0 || alignment < copy.piece) return {};
    for (llvm::Instruction* each = copy.load; each != copy.store; each = each->getNextNode()) {
      if (each != copy.load && (is_meeting(*each) || writes(*each, copy.source()))) return {};
    }
    return copy;
  }

  /// Whether the copy may continue in the background. Finds its ends: the instructions at which the work-item has to
  /// wait for the copy.
  bool may_go_on(memory_copy& copy) {
    if (!is_source_settled(copy)) return false;
    const llvm::Loop* loop = m_loops.getLoopFor(copy.store->getParent());
    // Follows the control flow to the copy's ends. An end may be in the same iteration of the copy's loop, in a later
    // iteration, or in another run of the loop.
    llvm::SmallSet<std::pair<llvm::BasicBlock*, way>, 16> seen;
    llvm::SmallVector<std::pair<llvm::BasicBlock*, way>, 16> work;
    bool fits = true;
    const auto follow = [&](llvm::BasicBlock* block, way when, llvm::BasicBlock::iterator first) {
      for (llvm::Instruction& each : llvm::make_range(first, block->end())) {
        if (is_meeting(each)) return static_cast<void>(copy.ends.insert(&each));
        if (!each.mayReadOrWriteMemory() || is_matrix_load(each) || !meets(each, copy)) continue;
        if (!loop || !loop->contains(block)) {
          // Behind a loop, the copies of all iterations may be under way, but the known address is only the address of
          // the last copy.
          if (!loop && are_apart(copy, each, nullptr)) continue;
          return static_cast<void>(copy.ends.insert(&each));
        }
        fits &= when != way::again && are_apart(copy, each, when == way::later ? loop : nullptr);
      }
      for (llvm::BasicBlock* next : llvm::successors(block)) {
        way then = when;
        if (loop && next == loop->getHeader()) then = loop->contains(block) ? std::max(when, way::later) : way::again;
        if (seen.insert({next, then}).second) work.push_back({next, then});
      }
    };
    follow(copy.store->getParent(), way::now, std::next(copy.store->getIterator()));
    while (fits && !work.empty()) {
      const auto [block, when] = work.pop_back_val();
      follow(block, when, block->begin());
    }
    return fits;
  }

  /// Whether a work-item could notice, between this barrier and the barriers that follow, that the copy is still under
  /// way. If no work-item could notice this, `next` gets the barriers that follow.
  bool is_seen_behind(const memory_copy& copy, llvm::Instruction& barrier,
                      llvm::SmallVectorImpl<llvm::Instruction*>& next) {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
    llvm::SmallVector<llvm::BasicBlock*, 16> work;
    bool is_seen = false;
    const auto follow = [&](llvm::BasicBlock* block, llvm::BasicBlock::iterator first) {
      for (llvm::Instruction& each : llvm::make_range(first, block->end())) {
        if (is_group_barrier(each)) return next.push_back(&each);
        // A flag may tell other work-items that the copy has ended.
        if (is_meeting(each) || (each.mayReadOrWriteMemory() && meets(each, copy))) {
          is_seen = true;
          return;
        }
      }
      for (llvm::BasicBlock* then : llvm::successors(block)) {
        if (seen.insert(then).second) work.push_back(then);
      }
    };
    follow(barrier.getParent(), std::next(barrier.getIterator()));
    while (!is_seen && !work.empty()) {
      llvm::BasicBlock* block = work.pop_back_val();
      follow(block, block->begin());
    }
    return is_seen;
  }

  /// Returns the number of the local accessor into which an address leads, or 0 if it is unknown. Each such address is
  /// a sum. One of its summands, at any position, is the place of one accessor.
  unsigned accessor_of(const llvm::Value* address) const;

private:
  enum class way { now, later, again };

  bool writes(llvm::Instruction& instruction, const llvm::MemoryLocation& location) {
    return instruction.mayWriteToMemory() && llvm::isModSet(m_aliases.getModRefInfo(&instruction, location));
  }

  /// Whether the work-item has not written to the source since it last met other work-items.
  bool is_source_settled(const memory_copy& copy) {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen;
    llvm::SmallVector<llvm::BasicBlock*, 16> work;
    bool settled = true;
    const auto look_back = [&](llvm::BasicBlock& block, llvm::BasicBlock::reverse_iterator first) {
      for (llvm::Instruction& each : llvm::make_range(first, block.rend())) {
        if (is_meeting(each)) return;
        if (writes(each, copy.source())) settled = false;
      }
      for (llvm::BasicBlock* before : llvm::predecessors(&block)) {
        if (seen.insert(before).second) work.push_back(before);
      }
    };
    look_back(*copy.load->getParent(), std::next(copy.load->getReverseIterator()));
    while (settled && !work.empty()) {
      llvm::BasicBlock* block = work.pop_back_val();
      look_back(*block, block->rbegin());
    }
    return settled;
  }

  /// Returns the memory that an instruction writes or reads in one access, or nothing if it is unknown.
  static std::optional<llvm::MemoryLocation> place_of(const llvm::Instruction& instruction) {
    if (const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction)) {
      // The source must be global memory, because the result describes only the destination.
      if (copy->getSourceAddressSpace() != gpu::global_space) return {};
      return llvm::MemoryLocation::getForDest(copy);
    }
    if (const auto* matrix = as_matrix_access(instruction))
      return llvm::MemoryLocation::getBeforeOrAfter(matrix->getArgOperand(0));
    return llvm::MemoryLocation::getOrNone(&instruction);
  }

  /// Whether an instruction may access the copy's destination, or write to its source.
  bool meets(llvm::Instruction& instruction, const memory_copy& copy) {
    if (writes(instruction, copy.source())) return true;
    if (!llvm::isModOrRefSet(m_aliases.getModRefInfo(&instruction, copy.target()))) return false;
    const auto place = place_of(instruction);
    return !place || !are_other_accessors(copy.to, place->Ptr);
  }

  bool are_other_accessors(const llvm::Value* first, const llvm::Value* second) const {
    const unsigned of_first = accessor_of(first), of_second = accessor_of(second);
    return of_first != 0 && of_second != 0 && of_first != of_second;
  }

  /// Returns the distance from the copy's destination to another address, if it is known.
  std::optional<std::int64_t> distance(const memory_copy& copy, const llvm::Value* other) {
    const llvm::DataLayout& layout = copy.store->getDataLayout();
    const address_sum here(copy.to, layout), there(other, layout);
    if (here.terms == there.terms) return there.constant - here.constant;
    const llvm::SCEV* known =
        m_numbers.getMinusSCEV(m_numbers.getSCEV(const_cast<llvm::Value*>(other)), m_numbers.getSCEV(copy.to));
    if (const auto* number = llvm::dyn_cast<llvm::SCEVConstant>(known)) return number->getAPInt().getSExtValue();
    return {};
  }

  /// Whether the other instruction accesses local memory, but none of the bytes that the copy writes. If `loop` is
  /// given, this must hold for all iterations of the loop.
  bool are_apart(const memory_copy& copy, const llvm::Instruction& other, const llvm::Loop* loop) {
    const auto place = place_of(other);
    if (!place || place->Ptr->getType()->getPointerAddressSpace() != gpu::shared_space || !place->Size.isPrecise())
      return false;
    const auto far = distance(copy, place->Ptr);
    if (!far) return false;
    const auto copied = static_cast<std::int64_t>(copy.bytes);
    const auto accessed = static_cast<std::int64_t>(place->Size.getValue().getFixedValue());
    const bool same = &other == copy.store;
    if (!same && *far < copied && -*far < accessed) return false;
    if (!loop) return true;
    const auto* turn = llvm::dyn_cast<llvm::SCEVAddRecExpr>(m_numbers.getSCEV(copy.to));
    if (!turn || turn->getLoop() != loop || !turn->isAffine()) return false;
    const llvm::SCEV* step = turn->getStepRecurrence(m_numbers);
    if (const auto* known = llvm::dyn_cast<llvm::SCEVConstant>(step)) {
      const std::int64_t period = std::abs(known->getAPInt().getSExtValue());
      if (period < copied) return false;
      const std::int64_t rest = ((*far % period) + period) % period;
      return rest == 0 ? same : rest >= copied && rest <= period - accessed;
    }
    return same && m_numbers.getSignedRangeMin(step).sge(copied);
  }

  /// Numbers of the accessors whose places these loads read from the argument block.
  llvm::DenseMap<const llvm::Value*, unsigned> m_places{};
  llvm::AAResults& m_aliases;
  llvm::ScalarEvolution& m_numbers;
  const llvm::LoopInfo& m_loops;
};

unsigned copy_search::accessor_of(const llvm::Value* address) const {
  unsigned found = 0;
  llvm::SmallPtrSet<const llvm::Value*, 16> seen;
  llvm::SmallVector<const llvm::Value*, 16> work{address};
  while (!work.empty()) {
    const llvm::Value* each = work.pop_back_val();
    if (llvm::isa<llvm::GlobalVariable>(each) || !seen.insert(each).second) continue;
    if (const unsigned place = m_places.lookup(each)) {
      if (found != 0 && found != place) return 0;
      found = place;
    } else if (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(each)) {
      work.push_back(step->getPointerOperand());
      const bool counts_bytes = step->getSourceElementType()->isIntegerTy(8) && step->getNumIndices() == 1;
      if (counts_bytes) work.push_back(step->getOperand(1));
    } else if (const auto* several = llvm::dyn_cast<llvm::PHINode>(each)) {
      // All operands of a pointer phi have to lead to the same accessor.
      if (several->getType()->isPointerTy()) work.append(several->op_begin(), several->op_end());
    } else if (const auto* sum = llvm::dyn_cast<llvm::AddOperator>(each)) {
      work.append(sum->op_begin(), sum->op_end());
    } else if (const auto* aligned = llvm::dyn_cast<llvm::BinaryOperator>(each);
               aligned && aligned->getOpcode() == llvm::Instruction::And && m_places.contains(aligned->getOperand(0))) {
      work.push_back(aligned->getOperand(0));
    } else if (each->getType()->isPointerTy()) {
      return 0;
    }
  }
  return found;
}

/// Decides at which barrier work-items wait for each copy: at the last barrier before a work-item may access the copied
/// memory. If only a later iteration uses a tile, this barrier is not the next barrier. Copies are put into groups,
/// because the instruction that waits states how many groups may still be under way.
class copy_groups {
public:
  copy_groups(copy_search& search, const llvm::LoopInfo& loops, llvm::ArrayRef<memory_copy> copies)
      : m_search(search), m_loops(loops), m_copies(copies) {}

  void wait() {
    llvm::SmallVector<waits, 16> found;
    bool pass = false;
    for (const memory_copy& copy : m_copies) {
      found.push_back(waits_of(copy));
      pass |= found.back().passes;
    }
    if (pass) commit();
    llvm::MapVector<llvm::Instruction*, unsigned> pending;
    for (const auto& [copy, each] : llvm::zip_equal(m_copies, found)) count(copy, each.places, pending);
    for (const auto& [place, number] : pending) {
      llvm::IRBuilder<> builder(place);
      if (number == 0) {
        builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::nvvm_cp_async_wait_all, {});
      } else {
        builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::nvvm_cp_async_wait_group,
                                {builder.getInt32(number)});
      }
    }
  }

private:
  struct waits {
    llvm::SmallPtrSet<llvm::Instruction*, 8> places{};
    bool passes = false;  ///< whether the copy may still run when a barrier is passed
  };

  waits waits_of(const memory_copy& copy) {
    waits found;
    llvm::SmallPtrSet<llvm::Instruction*, 8> seen(copy.ends.begin(), copy.ends.end());
    llvm::SmallVector<llvm::Instruction*, 8> work(copy.ends.begin(), copy.ends.end()), next;
    while (!work.empty()) {
      llvm::Instruction* end = work.pop_back_val();
      next.clear();
      if (!is_group_barrier(*end) || m_search.is_seen_behind(copy, *end, next)) {
        found.places.insert(end);
        continue;
      }
      found.passes = true;
      for (llvm::Instruction* each : next) {
        if (seen.insert(each).second) work.push_back(each);
      }
    }
    return found;
  }

  /// A group ends at each barrier, because every iteration of a loop reaches the barriers, even an iteration that
  /// copies nothing. Copies in front of all loops, whose data the first iterations of a loop use, form groups of their
  /// own.
  void commit() {
    llvm::SmallSetVector<llvm::Instruction*, 16> barriers;
    for (std::size_t i = 0; i < m_copies.size(); ++i) {
      const memory_copy& copy = m_copies[i];
      for (llvm::Instruction* end : copy.ends) {
        if (is_group_barrier(*end)) barriers.insert(end);
      }
      const bool in_front = m_loops.getLoopFor(copy.store->getParent()) == nullptr;
      const memory_copy* next = i + 1 < m_copies.size() ? &m_copies[i + 1] : nullptr;
      const bool goes_on = next && next->store->getParent() == copy.store->getParent() && next->ends == copy.ends &&
                           m_search.accessor_of(next->to) == m_search.accessor_of(copy.to);
      if (in_front && !goes_on) commit(*copy.store->getNextNode());
    }
    for (llvm::Instruction* each : barriers) commit(*each);
  }
  void commit(llvm::Instruction& place) {
    llvm::IRBuilder<> builder(&place);
    m_commits.insert(
        builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::nvvm_cp_async_commit_group, {}));
  }

  /// For each instruction that waits for the copy, notes how many groups end between the copy's own group and this
  /// instruction, on the shortest path.
  void count(const memory_copy& copy, const llvm::SmallPtrSet<llvm::Instruction*, 8>& places,
             llvm::MapVector<llvm::Instruction*, unsigned>& pending) {
    llvm::DenseMap<llvm::BasicBlock*, unsigned> fewest;
    llvm::SmallVector<std::pair<llvm::BasicBlock*, unsigned>, 16> work;
    const auto follow = [&](llvm::BasicBlock* block, llvm::BasicBlock::iterator first, unsigned groups) {
      for (llvm::Instruction& each : llvm::make_range(first, block->end())) {
        groups += m_commits.contains(&each);
        if (!places.contains(&each)) continue;
        const unsigned behind = groups > 0 ? groups - 1 : 0;
        const auto [known, is_new] = pending.insert({&each, behind});
        known->second = std::min(known->second, behind);
        return;
      }
      for (llvm::BasicBlock* then : llvm::successors(block)) {
        const auto [known, is_new] = fewest.insert({then, groups});
        if (!is_new && known->second <= groups) continue;
        known->second = groups;
        work.push_back({then, groups});
      }
    };
    follow(copy.store->getParent(), std::next(copy.store->getIterator()), 0);
    while (!work.empty()) {
      const auto [block, groups] = work.pop_back_val();
      if (groups == fewest.lookup(block)) follow(block, block->begin(), groups);
    }
  }

  copy_search& m_search;
  const llvm::LoopInfo& m_loops;
  llvm::ArrayRef<memory_copy> m_copies;
  llvm::SmallPtrSet<const llvm::Instruction*, 16> m_commits{};
};

/// Copies a piece by an instruction that makes the second-level cache fetch the whole line of 128 bytes. LLVM has no
/// intrinsic for this instruction. If a tile's row is a part of a line, the next part is needed soon: with LLVM's
/// instruction, a product of halfs with rows of 64 bytes took 1.7 times as long as with nvcc.
void copy_piece(llvm::IRBuilder<>& builder, llvm::Value* to, llvm::Value* from, std::uint64_t bytes) {
  const std::string where = bytes == large_piece ? "cg" : "ca";
  llvm::InlineAsm* code = llvm::InlineAsm::get(
      llvm::FunctionType::get(builder.getVoidTy(), {to->getType(), from->getType()}, false),
      "cp.async." + where + ".shared.global.L2::128B [$0], [$1], " + std::to_string(bytes) + ";", "l,l,~{memory}",
      /*hasSideEffects=*/true);
  builder.CreateCall(code, {to, from});
}

}  // namespace

void copy_asynchronously(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves, llvm::AAResults& aliases,
                         llvm::ScalarEvolution& numbers, const llvm::LoopInfo& loops) {
  copy_search search(entry, leaves, aliases, numbers, loops);
  llvm::SmallVector<memory_copy, 16> copies;
  for (llvm::BasicBlock& block : entry) {
    for (llvm::Instruction& instruction : block) {
      auto copy = search.copy_at(instruction);
      if (copy && search.may_go_on(*copy)) copies.push_back(std::move(*copy));
    }
  }
  if (copies.empty()) return;
  copy_groups(search, loops, copies).wait();
  for (const memory_copy& copy : copies) {
    llvm::IRBuilder<> builder(copy.store);
    for (std::uint64_t done = 0; done < copy.bytes; done += copy.piece) {
      copy_piece(builder, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copy.to, done),
                 builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copy.from, done), copy.piece);
    }
    copy.store->eraseFromParent();
    if (copy.load != copy.store) copy.load->eraseFromParent();
  }
}

}  // namespace sinter::jit::nvptx
