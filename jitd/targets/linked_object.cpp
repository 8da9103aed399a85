#include "linked_object.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <mutex>
#include <thread>
#include <vector>

#include "lld/Common/Driver.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm_options.hpp"
#include "open_file.hpp"

LLD_HAS_DRIVER(elf)

namespace sinter::jit {
namespace {

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

}  // namespace

/// lld writes its output to a pipe. If the output were a file, lld would write it through a memory mapping, and a full
/// disk would kill the process.
llvm::Expected<std::string> link_object(llvm::StringRef object, llvm::ArrayRef<std::string> arguments) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  open_file input(memfd_create("sinter-kernel.o", MFD_CLOEXEC));
  if (input.get() < 0) return errno_error("can't make a file in memory");
  if (llvm::Error error = write_all(input.get(), object, "a file in memory")) return std::move(error);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return errno_error("can't make a pipe");
  open_file from(ends[0]), to(ends[1]);
  std::string linked;
  std::thread reader([&] { linked = read_all(from.get()); });

  const std::string input_path = input.path(), output_path = to.path();
  std::vector<const char*> words = {"ld.lld", "-shared", "--threads=1", "--hash-style=gnu", "-o", output_path.c_str(),
                                    input_path.c_str()};
  for (const std::string& each : arguments) words.push_back(each.c_str());
  std::string errors, output;
  llvm::raw_string_ostream error_stream(errors), output_stream(output);
  lld::Result result;
  {
    const options_reset reset;
    result = lld::lldMain(words, output_stream, error_stream, {{lld::Gnu, &lld::elf::link}});
  }
  to.reset();
  reader.join();
  if (result.retCode != 0) return llvm::createStringError("lld could not link the kernel: " + errors);
  return linked;
}

}  // namespace sinter::jit
