#include "matrix_units.hpp"

#include <optional>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "passes/called_names.hpp"
#include "passes/device/matrices.hpp"

namespace sinter::jit::nvptx {
namespace {

using abi::matrix_element;
using abi::matrix_layout;
using abi::matrix_type;
using abi::matrix_use;

const char* name_of(matrix_element element) {
  switch (element) {
    case matrix_element::f16:
      return "f16";
    case matrix_element::bf16:
      return "bf16";
    case matrix_element::f32:
      return "f32";
    case matrix_element::tf32:
      return "tf32";
    case matrix_element::f64:
      return "f64";
    case matrix_element::s8:
      return "s8";
    case matrix_element::u8:
      return "u8";
    default:
      return "s32";
  }
}
const char* name_of(matrix_layout layout) { return layout == matrix_layout::column_major ? "col" : "row"; }

struct shape {
  unsigned m, n, k;

  std::string name() const { return "m" + std::to_string(m) + "n" + std::to_string(n) + "k" + std::to_string(k); }
};

constexpr shape small_shapes[] = {{16, 16, 16}, {8, 32, 16}, {32, 8, 16}};

llvm::ArrayRef<shape> shapes_of(matrix_element element) {
  static constexpr shape of_tf32[] = {{16, 16, 8}}, of_f64[] = {{8, 8, 4}};
  if (element == matrix_element::tf32) return of_tf32;
  if (element == matrix_element::f64) return of_f64;
  return small_shapes;
}

/// Returns the first shape that has such a matrix. (Accumulators of m16n16k8 equal those of m16n16k16.)
std::optional<shape> shape_of(const matrix_type& type) {
  if (type.use != matrix_use::accumulator &&
      (type.element == matrix_element::f32 || type.element == matrix_element::s32))
    return std::nullopt;
  const bool sums = type.element == matrix_element::f16 || type.element == matrix_element::f32 ||
                    type.element == matrix_element::f64 || type.element == matrix_element::s32;
  if (type.use == matrix_use::accumulator && !sums) return std::nullopt;
  for (const shape& each : shapes_of(type.element)) {
    const unsigned rows = type.use == matrix_use::b ? each.k : each.m;
    const unsigned columns = type.use == matrix_use::a ? each.k : each.n;
    if (rows == type.rows && columns == type.columns) return each;
  }
  return std::nullopt;
}

unsigned generation_for(matrix_element element) {
  switch (element) {
    case matrix_element::s8:
    case matrix_element::u8:
    case matrix_element::s32:
      return 72;
    case matrix_element::bf16:
    case matrix_element::tf32:
    case matrix_element::f64:
      return 80;
    default:
      return 70;
  }
}

std::string described(const matrix_type& type) {
  const char* use = type.use == matrix_use::a ? "a" : type.use == matrix_use::b ? "b" : "accumulator";
  const char* packed = type.layout == matrix_layout::packed ? ", packed" : "";
  return std::to_string(type.rows) + " x " + std::to_string(type.columns) + " of " + name_of(type.element) +
         " (use::" + use + packed + ")";
}

llvm::Error refuse(const std::string& what, unsigned generation) {
  std::string has = "f16 -> f16 or f32";
  if (generation >= 72) has += ", s8 or u8 -> s32";
  if (generation >= 80) has += ", bf16 -> f32";
  has += ", each 16 x 16 x 16, 8 x 32 x 16 or 32 x 8 x 16 (M x N x K)";
  if (generation >= 80) has += "; tf32 -> f32, 16 x 16 x 8; f64, 8 x 8 x 4";
  return llvm::createStringError(abi::unsupported_matrix + ("sm_" + std::to_string(generation)) + " has no unit for: " +
                                 what + ". It has " + has + " (info::device::matrix_combinations)");
}

class unit_lowering {
public:
  unit_lowering(llvm::Function& kernel, unsigned generation)
      : m_module(*kernel.getParent()), m_generation(generation), m_builder(kernel.getContext()) {}

  llvm::Expected<llvm::Value*> lower(llvm::CallInst& call) {
    m_builder.SetInsertPoint(&call);
    llvm::StringRef name = passes::called_name(call);
    name.consume_front(passes::matrix_prefix);
    const unsigned first = name == "load" || name == "store" || name == "multiply" || name == "copy" ? 1 : 0;
    for (unsigned operand = first; operand < (name == "multiply" ? 8u
                                              : name == "copy"   ? 4u
                                                                 : first + 1);
         operand += 2) {
      if (llvm::Error error = check(passes::matrix_type_operand(call, operand))) return error;
    }
    if (name == "length") return m_builder.getInt32(length_of(passes::matrix_type_operand(call, 0)));
    if (name == "holds") return m_builder.getTrue();
    if (name == "load" || name == "store") {
      if (llvm::Error error = check_stride(call)) return error;
      return by_layout(call, name == "load"), nullptr;
    }
    if (name == "multiply") return multiply(call);
    if (name == "copy") return copy(call);
    return llvm::createStringError(
        abi::unsupported_matrix +
        std::string("is asked for rows and columns of its elements: where tensor cores have which is not specified"));
  }

private:
  llvm::Error check(const matrix_type& type) const {
    if (m_generation < generation_for(type.element) || !shape_of(type) || type.layout == matrix_layout::packed)
      return refuse(described(type), m_generation);
    return llvm::Error::success();
  }

  /// Reports wrong strides: matrix units access 16 bytes of a row at a time, and the driver's error does not name the
  /// cause.
  static llvm::Error check_stride(const llvm::CallInst& call) {
    constexpr unsigned step = 16;
    const matrix_type type = passes::matrix_type_operand(call, 1);
    const auto* stride = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(3));
    const unsigned bytes = abi::bytes_of(type.element);
    if (!stride || stride->getZExtValue() * bytes % step == 0) return llvm::Error::success();
    return llvm::createStringError(
        abi::unsupported_matrix + ("is loaded or stored with a stride of " + std::to_string(stride->getZExtValue()) +
                                   " elements, " + described(type) + ": rows for NVIDIA's matrix units begin at "
                                   "multiples of 16 bytes, so the stride has to be a multiple of " +
                                   std::to_string(step / bytes)));
  }

  std::string instruction(const matrix_type& type, const std::string& rest) const {
    return "llvm.nvvm.wmma." + shape_of(type)->name() + "." + rest;
  }
  llvm::Function* declared(const std::string& name, llvm::ArrayRef<llvm::Type*> overloads = {}) {
    return llvm::Intrinsic::getOrInsertDeclaration(&m_module, llvm::Intrinsic::lookupIntrinsicID(name), overloads);
  }
  std::string load_name(const matrix_type& type, matrix_layout layout) const {
    const char* use = type.use == matrix_use::a ? "a" : type.use == matrix_use::b ? "b" : "c";
    return instruction(type, std::string("load.") + use + "." + name_of(layout) + ".stride." + name_of(type.element));
  }

  /// Returns the types of the registers that hold a work-item's part of a matrix.
  llvm::SmallVector<llvm::Type*, 8> registers_of(const matrix_type& type) {
    llvm::Type* loaded = declared(load_name(type, matrix_layout::row_major), {m_builder.getPtrTy()})->getReturnType();
    if (auto* several = llvm::dyn_cast<llvm::StructType>(loaded))
      return {several->element_begin(), several->element_end()};
    return {loaded};
  }
  unsigned bytes_of(llvm::Type* type) const {
    return static_cast<unsigned>(m_module.getDataLayout().getTypeStoreSize(type).getFixedValue());
  }
  unsigned length_of(const matrix_type& type) {
    unsigned bytes = 0;
    for (llvm::Type* each : registers_of(type)) bytes += bytes_of(each);
    return bytes / abi::bytes_of(type.element);
  }

  llvm::SmallVector<llvm::Value*, 8> read(llvm::Value* part, const matrix_type& type) {
    llvm::SmallVector<llvm::Value*, 8> values;
    unsigned offset = 0;
    for (llvm::Type* each : registers_of(type)) {
      values.push_back(m_builder.CreateAlignedLoad(each, at(part, offset), llvm::Align(bytes_of(each))));
      offset += bytes_of(each);
    }
    return values;
  }
  /// Stores the results of an instruction into the work-item's part of a matrix.
  void keep(llvm::Value* part, llvm::Value* result) {
    const auto* several = llvm::dyn_cast<llvm::StructType>(result->getType());
    unsigned offset = 0;
    for (unsigned i = 0; i < (several ? several->getNumElements() : 1); ++i) {
      llvm::Value* each = several ? m_builder.CreateExtractValue(result, i) : result;
      m_builder.CreateAlignedStore(each, at(part, offset), llvm::Align(bytes_of(each->getType())));
      offset += bytes_of(each->getType());
    }
  }
  llvm::Value* at(llvm::Value* part, unsigned offset) {
    return m_builder.CreateConstInBoundsGEP1_64(m_builder.getInt8Ty(), part, offset);
  }

  /// Handles accumulators whose layout may be known only when the kernel runs.
  void by_layout(llvm::CallInst& call, bool loads) {
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(4));
    if (known) return move(call, loads, static_cast<matrix_layout>(known->getZExtValue()));
    llvm::Value* by_columns = m_builder.CreateICmpEQ(
        call.getArgOperand(4), m_builder.getInt32(static_cast<std::uint32_t>(matrix_layout::column_major)));
    llvm::Instruction *columns = nullptr, *rows = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(by_columns, call.getIterator(), &columns, &rows);
    m_builder.SetInsertPoint(columns);
    move(call, loads, matrix_layout::column_major);
    m_builder.SetInsertPoint(rows);
    move(call, loads, matrix_layout::row_major);
  }
  void move(llvm::CallInst& call, bool loads, matrix_layout layout) {
    const matrix_type type = passes::matrix_type_operand(call, 1);
    llvm::Value* stride = m_builder.CreateTrunc(call.getArgOperand(3), m_builder.getInt32Ty());
    llvm::Value* memory = call.getArgOperand(2);
    if (loads) {
      keep(call.getArgOperand(0),
           m_builder.CreateCall(declared(load_name(type, layout), {memory->getType()}), {memory, stride}));
      return;
    }
    llvm::SmallVector<llvm::Value*, 10> operands{memory};
    llvm::append_range(operands, read(call.getArgOperand(0), type));
    operands.push_back(stride);
    const std::string name =
        instruction(type, std::string("store.d.") + name_of(layout) + ".stride." + name_of(type.element));
    m_builder.CreateCall(declared(name, {memory->getType()}), operands);
  }

  llvm::Expected<llvm::Value*> multiply(llvm::CallInst& call) {
    const matrix_type d = passes::matrix_type_operand(call, 1), a = passes::matrix_type_operand(call, 3),
                      b = passes::matrix_type_operand(call, 5), c = passes::matrix_type_operand(call, 7);
    std::string types = name_of(a.element);
    // For halfs, only the types of the accumulators vary.
    const bool of_half = a.element == matrix_element::f16;
    if (of_half) types = std::string(name_of(d.element)) + "." + name_of(c.element);
    const std::string name =
        instruction(a, std::string("mma.") + name_of(a.layout) + "." + name_of(b.layout) + "." + types);
    const matrix_element sum = a.element == matrix_element::f64 ? a.element
                               : a.element == matrix_element::s8 || a.element == matrix_element::u8
                                   ? matrix_element::s32
                                   : matrix_element::f32;
    const bool fits = a.element == b.element && (of_half || (c.element == sum && d.element == sum));
    if (!fits || llvm::Intrinsic::lookupIntrinsicID(name) == llvm::Intrinsic::not_intrinsic) {
      return refuse(described(a) + " times " + described(b) + " plus " + described(c) + " as " + described(d),
                    m_generation);
    }
    llvm::SmallVector<llvm::Value*, 32> operands = read(call.getArgOperand(2), a);
    llvm::append_range(operands, read(call.getArgOperand(4), b));
    llvm::append_range(operands, read(call.getArgOperand(6), c));
    keep(call.getArgOperand(0), m_builder.CreateCall(declared(name), operands));
    return nullptr;
  }

  /// Copies a matrix. Accumulators of one shape have their elements at the same places for all element types.
  llvm::Expected<llvm::Value*> copy(llvm::CallInst& call) {
    const matrix_type to = passes::matrix_type_operand(call, 1), from = passes::matrix_type_operand(call, 3);
    const bool is_same = to.use == from.use && to.element == from.element && to.layout == from.layout;
    const bool are_sums = to.use == matrix_use::accumulator && to.use == from.use && length_of(to) == length_of(from);
    if (!is_same && !are_sums) {
      return llvm::createStringError(abi::unsupported_matrix +
                                     ("is copied to one of another kind: " + described(from)) + " to " + described(to) +
                                     ", whose elements other work-items hold: store it to local memory and load it "
                                     "from there");
    }
    for (unsigned i = 0; i < length_of(to); ++i) {
      llvm::Type *source = element_type(from.element), *target = element_type(to.element);
      llvm::Value* value = m_builder.CreateLoad(source, at(call.getArgOperand(2), i * abi::bytes_of(from.element)));
      if (source != target) value = m_builder.CreateFPCast(value, target);
      m_builder.CreateStore(value, at(call.getArgOperand(0), i * abi::bytes_of(to.element)));
    }
    return nullptr;
  }
  llvm::Type* element_type(matrix_element element) {
    switch (element) {
      case matrix_element::f16:
        return m_builder.getHalfTy();
      case matrix_element::f32:
        return m_builder.getFloatTy();
      case matrix_element::f64:
        return m_builder.getDoubleTy();
      default:
        return m_builder.getIntNTy(8 * abi::bytes_of(element));
    }
  }

  llvm::Module& m_module;
  unsigned m_generation;
  llvm::IRBuilder<> m_builder;
};

/// Returns the address in the space from which it was cast, or null if there was no cast.
llvm::Value* in_its_space(llvm::IRBuilder<>& builder, llvm::Value* address) {
  if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(address)) return cast->getPointerOperand();
  auto* step = llvm::dyn_cast<llvm::GEPOperator>(address);
  if (!step) return nullptr;
  llvm::Value* base = in_its_space(builder, step->getPointerOperand());
  if (!base) return nullptr;
  llvm::SmallVector<llvm::Value*, 4> indices(step->indices());
  return builder.CreateGEP(step->getSourceElementType(), base, indices, "", step->getNoWrapFlags());
}

}  // namespace

llvm::Error lower_matrices(llvm::Function& kernel, unsigned generation) {
  unit_lowering lowering(kernel, generation);
  return passes::lower_matrices(kernel, [&](llvm::CallInst& call) { return lowering.lower(call); });
}

void place_matrices(llvm::Function& entry) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(entry))) {
    auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    if (!call || !call->getCalledFunction()->getName().starts_with("llvm.nvvm.wmma.")) continue;
    if (call->arg_empty() || !call->getArgOperand(0)->getType()->isPointerTy()) continue;
    llvm::IRBuilder<> builder(call);
    llvm::Value* address = in_its_space(builder, call->getArgOperand(0));
    if (!address) continue;
    llvm::SmallVector<llvm::Value*, 10> operands(call->args());
    operands[0] = address;
    llvm::Function* placed =
        llvm::Intrinsic::getOrInsertDeclaration(entry.getParent(), call->getIntrinsicID(), {address->getType()});
    llvm::CallInst* made = builder.CreateCall(placed, operands);
    call->replaceAllUsesWith(made);
    call->eraseFromParent();
  }
}

}  // namespace sinter::jit::nvptx
