#include "vector_math.hpp"

#include <abi/device_abi.hpp>
#include <algorithm>

#include "llvm/IR/Module.h"
#include "llvm/TargetParser/Triple.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

/// glibc 2.35 has all of these for 2 to 16 lanes, and they keep the limits of SYCL (docs/conformance.md); cbrt does not
/// (2.6 of 2 ulp, 1.8 only for eight doubles), nor do log and log10 of floats, which come in line
/// (float_logarithms.hpp), as exp of floats does (float_exponentials.hpp).
constexpr llvm::StringLiteral in_libmvec[] = {
    "sin",  "cos",  "tan",   "asin",  "acos",  "atan", "atan2", "sinh", "cosh",  "tanh", "asinh", "acosh", "atanh",
    "exp",  "exp2", "exp10", "expm1", "log",   "log2", "log10", "log1p", "pow",  "hypot", "erf",   "erfc",
};

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
  return name.drop_back(4);  // _f32, _f64
}

bool has_vector_math(const llvm::CallInst& call, unsigned lanes, unsigned vector_bits) {
  const llvm::StringRef name = math_name(call);
  const bool rounds_well = name == "cbrt" && call.getType()->isDoubleTy() && piece_lanes(call, lanes, vector_bits) == 8;
  if (name.empty() || !(rounds_well || llvm::is_contained(in_libmvec, name))) return false;
  // The libmvec of 64-bit Arm has other functions, which depend on its version, and other errors: there, calls are made
  // lane by lane.
  if (llvm::Triple(call.getModule()->getTargetTriple()).isAArch64()) return false;
  const unsigned bits =
      piece_lanes(call, lanes, vector_bits) * static_cast<unsigned>(call.getType()->getScalarSizeInBits());
  return bits >= 128;
}

llvm::Value* emit_vector_math(llvm::IRBuilder<>& builder, const llvm::CallInst& call, unsigned lanes,
                              unsigned vector_bits, llvm::ArrayRef<llvm::Value*> arguments) {
  const unsigned piece = piece_lanes(call, lanes, vector_bits);
  const unsigned bits = piece * static_cast<unsigned>(call.getType()->getScalarSizeInBits());
  // The vector function ABI of x86-64: b for SSE, d for AVX2, e for AVX-512.
  std::string name = bits == 128 ? "_ZGVbN" : bits == 256 ? "_ZGVdN" : "_ZGVeN";
  name += std::to_string(piece) + std::string(arguments.size(), 'v') + "_" + math_name(call).str();
  if (call.getType()->isFloatTy()) name += "f";
  auto* type = llvm::FixedVectorType::get(call.getType(), piece);
  const llvm::SmallVector<llvm::Type*, 2> parameters(arguments.size(), type);
  llvm::Module* module = builder.GetInsertBlock()->getModule();
  llvm::FunctionCallee callee = module->getOrInsertFunction(name, llvm::FunctionType::get(type, parameters, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setDoesNotThrow();
  function->setDoesNotAccessMemory();
  function->setWillReturn();
  llvm::SmallVector<llvm::Value*, 8> results;
  for (unsigned first = 0; first < lanes; first += piece) {
    llvm::SmallVector<int, 16> lanes_of_piece;
    for (unsigned i = 0; i < piece; ++i) lanes_of_piece.push_back(static_cast<int>(first + i));
    llvm::SmallVector<llvm::Value*, 2> parts;
    for (llvm::Value* argument : arguments) {
      parts.push_back(piece == lanes ? argument : builder.CreateShuffleVector(argument, lanes_of_piece));
    }
    results.push_back(builder.CreateCall(callee, parts));
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
