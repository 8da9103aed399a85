#pragma once
/// Code for failures of work-items, which all targets share.

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace sinter::jit {

/// The name of the function that tells the host why a work-item failed.
inline constexpr const char* failure_reporter = "sinter.fail";

/// `call` is a call of __sinter_trap or __sinter_assert_fail. Returns the operands with which the reporter is called:
/// message or expression, file, function, line (0 if there is only a message) and six ids.
llvm::SmallVector<llvm::Value*, 12> report_operands(llvm::IRBuilder<>& builder, const llvm::CallInst& call);

llvm::CallInst* call_reporter(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> operands);

/// Links the reporter, which `code` defines as text of LLVM's IR. The reporter ends with @sinter.finish(box, message,
/// file, function, six ids), which writes these operands into the abi::gpu_failure and marks it as complete. Texts that
/// are too long are cut. Returns false if the reporter has no caller.
bool link_failure_reporter(llvm::Module& module, const char* code);

/// Lets a work-item return when it fails: a return replaces the call of the reporter and all instructions behind it in
/// its basic block.
void return_from(llvm::CallInst& call);

}  // namespace sinter::jit
