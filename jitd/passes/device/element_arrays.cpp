#include "element_arrays.hpp"

#include <algorithm>

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/KnownBits.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

struct distance {
  variable_offsets variable;  ///< variable indices, each with its scale in bytes
  llvm::APInt constant{64, 0};
};

bool find_distance(const llvm::GetElementPtrInst& step, const llvm::DataLayout& layout, distance& found) {
  return llvm::cast<llvm::GEPOperator>(step).collectOffset(layout, 64, found.variable, found.constant);
}

bool has_whole_elements(const llvm::GetElementPtrInst& step, std::uint64_t element, const llvm::DataLayout& layout) {
  distance found;
  if (!find_distance(step, layout, found)) return false;
  const auto is_whole = [&](const llvm::APInt& bytes) {
    return bytes.srem(static_cast<std::int64_t>(element)) == 0;
  };
  return is_whole(found.constant) && llvm::all_of(found.variable, [&](const auto& each) {
           // LLVM may compute the index in bytes. If so, the index itself is a multiple of the element's size.
           const unsigned zeros = llvm::computeKnownBits(each.first, layout).countMinTrailingZeros();
           return is_whole(each.second.shl(std::min(zeros, 16U)));
         });
}

/// Returns the number of bytes of a plain access to `address`, or 0 if the instruction is no plain access.
std::uint64_t accessed_bytes(const llvm::Instruction& user, const llvm::Value& address,
                             const llvm::DataLayout& layout) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&user);
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&user);
  if (load ? !load->isSimple() : !store || !store->isSimple() || store->getValueOperand() == &address) return 0;
  llvm::Type* type = llvm::getLoadStoreType(&user);
  if (!type->isSingleValueType() || !layout.typeSizeEqualsStoreSize(type)) return 0;
  return layout.getTypeStoreSize(type).getFixedValue();
}

/// How the code uses an array.
struct array_uses {
  std::uint64_t element = 0;  ///< bytes of each plain access; 0 if there is none
  bool all_plain = true;      ///< whether all uses are accesses of one size, fills and copies
  llvm::SmallVector<llvm::GetElementPtrInst*, 16> steps;
  llvm::SmallSetVector<llvm::MemIntrinsic*, 4> moves;
};

array_uses uses_of(const llvm::AllocaInst& array) {
  const llvm::DataLayout& layout = array.getDataLayout();
  array_uses found;
  llvm::SmallVector<const llvm::Instruction*, 16> addresses{&array};
  while (!addresses.empty()) {
    const llvm::Instruction* address = addresses.pop_back_val();
    for (const llvm::User* each : address->users()) {
      auto* user = const_cast<llvm::Instruction*>(llvm::cast<llvm::Instruction>(each));
      if (llvm::isa<llvm::LifetimeIntrinsic>(user)) continue;
      if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        found.all_plain &= !step->getType()->isVectorTy();
        found.steps.push_back(step);
        addresses.push_back(step);
      } else if (auto* move = llvm::dyn_cast<llvm::MemIntrinsic>(user)) {
        found.moves.insert(move);
      } else {
        const std::uint64_t bytes = accessed_bytes(*user, *address, layout);
        found.all_plain &= bytes != 0 && (found.element == 0 || bytes == found.element);
        found.element = bytes;
      }
      if (!found.all_plain) return found;
    }
  }
  return found;
}

/// Whether the fill or copy has a known length and can be done element by element. If both sides of a copy are arrays,
/// the elements of the other array may be spread, too.
bool is_whole_move(const llvm::MemIntrinsic& move, const llvm::AllocaInst& array, std::uint64_t element) {
  const auto* length = llvm::dyn_cast<llvm::ConstantInt>(move.getLength());
  if (!length || length->getZExtValue() % element != 0 || move.isVolatile()) return false;
  if (const auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&move)) return llvm::isa<llvm::ConstantInt>(fill->getValue());
  const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&move);
  if (!copy) return false;
  for (const llvm::Value* side : {copy->getRawSource(), copy->getRawDest()}) {
    const auto* other = llvm::dyn_cast<llvm::AllocaInst>(llvm::getUnderlyingObject(side));
    if (!other || other == &array) continue;
    if (const array_uses uses = uses_of(*other); uses.all_plain && uses.element != element) return false;
  }
  return true;
}

/// Replaces `move` by accesses of single elements.
void write_by_elements(llvm::MemIntrinsic& move, std::uint64_t element) {
  // Up to this many elements are written without a loop.
  constexpr std::uint64_t most_without_loop = 4;
  const std::uint64_t count = llvm::cast<llvm::ConstantInt>(move.getLength())->getZExtValue() / element;
  const auto* fill = llvm::dyn_cast<llvm::MemSetInst>(&move);
  const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&move);
  const auto bits = static_cast<unsigned>(8 * element);
  llvm::Type* type = llvm::IntegerType::get(move.getContext(), bits);
  const auto write = [&](llvm::IRBuilder<>& builder, llvm::Value* number) {
    llvm::Value* value;
    if (fill) {
      const llvm::APInt byte = llvm::cast<llvm::ConstantInt>(fill->getValue())->getValue();
      value = llvm::ConstantInt::get(type, llvm::APInt::getSplat(bits, byte));
    } else {
      llvm::Value* from = builder.CreateGEP(type, copy->getRawSource(), number);
      const llvm::Align alignment = llvm::commonAlignment(copy->getSourceAlign().valueOrOne(), element);
      value = builder.CreateAlignedLoad(type, from, alignment);
    }
    const llvm::Align alignment = llvm::commonAlignment(move.getDestAlign().valueOrOne(), element);
    builder.CreateAlignedStore(value, builder.CreateGEP(type, move.getRawDest(), number), alignment);
  };
  llvm::IRBuilder<> builder(&move);
  if (count <= most_without_loop) {
    for (std::uint64_t k = 0; k < count; ++k) write(builder, builder.getInt64(k));
  } else {
    const auto [place, number] =
        llvm::SplitBlockAndInsertSimpleForLoop(builder.getInt64(count), move.getIterator());
    builder.SetInsertPoint(place);
    write(builder, number);
  }
  move.eraseFromParent();
}

class element_spreader {
public:
  element_spreader(std::uint64_t element, llvm::Value* factor) : m_element(element), m_factor(factor) {}

  void spread(llvm::Instruction& address, llvm::Value* place) {
    for (llvm::User* each : llvm::make_early_inc_range(address.users())) {
      auto* user = llvm::cast<llvm::Instruction>(each);
      if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
        spread(*step, spread_step(*step, place));
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        load->setOperand(llvm::LoadInst::getPointerOperandIndex(), place);
        load->setAlignment(llvm::commonAlignment(load->getAlign(), m_element));
      } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        store->setOperand(llvm::StoreInst::getPointerOperandIndex(), place);
        store->setAlignment(llvm::commonAlignment(store->getAlign(), m_element));
      } else {
        user->eraseFromParent();  // a lifetime marker
      }
    }
    if (llvm::isa<llvm::GetElementPtrInst>(address)) address.eraseFromParent();
  }

private:
  llvm::Value* spread_step(llvm::GetElementPtrInst& step, llvm::Value* place) {
    llvm::IRBuilder<> builder(&step);
    distance found;
    find_distance(step, step.getDataLayout(), found);
    llvm::Value* bytes = found.constant.isZero() && !found.variable.empty() ? nullptr : builder.getInt(found.constant);
    for (const auto& [number, scale] : found.variable) {
      llvm::Value* wide = builder.CreateSExtOrTrunc(number, builder.getInt64Ty());
      if (!scale.isOne()) wide = builder.CreateMul(wide, builder.getInt(scale));
      bytes = bytes ? builder.CreateAdd(bytes, wide) : wide;
    }
    return builder.CreatePtrAdd(place, builder.CreateMul(bytes, m_factor));
  }

  std::uint64_t m_element;
  llvm::Value* m_factor;
};

}  // namespace

std::uint64_t element_bytes(const llvm::AllocaInst& array) {
  const llvm::DataLayout& layout = array.getDataLayout();
  const auto size = array.isStaticAlloca() ? array.getAllocationSize(layout) : std::nullopt;
  if (!size || size->isScalable()) return 0;
  const array_uses uses = uses_of(array);
  const std::uint64_t element = uses.element, bytes = size->getFixedValue();
  if (!uses.all_plain || element == 0 || bytes % element != 0 || bytes == element) return 0;
  if (!uses.moves.empty() && (element > 8 || !llvm::isPowerOf2_64(element))) return 0;
  const bool whole =
      llvm::all_of(uses.steps, [&](const auto* step) { return has_whole_elements(*step, element, layout); }) &&
      llvm::all_of(uses.moves, [&](const auto* move) { return is_whole_move(*move, array, element); });
  return whole ? element : 0;
}

bool counts_elements_together(const llvm::AllocaInst& array, const uniform_values& is_uniform) {
  llvm::SmallVector<const llvm::Instruction*, 16> addresses{&array};
  while (!addresses.empty()) {
    for (const llvm::User* user : addresses.pop_back_val()->users()) {
      const auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
      if (!step) continue;
      const auto is_same = [&](const llvm::Use& index) { return is_uniform(*index); };
      if (!step->hasAllConstantIndices() && llvm::all_of(step->indices(), is_same)) return true;
      if (step->hasAllConstantIndices()) addresses.push_back(step);
    }
  }
  return false;
}

void spread_elements(llvm::AllocaInst& array, std::uint64_t element, llvm::Value* place, llvm::Value* factor) {
  for (llvm::MemIntrinsic* move : uses_of(array).moves) write_by_elements(*move, element);
  element_spreader(element, factor).spread(array, place);
}

}  // namespace sinter::passes
