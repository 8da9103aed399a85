#include "kernel_name.hpp"

#include <cxxabi.h>

#include <cstdlib>

#include <abi/chosen_cpu.hpp>

#include "registry.hpp"

namespace sinter {

std::string kernel_display_name(const abi::kernel_descriptor& kernel) {
  if (const image_view* image = image_of(kernel)) return image->string(image->kernel(kernel.index).display_name);
  return kernel_display_name(kernel.type_name ? kernel.type_name() : "?");
}

std::string kernel_display_name(const char* mangled) {
  int status = 0;
  char* readable = ::abi::__cxa_demangle(mangled, nullptr, nullptr, &status);
  std::string name = status == 0 && readable ? readable : mangled;
  std::free(readable);
  // The name type travels in a tag template: sycl::detail::kernel_name_tag<X>*.
  const std::size_t open = name.find("kernel_name_tag<");
  const std::size_t close = name.rfind('>');
  if (open != std::string::npos && close != std::string::npos) {
    name = name.substr(open + 16, close - open - 16);
  }
  return name;
}

const std::uint32_t* required_work_group_size(const abi::kernel_descriptor& kernel) {
  const image_view* image = image_of(kernel);
  if (!image) return nullptr;
  const abi::image_kernel& row = image->kernel(kernel.index);
  return row.required_work_group_size[2] != 0 ? row.required_work_group_size : nullptr;
}

bool has_own_groups(const abi::kernel_descriptor& kernel) {
  const image_view* image = image_of(kernel);
  return image && (image->kernel(kernel.index).flags & abi::kernel_own_groups) != 0;
}

std::uint32_t required_sub_group_size(const abi::kernel_descriptor& kernel) {
  const image_view* image = image_of(kernel);
  return image ? image->kernel(kernel.index).required_sub_group_size : 0;
}

std::vector<std::uint32_t> missing_aspects(const abi::kernel_descriptor& kernel,
                                           const std::vector<std::uint32_t>& present) {
  std::vector<std::uint32_t> result;
  const image_view* image = image_of(kernel);
  std::uint64_t missing = image ? image->kernel(kernel.index).required_aspects : 0;
  if (missing == 0) return result;
  for (std::uint32_t aspect : present) missing &= ~abi::aspect_bit(aspect);
  for (; missing != 0; missing &= missing - 1) result.push_back(static_cast<std::uint32_t>(__builtin_ctzll(missing)));
  return result;
}

std::uint32_t usual_sub_group_size() noexcept {
  if (const char* chosen = abi::chosen_cpu()) return chosen[8] == '4' ? 16 : chosen[8] == '3' ? 8 : 4;
  if (__builtin_cpu_supports("avx512f")) return 16;
  return __builtin_cpu_supports("avx2") ? 8 : 4;
}

} // namespace sinter
