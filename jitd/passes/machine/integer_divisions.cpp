#include "integer_divisions.hpp"

#include <abi/launch_abi.hpp>
#include <cstddef>

#include "llvm/ADT/DenseMap.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Target/TargetMachine.h"
#include "passes/safe_division.hpp"

namespace sinter::passes {
namespace {

// The arguments are blocks, nd_state, first and last (work_item_loops.hpp).
constexpr unsigned arguments_of_entry = 4;

class safe_divisions {
public:
  safe_divisions(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : m_function(function),
        m_layout(function.getDataLayout()),
        m_ranges(analyses.getResult<llvm::LazyValueAnalysis>(function)),
        m_dominators(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        m_loops(analyses.getResult<llvm::LoopAnalysis>(function)) {}

  void run(llvm::ArrayRef<llvm::BinaryOperator*> divisions) {
    // All divisions are analysed before the first one is changed.
    llvm::SmallVector<danger, 8> dangers;
    for (llvm::BinaryOperator* each : divisions) {
      if (const danger found = danger_of(*each); found.by_zero || found.overflow) dangers.push_back(found);
    }
    for (const danger& each : dangers) make_safe(each);
  }

private:
  struct danger {
    llvm::BinaryOperator* division;
    bool by_zero, overflow;
  };

  llvm::ConstantRange range_of(llvm::Value* value, llvm::Instruction& at) {
    if (value->getType()->isIntegerTy()) {
      const llvm::ConstantRange range = m_ranges.getConstantRange(value, &at, /*UndefAllowed=*/false);
      if (!range.isFullSet()) return range;
    }
    return llvm::computeConstantRange(value, is_signed_division(at), /*UseInstrInfo=*/true, nullptr, &at,
                                      &m_dominators);
  }

  /// Whether the value is a size of the launch, which the entry reads from its abi::nd_state. The entry is never called
  /// for an empty launch, so these sizes are not 0.
  bool is_size_of_launch(const llvm::Value* value) const {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
    if (!load || !load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) return false;
    llvm::APInt offset(64, 0);
    const llvm::Value* base =
        load->getPointerOperand()->stripAndAccumulateConstantOffsets(m_layout, offset, /*AllowNonInbounds=*/true);
    return m_function.arg_size() == arguments_of_entry && base == m_function.getArg(1) &&
           offset.ult(offsetof(abi::nd_state, global_offset));
  }

  danger danger_of(llvm::BinaryOperator& division) {
    llvm::Value* divisor = division.getOperand(1);
    if (is_size_of_launch(divisor) && !is_signed_division(division)) return {&division, false, false};
    const unsigned bits = divisor->getType()->getScalarSizeInBits();
    const llvm::ConstantRange range = range_of(divisor, division);
    // The query is made without an instruction as context, because LLVM would otherwise conclude from an earlier
    // division that the divisor is not 0.
    const llvm::SimplifyQuery query(m_layout);
    danger found{&division, range.contains(llvm::APInt::getZero(bits)), false};
    if (found.by_zero) found.by_zero = !llvm::isKnownNonZero(divisor, query);
    if (is_signed_division(division) && range.contains(llvm::APInt::getAllOnes(bits))) {
      const bool may_be_negative = !llvm::isKnownNonNegative(divisor, query);
      found.overflow = may_be_negative && !llvm::isKnownNonNegative(division.getOperand(0), query) &&
                       range_of(division.getOperand(0), division).contains(llvm::APInt::getSignedMinValue(bits));
    }
    return found;
  }

  void make_safe(const danger& found) {
    llvm::BinaryOperator& division = *found.division;
    llvm::Value* divisor = division.getOperand(1);
    division.setOperand(1, safe_divisor(found));
    if (found.overflow) turn_quotient(division, divisor);
  }

  llvm::Value* safe_divisor(const danger& found) {
    llvm::Instruction* place = place_for(*found.division);
    llvm::Value*& known = m_safe[{{found.division->getOperand(1), place}, found.overflow ? 1u : 0u}];
    llvm::IRBuilder<> builder(place);
    if (!known) known = passes::safe_divisor(builder, found.division->getOperand(1), found.overflow);
    return known;
  }

  /// Returns where to test the divisor. If the division is in loops that do not change the divisor, the place is the
  /// end of the block in front of these loops. Otherwise, the place is in front of the block's first division by this
  /// divisor.
  llvm::Instruction* place_for(llvm::BinaryOperator& division) {
    llvm::Value* divisor = division.getOperand(1);
    llvm::BasicBlock* found = nullptr;
    for (llvm::Loop* loop = m_loops.getLoopFor(division.getParent()); loop && loop->isLoopInvariant(divisor);
         loop = loop->getParentLoop()) {
      if (llvm::BasicBlock* before = loop->getLoopPreheader()) found = before;
    }
    if (found) return found->getTerminator();
    llvm::Instruction*& first = m_first[{divisor, division.getParent()}];
    if (!first || division.comesBefore(first)) first = &division;
    return first;
  }

  llvm::Function& m_function;
  const llvm::DataLayout& m_layout;
  llvm::LazyValueInfo& m_ranges;
  llvm::DominatorTree& m_dominators;
  llvm::LoopInfo& m_loops;
  llvm::DenseMap<std::pair<std::pair<llvm::Value*, llvm::Instruction*>, unsigned>, llvm::Value*> m_safe;
  llvm::DenseMap<std::pair<llvm::Value*, llvm::BasicBlock*>, llvm::Instruction*> m_first;
};

struct make_safe_pass : llvm::PassInfoMixin<make_safe_pass> {
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    llvm::SmallVector<llvm::BinaryOperator*, 8> divisions;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (may_trap(instruction)) divisions.push_back(llvm::cast<llvm::BinaryOperator>(&instruction));
    }
    safe_divisions(function, analyses).run(divisions);
    return llvm::PreservedAnalyses::none();
  }
};

}  // namespace

bool divisions_trap(const llvm::TargetMachine& machine) { return machine.getTargetTriple().isX86(); }

void make_divisions_safe(llvm::Function& function, pass_runner& runner) {
  if (llvm::none_of(llvm::instructions(function), may_trap)) return;
  runner.functions.invalidate(function, llvm::PreservedAnalyses::none());
  llvm::FunctionPassManager passes;
  passes.addPass(make_safe_pass());
  runner.run(function, std::move(passes));
}

}  // namespace sinter::passes
