#include "float_logarithms.hpp"

#include <cstdint>
#include <limits>

#include "llvm/IR/InstIterator.h"
#include "passes/machine/machine_calls.hpp"
#include "passes/machine/machine_facts.hpp"
#include "passes/machine/vector_math.hpp"

#include "float_numbers.hpp"

namespace sinter::passes {
namespace {

// The method: x = 2^k * (1 + f) with f between sqrt(1/2) - 1 and sqrt(2) - 1, and log(1 + f) = f - f^2 / 2 + f^3 *
// p(f). The coefficients of p come from Remez's algorithm, and the relative error of the logarithm is 6e-9.
constexpr double general_coefficients[] = {0.3333333170736911,   -0.2500082103007602, 0.2000122688903589,
                                           -0.16623357457235938, 0.14201757715270555, -0.13160181261873277,
                                           0.12761579087746946,  -0.07634501932495551};
// Coefficients for f between -1/4 and 1/2, with an error of at most 4.9e-9.
constexpr double machine_coefficients[] = {0.3333344911245917,  -0.2500009584205566,  0.19990861240426938,
                                           -0.16647312163541422, 0.14478394762074198, -0.13161193501920304,
                                           0.1046302344084238,  -0.04507481611297005};
constexpr std::uint32_t root_of_half = 0x3f3504f3;  // bits of sqrt(1/2)

/// A number as the sum of two parts. `high` has so few bits that the product of `high` and an exponent k is exact.
struct two_floats {
  double high, low;
};
constexpr two_floats log_of_2{0x1.62e4p-1, 0x1.7f7d1cp-20}, decimal_log_of_2{0x1.344p-2, 0x1.3509f8p-18};
constexpr two_floats decimal_log_of_e{0x1.bcb7b2p-2, -0x1.5b235ep-27};

class logarithm_steps : float_numbers {
public:
  logarithm_steps(llvm::CallInst& call, bool fused) : float_numbers(call, fused) {}

  llvm::Value* run(llvm::Value* x, bool decimal) {
    // Denormal numbers are scaled to normal ones.
    llvm::Value* small = m_builder.CreateFCmpOLT(x, number(0x1p-126));
    llvm::Value* scaled = m_builder.CreateSelect(small, m_builder.CreateFMul(x, number(0x1p23)), x);
    llvm::Value* bits = m_builder.CreateBitCast(scaled, m_builder.getInt32Ty());
    llvm::Value* past = m_builder.CreateSub(bits, m_builder.getInt32(root_of_half));
    llvm::Value* exponent = m_builder.CreateAShr(past, mantissa_bits);
    llvm::Value* rest = m_builder.CreateSub(bits, m_builder.CreateShl(exponent, mantissa_bits));
    llvm::Value* f = m_builder.CreateFSub(m_builder.CreateBitCast(rest, m_type), number(1));
    llvm::Value* k = m_builder.CreateFAdd(m_builder.CreateSIToFP(exponent, m_type),
                                          m_builder.CreateSelect(small, number(-23), number(0)));
    llvm::Value* less = behind(f, general_coefficients);
    llvm::Value* result;
    if (decimal) {
      llvm::Value* low = m_builder.CreateFMul(f, number(decimal_log_of_e.low));
      low = multiply_add(k, number(decimal_log_of_2.low), multiply_add(less, number(decimal_log_of_e.high), low));
      result = multiply_add(k, number(decimal_log_of_2.high), multiply_add(f, number(decimal_log_of_e.high), low));
    } else {
      result = natural(k, f, less);
    }
    return with_limits(x, result);
  }

  /// The natural logarithm, for machines with instructions for exponent and significand. These instructions take
  /// denormal numbers, too. For zeros, infinities and negative numbers, the instructions return values that lead to the
  /// right result.
  llvm::Value* run_with_parts(llvm::Value* x) {
    llvm::Value* mantissa = call_machine(m_builder, machine_function::mantissa, x);
    llvm::Value* k = m_builder.CreateFSub(call_machine(m_builder, machine_function::exponent, x),
                                          call_machine(m_builder, machine_function::exponent, mantissa));
    llvm::Value* f = m_builder.CreateFSub(mantissa, number(1));
    return natural(k, f, behind(f, machine_coefficients));
  }

private:
  /// Computes log(1 + f) - f.
  llvm::Value* behind(llvm::Value* f, llvm::ArrayRef<double> factors) {
    llvm::Value* p = polynomial(factors, f);
    return m_builder.CreateFMul(multiply_add(p, f, number(-0.5)), m_builder.CreateFMul(f, f));
  }

  /// Computes k * log(2) + f + `less`.
  llvm::Value* natural(llvm::Value* k, llvm::Value* f, llvm::Value* less) {
    llvm::Value* low = multiply_add(k, number(log_of_2.low), less);
    return multiply_add(k, number(log_of_2.high), m_builder.CreateFAdd(low, f));
  }

  /// Chooses the results for zeros, infinities, negative numbers and NaNs.
  llvm::Value* with_limits(llvm::Value* x, llvm::Value* result) {
    llvm::Constant* infinity = number(std::numeric_limits<double>::infinity());
    llvm::Value* positive = m_builder.CreateFCmpOGT(x, number(0));
    llvm::Value* finite = m_builder.CreateFCmpOLT(x, infinity);
    llvm::Value* no_number = m_builder.CreateSelect(positive, x, llvm::ConstantFP::getQNaN(m_type));
    llvm::Value* zero = m_builder.CreateFCmpOEQ(x, number(0));
    llvm::Value* limit = m_builder.CreateSelect(zero, number(-std::numeric_limits<double>::infinity()), no_number);
    return m_builder.CreateSelect(m_builder.CreateAnd(positive, finite), result, limit);
  }
};

}  // namespace

void expand_float_logarithms(llvm::Function& kernel, const llvm::TargetMachine& machine) {
  const bool fused = machine_facts::of(machine).adds_products_once, parts = has_machine_functions(machine);
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !call->getType()->isFloatTy()) continue;
    const llvm::StringRef name = math_name(*call);
    if (name != "log" && name != "log10") continue;
    llvm::Value* x = call->getArgOperand(0);
    logarithm_steps made(*call, fused);
    call->replaceAllUsesWith(parts && name == "log" ? made.run_with_parts(x) : made.run(x, name == "log10"));
    call->eraseFromParent();
  }
}

}  // namespace sinter::passes
