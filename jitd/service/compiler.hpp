#pragma once
/// Turns a request into an object file.

#include <abi/launch_abi.hpp>
#include <memory>
#include <string>

#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"
#include "passes/report.hpp"
#include "pipeline/fusion.hpp"
#include "targets/device_code.hpp"

namespace sinter::jit {

struct compiled_object {
  std::unique_ptr<llvm::MemoryBuffer> bytes;
  std::string entry;  ///< symbol of the entry function
  bool full_debug;
  fused_kernel fusion;   ///< the decisions, if the object is a fusion
  passes::report_statements lanes;  ///< statements about vectors of work-items
  std::string warnings;  ///< lines for the user, or an empty text
};

/// Compiles for the GPU that the request names.
llvm::Expected<device_code> compile_for_gpu(const abi::jit_request& request);

/// The last stage to run. Tools show the results of intermediate stages.
enum class stage { device_ir, lowered_ir, optimised_ir, assembly, object };

llvm::Expected<compiled_object> compile_kernel(const abi::jit_request& request);
llvm::Expected<compiled_object> compile_fusion(const abi::fusion_request& request);
/// Fused code for the GPU that the request names.
struct fused_device_code {
  device_code code;
  fused_kernel fusion;
};
llvm::Expected<fused_device_code> compile_fusion_for_gpu(const abi::fusion_request& request);

/// Text of a stage, for tools and tests.
llvm::Expected<std::string> show_kernel(const abi::jit_request& request, stage what);

} // namespace sinter::jit
