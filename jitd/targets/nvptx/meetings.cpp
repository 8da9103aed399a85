#include "meetings.hpp"

#include <abi/gpu_launch.hpp>
#include <string>

#include "targets/linked_text.hpp"

#include "device_calls.hpp"

namespace sinter::jit::nvptx {
namespace {

constexpr const char* function_name = "sinter.meet";

/// LLVM 22 would put a fence in front of the addition, which takes longer (2.6 us instead of 2.1 for 264 groups on an
/// H100).
constexpr const char* begin = R"(
define void @sinter.meet(ptr addrspace(1) %word) convergent noinline nounwind {
entry:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  %tid.x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %tid.y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tid.z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %tid.xy = or i32 %tid.x, %tid.y
  %tid = or i32 %tid.xy, %tid.z
  %leads = icmp eq i32 %tid, 0
  br i1 %leads, label %arrive, label %end
arrive:
  %block.x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %block.y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %block.z = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %block.xy = or i32 %block.x, %block.y
  %block = or i32 %block.xy, %block.z
  %is.first = icmp eq i32 %block, 0
  %blocks.x = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
  %blocks.y = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
  %blocks.z = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
  %blocks.xy = mul i32 %blocks.x, %blocks.y
  %blocks = mul i32 %blocks.xy, %blocks.z
  %others = sub i32 %blocks, 1
  %of.first = sub i32 -2147483648, %others
  %much = select i1 %is.first, i32 %of.first, i32 1
  %old = call i32 asm sideeffect "atom.add.release.gpu.global.u32 $0, [$1], $2;",
              "=r,l,r,~{memory}"(ptr addrspace(1) %word, i32 %much)
  br label %wait
wait:
  %now = load atomic i32, ptr addrspace(1) %word syncscope("device") acquire, align 4
  %changed = xor i32 %now, %old
  %met = icmp slt i32 %changed, 0
  br i1 %met, label %end, label %again
end:
  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
  ret void
)";

constexpr const char* wait_on = R"(
again:
  br label %wait
}
)";

/// A work-item that fails leaves (failures.hpp), and its block may never arrive. Then all that wait leave.
constexpr const char* wait_or_leave = R"(
again:
  %box = load ptr addrspace(1), ptr addrspace(1) @sinter_failure
  %none = icmp eq ptr addrspace(1) %box, null
  br i1 %none, label %wait, label %look
look:
  %state = load atomic i32, ptr addrspace(1) %box monotonic, align 4
  %goes.well = icmp eq i32 %state, 0
  br i1 %goes.well, label %wait, label %leave
leave:
  call void @llvm.nvvm.exit()
  unreachable
}

@sinter_failure = external addrspace(1) global ptr addrspace(1)
)";

}  // namespace

void meet(llvm::IRBuilder<>& builder, llvm::Value* place) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Type* pointer = builder.getPtrTy(global_space);
  llvm::FunctionCallee callee =
      module.getOrInsertFunction(function_name, llvm::FunctionType::get(builder.getVoidTy(), {pointer}, false));
  llvm::CallInst* call = builder.CreateCall(callee, {builder.CreateIntToPtr(place, pointer)});
  call->setConvergent();
}

bool link_meetings(llvm::Module& module) {
  if (!module.getFunction(function_name)) return false;
  const bool can_fail = module.getNamedGlobal(abi::gpu_failure_symbol) != nullptr;
  link_text(module, std::string(begin) + (can_fail ? wait_or_leave : wait_on), function_name);
  return true;
}

}  // namespace sinter::jit::nvptx
