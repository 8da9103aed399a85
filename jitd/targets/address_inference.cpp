#include "address_inference.hpp"

#include <limits>

#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Pass.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

namespace sinter::jit {
namespace {

constexpr const char* hidden = "sinter.hidden_address";

class constant_hiding {
public:
  constant_hiding(llvm::Function& function, unsigned generic, const llvm::TargetTransformInfo& target)
      : m_function(function), m_generic(generic), m_target(target) {}

  /// Returns whether the function has changed.
  bool run() {
    // Unreachable code is removed first, because its values may refer to themselves, and LLVM's pass would find no
    // space for such values.
    bool changed = llvm::EliminateUnreachableBlocks(m_function);
    changed |= replace_masks();
    collect();
    find_groundless();
    join();
    llvm::SmallVector<std::pair<llvm::Use*, llvm::Constant*>, 8> uses;
    for (llvm::Instruction* user : m_users) {
      for (llvm::Use& use : pointers_of(*user)) {
        auto* constant = llvm::dyn_cast<llvm::Constant>(use);
        if (constant && is_generic(*constant) && is_taken_wrong(*user, *constant)) uses.push_back({&use, constant});
      }
    }
    for (auto [use, constant] : uses) use->set(hide(*constant));
    return changed || !uses.empty();
  }

private:
  bool is_generic_type(const llvm::Value& value) const {
    const llvm::Type* type = value.getType();
    return type->isPtrOrPtrVectorTy() && type->getPointerAddressSpace() == m_generic;
  }

  /// Whether the constant is an address in the generic space by itself, and not an address of another space that was
  /// cast to the generic space.
  bool is_generic(const llvm::Constant& constant) const {
    const llvm::Constant* base = &constant;
    while (llvm::isa<llvm::GEPOperator>(base)) base = llvm::cast<llvm::Constant>(base->getOperand(0));
    const auto* cast = llvm::dyn_cast<llvm::ConstantExpr>(base);
    return is_generic_type(constant) && (!cast || cast->getOpcode() != llvm::Instruction::AddrSpaceCast);
  }

  /// Whether LLVM's pass computes a space for the value from its operands.
  bool is_address(const llvm::Value& value) const {
    return llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::GetElementPtrInst>(value) && is_generic_type(value);
  }
  static bool is_comparison(const llvm::Instruction& instruction) {
    return llvm::isa<llvm::ICmpInst>(instruction) && instruction.getOperand(0)->getType()->isPtrOrPtrVectorTy();
  }

  static llvm::iterator_range<llvm::User::op_iterator> pointers_of(llvm::Instruction& user) {
    if (llvm::isa<llvm::GetElementPtrInst>(user)) return {user.op_begin(), user.op_begin() + 1};
    if (llvm::isa<llvm::SelectInst>(user)) return {user.op_begin() + 1, user.op_begin() + 3};
    return user.operands();
  }

  /// Replaces rounded addresses (ptrmask), for which no target can change the space, by arithmetic. Also replaces casts
  /// of an address to a number and back, because LLVM's pass takes such a pair of casts for an address.
  bool replace_masks() {
    bool changed = false;
    for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(m_function))) {
      if (!is_generic_type(each)) continue;
      llvm::Value* same = nullptr;
      if (const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&each)) {
        if (call->getIntrinsicID() != llvm::Intrinsic::ptrmask) continue;
        llvm::IRBuilder<> builder(&each);
        llvm::Value* mask = call->getArgOperand(1);
        llvm::Value* address = builder.CreatePtrToInt(call->getArgOperand(0), mask->getType());
        llvm::Value* above = builder.CreateAnd(address, builder.CreateNot(mask));
        same = builder.CreateGEP(builder.getInt8Ty(), call->getArgOperand(0), builder.CreateNeg(above));
      } else if (llvm::isa<llvm::IntToPtrInst>(each)) {
        const auto* number = llvm::dyn_cast<llvm::PtrToIntOperator>(each.getOperand(0));
        if (!number || number->getPointerOperand()->getType() != each.getType()) continue;
        if (number->getType() != m_function.getDataLayout().getIntPtrType(each.getType())) continue;
        same = const_cast<llvm::Value*>(number->getPointerOperand());
      }
      if (!same) continue;
      each.replaceAllUsesWith(same);
      each.eraseFromParent();
      changed = true;
    }
    return changed;
  }

  void collect() {
    for (llvm::Instruction& each : llvm::instructions(m_function)) {
      if (is_address(each)) {
        m_users.push_back(&each);
        m_groundless.insert(&each);
      } else if (is_comparison(each) && is_generic_type(*each.getOperand(0))) {
        m_users.push_back(&each);
      }
    }
  }

  /// Finds addresses that are computed only from generic constants and from each other.
  void find_groundless() {
    for (bool changed = true; changed;) {
      changed = false;
      for (llvm::Instruction* each : m_users) {
        if (!m_groundless.contains(each)) continue;
        const bool is_grounded = llvm::any_of(pointers_of(*each), [&](const llvm::Use& use) {
          const auto* constant = llvm::dyn_cast<llvm::Constant>(use);
          return constant ? !is_generic(*constant) : !m_groundless.contains(use);
        });
        if (!is_grounded) continue;
        m_groundless.erase(each);
        changed = true;
      }
    }
  }

  /// Whether the value leads to a space in which a number means a different address than in the generic space.
  bool leads_elsewhere(const llvm::Value& value) const {
    constexpr unsigned unknown = std::numeric_limits<unsigned>::max();
    if (llvm::isa<llvm::AddrSpaceCastOperator>(value)) {
      const unsigned space = value.stripPointerCasts()->getType()->getPointerAddressSpace();
      return space != m_generic && space != global_address_space;
    }
    const unsigned assumed = m_target.getAssumedAddrSpace(&value);
    return assumed != unknown && assumed != m_generic && assumed != global_address_space;
  }

  /// Joins values that get the same space into sets. Marks a set if leads_elsewhere is true for one of its members.
  void join() {
    llvm::SmallVector<const llvm::Value*, 8> elsewhere;
    for (llvm::Instruction* user : m_users) {
      const bool is_joining = is_address(*user);
      if (is_joining) m_joined.insert(user);
      for (const llvm::Use& use : pointers_of(*user)) {
        const auto* constant = llvm::dyn_cast<llvm::Constant>(use);
        if (constant && (is_generic(*constant) || !is_joining)) continue;
        const llvm::Value* base = use;
        while (constant && llvm::isa<llvm::GEPOperator>(base)) base = llvm::cast<llvm::User>(base)->getOperand(0);
        // A constant may have other users, too, so its user represents it.
        const llvm::Value* member = constant ? user : use.get();
        m_joined.insert(member);
        if (is_joining) m_joined.unionSets(user, member);
        if (leads_elsewhere(*base)) elsewhere.push_back(member);
      }
    }
    for (const llvm::Value* each : elsewhere) m_elsewhere.insert(m_joined.getLeaderValue(each));
  }

  bool is_taken_wrong(const llvm::Instruction& user, const llvm::Constant& constant) const {
    if (m_groundless.contains(&user)) return true;
    // Some constants are no plain addresses. LLVM gives such a constant the space of another operand, although the
    // constant may lead to a different space.
    if (llvm::isa<llvm::GEPOperator>(constant)) return true;
    if (llvm::isa<llvm::UndefValue>(constant)) return false;
    const llvm::Value* member = &user;
    if (is_comparison(user)) member = user.getOperand(llvm::isa<llvm::Constant>(user.getOperand(0)) ? 1 : 0);
    const auto joined = m_joined.findLeader(member);
    return joined != m_joined.member_end() && m_elsewhere.contains(*joined);
  }

  llvm::Value* hide(llvm::Constant& constant) {
    llvm::Value*& made = m_hidden[&constant];
    if (made) return made;
    auto* frozen = new llvm::FreezeInst(&constant, "", m_function.getEntryBlock().getFirstInsertionPt());
    frozen->setMetadata(hidden, llvm::MDNode::get(m_function.getContext(), {}));
    return made = frozen;
  }

  llvm::Function& m_function;
  unsigned m_generic;
  const llvm::TargetTransformInfo& m_target;
  llvm::SmallVector<llvm::Instruction*, 32> m_users;  ///< addresses, and comparisons of addresses
  llvm::DenseSet<const llvm::Value*> m_groundless;
  llvm::EquivalenceClasses<const llvm::Value*> m_joined;
  llvm::DenseSet<const llvm::Value*> m_elsewhere;  ///< leaders of the marked sets of m_joined
  llvm::DenseMap<llvm::Constant*, llvm::Value*> m_hidden;
};

class hiding_pass final : public llvm::FunctionPass {
public:
  hiding_pass() : FunctionPass(id) {}
  llvm::StringRef getPassName() const override { return "Sinter: constant addresses are hidden"; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.addRequired<llvm::TargetTransformInfoWrapperPass>();
  }
  bool runOnFunction(llvm::Function& function) override {
    const llvm::TargetTransformInfo& target =
        getAnalysis<llvm::TargetTransformInfoWrapperPass>().getTTI(function);
    return hide_constant_addresses(function, target.getFlatAddressSpace(), target);
  }

private:
  static inline char id = 0;
};

class showing_pass final : public llvm::FunctionPass {
public:
  showing_pass() : FunctionPass(id) {}
  llvm::StringRef getPassName() const override { return "Sinter: hidden constants are shown"; }
  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override { usage.setPreservesCFG(); }
  bool runOnFunction(llvm::Function& function) override {
    return show_constant_addresses(function);
  }

private:
  static inline char id = 0;
};

}  // namespace

bool hide_constant_addresses(llvm::Function& function, unsigned generic, const llvm::TargetTransformInfo& target) {
  return constant_hiding(function, generic, target).run();
}

bool show_constant_addresses(llvm::Function& function) {
  bool changed = false;
  for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(function))) {
    if (!llvm::isa<llvm::FreezeInst>(each) || !each.hasMetadata(hidden)) continue;
    each.replaceAllUsesWith(each.getOperand(0));
    each.eraseFromParent();
    changed = true;
  }
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyFunction(function, &stream)) {
    llvm::report_fatal_error(llvm::StringRef("InferAddressSpaces made invalid code: " + problem));
  }
  return changed;
}

llvm::PreservedAnalyses infer_address_spaces::run(llvm::Function& function,
                                                  llvm::FunctionAnalysisManager& functions) {
  const auto none = llvm::PreservedAnalyses::none();
  const llvm::TargetTransformInfo& target = functions.getResult<llvm::TargetIRAnalysis>(function);
  const unsigned generic = m_generic ? *m_generic : target.getFlatAddressSpace();
  const bool hides = hide_constant_addresses(function, generic, target);
  if (hides) functions.invalidate(function, none);
  llvm::PreservedAnalyses kept = llvm::InferAddressSpacesPass(generic).run(function, functions);
  show_constant_addresses(function);
  return hides ? none : kept;
}

void inference_guard::stand_around(llvm::FunctionAnalysisManager& functions) {
  const auto function_of = [](llvm::StringRef pass, const llvm::Any& code) -> llvm::Function* {
    const auto* function = llvm::any_cast<const llvm::Function*>(&code);
    return function && pass == llvm::InferAddressSpacesPass::name() ? const_cast<llvm::Function*>(*function) : nullptr;
  };
  callbacks.registerBeforeNonSkippedPassCallback([=, this, &functions](llvm::StringRef pass, llvm::Any code) {
    llvm::Function* function = function_of(pass, code);
    if (!function) return;
    const llvm::TargetTransformInfo& target = functions.getResult<llvm::TargetIRAnalysis>(*function);
    m_hides = hide_constant_addresses(*function, target.getFlatAddressSpace(), target);
    if (m_hides) functions.invalidate(*function, llvm::PreservedAnalyses::none());
  });
  callbacks.registerAfterPassCallback(
      [=, this, &functions](llvm::StringRef pass, llvm::Any code, const llvm::PreservedAnalyses&) {
        llvm::Function* function = function_of(pass, code);
        if (!function) return;
        show_constant_addresses(*function);
        if (m_hides) functions.invalidate(*function, llvm::PreservedAnalyses::none());
      });
}

llvm::FunctionPass* create_constant_hiding() { return new hiding_pass; }
llvm::FunctionPass* create_constant_showing() { return new showing_pass; }

}  // namespace sinter::jit
