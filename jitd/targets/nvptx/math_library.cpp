#include "math_library.hpp"

#include <cstdlib>
#include <optional>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"
#include "targets/math_calls.hpp"

namespace sinter::jit::nvptx {
namespace {

// For targets without a driver; Debian's place.
constexpr const char* libclc = "/usr/lib/clc/nvptx64--.bc";

/// Of a CUDA toolkit; empty where there is none.
std::string find_libdevice() {
  if (const char* named = std::getenv("SINTER_LIBDEVICE")) return named;
  std::vector<std::string> roots;
  for (const char* name : {"CUDA_HOME", "CUDA_PATH"}) {
    if (const char* root = std::getenv(name)) roots.push_back(root);
  }
  for (const char* root : {"/usr/local/cuda", "/usr/lib/cuda", "/usr/lib/nvidia-cuda-toolkit"}) roots.push_back(root);
  for (const std::string& root : roots) {
    for (const char* folder : {"/nvvm/libdevice", "/libdevice"}) {
      const std::string path = root + folder + "/libdevice.10.bc";
      if (llvm::sys::fs::exists(path)) return path;
    }
  }
  return {};
}

/// 1 / sqrt(x) where 2 units in the last place are allowed (headers' rsqrt, canonical_math.hpp): one instruction,
/// of 1.5.
llvm::Value* reciprocal_root(llvm::IRBuilder<>& builder, llvm::Instruction& division) {
  using namespace llvm::PatternMatch;
  llvm::Value* radicand = nullptr;
  if (!division.getType()->isFloatTy() || llvm::cast<llvm::FPMathOperator>(division).getFPAccuracy() < 2 ||
      !match(&division, m_FDiv(m_FPOne(), m_Intrinsic<llvm::Intrinsic::sqrt>(m_Value(radicand))))) {
    return nullptr;
  }
  return builder.CreateIntrinsic(llvm::Intrinsic::nvvm_rsqrt_approx_f, {}, {radicand});
}

llvm::Error link(llvm::Module& module, const std::string& libdevice) {
  const std::string path = libdevice.empty() ? libclc : libdevice;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> math = llvm::getLazyIRFileModule(path, problem, module.getContext());
  if (!math) {
    return llvm::createStringError("no math library for GPUs: " + path +
                                   (libdevice.empty() ? " (package libclc-22, or a CUDA toolkit's libdevice)" : ""));
  }
  math->setDataLayout(module.getDataLayout());
  math->setTargetTriple(module.getTargetTriple());
  if (llvm::Linker::linkModules(module, std::move(math), llvm::Linker::LinkOnlyNeeded)) {
    return llvm::createStringError("the math library for GPUs, " + path + ", can't be linked");
  }
  return llvm::Error::success();
}

}  // namespace

llvm::Error link_math(llvm::Module& module) {
  const std::string libdevice = find_libdevice();
  math_dialect dialect{opencl_name, /*returns_sine=*/true, reciprocal_root, {}};
  if (!libdevice.empty()) {
    dialect.returns_sine = false;
    dialect.name_of = [](llvm::StringRef base, llvm::ArrayRef<llvm::Value*> operands) {
      return ("__nv_" + base + (operands[0]->getType()->isFloatTy() ? "f" : "")).str();
    };
  }
  return call_math_library(module, dialect) ? link(module, libdevice) : llvm::Error::success();
}

}  // namespace sinter::jit::nvptx
