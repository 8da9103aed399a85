#include "paired_gathers.hpp"

#include <cmath>
#include <optional>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

using namespace llvm::PatternMatch;

// An index of 32 bits wraps at 2^32. Bounds have rounding errors, so the limit is half of this number.
constexpr double most_index = 0x1p31;
constexpr unsigned most_depth = 8;

std::optional<double> number_of(const llvm::Value* value) {
  const llvm::APFloat* number = nullptr;
  if (!match(value, m_APFloat(number)) || number->isNaN()) return std::nullopt;
  llvm::APFloat exact = *number;
  bool inexact = false;
  exact.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmTowardPositive, &inexact);
  return exact.convertToDouble();
}

std::optional<double> most_number(const llvm::Value* value, unsigned depth = 0);

/// The largest value of `condition ? taken : other`, if the condition limits `taken`.
std::optional<double> most_of_choice(const llvm::SelectInst& choice, unsigned depth) {
  const auto bound_by = [&](const llvm::Value* chosen, bool when) -> std::optional<double> {
    std::optional<double> most = most_number(chosen, depth + 1);
    const auto* compare = llvm::dyn_cast<llvm::FCmpInst>(choice.getCondition());
    if (!compare || compare->getOperand(0) != chosen) return most;
    const std::optional<double> limit = number_of(compare->getOperand(1));
    const llvm::CmpInst::Predicate predicate = when ? compare->getPredicate() : compare->getInversePredicate();
    const bool below = predicate == llvm::CmpInst::FCMP_OLT || predicate == llvm::CmpInst::FCMP_OLE ||
                       predicate == llvm::CmpInst::FCMP_ULT || predicate == llvm::CmpInst::FCMP_ULE;
    if (below && limit && (!most || *limit < *most)) most = limit;
    return most;
  };
  const std::optional<double> taken = bound_by(choice.getTrueValue(), true);
  const std::optional<double> other = bound_by(choice.getFalseValue(), false);
  if (!taken || !other) return std::nullopt;
  return std::max(*taken, *other);
}

std::optional<double> most_of_call(const llvm::IntrinsicInst& call, unsigned depth) {
  const auto most = [&](unsigned operand) { return most_number(call.getArgOperand(operand), depth + 1); };
  switch (call.getIntrinsicID()) {
    case llvm::Intrinsic::sqrt:
      if (const auto of = most(0)) return *of > 0 ? std::sqrt(*of) : 0;
      return std::nullopt;
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::trunc:
      if (const auto of = most(0)) return std::max(*of, 0.0);
      return std::nullopt;
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::minimumnum:
    case llvm::Intrinsic::minimum:
      // A constant operand is an upper bound, also if the other operand is NaN.
      if (const auto limit = number_of(call.getArgOperand(1))) return limit;
      return number_of(call.getArgOperand(0));
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::maximumnum:
    case llvm::Intrinsic::maximum: {
      const auto a = most(0), b = most(1);
      if (a && b) return std::max(*a, *b);
      return std::nullopt;
    }
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd: {
      const auto a = most(0), factor = number_of(call.getArgOperand(1)), added = most(2);
      if (a && factor && added && *factor >= 0) return std::max(*a, 0.0) * *factor + *added;
      return std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

/// An upper bound of the value, unless the value is NaN.
std::optional<double> most_number(const llvm::Value* value, unsigned depth) {
  if (const auto known = number_of(value)) return known;
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (!instruction || depth > most_depth) return std::nullopt;
  if (const auto* choice = llvm::dyn_cast<llvm::SelectInst>(instruction)) return most_of_choice(*choice, depth);
  if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(instruction)) return most_of_call(*call, depth);
  switch (instruction->getOpcode()) {
    case llvm::Instruction::FMul: {
      const auto most = most_number(instruction->getOperand(0), depth + 1);
      const auto factor = number_of(instruction->getOperand(1));
      if (most && factor && *factor >= 0) return std::max(*most, 0.0) * *factor;
      return std::nullopt;
    }
    case llvm::Instruction::FAdd: {
      const auto a = most_number(instruction->getOperand(0), depth + 1);
      const auto b = most_number(instruction->getOperand(1), depth + 1);
      if (a && b) return *a + *b;
      return std::nullopt;
    }
    case llvm::Instruction::FPExt:
      return most_number(instruction->getOperand(0), depth + 1);
    default:
      return std::nullopt;
  }
}

bool may_wrap(const llvm::BinaryOperator& sum, const llvm::APInt& added, const llvm::DataLayout& layout) {
  if (sum.hasNoUnsignedWrap()) return false;
  const llvm::Value* index = sum.getOperand(0);
  const unsigned bits = added.getBitWidth();
  if (added.uge(llvm::APInt(bits, 1) << (bits / 2))) return true;
  bool overflows = true;
  (void)llvm::computeKnownBits(index, layout).getMaxValue().uadd_ov(added, overflows);
  if (!overflows) return false;
  if (bits < 32 || !llvm::isa<llvm::FPToUIInst>(index)) return true;
  const auto most = most_number(llvm::cast<llvm::Instruction>(index)->getOperand(0));
  return !most || *most >= most_index;
}

/// The address of each lane's element: base + index * scale + bytes. The index is extended to the width of pointers.
struct lane_places {
  llvm::Value* base = nullptr;   ///< one pointer, or one for each lane
  llvm::Value* index = nullptr;  ///< the index before its extension; null if there is none
  enum { as_is, with_zeros, with_signs } widened = as_is;
  std::uint64_t scale = 0;
  std::int64_t bytes = 0;

  bool differs_only_in_bytes(const lane_places& other) const {
    return base == other.base && index == other.index && widened == other.widened && scale == other.scale;
  }
};

void add_index(lane_places& places, llvm::Value* index, std::uint64_t scale, const llvm::DataLayout& layout) {
  const auto take_sums = [&](const auto& may_take) {
    llvm::Value* rest = nullptr;
    const llvm::APInt* added = nullptr;
    while (match(index, m_AddLike(m_Value(rest), m_APInt(added))) && may_take(*added)) {
      places.bytes += added->getSExtValue() * static_cast<std::int64_t>(scale);
      index = rest;
    }
  };
  take_sums([](const llvm::APInt& added) { return added.getBitWidth() == 64; });
  llvm::Value* narrow = nullptr;
  if (match(index, m_ZExt(m_Value(narrow)))) {
    places.widened = lane_places::with_zeros;
    index = narrow;
    take_sums([&](const llvm::APInt& added) {
      const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(index);
      return sum && added.isNonNegative() &&
             (sum->getOpcode() == llvm::Instruction::Or || !may_wrap(*sum, added, layout));
    });
  } else if (match(index, m_SExt(m_Value(narrow)))) {
    places.widened = lane_places::with_signs;
    index = narrow;
    take_sums([&](const llvm::APInt&) {
      const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(index);
      return sum && sum->getOpcode() == llvm::Instruction::Add && sum->hasNoSignedWrap();
    });
  }
  places.index = index;
  places.scale = scale;
}

lane_places places_of(llvm::Value* address, const llvm::DataLayout& layout) {
  lane_places places;
  for (unsigned depth = 0; depth < most_depth; ++depth) {
    auto* step = llvm::dyn_cast<llvm::GEPOperator>(address);
    if (!step) break;
    llvm::APInt known(64, 0);
    if (step->accumulateConstantOffset(layout, known)) {
      places.bytes += known.getSExtValue();
    } else {
      const bool is_plain = step->getNumIndices() == 1 && !step->getSourceElementType()->isScalableTy();
      llvm::Value* index = is_plain ? step->getOperand(1) : nullptr;
      const llvm::APInt* splat = nullptr;
      const std::uint64_t scale = is_plain ? layout.getTypeAllocSize(step->getSourceElementType()).getFixedValue() : 0;
      if (!is_plain || index->getType()->getScalarSizeInBits() != 64) break;
      if (match(index, m_APInt(splat))) {
        places.bytes += splat->getSExtValue() * static_cast<std::int64_t>(scale);
      } else if (!places.index) {
        add_index(places, index, scale, layout);
      } else {
        break;
      }
    }
    address = step->getPointerOperand();
  }
  places.base = address;
  return places;
}

/// The bytes from places.base to the first lane's element, if the elements of all lanes are contiguous.
std::optional<std::int64_t> start_of_row(const lane_places& places, const llvm::FixedVectorType& type,
                                         const llvm::DataLayout& layout) {
  const auto* numbers = llvm::dyn_cast_or_null<llvm::ConstantDataVector>(places.index);
  if (!numbers || places.widened != lane_places::as_is || places.base->getType()->isVectorTy()) return std::nullopt;
  const std::uint64_t size = layout.getTypeStoreSize(type.getElementType()).getFixedValue();
  const std::uint64_t first = numbers->getElementAsInteger(0) * places.scale;
  for (unsigned lane = 1; lane < type.getNumElements(); ++lane) {
    if (numbers->getElementAsInteger(lane) * places.scale != first + lane * size) return std::nullopt;
  }
  return places.bytes + static_cast<std::int64_t>(first);
}

struct gather {
  llvm::IntrinsicInst* load;
  lane_places places;
};

class pairing {
public:
  pairing(llvm::Function& function, const llvm::TargetTransformInfo& target)
      : m_layout(function.getParent()->getDataLayout()), m_target(target) {}

  void run(llvm::BasicBlock& block) {
    std::vector<gather> before;  // gathers after which nothing was written yet
    for (llvm::Instruction& each : llvm::make_early_inc_range(block)) {
      if (each.mayWriteToMemory() || !llvm::isGuaranteedToTransferExecutionToSuccessor(&each)) before.clear();
      auto* load = llvm::dyn_cast<llvm::IntrinsicInst>(&each);
      if (!load || load->getIntrinsicID() != llvm::Intrinsic::masked_gather || load_row(*load) || !may_pair(*load))
        continue;
      const gather later{load, places_of(load->getArgOperand(0), m_layout)};
      const auto found = llvm::find_if(before, [&](const gather& earlier) { return are_neighbours(earlier, later); });
      if (found == before.end()) {
        before.push_back(later);
        continue;
      }
      join(*found, later);
      before.erase(found);
    }
  }

private:
  /// Replaces a gather by a load of a vector, if all lanes load and their elements are contiguous.
  bool load_row(llvm::IntrinsicInst& load) const {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(load.getType());
    const auto* mask = llvm::dyn_cast<llvm::Constant>(mask_of(load));
    if (!type || !mask || !mask->isAllOnesValue() || !type->getElementType()->isSized() ||
        m_layout.getTypeStoreSizeInBits(type->getElementType()) != m_layout.getTypeSizeInBits(type->getElementType()))
      return false;
    llvm::Value* addresses = load.getArgOperand(0);
    const lane_places places = places_of(addresses, m_layout);
    const auto start = start_of_row(places, *type, m_layout);
    if (!start) return false;
    llvm::IRBuilder<> builder(&load);
    llvm::Value* address = builder.CreatePtrAdd(places.base, builder.getInt64(static_cast<std::uint64_t>(*start)));
    llvm::LoadInst* row = builder.CreateAlignedLoad(type, address, masked_alignment(load));
    row->setAAMetadata(load.getAAMetadata());
    row->takeName(&load);
    load.replaceAllUsesWith(row);
    load.eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructions(addresses);
    return true;
  }

  static bool is_any(const llvm::Value* value) { return llvm::isa<llvm::UndefValue>(value); }
  static llvm::Value* other_lanes(const llvm::IntrinsicInst& load) {
    return load.getArgOperand(load.arg_size() - 1);
  }

  llvm::FixedVectorType* pair_type(const llvm::IntrinsicInst& load) const {
    const auto* type = llvm::cast<llvm::FixedVectorType>(load.getType());
    const unsigned bits = type->getScalarSizeInBits();
    return llvm::FixedVectorType::get(llvm::IntegerType::get(load.getContext(), 2 * bits), type->getNumElements());
  }

  bool may_pair(const llvm::IntrinsicInst& load) const {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(load.getType());
    if (!type || type->getElementType()->isPointerTy()) return false;
    const unsigned bits = type->getScalarSizeInBits();
    if (bits != 16 && bits != 32) return false;
    return is_any(other_lanes(load)) && m_target.isLegalMaskedGather(pair_type(load), masked_alignment(load)) &&
           !m_target.forceScalarizeMaskedGather(pair_type(load), masked_alignment(load));
  }

  static bool are_neighbours(const gather& a, const gather& b) {
    const std::int64_t bytes = a.load->getType()->getScalarSizeInBits() / 8, apart = b.places.bytes - a.places.bytes;
    return a.load->getType() == b.load->getType() && mask_of(*a.load) == mask_of(*b.load) &&
           a.places.differs_only_in_bytes(b.places) && (apart == bytes || apart == -bytes);
  }

  /// Replaces both gathers by one gather of pairs, in the place of the earlier gather.
  void join(const gather& earlier, const gather& later) {
    const bool in_order = earlier.places.bytes < later.places.bytes;
    llvm::IRBuilder<> builder(earlier.load);
    llvm::Type* type = earlier.load->getType();
    llvm::FixedVectorType* pairs = pair_type(*earlier.load);
    llvm::Value* address = earlier.load->getArgOperand(0);
    if (!in_order) address = builder.CreateGEP(builder.getInt8Ty(), address, builder.getInt64(step_of(type)));
    llvm::CallInst* both = builder.CreateMaskedGather(pairs, address, masked_alignment(*earlier.load),
                                                      mask_of(*earlier.load), llvm::PoisonValue::get(pairs), "pair");
    both->setAAMetadata(earlier.load->getAAMetadata().merge(later.load->getAAMetadata()));
    const auto lanes = static_cast<int>(pairs->getNumElements());
    llvm::Value* elements = builder.CreateBitCast(
        both, llvm::FixedVectorType::get(type->getScalarType(), 2 * static_cast<unsigned>(lanes)));
    const auto part = [&](int first) {
      llvm::SmallVector<int, 16> places;
      for (int i = 0; i < lanes; ++i) places.push_back(2 * i + first);
      return builder.CreateShuffleVector(elements, places);
    };
    const int low = m_layout.isLittleEndian() ? 0 : 1;
    llvm::Value *first = part(low), *second = part(1 - low);
    earlier.load->replaceAllUsesWith(in_order ? first : second);
    later.load->replaceAllUsesWith(in_order ? second : first);
    for (llvm::IntrinsicInst* each : {earlier.load, later.load}) {
      llvm::Value* its_address = each->getArgOperand(0);
      each->eraseFromParent();
      llvm::RecursivelyDeleteTriviallyDeadInstructions(its_address);
    }
  }

  /// The distance of the two elements, in bytes.
  static std::uint64_t step_of(const llvm::Type* type) {
    return static_cast<std::uint64_t>(-static_cast<std::int64_t>(type->getScalarSizeInBits() / 8));
  }

  const llvm::DataLayout& m_layout;
  const llvm::TargetTransformInfo& m_target;
};

}  // namespace

void pair_gathers(llvm::Function& function, const llvm::TargetTransformInfo& target) {
  pairing pairs(function, target);
  for (llvm::BasicBlock& block : function) pairs.run(block);
}

}  // namespace sinter::passes
