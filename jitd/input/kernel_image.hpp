#pragma once
/// Reads a validated image for the compiler.

#include <abi/image_format.hpp>
#include <memory>
#include <string>
#include <vector>

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace sinter::jit {

/// Reads the device module of an image into `context`. If `kernel` is a symbol, only this kernel and the code that it
/// reaches are read. Other kernels are not even parsed: if kernels are templates, an image often has hundreds of
/// kernels.
llvm::Expected<std::unique_ptr<llvm::Module>> read_module(const abi::image_header& image, llvm::LLVMContext& context,
                                                          llvm::StringRef kernel = {});

struct kernel_facts {
  std::string symbol, display_name, source_position;
  abi::image_kernel row;
  std::vector<abi::image_leaf> leaves;
  std::vector<std::uint32_t> pointers{};  ///< places in the argument block where pointers to the device's memory are
};
kernel_facts read_kernel(const abi::image_header& image, std::uint32_t index);
std::vector<std::string> read_imports(const abi::image_header& image);
std::vector<std::string> read_exports(const abi::image_header& image);

} // namespace sinter::jit
