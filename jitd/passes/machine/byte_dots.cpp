#include "byte_dots.hpp"

#include <algorithm>

#include "llvm/Analysis/VectorUtils.h"
#include "llvm/IR/IntrinsicsAArch64.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"
#include "machine_calls.hpp"
#include "passes/byte_products.hpp"

namespace sinter::passes {
namespace {

constexpr unsigned fewest_dot_lanes = 4;
constexpr unsigned dot_bits = 32;

unsigned length_of(const llvm::Value* value) {
  return llvm::cast<llvm::FixedVectorType>(value->getType())->getNumElements();
}

/// Emits sums of products of bytes in lanes of 32 bits. Each subclass uses one kind of instruction.
class dot_builder {
public:
  explicit dot_builder(llvm::IRBuilder<>& builder) : m_builder(builder) {}
  virtual ~dot_builder() = default;

  /// Treats a word of 64 bits as two words side by side, whose sums it adds at the end.
  llvm::Value* run(llvm::Value* sum, llvm::ArrayRef<byte_dot> dots) {
    llvm::Value* in_pairs = nullptr;
    auto* lanes = llvm::cast<llvm::FixedVectorType>(sum->getType());
    auto* twice = llvm::FixedVectorType::getDoubleElementsVectorType(lanes);
    for (const byte_dot& each : dots) {
      if (each.bits == dot_bits) {
        sum = add(sum, each.first, each.second);
        continue;
      }
      if (!in_pairs) in_pairs = llvm::Constant::getNullValue(twice);
      in_pairs = add(in_pairs, {m_builder.CreateBitCast(each.first.value, twice), each.first.sign},
                     {m_builder.CreateBitCast(each.second.value, twice), each.second.sign});
    }
    if (in_pairs) {
      const unsigned count = lanes->getNumElements();
      llvm::Value* low = m_builder.CreateShuffleVector(in_pairs, llvm::createStrideMask(0, 2, count));
      llvm::Value* high = m_builder.CreateShuffleVector(in_pairs, llvm::createStrideMask(1, 2, count));
      sum = m_builder.CreateAdd(sum, m_builder.CreateAdd(low, high));
    }
    return sum;
  }

protected:
  virtual llvm::Value* add(llvm::Value* sum, byte_word first, byte_word second) = 0;

  /// Cuts the vectors into pieces of `count` lanes, and emits the instruction for each piece.
  template <class Emit>
  llvm::Value* in_pieces(unsigned count, llvm::ArrayRef<llvm::Value*> vectors, Emit&& emit) {
    const unsigned all = length_of(vectors[0]);
    llvm::SmallVector<llvm::Value*, 4> pieces;
    for (unsigned first = 0; first < all; first += count) {
      llvm::SmallVector<llvm::Value*, 3> operands;
      for (llvm::Value* vector : vectors) {
        operands.push_back(
            all == count ? vector : m_builder.CreateShuffleVector(vector, llvm::createSequentialMask(first, count, 0)));
      }
      pieces.push_back(emit(operands));
    }
    return llvm::concatenateVectors(m_builder, pieces);
  }

  llvm::IRBuilder<>& m_builder;
};

/// vpdpbusd multiplies unsigned bytes by signed bytes. If both words are signed or both are unsigned, 128 is added to
/// the bytes of one word, and 128 times the sum of the other word's bytes is subtracted from the result.
class by_vnni final : public dot_builder {
public:
  using dot_builder::dot_builder;

private:
  llvm::Value* add(llvm::Value* sum, byte_word first, byte_word second) override {
    if (first.sign == byte_sign::has || second.sign == byte_sign::none) std::swap(first, second);
    llvm::Value* moved_by = llvm::ConstantInt::get(sum->getType(), 0x80808080);
    llvm::Value* none = llvm::Constant::getNullValue(sum->getType());
    if (first.sign == byte_sign::has) {
      llvm::Value* moved = m_builder.CreateXor(first.value, moved_by);
      return m_builder.CreateSub(dot(sum, moved, second.value), dot(none, moved_by, second.value));
    }
    if (second.sign == byte_sign::none) {
      llvm::Value* moved = m_builder.CreateXor(second.value, moved_by);
      return m_builder.CreateSub(dot(sum, first.value, moved), dot(none, first.value, moved_by));
    }
    return dot(sum, first.value, second.value);
  }

  llvm::Value* dot(llvm::Value* sum, llvm::Value* without_sign, llvm::Value* with_sign) {
    return emit_machine_call(m_builder, machine_function::byte_dot, {sum, without_sign, with_sign});
  }
};

/// Multiplies even and odd bytes separately, as numbers of 16 bits, so that the sum of two products fits 32 bits.
class by_pairs final : public dot_builder {
public:
  by_pairs(llvm::IRBuilder<>& builder, unsigned most_lanes) : dot_builder(builder), m_most_lanes(most_lanes) {}

private:
  llvm::Value* add(llvm::Value* sum, byte_word first, byte_word second) override {
    for (bool odd : {false, true}) {
      llvm::Value* products = in_pieces(std::min(m_most_lanes, length_of(sum)),
                                        {half_of(first, odd), half_of(second, odd)}, [&](auto& operands) {
                                          return multiply(operands[0], operands[1]);
                                        });
      sum = m_builder.CreateAdd(sum, products);
    }
    return sum;
  }

  /// Returns the even or the odd bytes as numbers of 16 bits, in vectors of words.
  llvm::Value* half_of(byte_word word, bool odd) {
    const unsigned lanes = length_of(word.value);
    auto* pairs = llvm::FixedVectorType::get(m_builder.getInt16Ty(), 2 * lanes);
    llvm::Value* bytes = m_builder.CreateBitCast(word.value, pairs);
    if (word.sign == byte_sign::has) {
      if (!odd) bytes = m_builder.CreateShl(bytes, std::uint64_t{8});
      bytes = m_builder.CreateAShr(bytes, std::uint64_t{8});
    } else if (odd) {
      bytes = m_builder.CreateLShr(bytes, std::uint64_t{8});
    } else {
      bytes = m_builder.CreateAnd(bytes, llvm::ConstantInt::get(pairs, 0xff));
    }
    return m_builder.CreateBitCast(bytes, word.value->getType());
  }

  llvm::Value* multiply(llvm::Value* first, llvm::Value* second) {
    const unsigned lanes = length_of(first);
    const llvm::Intrinsic::ID id = lanes == 4   ? llvm::Intrinsic::x86_sse2_pmadd_wd
                                   : lanes == 8 ? llvm::Intrinsic::x86_avx2_pmadd_wd
                                                : llvm::Intrinsic::x86_avx512_pmaddw_d_512;
    auto* pairs = llvm::FixedVectorType::get(m_builder.getInt16Ty(), 2 * lanes);
    return m_builder.CreateIntrinsic(
        id, {}, {m_builder.CreateBitCast(first, pairs), m_builder.CreateBitCast(second, pairs)});
  }

  unsigned m_most_lanes;
};

/// Uses Arm's instructions, which multiply signed by signed or unsigned by unsigned bytes. If one word is signed and
/// the other word is unsigned, 128 is subtracted from each byte of the unsigned word, and the sum is corrected as in
/// by_vnni.
class by_neon final : public dot_builder {
public:
  using dot_builder::dot_builder;

private:
  llvm::Value* add(llvm::Value* sum, byte_word first, byte_word second) override {
    const bool is_signed = first.sign == byte_sign::has || second.sign == byte_sign::has;
    if (is_signed && second.sign == byte_sign::none) std::swap(first, second);
    if (!is_signed || first.sign != byte_sign::none) return dot(sum, first.value, second.value, is_signed);
    llvm::Value* moved_by = llvm::ConstantInt::get(sum->getType(), 0x80808080);
    llvm::Value* moved = m_builder.CreateXor(first.value, moved_by);
    llvm::Value* none = llvm::Constant::getNullValue(sum->getType());
    // The instruction reads the byte 0x80 as -128.
    return m_builder.CreateSub(dot(sum, moved, second.value, true), dot(none, moved_by, second.value, true));
  }

  llvm::Value* dot(llvm::Value* sum, llvm::Value* first, llvm::Value* second, bool is_signed) {
    return in_pieces(fewest_dot_lanes, {sum, first, second}, [&](auto& operands) {
      auto* bytes = llvm::FixedVectorType::get(m_builder.getInt8Ty(), 4 * fewest_dot_lanes);
      const llvm::Intrinsic::ID id =
          is_signed ? llvm::Intrinsic::aarch64_neon_sdot : llvm::Intrinsic::aarch64_neon_udot;
      return m_builder.CreateIntrinsic(
          id, {operands[0]->getType(), bytes},
          {operands[0], m_builder.CreateBitCast(operands[1], bytes), m_builder.CreateBitCast(operands[2], bytes)});
    });
  }
};

}  // namespace

bool dot_bytes(llvm::Function& function, const llvm::TargetMachine& machine) {
  const llvm::MCSubtargetInfo& known = *machine.getMCSubtargetInfo();
  const auto fits = [](const llvm::Type& type) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
    return vector && vector->getNumElements() >= fewest_dot_lanes && llvm::isPowerOf2_32(vector->getNumElements());
  };
  if (machine.getTargetTriple().isAArch64()) {
    return known.checkFeatures("+dotprod") &&
           join_byte_products(function, fits, [](auto& builder, llvm::Value* sum, llvm::ArrayRef<byte_dot> dots) {
             return by_neon(builder).run(sum, dots);
           });
  }
  if (!machine.getTargetTriple().isX86()) return false;
  if (has_machine_function(machine, machine_function::byte_dot)) {
    return join_byte_products(function, fits, [](auto& builder, llvm::Value* sum, llvm::ArrayRef<byte_dot> dots) {
      return by_vnni(builder).run(sum, dots);
    });
  }
  const unsigned most_lanes = known.checkFeatures("+avx512bw") ? 16 : known.checkFeatures("+avx2") ? 8 : 4;
  return join_byte_products(function, fits, [&](auto& builder, llvm::Value* sum, llvm::ArrayRef<byte_dot> dots) {
    return by_pairs(builder, most_lanes).run(sum, dots);
  });
}

}  // namespace sinter::passes
