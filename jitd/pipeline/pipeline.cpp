#include "pipeline.hpp"

#include "passes/llvm_versions.hpp"
#include "passes/optional_steps.hpp"
#include "steps.hpp"

namespace sinter::jit {

llvm::Error lower_for_cpu(llvm::Module& module, llvm::TargetMachine& machine, const pipeline_request& request,
                          passes::report_statements& report) {
  module.setTargetTriple(passes::target_name(machine.getTargetTriple()));
  module.setDataLayout(machine.createDataLayout());
  kernel_state state(module, machine, request, report);
  if (llvm::Error error = run_steps<front_state>(front_steps(), state)) return error;
  return run_steps(lowering_steps(), state);
}

void simplify_debug_code(llvm::Module& module) {
  for (llvm::Function& function : module) {
    function.removeFnAttr(llvm::Attribute::OptimizeNone);
    function.removeFnAttr(llvm::Attribute::NoInline);
  }
  passes::pass_runner runner;
  llvm::ModulePassManager passes;
  passes.addPass(
      runner.builder.buildModuleSimplificationPipeline(llvm::OptimizationLevel::O1, llvm::ThinOrFullLTOPhase::None));
  runner.run(module, std::move(passes));
}

llvm::Error optimise(llvm::Module& module, llvm::TargetMachine& machine, bool full_debug) {
  finishing_state state(module, machine, full_debug);
  return run_steps(finishing_steps(), state);
}

}  // namespace sinter::jit
