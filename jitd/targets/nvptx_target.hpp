#pragma once
/// NVIDIA GPUs as a compilation target.

#include <abi/image_format.hpp>
#include <string>

#include "llvm/Support/Error.h"

namespace sinter::jit {

/// PTX of one kernel: one `.entry` whose parameters are the leaves of the argument block in table order, pointers in the
/// global address space, local accessors as 32-bit offsets into dynamic shared memory. Refuses kernels that can run on the
/// host only, naming what they need.
llvm::Expected<std::string> lower_to_ptx(const abi::image_header& image, std::uint32_t kernel, const std::string& gpu);

} // namespace sinter::jit
