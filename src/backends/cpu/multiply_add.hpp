#pragma once
/// a * b + c in host copies of kernels, rounded as the JIT's code rounds it.

namespace sinter {

/// Whether that code has an FMA, on this machine or for the level of x86-64 that SINTER_CPU chooses.
bool adds_products_once() noexcept;

}  // namespace sinter

/// Called by code that capture has changed.
extern "C" float __sinter_multiply_add_f32(float a, float b, float c) noexcept;
extern "C" double __sinter_multiply_add_f64(double a, double b, double c) noexcept;
