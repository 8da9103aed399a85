#include "object_linker.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <mutex>
#include <thread>

#include "file_size_limit.hpp"
#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"
#include "passes/machine/vector_math.hpp"
#include "targets/cpu_target.hpp"

LLD_HAS_DRIVER(elf)

namespace sinter::jit {
namespace {

/// The libm of this process: without it on the link line, hosts that have no libm could not open the result.
std::string libm_path() {
  Dl_info info;
  auto* function = static_cast<double (*)(double, double)>(&::pow);
  return dladdr(reinterpret_cast<const void*>(function), &info) && info.dli_fname ? info.dli_fname : "";
}

/// A file descriptor under a name that can be opened: lld wants paths.
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

llvm::Error failure(const std::string& what) {
  const int code = errno;
  return llvm::createStringError(what + ": " + std::strerror(code));
}

llvm::Error write_all(int descriptor, llvm::StringRef bytes, const std::string& name) {
  while (!bytes.empty()) {
    const ssize_t put = write(descriptor, bytes.data(), bytes.size());
    if (put <= 0) return failure("can't write " + name);
    bytes = bytes.drop_front(static_cast<std::size_t>(put));
  }
  return llvm::Error::success();
}

std::string read_all(int descriptor) {
  std::string bytes;
  char block[16384];
  for (;;) {
    const ssize_t got = read(descriptor, block, sizeof(block));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return bytes;
    bytes.append(block, static_cast<std::size_t>(got));
  }
}

/// The linked object's bytes. On files lld writes through a mapping, which kills the process when the disk is full; a
/// pipe it fills from memory.
llvm::Expected<std::string> link_in_memory(llvm::StringRef object) {
  open_file input(memfd_create("sinter-kernel.o", MFD_CLOEXEC));
  if (input.get() < 0) return failure("can't make a file in memory");
  if (llvm::Error error = write_all(input.get(), object, "a file in memory")) return std::move(error);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return failure("can't make a pipe");
  open_file from(ends[0]), to(ends[1]);
  std::string linked;
  std::thread reader([&] { linked = read_all(from.get()); });

  const std::string math = libm_path(), input_path = input.path(), output_path = to.path();
  std::vector<const char*> arguments = {"ld.lld", "-shared", "--threads=1", "--hash-style=gnu", "-o",
                                        output_path.c_str(), input_path.c_str()};
  if (!math.empty()) {
    arguments.push_back("--as-needed");
    arguments.push_back(math.c_str());
  }
  // The library lies beside libm.
  const std::string vector_math = math.substr(0, math.rfind('/') + 1) + passes::vector_math_library;
  if (!math.empty() && access(vector_math.c_str(), R_OK) == 0) arguments.push_back(vector_math.c_str());
  std::string errors, output;
  llvm::raw_string_ostream error_stream(errors), output_stream(output);
  const lld::Result result = lld::lldMain(arguments, output_stream, error_stream, {{lld::Gnu, &lld::elf::link}});
  bound_effort();
  to.reset();
  reader.join();
  if (result.retCode != 0) return llvm::createStringError("lld could not link the kernel: " + errors);
  return linked;
}

} // namespace

llvm::Error link_shared_object(llvm::MemoryBufferRef object, const std::string& path) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  const file_size_errors limit;
  llvm::Expected<std::string> linked = link_in_memory(object.getBuffer());
  if (!linked) return linked.takeError();
  open_file file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700));
  if (file.get() < 0) return failure("can't write " + path);
  return write_all(file.get(), *linked, path);
}

} // namespace sinter::jit
