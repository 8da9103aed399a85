#include "failures.hpp"

#include "llvm/IR/IRBuilder.h"
#include "targets/failure_reports.hpp"

namespace sinter::jit::spirv {
namespace {

/// Only the first work-item that fails writes to the host's memory: it changes the first word (abi::gpu_failure::state)
/// from 0 to 1.
constexpr const char* code = R"(
declare spir_func i64 @_Z12get_local_idj(i32) nounwind willreturn memory(none)
declare spir_func i64 @_Z12get_group_idj(i32) nounwind willreturn memory(none)

define internal void @sinter.number(ptr addrspace(1) %box, i64 %offset, i64 %number) noinline {
  %place = getelementptr i8, ptr addrspace(1) %box, i64 %offset
  %narrow = trunc i64 %number to i32
  store i32 %narrow, ptr addrspace(1) %place
  ret void
}

define void @sinter.fail(ptr addrspace(1) %box, ptr %message, ptr %file, ptr %function, i32 %line,
    i64 %id0, i64 %id1, i64 %id2, i64 %id3, i64 %id4, i64 %id5) noinline cold {
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
  call void @sinter.finish(ptr addrspace(1) %box, ptr %message, ptr %file, ptr %function,
      i64 %id0, i64 %id1, i64 %id2, i64 %id3, i64 %id4, i64 %id5)
  br label %end
end:
  ret void
}
)";

}  // namespace

void fail(llvm::CallInst& call, llvm::Argument* place) {
  llvm::IRBuilder<> builder(&call);
  llvm::SmallVector<llvm::Value*, 12> operands = report_operands(builder, call);
  operands.insert(operands.begin(), place);
  call_reporter(builder, operands);
  return_from(call);
}

bool link_failures(llvm::Module& module) { return link_failure_reporter(module, code); }

}  // namespace sinter::jit::spirv
