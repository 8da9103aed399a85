#include "known_arguments.hpp"

#include <abi/accessor_layout.hpp>
#include <abi/device_abi.hpp>
#include <algorithm>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace sinter::passes {
namespace {

/// The constant that known bytes form. Returns null if some bytes are unknown, or if they form no constant of this
/// type.
llvm::Constant* constant_at(std::uint64_t offset, llvm::Type* type, const llvm::DataLayout& layout,
                            llvm::ArrayRef<known_bytes> known) {
  const llvm::TypeSize size = layout.getTypeStoreSize(type);
  if (size.isScalable() || type->isPtrOrPtrVectorTy()) return nullptr;
  for (const known_bytes& piece : known) {
    if (piece.in_memory || offset < piece.offset) continue;
    if (offset + size.getFixedValue() > piece.offset + piece.bytes.size()) continue;
    llvm::Constant* bytes = llvm::ConstantDataArray::getString(type->getContext(), piece.bytes, /*AddNull=*/false);
    return llvm::ConstantFoldLoadFromConst(bytes, type, llvm::APInt(64, offset - piece.offset), layout);
  }
  return nullptr;
}

/// Stores the known bytes into a copy of a part of the block, behind the instruction that copies it. SROA then finds
/// them.
void store_known(llvm::MemCpyInst& copy, std::uint64_t offset, llvm::ArrayRef<known_bytes> known) {
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
  if (!length || copy.isVolatile()) return;
  llvm::IRBuilder<> builder(copy.getNextNode());
  for (const known_bytes& piece : known) {
    if (piece.in_memory) continue;
    const std::uint64_t first = std::max(offset, piece.offset),
                        end = std::min(offset + length->getZExtValue(), piece.offset + piece.bytes.size());
    for (std::uint64_t at = first; at < end;) {
      // Bytes are stored as aligned words where possible, because programs load members of structures in this way.
      const std::uint64_t bytes = at % 4 == 0 && at + 4 <= end ? 4 : 1;
      llvm::Type* type = builder.getIntNTy(static_cast<unsigned>(8 * bytes));
      llvm::Value* place = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), copy.getRawDest(), at - offset);
      builder.CreateAlignedStore(constant_at(at, type, copy.getModule()->getDataLayout(), known), place,
                                 llvm::commonAlignment(copy.getDestAlign().valueOrOne(), at - offset));
      at += bytes;
    }
  }
}

}  // namespace

std::vector<known_bytes> known_arguments(llvm::ArrayRef<abi::image_leaf> leaves, const abi::known_groups& groups,
                                         const abi::specialization_table* values) {
  std::vector<known_bytes> pieces = known_local_accessors(leaves, groups);
  for (std::uint32_t i = 0; values && i < values->count; ++i) {
    const abi::specialization_table::entry& entry = values->entries[i];
    if ((entry.key & abi::specialization_of_argument) != abi::specialization_of_argument) continue;
    known_bytes& piece = pieces.emplace_back(
        known_bytes{static_cast<std::uint32_t>(entry.key),
                    llvm::StringRef(static_cast<const char*>(entry.value), entry.size)});
    const std::uint64_t behind = (entry.key & ~abi::specialization_of_argument) >> 32;
    if (behind != 0) piece.in_memory = behind - 1;
  }
  return pieces;
}

std::vector<known_bytes> known_local_accessors(llvm::ArrayRef<abi::image_leaf> leaves,
                                               const abi::known_groups& groups) {
  llvm::StringRef bytes(static_cast<const char*>(groups.local_accessors), groups.local_accessor_bytes);
  std::vector<known_bytes> pieces;
  for (const abi::image_leaf& leaf : leaves) {
    if (leaf.kind != abi::leaf_kind::local_accessor) continue;
    if (leaf.size > bytes.size()) return {};
    pieces.push_back({leaf.offset, bytes.take_front(leaf.size)});
    bytes = bytes.drop_front(leaf.size);
  }
  return pieces;
}

void leave_places(std::vector<known_bytes>& known, llvm::ArrayRef<abi::image_leaf> leaves) {
  constexpr std::size_t place_bytes = abi::local_accessor_layout::range - abi::local_accessor_layout::local_offset;
  for (known_bytes& piece : known) {
    const bool is_accessor = llvm::any_of(leaves, [&](const abi::image_leaf& leaf) {
      return leaf.kind == abi::leaf_kind::local_accessor && leaf.offset == piece.offset;
    });
    if (!is_accessor || piece.bytes.size() < place_bytes) continue;
    piece = {piece.offset + place_bytes, piece.bytes.drop_front(place_bytes)};
  }
}

namespace {

struct known_load {
  llvm::LoadInst* load;
  std::uint64_t offset;
};

/// All simple loads at constant distances from the address. Calls `copied` with each copy from the address.
llvm::SmallVector<known_load, 16> loads_behind(llvm::Value& start, const llvm::DataLayout& layout,
                                               llvm::function_ref<void(llvm::MemCpyInst&, std::uint64_t)> copied) {
  llvm::SmallVector<known_load, 16> loads;
  llvm::SmallVector<std::pair<llvm::Value*, std::uint64_t>, 16> addresses{{&start, 0}};
  while (!addresses.empty()) {
    const auto [address, offset] = addresses.pop_back_val();
    for (llvm::User* user : llvm::make_early_inc_range(address->users())) {
      if (auto* step = llvm::dyn_cast<llvm::GEPOperator>(user)) {
        llvm::APInt distance(layout.getIndexTypeSizeInBits(step->getType()), offset);
        if (step->getPointerOperand() == address && step->accumulateConstantOffset(layout, distance)) {
          addresses.push_back({step, distance.getZExtValue()});
        }
      }
      if (auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(user); copy && copy->getRawSource() == address) {
        copied(*copy, offset);
      }
      if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user); load && load->isSimple()) loads.push_back({load, offset});
    }
  }
  return loads;
}

void replace_known(llvm::ArrayRef<known_load> loads, const llvm::DataLayout& layout,
                   llvm::ArrayRef<known_bytes> known) {
  for (const auto& [load, offset] : loads) {
    llvm::Constant* value = constant_at(offset, load->getType(), layout, known);
    if (!value) continue;
    load->replaceAllUsesWith(value);
    load->eraseFromParent();
  }
}

/// `address` loads a pointer. Replaces loads of known bytes through this pointer by constants.
void fold_memory(llvm::LoadInst& address, const llvm::DataLayout& layout, llvm::ArrayRef<known_bytes> known) {
  const auto fold = [&](llvm::Value& start) {
    replace_known(loads_behind(start, layout, [](llvm::MemCpyInst&, std::uint64_t) {}), layout, known);
  };
  if (address.getType()->isPointerTy()) return fold(address);
  if (address.getType() != layout.getIntPtrType(address.getContext())) return;
  for (llvm::User* user : address.users()) {
    if (llvm::isa<llvm::IntToPtrInst>(user)) fold(*user);
  }
}

}  // namespace

void fold_known_arguments(llvm::Function& kernel, llvm::ArrayRef<known_bytes> known) {
  if (known.empty() || kernel.arg_empty()) return;
  const llvm::DataLayout& layout = kernel.getDataLayout();
  const auto loads = loads_behind(*kernel.getArg(0), layout, [&](llvm::MemCpyInst& copy, std::uint64_t offset) {
    store_known(copy, offset, known);
  });
  for (const auto& [load, offset] : loads) {
    llvm::SmallVector<known_bytes, 2> behind;
    for (const known_bytes& piece : known) {
      if (piece.in_memory && piece.offset == offset) behind.push_back({*piece.in_memory, piece.bytes});
    }
    if (!behind.empty()) fold_memory(*load, layout, behind);
  }
  // Loads of known arguments are replaced last, because loads through an argument are found only as long as its address
  // is still loaded.
  replace_known(loads, layout, known);
}

}  // namespace sinter::passes
