#pragma once
/// Finds the kernels that may run as host code until the JIT has compiled them (SINTER_TIERED): kernels whose host
/// copy, the code that clang makes of them, gives the same bits.
///
/// Operations such as + - * / sqrt and conversions round in the same way everywhere. Functions of libm differ from
/// those of devices, and fast-math allows both sides different results. Products that are added are rounded once where
/// there is an FMA: code for the host that may not use one calls the runtime, which does as the JIT's code does on the
/// machine. Integer divisions that have no result give one, as the JIT's do. Work-items of host copies know their
/// place, and nothing else of the device ABI.

#include <cstdint>

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Functions that ask which side they are on, and all that call them. Before they are answered.
llvm::StringSet<> find_side_askers(llvm::Module& device);

/// abi::kernel_flags of a kernel, simplified, that asks for no side and in which nothing was diagnosed. `host` is its
/// host copy.
std::uint32_t host_copy_flags(llvm::Function& kernel, llvm::Function& host);

/// Makes host copies round a * b + c as the JIT's code does, and keeps their integer divisions from ending the process.
/// Functions that they share with other host code are copied.
void compute_as_compiled(llvm::Module& host, llvm::ArrayRef<llvm::Function*> kernels);

}  // namespace sinter::capture
