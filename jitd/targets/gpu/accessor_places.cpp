#include "accessor_places.hpp"

#include <abi/accessor_layout.hpp>
#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "passes/device/known_arguments.hpp"

namespace sinter::jit::gpu {
namespace {

/// The group's memory begins at a multiple of this number of bytes.
constexpr std::uint64_t most_alignment = 128;

std::optional<std::uint64_t> known_place(const abi::image_leaf& leaf, llvm::ArrayRef<passes::known_bytes> known) {
  constexpr std::size_t first = abi::local_accessor_layout::local_offset;
  std::uint64_t place = 0;
  for (const passes::known_bytes& piece : known) {
    if (piece.offset != leaf.offset || piece.bytes.size() < first + sizeof(place)) continue;
    std::memcpy(&place, piece.bytes.data() + first, sizeof(place));
    return place;
  }
  return {};
}

/// Calls function(load, place) for each load of a known place.
template <class Function>
void for_known_places(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups,
                      const Function& function) {
  const auto known = passes::known_local_accessors(leaves, groups);
  for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(entry))) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
    const unsigned number = load ? place_read_by(*load, entry, leaves) : 0;
    if (number == 0) continue;
    if (const auto place = known_place(leaves[number - 1], known)) function(*load, *place);
  }
}

}  // namespace

bool keeps_places(const dialect& gpu, llvm::ArrayRef<abi::image_leaf> leaves) {
  return gpu.copies_ahead() && std::ranges::count(leaves, abi::leaf_kind::local_accessor, &abi::image_leaf::kind) > 1;
}

unsigned place_read_by(const llvm::LoadInst& load, const llvm::Function& entry,
                       llvm::ArrayRef<abi::image_leaf> leaves) {
  std::int64_t offset = 0;
  if (!load.isSimple() || !load.getType()->isIntegerTy(64) ||
      llvm::GetPointerBaseWithConstantOffset(load.getPointerOperand(), offset, entry.getDataLayout()) !=
          entry.getArg(0))
    return 0;
  const auto* leaf = llvm::find_if(leaves, [&](const abi::image_leaf& one) {
    return one.kind == abi::leaf_kind::local_accessor &&
           one.offset + abi::local_accessor_layout::local_offset == static_cast<std::uint64_t>(offset);
  });
  return leaf == leaves.end() ? 0 : static_cast<unsigned>(leaf - leaves.begin()) + 1;
}

void align_places(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups) {
  for_known_places(entry, leaves, groups, [](llvm::LoadInst& load, std::uint64_t place) {
    const std::uint64_t alignment = std::uint64_t{1} << std::countr_zero(place | most_alignment);
    if (alignment == 1) return;
    llvm::IRBuilder<> builder(load.getNextNode());
    auto* aligned = llvm::cast<llvm::Instruction>(builder.CreateAnd(&load, ~(alignment - 1)));
    load.replaceUsesWithIf(aligned, [&](const llvm::Use& use) { return use.getUser() != aligned; });
  });
}

void fold_places(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups) {
  for_known_places(entry, leaves, groups, [](llvm::LoadInst& load, std::uint64_t place) {
    load.replaceAllUsesWith(llvm::ConstantInt::get(load.getType(), place));
    load.eraseFromParent();
  });
}

}  // namespace sinter::jit::gpu
