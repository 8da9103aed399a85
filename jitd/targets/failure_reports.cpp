#include "failure_reports.hpp"

#include <abi/device_abi.hpp>
#include <abi/gpu_launch.hpp>
#include <cstddef>
#include <string>

#include "linked_text.hpp"
#include "llvm/Transforms/Utils/Local.h"
#include "passes/called_names.hpp"
#include "passes/device/failing_work_items.hpp"

namespace sinter::jit {
namespace {

// The text of the reporters contains these offsets.
static_assert(offsetof(abi::gpu_failure, line) == 4 && offsetof(abi::gpu_failure, block) == 8 &&
              offsetof(abi::gpu_failure, thread) == 20 && offsetof(abi::gpu_failure, ids) == 32 &&
              offsetof(abi::gpu_failure, text) == 80 && sizeof(abi::gpu_failure::text) == 944);

constexpr const char* finish = R"(
define internal void @sinter.finish(ptr addrspace(1) %box, ptr %message, ptr %file, ptr %function,
    i64 %id0, i64 %id1, i64 %id2, i64 %id3, i64 %id4, i64 %id5) noinline {
  %i0 = getelementptr i8, ptr addrspace(1) %box, i64 32
  store i64 %id0, ptr addrspace(1) %i0
  %i1 = getelementptr i8, ptr addrspace(1) %box, i64 40
  store i64 %id1, ptr addrspace(1) %i1
  %i2 = getelementptr i8, ptr addrspace(1) %box, i64 48
  store i64 %id2, ptr addrspace(1) %i2
  %i3 = getelementptr i8, ptr addrspace(1) %box, i64 56
  store i64 %id3, ptr addrspace(1) %i3
  %i4 = getelementptr i8, ptr addrspace(1) %box, i64 64
  store i64 %id4, ptr addrspace(1) %i4
  %i5 = getelementptr i8, ptr addrspace(1) %box, i64 72
  store i64 %id5, ptr addrspace(1) %i5
  %text = getelementptr i8, ptr addrspace(1) %box, i64 80
  %a = call i64 @sinter.append(ptr addrspace(1) %text, i64 0, ptr %message)
  %b = call i64 @sinter.append(ptr addrspace(1) %text, i64 %a, ptr %file)
  %c = call i64 @sinter.append(ptr addrspace(1) %text, i64 %b, ptr %function)
  store atomic i32 2, ptr addrspace(1) %box release, align 4
  ret void
}

define internal i64 @sinter.append(ptr addrspace(1) %text, i64 %begin, ptr %from) noinline {
entry:
  %none = icmp eq ptr %from, null
  br i1 %none, label %done, label %next
next:
  %i = phi i64 [ 0, %entry ], [ %after, %write ]
  %at = add i64 %begin, %i
  %fits = icmp ult i64 %at, 943
  br i1 %fits, label %write, label %done
write:
  %place = getelementptr i8, ptr %from, i64 %i
  %byte = load i8, ptr %place
  %to = getelementptr i8, ptr addrspace(1) %text, i64 %at
  store i8 %byte, ptr addrspace(1) %to
  %after = add i64 %i, 1
  %ended = icmp eq i8 %byte, 0
  br i1 %ended, label %done, label %next
done:
  %end = phi i64 [ %begin, %entry ], [ %at, %next ], [ %at, %write ]
  %behind = add i64 %end, 1
  %last = icmp ult i64 %behind, 944
  %result = select i1 %last, i64 %behind, i64 943
  ret i64 %result
}
)";

}  // namespace

llvm::SmallVector<llvm::Value*, 12> report_operands(llvm::IRBuilder<>& builder, const llvm::CallInst& call) {
  llvm::SmallVector<llvm::Value*, 12> operands{call.getArgOperand(0)};
  if (passes::called_name(call) == passes::assert_fail_name) {
    // assert() passes expression, file, line and function, in this order.
    for (unsigned i : {1u, 3u, 2u}) operands.push_back(call.getArgOperand(i));
  } else {
    operands.append(2, llvm::ConstantPointerNull::get(builder.getPtrTy()));
    operands.push_back(builder.getInt32(0));
  }
  for (unsigned i = 0; i < passes::failing_ids; ++i) {
    const unsigned place = passes::first_failing_id + i;
    operands.push_back(place < call.arg_size() ? call.getArgOperand(place) : builder.getInt64(abi::unknown_work_item));
  }
  return operands;
}

llvm::CallInst* call_reporter(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> operands) {
  llvm::SmallVector<llvm::Type*, 12> types;
  for (llvm::Value* each : operands) types.push_back(each->getType());
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  return builder.CreateCall(
      module.getOrInsertFunction(failure_reporter, llvm::FunctionType::get(builder.getVoidTy(), types, false)),
      operands);
}

void return_from(llvm::CallInst& call) {
  llvm::BasicBlock* block = call.getParent();
  llvm::changeToUnreachable(&call);
  block->getTerminator()->eraseFromParent();
  llvm::ReturnInst::Create(block->getContext(), block);
}

bool link_failure_reporter(llvm::Module& module, const char* code) {
  if (!module.getFunction(failure_reporter)) return false;
  link_text(module, std::string(code) + finish, failure_reporter);
  return true;
}

}  // namespace sinter::jit
