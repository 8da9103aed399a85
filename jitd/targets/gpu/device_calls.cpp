#include "device_calls.hpp"

#include <abi/device_abi.hpp>

#include "failures.hpp"
#include "meetings.hpp"

#include "passes/device/turns.hpp"
#include "targets/device_code.hpp"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/ValueHandle.h"

namespace sinter::jit::gpu {
namespace {

class call_lowering {
public:
  call_lowering(const dialect& words, llvm::Module& module, const geometry& where, unsigned sub_group_size,
                std::uint64_t scratch_bytes_per_item)
      : m_dialect(words),
        m_module(module),
        m_where(where),
        m_scratch_bytes(scratch_bytes_per_item),
        m_size(sub_group_size),
        m_builder(module.getContext()) {}

  void run(llvm::Function& function) {
    for (llvm::CallInst* call : device_calls_of(function)) {
      const llvm::StringRef name = call->getCalledFunction()->getName();
      if (name == "__sinter_trap" || name == "__sinter_assert_fail") {
        m_failing.push_back(call);
        continue;
      }
      m_builder.SetInsertPoint(call);
      if (llvm::Value* result = lower(*call, name)) call->replaceAllUsesWith(result);
      if (call->use_empty()) call->eraseFromParent();
    }
  }

  void end() {
    for (const llvm::WeakVH& failing : m_failing) {
      if (failing) fail(m_dialect, *llvm::cast<llvm::CallInst>(failing));
    }
  }

private:
  /// Returns null if the function has no result, or if this class does not lower it.
  llvm::Value* lower(llvm::CallInst& call, llvm::StringRef name) {
    if (name == "__sinter_on_device") return m_builder.getTrue();
    if (name == "__sinter_local_base") return local_base();
    if (name == "__sinter_group_scratch") return shared_memory();
    if (name == "__sinter_barrier") return barrier(strength_of(call, 0), strength_of(call, 1)), nullptr;
    if (name == "__sinter_fence") return fence(strength_of(call, 0), strength_of(call, 1)), nullptr;
    if (name.consume_front("__sinter_sub_group_")) return sub_group(call, name);
    if (llvm::Value* answer = turn(call, name)) return answer;
    return position(call, name);
  }

  llvm::Value* turn(llvm::CallInst& call, llvm::StringRef name) {
    if (name == passes::has_turn_name) return m_builder.CreateICmpULT(call.getArgOperand(0), m_where.turns);
    if (name == passes::groups_of_turns_name) return m_where.blocks;
    if (name != passes::turn_group_id_name && name != passes::turn_global_id_name) return nullptr;
    llvm::Value* group = sum_of(product_of(call.getArgOperand(1), m_where.blocks), m_where.first_group);
    geometry::values ids = coordinates_of(m_builder, group, m_where.group_range, m_where.dimensions);
    if (name == passes::turn_global_id_name) {
      for (unsigned d = 3 - m_where.dimensions; d < 3; ++d) {
        ids[d] = sum_of(product_of(ids[d], m_where.local_range[d]), m_where.local_id[d]);
        if (!llvm::isa<llvm::ConstantInt>(m_where.offset[d])) ids[d] = sum_of(ids[d], m_where.offset[d]);
      }
    }
    return of_dimension(ids, call.getArgOperand(2));
  }

  // Sums of ids of existing groups and work-items do not wrap.
  llvm::Value* sum_of(llvm::Value* a, llvm::Value* b) { return computed(llvm::Instruction::Add, a, b); }
  llvm::Value* product_of(llvm::Value* a, llvm::Value* b) { return computed(llvm::Instruction::Mul, a, b); }
  llvm::Value* computed(llvm::Instruction::BinaryOps what, llvm::Value* a, llvm::Value* b) {
    if (m_where.narrow) a = narrow(a), b = narrow(b);
    llvm::Value* result = m_builder.CreateBinOp(what, a, b);
    if (auto* made = llvm::dyn_cast<llvm::BinaryOperator>(result)) {
      made->setHasNoUnsignedWrap();
      made->setHasNoSignedWrap();
    }
    return m_builder.CreateZExt(result, m_builder.getInt64Ty(), "", /*IsNonNeg=*/true);
  }
  llvm::Value* narrow(llvm::Value* value) { return m_builder.CreateTrunc(value, m_builder.getInt32Ty()); }

  llvm::Value* position(llvm::CallInst& call, llvm::StringRef name) {
    const auto* values = llvm::StringSwitch<const geometry::values*>(name)
                             .Case("__sinter_global_id", &m_where.global_id)
                             .Case("__sinter_local_id", &m_where.local_id)
                             .Case("__sinter_group_id", &m_where.group_id)
                             .Case("__sinter_global_range", &m_where.global_range)
                             .Case("__sinter_local_range", &m_where.local_range)
                             .Case("__sinter_group_range", &m_where.group_range)
                             .Case("__sinter_global_offset", &m_where.offset)
                             .Default(nullptr);
    if (!values) return nullptr;
    return of_dimension(*values, call.getArgOperand(0));
  }

  llvm::Value* of_dimension(const geometry::values& values, llvm::Value* dimension) {
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(dimension)) return values[known->getZExtValue() % 3];
    llvm::Value* last =
        m_builder.CreateSelect(m_builder.CreateICmpEQ(dimension, m_builder.getInt32(1)), values[1], values[2]);
    return m_builder.CreateSelect(m_builder.CreateICmpEQ(dimension, m_builder.getInt32(0)), values[0], last);
  }

  // ------------------------------------------------------------------------------------------ order

  void fence(std::uint64_t order, std::uint64_t scope) {
    if (order == static_cast<std::uint64_t>(abi::order::relaxed) ||
        scope == static_cast<std::uint64_t>(abi::scope::work_item))
      return;
    const char* name = m_dialect.scope_name(static_cast<abi::scope>(scope));
    const llvm::SyncScope::ID id = m_module.getContext().getOrInsertSyncScopeID(name);
    const bool total = order >= static_cast<std::uint64_t>(abi::order::seq_cst);
    m_builder.CreateFence(total ? llvm::AtomicOrdering::SequentiallyConsistent : llvm::AtomicOrdering::AcquireRelease,
                          id);
  }

  /// A barrier orders the accesses of the work-items that wait at it. For a larger scope, fences are added on both
  /// sides.
  void barrier(std::uint64_t execution, std::uint64_t scope) {
    const auto beyond = static_cast<std::uint64_t>(abi::scope::work_group);
    const auto both = static_cast<std::uint64_t>(abi::order::acq_rel);
    const bool of_sub_group = execution == static_cast<std::uint64_t>(abi::scope::sub_group);
    if (execution == static_cast<std::uint64_t>(abi::scope::device)) {
      if (scope == static_cast<std::uint64_t>(abi::scope::system)) fence(both, scope);
      meet(m_builder, m_where.meeting, m_where.group_range);
      if (scope == static_cast<std::uint64_t>(abi::scope::system)) fence(both, scope);
      return;
    }
    const bool far = scope > beyond || (of_sub_group && scope == beyond);
    if (far) fence(both, scope);
    if (of_sub_group) {
      m_dialect.sub_group_barrier(m_builder);
    } else {
      m_dialect.block_barrier(m_builder);
    }
    if (far) fence(both, scope);
  }

  // ------------------------------------------------------------------------------------------ sub-groups

  llvm::Value* sub_group(llvm::CallInst& call, llvm::StringRef name) {
    if (name == "size") return m_builder.getInt32(m_size);
    if (name == "local_id") return sub_group_local_id();
    if (name == "local_range") return sub_group_range();
    if (name == "ballot") return ballot(call.getArgOperand(0));
    return shuffle(call.getArgOperand(0), call.getArgOperand(1));
  }

  /// For groups of known size, the id is computed from local ids, which shows LLVM that sub-groups are whole.
  llvm::Value* sub_group_local_id() {
    if (llvm::isa<llvm::ConstantInt>(m_where.items_of_group)) {
      return m_builder.CreateAnd(m_builder.CreateTrunc(m_where.linear_local_id, m_builder.getInt32Ty()), m_size - 1);
    }
    llvm::Value* lane = m_dialect.lane(m_builder);
    return is_part() ? m_builder.CreateAnd(lane, m_size - 1) : lane;
  }

  // Whether the kernel's sub-groups are parts of the GPU's sub-groups.
  bool is_part() const { return m_size < m_dialect.sizes().sub_group_size; }
  llvm::Value* first_of_part() { return m_builder.CreateAnd(m_dialect.lane(m_builder), ~(m_size - 1)); }

  llvm::Value* ballot(llvm::Value* condition) {
    llvm::Value* all = m_dialect.ballot(m_builder, condition);
    if (!is_part()) return all;
    llvm::Value* first = m_builder.CreateZExt(first_of_part(), m_builder.getInt64Ty());
    return m_builder.CreateAnd(m_builder.CreateLShr(all, first), (std::uint64_t{1} << m_size) - 1);
  }

  llvm::Value* sub_group_range() {
    llvm::Type* int32 = m_builder.getInt32Ty();
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(m_where.items_of_group);
    if (known && known->getZExtValue() % m_size == 0) return m_builder.getInt32(m_size);
    llvm::Value* first =
        m_builder.CreateAnd(m_builder.CreateTrunc(m_where.linear_local_id, int32), ~std::uint32_t{m_size - 1});
    llvm::Value* left = m_builder.CreateSub(m_builder.CreateTrunc(m_where.items_of_group, int32), first);
    return m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, m_builder.getInt32(m_size));
  }

  llvm::Value* shuffle(llvm::Value* value, llvm::Value* source) {
    llvm::Type* type = value->getType();
    llvm::Type* int32 = m_builder.getInt32Ty();
    if (is_part()) source = m_builder.CreateOr(first_of_part(), m_builder.CreateAnd(source, m_size - 1));
    const auto word = [&](llvm::Value* bits) { return m_dialect.shuffle(m_builder, bits, source); };
    if (!type->isIntegerTy(64)) return m_builder.CreateTrunc(word(m_builder.CreateZExt(value, int32)), type);
    llvm::Value* low = word(m_builder.CreateTrunc(value, int32));
    llvm::Value* high = word(m_builder.CreateTrunc(m_builder.CreateLShr(value, 32), int32));
    return m_builder.CreateOr(m_builder.CreateZExt(low, type),
                              m_builder.CreateShl(m_builder.CreateZExt(high, type), 32));
  }

  // ------------------------------------------------------------------------------------------ shared memory

  /// Returns the address at which local accessors start. This is the end of the scratch memory, rounded up to 128
  /// bytes.
  llvm::Value* local_base() {
    llvm::Value* memory = shared_memory();
    if (m_scratch_bytes == 0) return memory;
    llvm::Value* scratch = m_builder.CreateMul(m_builder.CreateAdd(m_where.items_of_group, m_builder.getInt64(1)),
                                               m_builder.getInt64(m_scratch_bytes));
    llvm::Value* rounded =
        m_builder.CreateAnd(m_builder.CreateAdd(scratch, m_builder.getInt64(127)), ~std::uint64_t{127});
    return m_builder.CreatePtrAdd(memory, rounded);
  }

  llvm::Constant* shared_memory() {
    llvm::GlobalVariable* memory = m_module.getNamedGlobal(shared_memory_name);
    if (!memory) {
      memory = new llvm::GlobalVariable(m_module, llvm::ArrayType::get(m_builder.getInt8Ty(), 0), false,
                                        llvm::GlobalValue::ExternalLinkage, nullptr, shared_memory_name, nullptr,
                                        llvm::GlobalValue::NotThreadLocal, shared_space);
      memory->setAlignment(llvm::Align(128));
    }
    return llvm::ConstantExpr::getAddrSpaceCast(memory, m_builder.getPtrTy());
  }

  const dialect& m_dialect;
  llvm::Module& m_module;
  const geometry& m_where;
  std::uint64_t m_scratch_bytes;
  std::uint32_t m_size;  ///< number of work-items of a sub-group
  /// Calls that report a failure. A call becomes null if it was removed with the code behind an earlier call.
  llvm::SmallVector<llvm::WeakVH, 4> m_failing;
  llvm::IRBuilder<> m_builder;
};

}  // namespace

void lower_device_calls(const dialect& words, llvm::Module& module, const geometry& where, unsigned sub_group_size,
                        std::uint64_t scratch_bytes_per_item) {
  call_lowering lowering(words, module, where, sub_group_size, scratch_bytes_per_item);
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    if (!function.isDeclaration()) lowering.run(function);
  }
  lowering.end();
}

}  // namespace sinter::jit::gpu
