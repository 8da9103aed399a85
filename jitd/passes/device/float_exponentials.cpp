#include "float_exponentials.hpp"

#include <cstdint>
#include <limits>

#include "llvm/IR/InstIterator.h"
#include "passes/llvm_versions.hpp"
#include "passes/machine/machine_facts.hpp"
#include "passes/machine/vector_math.hpp"

#include "float_numbers.hpp"

namespace sinter::passes {
namespace {

// The method: x = n * log(2) + r with |r| <= log(2) / 2, and exp(r) = 1 + r + r^2 * p(r). The coefficients of p come
// from Remez's algorithm, and the relative error is 3.1e-9.
constexpr double exponential_coefficients[] = {0.4999999343742203, 0.1666652047776403, 0.04166838985899834,
                                               0.00836873556071114, 0.0013814559864123949};
constexpr double logarithm_of_e_to_2 = 0x1.715476p0;
// log(2) as a sum of two floats. The first float has so few bits that its product with n is exact.
constexpr double log_of_2_high = 0x1.62e4p-1, log_of_2_low = 0x1.7f7d1cp-20;
constexpr double rounding = 0x1.8p23;  ///< adding it rounds a number to an integer
constexpr std::uint32_t bits_of_rounding = 0x4b400000;
constexpr double first_infinite = 0x1.62e43p6, last_zero = -104;
constexpr double some_denormal = -87;  ///< for smaller x, results may be denormal

class exponential_steps : float_numbers {
public:
  /// `scales` says that the machine has an instruction that multiplies by powers of 2, also for denormal results.
  exponential_steps(llvm::CallInst& call, bool fused, bool scales) : float_numbers(call, fused), m_scales(scales) {}

  llvm::Value* run(llvm::Value* x) {
    llvm::Value* within = m_scales ? limited(x) : x;
    llvm::Value* shifted = multiply_add(within, number(logarithm_of_e_to_2), number(rounding));
    if (!m_scales) {
      llvm::Value* n = m_builder.CreateFSub(shifted, number(rounding));
      return with_limits(x, times_power(exponential(x, n), shifted, x));
    }
    llvm::Value* bits = m_builder.CreateBitCast(shifted, m_builder.getInt32Ty());
    llvm::Value* power = m_builder.CreateSub(bits, m_builder.getInt32(bits_of_rounding));
    llvm::Value* p = exponential(within, m_builder.CreateSIToFP(power, m_type));
    return m_builder.CreateIntrinsic(llvm::Intrinsic::ldexp, {m_type, power->getType()}, {p, power});
  }

private:
  /// Computes exp(x) / 2^n.
  llvm::Value* exponential(llvm::Value* x, llvm::Value* n) {
    llvm::Value* r = multiply_add(n, number(-log_of_2_high), x);
    r = multiply_add(n, number(-log_of_2_low), r);
    llvm::Value* p = polynomial(exponential_coefficients, r);
    return m_builder.CreateFAdd(multiply_add(p, m_builder.CreateFMul(r, r), r), number(1));
  }

  /// Limits x to the range in which results are neither infinite nor 0. NaNs stay NaNs.
  llvm::Value* limited(llvm::Value* x) {
    constexpr double infinite = 89, zero = -105;
    x = m_builder.CreateSelect(m_builder.CreateFCmpOGT(x, number(infinite)), number(infinite), x);
    return m_builder.CreateSelect(m_builder.CreateFCmpOLT(x, number(zero)), number(zero), x);
  }

  /// Computes p * 2^n, where the lowest bits of `shifted` hold n. For denormal results, computes a larger number first
  /// and multiplies it by a small factor.
  llvm::Value* times_power(llvm::Value* p, llvm::Value* shifted, llvm::Value* x) {
    constexpr unsigned more = 64;
    llvm::Value* low = m_builder.CreateBitCast(shifted, m_builder.getInt32Ty());
    llvm::Value* exponent = m_builder.CreateShl(low, mantissa_bits);
    llvm::Value* small = m_builder.CreateFCmpOLT(x, number(some_denormal));
    llvm::Value* added =
        m_builder.CreateSelect(small, m_builder.getInt32(more << mantissa_bits), m_builder.getInt32(0));
    llvm::Value* bits = m_builder.CreateAdd(m_builder.CreateBitCast(p, m_builder.getInt32Ty()),
                                            m_builder.CreateAdd(exponent, added));
    llvm::Value* factor = m_builder.CreateSelect(small, number(0x1p-64), number(1));
    return m_builder.CreateFMul(m_builder.CreateBitCast(bits, m_type), factor);
  }

  /// Chooses the results for arguments that are too large, too small or NaN.
  llvm::Value* with_limits(llvm::Value* x, llvm::Value* result) {
    llvm::Value* above_zero = m_builder.CreateSelect(m_builder.CreateFCmpOLT(x, number(last_zero)), number(0), result);
    llvm::Value* limit = m_builder.CreateFAdd(x, number(std::numeric_limits<double>::infinity()));
    return m_builder.CreateSelect(m_builder.CreateFCmpOLT(x, number(first_infinite)), above_zero, limit);
  }

  const bool m_scales;
};

}  // namespace

void expand_float_exponentials(llvm::Function& kernel, const llvm::TargetMachine& machine) {
  const machine_facts facts = machine_facts::of(machine);
  const bool fused = facts.adds_products_once;
  const bool scales = scales_in_vectors && facts.has_avx512;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !call->getType()->isFloatTy() || math_name(*call) != "exp") continue;
    call->replaceAllUsesWith(exponential_steps(*call, fused, scales).run(call->getArgOperand(0)));
    call->eraseFromParent();
  }
}

}  // namespace sinter::passes
