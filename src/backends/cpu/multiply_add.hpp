#pragma once
/// Computes a * b + c for host copies of kernels, rounded as in the JIT's code.

namespace sinter {

/// Returns whether the JIT's code uses FMA instructions, which depends on the machine and on the level of x86-64 that
/// SINTER_CPU selects.
bool adds_products_once() noexcept;

}  // namespace sinter

/// The capture plugin replaces a * b + c in host copies by calls of these functions.
extern "C" float __sinter_multiply_add_f32(float a, float b, float c) noexcept;
extern "C" double __sinter_multiply_add_f64(double a, double b, double c) noexcept;
