#include "side_by_side_arrays.hpp"

#include <utility>

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Metadata.h"
#include "passes/device/element_arrays.hpp"

namespace sinter::passes {
namespace {

constexpr const char* metadata_name = "sinter.side_by_side";

void give_room(llvm::AllocaInst& array, std::uint64_t element, unsigned lanes) {
  const std::uint64_t bytes = array.getAllocationSize(array.getDataLayout())->getFixedValue();
  llvm::IRBuilder<> builder(&array);
  llvm::AllocaInst* all = builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), bytes * lanes));
  // With this alignment, a whole vector of the array touches as few cache lines as possible.
  all->setAlignment(std::max(array.getAlign(), llvm::Align(64)));
  all->setMetadata(metadata_name, llvm::MDNode::get(array.getContext(), llvm::ConstantAsMetadata::get(
                                                                            builder.getInt64(element))));
  spread_elements(array, element, all, builder.getInt64(lanes));
  array.replaceAllUsesWith(all);
  array.eraseFromParent();
}

}  // namespace

void lay_side_by_side(lane_region& region) {
  llvm::SmallVector<std::pair<llvm::AllocaInst*, std::uint64_t>, 8> found;
  if (region.known().shapes.failure()) return;
  const lane_shapes& shapes = region.known().shapes;
  const auto is_uniform = [&](const llvm::Value& value) { return shapes.of(&value).is_uniform(); };
  for (llvm::Instruction& instruction : llvm::instructions(region.function())) {
    auto* array = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!array || lane_of_elements(*array) != 0 || !counts_elements_together(*array, is_uniform)) continue;
    if (const std::uint64_t element = element_bytes(*array)) found.emplace_back(array, element);
  }
  const unsigned lanes = shapes.facts().lanes;
  for (const auto& [array, element] : found) give_room(*array, element, lanes);
  if (!found.empty()) region.changed();
}

std::uint64_t lane_of_elements(const llvm::AllocaInst& array) {
  const llvm::MDNode* node = array.getMetadata(metadata_name);
  return node ? llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(0))->getZExtValue() : 0;
}

}  // namespace sinter::passes
