#include "code_passes.hpp"

#include <abi/planted_error.hpp>

#include "address_inference.hpp"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

namespace sinter::jit {
namespace {

#if LLVM_VERSION_MAJOR >= 22  // older versions of LLVM do not change masks
/// Whether the instruction makes a mask of the signs of a short vector, such as VPMOVB2MZ128kr. Names are compared
/// because LLVM's numbers of instructions are not public.
bool makes_mask_of_signs(llvm::StringRef name) {
  return name.consume_front("VPMOV") && (name.ends_with("2MZ128kr") || name.ends_with("2MZ256kr"));
}

/// Adds a reader of the mask behind each such instruction. LLVM's pass "Compressing EVEX" drops a mask that is only
/// moved to a general register, but overlooks readers that also write the mask, such as gathers, and readers in the
/// next iteration. The pass can't overlook the added reader.
class read_masks : public llvm::MachineFunctionPass {
public:
  read_masks() : MachineFunctionPass(id) {}

  llvm::StringRef getPassName() const override { return "Sinter: masks of signs are read"; }

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    const llvm::TargetInstrInfo& instructions = *function.getSubtarget().getInstrInfo();
    bool changed = false;
    for (llvm::MachineBasicBlock& block : function) {
      for (llvm::MachineInstr& each : block) {
        if (!makes_mask_of_signs(instructions.getName(each.getOpcode()))) continue;
        if (abi::is_planted("masks_of_signs")) continue;
        llvm::BuildMI(block, std::next(each.getIterator()), each.getDebugLoc(),
                      instructions.get(llvm::TargetOpcode::FAKE_USE))
            .addReg(each.getOperand(0).getReg());
        changed = true;
      }
    }
    return changed;
  }

private:
  static inline char id = 0;
};
#endif

}  // namespace

void code_passes::add(llvm::Pass* pass) {
  // This is the last pass before the target's final passes, one of which is the defective pass.
  [[maybe_unused]] const bool is_last = pass->getPassID() == &llvm::PatchableFunctionID;
#if LLVM_VERSION_MAJOR >= 22
  if (pass->getPassName() == "Infer address spaces") {
    PassManager::add(create_constant_hiding());
    PassManager::add(pass);
    PassManager::add(create_constant_showing());
    return;
  }
#endif
  PassManager::add(pass);
#if LLVM_VERSION_MAJOR >= 22
  if (is_last) PassManager::add(new read_masks);
#endif
}

bool emit_code(llvm::TargetMachine& machine, llvm::Module& module, llvm::CodeGenFileType type,
               llvm::SmallVectorImpl<char>& bytes) {
  llvm::raw_svector_ostream stream(bytes);
  code_passes passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type)) return false;
  passes.run(module);
  return true;
}

}  // namespace sinter::jit
