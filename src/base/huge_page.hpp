#pragma once
/// Pages that large blocks of memory are asked to lie in: fewer first touches, and fewer addresses to be looked up.

#include <cstddef>

namespace sinter {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace sinter
