#pragma once
/// The size of huge pages. Large blocks of memory ask for such pages, which need fewer page faults and fewer address
/// translations.

#include <cstddef>

namespace sinter {

inline constexpr std::size_t huge_page = std::size_t{2} << 20;

}  // namespace sinter
