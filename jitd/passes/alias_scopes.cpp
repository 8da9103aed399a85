#include "alias_scopes.hpp"

#include <abi/planted_error.hpp>

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Metadata.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace sinter::passes {
namespace {

constexpr unsigned scope_kinds[] = {llvm::LLVMContext::MD_alias_scope, llvm::LLVMContext::MD_noalias};

/// Scopes are dropped by their domains: an access that keeps some of several would claim more than before.
using domain_set = llvm::SmallPtrSet<const llvm::MDNode*, 8>;

const llvm::MDNode* domain_of(const llvm::MDOperand& scope) {
  return llvm::AliasScopeNode(llvm::cast<llvm::MDNode>(scope)).getDomain();
}

void add_domains(const llvm::MDNode* scopes, domain_set& domains) {
  if (!scopes) return;
  for (const llvm::MDOperand& scope : scopes->operands()) domains.insert(domain_of(scope));
}

/// Of the scopes that `instruction` declares.
domain_set declared_by(const llvm::Instruction& instruction) {
  domain_set domains;
  if (const auto* declaration = llvm::dyn_cast<llvm::NoAliasScopeDeclInst>(&instruction)) {
    add_domains(declaration->getScopeList(), domains);
  }
  return domains;
}

/// What is used behind a barrier before it is declared there.
class scopes_behind {
public:
  explicit scopes_behind(const domain_set& declared) : m_declared(declared) {}

  void walk(const llvm::Instruction& barrier) {
    m_seen.clear();
    walk(std::next(barrier.getIterator()), *barrier.getParent(), {});
  }

  const domain_set& found() const { return m_found; }

private:
  /// `ended`: what has been declared again on the way. Each block once for each way that leads there with as many.
  void walk(llvm::BasicBlock::const_iterator from, const llvm::BasicBlock& block, domain_set ended) {
    for (; from != block.end(); ++from) {
      for (const llvm::MDNode* domain : declared_by(*from)) ended.insert(domain);
      domain_set used;
      for (const unsigned kind : scope_kinds) add_domains(from->getMetadata(kind), used);
      for (const llvm::MDNode* domain : used) {
        if (m_declared.contains(domain) && !ended.contains(domain)) m_found.insert(domain);
      }
    }
    for (const llvm::BasicBlock* next : llvm::successors(&block)) {
      // Where two ways meet, less has ended: there the walk goes on once more.
      const auto [known, added] = m_seen.try_emplace(next, ended);
      if (!added) {
        domain_set both;
        for (const llvm::MDNode* domain : known->second) {
          if (ended.contains(domain)) both.insert(domain);
        }
        if (both.size() == known->second.size()) continue;
        known->second = both;
      }
      const domain_set there = known->second;
      walk(next->begin(), *next, there);
    }
  }

  const domain_set& m_declared;
  domain_set m_found;
  llvm::DenseMap<const llvm::BasicBlock*, domain_set> m_seen;
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

}  // namespace

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
  scopes_behind behind(declared);
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (is_barrier(instruction)) behind.walk(instruction);
  }
  if (behind.found().empty() || abi::is_planted("scopes_across_barriers")) return;
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(function))) {
    drop_scopes(instruction, behind.found());
    const domain_set own = declared_by(instruction);
    const auto is_gone = [&](const llvm::MDNode* each) { return behind.found().contains(each); };
    if (!own.empty() && llvm::all_of(own, is_gone)) instruction.eraseFromParent();
  }
}

}  // namespace sinter::passes
