#include "kernel_name.hpp"

#include <cxxabi.h>

#include <abi/readable_name.hpp>
#include <cstdlib>

#include "code_variants.hpp"
#include "registry.hpp"

namespace sinter {

std::string kernel_display_name(const abi::kernel_descriptor& kernel) {
  if (const image_view* image = image_of(kernel)) return image->string(image->kernel(kernel.index).display_name);
  const code_variant* code = (kernel.flags & abi::descriptor_from_source) != 0 ? newest_variant(kernel) : nullptr;
  if (code) return code->name;
  return kernel_display_name(kernel.type_name ? kernel.type_name() : "?");
}

std::string kernel_display_name(const char* mangled) {
  int status = 0;
  char* readable = ::abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = abi::without_inline_namespace(std::string(status == 0 && readable ? readable : mangled));
  std::free(readable);
  // The kernel's name type X is a template argument in the text: sycl::detail::kernel_name_tag<X>*.
  const std::size_t open = name.find("kernel_name_tag<");
  const std::size_t close = name.rfind('>');
  if (open != std::string::npos && close != std::string::npos) {
    name = name.substr(open + 16, close - open - 16);
  }
  return name;
}

} // namespace sinter
