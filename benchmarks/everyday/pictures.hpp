#pragma once
/// Kernels over pictures of several types, as ordinary users write them: means of neighbours through accessors and
/// pointers, pixels of three colours, and rows with a work-group each.

#include <memory>

#include "../cpu/measure.hpp"

namespace everyday {

/// Measures kernels over pictures of n x n pixels; n is a multiple of 64.
void measure_pictures(bench::program& program, std::size_t n);
/// Measures kernels over matrices of n x n elements, with a work-group for each row or tile.
void measure_row_groups(bench::program& program, std::size_t n);

}  // namespace everyday
