#include "global_order.hpp"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/SmallVector.h"

namespace sinter::jit::nvptx {
namespace {

class walk {
public:
  explicit walk(llvm::Module& module) {
    for (llvm::GlobalVariable& each : module.globals()) visit(each);
  }

  llvm::ArrayRef<llvm::GlobalVariable*> order() const { return m_order; }

private:
  void visit(llvm::Constant& constant) {
    if (!m_seen.insert(&constant).second) return;
    for (llvm::Use& operand : constant.operands()) {
      if (auto* part = llvm::dyn_cast<llvm::Constant>(operand); part && !llvm::isa<llvm::Function>(part)) visit(*part);
    }
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&constant)) m_order.push_back(variable);
  }

  llvm::SmallPtrSet<llvm::Constant*, 32> m_seen;
  llvm::SmallVector<llvm::GlobalVariable*, 32> m_order;
};

}  // namespace

void order_globals(llvm::Module& module) {
  const walk found(module);
  for (llvm::GlobalVariable* each : found.order()) {
    module.removeGlobalVariable(each);
    module.insertGlobalVariable(each);
  }
}

}  // namespace sinter::jit::nvptx
