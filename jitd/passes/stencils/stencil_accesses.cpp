#include "stencil_accesses.hpp"

#include <abi/planted_error.hpp>
#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "id_pieces.hpp"
#include "passes/called_names.hpp"
#include "passes/llvm_versions.hpp"
#include "passes/pass_runner.hpp"
#include "shared_sums.hpp"
#include "value_bounds.hpp"
#include "whole_windows.hpp"

namespace sinter::passes {
namespace {

// A position farther than this from both ends of a range does not count as a border.
constexpr std::int64_t widest_border = 64;

/// If `load` loads an argument, returns the argument's offset in the argument block. Otherwise returns nothing.
std::optional<std::int64_t> place_in_block(const llvm::LoadInst& load, const llvm::DataLayout& layout) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(load.getPointerOperandType()), 0);
  const llvm::Value* base = load.getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  const auto* argument = llvm::dyn_cast<llvm::Argument>(base);
  if (!argument || argument->getArgNo() != 0) return std::nullopt;
  return offset.getSExtValue();
}

std::int64_t saturated(wide_number value) {
  constexpr wide_number most = std::int64_t{1} << 40;
  return static_cast<std::int64_t>(std::clamp(value, -most, most));
}

wide_number whole_steps(wide_number a, wide_number b) { return a / b - (a % b < 0 ? 1 : 0); }
std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

}  // namespace

namespace {

bool user_chooses_way(const llvm::User& user) {
  const auto* end = llvm::dyn_cast<llvm::Instruction>(&user);
  return end && end->isTerminator() && end->getNumSuccessors() > 1;
}

/// Whether an index, a comparison or a divisor is computed from `number`, or the kernel's control flow depends on it.
/// Divisors are included because vectors divide fast only by constants.
bool reaches_index(const llvm::Instruction& number) {
  llvm::SmallPtrSet<const llvm::Instruction*, 16> seen{&number};
  llvm::SmallVector<const llvm::Instruction*, 16> open{&number};
  while (!open.empty()) {
    const llvm::Instruction* value = open.pop_back_val();
    for (const llvm::User* user : value->users()) {
      if (llvm::isa<llvm::GetElementPtrInst, llvm::ICmpInst>(user) || user_chooses_way(*user)) return true;
      const auto* division = llvm::dyn_cast<llvm::BinaryOperator>(user);
      if (division && division->isIntDivRem() && division->getOperand(1) == value) return true;
      const auto* next = llvm::dyn_cast<llvm::Instruction>(user);
      if (next && next->getType()->isIntegerTy() && seen.insert(next).second) open.push_back(next);
    }
  }
  return false;
}

/// Replaces known arguments by numbers.
void write_known(llvm::Function& kernel, const std::vector<argument_bytes>& known) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction); load && load->getType()->isIntegerTy()) {
      const auto at = place_in_block(*load, layout);
      const std::uint64_t size = layout.getTypeStoreSize(load->getType());
      if (!at || size > 8 || load->getType()->getIntegerBitWidth() != 8 * size) continue;
      for (const argument_bytes& each : known) {
        const std::int64_t from = *at - static_cast<std::int64_t>(each.offset);
        if (from < 0 || static_cast<std::uint64_t>(from) + size > each.bytes.size()) continue;
        std::uint64_t number = 0;
        std::memcpy(&number, each.bytes.data() + from, size);
        load->replaceAllUsesWith(llvm::ConstantInt::get(load->getType(), number));
        load->eraseFromParent();
        break;
      }
    }
  }
}

/// Replaces queries of the range by numbers and bounds.
void write_range(llvm::Function& kernel, const fusion_range& range) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    auto* dimension =
        call && call->arg_size() == 1 ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0)) : nullptr;
    if (!dimension || !call->getType()->isIntegerTy(64)) continue;
    const llvm::StringRef name = called_name(*call);
    const auto d = static_cast<unsigned>(dimension->getZExtValue() % 3);
    const std::uint64_t first = range.offset[d], count = range.global[d];
    std::optional<std::uint64_t> value;
    if (name == "__sinter_global_range") value = count;
    if (name == "__sinter_global_offset") value = first;
    if (name == "__sinter_global_id" && count == 1) value = first;
    if (value) {
      call->replaceAllUsesWith(llvm::ConstantInt::get(call->getType(), *value));
      call->eraseFromParent();
    } else if (name == "__sinter_global_id") {
      call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(64, first), llvm::APInt(64, first + count)));
      call->addRetAttr(llvm::Attribute::NoUndef);
    }
  }
}

}  // namespace

std::vector<argument_place> numbers_of_indices(const llvm::Function& kernel) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  std::vector<argument_place> places;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    const auto at = load && load->getType()->isIntegerTy() ? place_in_block(*load, layout) : std::nullopt;
    if (!at || *at < 0 || layout.getTypeStoreSize(load->getType()) > 8 || !reaches_index(*load)) continue;
    places.push_back({static_cast<std::uint32_t>(*at),
                      static_cast<std::uint32_t>(layout.getTypeStoreSize(load->getType()))});
  }
  return places;
}

namespace {

/// Simplifies the kernel, and replaces arguments in `known` by numbers.
void simplify_indices(llvm::Function& kernel, const std::vector<argument_bytes>& known) {
  // LLVM can multiply the operands of a select by a row's length only if the length is a constant.
  llvm::FunctionPassManager sums;
  sums.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  // clang passes small structures as vectors of two numbers. These vectors are split, because rows of work-items become
  // vectors instead.
  llvm::ScalarizerPassOptions all;
  all.ScalarizeLoadStore = true;
  sums.addPass(llvm::ScalarizerPass(all));
  sums.addPass(llvm::EarlyCSEPass());
  sums.addPass(llvm::InstCombinePass());
  sums.addPass(llvm::SimplifyCFGPass());
  pass_runner().run(kernel, std::move(sums));
  write_known(kernel, known);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::CorrelatedValuePropagationPass());
  passes.addPass(llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions().sinkCommonInsts(true)));
  passes.addPass(llvm::EarlyCSEPass());
  pass_runner().run(kernel, std::move(passes));
}

}  // namespace

void specialize_for_launch(llvm::Function& kernel, const fusion_range& range,
                           const std::vector<argument_bytes>& known) {
  write_range(kernel, range);
  simplify_indices(kernel, known);
  unroll_windows(kernel);
  share_sums(kernel);
}

void specialize_visits(llvm::Function& kernel, const std::vector<argument_bytes>& known) {
  simplify_indices(kernel, known);
}

void specialize_view(llvm::Function& view, const fusion_range& range) { write_range(view, range); }

class stencil_analysis::implementation {
public:
  implementation(llvm::Function& kernel, const fusion_range& range)
      : m_kernel(kernel),
        m_layout(kernel.getParent()->getDataLayout()),
        m_range(range),
        m_assumptions(kernel),
        m_values(&m_assumptions, &m_layout),
        m_tree(kernel),
        m_post_tree(kernel),
        m_loops(m_tree) {}

  // ------------------------------------------------------------------------------------------------- accesses

  std::string collect(const std::function<bool(unsigned leaf)>& is_wanted, atomics others,
                      std::vector<stencil_access>& accesses) {
    for (llvm::Instruction& instruction : llvm::instructions(m_kernel)) {
      llvm::Value* address = nullptr;
      std::uint64_t bytes = 0;
      bool is_write = false, plain = true;
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
        if (place_in_block(*load, m_layout)) continue;
        address = load->getPointerOperand();
        bytes = m_layout.getTypeStoreSize(load->getType());
        plain = load->isSimple();
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
        address = store->getPointerOperand();
        bytes = m_layout.getTypeStoreSize(store->getValueOperand()->getType());
        is_write = true;
        plain = store->isSimple();
      } else if (auto* memory = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
        bool hits = reaches_wanted(memory->getDest(), is_wanted);
        if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(memory))
          hits |= reaches_wanted(copy->getSource(), is_wanted);
        if (hits) return "it copies whole blocks of memory";
        continue;
      } else if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst, llvm::FenceInst>(instruction)) {
        const bool is_elsewhere = llvm::isa<llvm::FenceInst>(instruction) ||
                                  !reaches_wanted(instruction.getOperand(0), is_wanted);
        if (others == atomics::elsewhere && is_elsewhere) continue;
        return "it does an atomic operation";
      } else {
        continue;
      }
      if (!reaches_wanted(address, is_wanted)) continue;
      if (!plain) return "it does an atomic or volatile access";
      stencil_access access{&instruction, 0, is_write, bytes};
      llvm::Value* base = split_address(address, access);
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(base);
      const auto leaf = load ? place_in_block(*load, m_layout) : std::nullopt;
      if (!leaf || *leaf < 0) return "its pointers are chosen while it runs";
      access.leaf = static_cast<unsigned>(*leaf);
      accesses.push_back(std::move(access));
    }
    return {};
  }

  bool is_certain(const llvm::Instruction& access) const {
    return m_post_tree.dominates(access.getParent(), &m_kernel.getEntryBlock()) &&
           !m_loops.getLoopFor(access.getParent());
  }

  bool may_follow(const llvm::Instruction& later, const llvm::Instruction& earlier) const {
    return llvm::isPotentiallyReachable(&earlier, &later, nullptr, &m_tree, &m_loops);
  }

  // ------------------------------------------------------------------------------------------------- places

  std::string find_layout(const stencil_access& write, element_layout& layout) {
    wide_number base = write.constant;
    wide_number steps[3] = {0, 0, 0};
    for (const index_part& term : write.terms) {
      if (!add_ids(term.value, term.factor, steps, base, *write.instruction, 0)) {
        return "it writes other elements than its own";
      }
    }
    layout.base = saturated(base);
    wide_number faster = 0;  // extent in bytes of all faster dimensions
    for (unsigned d = 3; d-- > 0;) {
      layout.step[d] = 0;
      if (m_range.global[d] == 1) continue;
      if (steps[d] <= 0) return "several work-items write the same element";
      layout.step[d] = saturated(steps[d]);
      if (steps[d] < faster) return "its elements do not lie in the order of its work-items";
      if (faster == 0) layout.element_bytes = layout.step[d];
      faster = steps[d] * static_cast<wide_number>(m_range.global[d]);
    }
    if (faster == 0) return "it has one work-item";
    return {};
  }

  std::string place(stencil_access& access, const element_layout& layout) {
    m_context = access.instruction;
    m_why.clear();
    m_pieces.clear();
    for (const index_part& term : access.terms) {
      if (!assign(term.value, term.factor, access, layout, 0)) return m_why.empty() ? far_from_own : m_why;
    }
    std::int64_t rest = access.constant - layout.base;
    for (unsigned d = 0; d < 3; ++d) {
      const std::int64_t step = layout.step[d];
      if (step == 0) continue;
      std::int64_t steps = floor_divide(rest, step);
      if (step != layout.element_bytes) {
        // In short rows, an access may be more than half a row away from its work-item, so rounding could yield another
        // row. The bounds of the faster dimensions decide to which row the access belongs.
        const interval within = sum(bytes_within(access, layout, d), {rest, rest});
        const wide_number first = whole_steps(within.low, step), last = whole_steps(within.high, step);
        steps = first == last ? saturated(first) : floor_divide(rest + step / 2, step);
      }
      access.shift[d] += steps;
      rest -= steps * step;
    }
    if (rest < 0 ||
        static_cast<std::uint64_t>(rest) + access.bytes > static_cast<std::uint64_t>(layout.element_bytes)) {
      return "an access reaches into two elements";
    }
    access.within = static_cast<std::uint64_t>(rest);
    for (unsigned d = 0; d < 3; ++d) {
      if (layout.step[d] != 0) find_box(access, d);
    }
    return {};
  }

  // ------------------------------------------------------------------------------------------------- borders

  inner_ids find_inner(unsigned d) {
    const auto begin = static_cast<std::int64_t>(m_range.offset[d]);
    const std::int64_t end = begin + static_cast<std::int64_t>(m_range.global[d]);
    inner_ids inner{{begin, end}, {}};
    std::vector<std::pair<llvm::Instruction*, id_pieces>> all;
    for (llvm::Instruction& each : llvm::instructions(m_kernel)) {
      if (!each.getType()->isIntegerTy() || each.getType()->getIntegerBitWidth() > 64) continue;
      if (id_dimension(&each) || dependence(&each) != 1u << d) continue;
      m_context = &each;
      m_pieces.clear();
      all.emplace_back(&each, pieces(&each, d, 0));
      // The value is a different linear function in each piece, so borders lie between pieces.
      for (const id_piece& piece : all.back().second) {
        for (const std::int64_t at : {saturated(piece.ids.low), saturated(piece.ids.high) + 1}) {
          if (at <= begin || at >= end) continue;
          if (at - begin <= end - at && at - begin <= widest_border) inner.ids.first = std::max(inner.ids.first, at);
          if (at - begin > end - at && end - at <= widest_border) inner.ids.last = std::min(inner.ids.last, at);
        }
      }
    }
    inner.ids.last = std::max(inner.ids.first, inner.ids.last);
    const interval ids{inner.ids.first, inner.ids.last - 1};
    for (const auto& [value, pieces_of_all] : all) {
      std::optional<id_piece> only;
      bool is_simple = true;
      for (const id_piece& piece : pieces_of_all) {
        if (common(piece.ids, ids).empty()) continue;
        is_simple &= piece.rest.low == piece.rest.high;
        is_simple &= !only || (only->slope == piece.slope && only->rest == piece.rest);
        only = piece;
      }
      if (!only || !is_simple) continue;
      inner.values.push_back({value, saturated(only->slope), saturated(only->rest.low)});
    }
    return inner;
  }

private:
  static constexpr const char* far_from_own = "its index is no sum of the work-item's ids, numbers and clamped values";

  bool reaches_wanted(llvm::Value* address, const std::function<bool(unsigned leaf)>& is_wanted) const {
    llvm::SmallVector<const llvm::Value*, 8> objects;
    llvm::getUnderlyingObjects(address, objects, nullptr, 0);
    return llvm::any_of(objects, [&](const llvm::Value* object) {
      if (llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(object)) return false;
      if (object == m_kernel.getArg(0) || called_name(*object) == "__sinter_group_scratch") return false;
      const auto* load = llvm::dyn_cast<llvm::LoadInst>(object);
      const auto leaf = load ? place_in_block(*load, m_layout) : std::nullopt;
      return !leaf || is_wanted(static_cast<unsigned>(*leaf));
    });
  }

  /// Returns the base of the address, and adds its constant and its terms to the access.
  llvm::Value* split_address(llvm::Value* address, stencil_access& access) const {
    while (true) {
      if (auto* gep = llvm::dyn_cast<llvm::GEPOperator>(address)) {
        variable_offsets variable;
        llvm::APInt constant(64, 0);
        if (!gep->collectOffset(m_layout, 64, variable, constant)) return address;
        access.constant += constant.getSExtValue();
        for (const auto& [value, scale] : variable) access.terms.push_back({value, scale.getSExtValue()});
        address = gep->getPointerOperand();
      } else if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastInst>(address)) {
        address = cast->getPointerOperand();
      } else if (auto* freeze = llvm::dyn_cast<llvm::FreezeInst>(address)) {
        address = freeze->getOperand(0);
      } else {
        return address;
      }
    }
  }

  // ------------------------------------------------------------------------------------------------- values

  std::optional<unsigned> id_dimension(const llvm::Value* value) const {
    if (called_name(*value) != "__sinter_global_id") return std::nullopt;
    return static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(llvm::cast<llvm::CallBase>(value)->getArgOperand(0))
                                     ->getZExtValue() % 3);
  }

  // The fourth bit of a dependence says that the value depends on loaded data. The first three bits are the dimensions.
  static constexpr unsigned of_data = 8;
  /// The dimensions on whose ids the value depends.
  unsigned dependence(const llvm::Value* value) {
    if (llvm::isa<llvm::Constant, llvm::Argument>(value)) return 0;
    if (const auto d = id_dimension(value)) return 1u << *d;
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction) return of_data;
    auto [known, inserted] = m_dependence.insert({value, 0});
    if (!inserted) return known->second;
    unsigned result = 0;
    if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
      result = place_in_block(*load, m_layout) ? 0 : of_data;
    } else if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) {
      result = of_data;
    } else {
      for (const llvm::Value* operand : instruction->operands()) {
        if (!llvm::isa<llvm::BasicBlock, llvm::Function>(operand)) result |= dependence(operand);
      }
    }
    return m_dependence[value] = result;
  }

  llvm::ConstantRange range_at(llvm::Value* value) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value)) return llvm::ConstantRange(constant->getValue());
    // The range must be queried where the value is defined, and a phi's operand may not be defined at m_context.
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    const bool is_there = !instruction || m_tree.dominates(instruction, m_context);
    llvm::Instruction* where = is_there ? m_context : instruction->getParent()->getTerminator();
    // LLVM's analysis gives up if the code has many blocks, for example in unrolled windows with conditions. Then only
    // m_bounds gives bounds.
    return m_values.getConstantRange(value, where, /*UndefAllowed=*/false).intersectWith(m_bounds.of(*value));
  }
  interval numbers_of(llvm::Value* value) {
    const llvm::ConstantRange range = range_at(value);
    if (range.isEmptySet()) return {0, 0};
    return {range.getSignedMin().getSExtValue(), range.getSignedMax().getSExtValue()};
  }
  bool fits_signed(const interval& range, unsigned bits) const {
    const wide_number most = (wide_number{1} << (bits - 1)) - 1;
    return range.low >= -most - 1 && range.high <= most;
  }

  /// Recognises a + b or a - b that does not wrap.
  bool is_exact_sum(llvm::Instruction& instruction, llvm::Value*& a, llvm::Value*& b, std::int64_t& sign) {
    using namespace llvm::PatternMatch;
    sign = 1;
    if (match(&instruction, m_AddLike(m_Value(a), m_Value(b)))) {
    } else if (match(&instruction, m_Sub(m_Value(a), m_Value(b)))) {
      sign = -1;
    } else {
      return false;
    }
    if (auto* binary = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&instruction);
        binary && binary->hasNoSignedWrap())
      return true;
    if (llvm::isa<llvm::PossiblyDisjointInst>(instruction)) return true;
    return fits_signed(sum(numbers_of(a), product(numbers_of(b), sign)), instruction.getType()->getIntegerBitWidth());
  }
  /// Recognises a * factor that does not wrap.
  bool is_exact_product(llvm::Instruction& instruction, llvm::Value*& a, std::int64_t& factor) {
    using namespace llvm::PatternMatch;
    const llvm::APInt *number = nullptr, *back = nullptr;
    if (match(&instruction, m_c_Mul(m_Value(a), m_APInt(number)))) {
      if (number->getSignificantBits() > 62) return false;
      factor = number->getSExtValue();
    } else if (match(&instruction, m_Shl(m_Value(a), m_APInt(number))) && number->ult(62)) {
      factor = std::int64_t{1} << number->getZExtValue();
    } else if (match(&instruction, m_Shr(m_Shl(m_Value(a), m_APInt(number)), m_APInt(back))) && number->ult(62) &&
               back->ule(*number)) {
      // A shift to the left and a shorter shift to the right extend a number and multiply it.
      factor = std::int64_t{1} << (*number - *back).getZExtValue();
      const interval numbers = numbers_of(a);
      const bool keeps_sign = instruction.getOpcode() == llvm::Instruction::AShr || numbers.low >= 0;
      return keeps_sign && fits_signed(product(numbers, wide_number{1} << number->getZExtValue()),
                                       instruction.getType()->getIntegerBitWidth());
    } else {
      return false;
    }
    auto* binary = llvm::cast<llvm::OverflowingBinaryOperator>(&instruction);
    return binary->hasNoSignedWrap() ||
           fits_signed(product(numbers_of(a), factor), instruction.getType()->getIntegerBitWidth());
  }
  /// Returns the operand if the instruction only changes the operand's number of bits. Otherwise returns null.
  llvm::Value* same_number(llvm::Instruction& instruction) {
    llvm::Value* from = instruction.getNumOperands() == 1 ? instruction.getOperand(0) : nullptr;
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Freeze:
      case llvm::Instruction::SExt: return from;
      case llvm::Instruction::ZExt:
        if (from->getType()->isIntegerTy(1)) return nullptr;
        return instruction.hasNonNeg() || numbers_of(from).low >= 0 ? from : nullptr;
      case llvm::Instruction::Trunc:
        return fits_signed(numbers_of(from), instruction.getType()->getIntegerBitWidth()) ? from : nullptr;
      default: return nullptr;
    }
  }

  /// Adds a part of a write's address to the steps of each dimension and to the constant. The part must be a sum of
  /// ids.
  bool add_ids(llvm::Value* value, wide_number factor, wide_number (&steps)[3], wide_number& constant,
               llvm::Instruction& context, unsigned depth) {
    m_context = &context;
    if (depth > 24) return false;
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      constant += factor * number->getSExtValue();
      return true;
    }
    if (const auto d = id_dimension(value)) {
      steps[*d] += factor;
      return true;
    }
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction) return false;
    llvm::Value *a = nullptr, *b = nullptr;
    std::int64_t number = 0;
    if (llvm::Value* same = same_number(*instruction))
      return add_ids(same, factor, steps, constant, context, depth + 1);
    if (is_exact_sum(*instruction, a, b, number)) {
      return add_ids(a, factor, steps, constant, context, depth + 1) &&
             add_ids(b, factor * number, steps, constant, context, depth + 1);
    }
    if (is_exact_product(*instruction, a, number))
      return add_ids(a, factor * number, steps, constant, context, depth + 1);
    return false;
  }

  bool no(const char* why) {
    if (m_why.empty()) m_why = why;
    return false;
  }

  /// Adds value * factor to one coordinate. The step of the coordinate's dimension must divide the factor, and the
  /// value must not depend on other dimensions. Sums are split into such values.
  bool assign(llvm::Value* value, std::int64_t factor, stencil_access& access, const element_layout& layout,
              unsigned depth) {
    if (depth > 24) return false;
    const unsigned mask = dependence(value);
    if ((mask & of_data) != 0) return no("its index is read from memory");
    if (auto* number = llvm::dyn_cast<llvm::ConstantInt>(value)) {
      access.constant += factor * number->getSExtValue();
      return true;
    }
    for (unsigned d = 0; d < 3; ++d) {
      if (layout.step[d] == 0 || factor % layout.step[d] != 0 || (mask & ~(1u << d)) != 0) continue;
      access.parts[d].push_back({value, factor / layout.step[d]});
      return true;
    }
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction) return false;
    llvm::Value *a = nullptr, *b = nullptr;
    std::int64_t number = 0;
    if (llvm::Value* same = same_number(*instruction)) return assign(same, factor, access, layout, depth + 1);
    if (is_exact_sum(*instruction, a, b, number)) {
      return assign(a, factor, access, layout, depth + 1) && assign(b, factor * number, access, layout, depth + 1);
    }
    if (is_exact_product(*instruction, a, number)) return assign(a, factor * number, access, layout, depth + 1);
    return false;
  }

  // ------------------------------------------------------------------------------------------------- boxes

  id_pieces pieces_of_parts(const stencil_access& access, unsigned d) {
    id_pieces place{{ids_of(d), 0, {access.shift[d], access.shift[d]}}};
    for (const index_part& part : access.parts[d]) place = sum(place, product(pieces(part.value, d, 0), part.factor));
    return place;
  }

  /// The bounds of the bytes that all faster dimensions add to an access's address.
  interval bytes_within(const stencil_access& access, const element_layout& layout, unsigned d) {
    interval bytes{0, 0};
    for (unsigned faster = d + 1; faster < 3; ++faster) {
      const id_pieces place = pieces_of_parts(access, faster);
      if (layout.step[faster] == 0 || place.empty()) continue;
      const wide_number first = m_range.offset[faster];
      bytes = sum(bytes, product(sum(numbers_in(place), {-first, -first}), layout.step[faster]));
    }
    return bytes;
  }

  void find_box(stencil_access& access, unsigned d) {
    id_pieces place = pieces_of_parts(access, d);
    if (place.empty()) place = {{ids_of(d), 1, {0, 0}}};  // without pieces, the access never happens
    const interval all = numbers_in(place), box = distance_from_id(place);
    access.least[d] = saturated(all.low);
    access.most[d] = saturated(all.high);
    access.footprint.low[d] = saturated(box.low);
    access.footprint.high[d] = saturated(box.high);
  }

  interval ids_of(unsigned d) const {
    const wide_number first = m_range.offset[d];
    return {first, first + m_range.global[d] - 1};
  }

  id_pieces one_of(const interval& numbers, unsigned d) const { return {{ids_of(d), 0, numbers}}; }

  /// The pieces of the value, read as a signed number, along dimension d. The pieces are valid at the access m_context.
  id_pieces pieces(llvm::Value* value, unsigned d, unsigned depth) {
    const interval known = numbers_of(value);
    if (depth > 24 || (dependence(value) & (1u << d)) == 0) return one_of(known, d);
    if (id_dimension(value)) return limited({{ids_of(d), 1, {0, 0}}}, known);
    auto [at, inserted] = m_pieces.insert({{value, d}, {}});
    if (!inserted && !at->second.empty()) return at->second;
    id_pieces found = limited(pieces_of_known_kind(*llvm::cast<llvm::Instruction>(value), d, depth + 1), known);
    return m_pieces[{value, d}] = std::move(found);
  }

  id_pieces pieces_of_known_kind(llvm::Instruction& instruction, unsigned d, unsigned depth) {
    using namespace llvm::PatternMatch;
    if (!instruction.getType()->isIntegerTy()) return one_of(numbers_of(&instruction), d);
    const unsigned bits = instruction.getType()->getIntegerBitWidth();
    const auto of = [&](unsigned i) { return pieces(instruction.getOperand(i), d, depth); };
    const id_pieces zero = one_of({0, 0}, d);
    llvm::Value *a = nullptr, *b = nullptr;
    const llvm::APInt* number = nullptr;
    if (bits == 1) return chosen(truths(&instruction, d, depth), one_of({-1, -1}, d), zero);
    if (auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction))
      return chosen(truths(select->getCondition(), d, depth), of(1), of(2));
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(&instruction)) return pieces_of_either(*phi, d, depth);
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) return pieces_of_call(*call, d, depth);
    if (match(&instruction, m_AddLike(m_Value(a), m_Value(b))))
      return as_bits(sum(pieces(a, d, depth), pieces(b, d, depth)), instruction, bits);
    if (match(&instruction, m_Sub(m_Value(a), m_Value(b))))
      return as_bits(sum(pieces(a, d, depth), product(pieces(b, d, depth), -1)), instruction, bits);
    if (match(&instruction, m_c_Mul(m_Value(a), m_APInt(number))) && number->getSignificantBits() < 62)
      return as_bits(product(pieces(a, d, depth), number->getSExtValue()), instruction, bits);
    if (match(&instruction, m_Shl(m_Value(a), m_APInt(number))) && number->ult(62))
      return as_bits(product(pieces(a, d, depth), wide_number{1} << number->getZExtValue()), instruction, bits);
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Freeze: return of(0);
      case llvm::Instruction::Trunc: return as_bits(of(0), instruction, bits);
      case llvm::Instruction::SExt: return of(0);
      case llvm::Instruction::ZExt:
        return as_unsigned(of(0), instruction.getOperand(0)->getType()->getIntegerBitWidth());
      case llvm::Instruction::AShr:
        if (match(instruction.getOperand(1), m_APInt(number)) && number->ult(bits))
          return floor_quotient(of(0), wide_number{1} << number->getZExtValue());
        break;
      case llvm::Instruction::LShr:
        if (match(instruction.getOperand(1), m_APInt(number)) && number->ult(bits))
          return floor_quotient(as_unsigned(of(0), bits), wide_number{1} << number->getZExtValue());
        break;
      case llvm::Instruction::And:
        if (match(instruction.getOperand(1), m_LowBitMask(number)) && number->getActiveBits() < 62)
          return floor_remainder(of(0), wide_number{1} << number->getActiveBits());
        [[fallthrough]];
      case llvm::Instruction::Xor: return pieces_of_mask(instruction, d, depth);
      case llvm::Instruction::URem:
        if (match(instruction.getOperand(1), m_APInt(number)) && is_period(*number))
          return floor_remainder(as_unsigned(of(0), bits), number->getSExtValue());
        break;
      case llvm::Instruction::SRem:
        if (match(instruction.getOperand(1), m_APInt(number)) && is_period(*number))
          return signed_remainder(of(0), number->getSExtValue());
        break;
      default: break;
    }
    return one_of(numbers_of(&instruction), d);
  }

  static bool is_period(const llvm::APInt& number) {
    return number.isStrictlyPositive() && number.getActiveBits() <= 40;
  }

  /// If the numbers of a piece may not fit into `bits` bits, replaces the piece with the interval of all numbers of
  /// `bits` bits. If the instruction promises not to wrap (nsw), all pieces stay.
  id_pieces as_bits(const id_pieces& exact, llvm::Instruction& instruction, unsigned bits) const {
    const wide_number beyond = wide_number{1} << (bits - 1);
    const auto* wrapping = llvm::dyn_cast<llvm::OverflowingBinaryOperator>(&instruction);
    if (wrapping && wrapping->hasNoSignedWrap()) return exact;
    id_pieces result;
    for (const id_piece& each : exact) {
      const bool fits = fits_signed(each.numbers(), bits);
      result.push_back(fits ? each : id_piece{each.ids, 0, {-beyond, beyond - 1}});
    }
    return result;
  }

  /// The pieces of x & m and x ^ m for an m that is all ones or zero. Compilers use these for tests of a sign.
  id_pieces pieces_of_mask(llvm::Instruction& instruction, unsigned d, unsigned depth) {
    const bool is_and = instruction.getOpcode() == llvm::Instruction::And;
    for (const unsigned mask : {1u, 0u}) {
      const id_pieces of = pieces(instruction.getOperand(mask), d, depth);
      if (!std::all_of(of.begin(), of.end(), [](const id_piece& each) {
            return each.slope == 0 && (each.rest == interval{0, 0} || each.rest == interval{-1, -1});
          })) {
        continue;
      }
      const id_pieces other = pieces(instruction.getOperand(1 - mask), d, depth);
      const id_pieces inverse = sum(product(other, -1), one_of({-1, -1}, d));
      if (is_and) return chosen(is_negative(of), other, one_of({0, 0}, d));
      return chosen(is_negative(of), inverse, other);
    }
    return one_of(numbers_of(&instruction), d);
  }

  id_pieces pieces_of_either(llvm::PHINode& phi, unsigned d, unsigned depth) {
    const llvm::Loop* loop = m_loops.getLoopFor(phi.getParent());
    if (loop && loop->getHeader() == phi.getParent()) return one_of(numbers_of(&phi), d);
    id_pieces all;
    for (llvm::Value* each : phi.incoming_values()) {
      const id_pieces more = pieces(each, d, depth);
      all.insert(all.end(), more.begin(), more.end());
    }
    return all.empty() ? one_of(numbers_of(&phi), d) : simplified(std::move(all));
  }

  id_pieces pieces_of_call(llvm::IntrinsicInst& call, unsigned d, unsigned depth) {
    const auto of = [&](unsigned i) { return pieces(call.getArgOperand(i), d, depth); };
    const auto minus = [](const id_pieces& a, const id_pieces& b) { return sum(a, product(b, -1)); };
    const unsigned bits = call.getType()->isIntegerTy() ? call.getType()->getIntegerBitWidth() : 64;
    const auto unsigned_of = [&](unsigned i) { return as_unsigned(of(i), bits); };
    switch (call.getIntrinsicID()) {
      case llvm::Intrinsic::smin: return chosen(is_negative(minus(of(0), of(1))), of(0), of(1));
      case llvm::Intrinsic::smax: return chosen(is_negative(minus(of(0), of(1))), of(1), of(0));
      case llvm::Intrinsic::umin:
        return chosen(is_negative(minus(unsigned_of(0), unsigned_of(1))), of(0), of(1));
      case llvm::Intrinsic::umax:
        return chosen(is_negative(minus(unsigned_of(0), unsigned_of(1))), of(1), of(0));
      case llvm::Intrinsic::usub_sat: {
        const id_pieces difference = minus(unsigned_of(0), unsigned_of(1));
        return as_bits(chosen(is_negative(difference), one_of({0, 0}, d), difference), call, bits);
      }
      case llvm::Intrinsic::abs: {
        const id_pieces value = of(0);
        if (abi::is_planted("tiles_border_forgotten")) return limited(value, {0, wide_number{1} << 40});
        return as_bits(chosen(is_negative(value), product(value, -1), value), call, bits);
      }
      default: return one_of(numbers_of(&call), d);
    }
  }

  /// For which ids a condition holds.
  id_truths truths(llvm::Value* condition, unsigned d, unsigned depth) {
    using namespace llvm::PatternMatch;
    llvm::Value *a = nullptr, *b = nullptr;
    const id_truths unknown{{ids_of(d), true, true}};
    if (depth > 24) return unknown;
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(condition))
      return {{ids_of(d), constant->isOne(), constant->isZero()}};
    if (match(condition, m_Not(m_Value(a)))) return negated(truths(a, d, depth + 1));
    if (match(condition, m_LogicalAnd(m_Value(a), m_Value(b))))
      return both_hold(truths(a, d, depth + 1), truths(b, d, depth + 1));
    if (match(condition, m_LogicalOr(m_Value(a), m_Value(b))))
      return negated(both_hold(negated(truths(a, d, depth + 1)), negated(truths(b, d, depth + 1))));
    auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(condition);
    if (!comparison || !comparison->getOperand(0)->getType()->isIntegerTy()) return unknown;
    const unsigned bits = comparison->getOperand(0)->getType()->getIntegerBitWidth();
    const auto of = [&](unsigned i) {
      const id_pieces value = pieces(comparison->getOperand(i), d, depth + 1);
      return comparison->isUnsigned() ? as_unsigned(value, bits) : value;
    };
    const id_pieces difference = sum(of(0), product(of(1), -1)), opposite = product(difference, -1);
    switch (comparison->getPredicate()) {
      case llvm::CmpInst::ICMP_SLT:
      case llvm::CmpInst::ICMP_ULT: return is_negative(difference);
      case llvm::CmpInst::ICMP_SGE:
      case llvm::CmpInst::ICMP_UGE: return negated(is_negative(difference));
      case llvm::CmpInst::ICMP_SGT:
      case llvm::CmpInst::ICMP_UGT: return is_negative(opposite);
      case llvm::CmpInst::ICMP_SLE:
      case llvm::CmpInst::ICMP_ULE: return negated(is_negative(opposite));
      case llvm::CmpInst::ICMP_EQ:
        return both_hold(negated(is_negative(difference)), negated(is_negative(opposite)));
      case llvm::CmpInst::ICMP_NE:
        return negated(both_hold(negated(is_negative(difference)), negated(is_negative(opposite))));
      default: return unknown;
    }
  }

  llvm::Function& m_kernel;
  const llvm::DataLayout& m_layout;
  const fusion_range m_range;
  llvm::AssumptionCache m_assumptions;
  llvm::LazyValueInfo m_values;
  llvm::DominatorTree m_tree;
  llvm::PostDominatorTree m_post_tree;
  llvm::LoopInfo m_loops;
  llvm::DenseMap<const llvm::Value*, unsigned> m_dependence;
  value_bounds m_bounds;
  std::map<std::pair<const llvm::Value*, unsigned>, id_pieces> m_pieces;  ///< valid at m_context
  llvm::Instruction* m_context = nullptr;  ///< the access that is being placed
  std::string m_why;
};

stencil_analysis::stencil_analysis(llvm::Function& kernel, const fusion_range& range)
    : m_implementation(std::make_unique<implementation>(kernel, range)) {}
stencil_analysis::~stencil_analysis() = default;

std::string stencil_analysis::collect(const std::function<bool(unsigned leaf)>& is_wanted, atomics others) {
  return m_implementation->collect(is_wanted, others, m_accesses);
}
bool stencil_analysis::is_certain(const llvm::Instruction& access) const {
  return m_implementation->is_certain(access);
}
bool stencil_analysis::may_follow(const llvm::Instruction& later, const llvm::Instruction& earlier) const {
  return m_implementation->may_follow(later, earlier);
}
std::string stencil_analysis::find_layout(const stencil_access& write, element_layout& layout) {
  return m_implementation->find_layout(write, layout);
}
inner_ids stencil_analysis::find_inner(unsigned dimension) { return m_implementation->find_inner(dimension); }
std::string stencil_analysis::place(stencil_access& access, const element_layout& layout) {
  return m_implementation->place(access, layout);
}

}  // namespace sinter::passes
