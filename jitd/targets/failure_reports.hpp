#pragma once
/// Code for failures that all targets share.

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"

namespace sinter::jit {

/// The function that tells the host why a work-item failed.
inline constexpr const char* failure_reporter = "sinter.fail";

/// The operands of the reporter from `call`, __sinter_trap or __sinter_assert_fail: message or expression, file,
/// function, line (0: a message alone) and six ids.
llvm::SmallVector<llvm::Value*, 12> report_operands(llvm::IRBuilder<>& builder, const llvm::CallInst& call);

llvm::CallInst* call_reporter(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> operands);

/// Links the reporter that `code`, text of LLVM's, defines. It ends with @sinter.finish(box, message, file, function,
/// six ids), which writes these into the abi::gpu_failure, texts cut at its end, and says that it is complete. Returns
/// false if the reporter has no caller.
bool link_failure_reporter(llvm::Module& module, const char* code);

/// A work-item that fails leaves: its block of code ends in front of the call, by a return.
void return_from(llvm::CallInst& call);

}  // namespace sinter::jit
