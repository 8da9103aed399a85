#include "matrix_tiles.hpp"

#include <abi/device_abi.hpp>
#include <abi/matrix_layout.hpp>
#include <map>
#include <optional>
#include <set>

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "matrices.hpp"
#include "passes/called_names.hpp"
#include "passes/machine/tile_calls.hpp"

namespace sinter::passes {
namespace {

using abi::matrix_element;
using abi::matrix_layout;
using abi::matrix_type;
using abi::matrix_use;

constexpr unsigned pack_of(const matrix_type& type) { return 4 / abi::bytes_of(type.element); }

std::optional<tile_sum> sum_for(const matrix_type& a, const matrix_type& b, const matrix_type& sum) {
  if (sum.element == matrix_element::f32 && a.element == b.element) {
    if (a.element == matrix_element::bf16) return tile_sum::bf16;
    if (a.element == matrix_element::f16) return tile_sum::f16;
  }
  const auto is_byte = [](const matrix_type& type) {
    return type.element == matrix_element::s8 || type.element == matrix_element::u8;
  };
  if (sum.element != matrix_element::s32 || !is_byte(a) || !is_byte(b)) return std::nullopt;
  const bool is_signed = b.element == matrix_element::s8;
  if (a.element == matrix_element::s8) return is_signed ? tile_sum::s8_s8 : tile_sum::s8_u8;
  return is_signed ? tile_sum::u8_s8 : tile_sum::u8_u8;
}

/// The largest number of sums in tile registers. The machine has eight tile registers, and each side of a product takes
/// one of these registers.
constexpr std::size_t most_sums = 6;

/// A part of a variable, at a constant offset.
using part_place = std::pair<llvm::AllocaInst*, std::int64_t>;

std::optional<part_place> place_of(const llvm::DataLayout& layout, llvm::Value* part) {
  llvm::APInt offset(layout.getIndexTypeSizeInBits(part->getType()), 0);
  auto* variable = llvm::dyn_cast<llvm::AllocaInst>(
      part->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true));
  if (!variable) return std::nullopt;
  return part_place{variable, offset.getSExtValue()};
}

class tile_lowering {
public:
  tile_lowering(llvm::Function& kernel, const llvm::TargetMachine& machine)
      : m_kernel(kernel),
        m_machine(machine),
        m_layout(kernel.getParent()->getDataLayout()),
        m_tree(kernel),
        m_loops(m_tree),
        m_builder(kernel.getContext()) {}

  void run() {
    if (!find_calls()) return;
    for (product& each : m_products) check(each);
    for (llvm::CallInst* access : m_accesses) check_access(*access);
    check_variables();
    const bool any = llvm::any_of(m_products, [&](const product& each) { return is_tile(sum_type(*each.call)); });
    if (any) replace();
  }

private:
  struct product {
    llvm::CallInst *call, *left, *right;  ///< the call of a product, and the loads of its two factors
    tile_sum sum;
  };

  static matrix_type sum_type(const llvm::CallInst& product) { return matrix_type_operand(product, 1); }
  bool is_tile(const matrix_type& type) const {
    return type.use == matrix_use::accumulator && !m_others.contains(abi::number_of(type));
  }
  /// Keeps accumulators of this type from becoming tiles.
  void refuse(const matrix_type& type) { m_others.insert(abi::number_of(type)); }

  /// Collects the calls. Returns false if the kernel has a barrier, no products, or a load that may run after a store.
  bool find_calls() {
    for (llvm::Instruction& instruction : llvm::instructions(m_kernel)) {
      const llvm::StringRef name = called_name(instruction);
      if (name == "__sinter_barrier") return false;
      if (!name.starts_with(matrix_prefix)) continue;
      auto* call = llvm::cast<llvm::CallInst>(&instruction);
      if (name == "__sinter_matrix_multiply") {
        m_products.push_back({call, load_in_front(*call, call->getArgOperand(2)),
                              load_in_front(*call, call->getArgOperand(4)), tile_sum::bf16});
      } else if (name == "__sinter_matrix_load" || name == "__sinter_matrix_store") {
        if (matrix_type_operand(*call, 1).use == matrix_use::accumulator) m_accesses.push_back(call);
        (name == "__sinter_matrix_load" ? m_loads : m_stores).push_back(call);
      } else if (name == "__sinter_matrix_copy") {
        refuse(matrix_type_operand(*call, 1));
        refuse(matrix_type_operand(*call, 3));
      } else if (name == "__sinter_matrix_place") {
        refuse(matrix_type_operand(*call, 0));
      } else {
        m_questions.push_back(call);
      }
    }
    return !m_products.empty() && llvm::none_of(m_stores, [&](const llvm::CallInst* store) {
      return llvm::any_of(m_loads, [&](const llvm::CallInst* load) {
        return llvm::isPotentiallyReachable(store, load, nullptr, &m_tree, &m_loops);
      });
    });
  }

  static std::optional<matrix_layout> layout_of(const llvm::CallInst& access) {
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(access.getArgOperand(4));
    if (!known) return std::nullopt;
    return static_cast<matrix_layout>(known->getZExtValue());
  }

  void check(product& each) {
    const matrix_type d = sum_type(*each.call), a = matrix_type_operand(*each.call, 3),
                      b = matrix_type_operand(*each.call, 5), c = matrix_type_operand(*each.call, 7);
    const std::optional<tile_sum> sum = sum_for(a, b, d);
    const bool fits = sum && has_tile_sum(m_machine, *sum) && c == d && each.left && each.right &&
                      layout_of(*each.left) == matrix_layout::row_major &&
                      (layout_of(*each.right) == matrix_layout::row_major ||
                       layout_of(*each.right) == matrix_layout::packed) &&
                      d.rows == tile_rows && 4 * d.columns == tile_row_bytes &&
                      a.columns == tile_rows * pack_of(a);
    if (fits) {
      each.sum = *sum;
    } else {
      refuse(d);
      refuse(c);
    }
  }

  void check_access(const llvm::CallInst& access) {
    if (layout_of(access) != matrix_layout::row_major) refuse(matrix_type_operand(access, 1));
  }

  /// Checks that only calls of matrix functions and fills use the variables of accumulators.
  void check_variables() {
    llvm::SmallPtrSet<llvm::AllocaInst*, 8> seen;
    std::set<part_place> places;
    const auto look = [&](llvm::Value* part, const matrix_type& type) {
      const std::optional<part_place> place = place_of(m_layout, part);
      if (!place) return refuse(type);
      // All matrices in a variable must have one type.
      const auto [known, is_new] = m_types.insert({place->first, abi::number_of(type)});
      if (known->second != abi::number_of(type)) {
        refuse(type);
        refuse(abi::matrix_type_of(known->second));
      }
      if (seen.insert(place->first).second && !check_uses(*place->first)) refuse(type);
      places.insert(*place);
      if (places.size() > most_sums) refuse(type);
    };
    for (const product& each : m_products) {
      look(each.call->getArgOperand(0), sum_type(*each.call));
      look(each.call->getArgOperand(6), matrix_type_operand(*each.call, 7));
    }
    for (llvm::CallInst* access : m_accesses) look(access->getArgOperand(0), matrix_type_operand(*access, 1));
  }
  bool check_uses(llvm::Value& address) {
    return llvm::all_of(address.users(), [&](llvm::User* user) {
      if (auto* step = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) return check_uses(*step);
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        return store->getPointerOperand() == &address && is_fill(*store);
      }
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      return call && (called_name(*call).starts_with(matrix_prefix) || call->isLifetimeStartOrEnd());
    });
  }

  /// Whether a loop over a part's length stores this value to all its elements.
  bool is_fill(llvm::StoreInst& store) {
    const llvm::Loop* loop = m_loops.getLoopFor(store.getParent());
    auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(store.getPointerOperand());
    if (!loop || !address || !loop->isLoopInvariant(store.getValueOperand()) || !store.isSimple()) return false;
    // The store has to run in each iteration.
    if (!loop->getLoopLatch() || !m_tree.dominates(store.getParent(), loop->getLoopLatch())) return false;
    llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> variable;
    llvm::APInt constant(64, 0);
    if (!llvm::cast<llvm::GEPOperator>(address)->collectOffset(m_layout, 64, variable, constant)) return false;
    auto* part = llvm::dyn_cast<llvm::Value>(address->getPointerOperand());
    if (variable.size() != 1 || variable.front().second != 4 || !place_of(m_layout, part)) return false;
    if (m_layout.getTypeStoreSize(store.getValueOperand()->getType()) != 4) return false;
    llvm::SmallVector<llvm::BasicBlock*, 2> ends;
    loop->getExitingBlocks(ends);
    const bool is_counted = llvm::all_of(ends, [](const llvm::BasicBlock* end) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end->getTerminator());
      const auto* more = branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition())
                                                           : nullptr;
      return more && llvm::any_of(more->operands(), [](const llvm::Use& operand) {
        const auto* asked = llvm::dyn_cast<llvm::Instruction>(operand.get());
        return asked && called_name(*asked) == "__sinter_matrix_length";
      });
    });
    if (!is_counted) return false;
    m_fills.push_back({&store, {place_of(m_layout, part)->first,
                                place_of(m_layout, part)->second + constant.getSExtValue()}});
    return true;
  }

  // ------------------------------------------------------------------------------------------ code

  llvm::AllocaInst* tile_of(const part_place& place) {
    llvm::AllocaInst*& tile = m_tiles[place];
    if (!tile) {
      llvm::IRBuilder<> builder(place.first);
      tile = builder.CreateAlloca(tile_type(m_kernel.getContext()));
    }
    return tile;
  }
  llvm::AllocaInst* tile_of(llvm::Value* part) { return tile_of(*place_of(m_layout, part)); }
  llvm::Value* value_of(llvm::Value* part) {
    return m_builder.CreateLoad(tile_type(m_kernel.getContext()), tile_of(part));
  }
  llvm::Value* stride_bytes(const llvm::CallInst& access) {
    const unsigned bytes = abi::bytes_of(matrix_type_operand(access, 1).element);
    return m_builder.CreateMul(access.getArgOperand(3), m_builder.getInt64(bytes));
  }
  llvm::Value* side(const llvm::CallInst& load) {
    const matrix_type type = matrix_type_operand(load, 1);
    llvm::Value *from = load.getArgOperand(2), *stride = stride_bytes(load);
    const bool is_packed = type.use == matrix_use::a || layout_of(load) == matrix_layout::packed;
    return is_packed ? load_tile(m_builder, from, stride)
                     : pack_tile(m_builder, from, stride, abi::bytes_of(type.element));
  }

  void replace() {
    for (const auto& [store, place] : m_fills) {
      if (is_tile(abi::matrix_type_of(m_types.lookup(place.first)))) fill(*store, place);
    }
    for (const product& each : m_products) {
      if (is_tile(sum_type(*each.call))) multiply(each);
    }
    for (llvm::CallInst* access : m_accesses) {
      if (is_tile(matrix_type_operand(*access, 1))) move(*access);
    }
    for (llvm::CallInst* question : m_questions) {
      if (!is_tile(matrix_type_operand(*question, 0))) continue;
      // The length becomes 1, so loops over elements have one iteration, which fills the tile.
      question->replaceAllUsesWith(llvm::ConstantInt::get(question->getType(), 1));
      question->eraseFromParent();
    }
  }

  void fill(llvm::StoreInst& store, const part_place& place) {
    m_builder.SetInsertPoint(&store);
    llvm::Value* word = m_builder.CreateBitCast(store.getValueOperand(), m_builder.getInt32Ty());
    if (!llvm::isa<llvm::Constant>(word)) word = first_of(word);
    m_builder.CreateStore(fill_tile(m_builder, word), tile_of(place));
    store.eraseFromParent();
  }
  /// Returns the first work-item's word.
  llvm::Value* first_of(llvm::Value* word) {
    llvm::FunctionCallee asked = m_kernel.getParent()->getOrInsertFunction(
        "__sinter_sub_group_shuffle_32",
        llvm::FunctionType::get(word->getType(), {word->getType(), m_builder.getInt32Ty()}, false));
    auto* function = llvm::cast<llvm::Function>(asked.getCallee());
    function->setConvergent();
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    llvm::CallInst* call = m_builder.CreateCall(asked, {word, m_builder.getInt32(0)});
    call->setConvergent();
    return call;
  }

  void multiply(const product& each) {
    m_builder.SetInsertPoint(each.call);
    llvm::Value *left = side(*each.left), *right = side(*each.right);
    llvm::Value* sum = sum_tiles(m_builder, each.sum, value_of(each.call->getArgOperand(6)), left, right);
    m_builder.CreateStore(sum, tile_of(each.call->getArgOperand(0)));
    each.call->eraseFromParent();
  }

  void move(llvm::CallInst& access) {
    m_builder.SetInsertPoint(&access);
    llvm::Value *memory = access.getArgOperand(2), *stride = stride_bytes(access);
    if (called_name(access) == "__sinter_matrix_load") {
      m_builder.CreateStore(load_tile(m_builder, memory, stride), tile_of(access.getArgOperand(0)));
    } else {
      llvm::Value* tile = value_of(access.getArgOperand(0));
      const auto asked = [&](llvm::StringRef name) {
        return m_builder.CreateCall(m_kernel.getParent()->getOrInsertFunction(
            name, llvm::FunctionType::get(m_builder.getInt32Ty(), false)));
      };
      llvm::Value* behind = m_builder.CreateAdd(asked("__sinter_sub_group_local_id"), m_builder.getInt32(1));
      llvm::Value* is_last = m_builder.CreateICmpEQ(behind, asked("__sinter_sub_group_local_range"));
      m_builder.SetInsertPoint(llvm::SplitBlockAndInsertIfThen(is_last, access.getIterator(), /*Unreachable=*/false));
      store_tile(m_builder, memory, stride, tile);
    }
    access.eraseFromParent();
  }

  llvm::Function& m_kernel;
  const llvm::TargetMachine& m_machine;
  const llvm::DataLayout& m_layout;
  llvm::DominatorTree m_tree;
  llvm::LoopInfo m_loops;
  llvm::IRBuilder<> m_builder;
  llvm::SmallVector<product, 16> m_products;
  llvm::SmallVector<llvm::CallInst*, 16> m_accesses, m_questions, m_loads, m_stores;
  llvm::SmallVector<std::pair<llvm::StoreInst*, part_place>, 16> m_fills;
  llvm::DenseMap<llvm::AllocaInst*, std::uint32_t> m_types;
  llvm::DenseSet<std::uint32_t> m_others;
  std::map<part_place, llvm::AllocaInst*> m_tiles;
};

}  // namespace

void use_matrix_tiles(llvm::Function& kernel, const llvm::TargetMachine& machine) {
  tile_lowering(kernel, machine).run();
}

}  // namespace sinter::passes
