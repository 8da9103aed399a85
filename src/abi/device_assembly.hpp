#pragma once
/// Kernels may have inline assembly for devices of one kind. The plugin marks its calls, and the JIT refuses them for
/// other devices. Kernels with assembly require an aspect, so that launches on other devices are refused earlier.

namespace sinter::abi {

/// This attribute marks the call in an image's bitcode. Its value names the kind of assembly.
inline constexpr const char* assembly_attribute = "sinter.assembly";
/// The attribute's value for assembly of NVIDIA's GPUs, in the form that LLVM's target NVPTX takes.
inline constexpr const char* ptx_assembly = "ptx";
/// The name of the aspect that kernels with PTX require.
inline constexpr const char* ptx_aspect = "ext_sinter_ptx";

}  // namespace sinter::abi
