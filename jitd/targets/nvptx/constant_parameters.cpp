#include "constant_parameters.hpp"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

namespace sinter::jit::nvptx {
namespace {

/// What a kernel does with the addresses of a parameter.
class uses_of {
public:
  explicit uses_of(llvm::Argument& parameter) {
    follow(parameter);
    while (!m_pending.empty()) follow(*m_pending.pop_back_val());
  }

  bool writes() const { return m_writes; }
  llvm::ArrayRef<llvm::LoadInst*> loads() const { return m_loads; }

private:
  void follow(llvm::Value& address) {
    for (llvm::Use& use : address.uses()) {
      llvm::User* user = use.getUser();
      if (llvm::isa<llvm::GEPOperator, llvm::AddrSpaceCastOperator, llvm::PHINode, llvm::SelectInst>(user)) {
        if (m_seen.insert(user).second) m_pending.push_back(user);
      } else if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
        m_loads.push_back(load);
      } else {
        m_writes |= writes_to(*user, use);
      }
    }
  }

  /// An address that is only kept can be written through by code that reads it back. Kernels are const, so such code
  /// would be wrong in the user's program too.
  static bool writes_to(const llvm::User& user, const llvm::Use& use) {
    if (llvm::isa<llvm::StoreInst>(user)) return use.getOperandNo() == llvm::StoreInst::getPointerOperandIndex();
    if (llvm::isa<llvm::AtomicRMWInst, llvm::AtomicCmpXchgInst>(user)) return use.getOperandNo() == 0;
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&user);
    return call && call->isArgOperand(&use) && !call->onlyReadsMemory(call->getArgOperandNo(&use)) &&
           !call->onlyReadsMemory() && !llvm::isa<llvm::LifetimeIntrinsic>(call);
  }

  llvm::SmallPtrSet<llvm::Value*, 16> m_seen;
  llvm::SmallVector<llvm::Value*, 16> m_pending;
  llvm::SmallVector<llvm::LoadInst*, 16> m_loads;
  bool m_writes = false;
};

}  // namespace

void mark_constant_parameters(llvm::Module& module) {
  for (llvm::Function& each : module) {
    if (each.isDeclaration() || each.getCallingConv() != llvm::CallingConv::PTX_Kernel) continue;
    for (llvm::Argument& parameter : each.args()) {
      if (!parameter.hasByValAttr()) continue;
      const uses_of found(parameter);
      if (!found.writes()) {
        parameter.addAttr(llvm::Attribute::get(module.getContext(), "nvvm.grid_constant"));
        continue;
      }
      for (llvm::LoadInst* load : found.loads()) load->setMetadata(llvm::LLVMContext::MD_invariant_load, nullptr);
    }
  }
}

}  // namespace sinter::jit::nvptx
