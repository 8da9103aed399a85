#include "llvm_options.hpp"

#include "cpu_target.hpp"
#include "llvm/Support/CommandLine.h"

namespace sinter::jit {
namespace {

std::shared_mutex& options_mutex() {
  static auto* mutex = new std::shared_mutex;
  return *mutex;
}

/// Lets LLVM write cooperative matrices. LLVM declares the extension only in modules with such matrices.
void allow_matrices() {
  auto& options = llvm::cl::getRegisteredOptions();
  const auto found = options.find("spirv-ext");
  if (found == options.end()) return;
  found->second->reset();
  found->second->addOccurrence(0, "spirv-ext", "+SPV_KHR_cooperative_matrix");
}

}  // namespace

options_use::options_use() : m_lock(options_mutex(), std::defer_lock) {
  [[maybe_unused]] static const bool are_set = [] {
    std::unique_lock lock(options_mutex());
    return allow_matrices(), true;
  }();
  m_lock.lock();
}

options_reset::options_reset() : m_lock(options_mutex()) {}

options_reset::~options_reset() {
  bound_effort();
  allow_matrices();
}

}  // namespace sinter::jit
