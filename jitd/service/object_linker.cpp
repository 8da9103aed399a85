#include "object_linker.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <abi/vector_math.hpp>
#include <string>
#include <vector>

#include "file_size_limit.hpp"
#include "targets/linked_object.hpp"
#include "targets/open_file.hpp"

namespace sinter::jit {
llvm::Error link_shared_object(llvm::MemoryBufferRef object, const std::string& path) {
  const file_size_errors limit;
  std::vector<std::string> libraries;
  // libm is named on the link line, because otherwise a process that has not loaded libm could not open the result.
  const std::string math = abi::math_library_path(), vector_math = abi::vector_math_path();
  if (!math.empty()) libraries = {"--as-needed", math};
  if (!vector_math.empty()) libraries.push_back(vector_math);
  llvm::Expected<std::string> linked = link_object(object.getBuffer(), libraries);
  if (!linked) return linked.takeError();
  open_file file(open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0700));
  if (file.get() < 0) return errno_error("can't write " + path);
  return write_all(file.get(), *linked, path);
}

} // namespace sinter::jit
