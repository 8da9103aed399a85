#pragma once
/// Pipelines fused by hand: a thread takes strips of rows, and keeps the rows of each stage that are still read
/// (OpenMP, -O3 for this machine). All arrays are height x width, row by row.

#include <cstddef>
#include <cstdint>

template <class T>
using by_hand = void(const T* in, T* out, std::size_t height, std::size_t width);

by_hand<std::uint16_t> blur_by_hand;
by_hand<float> unsharp_by_hand, harris_by_hand, jacobi_by_hand;
