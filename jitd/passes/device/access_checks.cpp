#include "access_checks.hpp"

#include <abi/device_abi.hpp>
#include <abi/launch_abi.hpp>
#include <abi/readable_name.hpp>
#include <optional>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "passes/called_names.hpp"

namespace sinter::passes {
namespace {

/// Facts about the memory to which an address leads.
struct origin {
  llvm::Value* base = nullptr;  ///< null if nothing has to be checked
  std::int32_t leaf = -1;
  std::uint32_t flags = 0;
  std::uint64_t object_bytes = 0;
  std::string name{};
};

/// One access of an instruction. Some instructions, such as copies, have two accesses.
struct access {
  llvm::Instruction* instruction;
  llvm::Value* address;
  llvm::Value* bytes;
  std::uint32_t flags;
};

class instrumentation {
public:
  instrumentation(llvm::Function& kernel, const abi::image_kernel& row, llvm::ArrayRef<abi::image_leaf> leaves)
      : m_kernel(kernel),
        m_row(row),
        m_leaves(leaves),
        m_module(*kernel.getParent()),
        m_layout(m_module.getDataLayout()) {}

  void run() {
    for (llvm::Function& function : m_module) {
      if (!function.isDeclaration()) check_function(function);
    }
    follow_work_items();
  }

private:
  // ------------------------------------------------------------------------------------------------- origins

  /// Returns the argument block's leaf from which the kernel has loaded `value`.
  std::optional<std::int32_t> loaded_leaf(const llvm::Value* value) const {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
    if (!load || load->getFunction() != &m_kernel) return {};
    llvm::APInt offset(64, 0);
    if (load->getPointerOperand()->stripAndAccumulateConstantOffsets(m_layout, offset, true) != m_kernel.getArg(0))
      return {};
    for (std::size_t i = 0; i < m_leaves.size(); ++i) {
      if (offset == m_leaves[i].offset) return static_cast<std::int32_t>(i);
    }
    return {};
  }

  /// The local accessor on which `address` is based, if its pointer starts at the base of local memory. Returns -1 if
  /// there is no such accessor, or if there are several such accessors.
  std::int32_t local_accessor_of(llvm::Value* address) const {
    llvm::SmallSet<std::int32_t, 2> found;
    llvm::SmallPtrSet<llvm::Value*, 16> seen;
    llvm::SmallVector<llvm::Value*, 16> work{address};
    while (!work.empty()) {
      llvm::Value* value = work.pop_back_val();
      if (!seen.insert(value).second) continue;
      if (const auto leaf = loaded_leaf(value)) {
        if (m_leaves[static_cast<std::size_t>(*leaf)].kind == abi::leaf_kind::local_accessor) found.insert(*leaf);
        continue;
      }
      const bool passes_on = llvm::isa<llvm::GetElementPtrInst, llvm::PHINode, llvm::SelectInst, llvm::CastInst>(value);
      auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(value);
      if (passes_on || (sum && sum->getOpcode() == llvm::Instruction::Add)) {
        llvm::append_range(work, llvm::cast<llvm::User>(value)->operands());
      }
    }
    return found.size() == 1 ? *found.begin() : -1;
  }

  origin origin_of_object(llvm::Value* object, llvm::Value* address) const {
    if (auto* array = llvm::dyn_cast<llvm::AllocaInst>(object)) {
      const auto size = array->getAllocationSize(m_layout);
      if (!size || size->isScalable()) return {array};
      return {array, -1, abi::access_private, size->getFixedValue()};
    }
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
      if (variable->isDeclaration()) return {variable};
      const std::string name = abi::without_inline_namespace(llvm::demangle(variable->getName().str()));
      return {variable, -1, abi::access_constant, m_layout.getTypeAllocSize(variable->getValueType()).getFixedValue(),
              name};
    }
    if (object == m_kernel.getArg(0)) return {object, -1, abi::access_argument, m_row.block_size};
    if (called_name(*object) == "__sinter_group_scratch") return {};
    if (called_name(*object) == "__sinter_group_variable") {
      const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(llvm::cast<llvm::CallBase>(object)->getArgOperand(1));
      if (bytes) return {object, -1, abi::access_group, bytes->getZExtValue()};
    }
    if (called_name(*object) == "__sinter_local_base") {
      const std::int32_t leaf = local_accessor_of(address);
      return {leaf < 0 ? address : object, leaf};
    }
    if (const auto leaf = loaded_leaf(object)) {
      const abi::leaf_kind kind = m_leaves[static_cast<std::size_t>(*leaf)].kind;
      if (kind == abi::leaf_kind::accessor || kind == abi::leaf_kind::global_pointer) return {object, *leaf};
    }
    return {object};
  }

  origin origin_of(llvm::Value* address) const {
    llvm::SmallVector<const llvm::Value*, 4> objects;
    llvm::getUnderlyingObjects(address, objects, nullptr, 0);
    if (objects.empty()) return {address};
    origin result = origin_of_object(const_cast<llvm::Value*>(objects.front()), address);
    for (const llvm::Value* other : llvm::drop_begin(objects)) {
      const origin more = origin_of_object(const_cast<llvm::Value*>(other), address);
      // The two origins differ, so the origin is known only at run time.
      if (more.leaf != result.leaf || result.leaf < 0) return {address};
    }
    return result;
  }

  /// Whether the access stays inside an object of known size.
  bool is_inside(const access& each, const origin& from) const {
    auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(each.bytes);
    if (from.object_bytes == 0 || !bytes) return false;
    llvm::APInt offset(64, 0);
    if (each.address->stripAndAccumulateConstantOffsets(m_layout, offset, true) != from.base) return false;
    return !offset.isNegative() && offset.ule(from.object_bytes) && bytes->getZExtValue() <= from.object_bytes &&
           offset.ule(from.object_bytes - bytes->getZExtValue());
  }

  // ------------------------------------------------------------------------------------------------- accesses

  llvm::Value* size_of(llvm::Type* type) const {
    return llvm::ConstantInt::get(llvm::Type::getInt64Ty(m_module.getContext()),
                                  m_layout.getTypeStoreSize(type).getFixedValue());
  }

  void add_accesses(llvm::Instruction& instruction, llvm::SmallVectorImpl<access>& list) const {
    constexpr std::uint32_t update = abi::access_writes | abi::access_atomic;
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
      list.push_back(
          {load, load->getPointerOperand(), size_of(load->getType()), load->isAtomic() ? abi::access_atomic : 0u});
    } else if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
      list.push_back({store, store->getPointerOperand(), size_of(store->getValueOperand()->getType()),
                      abi::access_writes | (store->isAtomic() ? abi::access_atomic : 0u)});
    } else if (auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      list.push_back({atomic, atomic->getPointerOperand(), size_of(atomic->getType()), update});
    } else if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      list.push_back(
          {exchange, exchange->getPointerOperand(), size_of(exchange->getNewValOperand()->getType()), update});
    } else if (auto* memory = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&instruction)) {
      list.push_back({memory, memory->getRawDest(), memory->getLength(), abi::access_writes});
      if (auto* copy = llvm::dyn_cast<llvm::AnyMemTransferInst>(memory)) {
        list.push_back({copy, copy->getRawSource(), copy->getLength(), 0});
      }
    }
  }

  /// Emits a check that reports divisions by 0 and quotients that overflow. The report names the division's place in
  /// the source.
  void check_division(llvm::Instruction& division) {
    llvm::IRBuilder<> builder(&division);
    llvm::Value *dividend = division.getOperand(0), *divisor = division.getOperand(1);
    const auto any = [&](llvm::Value* lanes) {
      return lanes->getType()->isVectorTy() ? builder.CreateOrReduce(lanes) : lanes;
    };
    const auto reported = [&](abi::wrong_division how) { return builder.getInt64(static_cast<std::uint64_t>(how)); };
    llvm::Value* wrong = any(builder.CreateIsNull(divisor));
    llvm::Value* how = reported(abi::wrong_division::by_zero);
    if (division.getOpcode() == llvm::Instruction::SDiv || division.getOpcode() == llvm::Instruction::SRem) {
      llvm::Type* type = divisor->getType();
      llvm::Constant* lowest =
          llvm::ConstantInt::get(type, llvm::APInt::getSignedMinValue(type->getScalarSizeInBits()));
      llvm::Value* overflows =
          any(builder.CreateAnd(builder.CreateICmpEQ(divisor, llvm::Constant::getAllOnesValue(type)),
                                builder.CreateICmpEQ(dividend, lowest)));
      how = builder.CreateSelect(wrong, how, reported(abi::wrong_division::overflow));
      wrong = builder.CreateOr(wrong, overflows);
    }
    if (auto* known = llvm::dyn_cast<llvm::Constant>(wrong); known && known->isNullValue()) return;
    llvm::Instruction* report = llvm::SplitBlockAndInsertIfThen(wrong, division.getIterator(), /*Unreachable=*/false);
    builder.SetInsertPoint(report);
    llvm::Constant* nowhere = llvm::ConstantPointerNull::get(builder.getPtrTy());
    report_access(builder, place_of({&division, nullptr, nullptr, abi::access_divides}, {}), nowhere, nowhere, how);
  }

  /// Emits a check that reports exchanges that can't work with sub-groups of this size, with their place in the source.
  /// Correct kernels may name sources outside of the sub-group if they don't use the result, as the last work-items do
  /// in sums by shift_group_left. So the check reports an exchange only if the first work-item names a source behind
  /// the sub-group, or the last work-item names a source before the sub-group.
  void check_exchange(llvm::CallInst& exchange) {
    llvm::IRBuilder<> builder(&exchange);
    const auto ask32 = [&](const char* query) {
      return builder.CreateCall(m_module.getOrInsertFunction(query, builder.getInt32Ty()));
    };
    llvm::Value *lane = ask32("__sinter_sub_group_local_id"), *size = ask32("__sinter_sub_group_size");
    llvm::Value *source = exchange.getArgOperand(1), *none = builder.getInt32(0);
    llvm::Value* behind = builder.CreateAnd(builder.CreateICmpEQ(lane, none), builder.CreateICmpSGE(source, size));
    llvm::Value* is_last = builder.CreateICmpEQ(lane, builder.CreateSub(size, builder.getInt32(1)));
    llvm::Value* before = builder.CreateAnd(is_last, builder.CreateICmpSLT(source, none));
    llvm::Instruction* report = llvm::SplitBlockAndInsertIfThen(builder.CreateOr(behind, before),
                                                                exchange.getIterator(), /*Unreachable=*/false);
    builder.SetInsertPoint(report);
    llvm::Constant* nowhere = llvm::ConstantPointerNull::get(builder.getPtrTy());
    llvm::Value* high = builder.CreateShl(builder.CreateZExt(size, builder.getInt64Ty()), 32);
    report_access(builder, place_of({&exchange, nullptr, nullptr, abi::access_exchanges}, {}), nowhere, nowhere,
                  builder.CreateOr(high, builder.CreateZExt(source, builder.getInt64Ty())));
  }

  void check_function(llvm::Function& function) {
    llvm::SmallVector<llvm::Instruction*, 16> divisions;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (instruction.isIntDivRem()) divisions.push_back(&instruction);
    }
    for (llvm::Instruction* each : divisions) check_division(*each);
    llvm::SmallVector<access, 32> list;
    for (llvm::Instruction& instruction : llvm::instructions(function)) add_accesses(instruction, list);
    for (const access& each : list) {
      const origin from = origin_of(each.address);
      if (!from.base || is_inside(each, from)) continue;
      llvm::IRBuilder<> builder(each.instruction);
      llvm::Value* bytes = builder.CreateZExtOrTrunc(each.bytes, builder.getInt64Ty());
      report_access(builder, place_of(each, from), from.base, each.address, bytes);
    }
  }

  void report_access(llvm::IRBuilder<>& builder, llvm::Value* place, llvm::Value* base, llvm::Value* address,
                     llvm::Value* bytes) {
    call(builder, "__sinter_check_access", {place, base, address, bytes});
  }

  /// A constant with the layout of abi::checked_access.
  llvm::Constant* place_of(const access& each, const origin& from) {
    llvm::LLVMContext& context = m_module.getContext();
    auto* int32 = llvm::Type::getInt32Ty(context);
    auto* int64 = llvm::Type::getInt64Ty(context);
    const auto [file, line] = source_line(*each.instruction);
    llvm::Constant* value = llvm::ConstantStruct::getAnon(
        {text(file), text(from.name), llvm::ConstantInt::get(int32, line),
         llvm::ConstantInt::get(int32, each.flags | from.flags), llvm::ConstantInt::getSigned(int64, from.leaf),
         llvm::ConstantInt::get(int64, from.object_bytes)});
    auto* place = new llvm::GlobalVariable(m_module, value->getType(), /*isConstant=*/true,
                                           llvm::GlobalValue::PrivateLinkage, value, "sinter.place");
    place->setAlignment(llvm::Align(8));
    return place;
  }

  llvm::Constant* text(llvm::StringRef words) {
    llvm::IRBuilder<> builder(m_module.getContext());
    if (words.empty()) return llvm::ConstantPointerNull::get(builder.getPtrTy());
    llvm::Constant*& known = m_texts[words];
    if (!known) known = builder.CreateGlobalString(words, "sinter.text", 0, &m_module);
    return known;
  }

  /// The line of the user's code. For code in Sinter's headers, this is the user's line that called the header's
  /// function.
  std::pair<llvm::StringRef, unsigned> source_line(const llvm::Instruction& instruction) const {
    const llvm::DILocation* location = instruction.getDebugLoc();
    if (!location) return {};
    while (location->getFilename().contains("sycl/") && location->getInlinedAt()) location = location->getInlinedAt();
    return {location->getFilename(), location->getLine()};
  }

  // ------------------------------------------------------------------------------------------------- work-items

  llvm::Value* ask(llvm::IRBuilder<>& builder, const char* query, unsigned dimension) {
    llvm::FunctionType* type = llvm::FunctionType::get(builder.getInt64Ty(), {builder.getInt32Ty()}, false);
    return builder.CreateCall(m_module.getOrInsertFunction(query, type), {builder.getInt32(dimension)});
  }

  /// Computes the linear id from three ids.
  llvm::Value* linear(llvm::IRBuilder<>& builder, const char* id, const char* range) {
    if (m_row.shape != abi::kernel_shape::nd_range) return builder.getInt64(0);
    llvm::Value* result = ask(builder, id, 0);
    for (unsigned d : {1u, 2u})
      result = builder.CreateAdd(builder.CreateMul(result, ask(builder, range, d)), ask(builder, id, d));
    return result;
  }

  llvm::SmallVector<llvm::Value*, 5> position(llvm::IRBuilder<>& builder) {
    llvm::SmallVector<llvm::Value*, 5> result(3, builder.getInt64(0));
    if (m_row.shape != abi::kernel_shape::single_task) {
      for (unsigned d = 0; d < 3; ++d) result[d] = ask(builder, "__sinter_global_id", d);
    }
    result.push_back(linear(builder, "__sinter_local_id", "__sinter_local_range"));
    return result;
  }

  /// Emits calls that tell the runtime which work-item runs: at the work-item's start, and after each exchange of
  /// values, because other work-items have run during the exchange.
  void follow_work_items() {
    llvm::SmallVector<llvm::CallInst*, 16> exchanges;
    for (llvm::Instruction& instruction : llvm::instructions(m_kernel)) {
      const llvm::StringRef name = called_name(instruction);
      const bool shuffles = name.starts_with("__sinter_sub_group_shuffle") || name == "__sinter_sub_group_ballot";
      if (name == "__sinter_barrier" || shuffles) exchanges.push_back(llvm::cast<llvm::CallInst>(&instruction));
    }
    for (llvm::CallInst* exchange : exchanges) {
      if (called_name(*exchange).starts_with("__sinter_sub_group_shuffle")) check_exchange(*exchange);
      llvm::IRBuilder<> builder(exchange->getNextNode());
      const bool barrier = is_barrier(*exchange);
      auto arguments = position(builder);
      arguments.push_back(barrier ? exchange->getArgOperand(0)
                                  : builder.getInt32(static_cast<std::uint32_t>(abi::scope::sub_group)));
      call(builder, "__sinter_check_resume", arguments);
    }
    llvm::IRBuilder<> builder(&*m_kernel.getEntryBlock().getFirstInsertionPt());
    while (llvm::isa<llvm::AllocaInst>(&*builder.GetInsertPoint()))
      builder.SetInsertPoint(builder.GetInsertPoint()->getNextNode());
    auto arguments = position(builder);
    arguments.push_back(linear(builder, "__sinter_group_id", "__sinter_group_range"));
    call(builder, "__sinter_check_work_item", arguments);
  }

  void call(llvm::IRBuilder<>& builder, const char* function, llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::SmallVector<llvm::Type*, 5> types;
    for (llvm::Value* argument : arguments) types.push_back(argument->getType());
    llvm::FunctionType* type = llvm::FunctionType::get(builder.getVoidTy(), types, false);
    builder.CreateCall(m_module.getOrInsertFunction(function, type), arguments);
  }

  llvm::Function& m_kernel;
  const abi::image_kernel& m_row;
  llvm::ArrayRef<abi::image_leaf> m_leaves;
  llvm::Module& m_module;
  const llvm::DataLayout& m_layout;
  llvm::StringMap<llvm::Constant*> m_texts;
};

} // namespace

void check_accesses(llvm::Function& kernel, const abi::image_kernel& row, llvm::ArrayRef<abi::image_leaf> leaves) {
  instrumentation(kernel, row, leaves).run();
}

} // namespace sinter::passes
