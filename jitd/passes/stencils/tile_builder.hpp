#pragma once
/// Builds the parts that all kernels of tiles share: the members' argument blocks, the tile of the group, the part of
/// the tile that each stage computes, and loops around calls of stages.

#include <utility>
#include <vector>

#include "llvm/ADT/Twine.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Error.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "stencil_fusion.hpp"

namespace sinter::passes {

/// Parameters of a function that computes some rows of a strip. The strip has whole runs of elements (run_kernel.hpp).
/// The function's type is void(ptr blocks, ptr local, i64 the strip's first row, i64 the row after the strip's last
/// row, i64 beginning of the loop along `slide`, i64 end of this loop).
enum rows_parameter : unsigned { rows_blocks, rows_local, rows_first, rows_last, rows_from, rows_to };

/// The beginning of the loop along `slide`, relative to the tile's first row, and the loop's end, relative to the row
/// after the tile.
std::pair<std::int64_t, std::int64_t> turns_around_tile(const tile_plan& plan);

class tile_builder {
protected:
  tile_builder(llvm::Function& fused, const stencil_fusion& stencils)
      : m_fused(fused), m_stencils(stencils), m_plan(stencils.plan), m_builder(fused.getContext()) {}

  /// Emits loads of the argument blocks and the computation of the tile, and makes functions for all stages.
  void begin();
  /// Inlines `functions`, which are functions of stages. Then erases `functions` and the stages' kernels.
  llvm::Error inline_stages(llvm::ArrayRef<llvm::Function*> functions);

  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(m_fused.getContext(), name, &m_fused);
  }
  llvm::Value* number(std::int64_t value) { return m_builder.getInt64(static_cast<std::uint64_t>(value)); }
  llvm::Value* query(llvm::StringRef name, unsigned dimension);
  llvm::Value* query_local();
  llvm::Value* larger(llvm::Value* a, llvm::Value* b) {
    return m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
  }
  llvm::Value* smaller(llvm::Value* a, llvm::Value* b) {
    return m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
  }

  /// Returns which part [first, second) of the tile the stage has to compute along dimension d.
  std::pair<llvm::Value*, llvm::Value*> part_of(std::size_t s, unsigned d);

  bool is_first_of_pass(std::size_t s) const;
  /// The stages of the pass that begins with stage `first`.
  std::vector<std::size_t> stages_with(std::size_t first) const;

  void call_stage(std::size_t s, llvm::Function* function, llvm::Value* row, llvm::Value* middle, llvm::Value* lane,
                  llvm::Value* stream = nullptr);

  template <class Body>
  void loop(llvm::Value* begin, llvm::Value* end, const char* name, const Body& body) {
    llvm::BasicBlock* before = m_builder.GetInsertBlock();
    llvm::BasicBlock* head = new_block(name);
    llvm::BasicBlock* inside = new_block(name);
    llvm::BasicBlock* behind = new_block("behind");
    m_builder.CreateBr(head);
    m_builder.SetInsertPoint(head);
    llvm::PHINode* counter = m_builder.CreatePHI(m_builder.getInt64Ty(), 2, name);
    m_builder.CreateCondBr(m_builder.CreateICmpSLT(counter, end), inside, behind);
    m_builder.SetInsertPoint(inside);
    body(counter);
    llvm::Value* next = m_builder.CreateNSWAdd(counter, number(1));
    counter->addIncoming(begin, before);
    counter->addIncoming(next, m_builder.GetInsertBlock());
    // LLVM must not peel the loop for the first rows, in which later stages do nothing yet: the copies would gain
    // nothing.
    llvm::LLVMContext& context = m_fused.getContext();
    llvm::MDNode* once = llvm::MDNode::get(context, {llvm::MDString::get(context, "llvm.loop.unroll.disable")});
    m_builder.CreateBr(head)->setMetadata(llvm::LLVMContext::MD_loop,
                                          llvm::makePostTransformationMetadata(context, nullptr, {}, {once}));
    m_builder.SetInsertPoint(behind);
  }

  template <class Body>
  void if_true(llvm::Value* condition, const Body& body) {
    llvm::BasicBlock* inside = new_block("inside");
    llvm::BasicBlock* behind = new_block("behind");
    m_builder.CreateCondBr(condition, inside, behind);
    m_builder.SetInsertPoint(inside);
    body();
    m_builder.CreateBr(behind);
    m_builder.SetInsertPoint(behind);
  }

  /// Emits a loop over the rows along `slide`. body(stage, row) emits the code of one pass, where `stage` is the pass's
  /// first stage. The row may be outside the part that the stage computes.
  template <class Body>
  void go_along_rows(const Body& body) {
    const auto all = [&](llvm::Value* step) {
      for (std::size_t s = 0; s < m_stencils.stages.size(); ++s) {
        if (!is_first_of_pass(s)) continue;
        body(s, step ? m_builder.CreateNSWSub(step, number(m_plan.stages[s].delay)) : nullptr);
      }
    };
    if (m_plan.slide == 3) return all(nullptr);
    if (m_plan.runs_of_strip != 0)
      return loop(m_fused.getArg(rows_from), m_fused.getArg(rows_to), "row", all);
    const auto [ahead, behind] = turns_around_tile(m_plan);
    loop(m_builder.CreateNSWAdd(m_first[m_plan.slide], number(ahead)),
         m_builder.CreateNSWAdd(m_last[m_plan.slide], number(behind)), "row", all);
  }

  llvm::Function& m_fused;
  const stencil_fusion& m_stencils;
  const tile_plan& m_plan;
  llvm::IRBuilder<> m_builder;
  std::vector<llvm::Function*> m_functions;  ///< each stage's function for all work-items; null if not needed
  std::vector<llvm::Value*> m_blocks;        ///< each stage's argument block
  llvm::Value *m_local = nullptr, *m_values = nullptr;
  llvm::Value *m_first[3] = {}, *m_last[3] = {};  ///< the tile's ids, [first, last)
  llvm::Value* m_first_lane = nullptr;

private:
  void mark_argument_loads();
  void load_blocks();
  void find_tile();
};

}  // namespace sinter::passes
