#pragma once
/// The compile options that this process uses, which depend on the environment and the machine.

#include <abi/launch_abi.hpp>

namespace sinter {

abi::compile_options compile_options_for(abi::id_width ids);
/// Returns the options for GPUs. They lack the choices that apply only to CPUs.
abi::compile_options gpu_options_for(abi::id_width ids, std::uint32_t sub_group_size);

/// Returns how many 4-byte values the longest vectors of this CPU hold.
std::uint32_t floats_of_vectors() noexcept;
/// Returns the sub-group size for kernels that don't require a size. SINTER_SUB_GROUP_SIZE can change it.
std::uint32_t usual_sub_group_size() noexcept;

}  // namespace sinter
