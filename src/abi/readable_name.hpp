#pragma once
/// Turns mangled names into names as users write them.

#include <cstddef>

namespace sinter::abi {

/// Removes the inline namespace of the public headers: sycl::_V1::queue becomes sycl::queue. `Text` is a std::string.
template <class Text>
Text without_inline_namespace(Text name) {
  constexpr std::size_t characters = 5;
  for (std::size_t at = 0; (at = name.find("_V1::", at)) != Text::npos;) {
    const bool follows_sycl = at >= 6 && name.compare(at - 6, 6, "sycl::") == 0;
    if (follows_sycl) {
      name.erase(at, characters);
    } else {
      at += characters;
    }
  }
  return name;
}

}  // namespace sinter::abi
