#include "failures.hpp"

#include "llvm/IR/Module.h"
#include "targets/failure_reports.hpp"

namespace sinter::jit::nvptx {
namespace {

/// The host's memory is written by the first work-item that gets `state`; strings are cut at the end of the text.
constexpr const char* code = R"(
@sinter_failure = addrspace(1) externally_initialized global ptr addrspace(1) null

define void @sinter.fail(ptr %message, ptr %file, ptr %function, i32 %line) noinline noreturn cold {
entry:
  %box = load ptr addrspace(1), ptr addrspace(1) @sinter_failure
  %none = icmp eq ptr addrspace(1) %box, null
  br i1 %none, label %nobody, label %ask
nobody:
  call void @llvm.trap()
  unreachable
ask:
  %pair = cmpxchg ptr addrspace(1) %box, i32 0, i32 1 monotonic monotonic
  %first = extractvalue { i32, i1 } %pair, 1
  br i1 %first, label %report, label %end
report:
  %line.place = getelementptr i8, ptr addrspace(1) %box, i64 4
  store i32 %line, ptr addrspace(1) %line.place
  %ctaid.z = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %ctaid.y = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %ctaid.x = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %tid.z = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %tid.y = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %tid.x = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p0 = getelementptr i8, ptr addrspace(1) %box, i64 8
  store i32 %ctaid.z, ptr addrspace(1) %p0
  %p1 = getelementptr i8, ptr addrspace(1) %box, i64 12
  store i32 %ctaid.y, ptr addrspace(1) %p1
  %p2 = getelementptr i8, ptr addrspace(1) %box, i64 16
  store i32 %ctaid.x, ptr addrspace(1) %p2
  %p3 = getelementptr i8, ptr addrspace(1) %box, i64 20
  store i32 %tid.z, ptr addrspace(1) %p3
  %p4 = getelementptr i8, ptr addrspace(1) %box, i64 24
  store i32 %tid.y, ptr addrspace(1) %p4
  %p5 = getelementptr i8, ptr addrspace(1) %box, i64 28
  store i32 %tid.x, ptr addrspace(1) %p5
  %text = getelementptr i8, ptr addrspace(1) %box, i64 32
  %a = call i64 @sinter.append(ptr addrspace(1) %text, i64 0, ptr %message)
  %b = call i64 @sinter.append(ptr addrspace(1) %text, i64 %a, ptr %file)
  %c = call i64 @sinter.append(ptr addrspace(1) %text, i64 %b, ptr %function)
  store atomic i32 2, ptr addrspace(1) %box release, align 4
  br label %end
end:
  call void @llvm.nvvm.exit()
  unreachable
}
)";

}  // namespace

void fail(llvm::IRBuilder<>& builder, llvm::CallInst& call) {
  llvm::Module& module = *call.getModule();
  llvm::Type* pointer = builder.getPtrTy();
  llvm::Type* int32 = builder.getInt32Ty();
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      failure_reporter, llvm::FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer, int32}, false));
  llvm::Value* null = llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(module.getContext()));
  llvm::Value* message = call.getArgOperand(0);
  // Expression, file, line, function: as assert() gives them.
  llvm::CallInst* report =
      call.arg_size() == 4
          ? builder.CreateCall(callee, {message, call.getArgOperand(1), call.getArgOperand(3), call.getArgOperand(2)})
          : builder.CreateCall(callee, {message, null, null, builder.getInt32(0)});
  report->setDoesNotReturn();
}

void link_failures(llvm::Module& module) { link_failure_reporter(module, code); }

}  // namespace sinter::jit::nvptx
