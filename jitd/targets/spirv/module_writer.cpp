#include "module_writer.hpp"

#include "matrix_units.hpp"

#include <memory>
#include <mutex>
#include <vector>

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetLoweringObjectFile.h"
#include "targets/fatal_errors.hpp"

namespace sinter::jit::spirv {
namespace {

/// The state of LLVM's target for SPIR-V. This state is used only under `mutex`, and is never destroyed (threads may
/// outlive static objects).
struct writer_state {
  std::mutex mutex;
  llvm::DenseSet<const llvm::MachineFunction*> used;
};

writer_state& the_writer() {
  static auto* state = new writer_state;
  return *state;
}

/// Makes the functions' machine-code objects at addresses that are not yet in LLVM's table of labels. An object whose
/// address is already in the table is kept alive until all objects are made, so that the next object gets another
/// address.
llvm::DenseSet<const llvm::Function*> place_functions(llvm::Module& module, llvm::TargetMachine& machine,
                                                      llvm::MachineModuleInfo& info,
                                                      llvm::DenseSet<const llvm::MachineFunction*>& used) {
  llvm::DenseSet<const llvm::Function*> placed;
  std::vector<std::unique_ptr<llvm::MachineFunction>> known;
  unsigned number = 0;
  for (llvm::Function& function : module) {
    if (function.isDeclaration()) continue;
    placed.insert(&function);
    const llvm::TargetSubtargetInfo& subtarget = *machine.getSubtargetImpl(function);
    for (;;) {
      auto made = std::make_unique<llvm::MachineFunction>(function, machine, subtarget, info.getContext(), number);
      if (!used.insert(made.get()).second) {
        known.push_back(std::move(made));
        continue;
      }
      made->initTargetMachineFunctionInfo(subtarget);
      machine.registerMachineRegisterInfoCallback(*made);
      info.insertFunction(function, std::move(made));
      break;
    }
    ++number;
  }
  return placed;
}

}  // namespace

llvm::Expected<std::string> write_module(llvm::Module& module, llvm::TargetMachine& machine) {
  writer_state& writer = the_writer();
  llvm::SmallString<0> words;
  llvm::DenseSet<const llvm::Function*> placed;
  bool can_write = true;
  std::string failure;
  {
    std::lock_guard lock(writer.mutex);
    // If LLVM fails in this code, survive_fatal_errors returns, so that the mutex is unlocked.
    failure = survive_fatal_errors([&] {
      llvm::raw_svector_ostream stream(words);
      llvm::legacy::PassManager passes;
      passes.add(new llvm::TargetLibraryInfoWrapperPass(llvm::TargetLibraryInfoImpl(module.getTargetTriple())));
      auto* info = new llvm::MachineModuleInfoWrapperPass(&machine);
      machine.getObjFileLowering()->Initialize(info->getMMI().getContext(), machine);
      placed = place_functions(module, machine, info->getMMI(), writer.used);
      can_write =
          !machine.addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile, false, info);
      if (can_write) passes.run(module);
    });
  }
  if (!failure.empty()) llvm::report_fatal_error(llvm::StringRef(failure));
  if (!can_write) return llvm::createStringError("LLVM can't write SPIR-V");
  // Finds functions for which no address was chosen.
  for (const llvm::Function& function : module) {
    if (function.isDeclaration() || placed.contains(&function)) continue;
    return llvm::createStringError("LLVM makes the function " + function.getName().str() + " of it");
  }
  std::string written = words.str().str();
  if (!place_elements(written)) {
    return llvm::createStringError("LLVM writes elements of a joint_matrix in another form");
  }
  return written;
}

}  // namespace sinter::jit::spirv
