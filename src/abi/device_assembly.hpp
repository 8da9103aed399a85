#pragma once
/// Inline assembly that kernels have for devices of one kind. The plugin marks its calls, and the JIT refuses them for
/// other devices; kernels with it require the aspect, so that launches on other devices are refused before that.

namespace sinter::abi {

/// An attribute of the call in an image's bitcode. Its value says which assembly it is.
inline constexpr const char* assembly_attribute = "sinter.assembly";
/// Assembly of NVIDIA's GPUs, as LLVM's target for it takes it.
inline constexpr const char* ptx_assembly = "ptx";
/// The name of the aspect.
inline constexpr const char* ptx_aspect = "ext_sinter_ptx";

}  // namespace sinter::abi
