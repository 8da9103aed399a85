#include "validity.hpp"

#include <abi/read_variable.hpp>
#include <cstring>

#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::jit {
namespace {

bool verifies_steps() {
  static const bool wanted = [] {
    const char* word = abi::read_variable("SINTER_VERIFY");
    return word && (std::strcmp(word, "1") == 0 || std::strcmp(word, "on") == 0);
  }();
  return wanted;
}

llvm::Error invalid(const llvm::Module& module, const std::string& where) {
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (!llvm::verifyModule(module, &stream)) return llvm::Error::success();
  return llvm::createStringError("internal error, invalid IR" + where + ": " + problem);
}

}  // namespace

llvm::Error verify(const llvm::Module& module) { return invalid(module, ""); }

llvm::Error verify_behind(const char* step, const llvm::Module& module) {
  if (!verifies_steps()) return llvm::Error::success();
  return invalid(module, std::string(" behind step '") + step + "'");
}

llvm::Error verify_for_llvm(const llvm::Module& module) {
#ifdef NDEBUG
  return llvm::Error::success();
#else
  return verify(module);
#endif
}

}  // namespace sinter::jit
