#pragma once
/// Writes the device image (abi/image_format.hpp) and the code that registers it into the host module.

#include <cstdint>
#include <string>
#include <vector>

#include "device_module.hpp"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/IR/Module.h"

namespace sinter::capture {

/// A kernel of the image. Entries are in the order of the image's table of kernels.
struct image_entry {
  const captured_kernel* kernel;
  std::uint32_t flags;  ///< abi::kernel_flags
  std::vector<std::uint64_t> constants;  ///< keys of its specialization constants
  abi::aspect_set required_aspects;      ///< aspects that a device must have, as bits
  std::uint32_t required_sub_group_size;  ///< 0: none
};

/// An exported function, and its requirements.
struct image_function {
  std::string symbol;
  std::uint32_t flags;  ///< abi::kernel_flags
  abi::aspect_set required_aspects;
  std::uint32_t required_sub_group_size;  ///< 0: none
};

/// The shape in which the headers launch the kernel. The kernel's descriptor has this shape.
abi::kernel_shape shape_of(const captured_kernel& kernel);
std::uint32_t dimensions_of(const captured_kernel& kernel);

/// Size and alignment of the kernel's argument block, in bytes.
struct block_layout {
  std::uint32_t bytes, alignment;
};
block_layout block_of(const captured_kernel& kernel);

/// Writes the whole blob. `imports` are declarations in `device`; `exports` are functions that `device` defines.
std::vector<std::uint8_t> write_image(const llvm::Module& device, llvm::ArrayRef<image_entry> kernels,
                                      llvm::ArrayRef<llvm::GlobalValue*> imports,
                                      llvm::ArrayRef<image_function> exports, std::uint32_t flags);

/// Adds blob, record, constructor and destructor to the host module. Makes the kernels' descriptors point to the
/// record. `imports` and `exports` are names; the host module declares or defines all of them.
void embed_image(llvm::Module& host, llvm::ArrayRef<std::uint8_t> blob, llvm::ArrayRef<image_entry> kernels,
                 llvm::ArrayRef<std::string> imports, llvm::ArrayRef<std::string> exports);

/// Tells the runtime, through the kernel's descriptor, that the kernel was diagnosed and is in no image.
void mark_refused(const captured_kernel& kernel);

} // namespace sinter::capture
