#pragma once
/// A kernel may contain inline assembly for one kind of device. The plugin marks the calls of inline assembly, and the
/// JIT refuses to compile them for other devices. Such kernels also require an aspect, so that the runtime refuses to
/// launch them on other devices even before it compiles them.

namespace sinter::abi {

/// In an image's bitcode, this attribute marks a call of inline assembly. The attribute's value names the kind of
/// assembly.
inline constexpr const char* assembly_attribute = "sinter.assembly";
/// The attribute's value for PTX, the assembly of NVIDIA's GPUs, in the syntax that LLVM's NVPTX target accepts.
inline constexpr const char* ptx_assembly = "ptx";
/// The name of the aspect that kernels with PTX require.
inline constexpr const char* ptx_aspect = "ext_sinter_ptx";

}  // namespace sinter::abi
