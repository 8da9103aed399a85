#pragma once
/// Where somebody else has opened LLVM's library before, its static objects end with the program (llvm_statics.cpp):
/// nothing is compiled after that.

namespace sinter::jit {

/// LLVM is at work on this thread.
class llvm_use {
public:
  llvm_use();
  llvm_use(const llvm_use&) = delete;
  ~llvm_use();
  bool is_too_late() const noexcept { return m_too_late; }

private:
  bool m_too_late = false;
};

} // namespace sinter::jit
