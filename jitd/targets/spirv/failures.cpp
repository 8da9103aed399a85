#include "failures.hpp"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Transforms/Utils/Local.h"
#include "targets/failure_reports.hpp"

namespace sinter::jit::spirv {
namespace {

/// The host's memory is written by the first work-item that gets `state`.
constexpr const char* code = R"(
declare spir_func i64 @_Z12get_local_idj(i32) nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_group_idj(i32) nounwind willreturn memory(none)

define internal void @sinter.number(ptr addrspace(1) %box, i64 %offset, i64 %number) noinline {
  %place = getelementptr i8, ptr addrspace(1) %box, i64 %offset
  %narrow = trunc i64 %number to i32
  store i32 %narrow, ptr addrspace(1) %place
  ret void
}

define void @sinter.fail(ptr addrspace(1) %box, ptr %message, ptr %file, ptr %function, i32 %line) noinline cold {
entry:
  %pair = cmpxchg ptr addrspace(1) %box, i32 0, i32 1 monotonic monotonic
  %first = extractvalue { i32, i1 } %pair, 1
  br i1 %first, label %report, label %end
report:
  %line.place = getelementptr i8, ptr addrspace(1) %box, i64 4
  store i32 %line, ptr addrspace(1) %line.place
  %g2 = call spir_func i64 @_Z12get_group_idj(i32 2)
  call void @sinter.number(ptr addrspace(1) %box, i64 8, i64 %g2)
  %g1 = call spir_func i64 @_Z12get_group_idj(i32 1)
  call void @sinter.number(ptr addrspace(1) %box, i64 12, i64 %g1)
  %g0 = call spir_func i64 @_Z12get_group_idj(i32 0)
  call void @sinter.number(ptr addrspace(1) %box, i64 16, i64 %g0)
  %l2 = call spir_func i64 @_Z12get_local_idj(i32 2)
  call void @sinter.number(ptr addrspace(1) %box, i64 20, i64 %l2)
  %l1 = call spir_func i64 @_Z12get_local_idj(i32 1)
  call void @sinter.number(ptr addrspace(1) %box, i64 24, i64 %l1)
  %l0 = call spir_func i64 @_Z12get_local_idj(i32 0)
  call void @sinter.number(ptr addrspace(1) %box, i64 28, i64 %l0)
  %text = getelementptr i8, ptr addrspace(1) %box, i64 32
  %a = call i64 @sinter.append(ptr addrspace(1) %text, i64 0, ptr %message)
  %b = call i64 @sinter.append(ptr addrspace(1) %text, i64 %a, ptr %file)
  %c = call i64 @sinter.append(ptr addrspace(1) %text, i64 %b, ptr %function)
  store atomic i32 2, ptr addrspace(1) %box release, align 4
  br label %end
end:
  ret void
}
)";

}  // namespace

void fail(llvm::CallInst& call, llvm::Argument* place) {
  llvm::Module& module = *call.getModule();
  llvm::IRBuilder<> builder(&call);
  llvm::Type* pointer = builder.getPtrTy();
  llvm::Type* int32 = builder.getInt32Ty();
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      failure_reporter,
      llvm::FunctionType::get(builder.getVoidTy(), {place->getType(), pointer, pointer, pointer, int32},
                              /*isVarArg=*/false));
  llvm::Value* null = llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(module.getContext()));
  llvm::Value* message = call.getArgOperand(0);
  // Expression, file, line, function: as assert() gives them.
  if (call.arg_size() == 4) {
    builder.CreateCall(callee, {place, message, call.getArgOperand(1), call.getArgOperand(3), call.getArgOperand(2)});
  } else {
    builder.CreateCall(callee, {place, message, null, null, builder.getInt32(0)});
  }
  llvm::BasicBlock* block = call.getParent();
  llvm::changeToUnreachable(&call);
  block->getTerminator()->eraseFromParent();
  builder.SetInsertPoint(block);
  builder.CreateRetVoid();
}

bool link_failures(llvm::Module& module) { return link_failure_reporter(module, code); }

}  // namespace sinter::jit::spirv
