#include "meetings.hpp"

#include <abi/gpu_launch.hpp>
#include <string>

#include "targets/linked_text.hpp"

#include "text_words.hpp"

namespace sinter::jit::gpu {
namespace {

constexpr const char* function_name = "sinter.meet";

constexpr const char* begin = R"(
define void @sinter.meet(ptr addrspace(1) %word, i32 %blocks) convergent noinline nounwind {
entry:
  BLOCK_BARRIER
  %tid.x = call i32 @thread.id.x()
  %tid.y = call i32 @thread.id.y()
  %tid.z = call i32 @thread.id.z()
  %tid.xy = or i32 %tid.x, %tid.y
  %tid = or i32 %tid.xy, %tid.z
  %leads = icmp eq i32 %tid, 0
  br i1 %leads, label %arrive, label %end
arrive:
  %block.x = call i32 @block.id.x()
  %block.y = call i32 @block.id.y()
  %block.z = call i32 @block.id.z()
  %block.xy = or i32 %block.x, %block.y
  %block = or i32 %block.xy, %block.z
  %is.first = icmp eq i32 %block, 0
  %others = sub i32 %blocks, 1
  %of.first = sub i32 -2147483648, %others
  %much = select i1 %is.first, i32 %of.first, i32 1
  %old = ARRIVE
  br label %wait
wait:
  %now = load atomic i32, ptr addrspace(1) %word syncscope("DEVICE") acquire, align 4
  %changed = xor i32 %now, %old
  %met = icmp slt i32 %changed, 0
  br i1 %met, label %end, label %again
end:
  BLOCK_BARRIER
  ret void
)";

constexpr const char* wait_on = R"(
again:
  br label %wait
}
)";

/// If a work-item fails, it ends (failures.hpp), so its block may never arrive. In this case, all waiting work-items
/// end, too.
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
  LEAVE
}

@sinter_failure = external addrspace(1) global ptr addrspace(1)
)";

}  // namespace

void meet(llvm::IRBuilder<>& builder, llvm::Value* place, const geometry::values& groups) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Type* pointer = builder.getPtrTy(global_space);
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      function_name, llvm::FunctionType::get(builder.getVoidTy(), {pointer, builder.getInt32Ty()}, false));
  llvm::Value* blocks = builder.getInt32(1);
  for (llvm::Value* each : groups) blocks = builder.CreateMul(blocks, builder.CreateTrunc(each, builder.getInt32Ty()));
  llvm::CallInst* call = builder.CreateCall(callee, {builder.CreateIntToPtr(place, pointer), blocks});
  call->setConvergent();
}

bool link_meetings(const dialect& its, llvm::Module& module) {
  if (!module.getFunction(function_name)) return false;
  const bool can_fail = module.getNamedGlobal(abi::gpu_failure_symbol) != nullptr;
  link_text(module, in_words_of(its, std::string(begin) + (can_fail ? wait_or_leave : wait_on)), function_name);
  return true;
}

}  // namespace sinter::jit::gpu
