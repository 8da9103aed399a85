#include "matrix_units.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <optional>
#include <set>

#include "address_spaces.hpp"
#include "device_calls.hpp"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "passes/called_names.hpp"
#include "passes/device/matrices.hpp"

namespace sinter::jit::spirv {
namespace {

using abi::matrix_element;
using abi::matrix_layout;
using abi::matrix_type;
using abi::matrix_use;

constexpr llvm::StringRef type_name = "spirv.CooperativeMatrixKHR";
constexpr llvm::StringRef load_name = "_Z32__spirv_CooperativeMatrixLoadKHR_";
constexpr llvm::StringRef store_name = "_Z33__spirv_CooperativeMatrixStoreKHR_";
constexpr llvm::StringRef multiply_name = "_Z34__spirv_CooperativeMatrixMulAddKHR_";
constexpr llvm::StringRef length_name = "_Z34__spirv_CooperativeMatrixLengthKHR_";
constexpr llvm::StringRef fill_name = "_Z26__spirv_CompositeConstruct_";
// The numbers are those of SPV_KHR_cooperative_matrix.
constexpr unsigned scope_sub_group = 3, signed_a = 1, signed_b = 2, signed_c = 4, signed_result = 8;

/// Removes the layout in memory from the type, because only loads and stores depend on it.
matrix_type without_layout(matrix_type type) {
  type.layout = matrix_layout::any;
  return type;
}

bool is_signed(matrix_element element) { return element == matrix_element::s8 || element == matrix_element::s32; }

llvm::Type* component_of(llvm::LLVMContext& context, matrix_element element) {
  switch (element) {
    case matrix_element::f16:
      return llvm::Type::getHalfTy(context);
    case matrix_element::f64:
      return llvm::Type::getDoubleTy(context);
    case matrix_element::s8:
    case matrix_element::u8:
      return llvm::Type::getInt8Ty(context);
    case matrix_element::s32:
      return llvm::Type::getInt32Ty(context);
    default:
      return llvm::Type::getFloatTy(context);
  }
}

llvm::TargetExtType* value_type(llvm::LLVMContext& context, const matrix_type& type) {
  return llvm::TargetExtType::get(context, type_name, {component_of(context, type.element)},
                                  {scope_sub_group, type.rows, type.columns, static_cast<unsigned>(type.use)});
}

/// Returns a suffix for names that distinguishes functions for different types.
std::string suffix_of(const llvm::Type* type) {
  const auto* matrix = llvm::cast<llvm::TargetExtType>(type);
  const llvm::Type* component = matrix->getTypeParameter(0);
  const char kind = component->isIntegerTy() ? 'i' : 'f';
  std::string text = kind + std::to_string(component->getScalarSizeInBits());
  for (unsigned i = 1; i < matrix->getNumIntParameters(); ++i) text += "_" + std::to_string(matrix->getIntParameter(i));
  return text;
}

llvm::Value* without_casts(llvm::Value* value) {
  while (llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst>(value)) {
    value = llvm::cast<llvm::Instruction>(value)->getOperand(0);
  }
  return value;
}

/// Checks whether the units support all of a kernel's matrices, and then replaces them. Everything is checked first,
/// because a replacement can't be undone.
class unit_lowering {
public:
  unit_lowering(llvm::Function& kernel, unsigned sub_group_size, const abi::matrix_units& units)
      : m_kernel(kernel),
        m_layout(kernel.getParent()->getDataLayout()),
        m_units(units),
        m_size(sub_group_size),
        m_builder(kernel.getContext()) {}

  bool run() {
    if (!std::has_single_bit(m_units.pointer_bytes) || !std::has_single_bit(m_units.stride_bytes)) return false;
    for (llvm::Instruction& instruction : llvm::instructions(m_kernel)) {
      if (passes::called_name(instruction).starts_with(passes::matrix_prefix))
        m_calls.push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
    const bool fits = llvm::all_of(m_calls, [&](llvm::CallInst* call) { return has(*call); }) &&
                      llvm::all_of(m_variables, [&](llvm::AllocaInst* variable) { return has_uses(*variable); });
    if (!fits) return false;
    find_fills();
    replace();
    return true;
  }

private:
  using part_place = std::pair<llvm::AllocaInst*, std::int64_t>;

  /// An access of one element of a part, whose index is `variable` + `constant`.
  struct element_access {
    llvm::Instruction* access;
    part_place part;
    llvm::Value* variable;
    std::int64_t constant;
  };
  struct slot {
    matrix_type type;
    llvm::AllocaInst* memory = nullptr;
  };

  // ------------------------------------------------------------------------------------------ what units have

  bool has(const matrix_type& type) const {
    // For these types SPIR-V needs other extensions.
    if (type.element == matrix_element::bf16 || type.element == matrix_element::tf32) return false;
    return std::any_of(m_units.products, m_units.products + m_units.count, [&](const abi::matrix_product& each) {
      if (each.sub_group_size != m_size) return false;
      switch (type.use) {
        case matrix_use::a:
          return type.element == each.a && type.rows == each.m && type.columns == each.k;
        case matrix_use::b:
          return type.element == each.b && type.rows == each.k && type.columns == each.n;
        default:
          return (type.element == each.c || type.element == each.d) && type.rows == each.m && type.columns == each.n;
      }
    });
  }
  bool has_product(const matrix_type& a, const matrix_type& b, const matrix_type& c, const matrix_type& d) const {
    return std::any_of(m_units.products, m_units.products + m_units.count, [&](const abi::matrix_product& each) {
      return each.sub_group_size == m_size && each.m == a.rows && each.k == a.columns && each.n == b.columns &&
             each.a == a.element && each.b == b.element && each.c == c.element && each.d == d.element;
    });
  }

  /// Notes the matrix that a part holds. Returns false if the matrix units do not support the matrix, or if the part's
  /// position is not known.
  bool note(llvm::Value* part, const matrix_type& type) {
    llvm::APInt offset(m_layout.getIndexTypeSizeInBits(part->getType()), 0);
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(
        part->stripAndAccumulateConstantOffsets(m_layout, offset, /*AllowNonInbounds=*/true));
    if (!variable || !variable->isStaticAlloca() || !has(type)) return false;
    const slot wanted{without_layout(type)};
    m_variables.insert(variable);
    const auto [known, is_new] = m_slots.insert({{variable, offset.getSExtValue()}, wanted});
    return known->second.type == wanted.type;
  }

  bool has(llvm::CallInst& call) {
    llvm::StringRef name = passes::called_name(call);
    name.consume_front(passes::matrix_prefix);
    const auto type = [&](unsigned operand) { return passes::matrix_type_operand(call, operand); };
    if (name == "length" || name == "holds") return has(type(0));
    if (name == "load" || name == "store") return note(call.getArgOperand(0), type(1)) && has_memory(call);
    if (name == "multiply") {
      for (unsigned operand = 0; operand < 8; operand += 2) {
        if (!note(call.getArgOperand(operand), type(operand + 1))) return false;
      }
      return has_product(type(3), type(5), type(7), type(1));
    }
    // Only the driver knows which work-item holds which element, and this may differ between types, so copies must not
    // change the type.
    return name == "copy" && without_layout(type(1)) == without_layout(type(3)) &&
           note(call.getArgOperand(0), type(1)) && note(call.getArgOperand(2), type(3));
  }
  bool has_memory(const llvm::CallInst& access) const {
    const auto* layout = llvm::dyn_cast<llvm::ConstantInt>(access.getArgOperand(4));
    const matrix_type type = passes::matrix_type_operand(access, 1);
    if (layout && layout->getZExtValue() > static_cast<unsigned>(matrix_layout::column_major)) return false;
    const auto* stride = llvm::dyn_cast<llvm::ConstantInt>(access.getArgOperand(3));
    return !stride || stride->getZExtValue() * abi::bytes_of(type.element) % m_units.stride_bytes == 0;
  }

  // ------------------------------------------------------------------------------------------ elements

  /// Checks that a variable is used only by matrix functions and by accesses to single elements.
  bool has_uses(llvm::Value& address) {
    return llvm::all_of(address.users(), [&](llvm::User* user) {
      if (llvm::isa<llvm::GetElementPtrInst>(user)) return has_uses(*user);
      if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) return load->isSimple() && has_element(*user);
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
        return store->isSimple() && store->getPointerOperand() == &address && has_element(*user);
      }
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (!call) return false;
      if (call->isLifetimeStartOrEnd()) {
        m_lifetimes.push_back(call);
        return true;
      }
      return passes::called_name(*call).starts_with(passes::matrix_prefix);
    });
  }

  bool has_element(llvm::User& user) {
    auto& access = llvm::cast<llvm::Instruction>(user);
    llvm::Value* address = llvm::getLoadStorePointerOperand(&access);
    llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> variable;
    llvm::APInt constant(64, 0);
    while (auto* step = llvm::dyn_cast<llvm::GEPOperator>(address)) {
      if (!step->collectOffset(m_layout, 64, variable, constant)) return false;
      address = step->getPointerOperand();
    }
    auto* memory = llvm::dyn_cast<llvm::AllocaInst>(address);
    if (!memory || variable.size() != 1) return false;
    const auto found = m_slots.upper_bound({memory, constant.getSExtValue()});
    if (found == m_slots.begin()) return false;
    const auto& [place, held] = *std::prev(found);
    const std::int64_t bytes = abi::bytes_of(held.type.element), distance = constant.getSExtValue() - place.second;
    llvm::Type* accessed = llvm::getLoadStoreType(&access);
    const bool is_element = place.first == memory && distance % bytes == 0 && variable.front().second == bytes &&
                            m_layout.getTypeStoreSize(accessed).getFixedValue() == static_cast<std::uint64_t>(bytes) &&
                            (accessed->isIntegerTy() || accessed->isFloatingPointTy());
    if (!is_element || !is_counted(*variable.front().first, held.type)) return false;
    m_elements.push_back({&access, place, variable.front().first, distance / bytes});
    return true;
  }

  /// Whether a loop counts the index up to the length of such a matrix. Lengths of other types are not accepted,
  /// because element i of another type may be at a different place.
  static bool is_counted(llvm::Value& index, const matrix_type& type) {
    auto* counter = llvm::dyn_cast<llvm::PHINode>(without_casts(&index));
    if (!counter) return false;
    bool any = false;
    const auto look = [&](llvm::Value& value, const auto& again) -> bool {
      return llvm::all_of(value.users(), [&](llvm::User* user) {
        if (llvm::isa<llvm::ZExtInst, llvm::SExtInst, llvm::TruncInst>(user)) return again(*user, again);
        auto* test = llvm::dyn_cast<llvm::ICmpInst>(user);
        if (!test) return true;
        for (llvm::Value* operand : test->operands()) {
          auto* asked = llvm::dyn_cast<llvm::CallInst>(without_casts(operand));
          if (!asked || passes::called_name(*asked) != "__sinter_matrix_length") continue;
          if (without_layout(passes::matrix_type_operand(*asked, 0)) != type) return false;
          any = true;
        }
        return true;
      });
    };
    if (!look(*counter, look)) return false;
    for (llvm::Value* next : counter->incoming_values()) {
      if (llvm::isa<llvm::Instruction>(next) && !look(*next, look)) return false;
    }
    return any;
  }

  /// Finds loops that store one value to all elements. One instruction can make the whole matrix from this value.
  void find_fills() {
    const llvm::DominatorTree tree(m_kernel);
    const llvm::LoopInfo loops(tree);
    llvm::erase_if(m_elements, [&](const element_access& each) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(each.access);
      const llvm::Loop* loop = loops.getLoopFor(each.access->getParent());
      if (!store || !loop || each.constant != 0 || !loop->isLoopInvariant(store->getValueOperand())) return false;
      const auto* counter = llvm::cast<llvm::PHINode>(without_casts(each.variable));
      llvm::BasicBlock *latch = loop->getLoopLatch(), *front = loop->getLoopPreheader();
      const bool is_whole = latch && front && loop->getExitingBlock() && counter->getParent() == loop->getHeader() &&
                            tree.dominates(store->getParent(), latch) && counts_all(*counter, *front, *loop);
      if (!is_whole) return false;
      for (llvm::BasicBlock* block : loop->blocks()) {
        for (llvm::Instruction& other : *block) {
          if (&other != store && (other.mayReadOrWriteMemory() || llvm::isa<llvm::AllocaInst>(other))) {
            const llvm::StringRef name = passes::called_name(other);
            if (name != "__sinter_matrix_length" && name != "__sinter_matrix_holds") return false;
          }
        }
      }
      m_fills.push_back({store, front, each.part});
      return true;
    });
  }
  /// Whether the counter takes the numbers from 0 up to the length of the matrix. An exit in the header has to test the
  /// counter, and an exit in the latch has to test the next number.
  static bool counts_all(const llvm::PHINode& counter, const llvm::BasicBlock& front, const llvm::Loop& loop) {
    const llvm::BasicBlock *latch = loop.getLoopLatch(), *exiting = loop.getExitingBlock();
    const auto* first = llvm::dyn_cast<llvm::ConstantInt>(counter.getIncomingValueForBlock(&front));
    auto* next = llvm::dyn_cast<llvm::BinaryOperator>(counter.getIncomingValueForBlock(latch));
    if (!first || !first->isZero() || !next || next->getOpcode() != llvm::Instruction::Add) return false;
    const auto* step = llvm::dyn_cast<llvm::ConstantInt>(next->getOperand(1));
    if (next->getOperand(0) != &counter || !step || !step->isOne()) return false;

    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(exiting->getTerminator());
    if (!branch || !branch->isConditional()) return false;
    const auto* test = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
    if (!test || (exiting != latch && exiting != loop.getHeader())) return false;
    const llvm::Value* tested = exiting == latch ? static_cast<const llvm::Value*>(next) : &counter;
    llvm::CmpInst::Predicate goes_on = test->getPredicate();
    if (!loop.contains(branch->getSuccessor(0))) goes_on = llvm::CmpInst::getInversePredicate(goes_on);
    llvm::Value *left = without_casts(test->getOperand(0)), *right = without_casts(test->getOperand(1));
    if (right == tested) {
      std::swap(left, right);
      goes_on = llvm::CmpInst::getSwappedPredicate(goes_on);
    }
    const auto* length = llvm::dyn_cast<llvm::CallInst>(right);
    return left == tested && length && passes::called_name(*length) == "__sinter_matrix_length" &&
           (goes_on == llvm::CmpInst::ICMP_ULT || goes_on == llvm::CmpInst::ICMP_SLT ||
            goes_on == llvm::CmpInst::ICMP_NE);
  }

  // ------------------------------------------------------------------------------------------ code

  llvm::CallInst* call(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> operands,
                       llvm::MemoryEffects effects, bool is_convergent) {
    llvm::CallInst* made = call_builtin(*m_builder.GetInsertPoint(), name, result, operands, /*is_pure=*/true);
    llvm::Function* callee = made->getCalledFunction();
    callee->setMemoryEffects(effects);
    if (is_convergent) callee->setConvergent();
    return made;
  }

  llvm::AllocaInst* memory_of(const part_place& place) {
    slot& held = m_slots.at(place);
    if (!held.memory) {
      llvm::IRBuilder<> builder(place.first);
      held.memory = builder.CreateAlloca(value_type(m_kernel.getContext(), held.type));
    }
    return held.memory;
  }
  llvm::AllocaInst* memory_of(llvm::Value* part) {
    llvm::APInt offset(m_layout.getIndexTypeSizeInBits(part->getType()), 0);
    auto* variable = llvm::cast<llvm::AllocaInst>(
        part->stripAndAccumulateConstantOffsets(m_layout, offset, /*AllowNonInbounds=*/true));
    return memory_of(part_place{variable, offset.getSExtValue()});
  }
  llvm::Value* value_of(llvm::Value* part) {
    llvm::AllocaInst* memory = memory_of(part);
    return m_builder.CreateLoad(memory->getAllocatedType(), memory);
  }

  void replace() {
    for (const auto& [store, front, place] : m_fills) fill(*store, *front, place);
    for (const element_access& each : m_elements) access(each);
    for (llvm::CallInst* each : m_calls) {
      m_builder.SetInsertPoint(each);
      if (llvm::Value* answer = replace(*each)) each->replaceAllUsesWith(answer);
      each->eraseFromParent();
    }
    for (llvm::CallInst* each : m_lifetimes) each->eraseFromParent();
    for (llvm::AllocaInst* variable : m_variables) erase(*variable);
  }
  /// Erases a variable that nothing uses any more, and the computation of addresses in it.
  static void erase(llvm::Instruction& address) {
    for (llvm::User* user : llvm::make_early_inc_range(address.users())) erase(*llvm::cast<llvm::Instruction>(user));
    address.eraseFromParent();
  }

  void fill(llvm::StoreInst& store, llvm::BasicBlock& front, const part_place& place) {
    llvm::AllocaInst* memory = memory_of(place);
    llvm::Type* type = memory->getAllocatedType();
    m_builder.SetInsertPoint(front.getTerminator());
    llvm::Value* value = m_builder.CreateBitCast(store.getValueOperand(),
                                                 component_of(m_kernel.getContext(), m_slots.at(place).type.element));
    m_builder.CreateStore(
        call((fill_name + suffix_of(type)).str(), type, {value}, llvm::MemoryEffects::none(), /*is_convergent=*/false),
        memory);
    store.eraseFromParent();
  }

  void access(const element_access& each) {
    m_builder.SetInsertPoint(each.access);
    llvm::AllocaInst* memory = memory_of(each.part);
    llvm::Value* index = m_builder.CreateZExtOrTrunc(each.variable, m_builder.getInt32Ty());
    if (each.constant != 0)
      index = m_builder.CreateAdd(index, m_builder.getInt32(static_cast<std::uint32_t>(each.constant)));
    llvm::Value* place = call((element_name + suffix_of(memory->getAllocatedType())).str(), m_builder.getPtrTy(),
                              {memory, index}, llvm::MemoryEffects::none(), /*is_convergent=*/false);
    const matrix_element element = m_slots.at(each.part).type.element;
    llvm::Type* component = component_of(m_kernel.getContext(), element);
    const llvm::Align alignment(abi::bytes_of(element));
    if (auto* store = llvm::dyn_cast<llvm::StoreInst>(each.access)) {
      m_builder.CreateAlignedStore(m_builder.CreateBitCast(store->getValueOperand(), component), place, alignment);
    } else {
      llvm::Value* value = m_builder.CreateAlignedLoad(component, place, alignment);
      each.access->replaceAllUsesWith(m_builder.CreateBitCast(value, each.access->getType()));
    }
    each.access->eraseFromParent();
  }

  llvm::Value* replace(llvm::CallInst& each) {
    llvm::StringRef name = passes::called_name(each);
    name.consume_front(passes::matrix_prefix);
    const auto type = [&](unsigned operand) { return passes::matrix_type_operand(each, operand); };
    if (name == "holds") return m_builder.getTrue();
    if (name == "length") {
      llvm::Type* matrix = value_type(m_kernel.getContext(), type(0));
      return call((length_name + suffix_of(matrix)).str(), m_builder.getInt32Ty(), {llvm::PoisonValue::get(matrix)},
                  llvm::MemoryEffects::none(), /*is_convergent=*/false);
    }
    if (name == "copy") {
      m_builder.CreateStore(value_of(each.getArgOperand(2)), memory_of(each.getArgOperand(0)));
    } else if (name == "multiply") {
      multiply(each);
    } else {
      check_memory(each);
      by_layout(each);
    }
    return nullptr;
  }

  void multiply(llvm::CallInst& each) {
    const auto element = [&](unsigned operand) { return passes::matrix_type_operand(each, operand).element; };
    const unsigned signs = (is_signed(element(3)) ? signed_a : 0) | (is_signed(element(5)) ? signed_b : 0) |
                           (is_signed(element(7)) ? signed_c : 0) | (is_signed(element(1)) ? signed_result : 0);
    llvm::Value *a = value_of(each.getArgOperand(2)), *b = value_of(each.getArgOperand(4)),
                *c = value_of(each.getArgOperand(6));
    llvm::AllocaInst* d = memory_of(each.getArgOperand(0));
    llvm::Type* result = d->getAllocatedType();
    std::string name = multiply_name.str() + suffix_of(result);
    for (const llvm::Value* operand : {a, b, c}) name += "_" + suffix_of(operand->getType());
    m_builder.CreateStore(call(name, result, {a, b, c, m_builder.getInt32(signs)}, llvm::MemoryEffects::none(),
                               /*is_convergent=*/true),
                          d);
  }

  /// Makes the work-item fail with a message if the matrix units do not support the address or the stride.
  void check_memory(llvm::CallInst& each) {
    const unsigned bytes = abi::bytes_of(passes::matrix_type_operand(each, 1).element);
    llvm::Type* word = m_builder.getInt64Ty();
    llvm::Value* wrong = m_builder.getFalse();
    const auto rest = [&](llvm::Value* number, std::uint64_t step) {
      return m_builder.CreateICmpNE(m_builder.CreateAnd(number, step - 1), m_builder.getInt64(0));
    };
    if (m_units.pointer_bytes > bytes)
      wrong = rest(m_builder.CreatePtrToInt(each.getArgOperand(2), word), m_units.pointer_bytes);
    if (m_units.stride_bytes > bytes && !llvm::isa<llvm::ConstantInt>(each.getArgOperand(3))) {
      wrong = m_builder.CreateOr(
          wrong, rest(m_builder.CreateMul(each.getArgOperand(3), m_builder.getInt64(bytes)), m_units.stride_bytes));
    }
    if (llvm::isa<llvm::Constant>(wrong)) return;
    llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(wrong, each.getIterator(), /*Unreachable=*/true);
    m_builder.SetInsertPoint(end);
    llvm::FunctionCallee trap = m_kernel.getParent()->getOrInsertFunction(
        "__sinter_trap", llvm::FunctionType::get(m_builder.getVoidTy(), {m_builder.getPtrTy()}, false));
    m_builder.CreateCall(trap,
                         {m_builder.CreateGlobalString(
                             "a joint_matrix is loaded or stored at an address or with a stride that the device's "
                             "matrix units can't take: begin at multiples of " +
                             std::to_string(m_units.pointer_bytes) + " bytes, with strides of multiples of " +
                             std::to_string(m_units.stride_bytes) + " bytes")});
    m_builder.SetInsertPoint(&each);
  }

  /// Handles accumulators whose layout may be known only when the kernel runs, although the instruction needs a
  /// constant layout.
  void by_layout(llvm::CallInst& each) {
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(each.getArgOperand(4)))
      return move(each, static_cast<matrix_layout>(known->getZExtValue()));
    llvm::Value* by_columns = m_builder.CreateICmpEQ(
        each.getArgOperand(4), m_builder.getInt32(static_cast<std::uint32_t>(matrix_layout::column_major)));
    llvm::Instruction *columns = nullptr, *rows = nullptr;
    llvm::SplitBlockAndInsertIfThenElse(by_columns, each.getIterator(), &columns, &rows);
    m_builder.SetInsertPoint(columns);
    move(each, matrix_layout::column_major);
    m_builder.SetInsertPoint(rows);
    move(each, matrix_layout::row_major);
  }
  void move(llvm::CallInst& each, matrix_layout layout) {
    llvm::AllocaInst* part = memory_of(each.getArgOperand(0));
    llvm::Type* type = part->getAllocatedType();
    llvm::Value *memory = each.getArgOperand(2), *stride = each.getArgOperand(3);
    llvm::Value* how = m_builder.getInt32(static_cast<std::uint32_t>(layout));
    if (passes::called_name(each) == "__sinter_matrix_load") {
      m_builder.CreateStore(call((load_name + suffix_of(type)).str(), type, {memory, how, stride},
                                 llvm::MemoryEffects::argMemOnly(llvm::ModRefInfo::Ref), /*is_convergent=*/true),
                            part);
      return;
    }
    call((store_name + suffix_of(type)).str(), m_builder.getVoidTy(),
         {memory, m_builder.CreateLoad(type, part), how, stride},
         llvm::MemoryEffects::argMemOnly(llvm::ModRefInfo::Mod), /*is_convergent=*/true);
  }

  struct whole_fill {
    llvm::StoreInst* store;
    llvm::BasicBlock* front;  ///< where the loop of the fill begins
    part_place part;
  };

  llvm::Function& m_kernel;
  const llvm::DataLayout& m_layout;
  const abi::matrix_units& m_units;
  unsigned m_size;
  llvm::IRBuilder<> m_builder;
  llvm::SmallVector<llvm::CallInst*, 32> m_calls, m_lifetimes;
  llvm::SmallSetVector<llvm::AllocaInst*, 8> m_variables;
  std::map<part_place, slot> m_slots;
  llvm::SmallVector<element_access, 16> m_elements;
  llvm::SmallVector<whole_fill, 8> m_fills;
};

/// Returns the address in the space from which it was cast, or null.
llvm::Value* in_its_space(llvm::IRBuilder<>& builder, llvm::Value* address) {
  if (address->getType()->getPointerAddressSpace() != generic_space) return address;
  if (auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(address)) return cast->getPointerOperand();
  auto* step = llvm::dyn_cast<llvm::GEPOperator>(address);
  llvm::Value* base = step ? in_its_space(builder, step->getPointerOperand()) : nullptr;
  if (!base) return nullptr;
  llvm::SmallVector<llvm::Value*, 4> indices(step->indices());
  return builder.CreateGEP(step->getSourceElementType(), base, indices, "", step->getNoWrapFlags());
}

/// Makes the same load or store at another address.
llvm::CallInst* moved_to(llvm::Instruction& where, llvm::CallInst& access, llvm::Value* address) {
  llvm::SmallVector<llvm::Value*, 4> operands(access.args());
  operands[0] = address;
  const llvm::Function& old = *access.getCalledFunction();
  const std::string name = (old.getName() + "_s" + std::to_string(address->getType()->getPointerAddressSpace())).str();
  llvm::CallInst* made = call_builtin(where, name, access.getType(), operands, /*is_pure=*/true);
  made->getCalledFunction()->setMemoryEffects(old.getMemoryEffects());
  made->getCalledFunction()->setConvergent();
  return made;
}

void ask_for_space(llvm::CallInst& access) {
  llvm::IRBuilder<> builder(&access);
  llvm::Value* address = access.getArgOperand(0);
  llvm::Type *global = builder.getPtrTy(global_space), *local = builder.getPtrTy(local_space);
  llvm::Value* in_global = call_builtin(access, "_Z41__spirv_GenericCastToPtrExplicit_ToGlobalPvi", global,
                                        {address, builder.getInt32(5)}, /*is_pure=*/true);
  llvm::Value* is_global =
      builder.CreateICmpNE(in_global, llvm::ConstantPointerNull::get(llvm::cast<llvm::PointerType>(global)));
  llvm::Instruction *then = nullptr, *otherwise = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(is_global, access.getIterator(), &then, &otherwise);
  llvm::CallInst* of_global = moved_to(*then, access, in_global);
  builder.SetInsertPoint(otherwise);
  llvm::CallInst* of_local = moved_to(*otherwise, access, builder.CreateAddrSpaceCast(address, local));
  if (access.getType()->isVoidTy()) return;
  builder.SetInsertPoint(&access);
  llvm::PHINode* value = builder.CreatePHI(access.getType(), 2);
  value->addIncoming(of_global, of_global->getParent());
  value->addIncoming(of_local, of_local->getParent());
  access.replaceAllUsesWith(value);
}

/// Turns a select of cooperative matrices into a branch, because there is no such instruction.
void branch_for(llvm::SelectInst& select) {
  llvm::Instruction *then = nullptr, *otherwise = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(select.getCondition(), select.getIterator(), &then, &otherwise);
  llvm::IRBuilder<> builder(&select);
  llvm::PHINode* value = builder.CreatePHI(select.getType(), 2);
  value->addIncoming(select.getTrueValue(), then->getParent());
  value->addIncoming(select.getFalseValue(), otherwise->getParent());
  select.replaceAllUsesWith(value);
  select.eraseFromParent();
}

}  // namespace

bool is_matrix(const llvm::Type* type) {
  const auto* known = llvm::dyn_cast<llvm::TargetExtType>(type);
  return known && known->getName() == type_name;
}

bool use_matrix_units(llvm::Function& kernel, unsigned sub_group_size, const abi::matrix_units& units) {
  passes::unroll_matrix_loops(kernel);
  return unit_lowering(kernel, sub_group_size, units).run();
}

void name_matrix_spaces(llvm::Function& entry, bool asks) {
  llvm::SmallVector<llvm::CallInst*, 16> accesses, elements;
  for (llvm::Instruction& instruction : llvm::instructions(entry)) {
    const llvm::StringRef name = passes::called_name(instruction);
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call || call->arg_empty()) continue;
    const llvm::Type* pointer = call->getArgOperand(0)->getType();
    if (!pointer->isPointerTy() || pointer->getPointerAddressSpace() != generic_space) continue;
    if (name.starts_with(load_name) || name.starts_with(store_name)) accesses.push_back(call);
    if (name.starts_with(element_name)) elements.push_back(call);
  }
  for (llvm::CallInst* access : accesses) {
    llvm::IRBuilder<> builder(access);
    llvm::Value* address = in_its_space(builder, access->getArgOperand(0));
    if (address) {
      llvm::CallInst* made = moved_to(*access, *access, address);
      if (!made->getType()->isVoidTy()) access->replaceAllUsesWith(made);
    } else if (asks) {
      ask_for_space(*access);
    } else {
      continue;
    }
    access->eraseFromParent();
  }
  for (llvm::CallInst* each : elements) {
    llvm::IRBuilder<> builder(each);
    llvm::Value* matrix = each->getArgOperand(0)->stripPointerCasts();
    const std::string name = each->getCalledFunction()->getName().str() + ".own";
    llvm::CallInst* place = call_builtin(*each, name, matrix->getType(), {matrix, each->getArgOperand(1)},
                                         /*is_pure=*/true);
    each->replaceAllUsesWith(builder.CreateAddrSpaceCast(place, each->getType()));
    each->eraseFromParent();
  }
}

void finish_matrices(llvm::Function& function) {
  llvm::SmallVector<llvm::SelectInst*, 4> selects;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
    if (select && is_matrix(select->getType())) selects.push_back(select);
    if (llvm::isa<llvm::FreezeInst>(instruction) && is_matrix(instruction.getType())) {
      instruction.replaceAllUsesWith(instruction.getOperand(0));
      instruction.eraseFromParent();
      continue;
    }
    const llvm::StringRef name = passes::called_name(instruction);
    const bool loads = name.starts_with(load_name);
    if (!loads && !name.starts_with(store_name)) continue;
    auto& access = llvm::cast<llvm::CallInst>(instruction);
    const auto* type = llvm::cast<llvm::TargetExtType>(loads ? access.getType() : access.getArgOperand(1)->getType());
    // The address passes through a GEP with offset 0, because LLVM would otherwise write a pointer to bytes.
    access.setArgOperand(
        0, llvm::GetElementPtrInst::Create(type->getTypeParameter(0), access.getArgOperand(0),
                                           {llvm::ConstantInt::get(llvm::Type::getInt64Ty(function.getContext()), 0)},
                                           "", access.getIterator()));
  }
  for (llvm::SelectInst* select : selects) branch_for(*select);
}

}  // namespace sinter::jit::spirv
