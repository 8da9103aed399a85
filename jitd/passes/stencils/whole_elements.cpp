#include "whole_elements.hpp"

#include <optional>

#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "passes/llvm_versions.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

/// A load of a part of an element. The load's address is computed from the pointer at offset `place` of the argument
/// block.
struct part_of_element {
  std::int64_t place;
  std::uint64_t bytes, within;  ///< size of the element, and the load's distance from the element's start
};

std::optional<part_of_element> find_part(const llvm::LoadInst& load, const llvm::DataLayout& layout,
                                         const std::function<std::uint64_t(std::int64_t place)>& element_bytes) {
  const llvm::Value* address = load.getPointerOperand();
  std::int64_t constant = 0;
  llvm::SmallVector<std::int64_t, 4> factors;
  while (const auto* step = llvm::dyn_cast<llvm::GEPOperator>(address)) {
    variable_offsets variable;
    llvm::APInt bytes(64, 0);
    if (!step->collectOffset(layout, 64, variable, bytes)) return std::nullopt;
    constant += bytes.getSExtValue();
    for (const auto& [value, factor] : variable) factors.push_back(factor.getSExtValue());
    address = step->getPointerOperand();
  }
  const auto* pointer = llvm::dyn_cast<llvm::LoadInst>(address);
  if (!pointer) return std::nullopt;
  llvm::APInt offset(64, 0);
  const llvm::Value* block = pointer->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
  if (block != load.getFunction()->getArg(0)) return std::nullopt;
  part_of_element part{offset.getSExtValue(), element_bytes(offset.getSExtValue()), 0};
  const std::uint64_t size = layout.getTypeStoreSize(load.getType());
  if (part.bytes < 2 || part.bytes > 8 || (part.bytes & (part.bytes - 1)) != 0 || size >= part.bytes)
    return std::nullopt;
  const auto element = static_cast<std::int64_t>(part.bytes);
  for (const std::int64_t factor : factors) {
    if (factor % element != 0) return std::nullopt;
  }
  part.within = static_cast<std::uint64_t>(((constant % element) + element) % element);
  return part.within + size <= part.bytes ? std::optional(part) : std::nullopt;
}

}  // namespace

void load_whole_elements(llvm::Function& kernel,
                         const std::function<std::uint64_t(std::int64_t place)>& element_bytes) {
  const llvm::DataLayout& layout = kernel.getParent()->getDataLayout();
  if (layout.isBigEndian()) return;
  bool found = false;
  for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(kernel))) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
    const bool is_number = load && (load->getType()->isIntegerTy() || load->getType()->isFloatingPointTy());
    if (!is_number || !load->isSimple() || load->getType()->isIntegerTy(1)) continue;
    const auto part = find_part(*load, layout, element_bytes);
    const std::uint64_t bits = layout.getTypeSizeInBits(load->getType()).getFixedValue();
    if (!part || bits != 8 * layout.getTypeStoreSize(load->getType())) continue;
    llvm::IRBuilder<> builder(load);
    llvm::Value* start = builder.CreateConstGEP1_64(builder.getInt8Ty(), load->getPointerOperand(),
                                                    0 - part->within);
    llvm::Type* whole = builder.getIntNTy(static_cast<unsigned>(8 * part->bytes));
    llvm::Value* value = builder.CreateAlignedLoad(whole, start, llvm::commonAlignment(load->getAlign(), part->within));
    if (part->within != 0) value = builder.CreateLShr(value, 8 * part->within);
    value = builder.CreateTrunc(value, builder.getIntNTy(static_cast<unsigned>(bits)));
    load->replaceAllUsesWith(builder.CreateBitCast(value, load->getType()));
    load->eraseFromParent();
    found = true;
  }
  if (!found) return;
  llvm::FunctionPassManager once;
  once.addPass(llvm::EarlyCSEPass());
  pass_runner().run(kernel, std::move(once));
}

}  // namespace sinter::passes
