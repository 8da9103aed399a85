#pragma once
/// Sums and products of sizes, for all code that adds up memory. A result that does not fit into 64 bits becomes
/// too_many_bytes, which is larger than any memory. So callers need not check each step for overflow: they compare the
/// final result with their limit.

#include <cstdint>

namespace sinter::abi {

inline constexpr std::uint64_t too_many_bytes = ~std::uint64_t{0};

constexpr std::uint64_t add_bytes(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? too_many_bytes : sum;
}

constexpr std::uint64_t multiply_bytes(std::uint64_t a, std::uint64_t b) noexcept {
  std::uint64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? too_many_bytes : product;
}

/// Rounds `bytes` up to the next multiple of `alignment`, a power of two.
constexpr std::uint64_t align_bytes(std::uint64_t bytes, std::uint64_t alignment) noexcept {
  const std::uint64_t sum = add_bytes(bytes, alignment - 1);
  return sum == too_many_bytes ? sum : sum & ~(alignment - 1);
}

}  // namespace sinter::abi
