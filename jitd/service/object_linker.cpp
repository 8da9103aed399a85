#include "object_linker.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <unistd.h>

#include <cmath>
#include <string>
#include <vector>

#include "file_size_limit.hpp"
#include "passes/machine/vector_math.hpp"
#include "targets/linked_object.hpp"
#include "targets/open_file.hpp"

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
  const file_size_errors limit;
  const std::string math = libm_path();
  std::vector<std::string> libraries;
  if (!math.empty()) libraries = {"--as-needed", math};
  // It lies beside libm.
  const std::string vector_math = math.substr(0, math.rfind('/') + 1) + passes::vector_math_library;
  if (!math.empty() && access(vector_math.c_str(), R_OK) == 0) libraries.push_back(vector_math);
  llvm::Expected<std::string> linked = link_object(object.getBuffer(), libraries);
  if (!linked) return linked.takeError();
  open_file file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700));
  if (file.get() < 0) return errno_error("can't write " + path);
  return write_all(file.get(), *linked, path);
}

} // namespace sinter::jit
