#pragma once
/// Writes the device image (abi/image_format.hpp) and what registers it into the host module.

#include <cstdint>
#include <vector>

#include "device_module.hpp"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {

/// A kernel of the image, in table order.
struct image_entry {
  const captured_kernel* kernel;
  std::uint32_t flags;  ///< abi::kernel_flags
  std::vector<std::uint64_t> constants;  ///< keys of its specialization constants
};

/// The whole blob. `imports` are declarations of `device`.
std::vector<std::uint8_t> write_image(const llvm::Module& device, llvm::ArrayRef<image_entry> kernels,
                                      llvm::ArrayRef<llvm::GlobalValue*> imports, std::uint32_t flags);

/// Adds blob, record, constructor and destructor to the host module and points the kernels' descriptors at the record.
/// `imports` are names; the host module declares or defines all of them.
void embed_image(llvm::Module& host, llvm::ArrayRef<std::uint8_t> blob, llvm::ArrayRef<image_entry> kernels,
                 llvm::ArrayRef<std::string> imports);

} // namespace sinter::capture
