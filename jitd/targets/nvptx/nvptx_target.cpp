#include "nvptx_target.hpp"

#include <abi/device_abi.hpp>
#include <abi/device_assembly.hpp>
#include <abi/gpu_launch.hpp>

#include "async_copies.hpp"
#include "atomic_order.hpp"
#include "byte_dots.hpp"
#include "constant_parameters.hpp"
#include "global_order.hpp"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Transforms/IPO/ConstantMerge.h"
#include "math_library.hpp"
#include "matrix_units.hpp"
#include "negated_bounds.hpp"
#include "prints.hpp"
#include "targets/code_passes.hpp"
#include "textures.hpp"
#include "warp_values.hpp"

namespace sinter::jit::nvptx {
namespace {

namespace known = llvm::Intrinsic;

/// The special registers, indexed by gpu::place and dimension.
constexpr known::ID registers[4][3] = {
    {known::nvvm_read_ptx_sreg_tid_z, known::nvvm_read_ptx_sreg_tid_y, known::nvvm_read_ptx_sreg_tid_x},
    {known::nvvm_read_ptx_sreg_ntid_z, known::nvvm_read_ptx_sreg_ntid_y, known::nvvm_read_ptx_sreg_ntid_x},
    {known::nvvm_read_ptx_sreg_ctaid_z, known::nvvm_read_ptx_sreg_ctaid_y, known::nvvm_read_ptx_sreg_ctaid_x},
    {known::nvvm_read_ptx_sreg_nctaid_z, known::nvvm_read_ptx_sreg_nctaid_y, known::nvvm_read_ptx_sreg_nctaid_x}};

/// `arrive` is inline PTX, because LLVM 22 would put a fence in front of the addition. With this fence, a barrier of
/// 264 groups takes 2.6 us on an H100 instead of 2.1 us.
constexpr gpu::words ptx_words = {"@llvm.nvvm.read.ptx.sreg.tid.",
                                  "@llvm.nvvm.read.ptx.sreg.ctaid.",
                                  "call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)",
                                  "call void @llvm.nvvm.exit()\n  unreachable",
                                  "call i32 asm sideeffect \"atom.add.release.gpu.global.u32 $0, [$1], $2;\", "
                                  "\"=r,l,r,~{memory}\"(ptr addrspace(1) %word, i32 %much)",
                                  "device"};

constexpr gpu::size_limits ptx_sizes = {"NVIDIA GPUs", warp_size, false, {64, 1024, 1024}, 1024};
constexpr gpu::parameters ptx_parameters = {gpu::generic_space, llvm::Attribute::ByVal, sizeof(abi::gpu_geometry)};

/// Returns 90 for "sm_90" and "sm_90a", and 0 for a string that is no GPU's name.
unsigned generation_of(llvm::StringRef gpu) {
  unsigned number = 0;
  return gpu.consume_front("sm_") && !gpu.consumeInteger(10, number) ? number : 0;
}

class ptx final : public gpu::dialect {
public:
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> make_machine(const std::string& gpu,
                                                                    std::uint64_t parameter_bytes) const override {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    const llvm::Triple triple("nvptx64-nvidia-cuda");
    std::string error;
    const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
    if (!target) return llvm::createStringError(error);
    // GPUs before sm_70 lack warps whose work-items diverge and meet again, and scopes of fences.
    const unsigned generation = generation_of(gpu);
    if (generation < 70) return llvm::createStringError("code is made for GPUs from sm_70 on, not for '" + gpu + "'");
    // Newer generations require a newer version of PTX, which LLVM chooses.
    const char* version = generation > 90 ? "" : parameter_bytes > abi::most_gpu_parameter_bytes ? "+ptx81" : "+ptx80";
    std::unique_ptr<llvm::TargetMachine> machine(
        target->createTargetMachine(triple, gpu, version, llvm::TargetOptions(), llvm::Reloc::PIC_, std::nullopt,
                                    llvm::CodeGenOptLevel::Aggressive));
    if (!machine || !machine->getMCSubtargetInfo()->isCPUStringValid(gpu)) {
      return llvm::createStringError("LLVM makes no code for the GPU '" + gpu + "'");
    }
    return machine;
  }

  const gpu::size_limits& sizes() const override { return ptx_sizes; }
  const gpu::parameters& how_launched() const override { return ptx_parameters; }
  bool has_functions() const override { return true; }
  const char* assembly() const override { return abi::ptx_assembly; }

  bool knows_block_size() const override { return true; }
  void mark_entry(llvm::Function& entry, const abi::local_range& block, bool smaller) const override {
    entry.setCallingConv(llvm::CallingConv::PTX_Kernel);
    if (block[2] != 0) {
      entry.addFnAttr(smaller ? "nvvm.maxntid" : "nvvm.reqntid",
                      std::to_string(block[2]) + "," + std::to_string(block[1]) + "," + std::to_string(block[0]));
    } else {
      // Blocks may have any size that devices offer, so a thread may use only as many registers as 1024 threads can all
      // have.
      entry.addFnAttr("nvvm.maxntid", "1024");
    }
  }
  llvm::Value* read(llvm::IRBuilder<>& builder, gpu::place what, unsigned dimension) const override {
    return builder.CreateIntrinsic(builder.getInt32Ty(), registers[static_cast<unsigned>(what)][dimension], {});
  }
  unsigned thread_dimension(const llvm::Instruction& instruction) const override {
    const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction);
    for (unsigned d = 0; call && d < 3; ++d) {
      if (call->getIntrinsicID() == registers[0][d]) return d;
    }
    return 3;
  }
  const char* scope_name(abi::scope scope) const override {
    switch (scope) {
      case abi::scope::work_item:
      case abi::scope::sub_group:
      case abi::scope::work_group:
        return "block";
      case abi::scope::device:
        return "device";
      default:
        return "";
    }
  }
  void block_barrier(llvm::IRBuilder<>& builder) const override {
    builder.CreateIntrinsic(known::nvvm_barrier_cta_sync_aligned_all, {}, {builder.getInt32(0)});
  }
  void sub_group_barrier(llvm::IRBuilder<>& builder) const override {
    builder.CreateIntrinsic(known::nvvm_bar_warp_sync, {}, {all_lanes(builder)});
  }
  llvm::Value* lane(llvm::IRBuilder<>& builder) const override {
    return builder.CreateIntrinsic(builder.getInt32Ty(), known::nvvm_read_ptx_sreg_laneid, {});
  }
  llvm::Value* ballot(llvm::IRBuilder<>& builder, llvm::Value* condition) const override {
    llvm::Value* lanes = builder.CreateIntrinsic(known::nvvm_vote_ballot_sync, {}, {all_lanes(builder), condition});
    return builder.CreateZExt(lanes, builder.getInt64Ty());
  }
  llvm::Value* shuffle(llvm::IRBuilder<>& builder, llvm::Value* bits, llvm::Value* source) const override {
    return builder.CreateIntrinsic(known::nvvm_shfl_sync_idx_i32, {},
                                   {all_lanes(builder), bits, source, builder.getInt32(warp_size - 1)});
  }
  const gpu::words& text_words() const override { return ptx_words; }

  llvm::Error lower_matrices(llvm::Function& kernel, unsigned, const llvm::TargetMachine& machine) const override {
    return nvptx::lower_matrices(kernel, generation_of(machine.getTargetCPU()));
  }
  void place_matrices(llvm::Function& entry) const override { nvptx::place_matrices(entry); }
  void lower_textures(llvm::Module& module) const override { nvptx::lower_textures(module); }
  llvm::Error lower_prints(llvm::Module& module) const override {
    nvptx::lower_prints(module);
    return llvm::Error::success();
  }
  llvm::Error link_math(llvm::Module& module, const llvm::TargetMachine&) const override {
    return nvptx::link_math(module);
  }
  void fence_atomics(llvm::Module& module) const override { nvptx::fence_atomics(module); }
  void widen_atomics(llvm::Function& function) const override { nvptx::widen_atomics(function); }
  void simplify_exchanges(llvm::Function& entry, const abi::local_range& block,
                          const llvm::TargetMachine& machine) const override {
    simplify_warp_values(entry, block, generation_of(machine.getTargetCPU()));
  }
  bool copies_ahead() const override { return true; }
  void copy_asynchronously(llvm::Function& entry, llvm::ArrayRef<abi::image_leaf> leaves,
                           llvm::FunctionAnalysisManager& analyses,
                           const llvm::TargetMachine& machine) const override {
    if (generation_of(machine.getTargetCPU()) < 80) return;
    nvptx::copy_asynchronously(entry, leaves, analyses.getResult<llvm::AAManager>(entry),
                               analyses.getResult<llvm::ScalarEvolutionAnalysis>(entry),
                               analyses.getResult<llvm::LoopAnalysis>(entry));
    analyses.invalidate(entry, llvm::PreservedAnalyses::none());
  }
  void dot_bytes(llvm::Function& entry, passes::pass_runner& runner) const override { nvptx::dot_bytes(entry, runner); }
  /// Joins equal constants, because no later pass joins them once they are in global memory.
  llvm::Error place_constants(llvm::PassBuilder& builder, llvm::ModulePassManager& passes) const override {
    passes.addPass(llvm::ConstantMergePass());
    return builder.parsePassPipeline(passes, "generic-to-nvvm");
  }
  bool is_of_driver(const llvm::Function& function) const override { return function.getName() == "vprintf"; }

  llvm::Expected<std::string> emit(llvm::TargetMachine& machine, llvm::Module& module) const override {
    order_globals(module);
    mark_constant_parameters(module);
    llvm::SmallVector<char, 0> text;
    if (!emit_code(machine, module, llvm::CodeGenFileType::AssemblyFile, text)) {
      return llvm::createStringError("LLVM can't emit PTX");
    }
    return without_negated_bounds({text.data(), text.size()});
  }

private:
  static llvm::Value* all_lanes(llvm::IRBuilder<>& builder) { return builder.getInt32(0xffffffff); }
};

}  // namespace

const gpu::dialect& ptx_dialect() {
  static const ptx words;
  return words;
}

}  // namespace sinter::jit::nvptx
