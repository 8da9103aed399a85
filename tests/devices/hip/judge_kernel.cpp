/// A kernel in the form in which the JIT makes kernels for simulated GPUs. judge_test.cpp launches it.

#include <abi/gpu_launch.hpp>
#include <abi/simulated_gpu.hpp>

#pragma GCC visibility push(default)
extern "C" {
extern const sinter::abi::simulated_facts sinter_simulated_facts;
const sinter::abi::simulated_facts sinter_simulated_facts = {
    16, 8, sizeof(sinter::abi::grid_geometry), {1, 1, 1}, 0, 0};

/// Adds 1 to the number at the first pointer, and does not access memory through the second pointer.
void adds_one(int* const* places, const sinter::abi::grid_geometry*);
void adds_one(int* const* places, const sinter::abi::grid_geometry*) { *places[0] += 1; }
}
#pragma GCC visibility pop
