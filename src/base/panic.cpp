#include "panic.hpp"

#include <cstdio>
#include <cstdlib>

namespace sinter {

void panic(const char* sentence) noexcept {
  std::fprintf(stderr, "sinter: internal error: %s\n", sentence);
  std::abort();
}

} // namespace sinter
