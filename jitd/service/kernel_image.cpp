#include "kernel_image.hpp"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/MemoryBuffer.h"

namespace sinter::jit {
namespace {

const char* at(const abi::image_header& image, std::uint64_t offset) {
  return reinterpret_cast<const char*>(&image) + offset;
}

std::string string_at(const abi::image_header& image, std::uint32_t offset) {
  return at(image, image.strings_offset + offset);
}

} // namespace

llvm::Expected<std::unique_ptr<llvm::Module>> read_module(const abi::image_header& image, llvm::LLVMContext& context) {
  llvm::ArrayRef<std::uint8_t> stored(reinterpret_cast<const std::uint8_t*>(at(image, image.bitcode_offset)),
                                      image.bitcode_size);
  llvm::SmallVector<std::uint8_t, 0> raw;
  if (image.flags & abi::image_bitcode_zstd) {
    if (!llvm::compression::zstd::isAvailable()) return llvm::createStringError("this LLVM can't read zstd");
    if (llvm::Error error = llvm::compression::zstd::decompress(stored, raw, image.bitcode_raw_size)) {
      return std::move(error);
    }
    stored = raw;
  }
  llvm::StringRef bytes(reinterpret_cast<const char*>(stored.data()), stored.size());
  return llvm::parseBitcodeFile(llvm::MemoryBufferRef(bytes, "sinter.device"), context);
}

kernel_facts read_kernel(const abi::image_header& image, std::uint32_t index) {
  const auto& row = reinterpret_cast<const abi::image_kernel*>(at(image, image.kernels_offset))[index];
  const auto* leaves = reinterpret_cast<const abi::image_leaf*>(at(image, image.leaves_offset)) + row.first_leaf;
  return {string_at(image, row.symbol), string_at(image, row.display_name), string_at(image, row.source_position), row,
          {leaves, leaves + row.leaf_count}};
}

std::vector<std::string> read_imports(const abi::image_header& image) {
  std::vector<std::string> names;
  const auto* rows = reinterpret_cast<const abi::image_import*>(at(image, image.imports_offset));
  for (std::uint32_t i = 0; i < image.import_count; ++i) names.push_back(string_at(image, rows[i].symbol));
  return names;
}

} // namespace sinter::jit
