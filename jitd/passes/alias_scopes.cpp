#include "alias_scopes.hpp"

#include <abi/planted_error.hpp>

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::passes {
namespace {

constexpr unsigned scope_kinds[] = {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias};

/// All scopes of a domain are dropped together, because an access with only some of its scopes would promise more than
/// before.
using domain_set = llvm::SmallPtrSet<const llvm::MDNode*, 8>;

const llvm::MDNode* domain_of(const llvm::MDOperand& scope) {
  return llvm::AliasScopeNode(llvm::cast<llvm::MDNode>(scope)).getDomain();
}

void add_domains(const llvm::MDNode* scopes, domain_set& domains) {
  if (!scopes) return;
  for (const llvm::MDOperand& scope : scopes->operands()) domains.insert(domain_of(scope));
}

/// The domains of the scopes that `instruction` declares.
domain_set declared_by(const llvm::Instruction& instruction) {
  domain_set domains;
  if (const auto* declaration = llvm::dyn_cast<llvm::NoAliasScopeDeclInst>(&instruction)) {
    add_domains(declaration->getScopeList(), domains);
  }
  return domains;
}

/// Finds domains that are used behind a barrier without being declared behind this barrier. The search goes back from
/// each use to a declaration or a barrier, so that its time does not grow with the number of barriers.
class scopes_behind {
public:
  scopes_behind(const llvm::Function& function, const domain_set& declared,
                llvm::function_ref<bool(const llvm::Instruction&)> is_barrier)
      : m_declared(declared), m_is_barrier(is_barrier) {
    for (const llvm::BasicBlock& block : function) scan(block);
    for (const auto& [domain, blocks] : m_uses) {
      if (!m_found.contains(domain)) go_back(domain, blocks);
    }
  }

  const domain_set& found() const { return m_found; }

private:
  struct block_facts {
    domain_set declares;
    domain_set behind_barrier;  ///< domains that are used or declared behind the last barrier
    bool has_barrier = false;
  };

  /// Walks the block from its end to its beginning.
  void scan(const llvm::BasicBlock& block) {
    block_facts& facts = m_blocks[&block];
    domain_set needed;
    for (const llvm::Instruction& instruction : llvm::reverse(block)) {
      if (m_is_barrier(instruction)) {
        if (!facts.has_barrier) facts.behind_barrier.insert(needed.begin(), needed.end());
        facts.has_barrier = true;
        m_found.insert(needed.begin(), needed.end());
        needed.clear();
      }
      domain_set used;
      for (const unsigned kind : scope_kinds) add_domains(instruction.getMetadata(kind), used);
      for (const llvm::MDNode* domain : used) {
        if (m_declared.contains(domain)) needed.insert(domain);
      }
      // A declaration in this block comes before the uses.
      for (const llvm::MDNode* domain : declared_by(instruction)) {
        needed.erase(domain);
        facts.declares.insert(domain);
        if (!facts.has_barrier) facts.behind_barrier.insert(domain);
      }
    }
    for (const llvm::MDNode* domain : needed) m_uses[domain].push_back(&block);
  }

  void go_back(const llvm::MDNode* domain, llvm::SmallVector<const llvm::BasicBlock*, 4> blocks) {
    llvm::SmallPtrSet<const llvm::BasicBlock*, 16> seen(blocks.begin(), blocks.end());
    while (!blocks.empty()) {
      for (const llvm::BasicBlock* before : llvm::predecessors(blocks.pop_back_val())) {
        const block_facts& facts = m_blocks[before];
        if (facts.has_barrier && !facts.behind_barrier.contains(domain)) {
          m_found.insert(domain);
          return;
        }
        if (!facts.declares.contains(domain) && seen.insert(before).second) blocks.push_back(before);
      }
    }
  }

  const domain_set& m_declared;
  llvm::function_ref<bool(const llvm::Instruction&)> m_is_barrier;
  domain_set m_found;
  llvm::DenseMap<const llvm::BasicBlock*, block_facts> m_blocks;
  /// Maps each domain to the blocks in which a use of the domain comes before its declaration.
  llvm::MapVector<const llvm::MDNode*, llvm::SmallVector<const llvm::BasicBlock*, 4>> m_uses;
};

void drop_scopes(llvm::Instruction& instruction, const domain_set& domains) {
  for (const unsigned kind : scope_kinds) {
    const llvm::MDNode* scopes = instruction.getMetadata(kind);
    if (!scopes) continue;
    llvm::SmallVector<llvm::Metadata*, 8> rest;
    for (const llvm::MDOperand& scope : scopes->operands()) {
      if (!domains.contains(domain_of(scope))) rest.push_back(scope);
    }
    if (rest.size() == scopes->getNumOperands()) continue;
    instruction.setMetadata(kind, rest.empty() ? nullptr : llvm::MDNode::get(instruction.getContext(), rest));
  }
}

/// Drops the domains' scopes, and the declarations of these scopes.
void drop_scopes(llvm::Function& function, const domain_set& domains) {
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    drop_scopes(instruction, domains);
    const domain_set own = declared_by(instruction);
    const auto is_gone = [&](const llvm::MDNode* each) { return domains.contains(each); };
    if (!own.empty() && llvm::all_of(own, is_gone)) instruction.eraseFromParent();
  }
}

/// Whether a test has planted an error in the handling of scopes. If so, scopes in loops are kept, so that the error
/// has consequences.
bool are_planted() {
  const bool all[] = {abi::is_planted("scopes_in_loops"), abi::is_planted("restrict_scopes"),
                      abi::is_planted("scopes_across_barriers")};
  return llvm::is_contained(all, true);
}

/// Drops scopes of one function and of the functions that it calls. `again` says that the function is called in a loop.
class scopes_in_loops {
public:
  void drop(llvm::Function& function, bool again) {
    const auto [known, added] = m_seen.try_emplace(&function, again);
    if (!added && (known->second || !again)) return;
    known->second = again;
    llvm::CycleInfo cycles;
    cycles.compute(function);
    domain_set gone;
    llvm::SmallVector<llvm::Function*, 8> called, called_again;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const bool in_loop = again || cycles.getCycle(instruction.getParent());
      if (in_loop) {
        for (const llvm::MDNode* domain : declared_by(instruction)) gone.insert(domain);
      }
      const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
      if (callee && !callee->isDeclaration()) (in_loop ? called_again : called).push_back(callee);
    }
    if (!gone.empty() && !are_planted()) drop_scopes(function, gone);
    for (llvm::Function* each : called) drop(*each, false);
    for (llvm::Function* each : called_again) {
      // If LLVM inlined the function later, it would make scopes from noalias parameters.
      for (llvm::Argument& argument : each->args()) {
        if (argument.hasNoAliasAttr() && !are_planted()) argument.removeAttr(llvm::Attribute::NoAlias);
      }
      drop(*each, true);
    }
  }

private:
  llvm::DenseMap<const llvm::Function*, bool> m_seen;
};

}  // namespace

void drop_scopes_in_loops(llvm::Function& kernel) {
  scopes_in_loops().drop(kernel, false);
}

void renew_scopes(llvm::ArrayRef<llvm::BasicBlock*> copies) {
  llvm::SmallVector<llvm::MDNode*, 8> declared;
  llvm::identifyNoAliasScopesToClone(copies, declared);
  if (!declared.empty())
    llvm::cloneAndAdaptNoAliasScopes(declared, copies, copies.front()->getContext(), "copy");
}

void drop_scopes_across(llvm::Function& function, llvm::function_ref<bool(const llvm::Instruction&)> is_barrier) {
  domain_set declared;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    for (const llvm::MDNode* domain : declared_by(instruction)) declared.insert(domain);
  }
  if (declared.empty()) return;
  const scopes_behind behind(function, declared, is_barrier);
  if (behind.found().empty() || abi::is_planted("scopes_across_barriers")) return;
  drop_scopes(function, behind.found());
}

}  // namespace sinter::passes
