#pragma once
/// Computes a * b + c for host copies of kernels, with the rounding of the JIT's code.

namespace sinter {

/// Returns whether the JIT's code uses an FMA, on this machine or for the level of x86-64 that SINTER_CPU chooses.
bool adds_products_once() noexcept;

}  // namespace sinter

/// Code that capture has changed calls these functions.
extern "C" float __sinter_multiply_add_f32(float a, float b, float c) noexcept;
extern "C" double __sinter_multiply_add_f64(double a, double b, double c) noexcept;
