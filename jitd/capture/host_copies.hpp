#pragma once
/// Finds the kernels that may run as host code until the JIT has compiled them (SINTER_TIERED). The host copy of such a
/// kernel, which clang makes, gives the same bits as the JIT's code.
///
/// Operations such as + - * / sqrt and conversions round in the same way everywhere. Kernels are excluded if they call
/// functions of libm, which give other bits than the functions of devices, or use fast-math, which allows different
/// results. If the machine has an FMA, the JIT's code rounds a * b + c only once. Host code that may not use FMA
/// instructions calls a function of the runtime instead, which rounds like the JIT's code on the same machine. Integer
/// divisions without a defined result give the same number as in the JIT's code. Host copies may call only the
/// functions of the device ABI that return ids and ranges.

#include <cstdint>

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Finds the functions that query whether they run on the host or on a device, and all functions that call such
/// functions. Has to run before `answer_on_device` (sides.hpp).
llvm::StringSet<> find_side_askers(llvm::Module& device);

/// The flags (abi::kernel_flags) of a kernel's host copy, `host`. The kernel has to be simplified. It must not have
/// caused a diagnostic, and must not ask whether it runs on the host.
std::uint32_t host_copy_flags(llvm::Function& kernel, llvm::Function& host);

/// Makes host copies round a * b + c as the JIT's code does, and keeps their integer divisions from ending the process.
/// Functions that host copies share with other host code are copied first.
void compute_as_compiled(llvm::Module& host, llvm::ArrayRef<llvm::Function*> kernels);

}  // namespace sinter::capture
