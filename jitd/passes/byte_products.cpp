#include "byte_products.hpp"

#include <optional>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/Utils/Local.h"

namespace sinter::passes {
namespace {

using namespace llvm::PatternMatch;

constexpr unsigned byte_bits = 8, quad_bits = 32, quad_bytes = 4;
constexpr unsigned most_base_bits = 512;
constexpr unsigned most_steps_back = 32, most_terms = 256;

/// A signed or unsigned number in the bits of `base` from `first` on. If the number is in an element of a vector,
/// `base` is the vector.
struct bit_part {
  llvm::Value* base = nullptr;
  unsigned first = 0, bits = 0;
  bool is_signed = true;

  byte_sign sign() const {
    if (is_signed) return byte_sign::has;
    return bits == byte_bits ? byte_sign::none : byte_sign::any;
  }
};

unsigned bits_of(const llvm::Value* value) { return value->getType()->getScalarSizeInBits(); }

/// Cuts off the bits from `end` on. The cut bits are zeros or, with `are_signs`, copies of bit `end` - 1. Returns
/// false if nothing would be left, or if copies of a sign would be read as an unsigned number.
bool cut_at(bit_part& part, unsigned end, bool are_signs) {
  if (part.first + part.bits <= end) return true;
  if (part.first >= end || (are_signs && !part.is_signed)) return false;
  part.bits = end - part.first;
  part.is_signed = are_signs;
  return true;
}

/// If possible, replaces the part by an equal part of an operand of the instruction that computes its base.
bool step_back(bit_part& part, const llvm::SimplifyQuery& query) {
  auto* step = llvm::dyn_cast<llvm::Instruction>(part.base);
  if (!step) return false;
  bit_part next = part;
  const llvm::APInt* number = nullptr;
  llvm::Value* from = nullptr;
  const unsigned width = bits_of(step);
  if (match(step, m_Trunc(m_Value(from)))) {
    next.base = from;
  } else if (match(step, m_ZExt(m_Value(from)))) {
    if (!cut_at(next, bits_of(from), false)) return false;
    next.base = from;
  } else if (match(step, m_SExt(m_Value(from)))) {
    if (!cut_at(next, bits_of(from), true)) return false;
    next.base = from;
  } else if (match(step, m_Shr(m_Value(from), m_APInt(number))) && number->ult(width)) {
    const auto by = static_cast<unsigned>(number->getZExtValue());
    if (!cut_at(next, width - by, step->getOpcode() == llvm::Instruction::AShr)) return false;
    next.first += by;
    next.base = from;
  } else if (match(step, m_Shl(m_Value(from), m_APInt(number))) && number->ule(part.first)) {
    next.first -= static_cast<unsigned>(number->getZExtValue());
    next.base = from;
  } else if (match(step, m_And(m_Value(from), m_APInt(number)))) {
    const llvm::APInt kept = number->extractBits(part.bits, part.first);
    if (!kept.isMask()) return false;
    if (!kept.isAllOnes()) {
      next.bits = kept.countr_one();
      next.is_signed = false;
    }
    next.base = from;
  } else if (match(step, m_Or(m_Value(), m_Value())) && width <= most_base_bits) {
    const llvm::APInt looked_at = llvm::APInt::getBitsSet(width, part.first, part.first + part.bits);
    if (llvm::MaskedValueIsZero(step->getOperand(0), looked_at, query)) {
      next.base = step->getOperand(1);
    } else if (llvm::MaskedValueIsZero(step->getOperand(1), looked_at, query)) {
      next.base = step->getOperand(0);
    } else {
      return false;
    }
  } else {
    return false;
  }
  part = next;
  return true;
}

/// If the base is an element of a vector, and the vector consists of whole words, the vector becomes the base.
void look_into_vector(bit_part& part) {
  auto* element = llvm::dyn_cast<llvm::ExtractElementInst>(part.base);
  if (!element) return;
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(element->getVectorOperandType());
  const auto* place = llvm::dyn_cast<llvm::ConstantInt>(element->getIndexOperand());
  if (!type || !type->getElementType()->isIntegerTy()) return;
  if (!place || place->getValue().uge(type->getNumElements())) return;
  const unsigned bits = type->getScalarSizeInBits();
  if (bits % byte_bits != 0 || bits * type->getNumElements() % quad_bits != 0) return;
  part.first += bits * static_cast<unsigned>(place->getZExtValue());
  part.base = element->getVectorOperand();
}

/// The byte that has the same value as the number, if there is one.
std::optional<bit_part> byte_of(llvm::Value* number, const llvm::SimplifyQuery& query) {
  bit_part part{number, 0, quad_bits, true};
  unsigned steps = 0;
  while (steps++ < most_steps_back && step_back(part, query)) {
  }
  const bool fits = part.bits == byte_bits || (part.bits < byte_bits && !part.is_signed);
  if (!fits || !part.base->getType()->isIntOrIntVectorTy() || llvm::isa<llvm::Constant>(part.base)) return std::nullopt;
  if (!number->getType()->isVectorTy()) look_into_vector(part);
  return part;
}

struct byte_product {
  llvm::Instruction* instruction;
  bit_part parts[2];
  bool used = false;
};

/// Four products. Their factors form two words, and `sides` tells which factor of each product is in the first word.
struct quad {
  byte_product* members[quad_bytes];
  unsigned sides[quad_bytes];

  const bit_part& part(unsigned i, bool other) const { return members[i]->parts[other ? 1 - sides[i] : sides[i]]; }
};

/// The sign that all bytes of one of the two words have, or nothing if the signs differ.
std::optional<byte_sign> sign_of(const quad& four, bool other) {
  byte_sign all = byte_sign::any;
  for (unsigned i = 0; i < quad_bytes; ++i) {
    const byte_sign sign = four.part(i, other).sign();
    if (sign == byte_sign::any) continue;
    if (all != byte_sign::any && all != sign) return std::nullopt;
    all = sign;
  }
  return all;
}

bool follows(const bit_part& part, const bit_part& before) {
  return part.base == before.base && part.first == before.first + byte_bits;
}

unsigned run_count(const quad& four, bool other) {
  unsigned runs = 1;
  for (unsigned i = 1; i < quad_bytes; ++i) runs += !follows(four.part(i, other), four.part(i - 1, other));
  return runs;
}

/// Returns the bits of a value, from bit `first` on, as a word. Bits beyond the value's end are zero. can_be_read() has
/// to hold.
llvm::Value* word_at(llvm::IRBuilder<>& builder, const bit_part& from, llvm::Type* word) {
  llvm::Value* value = from.base;
  unsigned first = from.first;
  if (value->getType()->isVectorTy() && !word->isVectorTy()) {
    const auto* type = llvm::cast<llvm::FixedVectorType>(value->getType());
    const unsigned words = type->getNumElements() * type->getScalarSizeInBits() / quad_bits;
    value = builder.CreateBitCast(value, llvm::FixedVectorType::get(builder.getInt32Ty(), words));
    value = builder.CreateExtractElement(value, std::uint64_t{first / quad_bits});
    first %= quad_bits;
  }
  if (first != 0) value = builder.CreateLShr(value, std::uint64_t{first});
  return builder.CreateZExtOrTrunc(value, word);
}

/// Returns the word with one factor of each of the four products; `other` chooses between the two factors. If the bytes
/// come from several values, first joins whole bytes, and then shifts and masks the result. So other words, which take
/// other bits of the same bytes, can use the joined value, too.
llvm::Value* word_of(llvm::IRBuilder<>& builder, const quad& four, bool other, llvm::Type* word) {
  const unsigned shift = four.part(0, other).first % byte_bits;
  llvm::Value* result = nullptr;
  std::uint32_t mask = 0;
  for (unsigned begin = 0, end = 0; begin < quad_bytes; begin = end) {
    end = begin + 1;
    while (end < quad_bytes && follows(four.part(end, other), four.part(end - 1, other))) ++end;
    for (unsigned i = begin; i < end; ++i) mask |= ((1u << four.part(i, other).bits) - 1) << byte_bits * i;
    bit_part first = four.part(begin, other);
    const bool is_alone = end - begin == quad_bytes;
    if (!is_alone) first.first -= shift;
    llvm::Value* value = word_at(builder, first, word);
    const unsigned bits = byte_bits * (end - begin);
    // A word that is read from a vector also holds the element's neighbours.
    const bool has_more = first.base->getType()->isVectorTy() != word->isVectorTy() ||
                          bits_of(first.base) > first.first + bits;
    if (end != quad_bytes && has_more)
      value = builder.CreateAnd(value, llvm::ConstantInt::get(word, (1u << bits) - 1));
    if (begin != 0) value = builder.CreateShl(value, std::uint64_t{byte_bits} * begin);
    result = result ? builder.CreateOr(result, value) : value;
    if (!is_alone && end == quad_bytes && shift != 0) result = builder.CreateLShr(result, std::uint64_t{shift});
  }
  return mask == 0xffffffff ? result : builder.CreateAnd(result, llvm::ConstantInt::get(word, mask));
}

/// Whether word_of() can join the bytes. If they come from several values, all parts need the same position within
/// their bytes.
bool share_a_shift(const quad& four, bool other) {
  if (run_count(four, other) == 1) return true;
  const unsigned shift = four.part(0, other).first % byte_bits;
  for (unsigned i = 0; i < quad_bytes; ++i) {
    const bit_part& part = four.part(i, other);
    if (part.first % byte_bits != shift || part.bits > byte_bits - shift) return false;
  }
  return true;
}

/// Whether word_at() can read the bits of each run.
bool can_be_read(const quad& four, bool other, const llvm::Type& word) {
  for (unsigned begin = 0, end = 0; begin < quad_bytes; begin = end) {
    const bit_part& first = four.part(begin, other);
    end = begin + 1;
    while (end < quad_bytes && follows(four.part(end, other), four.part(end - 1, other))) ++end;
    const bool is_vector = first.base->getType()->isVectorTy();
    if (word.isVectorTy() && !is_vector) return false;
    const unsigned bits = first.first % quad_bits + byte_bits * (end - begin);
    if (is_vector && !word.isVectorTy() && bits > quad_bits) return false;
  }
  return true;
}

class sum_of_products {
public:
  sum_of_products(llvm::Instruction& root, byte_dot_maker maker) : m_root(root), m_maker(maker) {}

  bool run(const llvm::SimplifyQuery& query) {
    collect(query);
    if (m_products.size() < quad_bytes) return false;
    for (unsigned most_runs : {1u, 2u}) find_quads(most_runs);
    if (m_quads.empty()) return false;
    replace();
    return true;
  }

private:
  /// Collects the summands. The sum consists of additions in the root's block that have no other users.
  void collect(const llvm::SimplifyQuery& query) {
    llvm::SmallVector<llvm::Value*, 16> open = {m_root.getOperand(1), m_root.getOperand(0)};
    unsigned seen = 0;
    while (!open.empty()) {
      llvm::Value* value = open.pop_back_val();
      auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
      const bool is_ours = instruction && instruction->hasOneUse() && instruction->getParent() == m_root.getParent();
      if (is_ours && instruction->getOpcode() == llvm::Instruction::Add && ++seen < most_terms) {
        open.push_back(instruction->getOperand(1));
        open.push_back(instruction->getOperand(0));
        continue;
      }
      if (is_ours && instruction->getOpcode() == llvm::Instruction::Mul) {
        const auto first = byte_of(instruction->getOperand(0), query);
        const auto second = first ? byte_of(instruction->getOperand(1), query) : std::nullopt;
        if (second) {
          m_products.push_back({instruction, {*first, *second}});
          continue;
        }
      }
      m_others.push_back(value);
    }
  }

  byte_product* next_of(const quad& four, unsigned count, unsigned& side) {
    const bit_part& last = four.part(count - 1, false);
    byte_product* found = nullptr;
    for (byte_product& each : m_products) {
      if (each.used || llvm::is_contained(llvm::ArrayRef(four.members, count), &each)) continue;
      for (unsigned i = 0; i < 2; ++i) {
        if (!follows(each.parts[i], last)) continue;
        if (follows(each.parts[1 - i], four.part(count - 1, true))) {
          side = i;
          return &each;
        }
        if (!found) {
          found = &each;
          side = i;
        }
      }
    }
    return found;
  }

  std::optional<quad> quad_from(byte_product& first, unsigned side, unsigned most_runs) {
    quad four{{&first}, {side}};
    for (unsigned count = 1; count < quad_bytes; ++count) {
      four.members[count] = next_of(four, count, four.sides[count]);
      if (!four.members[count]) return std::nullopt;
    }
    const llvm::Type& word = *m_root.getType();
    const bool fits = run_count(four, true) <= most_runs && share_a_shift(four, true) && sign_of(four, false) &&
                      sign_of(four, true) && can_be_read(four, false, word) && can_be_read(four, true, word);
    return fits ? std::optional(four) : std::nullopt;
  }

  /// Makes groups of four products. Each group begins at the lowest byte that is not used yet, so that the four bytes
  /// of a group form the same word as in memory.
  void find_quads(unsigned most_runs) {
    llvm::SmallVector<std::tuple<unsigned, std::size_t, unsigned>, 32> starts;
    for (auto [number, each] : llvm::enumerate(m_products)) {
      for (unsigned side : {0u, 1u}) starts.emplace_back(each.parts[side].first, number, side);
    }
    llvm::sort(starts);
    for (const auto& [place, number, side] : starts) {
      if (m_products[number].used) continue;
      const std::optional<quad> four = quad_from(m_products[number], side, most_runs);
      if (!four) continue;
      for (byte_product* each : four->members) each->used = true;
      m_quads.push_back(*four);
    }
  }

  /// Whether two quads are the low and high halves of 64-bit values. These values may have to be shifted to the right.
  static bool are_halves(const quad& low, const quad& high) {
    for (bool other : {false, true}) {
      const bit_part& begin = low.part(0, other);
      if (bits_of(begin.base) != 2 * quad_bits) return false;
      if (run_count(low, other) != 1 || run_count(high, other) != 1) return false;
      if (!follows(high.part(0, other), low.part(quad_bytes - 1, other))) return false;
      if (sign_of(low, other) != sign_of(high, other)) return false;
    }
    return true;
  }

  static byte_dot dot_of(llvm::IRBuilder<>& builder, const quad& four, llvm::Type* word) {
    return {{word_of(builder, four, false, word), *sign_of(four, false)},
            {word_of(builder, four, true, word), *sign_of(four, true)},
            quad_bits};
  }

  static byte_dot dot_of(llvm::IRBuilder<>& builder, const quad& low, const quad& high) {
    byte_dot result{{nullptr, *sign_of(low, false)}, {nullptr, *sign_of(low, true)}, 2 * quad_bits};
    for (bool other : {false, true}) {
      std::uint64_t mask = 0;
      for (unsigned i = 0; i < 2 * quad_bytes; ++i) {
        const quad& half = i < quad_bytes ? low : high;
        mask |= ((std::uint64_t{1} << half.part(i % quad_bytes, other).bits) - 1) << byte_bits * i;
      }
      llvm::Value* value = low.part(0, other).base;
      if (low.part(0, other).first != 0) value = builder.CreateLShr(value, std::uint64_t{low.part(0, other).first});
      if (~mask != 0) value = builder.CreateAnd(value, llvm::ConstantInt::get(value->getType(), mask));
      (other ? result.second : result.first).value = value;
    }
    return result;
  }

  void replace() {
    llvm::IRBuilder<> builder(&m_root);
    llvm::SmallVector<byte_dot, 8> dots;
    llvm::SmallVector<bool, 8> done(m_quads.size(), false);
    for (std::size_t i = 0; i < m_quads.size(); ++i) {
      for (std::size_t j = 0; !done[i] && m_root.getType()->isVectorTy() && j < m_quads.size(); ++j) {
        if (j == i || done[j] || !are_halves(m_quads[i], m_quads[j])) continue;
        dots.push_back(dot_of(builder, m_quads[i], m_quads[j]));
        done[i] = done[j] = true;
      }
    }
    for (std::size_t i = 0; i < m_quads.size(); ++i) {
      if (!done[i]) dots.push_back(dot_of(builder, m_quads[i], m_root.getType()));
    }
    llvm::Value* sum = nullptr;
    const auto add = [&](llvm::Value* value) { sum = sum ? builder.CreateAdd(sum, value) : value; };
    for (llvm::Value* each : m_others) add(each);
    for (const byte_product& each : m_products) {
      if (!each.used) add(each.instruction);
    }
    if (!sum) sum = llvm::Constant::getNullValue(m_root.getType());
    llvm::Value* result = m_maker(builder, sum, dots);
    result->takeName(&m_root);
    m_root.replaceAllUsesWith(result);
    llvm::RecursivelyDeleteTriviallyDeadInstructions(&m_root);
  }

  llvm::Instruction& m_root;
  byte_dot_maker m_maker;
  std::vector<byte_product> m_products;
  llvm::SmallVector<llvm::Value*, 8> m_others;
  llvm::SmallVector<quad, 8> m_quads;
};

/// Whether the addition is the last addition of a sum.
bool is_root(const llvm::Instruction& instruction) {
  if (instruction.getOpcode() != llvm::Instruction::Add) return false;
  if (!instruction.hasOneUse()) return !instruction.use_empty();
  const auto* user = llvm::cast<llvm::Instruction>(instruction.user_back());
  return user->getOpcode() != llvm::Instruction::Add || user->getParent() != instruction.getParent();
}

}  // namespace

bool join_byte_products(llvm::Function& function, llvm::function_ref<bool(const llvm::Type&)> takes,
                        byte_dot_maker maker) {
  llvm::SmallVector<llvm::WeakTrackingVH, 16> roots;
  for (llvm::BasicBlock& block : function) {
    for (llvm::Instruction& instruction : block) {
      const llvm::Type& type = *instruction.getType();
      const bool fits = type.isIntOrIntVectorTy(quad_bits) && !llvm::isa<llvm::ScalableVectorType>(type);
      if (fits && is_root(instruction) && takes(type)) roots.emplace_back(&instruction);
    }
  }
  bool changed = false;
  for (const llvm::WeakTrackingVH& each : roots) {
    auto* root = llvm::dyn_cast_or_null<llvm::Instruction>(each);
    if (!root || root->getOpcode() != llvm::Instruction::Add) continue;
    const llvm::SimplifyQuery query(function.getDataLayout(), root);
    changed |= sum_of_products(*root, maker).run(query);
  }
  return changed;
}

}  // namespace sinter::passes
