#include "amdgcn_target.hpp"

#include <abi/device_abi.hpp>
#include <abi/gpu_launch.hpp>
#include <cstddef>

#include "code_object.hpp"
#include "constant_memory.hpp"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "math_library.hpp"

namespace sinter::jit::amdgcn {
namespace {

namespace known = llvm::Intrinsic;

/// The intrinsics for each dimension, in padded SYCL order.
constexpr known::ID thread_ids[3] = {known::amdgcn_workitem_id_z, known::amdgcn_workitem_id_y,
                                     known::amdgcn_workitem_id_x};
constexpr known::ID block_ids[3] = {known::amdgcn_workgroup_id_z, known::amdgcn_workgroup_id_y,
                                    known::amdgcn_workgroup_id_x};

/// A wave ends as a whole, so a single work-item can only return from its function.
constexpr gpu::words text = {"@llvm.amdgcn.workitem.id.",
                             "@llvm.amdgcn.workgroup.id.",
                             "fence syncscope(\"workgroup\") release\n"
                             "  call void @llvm.amdgcn.s.barrier()\n"
                             "  fence syncscope(\"workgroup\") acquire",
                             "ret void",
                             "atomicrmw add ptr addrspace(1) %word, i32 %much syncscope(\"agent\") release",
                             "agent"};

constexpr unsigned constant_space = 4;
constexpr gpu::parameters taken = {constant_space, llvm::Attribute::ByRef, sizeof(abi::grid_geometry)};

constexpr gpu::size_limits sizes_of(unsigned wave) {
  return {wave == 64 ? "AMD's GPUs with waves of 64" : "AMD's GPUs with waves of 32", wave, true,
          {1024, 1024, 1024}, 1024};
}
constexpr gpu::size_limits wide_waves = sizes_of(64), narrow_waves = sizes_of(32);

class amd final : public gpu::dialect {
public:
  explicit amd(const gpu::size_limits& sizes) : m_sizes(sizes) {}

  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string& gpu,
                                                                    std::uint64_t) const override {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    const llvm::Triple triple("amdgcn-amd-amdhsa");
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target) return llvm::createStringError(error);
    // GPUs before gfx9 lack the generic address space.
    if (generation_of(gpu) < 9) {
      return llvm::createStringError("code is made for GPUs from gfx900 on, not for '" + gpu + "'");
    }
    std::unique_ptr<llvm::TargetMachine> machine(
        target->createTargetMachine(triple, gpu, "", llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
                                    llvm::CodeGenOptLevel::Aggressive));
    if (!machine || !machine->getMCSubtargetInfo()->isCPUStringValid(gpu)) {
      return llvm::createStringError("LLVM makes no code for the GPU '" + gpu + "'");
    }
    return machine;
  }

  const gpu::size_limits& sizes() const override { return m_sizes; }
  const gpu::parameters& how_launched() const override { return taken; }
  /// Some of these GPUs have instructions that compute with two floats, so LLVM may make vectors.
  llvm::PipelineTuningOptions tuning() const override {
    llvm::PipelineTuningOptions options;
    options.SLPVectorization = true;
    return options;
  }
  bool has_functions() const override { return false; }
  bool has_scalar_unit() const override { return true; }

  void mark_entry(llvm::Function& entry, const abi::local_range& block, bool) const override {
    entry.setCallingConv(llvm::CallingConv::AMDGPU_KERNEL);
    entry.setVisibility(llvm::GlobalValue::ProtectedVisibility);
    const bool is_known = block[2] != 0;
    const std::string most = std::to_string(is_known ? block[0] * block[1] * block[2] : m_sizes.most_in_all);
    entry.addFnAttr("amdgpu-flat-work-group-size", (is_known ? most : "1") + "," + most);
    entry.addFnAttr("uniform-work-group-size", "true");
    for (const char* each : {"amdgpu-no-implicitarg-ptr", "amdgpu-no-dispatch-ptr", "amdgpu-no-dispatch-id",
                             "amdgpu-no-queue-ptr", "amdgpu-no-hostcall-ptr", "amdgpu-no-heap-ptr",
                             "amdgpu-no-multigrid-sync-arg", "amdgpu-no-default-queue", "amdgpu-no-completion-action",
                             "amdgpu-no-lds-kernel-id"}) {
      entry.addFnAttr(each);
    }
  }
  llvm::Value* read(llvm::IRBuilder<>& builder, gpu::place what, unsigned dimension) const override {
    switch (what) {
      case gpu::place::thread_id:
        return builder.CreateIntrinsic(builder.getInt32Ty(), thread_ids[dimension], {});
      case gpu::place::block_id:
        return builder.CreateIntrinsic(builder.getInt32Ty(), block_ids[dimension], {});
      case gpu::place::block_size:
        return geometry_word(builder, offsetof(abi::grid_geometry, block_size) + 4 * dimension);
      default:
        return geometry_word(builder, offsetof(abi::grid_geometry, grid_size) + 4 * dimension);
    }
  }
  unsigned thread_dimension(const llvm::Instruction& instruction) const override {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    for (unsigned d = 0; call && d < 3; ++d) {
      if (call->getIntrinsicID() == thread_ids[d]) return d;
    }
    return 3;
  }
  const char* scope_name(abi::scope scope) const override {
    switch (scope) {
      case abi::scope::work_item:
      case abi::scope::sub_group:
        return "wavefront";
      case abi::scope::work_group:
        return "workgroup";
      case abi::scope::device:
        return text.device;
      default:
        return "";
    }
  }
  void block_barrier(llvm::IRBuilder<>& builder) const override {
    meet(builder, known::amdgcn_s_barrier, scope_name(abi::scope::work_group));
  }
  void sub_group_barrier(llvm::IRBuilder<>& builder) const override {
    meet(builder, known::amdgcn_wave_barrier, scope_name(abi::scope::sub_group));
  }
  llvm::Value* lane(llvm::IRBuilder<>& builder) const override {
    llvm::Value *all = builder.getInt32(0xffffffff), *none = builder.getInt32(0);
    llvm::Value* low = builder.CreateIntrinsic(known::amdgcn_mbcnt_lo, {}, {all, none});
    return m_sizes.sub_group_size == 32 ? low : builder.CreateIntrinsic(known::amdgcn_mbcnt_hi, {}, {all, low});
  }
  llvm::Value* ballot(llvm::IRBuilder<>& builder, llvm::Value* condition) const override {
    llvm::Type* lanes = builder.getIntNTy(m_sizes.sub_group_size);
    return builder.CreateZExt(builder.CreateIntrinsic(known::amdgcn_ballot, {lanes}, {condition}),
                              builder.getInt64Ty());
  }
  llvm::Value* shuffle(llvm::IRBuilder<>& builder, llvm::Value* bits, llvm::Value* source) const override {
    return builder.CreateIntrinsic(known::amdgcn_ds_bpermute, {}, {builder.CreateShl(source, 2), bits});
  }
  const gpu::words& text_words() const override { return text; }

  llvm::Error link_math(llvm::Module& module, const llvm::TargetMachine& machine) const override {
    return amdgcn::link_math(module, machine.getTargetCPU(), m_sizes.sub_group_size);
  }
  /// Instructions that add floats may have no effect on memory of the host or of another GPU. Some of these
  /// instructions treat denormals as zero, which SYCL allows.
  void mark_own_memory(llvm::AtomicRMWInst& atomic) const override {
    if (!atomic.isFloatingPointOperation()) return;
    llvm::MDNode* const yes = llvm::MDNode::get(atomic.getContext(), {});
    for (const char* each : {"amdgpu.no.fine.grained.memory", "amdgpu.no.remote.memory",
                             "amdgpu.ignore.denormal.mode"}) {
      atomic.setMetadata(each, yes);
    }
  }
  llvm::Error place_constants(llvm::PassBuilder&, llvm::ModulePassManager& passes) const override {
    passes.addPass(constant_memory(constant_space));
    return llvm::Error::success();
  }
  bool is_of_driver(const llvm::Function&) const override { return false; }
  llvm::Expected<std::string> emit(llvm::TargetMachine& machine, llvm::Module& module) const override {
    return make_code_object(machine, module);
  }

private:
  static void meet(llvm::IRBuilder<>& builder, known::ID barrier, const char* scope) {
    const llvm::SyncScope::ID id = builder.getContext().getOrInsertSyncScopeID(scope);
    builder.CreateFence(llvm::AtomicOrdering::Release, id);
    builder.CreateIntrinsic(builder.getVoidTy(), barrier, {});
    builder.CreateFence(llvm::AtomicOrdering::Acquire, id);
  }

  const gpu::size_limits& m_sizes;
};

}  // namespace

bool is_name(const char* gpu) { return llvm::StringRef(gpu).starts_with("gfx"); }

const gpu::dialect& dialect_for(const char* gpu) {
  static const amd wide(wide_waves), narrow(narrow_waves);
  return generation_of(gpu) < 10 ? wide : narrow;
}

}  // namespace sinter::jit::amdgcn
