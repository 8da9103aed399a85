#include "simplify.hpp"

#include "../passes/convergence.hpp"
#include "../passes/pass_runner.hpp"
#include "canonical_math.hpp"
#include "device_library.hpp"
#include "device_module.hpp"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/IPO/StripDeadPrototypes.h"
#include "llvm/Transforms/IPO/StripSymbols.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Local.h"
#include "long_doubles.hpp"
#include "short_compares.hpp"
#include "short_loops.hpp"

namespace sinter::capture {
namespace {

void remove_exception_edges(llvm::Function& function) {
  for (llvm::BasicBlock& block : llvm::make_early_inc_range(function)) {
    if (auto* invoke = llvm::dyn_cast<llvm::InvokeInst>(block.getTerminator())) llvm::changeToCall(invoke);
  }
  llvm::removeUnreachableBlocks(function);
  function.setPersonalityFn(nullptr);
}

/// Replaces a call by a trap. The rest of the call's block can no longer be reached.
void replace_by_trap(llvm::CallBase& at, llvm::StringRef message) {
  llvm::Module& module = *at.getModule();
  llvm::FunctionCallee trap = module.getOrInsertFunction(
      "__sinter_trap", llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()),
                                               {llvm::PointerType::getUnqual(module.getContext())}, false));
  auto* declaration = llvm::cast<llvm::Function>(trap.getCallee());
  declaration->setDoesNotReturn();
  declaration->setDoesNotThrow();
  llvm::IRBuilder<> builder(&at);
  builder.CreateCall(trap, {builder.CreateGlobalString(message, "sinter.message")});
  llvm::changeToUnreachable(&at);
}

bool is_sanitizer_or_profile_call(llvm::StringRef name) {
  return name.starts_with("__ubsan_handle_") || name == "__asan_handle_no_return" ||
         name.starts_with("llvm.instrprof.") || name.starts_with("__sanitizer_cov_");
}

/// The message for a call of a function that throws or ends the program. Empty for other functions.
llvm::StringRef trap_message(llvm::StringRef name) {
  if (name == "__cxa_allocate_exception" || name == "__cxa_throw" || name == "__cxa_rethrow") {
    return "an exception is thrown in device code";
  }
  // libstdc++ throws through out-of-line functions std::__throw_*.
  if (name.starts_with("_ZSt") && name.contains("__throw_")) return "the standard library throws in device code";
  if (name == "_ZSt9terminatev" || name == "__clang_call_terminate" || name == "abort" || name == "exit" ||
      name == "_Exit" || name == "quick_exit") {
    return "device code ends the program";
  }
  if (name == "llvm.ubsantrap") return "undefined behaviour was detected in device code";
  if (name == "__cxa_pure_virtual") return "a pure virtual function is called in device code";
  if (name.starts_with("_ZSt21__glibcxx_assert_fail"))
    return "an assertion of the standard library fails in device code";
  return {};
}

void lower_calls(llvm::Function& function) {
  llvm::SmallVector<llvm::CallBase*, 16> erased;
  llvm::SmallVector<std::pair<llvm::CallBase*, llvm::StringRef>, 16> traps;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (!callee) continue;
    const llvm::StringRef name = callee->getName();
    if (is_sanitizer_or_profile_call(name)) {
      erased.push_back(call);
    } else if (llvm::StringRef message = trap_message(name); !message.empty()) {
      traps.emplace_back(call, message);
    } else if (name == "__assert_fail" && call->arg_size() == 4) {
      call->setCalledFunction(call->getModule()->getOrInsertFunction("__sinter_assert_fail", call->getFunctionType()));
    }
  }
  for (llvm::CallBase* call : erased) {
    if (!call->use_empty()) call->replaceAllUsesWith(llvm::Constant::getNullValue(call->getType()));
    call->eraseFromParent();
  }
  // The last call is replaced first, because a trap cuts off the rest of its block, which may contain later calls.
  for (auto& [call, message] : llvm::reverse(traps)) replace_by_trap(*call, message);
  llvm::removeUnreachableBlocks(function);
}

/// Whether the work-items of a sub-group execute the function together.
bool is_sub_group_exchange(llvm::StringRef name) {
  return name.starts_with("__sinter_sub_group_shuffle_") || name == "__sinter_sub_group_ballot";
}

/// Functions that ask where a part of a matrix lies.
bool is_matrix_query(llvm::StringRef name) {
  return name == "__sinter_matrix_length" || name == "__sinter_matrix_holds" || name == "__sinter_matrix_place";
}

/// Functions by which a sub-group works on a matrix together.
bool is_matrix_function(llvm::StringRef name) {
  return name.starts_with("__sinter_matrix_") && !is_matrix_query(name);
}

bool is_convergent_primitive(llvm::StringRef name) {
  return name == "__sinter_barrier" || is_sub_group_exchange(name) || is_matrix_function(name);
}

/// Lets work-items pass any bits to each other. Structures are exchanged word by word, and their padding and members
/// without a value are words, too. The front end declares that arguments and results are never undefined: LLVM would
/// remove the paths on which a member gets no value.
void pass_undefined_words(llvm::Function& exchange) {
  exchange.removeParamAttr(0, llvm::Attribute::NoUndef);
  exchange.removeRetAttr(llvm::Attribute::NoUndef);
  for (llvm::User* user : exchange.users()) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (!call || call->getCalledOperand() != &exchange) continue;
    call->removeParamAttr(0, llvm::Attribute::NoUndef);
    call->removeRetAttr(llvm::Attribute::NoUndef);
  }
}

void mark_convergent(llvm::Module& device) {
  llvm::SmallVector<llvm::Function*, 16> work;
  for (llvm::Function& function : device) {
    const bool external = function.hasFnAttribute(external_attribute);
    if (function.isDeclaration() && (external || is_convergent_primitive(function.getName())))
      work.push_back(&function);
  }
  passes::mark_callers_convergent(std::move(work));
}

/// Adds attributes to device functions. The attributes state facts that the front end does not know. Without these
/// facts, every query of an id would look like a call that may read memory.
void attribute_device_functions(llvm::Module& device) {
  for (llvm::Function& function : device) {
    if (!function.isDeclaration() || !function.getName().starts_with("__sinter_")) continue;
    function.setDoesNotThrow();
    const llvm::StringRef name = function.getName();
    const bool query = name.ends_with("_id") || name.ends_with("_range") || name.ends_with("_offset") ||
                       name == "__sinter_local_base" || name == "__sinter_group_scratch" ||
                       name == "__sinter_group_variable" ||
                       name == "__sinter_sub_group_size" || is_matrix_query(name) || name == "__sinter_has_turn" ||
                       name == "__sinter_groups_of_turns" || name == "__sinter_texture_units";
    if (name == "__sinter_element_begin" || name == "__sinter_element_end") {
      // With these attributes, other code may be moved across calls of the function.
      function.setOnlyAccessesInaccessibleMemory();
      function.setWillReturn();
      for (auto attribute : {llvm::Attribute::NoCallback, llvm::Attribute::NoSync, llvm::Attribute::NoFree}) {
        function.addFnAttr(attribute);
      }
    }
    if (is_matrix_function(name)) {
      function.setOnlyAccessesArgMemory();
      function.setWillReturn();
      function.addFnAttr(llvm::Attribute::NoCallback);
      function.addFnAttr(llvm::Attribute::NoFree);
    }
    if (name.starts_with("__sinter_texture_") && !query) {
      if (name == "__sinter_texture_alike") function.setDoesNotAccessMemory();
      else if (name == "__sinter_texture_store") function.setOnlyWritesMemory();
      else function.setOnlyReadsMemory();
      function.setWillReturn();
      for (auto attribute : {llvm::Attribute::NoCallback, llvm::Attribute::NoSync, llvm::Attribute::NoFree}) {
        function.addFnAttr(attribute);
      }
    }
    if (is_sub_group_exchange(name)) {
      function.setDoesNotAccessMemory();
      function.setWillReturn();
      function.addFnAttr(llvm::Attribute::NoCallback);
      function.addFnAttr(llvm::Attribute::NoFree);
      if (name != "__sinter_sub_group_ballot") pass_undefined_words(function);
    }
    if (query) {
      function.setDoesNotAccessMemory();
      function.setWillReturn();
      function.addFnAttr(llvm::Attribute::Speculatable);
      function.addFnAttr(llvm::Attribute::NoCallback);
      function.addFnAttr(llvm::Attribute::NoSync);
      function.addFnAttr(llvm::Attribute::NoFree);
      function.addRetAttr(llvm::Attribute::NoUndef);
    }
  }
}

/// In recursive functions, puts a test of each loop's condition in front of the loop, too (loop rotation). The inliner
/// then sees when a call does nothing: for example, std::sort of a few elements does not partition them.
struct rotate_where_recursive : llvm::PassInfoMixin<rotate_where_recursive> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& manager) {
    const bool calls_itself = llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      return call && call->getCalledFunction() == &function;
    });
    if (!calls_itself) return llvm::PreservedAnalyses::all();
    llvm::FunctionPassManager rotate;
    rotate.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LoopRotatePass()));
    return rotate.run(function, manager);
  }
};

/// Runs passes without any knowledge of a target.
void run_without_target(llvm::Module& device, llvm::ModulePassManager&& pipeline) {
  passes::pass_runner runner;
  // No library function is known by its name ("memcpy", "sinf") here, because the target, whose library it would be, is
  // known only at run time.
  runner.functions.registerPass([&] {
    llvm::TargetLibraryInfoImpl library(llvm::Triple(device.getTargetTriple()));
    library.disableAllFunctions();
    return llvm::TargetLibraryAnalysis(library);
  });
  runner.run(device, std::move(pipeline));
}

} // namespace

void lower_host_constructs(llvm::Module& device) {
  mark_convergent(device);
  for (llvm::Function& function : device) {
    if (function.isDeclaration()) continue;
    remove_exception_edges(function);
    lower_calls(function);
  }
  canonicalize_math(device);
  attribute_device_functions(device);
}

void allow_unrolling(llvm::Module& device) {
  for (llvm::Function& function : device) {
    for (llvm::BasicBlock& block : function) {
      llvm::Instruction* branch = block.getTerminator();
      llvm::MDNode* loop = branch ? branch->getMetadata(llvm::LLVMContext::MD_loop) : nullptr;
      if (!loop) continue;
      llvm::MDNode* rest =
          llvm::makePostTransformationMetadata(device.getContext(), loop, {"llvm.loop.unroll.disable"}, {});
      branch->setMetadata(llvm::LLVMContext::MD_loop, rest);
    }
  }
}

void simplify(llvm::Module& device) {
  llvm::ModulePassManager pipeline;
  pipeline.addPass(llvm::AlwaysInlinerPass(/*InsertLifetime=*/false));
  pipeline.addPass(llvm::GlobalDCEPass());
  llvm::ModuleInlinerWrapperPass inliner(llvm::getInlineParams(225), /*MandatoryFirst=*/false);
  llvm::FunctionPassManager scalar;
  scalar.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  scalar.addPass(llvm::EarlyCSEPass());
  scalar.addPass(llvm::SimplifyCFGPass());
  scalar.addPass(llvm::InstCombinePass());
  scalar.addPass(fold_long_doubles());
  scalar.addPass(llvm::SimplifyCFGPass());
  scalar.addPass(unroll_short_loops());
  scalar.addPass(rotate_where_recursive());
  scalar.addPass(llvm::ADCEPass());
  inliner.getPM().addPass(llvm::createCGSCCToFunctionPassAdaptor(std::move(scalar)));
  pipeline.addPass(std::move(inliner));
  pipeline.addPass(llvm::createModuleToFunctionPassAdaptor(expand_short_compares()));
  pipeline.addPass(llvm::GlobalDCEPass());
  pipeline.addPass(llvm::StripDeadPrototypesPass());
  run_without_target(device, std::move(pipeline));
  allow_inlining(device);
}

void remove_unreachable(llvm::Module& device) {
  llvm::ModulePassManager pipeline;
  pipeline.addPass(llvm::GlobalDCEPass());
  pipeline.addPass(llvm::StripDeadPrototypesPass());
  run_without_target(device, std::move(pipeline));
}

void free_local_types(llvm::Module& device) {
  llvm::SmallPtrSet<const llvm::DISubprogram*, 16> here;
  for (const llvm::Function& function : device) {
    if (const llvm::DISubprogram* subprogram = function.getSubprogram()) here.insert(subprogram);
  }
  llvm::DebugInfoFinder found;
  found.processModule(device);
  for (llvm::DIType* type : found.types()) {
    const auto* scope = llvm::dyn_cast_or_null<llvm::DILocalScope>(type->getScope());
    if (!scope || !llvm::isa<llvm::DICompositeType>(type) || here.contains(scope->getSubprogram())) continue;
    type->replaceOperandWith(1, type->getFile());
  }
}

void prune_debug_info(llvm::Module& device, bool keep_variables) {
  if (!keep_variables) llvm::stripNonLineTableDebugInfo(device);
  for (llvm::DICompileUnit* unit : device.debug_compile_units()) {
    unit->replaceEnumTypes(llvm::MDTuple::get(device.getContext(), {}));
    unit->replaceRetainedTypes(llvm::MDTuple::get(device.getContext(), {}));
    unit->replaceGlobalVariables(llvm::MDTuple::get(device.getContext(), {}));
    unit->replaceImportedEntities(llvm::MDTuple::get(device.getContext(), {}));
    // The list of macros is dropped, because for an empty list code generation would name a section that does not
    // exist.
    unit->replaceMacros(llvm::DIMacroNodeArray());
  }
  // Annotations, idents and flags of the host build would make equal kernels differ.
  for (llvm::NamedMDNode& node : llvm::make_early_inc_range(device.named_metadata())) {
    const llvm::StringRef name = node.getName();
    if (name != "llvm.module.flags" && name != "llvm.dbg.cu") node.eraseFromParent();
  }
}

} // namespace sinter::capture
