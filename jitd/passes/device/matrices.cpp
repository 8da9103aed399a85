// This file is long, because one class lowers all functions of matrices, with a common table of their parts.
#include "matrices.hpp"

#include <abi/device_abi.hpp>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "matrix_tiles.hpp"
#include "passes/called_names.hpp"
#include "passes/machine/machine_calls.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

using abi::matrix_element;
using abi::matrix_layout;
using abi::matrix_parts;
using abi::matrix_use;

/// The distances in memory from one row to the next and from one column to the next. Distances are in elements.
struct memory_steps {
  llvm::Value *row, *column;
  bool row_is_one, column_is_one, packed;
};

class matrix_lowering {
public:
  matrix_lowering(llvm::Function& kernel, unsigned size, const llvm::TargetMachine* machine, bool meets)
      : m_module(*kernel.getParent()),
        m_size(size),
        m_has_bfloats(machine && has_machine_function(*machine, machine_function::bfloat_dot)),
        m_has_bytes(machine && has_machine_function(*machine, machine_function::byte_dot)),
        m_in_vectors(machine != nullptr),
        m_meets(meets),
        m_builder(kernel.getContext()) {}

  llvm::Value* lower(llvm::CallInst& call) {
    m_builder.SetInsertPoint(&call);
    m_builder.SetCurrentDebugLocation(call.getDebugLoc());
    llvm::StringRef name = called_name(call);
    name.consume_front(matrix_prefix);
    if (m_meets && !call.doesNotAccessMemory()) meet();
    llvm::Value* answer = nullptr;
    if (name == "length") answer = m_builder.getInt32(parts_of(call, 0).length());
    if (name == "holds") answer = holds(call);
    if (name == "place") answer = place(call);
    if (name == "load") load(call);
    if (name == "store") store(call);
    if (name == "multiply") multiply(call);
    if (name == "copy") copy(call);
    return answer;
  }

private:
  matrix_parts parts_of(const llvm::CallInst& call, unsigned operand) const {
    return {matrix_type_operand(call, operand), m_size};
  }

  void meet() {
    llvm::Value* sub_group = number(static_cast<std::uint32_t>(abi::scope::sub_group));
    llvm::Type* word = m_builder.getInt32Ty();
    llvm::FunctionCallee barrier = m_module.getOrInsertFunction(
        "__sinter_barrier", llvm::FunctionType::get(m_builder.getVoidTy(), {word, word}, false));
    m_builder.CreateCall(barrier, {sub_group, sub_group})->setConvergent();
  }
  llvm::Value* item() {
    llvm::FunctionCallee asked = m_module.getOrInsertFunction("__sinter_sub_group_local_id",
                                                              llvm::FunctionType::get(m_builder.getInt32Ty(), false));
    return m_builder.CreateCall(asked);
  }
  llvm::Value* wide(llvm::Value* number) {
    return m_builder.CreateZExt(number, m_builder.getInt64Ty(), "", /*IsNonNeg=*/true);
  }
  llvm::Value* shuffle(llvm::Value* word, llvm::Value* source) {
    const std::string name = "__sinter_sub_group_shuffle_" + std::to_string(word->getType()->getIntegerBitWidth());
    auto* type = llvm::FunctionType::get(word->getType(), {word->getType(), m_builder.getInt32Ty()}, false);
    llvm::FunctionCallee asked = m_module.getOrInsertFunction(name, type);
    auto* function = llvm::cast<llvm::Function>(asked.getCallee());
    function->setConvergent();
    function->setDoesNotAccessMemory();
    function->setDoesNotThrow();
    function->setWillReturn();
    llvm::CallInst* call = m_builder.CreateCall(asked, {word, source});
    call->setConvergent();
    return call;
  }

  // ------------------------------------------------------------------------------------------ places

  /// In a slot, the calling work-item holds one word of a matrix. Returns the word's row. word_column returns the
  /// word's column.
  llvm::Value* word_row(const matrix_parts& parts, llvm::Value* slot, llvm::Value* item) {
    llvm::Value* row = m_builder.CreateMul(divided(slot, parts.groups), number(parts.rows_at_once));
    return parts.rows_at_once > 1 ? m_builder.CreateAdd(row, divided(item, parts.columns)) : row;
  }
  llvm::Value* word_column(const matrix_parts& parts, llvm::Value* slot, llvm::Value* item) {
    if (parts.rows_at_once > 1) return rest_of(item, parts.columns);
    return m_builder.CreateAdd(m_builder.CreateMul(rest_of(slot, parts.groups), number(parts.size)), item);
  }
  llvm::ConstantInt* number(std::uint32_t value) { return m_builder.getInt32(value); }
  llvm::Value* divided(llvm::Value* value, std::uint32_t by) {
    return by == 1 ? value : m_builder.CreateUDiv(value, number(by));
  }
  llvm::Value* rest_of(llvm::Value* value, std::uint32_t by) {
    return by == 1 ? number(0) : m_builder.CreateURem(value, number(by));
  }

  llvm::Value* holds(llvm::CallInst& call) {
    const matrix_parts parts = parts_of(call, 0);
    bool full = true;
    for (std::uint32_t slot = 0; slot < parts.slots(); ++slot) full &= parts.is_full(slot);
    if (full) return m_builder.getTrue();
    llvm::Value *slot = divided(call.getArgOperand(1), parts.pack), *own = item();
    return m_builder.CreateAnd(m_builder.CreateICmpULT(word_row(parts, slot, own), number(parts.rows)),
                               m_builder.CreateICmpULT(word_column(parts, slot, own), number(parts.columns)));
  }

  llvm::Value* place(llvm::CallInst& call) {
    const matrix_parts parts = parts_of(call, 0);
    llvm::Value *slot = divided(call.getArgOperand(1), parts.pack),
                *within = rest_of(call.getArgOperand(1), parts.pack);
    llvm::Value* own = item();
    llvm::Value *row = word_row(parts, slot, own), *column = word_column(parts, slot, own);
    llvm::Value*& packed = parts.use == matrix_use::b ? row : column;
    packed = m_builder.CreateAdd(m_builder.CreateMul(packed, number(parts.pack)), within);
    return m_builder.CreateOr(m_builder.CreateShl(row, 16), column);
  }

  // ------------------------------------------------------------------------------------------ parts

  llvm::Type* bits_of(matrix_element element, unsigned count = 1) {
    return m_builder.getIntNTy(8 * abi::bytes_of(element) * count);
  }
  llvm::Value* element_at(llvm::Value* part, const matrix_parts& parts, std::uint32_t slot, std::uint32_t within) {
    return m_builder.CreateConstInBoundsGEP1_64(bits_of(parts.element), part, slot * parts.pack + within);
  }
  /// Joins elements of a part to a word. In the part, each element is an SSA value of its own, because programs read
  /// and write single elements.
  llvm::Value* word(llvm::Value* part, const matrix_parts& parts, std::uint32_t slot) {
    llvm::Type* type = bits_of(parts.element, parts.pack);
    llvm::Value* all = nullptr;
    for (std::uint32_t i = 0; i < parts.pack; ++i) {
      llvm::Value* each = m_builder.CreateAlignedLoad(bits_of(parts.element), element_at(part, parts, slot, i),
                                                      llvm::Align(abi::bytes_of(parts.element)));
      all = joined(all, each, i, type);
    }
    return all;
  }
  llvm::Value* joined(llvm::Value* all, llvm::Value* each, std::uint32_t index, llvm::Type* type) {
    llvm::Value* wide = m_builder.CreateShl(m_builder.CreateZExt(each, type),
                                            index * std::uint64_t{each->getType()->getIntegerBitWidth()});
    return all ? m_builder.CreateOr(all, wide) : wide;
  }
  void keep_word(llvm::Value* part, const matrix_parts& parts, std::uint32_t slot, llvm::Value* word) {
    const unsigned bits = 8 * abi::bytes_of(parts.element);
    for (std::uint32_t i = 0; i < parts.pack; ++i) {
      llvm::Value* each =
          m_builder.CreateTrunc(m_builder.CreateLShr(word, std::uint64_t{i} * bits), bits_of(parts.element));
      m_builder.CreateAlignedStore(each, element_at(part, parts, slot, i), llvm::Align(abi::bytes_of(parts.element)));
    }
  }

  // ------------------------------------------------------------------------------------------ memory

  memory_steps steps_of(llvm::Value* stride, llvm::Value* layout) {
    llvm::Value* one = m_builder.getInt64(1);
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(layout)) {
      switch (static_cast<matrix_layout>(known->getZExtValue())) {
        case matrix_layout::column_major:
          return {one, stride, true, false, false};
        case matrix_layout::packed:
          return {stride, one, false, false, true};
        default:
          return {stride, one, false, true, false};
      }
    }
    llvm::Value* by_columns =
        m_builder.CreateICmpEQ(layout, number(static_cast<std::uint32_t>(matrix_layout::column_major)));
    return {m_builder.CreateSelect(by_columns, one, stride), m_builder.CreateSelect(by_columns, stride, one), false,
            false, false};
  }

  /// Returns the address of the element with number `within` in a word. Summands that are equal for all work-items are
  /// added first, so that only the other summands differ between work-items.
  llvm::Value* address(llvm::Value* memory, const matrix_parts& parts, const memory_steps& steps, llvm::Value* row,
                       llvm::Value* column, std::uint32_t within) {
    llvm::Type* element = bits_of(parts.element);
    const bool down = parts.use == matrix_use::b, right = parts.use == matrix_use::a;
    std::uint32_t row_factor = down ? parts.pack : 1, column_factor = right ? parts.pack : 1;
    std::uint32_t row_rest = down ? within : 0, column_rest = right ? within : 0;
    if (steps.packed) {
      // If the memory is packed, it has rows of words. The row with number r begins at r * stride, and contains one
      // word of each column.
      row_factor = 1, column_factor = parts.pack, row_rest = 0, column_rest = within;
    }
    const auto moved = [&](llvm::Value* from, llvm::Value* index, std::uint32_t factor, std::uint32_t rest,
                           llvm::Value* step) {
      llvm::Value* position = factor == 1 ? index : m_builder.CreateMul(index, m_builder.getInt64(factor));
      if (rest != 0) position = m_builder.CreateAdd(position, m_builder.getInt64(rest));
      const auto* one = llvm::dyn_cast<llvm::ConstantInt>(step);
      if (!one || !one->isOne()) position = m_builder.CreateMul(position, step);
      return m_builder.CreateGEP(element, from, position);
    };
    llvm::Value* row_start = moved(memory, row, row_factor, row_rest, steps.row);
    return moved(row_start, column, column_factor, column_rest, steps.column);
  }
  /// Whether a word's elements follow each other in memory.
  static bool is_whole(const matrix_parts& parts, const memory_steps& steps) {
    return parts.pack == 1 || steps.packed || (parts.use == matrix_use::a ? steps.column_is_one : steps.row_is_one);
  }

  llvm::Value* read_word(llvm::Value* memory, const matrix_parts& parts, const memory_steps& steps, llvm::Value* row,
                         llvm::Value* column) {
    const llvm::Align alignment(abi::bytes_of(parts.element));
    llvm::Type* type = bits_of(parts.element, parts.pack);
    if (is_whole(parts, steps)) {
      return m_builder.CreateAlignedLoad(type, address(memory, parts, steps, row, column, 0), alignment);
    }
    llvm::Value* all = nullptr;
    for (std::uint32_t i = 0; i < parts.pack; ++i) {
      llvm::Value* each =
          m_builder.CreateAlignedLoad(bits_of(parts.element), address(memory, parts, steps, row, column, i), alignment);
      all = joined(all, each, i, type);
    }
    return all;
  }
  void write_word(llvm::Value* memory, const matrix_parts& parts, const memory_steps& steps, llvm::Value* row,
                  llvm::Value* column, llvm::Value* word) {
    const unsigned bits = 8 * abi::bytes_of(parts.element);
    const llvm::Align alignment(abi::bytes_of(parts.element));
    if (is_whole(parts, steps)) {
      m_builder.CreateAlignedStore(word, address(memory, parts, steps, row, column, 0), alignment);
      return;
    }
    for (std::uint32_t i = 0; i < parts.pack; ++i) {
      llvm::Value* each =
          m_builder.CreateTrunc(m_builder.CreateLShr(word, std::uint64_t{i} * bits), bits_of(parts.element));
      m_builder.CreateAlignedStore(each, address(memory, parts, steps, row, column, i), alignment);
    }
  }

  /// Calls function(), which emits code. The emitted code runs only if the condition holds.
  template <class Function>
  void guarded(llvm::CallInst& call, llvm::Value* condition, const Function& function) {
    llvm::BasicBlock* before = call.getParent();
    llvm::BasicBlock* behind = before->splitBasicBlock(&call);
    llvm::BasicBlock* there = llvm::BasicBlock::Create(before->getContext(), "", before->getParent(), behind);
    before->getTerminator()->eraseFromParent();
    m_builder.SetInsertPoint(before);
    m_builder.CreateCondBr(condition, there, behind);
    m_builder.SetInsertPoint(there);
    function();
    m_builder.CreateBr(behind);
    m_builder.SetInsertPoint(&call);
  }

  /// Calls function(slot, row, column) for each word of this work-item. In some slots, only some of the work-items hold
  /// a word. Such a slot is accessed under a condition. Neighbouring slots share one condition if possible.
  template <class Function>
  void for_words(llvm::CallInst& call, const matrix_parts& parts, const Function& function) {
    llvm::Value* own = item();
    if (m_in_vectors && parts.rows_at_once > 1) return for_rows(call, parts, own, function);
    llvm::Value* column_in_slot = wide(parts.rows_at_once > 1 ? rest_of(own, parts.columns) : own);
    llvm::Value* row_in_slot = parts.rows_at_once > 1 ? wide(divided(own, parts.columns)) : m_builder.getInt64(0);
    const auto each = [&](std::uint32_t slot) {
      llvm::Value* row =
          m_builder.CreateAdd(m_builder.getInt64(std::uint64_t{slot / parts.groups} * parts.rows_at_once), row_in_slot);
      llvm::Value* column = column_in_slot;
      if (slot % parts.groups != 0) {
        column = m_builder.CreateAdd(column, m_builder.getInt64(std::uint64_t{slot % parts.groups} * parts.size));
      }
      function(slot, row, column);
    };
    // Only some work-items have these slots: in_last_group has the last slots of each row, and in_last_row has the
    // slots of the last rows.
    llvm::SmallVector<std::uint32_t, 64> in_last_group, in_last_row;
    for (std::uint32_t slot = 0; slot < parts.slots(); ++slot) {
      if (parts.is_full(slot)) {
        each(slot);
      } else {
        (parts.rows_at_once > 1 ? in_last_row : in_last_group).push_back(slot);
      }
    }
    const auto all = [&](llvm::ArrayRef<std::uint32_t> slots) {
      return [&each, slots] {
        for (std::uint32_t slot : slots) each(slot);
      };
    };
    const std::uint32_t last_columns = parts.columns - (parts.groups - 1) * parts.size;
    if (!in_last_group.empty()) {
      guarded(call, m_builder.CreateICmpULT(own, number(last_columns)), all(in_last_group));
    }
    const std::uint32_t last_rows = parts.rows % parts.rows_at_once;
    if (!in_last_row.empty()) {
      guarded(call, m_builder.CreateICmpULT(own, number(last_rows * parts.columns)), all(in_last_row));
    }
  }

  /// For slots that hold several rows: visits one row after the other, so that adjacent lanes hold adjacent columns. In
  /// this order, masks of lanes are constant, and the lanes of a vector register are either all on or all off.
  template <class Function>
  void for_rows(llvm::CallInst& call, const matrix_parts& parts, llvm::Value* own, const Function& function) {
    llvm::Value* turn = divided(own, parts.columns);
    for (std::uint32_t i = 0; i < parts.rows_at_once; ++i) {
      guarded(call, m_builder.CreateICmpEQ(turn, number(i)), [&] {
        llvm::Value* column = m_builder.CreateSub(wide(own), m_builder.getInt64(std::uint64_t{i} * parts.columns));
        for (std::uint32_t slot = 0; slot < parts.slots(); ++slot) {
          const std::uint32_t row = slot * parts.rows_at_once + i;
          if (row < parts.rows) function(slot, m_builder.getInt64(row), column);
        }
      });
    }
  }

  void load(llvm::CallInst& call) {
    llvm::Value *part = call.getArgOperand(0), *from = call.getArgOperand(2);
    const matrix_parts parts = parts_of(call, 1);
    const memory_steps steps = steps_of(call.getArgOperand(3), call.getArgOperand(4));
    for_words(call, parts, [&](std::uint32_t slot, llvm::Value* row, llvm::Value* column) {
      keep_word(part, parts, slot, read_word(from, parts, steps, row, column));
    });
  }
  void store(llvm::CallInst& call) {
    llvm::Value *part = call.getArgOperand(0), *to = call.getArgOperand(2);
    const matrix_parts parts = parts_of(call, 1);
    const memory_steps steps = steps_of(call.getArgOperand(3), call.getArgOperand(4));
    for_words(call, parts, [&](std::uint32_t slot, llvm::Value* row, llvm::Value* column) {
      write_word(to, parts, steps, row, column, word(part, parts, slot));
    });
  }

  // ------------------------------------------------------------------------------------------ values

  llvm::Value* to_number(llvm::Value* bits, matrix_element element) {
    switch (element) {
      case matrix_element::s8:
        return m_builder.CreateSExt(bits, m_builder.getInt32Ty());
      case matrix_element::u8:
        return m_builder.CreateZExt(bits, m_builder.getInt32Ty());
      case matrix_element::f16:
        return m_builder.CreateFPExt(m_builder.CreateBitCast(bits, m_builder.getHalfTy()), m_builder.getFloatTy());
      case matrix_element::bf16:
        return m_builder.CreateBitCast(m_builder.CreateShl(m_builder.CreateZExt(bits, m_builder.getInt32Ty()), 16),
                                       m_builder.getFloatTy());
      case matrix_element::f64:
        return m_builder.CreateBitCast(bits, m_builder.getDoubleTy());
      case matrix_element::s32:
        return bits;
      default:
        return m_builder.CreateBitCast(bits, m_builder.getFloatTy());
    }
  }
  llvm::Value* to_bits(llvm::Value* value, matrix_element element) {
    llvm::Type* type = bits_of(element);
    const bool is_float = value->getType()->isFloatingPointTy();
    switch (element) {
      case matrix_element::s8:
      case matrix_element::s32:
        return is_float ? m_builder.CreateFPToSI(value, type) : m_builder.CreateSExtOrTrunc(value, type);
      case matrix_element::u8:
        return is_float ? m_builder.CreateFPToUI(value, type) : m_builder.CreateTrunc(value, type);
      case matrix_element::f64:
        return m_builder.CreateBitCast(as_float(value, m_builder.getDoubleTy()), type);
      case matrix_element::f16:
        return m_builder.CreateBitCast(
            m_builder.CreateFPTrunc(as_float(value, m_builder.getFloatTy()), m_builder.getHalfTy()), type);
      case matrix_element::bf16:
        return rounded_to_bf16(as_float(value, m_builder.getFloatTy()));
      default:
        return m_builder.CreateBitCast(as_float(value, m_builder.getFloatTy()), type);
    }
  }
  llvm::Value* as_float(llvm::Value* value, llvm::Type* type) {
    if (value->getType()->isIntegerTy()) return m_builder.CreateSIToFP(value, type);
    return m_builder.CreateFPCast(value, type);
  }
  /// Rounds to nearest even. The code uses integer operations on the bits, because not all machines have an instruction
  /// for this.
  llvm::Value* rounded_to_bf16(llvm::Value* value) {
    llvm::Value* bits = m_builder.CreateBitCast(value, m_builder.getInt32Ty());
    llvm::Value* odd = m_builder.CreateAnd(m_builder.CreateLShr(bits, 16), 1);
    llvm::Value* rounded = m_builder.CreateAdd(m_builder.CreateAdd(bits, number(0x7fff)), odd);
    llvm::Value* quiet = m_builder.CreateOr(bits, 0x400000);
    llvm::Value* is_nan = m_builder.CreateFCmpUNO(value, value);
    return m_builder.CreateTrunc(m_builder.CreateLShr(m_builder.CreateSelect(is_nan, quiet, rounded), 16),
                                 m_builder.getInt16Ty());
  }

  // ------------------------------------------------------------------------------------------ products

  /// Returns the numbers in a word of a matrix.
  llvm::SmallVector<llvm::Value*, 4> numbers_of(llvm::Value* word, const matrix_parts& parts) {
    llvm::SmallVector<llvm::Value*, 4> result;
    const unsigned bits = 8 * abi::bytes_of(parts.element);
    for (std::uint32_t i = 0; i < parts.pack; ++i) {
      llvm::Value* each =
          m_builder.CreateTrunc(m_builder.CreateLShr(word, std::uint64_t{i} * bits), bits_of(parts.element));
      result.push_back(to_number(each, parts.element));
    }
    return result;
  }

  /// Describes where a product gets the words of matrix `a`: from the work-items' parts, or from memory.
  struct left_side {
    llvm::Value* part;
    matrix_parts parts;
    llvm::CallInst* load;  ///< null if the words come from the work-items' parts
    memory_steps steps{};
  };

  left_side left_side_of(llvm::CallInst& product) {
    llvm::Value* part = product.getArgOperand(2);
    left_side result{part, parts_of(product, 3), load_in_front(product, part)};
    if (result.load) {
      result.steps = steps_of(result.load->getArgOperand(3), result.load->getArgOperand(4));
      if (!is_whole(result.parts, result.steps)) result.load = nullptr;
    }
    return result;
  }

  /// Emits code after which all work-items have one word of matrix `a`.
  llvm::Value* left_word(const left_side& from, std::uint32_t row, std::uint32_t column) {
    const matrix_parts& parts = from.parts;
    if (from.load) {
      return read_word(from.load->getArgOperand(2), parts, from.steps, m_builder.getInt64(row),
                       m_builder.getInt64(column));
    }
    const std::uint32_t slot = row / parts.rows_at_once * parts.groups + (parts.rows_at_once > 1 ? 0 : column / m_size);
    const std::uint32_t source =
        parts.rows_at_once > 1 ? row % parts.rows_at_once * parts.columns + column : column % m_size;
    return shuffle(word(from.part, parts, slot), number(source));
  }

  void multiply(llvm::CallInst& call) {
    const matrix_parts d = parts_of(call, 1), b = parts_of(call, 5), c = parts_of(call, 7);
    const left_side a = left_side_of(call);
    llvm::Value* own = item();
    // The part of `c` is read first, because `c` and `d` may share one part.
    llvm::SmallVector<llvm::Value*, 64> sums;
    for (std::uint32_t slot = 0; slot < c.slots(); ++slot) {
      sums.push_back(to_number(word(call.getArgOperand(6), c, slot), c.element));
    }
    const product_form form = form_of(a.parts, b);
    llvm::SmallVector<llvm::Value*, 4> corrections(d.groups, nullptr);
    for (std::uint32_t step = 0; step < b.rows; ++step) {
      llvm::SmallVector<operand, 4> right;
      for (std::uint32_t group = 0; group < b.groups; ++group) {
        llvm::Value* word = right_word(call, b, own, step, group);
        right.push_back(operand_of(word, b, form));
        correct(corrections[group], word, form);
      }
      for (std::uint32_t row = 0; row < d.rows; row += d.rows_at_once) {
        const operand left = left_operand(a, d, own, row, step, form);
        for (std::uint32_t group = 0; group < d.groups; ++group) {
          llvm::Value*& sum = sums[row / d.rows_at_once * d.groups + group];
          sum = sum_of(left, right[group], sum, form);
        }
      }
    }
    for (std::uint32_t slot = 0; slot < d.slots(); ++slot) {
      if (llvm::Value* correction = corrections[slot % d.groups]) {
        sums[slot] = form.left_is_signed ? m_builder.CreateSub(sums[slot], correction)
                                         : m_builder.CreateAdd(sums[slot], correction);
      }
    }
    for (std::uint32_t slot = 0; slot < d.slots(); ++slot) {
      keep_word(call.getArgOperand(0), d, slot, to_bits(sums[slot], d.element));
    }
  }

  /// Returns the word with number `step` in the calling work-item's column. If a slot of `b` holds several rows,
  /// another work-item of the column may hold the word.
  llvm::Value* right_word(llvm::CallInst& call, const matrix_parts& b, llvm::Value* own, std::uint32_t step,
                          std::uint32_t group) {
    llvm::Value* part = call.getArgOperand(4);
    if (b.rows_at_once == 1) return word(part, b, step * b.groups + group);
    llvm::Value* source = m_builder.CreateAdd(number(step % b.rows_at_once * b.columns), rest_of(own, b.columns));
    return shuffle(word(part, b, step / b.rows_at_once), source);
  }

  llvm::Value* left_word_of_slot(const left_side& a, const matrix_parts& d, llvm::Value* own, std::uint32_t row,
                                 std::uint32_t step) {
    llvm::Value* result = left_word(a, row, step);
    for (std::uint32_t i = 1; i < d.rows_at_once && row + i < d.rows; ++i) {
      llvm::Value* further = m_builder.CreateICmpUGE(own, number(i * d.columns));
      result = m_builder.CreateSelect(further, left_word(a, row + i, step), result);
    }
    return result;
  }

  // Words are summed up element by element, or by one instruction for all elements of a word.

  struct product_form {
    bool bfloats = false, bytes = false;
    bool left_is_first = false;  ///< for bytes: whether the left matrix is the operand with unsigned bytes
    bool moves_left = false;     ///< for bytes: whether 128 is added to the left matrix or subtracted from it, so that
                                 ///< one matrix is signed and the other matrix is unsigned
    bool left_is_signed = false;
  };
  using operand = llvm::SmallVector<llvm::Value*, 4>;

  product_form form_of(const matrix_parts& a, const matrix_parts& b) const {
    product_form form;
    form.bfloats = m_has_bfloats && a.element == matrix_element::bf16;
    form.bytes = m_has_bytes && (a.element == matrix_element::s8 || a.element == matrix_element::u8);
    form.left_is_signed = a.element == matrix_element::s8;
    form.moves_left = form.bytes && a.element == b.element;
    form.left_is_first = form.moves_left == form.left_is_signed;
    return form;
  }

  llvm::Value* repeated_byte(std::uint32_t byte) { return number(byte * 0x01010101u); }

  operand operand_of(llvm::Value* word, const matrix_parts& parts, const product_form& form) {
    if (form.bfloats || form.bytes) return {word};
    return numbers_of(word, parts);
  }
  operand left_operand(const left_side& a, const matrix_parts& d, llvm::Value* own, std::uint32_t row,
                       std::uint32_t step, const product_form& form) {
    llvm::Value* word = left_word_of_slot(a, d, own, row, step);
    if (form.moves_left) word = m_builder.CreateXor(word, repeated_byte(0x80));
    return operand_of(word, a.parts, form);
  }

  /// The instruction multiplies signed bytes by unsigned bytes. So 128 may have been added to signed bytes, or
  /// subtracted from unsigned bytes. In these cases, each product is too large, or too small, by 128 times the factor
  /// that was not changed. This function sums up these errors for a column.
  void correct(llvm::Value*& correction, llvm::Value* right, const product_form& form) {
    if (!form.moves_left) return;
    if (!correction) correction = number(0);
    if (form.left_is_signed) {
      correction = call_machine(m_builder, machine_function::byte_dot, {correction, repeated_byte(0x80), right});
    } else {
      for (unsigned i = 0; i < 2; ++i) {
        correction = call_machine(m_builder, machine_function::byte_dot, {correction, right, repeated_byte(0x40)});
      }
    }
  }

  llvm::Value* sum_of(const operand& left, const operand& right, llvm::Value* sum, const product_form& form) {
    if (form.bfloats) return call_machine(m_builder, machine_function::bfloat_dot, {sum, right[0], left[0]});
    if (form.bytes) {
      llvm::Value *first = form.left_is_first ? left[0] : right[0], *second = form.left_is_first ? right[0] : left[0];
      return call_machine(m_builder, machine_function::byte_dot, {sum, first, second});
    }
    for (std::size_t i = 0; i < left.size(); ++i) {
      sum = left[i]->getType()->isIntegerTy()
                ? m_builder.CreateAdd(m_builder.CreateMul(left[i], right[i]), sum)
                : m_builder.CreateIntrinsic(llvm::Intrinsic::fmuladd, {sum->getType()}, {left[i], right[i], sum});
    }
    return sum;
  }

  // ------------------------------------------------------------------------------------------ copies

  /// Copies a matrix: each element comes from the work-item that holds the element in the source. In one step,
  /// work-items may read from different slots.
  void copy(llvm::CallInst& call) {
    llvm::Value *to = call.getArgOperand(0), *from = call.getArgOperand(2);
    const matrix_parts target = parts_of(call, 1), source = parts_of(call, 3);
    llvm::SmallVector<llvm::Value*, 64> converted;
    for (std::uint32_t i = 0; i < source.length(); ++i) {
      llvm::Value* bits = m_builder.CreateAlignedLoad(bits_of(source.element), element_at(from, source, 0, i),
                                                      llvm::Align(abi::bytes_of(source.element)));
      const bool same = source.element == target.element;
      converted.push_back(same ? bits : to_bits(to_number(bits, source.element), target.element));
    }
    llvm::Value* own = item();
    for (std::uint32_t i = 0; i < target.length(); ++i) {
      m_builder.CreateAlignedStore(element_of(source, converted, target, i, own), element_at(to, target, 0, i),
                                   llvm::Align(abi::bytes_of(target.element)));
    }
  }

  /// The target's part has an element with the number `index` in each work-item. Emits code that gives each work-item
  /// the source's value of this element. If the work-items themselves hold these values, no shuffle is needed.
  llvm::Value* element_of(const matrix_parts& source, llvm::ArrayRef<llvm::Value*> elements, const matrix_parts& target,
                          std::uint32_t index, llvm::Value* own) {
    // For each index of an element in the source's parts, this is a map between work-items. It maps each work-item that
    // needs the element with this index to the work-item that holds the element.
    llvm::DenseMap<std::uint32_t, llvm::SmallVector<std::uint32_t, 64>> wanted;
    constexpr std::uint32_t nobody = ~std::uint32_t{0};
    for (std::uint32_t item = 0; item < m_size; ++item) {
      const std::uint32_t slot = index / target.pack;
      if (!target.holds(slot, item)) continue;
      const abi::matrix_place where = target.place(slot, index % target.pack, item);
      const std::uint32_t row = source.use == matrix_use::b ? where.row / source.pack : where.row;
      const std::uint32_t column = source.use == matrix_use::a ? where.column / source.pack : where.column;
      const std::uint32_t within = source.use == matrix_use::b   ? where.row % source.pack
                                   : source.use == matrix_use::a ? where.column % source.pack
                                                                 : 0;
      const std::uint32_t holder =
          source.rows_at_once > 1 ? row % source.rows_at_once * source.columns + column : column % m_size;
      const std::uint32_t held =
          row / source.rows_at_once * source.groups + (source.rows_at_once > 1 ? 0 : column / m_size);
      auto& askers = wanted[held * source.pack + within];
      if (askers.empty()) askers.assign(m_size, nobody);
      askers[item] = holder;
    }
    llvm::Value* result = nullptr;
    for (std::uint32_t i = 0; i < source.length(); ++i) {
      const auto found = wanted.find(i);
      if (found == wanted.end()) continue;
      bool is_own = true;
      for (std::uint32_t item = 0; item < m_size; ++item) {
        is_own &= found->second[item] == nobody || found->second[item] == item;
      }
      llvm::Value* value =
          is_own ? elements[i] : shuffle(elements[i], by_item(own, [&](std::uint32_t item) {
                                           return number(found->second[item] == nobody ? item : found->second[item]);
                                         }));
      if (!result) {
        result = value;
        continue;
      }
      llvm::Value* wants =
          by_item(own, [&](std::uint32_t item) { return m_builder.getInt1(found->second[item] != nobody); });
      result = m_builder.CreateSelect(wants, value, result);
    }
    return result ? result : llvm::Constant::getNullValue(bits_of(target.element));
  }

  /// Emits code that computes function(item) for the calling work-item. The code uses arithmetic if possible. Otherwise
  /// it uses selects between runs of work-items with equal results.
  template <class Function>
  llvm::Value* by_item(llvm::Value* own, const Function& function) {
    llvm::Constant* first = function(0);
    // Most numbers follow a pattern: a * item + b, a * (item % n) + b, or a * (item / n) + b.
    if (auto* number_type = llvm::dyn_cast<llvm::IntegerType>(first->getType()); number_type->getBitWidth() == 32) {
      const auto at = [&](std::uint32_t item) {
        return static_cast<std::uint32_t>(llvm::cast<llvm::ConstantInt>(function(item))->getZExtValue());
      };
      for (std::uint32_t n = m_size; n > 0; n /= 2) {
        const std::uint32_t step = n > 1 ? at(1) - at(0) : 0, turn = n < m_size ? at(n) - at(0) : 0;
        bool fits = true;
        for (std::uint32_t item = 0; item < m_size; ++item)
          fits &= at(item) == at(0) + step * (item % n) + turn * (item / n);
        if (!fits) continue;
        llvm::Value* result = number(at(0));
        if (step != 0) result = m_builder.CreateAdd(result, m_builder.CreateMul(rest_of_all(own, n), number(step)));
        if (turn != 0) result = m_builder.CreateAdd(result, m_builder.CreateMul(divided(own, n), number(turn)));
        return result;
      }
    }
    llvm::Value* result = first;
    llvm::Constant* last = first;
    for (std::uint32_t item = 1; item < m_size; ++item) {
      llvm::Constant* here = function(item);
      if (here == last) continue;
      last = here;
      result = m_builder.CreateSelect(m_builder.CreateICmpUGE(own, number(item)), here, result);
    }
    return result;
  }
  llvm::Value* rest_of_all(llvm::Value* own, std::uint32_t n) { return n == m_size ? own : rest_of(own, n); }

  llvm::Module& m_module;
  unsigned m_size;
  bool m_has_bfloats, m_has_bytes, m_in_vectors, m_meets;
  llvm::IRBuilder<> m_builder;
};

llvm::SmallVector<llvm::CallInst*, 32> matrix_calls(llvm::Function& kernel) {
  llvm::SmallVector<llvm::CallInst*, 32> calls;
  for (llvm::Instruction& instruction : llvm::instructions(kernel)) {
    if (called_name(instruction).starts_with(matrix_prefix)) calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
  }
  return calls;
}

/// Returns the variables that hold a work-item's parts of matrices.
llvm::SmallPtrSet<const llvm::Value*, 16> part_variables(llvm::ArrayRef<llvm::CallInst*> calls) {
  llvm::SmallPtrSet<const llvm::Value*, 16> result;
  for (const llvm::CallInst* call : calls) {
    for (const llvm::Value* argument : call->args()) {
      if (!argument->getType()->isPointerTy()) continue;
      const llvm::Value* object = llvm::getUnderlyingObject(argument);
      if (llvm::isa<llvm::AllocaInst>(object)) result.insert(object);
    }
  }
  return result;
}

/// Unrolls loops whose iterations access different parts or elements of parts. In the loop, these parts and elements
/// could not be SSA values.
void unroll_loops_over_parts(llvm::Function& kernel, const llvm::SmallPtrSetImpl<const llvm::Value*>& variables) {
  pass_runner runner;
  llvm::FunctionPassManager first, then;
  first.addPass(llvm::EarlyCSEPass());
  first.addPass(llvm::SimplifyCFGPass());
  first.addPass(llvm::RequireAnalysisPass<llvm::LoopAnalysis, llvm::Function>());
  runner.run(kernel, std::move(first));
  bool found = false;
  for (llvm::Loop* loop : runner.functions.getResult<llvm::LoopAnalysis>(kernel).getLoopsInPreorder()) {
    const bool differs = llvm::any_of(loop->blocks(), [&](const llvm::BasicBlock* block) {
      return llvm::any_of(*block, [&](const llvm::Instruction& each) {
        // In each iteration, this pointer points to another element of a part.
        if (llvm::isa<llvm::PHINode>(each) && each.getType()->isPointerTy()) {
          return llvm::any_of(each.operands(), [&](const llvm::Use& from) {
            return variables.contains(llvm::getUnderlyingObject(from.get()));
          });
        }
        const auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(&each);
        return address && !address->hasAllConstantIndices() && !loop->isLoopInvariant(address) &&
               variables.contains(llvm::getUnderlyingObject(address));
      });
    });
    if (!differs) continue;
    llvm::addStringMetadataToLoop(loop, "llvm.loop.unroll.full", 1);
    found = true;
  }
  if (!found) return;
  then.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopFullUnrollPass(3, /*OnlyWhenForced=*/true)));
  // In unrolled loops, some tests are always false. Removes these tests and the accesses that depend on them. Such an
  // access does not show which part it accesses.
  then.addPass(llvm::SimplifyCFGPass());
  then.addPass(llvm::EarlyCSEPass());
  runner.run(kernel, std::move(then));
}

/// Turns the variables that hold parts into SSA values.
void find_parts(llvm::Function& kernel) {
  pass_runner runner;
  llvm::FunctionPassManager values;
  values.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  values.addPass(llvm::EarlyCSEPass());
  values.addPass(llvm::InstCombinePass());
  values.addPass(llvm::SimplifyCFGPass());
  runner.run(kernel, std::move(values));
}

/// Keeps LLVM from unrolling loops around a matrix product, because the body of such a loop is already long. In
/// unrolled loops, LLVM puts the steps of one row one after the other. In this order, each step waits for the previous
/// step, and words of `b` are spilled to the stack.
void keep_loops_of_products(llvm::Function& kernel) {
  constexpr unsigned least_instructions = 128;
  const llvm::DominatorTree tree(kernel);
  const llvm::LoopInfo loops(tree);
  for (llvm::Loop* loop : loops.getLoopsInPreorder()) {
    std::size_t instructions = 0;
    for (const llvm::BasicBlock* block : loop->blocks()) instructions += block->size();
    if (loop->isInnermost() && instructions >= least_instructions) loop->setLoopAlreadyUnrolled();
  }
}

}  // namespace

bool has_matrices(const llvm::Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
    return called_name(instruction).starts_with(matrix_prefix);
  });
}

void unroll_matrix_loops(llvm::Function& kernel) {
  unroll_loops_over_parts(kernel, part_variables(matrix_calls(kernel)));
}

llvm::CallInst* load_in_front(llvm::CallInst& product, const llvm::Value* part) {
  const auto* own = llvm::getUnderlyingObject(part);
  if (!llvm::isa<llvm::AllocaInst>(own)) return nullptr;
  for (llvm::Instruction* each = product.getPrevNode(); each; each = each->getPrevNode()) {
    if (!each->mayWriteToMemory()) continue;
    auto* call = llvm::dyn_cast<llvm::CallInst>(each);
    const llvm::StringRef name = called_name(*each);
    if (name == "__sinter_matrix_load" && call->getArgOperand(0) == part) return call;
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(each)) {
      if (intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic()) continue;
    }
    const llvm::Value* written = nullptr;
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(each)) written = store->getPointerOperand();
    if (name == "__sinter_matrix_load" || name == "__sinter_matrix_multiply" || name == "__sinter_matrix_copy")
      written = call->getArgOperand(0);
    if (!written) return nullptr;
    const auto* object = llvm::getUnderlyingObject(written);
    // Other matrices may have parts in the same array, at other addresses.
    const bool other_part = name.starts_with(matrix_prefix) && written != part;
    if (!llvm::isa<llvm::AllocaInst>(object) || (object == own && !other_part)) return nullptr;
  }
  return nullptr;
}

abi::matrix_type matrix_type_operand(const llvm::CallInst& call, unsigned operand) {
  return abi::matrix_type_of(
      static_cast<std::uint32_t>(llvm::cast<llvm::ConstantInt>(call.getArgOperand(operand))->getZExtValue()));
}

llvm::Error lower_matrices(llvm::Function& kernel,
                           llvm::function_ref<llvm::Expected<llvm::Value*>(llvm::CallInst&)> lower) {
  auto calls = matrix_calls(kernel);
  if (calls.empty()) return llvm::Error::success();
  unroll_loops_over_parts(kernel, part_variables(calls));
  calls = matrix_calls(kernel);
  const auto variables = part_variables(calls);
  for (llvm::CallInst* call : llvm::reverse(calls)) {
    llvm::Expected<llvm::Value*> result = lower(*call);
    if (!result) return result.takeError();
    if (*result) call->replaceAllUsesWith(*result);
  }
  for (llvm::CallInst* call : calls) call->eraseFromParent();
  unroll_loops_over_parts(kernel, variables);
  find_parts(kernel);
  return llvm::Error::success();
}

llvm::Error lower_matrices(llvm::Function& kernel, unsigned size, const llvm::TargetMachine* machine,
                           bool meets) {
  if (!has_matrices(kernel)) return llvm::Error::success();
  if (size < abi::least_matrix_sub_group || size > abi::most_matrix_sub_group) {
    return llvm::createStringError(
        abi::unsupported_matrix +
        ("sub-groups of 8 to 64 work-items can hold, and its sub-groups have " + std::to_string(size) +
         ": require another size ([[sycl::reqd_sub_group_size]]). Such sub-groups have products of f16, bf16, tf32, "
         "f32, f64, s8 and u8, with M, N and K up to 128 (info::device::matrix_combinations)"));
  }
  if (machine && !meets) {
    unroll_loops_over_parts(kernel, part_variables(matrix_calls(kernel)));
    use_matrix_tiles(kernel, *machine);
  }
  matrix_lowering lowering(kernel, size, machine, meets);
  const auto lower = [&](llvm::CallInst& call) -> llvm::Expected<llvm::Value*> { return lowering.lower(call); };
  if (llvm::Error error = lower_matrices(kernel, lower)) return error;
  if (machine) keep_loops_of_products(kernel);
  return llvm::Error::success();
}

}  // namespace sinter::passes
