#include "multiply_add.hpp"

#include <abi/chosen_cpu.hpp>

// Otherwise the compiler replaces a product and a sum by one instruction.
#pragma clang fp contract(off)

namespace sinter {
namespace {

__attribute__((target("fma"))) float rounded_once(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
__attribute__((target("fma"))) double rounded_once(double a, double b, double c) { return __builtin_fma(a, b, c); }

template <class Number>
Number multiply_add(Number a, Number b, Number c) {
  static const bool once = adds_products_once();
  return once ? rounded_once(a, b, c) : a * b + c;
}

}  // namespace

bool adds_products_once() noexcept {
  if (const char* chosen = abi::chosen_cpu()) return chosen[8] >= '3';
  return __builtin_cpu_supports("fma");
}

}  // namespace sinter

#define SINTER_CALLED_BY_PROGRAMS extern "C" __attribute__((visibility("default")))

SINTER_CALLED_BY_PROGRAMS float __sinter_multiply_add_f32(float a, float b, float c) noexcept {
  return sinter::multiply_add(a, b, c);
}
SINTER_CALLED_BY_PROGRAMS double __sinter_multiply_add_f64(double a, double b, double c) noexcept {
  return sinter::multiply_add(a, b, c);
}
