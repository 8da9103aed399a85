#pragma once
/// This process's options for making code, from the environment and the machine.

#include <abi/launch_abi.hpp>

namespace sinter {

abi::compile_options compile_options_for(abi::id_width ids);
/// Options for GPUs: choices for CPUs do not apply.
abi::compile_options gpu_options_for(abi::id_width ids, std::uint32_t sub_group_size);

/// The number of 4-byte values that the longest vectors hold.
std::uint32_t floats_of_vectors() noexcept;
/// Work-items per sub-group if the kernel requires no size: this number, or SINTER_SUB_GROUP_SIZE.
std::uint32_t usual_sub_group_size() noexcept;

}  // namespace sinter
