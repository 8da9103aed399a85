#pragma once
/// The size of huge pages. Sinter requests huge pages for large blocks of memory, because these pages need fewer page
/// faults and fewer address translations.

#include <cstddef>

namespace sinter {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace sinter
