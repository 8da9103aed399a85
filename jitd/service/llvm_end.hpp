#pragma once
/// If the program or another library has opened LLVM before Sinter did, LLVM's static objects end with the program
/// (llvm_statics.cpp). Nothing is compiled after that.

namespace sinter::jit {

/// While such an object exists, LLVM works on this thread, and exit() waits.
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
