#pragma once
/// Pipelines fused by hand, with OpenMP and -O3 for this machine: a thread takes strips of rows, and keeps only those
/// rows of each stage that later stages still read. All arrays are height x width, row by row.

#include <cstddef>
#include <cstdint>

template <class T>
using by_hand = void(const T* in, T* out, std::size_t height, std::size_t width);

by_hand<std::uint16_t> blur_by_hand;
by_hand<float> unsharp_by_hand, harris_by_hand, jacobi_by_hand;
