#pragma once
/// Opens files by their descriptors, and describes errors.

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// Gives a file descriptor a name that can be opened, because lld takes paths.
class open_file {
public:
  explicit open_file(int descriptor) : m_descriptor(descriptor) {}
  open_file(const open_file&) = delete;
  ~open_file() { reset(); }
  void reset() {
    if (m_descriptor >= 0) close(m_descriptor);
    m_descriptor = -1;
  }
  int get() const { return m_descriptor; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(m_descriptor); }

private:
  int m_descriptor;
};

inline llvm::Error errno_error(const std::string& what) {
  const int code = errno;
  return llvm::createStringError(what + ": " + std::strerror(code));
}

inline llvm::Error write_all(int descriptor, llvm::StringRef bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t put = write(descriptor, bytes.data(), bytes.size());
    if (put <= 0) return errno_error("can't write " + name);
    bytes = bytes.drop_front(static_cast<std::size_t>(put));
  }
  return llvm::Error::success();
}

}  // namespace sinter::jit
