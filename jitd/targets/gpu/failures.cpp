#include "failures.hpp"

#include "llvm/IR/Module.h"
#include "targets/failure_reports.hpp"
#include "text_words.hpp"

namespace sinter::jit::gpu {
namespace {

/// Only the first work-item that fails writes to the host's memory: it changes the first word (abi::gpu_failure::state)
/// from 0 to 1. Strings that are too long for the text are cut.
constexpr const char* code = R"(
@sinter_failure = addrspace(1) externally_initialized global ptr addrspace(1) null

define void @sinter.fail(ptr %message, ptr %file, ptr %function, i32 %line,
    i64 %id0, i64 %id1, i64 %id2, i64 %id3, i64 %id4, i64 %id5) noinline cold {
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
  %ctaid.z = call i32 @block.id.z()
  %ctaid.y = call i32 @block.id.y()
  %ctaid.x = call i32 @block.id.x()
  %tid.z = call i32 @thread.id.z()
  %tid.y = call i32 @thread.id.y()
  %tid.x = call i32 @thread.id.x()
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
  call void @sinter.finish(ptr addrspace(1) %box, ptr %message, ptr %file, ptr %function,
      i64 %id0, i64 %id1, i64 %id2, i64 %id3, i64 %id4, i64 %id5)
  br label %end
end:
  LEAVE
}
)";

}  // namespace

void fail(const dialect& its, llvm::CallInst& call) {
  llvm::IRBuilder<> builder(&call);
  const llvm::SmallVector<llvm::Value*, 12> operands = report_operands(builder, call);
  llvm::CallInst* report = call_reporter(builder, operands);
  if (!its.has_functions()) return return_from(call);
  report->setDoesNotReturn();
  call.eraseFromParent();
}

void link_failures(const dialect& its, llvm::Module& module) {
  const bool is_there = link_failure_reporter(module, in_words_of(its, code).c_str());
  if (is_there && its.has_functions()) module.getFunction(failure_reporter)->setDoesNotReturn();
}

}  // namespace sinter::jit::gpu
