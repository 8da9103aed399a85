#include "run_kernel.hpp"

#include <abi/device_abi.hpp>
#include <abi/planted_error.hpp>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/convergence.hpp"
#include "passes/fusion/element_visits.hpp"
#include "passes/kernel_parts.hpp"
#include "run_function.hpp"
#include "tile_builder.hpp"

namespace sinter::passes {
namespace {

class run_kernel {
public:
  run_kernel(llvm::Function& fused, const stencil_fusion& stencils)
      : m_fused(fused),
        m_stencils(stencils),
        m_plan(stencils.plan),
        m_runs(stencils.request.runs),
        m_width(stencils.request.stages.back().range.global[stencils.plan.lanes]),
        m_builder(fused.getContext()) {}

  llvm::Expected<llvm::Function*> build() {
    if (!m_fused.isDeclaration()) m_fused.deleteBody();
    m_fused.setLinkage(llvm::GlobalValue::ExternalLinkage);
    llvm::Function* rows = declare_rows();
    llvm::Function* reduce = make_run_function(m_stencils, m_stencils.stages.size() - 1);
    llvm::BasicBlock *entry = new_block("entry"), *turn = new_block("run"), *stages = new_block("rows"),
                     *meet = new_block("meet"), *sum = new_block("reduce"), *done = new_block("done");
    m_builder.SetInsertPoint(entry);
    llvm::Value* block = m_builder.CreateLoad(
        m_builder.getPtrTy(),
        m_builder.CreateConstInBoundsGEP1_64(m_builder.getPtrTy(), m_fused.getArg(0), m_stencils.stages.size() - 1),
        "block");
    llvm::cast<llvm::Instruction>(block)->setMetadata(llvm::LLVMContext::MD_invariant_load,
                                                      llvm::MDNode::get(m_fused.getContext(), {}));
    llvm::Value* local = m_builder.CreateCall(
        m_fused.getParent()->getOrInsertFunction("__sinter_local_base", m_builder.getPtrTy()));
    llvm::Value* is_first = m_builder.CreateIsNull(query("__sinter_local_id", 2));
    const std::uint64_t of_strip = m_plan.runs_of_strip;
    llvm::Value* begin = m_builder.CreateNUWMul(query("__sinter_group_id", 0), number(of_strip));
    llvm::Value* end = m_builder.CreateBinaryIntrinsic(
        llvm::Intrinsic::umin, m_builder.CreateNUWAdd(begin, number(of_strip)), number(m_runs.count));
    llvm::Value *first = row_of(element_of(begin)), *last = row_of(element_of(end));
    const std::int64_t ahead = turns_around_tile(m_plan).first;
    m_builder.CreateBr(turn);

    // The branch for the first work-item comes before the test whether the group has reduced all its runs of elements.
    // So the group's other work-items go directly from one barrier to the next.
    m_builder.SetInsertPoint(turn);
    llvm::PHINode* run = m_builder.CreatePHI(m_builder.getInt64Ty(), 2, "run");
    run->addIncoming(begin, entry);
    m_builder.CreateCondBr(is_first, stages, meet);
    m_builder.SetInsertPoint(stages);
    llvm::Value* is_start = m_builder.CreateICmpEQ(run, begin);
    llvm::Value* start = m_builder.CreateAdd(first, number(static_cast<std::uint64_t>(ahead)));
    llvm::Value* from = m_builder.CreateSelect(is_start, start, turn_behind(run));
    llvm::Value* is_end = m_builder.CreateICmpEQ(run, end);
    llvm::Value* to = m_builder.CreateSelect(is_end, from, turn_behind(m_builder.CreateNUWAdd(run, number(1))));
    m_builder.CreateCall(rows, {m_fused.getArg(0), local, first, last, from, to});
    m_builder.CreateBr(meet);
    m_builder.SetInsertPoint(meet);
    if (!abi::is_planted("tiles_without_barriers")) create_barrier(m_builder, abi::scope::work_group);
    m_builder.CreateCondBr(m_builder.CreateICmpEQ(run, end), done, sum);
    m_builder.SetInsertPoint(sum);
    llvm::Value* first_lane =
        number(static_cast<std::uint64_t>(m_plan.first[m_plan.lanes] - m_plan.lanes_before));
    llvm::CallInst* call = m_builder.CreateCall(reduce, {block, run, local, first_lane});
    if (!abi::is_planted("tiles_without_barriers")) create_barrier(m_builder, abi::scope::work_group);
    run->addIncoming(m_builder.CreateNUWAdd(run, number(1)), sum);
    m_builder.CreateBr(turn);
    m_builder.SetInsertPoint(done);
    m_builder.CreateRetVoid();
    llvm::InlineFunctionInfo info;
    const llvm::InlineResult result = llvm::InlineFunction(*call, info);
    if (!result.isSuccess()) {
      return llvm::createStringError("kernel fusion: '" + reduce->getName() +
                                     "' can't be inlined: " + result.getFailureReason());
    }
    reduce->eraseFromParent();
    return rows;
  }

private:
  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(m_fused.getContext(), name, &m_fused);
  }
  llvm::Value* number(std::uint64_t value) { return m_builder.getInt64(value); }
  llvm::Value* query(llvm::StringRef name, unsigned dimension) {
    llvm::FunctionCallee callee =
        m_fused.getParent()->getOrInsertFunction(name, m_builder.getInt64Ty(), m_builder.getInt32Ty());
    return m_builder.CreateCall(callee, {m_builder.getInt32(dimension)});
  }

  llvm::Function* declare_rows() {
    llvm::Type *id = m_builder.getInt64Ty(), *pointer = m_builder.getPtrTy();
    auto* type = llvm::FunctionType::get(m_builder.getVoidTy(), {pointer, pointer, id, id, id, id}, false);
    llvm::Function* rows = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "sinter.rows",
                                                  m_fused.getParent());
    make_kernel_part(*rows);
    return rows;
  }

  /// The first element of a run, in linear order.
  llvm::Value* element_of(llvm::Value* run) {
    llvm::Value* element = m_builder.CreateNUWMul(run, number(m_runs.length()));
    if (m_runs.longer() == 0) return element;
    return m_builder.CreateNUWAdd(
        element, m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, run, number(m_runs.longer())));
  }
  llvm::Value* row_of(llvm::Value* element) { return m_builder.CreateUDiv(element, number(m_width)); }

  /// Returns the first iteration of the loop over rows (turn) that no run in front of `run` needs.
  llvm::Value* turn_behind(llvm::Value* run) {
    llvm::Value* last_row = row_of(m_builder.CreateSub(element_of(run), number(1)));
    const std::int64_t delay = m_plan.stages.back().delay;
    const std::int64_t short_by = abi::is_planted("tiles_rows_too_late") ? 1 : 0;
    return m_builder.CreateAdd(last_row, number(static_cast<std::uint64_t>(delay + 1 - short_by)));
  }

  llvm::Function& m_fused;
  const stencil_fusion& m_stencils;
  const tile_plan& m_plan;
  const element_runs& m_runs;
  const std::uint64_t m_width;
  llvm::IRBuilder<> m_builder;
};

}  // namespace

llvm::Expected<llvm::Function*> build_run_kernel(llvm::Function& fused, const stencil_fusion& stencils) {
  return run_kernel(fused, stencils).build();
}

}  // namespace sinter::passes
