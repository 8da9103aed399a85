#include "math_corrections.hpp"

#include <abi/device_abi.hpp>
#include <cmath>
#include <cstdint>
#include <string>

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

namespace sinter::jit {
namespace {

using operand_list = llvm::ArrayRef<llvm::Value*>;

llvm::Constant* number(llvm::Value* like, double value) { return llvm::ConstantFP::get(like->getType(), value); }

llvm::Value* size_of(llvm::IRBuilder<>& builder, llvm::Value* x) {
  return builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
}

llvm::Value* with_sign(llvm::IRBuilder<>& builder, llvm::Value* value, llvm::Value* sign) {
  return builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, value, sign);
}

/// An argument x below `limit` is replaced by x + by, which is exact. The factor is f(x) / f(x + by).
struct shift {
  double limit, by, factor;
};

/// The exponential functions of floats return 0 instead of subnormal numbers.
const shift* shift_of(llvm::StringRef base, const llvm::Value* x) {
  static constexpr shift exp = {-80, 32, 1.2664165549094176e-14}, exp2 = {-100, 64, 0x1p-64};
  if (!x->getType()->isFloatTy()) return nullptr;
  return base == "exp" ? &exp : base == "exp2" ? &exp2 : nullptr;
}

/// libclc multiplies y by a logarithm, which must not be infinite. Beyond this size of y, only the signs of y and of
/// the logarithm matter, and y is even.
constexpr double large_exponent = 0x1p66;

void prepare(llvm::IRBuilder<>& builder, llvm::StringRef base, llvm::MutableArrayRef<llvm::Value*> operands) {
  llvm::Value* x = operands[0];
  if (const shift* known = shift_of(base, x)) {
    llvm::Value* shifted = builder.CreateFAdd(x, number(x, known->by));
    operands[0] = builder.CreateSelect(builder.CreateFCmpOLT(x, number(x, known->limit)), shifted, x);
  }
  if (base == "pow" && x->getType()->isDoubleTy()) {
    llvm::Value* y = operands[1];
    llvm::Value* is_large = builder.CreateFCmpOGT(size_of(builder, y), number(y, large_exponent));
    operands[1] = builder.CreateSelect(is_large, with_sign(builder, number(y, large_exponent), y), y);
  }
}

/// Computes sin(pi x) of x > 0. The argument of the sine is near 0 wherever the result is near 0.
llvm::Value* sine_of_turns(llvm::IRBuilder<>& builder, llvm::Value* x) {
  llvm::Value* turns =
      builder.CreateUnaryIntrinsic(llvm::Intrinsic::rint, builder.CreateFMul(x, number(x, 0.5)));
  llvm::Value* turn = builder.CreateFSub(x, builder.CreateFMul(turns, number(x, 2)));
  llvm::Value* opposite = builder.CreateFSub(with_sign(builder, number(x, 1), turn), turn);
  llvm::Value* is_far = builder.CreateFCmpOGT(size_of(builder, turn), number(x, 0.5));
  llvm::Value* near = builder.CreateSelect(is_far, opposite, turn);
  return builder.CreateUnaryIntrinsic(llvm::Intrinsic::sin, builder.CreateFMul(near, number(x, llvm::numbers::pi)));
}

/// Computes the gamma function by Lanczos's approximation with 13 terms, as the product of a rational function of
/// a = |x|, of exp(-y) and of y^(a - 0.5), where y = a + g. Negative numbers are computed by
/// gamma(-a) = -pi / (sin(pi a) a gamma(a)).
llvm::Value* gamma(llvm::IRBuilder<>& builder, llvm::Value* x) {
  // The coefficients of the numerator and the denominator, beginning with the constant terms.
  constexpr double terms[][2] = {{23531376880.41076, 0},           {42919803642.6491, 39916800},
                                 {35711959237.35567, 120543840},   {17921034426.037209, 150917976},
                                 {6039542586.352028, 105258076},   {1439720407.3117216, 45995730},
                                 {248874557.86205417, 13339535},   {31426415.585400194, 2637558},
                                 {2876370.6289353725, 357423},     {186056.26539522348, 32670},
                                 {8071.672002365816, 1925},        {210.82427775157935, 66},
                                 {2.5066282746310002, 1}};
  constexpr double g = 5.52468004077673;
  const auto add = [&](llvm::Value* a, llvm::Value* b) { return builder.CreateFAdd(a, b); };
  const auto multiply = [&](llvm::Value* a, llvm::Value* b) { return builder.CreateFMul(a, b); };
  // For |x| above 190, the results are infinite or 0 anyway.
  llvm::Value* size = size_of(builder, x);
  llvm::Value* a = builder.CreateSelect(builder.CreateFCmpOGT(size, number(x, 190)), number(x, 190), size);
  llvm::Value* y = add(a, number(x, g));
  // The sum y is rounded, so it is larger than the exact a + g by `error`.
  llvm::Value* error = builder.CreateSelect(
      builder.CreateFCmpOGT(a, number(x, g)), builder.CreateFSub(builder.CreateFSub(y, a), number(x, g)),
      builder.CreateFSub(builder.CreateFSub(y, number(x, g)), a));
  llvm::Value *above = number(x, 0), *below = number(x, 0);
  for (const auto& [numerator, denominator] : llvm::reverse(terms)) {
    above = add(multiply(above, a), number(x, numerator));
    below = add(multiply(below, a), number(x, denominator));
  }
  llvm::Value* factor =
      multiply(builder.CreateFDiv(above, below),
               builder.CreateUnaryIntrinsic(llvm::Intrinsic::exp, builder.CreateFNeg(y)));
  llvm::Value* reflected = builder.CreateFDiv(number(x, -llvm::numbers::pi),
                                              multiply(multiply(sine_of_turns(builder, size), a), factor));
  llvm::Value* is_negative = builder.CreateFCmpOLT(x, number(x, 0));
  const auto with_sign_of_x = [&](llvm::Value* of) {
    return builder.CreateSelect(is_negative, builder.CreateFNeg(of), of);
  };
  factor = builder.CreateSelect(is_negative, reflected, factor);
  llvm::Value* correction = builder.CreateFDiv(multiply(with_sign_of_x(error), number(x, g + 0.5)), y);
  factor = add(factor, multiply(correction, factor));
  // The power is computed as the square of `power`, because the whole power could be infinite although the result is
  // not.
  llvm::Value* exponent = multiply(with_sign_of_x(builder.CreateFSub(a, number(x, 0.5))), number(x, 0.5));
  llvm::Value* power = builder.CreateBinaryIntrinsic(llvm::Intrinsic::pow, y, exponent);
  llvm::Value* result = multiply(multiply(factor, power), power);
  llvm::Value* whole = builder.CreateUnaryIntrinsic(llvm::Intrinsic::floor, x);
  llvm::Value* is_pole = builder.CreateAnd(is_negative, builder.CreateFCmpOEQ(whole, x));
  result = builder.CreateSelect(is_pole, llvm::ConstantFP::getNaN(x->getType()), result);
  // The gamma function is 1 / x - 0.577 near 0.
  llvm::Value* is_tiny = builder.CreateFCmpOLT(size, number(x, 0x1p-54));
  return builder.CreateSelect(is_tiny, builder.CreateFDiv(number(x, 1), x), result);
}

/// These functions of doubles lose the sign of zero.
bool loses_sign(llvm::StringRef base) {
  return llvm::is_contained({"sin", "sincos", "tan", "asin", "atan", "expm1", "erf"}, base);
}

llvm::Value* zero_of(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* result) {
  return builder.CreateSelect(builder.CreateFCmpOEQ(x, number(x, 0)), x, result);
}

llvm::Value* finish_libclc(llvm::IRBuilder<>& builder, llvm::StringRef base, operand_list operands,
                           llvm::CallInst& call) {
  llvm::Value* x = operands[0];
  if (base == "ilogb") return corrected_ilogb(builder, x, &call);
  if (const shift* known = shift_of(base, x)) {
    llvm::Value* scaled = builder.CreateFMul(&call, number(x, known->factor));
    return builder.CreateSelect(builder.CreateFCmpOLT(x, number(x, known->limit)), scaled, &call);
  }
  if (base == "lgamma") {
    llvm::Constant* infinity = llvm::ConstantFP::getInfinity(x->getType());
    return builder.CreateSelect(builder.CreateFCmpOEQ(size_of(builder, x), infinity), infinity, &call);
  }
  return x->getType()->isDoubleTy() && loses_sign(base) ? zero_of(builder, x, &call) : &call;
}

llvm::Value* finish_ocml(llvm::IRBuilder<>& builder, llvm::StringRef base, operand_list operands,
                         llvm::CallInst& call) {
  llvm::Value* x = operands[0];
  if (base == "ilogb") return corrected_ilogb(builder, x, &call);
  if (base == "expm1" || base == "log1p") return zero_of(builder, x, &call);
  if (base != "nextafter") return &call;
  // If nextafter() goes from the smallest negative number to zero, this zero must be negative.
  llvm::Value* is_zero = builder.CreateAnd(builder.CreateFCmpOEQ(&call, number(x, 0)),
                                           builder.CreateFCmpONE(x, operands[1]));
  return builder.CreateSelect(is_zero, with_sign(builder, number(x, 0), x), &call);
}

}  // namespace

void correct_libclc(math_dialect& dialect) {
  dialect.prepare = prepare;
  dialect.finish = finish_libclc;
  // These functions of floats never return subnormal numbers.
  dialect.needs_double = [](llvm::StringRef base) {
    return llvm::is_contained({"fmod", "remainder", "remquo", "erfc"}, base);
  };
}

void define_gamma(llvm::Module& module) {
  for (const char* name : {"tgamma_f32", "tgamma_f64"}) {
    llvm::Function* function = module.getFunction(std::string(abi::device_math_prefix) + name);
    if (!function || !function->isDeclaration()) continue;
    function->setLinkage(llvm::GlobalValue::InternalLinkage);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(module.getContext(), "entry", function));
    llvm::Value* x = builder.CreateFPCast(function->getArg(0), builder.getDoubleTy());
    builder.CreateRet(builder.CreateFPCast(gamma(builder, x), function->getReturnType()));
  }
}

void correct_ocml(math_dialect& dialect) {
  dialect.finish = finish_ocml;
  // Instead of subnormal numbers, this function of floats returns 0 with the wrong sign.
  dialect.needs_double = [](llvm::StringRef base) { return base == "tgamma"; };
}

llvm::Value* scaled_by_power(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* exponent) {
  const bool is_float = x->getType()->isFloatTy();
  const int most = is_float ? 127 : 1023, digits = is_float ? 24 : 53, least = 1 - most;
  // Three powers are enough for all results. Only the multiplication by the last power may make the number subnormal,
  // so the number is rounded once.
  llvm::Value* n = exponent;
  const auto limited = [&](llvm::Value* value, int low, int high) {
    value = builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, value, builder.getInt32(static_cast<unsigned>(low)));
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, value, builder.getInt32(static_cast<unsigned>(high)));
  };
  for (int i = 0; i < 2; ++i) {
    llvm::Value* is_high = builder.CreateICmpSGT(n, builder.getInt32(static_cast<unsigned>(most)));
    llvm::Value* is_low = builder.CreateICmpSLT(n, builder.getInt32(static_cast<unsigned>(least)));
    llvm::Value* factor = builder.CreateSelect(
        is_high, number(x, std::ldexp(1.0, most)),
        builder.CreateSelect(is_low, number(x, std::ldexp(1.0, least + digits)), number(x, 1)));
    x = builder.CreateFMul(x, factor);
    llvm::Value* rest = builder.CreateSelect(is_low, builder.getInt32(static_cast<unsigned>(-(least + digits))),
                                             builder.getInt32(0));
    n = builder.CreateAdd(n, builder.CreateSelect(is_high, builder.getInt32(static_cast<unsigned>(-most)), rest));
  }
  llvm::Type* bits = is_float ? builder.getInt32Ty() : builder.getInt64Ty();
  llvm::Value* biased = builder.CreateZExt(
      builder.CreateAdd(limited(n, least, most), builder.getInt32(static_cast<unsigned>(most))), bits);
  llvm::Value* power = builder.CreateShl(biased, static_cast<std::uint64_t>(digits - 1));
  return builder.CreateFMul(x, builder.CreateBitCast(power, x->getType()));
}

llvm::Value* corrected_ilogb(llvm::IRBuilder<>& builder, llvm::Value* x, llvm::Value* result) {
  llvm::Value* none = builder.CreateFCmpUNO(x, x);
  return builder.CreateSelect(none, builder.getInt32(static_cast<std::uint32_t>(FP_ILOGBNAN)), result);
}

}  // namespace sinter::jit
