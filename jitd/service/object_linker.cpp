#include "object_linker.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cmath>
#include <mutex>

#include "lld/Common/Driver.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

LLD_HAS_DRIVER(elf)

namespace sinter::jit {
namespace {

/// The libm of this process: without it on the link line, hosts that have no libm could not open the result.
std::string libm_path() {
  Dl_info info;
  auto* function = static_cast<double (*)(double, double)>(&::pow);
  return dladdr(reinterpret_cast<const void*>(function), &info) && info.dli_fname ? info.dli_fname : "";
}

} // namespace

llvm::Error link_shared_object(llvm::MemoryBufferRef object, const std::string& path) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  const std::string input = path + ".o";
  std::error_code code;
  {
    llvm::raw_fd_ostream file(input, code);
    if (code) return llvm::createStringError(code, "can't write " + input + ": " + code.message());
    file << object.getBuffer();
    file.close();
    if (file.has_error()) {
      const std::string reason = file.error().message();
      file.clear_error();
      unlink(input.c_str());
      return llvm::createStringError("can't write " + input + ": " + reason);
    }
  }
  const std::string math = libm_path();
  std::vector<const char*> arguments = {"ld.lld", "-shared", "--threads=1", "--hash-style=gnu", "-o", path.c_str(),
                                        input.c_str()};
  if (!math.empty()) {
    arguments.push_back("--as-needed");
    arguments.push_back(math.c_str());
  }
  std::string errors, output;
  llvm::raw_string_ostream error_stream(errors), output_stream(output);
  const lld::Result result =
      lld::lldMain(arguments, output_stream, error_stream, {{lld::Gnu, &lld::elf::link}});
  unlink(input.c_str());
  if (result.retCode != 0) return llvm::createStringError("lld could not link the kernel: " + errors);
  return llvm::Error::success();
}

} // namespace sinter::jit
