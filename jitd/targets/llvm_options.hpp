#pragma once
/// LLVM's options are variables of the process. lld sets all of them to their defaults whenever it links.

#include <mutex>
#include <shared_mutex>

namespace sinter::jit {

/// While such an object exists, no thread runs lld, and LLVM's options have the values that Sinter needs. LLVM's target
/// for SPIR-V needs this, because one of its options is a set: a thread must not clear this set while another thread
/// reads it. Other compilations take no lock, because the options that Sinter sets for them are numbers (bound_effort).
class options_use {
public:
  options_use();

private:
  std::shared_lock<std::shared_mutex> m_lock;
};

/// A thread may run lld while it has such an object. The destructor sets the options again.
class options_reset {
public:
  options_reset();
  options_reset(const options_reset&) = delete;
  ~options_reset();

private:
  std::unique_lock<std::shared_mutex> m_lock;
};

}  // namespace sinter::jit
