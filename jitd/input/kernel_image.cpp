#include "kernel_image.hpp"

#include <abi/accessor_layout.hpp>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/InstIterator.h"
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

/// Parses the bodies of all functions that the kernel reaches and drops the others.
llvm::Error materialize_kernel(llvm::Module& module, llvm::StringRef kernel) {
  llvm::SmallVector<llvm::Constant*, 16> work;
  llvm::SmallPtrSet<llvm::Constant*, 16> seen;
  auto reach = [&](llvm::Value* value) {
    auto* constant = llvm::dyn_cast<llvm::Constant>(value);
    if (constant && !llvm::isa<llvm::ConstantData>(constant) && seen.insert(constant).second) work.push_back(constant);
  };
  if (llvm::Function* root = module.getFunction(kernel)) reach(root);
  while (!work.empty()) {
    llvm::Constant* next = work.pop_back_val();
    for (llvm::Use& operand : next->operands()) reach(operand.get());
    auto* function = llvm::dyn_cast<llvm::Function>(next);
    if (!function) continue;
    if (llvm::Error error = function->materialize()) return error;
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      for (llvm::Use& operand : instruction.operands()) reach(operand.get());
    }
  }
  for (llvm::Function& function : module) {
    if (function.isMaterializable()) function.deleteBody();
  }
  return module.materializeAll();
}

} // namespace

llvm::Expected<std::unique_ptr<llvm::Module>> read_module(const abi::image_header& image, llvm::LLVMContext& context,
                                                          llvm::StringRef kernel) {
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
  const llvm::MemoryBufferRef buffer(bytes, "sinter.device");
  if (kernel.empty()) return llvm::parseBitcodeFile(buffer, context);
  auto module = llvm::getLazyBitcodeModule(buffer, context);
  if (!module) return module.takeError();
  if (llvm::Error error = materialize_kernel(**module, kernel)) return std::move(error);
  return module;
}

kernel_facts read_kernel(const abi::image_header& image, std::uint32_t index) {
  const auto& row = reinterpret_cast<const abi::image_kernel*>(at(image, image.kernels_offset))[index];
  const auto* leaves = reinterpret_cast<const abi::image_leaf*>(at(image, image.leaves_offset)) + row.first_leaf;
  kernel_facts facts{string_at(image, row.symbol),          string_at(image, row.display_name),
                     string_at(image, row.source_position), row,
                     {leaves, leaves + row.leaf_count},     {}};
  for (const abi::image_leaf& leaf : facts.leaves) {
    const auto offset = [&](std::size_t in_leaf) { return static_cast<std::uint32_t>(leaf.offset + in_leaf); };
    if (leaf.kind == abi::leaf_kind::global_pointer) facts.pointers.push_back(leaf.offset);
    if (leaf.kind == abi::leaf_kind::accessor) facts.pointers.push_back(offset(abi::accessor_layout::data));
    if (leaf.kind == abi::leaf_kind::stream) facts.pointers.push_back(offset(abi::stream_layout::memory));
  }
  return facts;
}

std::vector<std::string> read_imports(const abi::image_header& image) {
  std::vector<std::string> names;
  const auto* rows = reinterpret_cast<const abi::image_import*>(at(image, image.imports_offset));
  for (std::uint32_t i = 0; i < image.import_count; ++i) names.push_back(string_at(image, rows[i].symbol));
  return names;
}

std::vector<std::string> read_exports(const abi::image_header& image) {
  std::vector<std::string> names;
  const auto* rows = reinterpret_cast<const abi::image_export*>(at(image, image.exports_offset));
  for (std::uint32_t i = 0; i < image.export_count; ++i) names.push_back(string_at(image, rows[i].symbol));
  return names;
}

} // namespace sinter::jit
