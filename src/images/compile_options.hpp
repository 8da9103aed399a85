#pragma once
/// This process's options for making code, from the environment and the machine.

#include <abi/launch_abi.hpp>

namespace sinter {

abi::compile_options compile_options_for(abi::id_width ids);
/// Returns the options for GPUs, to which the choices for CPUs do not apply.
abi::compile_options gpu_options_for(abi::id_width ids, std::uint32_t sub_group_size);

/// Returns the number of 4-byte values that the longest vectors hold.
std::uint32_t floats_of_vectors() noexcept;
/// Returns the sub-group size for kernels that require no size. SINTER_SUB_GROUP_SIZE can change it.
std::uint32_t usual_sub_group_size() noexcept;

}  // namespace sinter
