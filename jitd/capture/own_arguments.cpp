#include "own_arguments.hpp"

#include <optional>

#include "../passes/argument_writes.hpp"
#include "image_writer.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "simplify.hpp"

namespace sinter::capture {
namespace {

/// A kernel may have a copy of the argument block of its own. Finds the parts of this copy that the kernel reads or
/// writes.
class copy_accesses {
public:
  /// `copy` writes the arguments to `own`.
  copy_accesses(const llvm::AllocaInst& own, const llvm::CallInst& copy)
      : m_data(own.getDataLayout()), m_copy(copy), m_found{&own}, m_left{{&own, 0}} {
    while (!m_left.empty() && m_known) {
      const auto [address, offset] = m_left.pop_back_val();
      for (const llvm::Use& use : address->uses()) m_known &= note(use, offset);
    }
  }

  struct pointer {
    llvm::LoadInst* load;
    std::int64_t offset;
  };
  /// The pointers that the kernel loads from the copy and never writes. Empty if it is unknown where the kernel writes.
  llvm::SmallVector<pointer, 8> read_only() const {
    llvm::SmallVector<pointer, 8> found;
    for (const pointer& each : m_pointers) {
      const bytes own = bytes_of(*each.load->getType(), each.offset);
      const auto meets = [&](const bytes& other) { return other.begin < own.end && own.begin < other.end; };
      if (m_known && llvm::none_of(m_written, meets)) found.push_back(each);
    }
    return found;
  }

private:
  using place = std::optional<std::int64_t>;  ///< an offset in the copy, if it is known
  struct bytes {
    std::int64_t begin, end;
  };

  bytes bytes_of(llvm::Type& type, std::int64_t offset) const {
    return {offset, offset + static_cast<std::int64_t>(m_data.getTypeStoreSize(&type).getKnownMinValue())};
  }

  bool write(llvm::Type& type, place offset) {
    // By C++'s rules, a write of a number of another size or kind does not change a pointer.
    if (!offset) return type.isIntegerTy(16) || type.isIntegerTy(32) || type.isFloatingPointTy();
    m_written.push_back(bytes_of(type, *offset));
    return true;
  }

  bool follow(const llvm::Value& address, place offset) {
    if (m_found.insert(&address).second) m_left.emplace_back(&address, offset);
    return true;
  }

  /// Notes what an instruction does with an address in the copy. `use` is the operand with this address. Returns false
  /// if the instruction may write to any place.
  bool note(const llvm::Use& use, place offset) {
    llvm::User* user = use.getUser();
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (load->getType()->isPointerTy() && load->isSimple() && offset) m_pointers.push_back({load, *offset});
      return true;
    }
    if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(user)) {
      llvm::APInt further(m_data.getIndexTypeSizeInBits(address->getType()), 0);
      const bool is_known = offset && address->accumulateConstantOffset(m_data, further);
      return follow(*user, is_known ? place(*offset + further.getSExtValue()) : std::nullopt);
    }
    if (llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::FreezeInst>(user)) return follow(*user, std::nullopt);
    if (llvm::isa<llvm::ICmpInst>(user)) return true;
    const bool is_first = use.getOperandNo() == 0;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user))
      return !is_first && write(*store->getValueOperand()->getType(), offset);
    if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(user))
      return is_first && write(*update->getType(), offset);
    if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(user))
      return is_first && write(*exchange->getNewValOperand()->getType(), offset);
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(user);
    if (!call || call->isAssumeLikeIntrinsic() || call == &m_copy) return call != nullptr;
    const auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(call);
    if (!memory || !is_first) return memory != nullptr;  // the source of a copy is the second operand
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(memory->getLength());
    if (!length || !offset) return false;
    m_written.push_back({*offset, *offset + length->getSExtValue()});
    return true;
  }

  const llvm::DataLayout& m_data;
  const llvm::CallInst& m_copy;
  bool m_known = true;
  llvm::SmallVector<pointer, 8> m_pointers;
  llvm::SmallVector<bytes, 8> m_written;
  llvm::SmallPtrSet<const llvm::Value*, 16> m_found;
  llvm::SmallVector<std::pair<const llvm::Value*, place>, 16> m_left;
};

void copy_arguments(llvm::Function& kernel, const block_layout& layout) {
  llvm::Argument& block = *kernel.getArg(0);
  llvm::IRBuilder<> builder(&*kernel.getEntryBlock().getFirstInsertionPt());
  llvm::AllocaInst* own =
      builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), layout.bytes), nullptr, "own_arguments");
  own->setAlignment(llvm::Align(layout.alignment));
  block.replaceAllUsesWith(own);
  const llvm::CallInst* copy = builder.CreateMemCpy(own, own->getAlign(), &block, own->getAlign(), layout.bytes);
  // Pointers are loaded from the block itself, and not from the copy, because a driver's compiler only then knows to
  // which memory they point.
  for (const auto& [load, offset] : copy_accesses(*own, *copy).read_only()) {
    builder.SetInsertPoint(load);
    load->setOperand(0, builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), &block, offset));
  }
}

}  // namespace

llvm::StringSet<> copy_written_arguments(llvm::Module& simplified, llvm::Module& embedded,
                                         llvm::ArrayRef<captured_kernel> kernels) {
  llvm::StringSet<> found;
  for (const captured_kernel& each : kernels) {
    llvm::Function& kernel = *simplified.getFunction(each.symbol);
    if (passes::use_of(*kernel.getArg(0)) == passes::argument_use::read || !found.insert(each.symbol).second) continue;
    copy_arguments(kernel, block_of(each));
    if (&embedded != &simplified) copy_arguments(*embedded.getFunction(each.symbol), block_of(each));
  }
  // Simplification removes the copies of members that the kernel does not write: these members are read from the block
  // itself.
  if (!found.empty()) simplify(simplified);
  return found;
}

}  // namespace sinter::capture
