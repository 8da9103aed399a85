#include "device_calls.hpp"

#include <abi/device_abi.hpp>
#include <abi/gpu_launch.hpp>

#include "address_spaces.hpp"
#include "failures.hpp"

#include "targets/device_code.hpp"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/IRBuilder.h"

namespace sinter::jit::spirv {
namespace {

// The numbers are those of the SPIR-V specification.
enum class spirv_scope : std::uint32_t { cross_device = 0, device = 1, work_group = 2, sub_group = 3, work_item = 4 };
constexpr std::uint32_t acquire = 2, release = 4, acquire_release = 8, sequentially_consistent = 16;
constexpr std::uint32_t all_memory = 0x100 | 0x200;  ///< bits of both the work-group's memory and global memory

using values = std::array<llvm::Value*, 3>;

class call_lowering {
public:
  call_lowering(llvm::Module& module, const kernel_entry& entry, const abi::local_range& local_range,
                unsigned dimensions, unsigned sub_group_size, std::uint64_t scratch_bytes_per_item, bool linear_groups,
                bool is_padded)
      : m_module(module),
        m_entry(entry),
        m_known(local_range),
        m_dimensions(dimensions),
        m_sub_group_size(sub_group_size),
        m_scratch_bytes(scratch_bytes_per_item),
        m_linear(linear_groups),
        m_padded(is_padded),
        m_builder(module.getContext()) {}

  void run() {
    if (m_linear) read_linear_position();
    if (m_padded) read_range();
    for (llvm::Function& function : llvm::make_early_inc_range(m_module)) {
      if (!function.isDeclaration()) run(function);
    }
    for (llvm::CallInst* failing : m_failing) fail(*failing, m_entry.failure);
  }

private:
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

  /// Returns null if the function has no result, or if this class does not lower it.
  llvm::Value* lower(llvm::CallInst& call, llvm::StringRef name) {
    if (name == "__sinter_on_device") return m_builder.getTrue();
    if (name == "__sinter_local_base") return local_base();
    if (name == "__sinter_group_scratch") return local_memory();
    if (name == "__sinter_barrier") return barrier(strength_of(call, 0), strength_of(call, 1)), nullptr;
    if (name == "__sinter_fence") return fence(strength_of(call, 0), strength_of(call, 1)), nullptr;
    if (name.consume_front("__sinter_sub_group_")) return sub_group(call, name);
    return position(call, name);
  }

  // ------------------------------------------------------------------------------------------ position

  llvm::CallInst* builtin(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> operands,
                          bool is_pure = true) {
    return call_builtin(*m_builder.GetInsertPoint(), name, result, operands, is_pure);
  }

  llvm::Value* query(llvm::StringRef builtin_name, unsigned dimension) {
    llvm::CallInst* call = builtin(builtin_name, m_builder.getInt64Ty(), {m_builder.getInt32(2 - dimension)});
    const bool of_group = builtin_name == "_Z12get_local_idj" && m_known[2] != 0;
    return of_group && !m_linear ? within(call, 0, m_known[dimension]) : call;
  }

  static llvm::CallInst* within(llvm::CallInst* call, std::uint64_t least, std::uint64_t behind) {
    const unsigned width = call->getType()->getIntegerBitWidth();
    call->addRangeRetAttr(llvm::ConstantRange(llvm::APInt(width, least), llvm::APInt(width, behind)));
    return call;
  }

  llvm::Value* position(llvm::CallInst& call, llvm::StringRef name) {
    const llvm::StringRef builtin_name = llvm::StringSwitch<llvm::StringRef>(name)
                                             .Case("__sinter_global_id", "_Z13get_global_idj")
                                             .Case("__sinter_local_id", "_Z12get_local_idj")
                                             .Case("__sinter_group_id", "_Z12get_group_idj")
                                             .Case("__sinter_global_range", "_Z15get_global_sizej")
                                             .Case("__sinter_local_range", "_Z14get_local_sizej")
                                             .Case("__sinter_group_range", "_Z14get_num_groupsj")
                                             .Case("__sinter_global_offset", "_Z17get_global_offsetj")
                                             .Default("");
    if (builtin_name.empty()) return nullptr;
    const auto of = [&](unsigned dimension) -> llvm::Value* {
      if (name == "__sinter_local_range" && m_known[2] != 0) return m_builder.getInt64(m_known[dimension]);
      if (name == "__sinter_global_range" && m_padded) return m_global_range[dimension];
      return m_linear ? (*linear(name))[dimension] : query(builtin_name, dimension);
    };
    if (const auto* dimension = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(0))) {
      return of(dimension->getZExtValue() % 3);
    }
    llvm::Value* dimension = call.getArgOperand(0);
    llvm::Value* last = m_builder.CreateSelect(m_builder.CreateICmpEQ(dimension, m_builder.getInt32(1)), of(1), of(2));
    return m_builder.CreateSelect(m_builder.CreateICmpEQ(dimension, m_builder.getInt32(0)), of(0), last);
  }

  const values* linear(llvm::StringRef name) const {
    return llvm::StringSwitch<const values*>(name)
        .Case("__sinter_global_id", &m_global_id)
        .Case("__sinter_local_id", &m_local_id)
        .Case("__sinter_group_id", &m_group_id)
        .Case("__sinter_global_range", &m_global_range)
        .Case("__sinter_local_range", &m_local_range)
        .Case("__sinter_group_range", &m_group_range)
        .Default(&m_offset);
  }

  llvm::Value* word(std::size_t offset, unsigned dimension) {
    llvm::Value* place =
        m_builder.CreateConstInBoundsGEP1_64(m_builder.getInt8Ty(), m_entry.geometry, offset + 8 * dimension);
    return m_builder.CreateAlignedLoad(m_builder.getInt64Ty(), place, llvm::Align(8));
  }

  void read_range() {
    m_builder.SetInsertPoint(&*m_entry.function->getEntryBlock().getFirstInsertionPt());
    for (unsigned d = 0; d < 3; ++d) m_global_range[d] = word(offsetof(abi::gpu_geometry, global_range), d);
  }

  void read_linear_position() {
    m_builder.SetInsertPoint(&*m_entry.function->getEntryBlock().getFirstInsertionPt());
    llvm::Value* item = query("_Z12get_local_idj", 2);
    llvm::Value* group = query("_Z12get_group_idj", 2);
    for (unsigned d = 3; d-- > 0;) {
      m_global_range[d] = word(offsetof(abi::gpu_geometry, global_range), d);
      m_group_range[d] = word(offsetof(abi::gpu_geometry, group_range), d);
      m_offset[d] = word(offsetof(abi::gpu_geometry, global_offset), d);
      m_local_range[d] = m_known[2] != 0 ? static_cast<llvm::Value*>(m_builder.getInt64(m_known[d]))
                                         : m_builder.CreateUDiv(m_global_range[d], m_group_range[d]);
      const bool is_first = d + m_dimensions == 3;
      m_local_id[d] = is_first ? item : m_builder.CreateURem(item, m_local_range[d]);
      m_group_id[d] = is_first ? group : m_builder.CreateURem(group, m_group_range[d]);
      item = is_first ? m_builder.getInt64(0) : m_builder.CreateUDiv(item, m_local_range[d]);
      group = is_first ? m_builder.getInt64(0) : m_builder.CreateUDiv(group, m_group_range[d]);
      if (d + m_dimensions < 3) m_local_id[d] = m_group_id[d] = m_builder.getInt64(0);
      m_global_id[d] = m_builder.CreateAdd(
          m_builder.CreateAdd(m_builder.CreateMul(m_group_id[d], m_local_range[d]), m_local_id[d]), m_offset[d]);
    }
  }

  // ------------------------------------------------------------------------------------------ order

  static std::uint32_t scope_of(std::uint64_t scope) {
    switch (static_cast<abi::scope>(scope)) {
      case abi::scope::work_item:
        return static_cast<std::uint32_t>(spirv_scope::work_item);
      case abi::scope::sub_group:
        return static_cast<std::uint32_t>(spirv_scope::sub_group);
      case abi::scope::work_group:
        return static_cast<std::uint32_t>(spirv_scope::work_group);
      case abi::scope::device:
        return static_cast<std::uint32_t>(spirv_scope::device);
      default:
        return static_cast<std::uint32_t>(spirv_scope::cross_device);
    }
  }

  /// Whether the scope contains only one work-item.
  bool is_alone(std::uint64_t scope) const {
    return scope == static_cast<std::uint64_t>(abi::scope::work_item) ||
           (m_sub_group_size == 1 && scope == static_cast<std::uint64_t>(abi::scope::sub_group));
  }

  void fence(std::uint64_t order, std::uint64_t scope) {
    constexpr std::uint32_t semantics[] = {0, acquire, release, acquire_release, sequentially_consistent};
    if (order == 0 || is_alone(scope)) return;
    const std::uint32_t how = semantics[std::min<std::uint64_t>(order, 4)] | all_memory;
    builtin("_Z21__spirv_MemoryBarrierjj", m_builder.getVoidTy(),
            {m_builder.getInt32(scope_of(scope)), m_builder.getInt32(how)}, /*is_pure=*/false);
  }

  void barrier(std::uint64_t execution, std::uint64_t scope) {
    const bool of_sub_group = execution == static_cast<std::uint64_t>(abi::scope::sub_group);
    if (is_alone(execution)) return fence(static_cast<std::uint64_t>(abi::order::acq_rel), scope);
    const auto who = of_sub_group ? spirv_scope::sub_group : spirv_scope::work_group;
    builtin("_Z22__spirv_ControlBarrierjjj", m_builder.getVoidTy(),
            {m_builder.getInt32(static_cast<std::uint32_t>(who)), m_builder.getInt32(scope_of(scope)),
             m_builder.getInt32(sequentially_consistent | all_memory)},
            /*is_pure=*/false);
  }

  // ------------------------------------------------------------------------------------------ sub-groups

  llvm::Value* sub_group(llvm::CallInst& call, llvm::StringRef name) {
    llvm::Type* int32 = m_builder.getInt32Ty();
    if (name == "size") return m_builder.getInt32(m_sub_group_size);
    if (m_sub_group_size == 1) return alone(call, name);
    if (name == "local_id") return within(builtin("_Z22get_sub_group_local_idv", int32, {}), 0, m_sub_group_size);
    // With the range, LLVM removes comparisons of the size with 0. If these comparisons stayed, Intel's driver would
    // run the work-items of small groups one by one.
    if (name == "local_range") return within(builtin("_Z18get_sub_group_sizev", int32, {}), 1, m_sub_group_size + 1);
    if (name == "ballot") return ballot(call.getArgOperand(0));
    return shuffle(call.getArgOperand(0), call.getArgOperand(1));
  }

  /// Computes results for a work-item that is a sub-group by itself, because drivers without sub-groups have no
  /// functions for this case.
  llvm::Value* alone(llvm::CallInst& call, llvm::StringRef name) {
    if (name == "local_id") return m_builder.getInt32(0);
    if (name == "local_range") return m_builder.getInt32(1);
    llvm::Value* own = call.getArgOperand(0);
    return name == "ballot" ? m_builder.CreateZExt(own, m_builder.getInt64Ty()) : own;
  }

  /// Computes a ballot as a sum with one bit for each work-item. In some kernels, Intel's CPU driver has no vector form
  /// of sub_group_ballot and ends the process.
  llvm::Value* ballot(llvm::Value* condition) {
    const bool is_wide = m_sub_group_size > 32;
    llvm::Type* type = m_builder.getIntNTy(is_wide ? 64 : 32);
    llvm::Value* lane = m_builder.CreateZExt(builtin("_Z22get_sub_group_local_idv", m_builder.getInt32Ty(), {}), type);
    llvm::Value* bit = m_builder.CreateShl(llvm::ConstantInt::get(type, 1), lane);
    llvm::Value* own = m_builder.CreateSelect(condition, bit, llvm::ConstantInt::get(type, 0));
    llvm::Value* all = builtin(is_wide ? "_Z20sub_group_reduce_addm" : "_Z20sub_group_reduce_addj", type, {own},
                               /*is_pure=*/false);
    return m_builder.CreateZExt(all, m_builder.getInt64Ty());
  }

  llvm::Value* shuffle(llvm::Value* value, llvm::Value* source) {
    llvm::Type* type = value->getType();
    llvm::Type* int32 = m_builder.getInt32Ty();
    llvm::Value* lane = m_builder.CreateAnd(source, m_builder.getInt32(m_sub_group_size - 1));
    if (m_sub_group_size == 4 && type->isIntegerTy(64)) {
      // Hides that the source is the same for all work-items, because Intel's driver 2026.2 would turn the shuffle into
      // a broadcast that its own code generator does not know.
      llvm::Value* nothing = m_builder.CreateLShr(query("_Z13get_global_idj", 2), 63);
      lane = m_builder.CreateOr(lane, m_builder.CreateTrunc(nothing, int32));
    }
    const auto word = [&](llvm::Value* bits) {
      return builtin("_Z17sub_group_shufflejj", int32, {bits, lane}, /*is_pure=*/false);
    };
    if (!type->isIntegerTy(64)) return m_builder.CreateTrunc(word(m_builder.CreateZExt(value, int32)), type);
    llvm::Value* low = word(m_builder.CreateTrunc(value, int32));
    llvm::Value* high = word(m_builder.CreateTrunc(m_builder.CreateLShr(value, 32), int32));
    return m_builder.CreateOr(m_builder.CreateZExt(low, type),
                              m_builder.CreateShl(m_builder.CreateZExt(high, type), 32));
  }

  // ------------------------------------------------------------------------------------------ local memory

  llvm::Value* local_memory() { return m_builder.CreateAddrSpaceCast(m_entry.local, m_builder.getPtrTy()); }

  /// Returns the start of local accessors, which follow the scratch, rounded up to 128 bytes.
  llvm::Value* local_base() {
    llvm::Value* memory = local_memory();
    if (m_scratch_bytes == 0) return memory;
    llvm::Value* items = m_builder.getInt64(1);
    for (unsigned d = 0; d < 3; ++d) {
      items = m_builder.CreateMul(items, m_known[2] != 0 ? static_cast<llvm::Value*>(m_builder.getInt64(m_known[d]))
                                         : m_linear      ? m_local_range[d]
                                                         : query("_Z14get_local_sizej", d));
    }
    llvm::Value* scratch =
        m_builder.CreateMul(m_builder.CreateAdd(items, m_builder.getInt64(1)), m_builder.getInt64(m_scratch_bytes));
    llvm::Value* rounded =
        m_builder.CreateAnd(m_builder.CreateAdd(scratch, m_builder.getInt64(127)), ~std::uint64_t{127});
    return m_builder.CreatePtrAdd(memory, rounded);
  }

  llvm::Module& m_module;
  const kernel_entry& m_entry;
  const abi::local_range& m_known;
  unsigned m_dimensions, m_sub_group_size;
  std::uint64_t m_scratch_bytes;
  bool m_linear, m_padded;
  llvm::IRBuilder<> m_builder;
  values m_global_id{}, m_local_id{}, m_group_id{}, m_global_range{}, m_local_range{}, m_group_range{}, m_offset{};
  llvm::SmallVector<llvm::CallInst*, 4> m_failing;
};

}  // namespace

llvm::CallInst* call_builtin(llvm::Instruction& where, llvm::StringRef name, llvm::Type* result,
                             llvm::ArrayRef<llvm::Value*> operands, bool is_pure) {
  llvm::SmallVector<llvm::Type*, 4> types;
  for (llvm::Value* operand : operands) types.push_back(operand->getType());
  llvm::Module& module = *where.getModule();
  llvm::FunctionCallee callee = module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false));
  auto& function = *llvm::cast<llvm::Function>(callee.getCallee());
  function.setCallingConv(llvm::CallingConv::SPIR_FUNC);
  function.setDoesNotThrow();
  function.setWillReturn();
  if (is_pure) {
    function.setDoesNotAccessMemory();
  } else {
    function.setConvergent();
  }
  llvm::IRBuilder<> builder(&where);
  llvm::CallInst* call = builder.CreateCall(callee, operands);
  call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  return call;
}

void lower_device_calls(llvm::Module& module, const kernel_entry& entry, const abi::local_range& local_range,
                        unsigned dimensions, unsigned sub_group_size, std::uint64_t scratch_bytes_per_item,
                        bool linear_groups, bool is_padded) {
  call_lowering lowering(module, entry, local_range, dimensions, sub_group_size, scratch_bytes_per_item, linear_groups,
                         is_padded);
  lowering.run();
}

}  // namespace sinter::jit::spirv
