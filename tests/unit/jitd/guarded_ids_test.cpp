/// Random conditions on ids, in several widths and nested in branches. The range that is found must contain each
/// work-item that stores. If a kernel only compares ids with numbers, each row and each column of the range must
/// contain such a work-item.

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <passes/stencils/guarded_ids.hpp>
#include <string>
#include <vector>

#include "fusion_cases.hpp"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"

namespace {

using namespace sinter::passes;
using sinter::test::generator;

/// A condition, and its value for each work-item (row by row).
struct condition {
  llvm::Value* value;
  std::vector<bool> holds;
};

class guarded_kernel {
public:
  guarded_kernel(std::uint64_t seed, bool simple) : m_random(seed), m_builder(m_context), m_simple(simple) {
    m_range.dimensions = 2;
    for (unsigned d = 1; d < 3; ++d) {
      m_range.offset[d] = m_random.below(4);
      m_range.global[d] = 1 + m_random.below(12);
    }
    auto* type = llvm::FunctionType::get(m_builder.getVoidTy(), {m_builder.getPtrTy()}, false);
    m_kernel = llvm::Function::Create(type, llvm::Function::ExternalLinkage, "kernel", m_module);
    m_builder.SetInsertPoint(llvm::BasicBlock::Create(m_context, "entry", m_kernel));
    const auto id = m_module.getOrInsertFunction("__sinter_global_id", m_builder.getInt64Ty(), m_builder.getInt32Ty());
    for (unsigned d = 1; d < 3; ++d) m_ids[d] = m_builder.CreateCall(id, {m_builder.getInt32(d)});
    llvm::BasicBlock* done = llvm::BasicBlock::Create(m_context, "done", m_kernel);
    const unsigned branches = 1 + static_cast<unsigned>(m_random.below(3));
    m_stores.assign(m_range.global[1] * m_range.global[2], true);
    for (unsigned b = 0; b < branches; ++b) {
      const condition guard = make(simple ? 0 : 2);
      const bool side = m_random.chance(50);
      llvm::BasicBlock* then = llvm::BasicBlock::Create(m_context, "then", m_kernel, done);
      m_builder.CreateCondBr(guard.value, side ? then : done, side ? done : then);
      m_builder.SetInsertPoint(then);
      for (std::size_t i = 0; i < m_stores.size(); ++i) m_stores[i] = m_stores[i] && guard.holds[i] == side;
    }
    m_builder.CreateStore(m_builder.getInt32(1), m_kernel->getArg(0));
    m_builder.CreateBr(done);
    m_builder.SetInsertPoint(done);
    m_builder.CreateRetVoid();
  }

  void check() {
    REQUIRE_FALSE(llvm::verifyFunction(*m_kernel, &llvm::errs()));
    const fusion_range found = ids_with_effects(*m_kernel, m_range);
    const bool any = std::find(m_stores.begin(), m_stores.end(), true) != m_stores.end();
    for (unsigned d = 1; d < 3; ++d) {
      std::uint64_t low = ~std::uint64_t{}, high = 0;
      for (std::size_t i = 0; i < m_stores.size(); ++i) {
        if (!m_stores[i]) continue;
        low = std::min(low, id_of(i, d)), high = std::max(high, id_of(i, d));
      }
      if (!any) continue;
      CHECK(found.offset[d] <= low);
      CHECK(found.offset[d] + found.global[d] > high);
      CHECK(found.offset[d] >= m_range.offset[d]);
      CHECK(found.offset[d] + found.global[d] <= m_range.offset[d] + m_range.global[d]);
      if (!m_simple) continue;
      CHECK(found.offset[d] == low);
      CHECK(found.offset[d] + found.global[d] == high + 1);
    }
  }

private:
  std::uint64_t id_of(std::size_t item, unsigned d) const {
    return m_range.offset[d] + (d == 1 ? item / m_range.global[2] : item % m_range.global[2]);
  }

  condition make(unsigned depth) {
    if (depth == 0 || m_random.chance(40)) return comparison();
    condition a = make(depth - 1), b = make(depth - 1);
    condition result{nullptr, a.holds};
    const unsigned kind = static_cast<unsigned>(m_random.below(5));
    for (std::size_t i = 0; i < a.holds.size(); ++i)
      result.holds[i] = kind < 2 ? a.holds[i] && b.holds[i] : kind < 4 ? a.holds[i] || b.holds[i] : !a.holds[i];
    switch (kind) {
      case 0: result.value = m_builder.CreateAnd(a.value, b.value); break;
      case 1: result.value = m_builder.CreateLogicalAnd(a.value, b.value); break;
      case 2: result.value = m_builder.CreateOr(a.value, b.value); break;
      case 3: result.value = m_builder.CreateLogicalOr(a.value, b.value); break;
      default: result.value = m_builder.CreateNot(a.value);
    }
    return result;
  }

  /// Compares an id with a number: as it is, narrower, or as a sum that may wrap around.
  condition comparison() {
    using predicate = llvm::CmpInst::Predicate;
    const unsigned d = 1 + static_cast<unsigned>(m_random.below(2));
    unsigned bits = 64;
    llvm::Value* value = m_ids[d];
    std::function<llvm::APInt(std::uint64_t)> number = [](std::uint64_t id) { return llvm::APInt(64, id); };
    if (m_random.chance(50)) {
      bits = m_random.chance(50) ? 32 : 8;
      value = m_builder.CreateTrunc(value, m_builder.getIntNTy(bits));
      number = [bits](std::uint64_t id) { return llvm::APInt(64, id).trunc(bits); };
    }
    if (!m_simple && m_random.chance(50)) {
      const llvm::APInt plus(bits, static_cast<std::uint64_t>(m_random.between(-12, 12)), true, true);
      value = m_builder.CreateAdd(value, m_builder.getInt(plus));
      number = [plus, number](std::uint64_t id) { return number(id) + plus; };
    }
    if (bits < 64 && m_random.chance(30)) {
      const bool is_signed = !m_simple && m_random.chance(50);
      value = is_signed ? m_builder.CreateSExt(value, m_builder.getInt64Ty())
                        : m_builder.CreateZExt(value, m_builder.getInt64Ty());
      number = [=](std::uint64_t id) { return is_signed ? number(id).sext(64) : number(id).zext(64); };
      bits = 64;
    }
    const auto which = m_random.pick<predicate>({predicate::ICMP_ULT, predicate::ICMP_ULE, predicate::ICMP_UGT,
                                                 predicate::ICMP_UGE, predicate::ICMP_SLT, predicate::ICMP_SLE,
                                                 predicate::ICMP_SGT, predicate::ICMP_SGE});
    const llvm::APInt limit(bits, static_cast<std::uint64_t>(m_random.between(m_simple ? 0 : -3, 15)), true, true);
    const bool swapped = m_random.chance(20);
    condition result{nullptr, {}};
    result.value = swapped
                       ? m_builder.Insert(new llvm::ICmpInst(llvm::CmpInst::getSwappedPredicate(which),
                                                             m_builder.getInt(limit), value))
                       : m_builder.Insert(new llvm::ICmpInst(which, value, m_builder.getInt(limit)));
    for (std::size_t i = 0; i < m_stores.size(); ++i)
      result.holds.push_back(llvm::ICmpInst::compare(number(id_of(i, d)), limit, which));
    return result;
  }

  generator m_random;
  llvm::LLVMContext m_context;
  llvm::Module m_module{"guards", m_context};
  llvm::IRBuilder<> m_builder;
  const bool m_simple;
  fusion_range m_range;
  llvm::Function* m_kernel = nullptr;
  llvm::Value* m_ids[3] = {};
  std::vector<bool> m_stores;
};

}  // namespace

TEST_CASE("the ids of work-items that store are in the range that guards leave") {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    CAPTURE(seed);
    guarded_kernel(seed, seed % 2 == 0).check();
  }
}
