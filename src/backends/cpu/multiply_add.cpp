#include "multiply_add.hpp"

#include <abi/chosen_cpu.hpp>
#include <base/processor.hpp>

#if defined(__x86_64__)
#define ASK_FOR_FMA __attribute__((target("fma")))
#else
#define ASK_FOR_FMA
#endif

// Without this pragma, the compiler might contract a product and a sum to an FMA.
#pragma clang fp contract(off)

namespace sinter {
namespace {

ASK_FOR_FMA float rounded_once(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
ASK_FOR_FMA double rounded_once(double a, double b, double c) { return __builtin_fma(a, b, c); }

template <class Number>
Number multiply_add(Number a, Number b, Number c) {
  static const bool once = adds_products_once();
  return once ? rounded_once(a, b, c) : a * b + c;
}

}  // namespace

bool adds_products_once() noexcept {
  const abi::cpu_level* chosen = abi::chosen_level();
  return chosen ? chosen->adds_products_once : processor_adds_products_once();
}

}  // namespace sinter

#define SINTER_CALLED_BY_PROGRAMS extern "C" __attribute__((visibility("default")))

SINTER_CALLED_BY_PROGRAMS float __sinter_multiply_add_f32(float a, float b, float c) noexcept {
  return sinter::multiply_add(a, b, c);
}
SINTER_CALLED_BY_PROGRAMS double __sinter_multiply_add_f64(double a, double b, double c) noexcept {
  return sinter::multiply_add(a, b, c);
}
