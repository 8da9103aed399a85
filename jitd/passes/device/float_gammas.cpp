#include "float_gammas.hpp"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IRBuilder.h"
#include "passes/machine/vector_math.hpp"

namespace sinter::passes {
namespace {

constexpr double pi = 0x1.921fb54442d18p+1, half_log_of_two_pi = 0x1.d67f1c864beb5p-1;
// Stirling's series for the logarithm of gamma. From `series_from` on, the first term that is left out is below 4e-16.
constexpr double series[] = {1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156};
constexpr double series_from = 8.5;
constexpr unsigned shift = 8;
// The series of the sine, from the third power on. The first term that is left out is below 3e-16 for arguments of up
// to pi / 2.
constexpr double sine_series[] = {-1.0 / 6,
                                  1.0 / 120,
                                  -1.0 / 5040,
                                  1.0 / 362880,
                                  -1.0 / 39916800,
                                  1.0 / 6227020800,
                                  -1.0 / 1307674368000,
                                  1.0 / 355687428096000,
                                  -1.0 / 121645100408832000};

class gamma_steps {
public:
  explicit gamma_steps(llvm::CallInst& call) : m_builder(&call), m_single(call.getArgOperand(0)) {
    m_x = m_builder.CreateFPExt(m_single, m_builder.getDoubleTy());
    // gamma(x) * gamma(1 - x) = pi / sin(pi * x)
    m_is_low = m_builder.CreateFCmpOLT(m_x, number(0.5));
    m_y = m_builder.CreateSelect(m_is_low, m_builder.CreateFSub(number(1), m_x), m_x);
    take_logarithm();
  }

  llvm::Value* gamma() {
    llvm::Value* value = m_builder.CreateFDiv(unary(llvm::Intrinsic::exp, m_logarithm), m_product);
    llvm::Value* low = m_builder.CreateFDiv(number(pi), m_builder.CreateFMul(sine(), value));
    llvm::Value* result = m_builder.CreateSelect(m_is_low, low, value);
    // Gamma has no value at negative integers, and is infinite at 0 and -0.
    llvm::Value* is_integer = m_builder.CreateFCmpOEQ(m_x, m_whole);
    llvm::Value* none = m_builder.CreateAnd(m_builder.CreateFCmpOLT(m_x, number(0)), is_integer);
    result = m_builder.CreateSelect(none, llvm::ConstantFP::getNaN(m_x->getType()), result);
    llvm::Value* is_zero = m_builder.CreateFCmpOEQ(m_x, number(0));
    result = m_builder.CreateSelect(is_zero, m_builder.CreateFDiv(number(1), m_x), result);
    llvm::Value* infinite = m_builder.CreateFCmpOEQ(m_x, llvm::ConstantFP::getInfinity(m_x->getType()));
    return rounded(m_builder.CreateSelect(infinite, m_x, result));
  }

  llvm::Value* logarithm_of_gamma() {
    llvm::Value* size = unary(llvm::Intrinsic::fabs, sine());
    llvm::Value* low = m_builder.CreateFDiv(m_builder.CreateFMul(number(pi), m_product), size);
    llvm::Value* other = unary(llvm::Intrinsic::log, m_builder.CreateSelect(m_is_low, low, m_product));
    llvm::Value* result = m_builder.CreateSelect(m_is_low, m_builder.CreateFSub(other, m_logarithm),
                                                 m_builder.CreateFSub(m_logarithm, other));
    // The difference of the logarithms is not quite zero at the roots.
    llvm::Value* is_root = m_builder.CreateOr(m_builder.CreateFCmpOEQ(m_x, number(1)),
                                              m_builder.CreateFCmpOEQ(m_x, number(2)));
    result = m_builder.CreateSelect(is_root, number(0), result);
    llvm::Value* far = unary(llvm::Intrinsic::fabs, m_x);
    llvm::Value* infinite = m_builder.CreateFCmpOEQ(far, llvm::ConstantFP::getInfinity(m_x->getType()));
    return rounded(m_builder.CreateSelect(infinite, far, result));
  }

private:
  llvm::Value* number(double value) { return llvm::ConstantFP::get(m_builder.getDoubleTy(), value); }
  llvm::Value* unary(llvm::Intrinsic::ID id, llvm::Value* value) { return m_builder.CreateUnaryIntrinsic(id, value); }
  llvm::Value* rounded(llvm::Value* value) { return m_builder.CreateFPTrunc(value, m_single->getType()); }

  llvm::Value* polynomial(llvm::ArrayRef<double> factors, llvm::Value* x) {
    llvm::Value* sum = number(factors.back());
    for (double each : llvm::reverse(factors.drop_back()))
      sum = m_builder.CreateFAdd(m_builder.CreateFMul(sum, x), number(each));
    return sum;
  }

  /// Computes m_product and m_logarithm, so that gamma(y) = exp(m_logarithm) / m_product.
  void take_logarithm() {
    llvm::Value* product = m_y;
    for (unsigned i = 1; i < shift; ++i)
      product = m_builder.CreateFMul(product, m_builder.CreateFAdd(m_y, number(i)));
    llvm::Value* is_small = m_builder.CreateFCmpOLT(m_y, number(series_from));
    m_product = m_builder.CreateSelect(is_small, product, number(1));
    llvm::Value* large = m_builder.CreateSelect(is_small, m_builder.CreateFAdd(m_y, number(shift)), m_y);
    llvm::Value* inverse = m_builder.CreateFDiv(number(1), large);
    llvm::Value* square = m_builder.CreateFMul(inverse, inverse);
    llvm::Value* sum = polynomial(series, square);
    sum = m_builder.CreateFAdd(m_builder.CreateFMul(sum, inverse), number(half_log_of_two_pi));
    llvm::Value* main = m_builder.CreateFMul(m_builder.CreateFSub(large, number(0.5)),
                                             unary(llvm::Intrinsic::log, large));
    m_logarithm = m_builder.CreateFAdd(m_builder.CreateFSub(main, large), sum);
  }

  /// Returns sin(pi * x): the sine of pi times the distance from the nearest integer, negated if this integer is odd.
  llvm::Value* sine() {
    m_whole = unary(llvm::Intrinsic::rint, m_x);
    llvm::Value* angle = m_builder.CreateFMul(number(pi), m_builder.CreateFSub(m_x, m_whole));
    llvm::Value* square = m_builder.CreateFMul(angle, angle);
    llvm::Value* others = m_builder.CreateFMul(square, polynomial(sine_series, square));
    llvm::Value* wave = m_builder.CreateFAdd(angle, m_builder.CreateFMul(angle, others));
    llvm::Value* half = m_builder.CreateFMul(m_whole, number(0.5));
    llvm::Value* is_odd = m_builder.CreateFCmpUNE(unary(llvm::Intrinsic::floor, half), half);
    return m_builder.CreateSelect(is_odd, m_builder.CreateFNeg(wave), wave);
  }

  llvm::IRBuilder<> m_builder;
  llvm::Value* m_single;
  llvm::Value *m_x, *m_is_low, *m_y;
  llvm::Value *m_product = nullptr, *m_logarithm = nullptr;
  llvm::Value* m_whole = nullptr;  ///< the integer that is nearest to x
};

}  // namespace

void expand_float_gammas(llvm::Function& kernel) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || !call->getType()->isFloatTy() || call->arg_size() != 1) continue;
    const llvm::StringRef name = math_name(*call);
    if (name != "tgamma" && name != "lgamma") continue;
    gamma_steps steps(*call);
    call->replaceAllUsesWith(name == "tgamma" ? steps.gamma() : steps.logarithm_of_gamma());
    call->eraseFromParent();
  }
}

}  // namespace sinter::passes
