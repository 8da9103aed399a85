#include "vector_math.hpp"

#include <abi/device_abi.hpp>
#include <algorithm>
#include <atomic>

#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "machine_facts.hpp"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

/// glibc 2.35 has all functions of this list for 2 to 16 lanes. Their errors are within SYCL's limits
/// (docs/conformance.md), except for cbrt (2.6 ulp instead of 2, but 1.8 for eight doubles) and for log and log10 of
/// floats. Other passes compute cbrt, log and log10 of floats in line (float_cube_roots.hpp, float_logarithms.hpp), and
/// exp of floats, too (float_exponentials.hpp).
constexpr llvm::StringLiteral in_libmvec[] = {
    "sin",  "cos",  "tan",   "asin",  "acos",  "atan", "atan2", "sinh", "cosh",  "tanh", "asinh", "acosh", "atanh",
    "exp",  "exp2", "exp10", "expm1", "log",   "log2", "log10", "log1p", "pow",  "hypot", "erf",   "erfc",
};

/// SLEEF has the functions of this list for 64-bit Arm, with errors of up to 1.1 ulp (docs/conformance.md). SLEEF's
/// sinh, cosh, asinh, acosh and log1p are not called: these functions return infinity for some large numbers whose
/// result is finite.
constexpr llvm::StringLiteral in_sleef[] = {
    "sin",  "cos",   "tan",   "asin", "acos", "atan",  "atan2", "tanh",  "atanh", "exp",
    "exp2", "exp10", "expm1", "log",  "log2", "log10", "pow",   "hypot", "erf",   "erfc", "cbrt",
};

constexpr unsigned neon_bits = 128;

std::atomic<bool> sleef_known{false};

bool is_arm(const llvm::Module& module) { return llvm::Triple(module.getTargetTriple()).isAArch64(); }

llvm::StringRef intrinsic_name(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::sin: return "sin";
    case llvm::Intrinsic::cos: return "cos";
    case llvm::Intrinsic::tan: return "tan";
    case llvm::Intrinsic::asin: return "asin";
    case llvm::Intrinsic::acos: return "acos";
    case llvm::Intrinsic::atan: return "atan";
    case llvm::Intrinsic::atan2: return "atan2";
    case llvm::Intrinsic::sinh: return "sinh";
    case llvm::Intrinsic::cosh: return "cosh";
    case llvm::Intrinsic::tanh: return "tanh";
    case llvm::Intrinsic::exp: return "exp";
    case llvm::Intrinsic::exp2: return "exp2";
    case llvm::Intrinsic::exp10: return "exp10";
    case llvm::Intrinsic::log: return "log";
    case llvm::Intrinsic::log2: return "log2";
    case llvm::Intrinsic::log10: return "log10";
    case llvm::Intrinsic::pow: return "pow";
    default: return {};
  }
}

unsigned piece_lanes(const llvm::CallInst& call, unsigned lanes, unsigned vector_bits) {
  return std::min(lanes, vector_bits / static_cast<unsigned>(call.getType()->getScalarSizeInBits()));
}

} // namespace

llvm::StringRef math_name(const llvm::CallInst& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (!callee || (!call.getType()->isFloatTy() && !call.getType()->isDoubleTy())) return {};
  if (callee->isIntrinsic()) return intrinsic_name(callee->getIntrinsicID());
  llvm::StringRef name = callee->getName();
  if (!name.consume_front(abi::device_math_prefix)) return {};
  return name.drop_back(4);  // removes _f32 or _f64
}

void know_sleef(bool present) { sleef_known.store(present, std::memory_order_relaxed); }

bool has_vector_math(const llvm::CallInst& call, unsigned lanes, unsigned vector_bits) {
  const llvm::StringRef name = math_name(call);
  if (name.empty()) return false;
  const unsigned piece = piece_lanes(call, lanes, vector_bits);
  if (piece * static_cast<unsigned>(call.getType()->getScalarSizeInBits()) < neon_bits) return false;
  if (is_arm(*call.getModule()))
    return sleef_known.load(std::memory_order_relaxed) && llvm::is_contained(in_sleef, name);
  const bool rounds_well = name == "cbrt" && call.getType()->isDoubleTy() && piece == 8;
  return rounds_well || llvm::is_contained(in_libmvec, name);
}

namespace {

/// Calls a math function for vectors that fit a vector register.
class vector_function {
public:
  vector_function(llvm::IRBuilder<>& builder, const llvm::CallInst& call, unsigned lanes)
      : m_builder(builder), m_type(llvm::FixedVectorType::get(call.getType(), lanes)), m_passed(m_type) {
    const auto element_bits = static_cast<unsigned>(call.getType()->getScalarSizeInBits());
    const unsigned bits = lanes * element_bits;
    llvm::Module& module = *builder.GetInsertBlock()->getModule();
    const bool arm = is_arm(module);
    m_takes_mask = arm && bits > neon_bits;
    // In x86-64's vector function ABI, names contain b for SSE, d for AVX2, and e for AVX-512. In the vector function
    // ABI of 64-bit Arm, names contain n for NEON, and s for SVE of any length. SVE functions take a mask.
    std::string name = m_takes_mask  ? "_ZGVsMx"
                       : arm         ? "_ZGVnN"
                       : bits == 128 ? "_ZGVbN"
                       : bits == 256 ? "_ZGVdN"
                                     : "_ZGVeN";
    if (!m_takes_mask) name += std::to_string(lanes);
    name += std::string(call.arg_size(), 'v') + "_" + math_name(call).str() + (call.getType()->isFloatTy() ? "f" : "");
    if (m_takes_mask) m_passed = llvm::ScalableVectorType::get(call.getType(), neon_bits / element_bits);
    llvm::SmallVector<llvm::Type*, 3> parameters(call.arg_size(), m_passed);
    if (m_takes_mask) parameters.push_back(mask_type());
    m_callee = module.getOrInsertFunction(name, llvm::FunctionType::get(m_passed, parameters, false));
    auto* function = llvm::cast<llvm::Function>(m_callee.getCallee());
    if (arm && !m_takes_mask) function->setCallingConv(llvm::CallingConv::AArch64_VectorCall);
    function->setDoesNotThrow();
    function->setDoesNotAccessMemory();
    function->setWillReturn();
  }

  llvm::Value* operator()(llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::SmallVector<llvm::Value*, 3> passed(arguments);
    if (m_takes_mask) {
      for (llvm::Value*& each : passed) {
        each = m_builder.CreateInsertVector(m_passed, llvm::PoisonValue::get(m_passed), each, std::uint64_t{0});
      }
      passed.push_back(llvm::Constant::getAllOnesValue(mask_type()));
    }
    llvm::CallInst* result = m_builder.CreateCall(m_callee, passed);
    result->setCallingConv(llvm::cast<llvm::Function>(m_callee.getCallee())->getCallingConv());
    return m_takes_mask ? m_builder.CreateExtractVector(m_type, result, std::uint64_t{0}) : result;
  }

private:
  llvm::Type* mask_type() const { return m_passed->getWithNewType(llvm::Type::getInt1Ty(m_passed->getContext())); }

  llvm::IRBuilder<>& m_builder;
  llvm::VectorType* m_type;
  llvm::VectorType* m_passed;  ///< the vector type of the function's parameters
  bool m_takes_mask = false;
  llvm::FunctionCallee m_callee;
};

}  // namespace

llvm::Value* emit_vector_math(llvm::IRBuilder<>& builder, const llvm::CallInst& call, unsigned lanes,
                              unsigned vector_bits, llvm::ArrayRef<llvm::Value*> arguments) {
  const unsigned piece = piece_lanes(call, lanes, vector_bits);
  vector_function function(builder, call, piece);
  llvm::SmallVector<llvm::Value*, 8> results;
  for (unsigned first = 0; first < lanes; first += piece) {
    llvm::SmallVector<int, 16> lanes_of_piece;
    for (unsigned i = 0; i < piece; ++i) lanes_of_piece.push_back(static_cast<int>(first + i));
    llvm::SmallVector<llvm::Value*, 2> parts;
    for (llvm::Value* argument : arguments) {
      parts.push_back(piece == lanes ? argument : builder.CreateShuffleVector(argument, lanes_of_piece));
    }
    results.push_back(function(parts));
  }
  while (results.size() > 1) {
    llvm::SmallVector<llvm::Value*, 8> joined;
    for (std::size_t i = 0; i < results.size(); i += 2) {
      const unsigned count = 2 * llvm::cast<llvm::FixedVectorType>(results[i]->getType())->getNumElements();
      llvm::SmallVector<int, 16> all;
      for (unsigned k = 0; k < count; ++k) all.push_back(static_cast<int>(k));
      joined.push_back(builder.CreateShuffleVector(results[i], results[i + 1], all));
    }
    results = std::move(joined);
  }
  return results[0];
}

} // namespace sinter::passes
