#include "tile_builder.hpp"

#include <abi/planted_error.hpp>

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "stage_function.hpp"

namespace sinter::passes {

std::pair<std::int64_t, std::int64_t> turns_around_tile(const tile_plan& plan) {
  std::int64_t ahead = 0, behind = 0;
  for (const auto& placed : plan.stages) {
    if (!placed.needed) continue;
    ahead = std::min(ahead, placed.halo.low[plan.slide] + placed.delay);
    behind = std::max(behind, placed.halo.high[plan.slide] + placed.delay);
  }
  return {ahead, behind};
}

void tile_builder::begin() {
  if (!m_fused.isDeclaration()) m_fused.deleteBody();
  if (m_plan.runs_of_strip == 0) m_fused.setLinkage(llvm::GlobalValue::ExternalLinkage);
  m_builder.SetInsertPoint(new_block("entry"));
  load_blocks();
  find_tile();
  for (std::size_t s = 0; s < m_stencils.stages.size(); ++s) {
    const bool is_called = m_plan.stages[s].needed && !m_stencils.stages[s].visits;
    m_functions.push_back(is_called ? make_stage_function(m_stencils, s) : nullptr);
  }
}

llvm::Value* tile_builder::query(llvm::StringRef name, unsigned dimension) {
  llvm::FunctionCallee callee =
      m_fused.getParent()->getOrInsertFunction(name, m_builder.getInt64Ty(), m_builder.getInt32Ty());
  return m_builder.CreateCall(callee, {m_builder.getInt32(dimension)});
}

llvm::Value* tile_builder::query_local() {
  return m_builder.CreateCall(
      m_fused.getParent()->getOrInsertFunction("__sinter_local_base", m_builder.getPtrTy()));
}

void tile_builder::load_blocks() {
  llvm::MDNode* invariant = llvm::MDNode::get(m_fused.getContext(), {});
  for (unsigned i = 0; i < m_stencils.stages.size(); ++i) {
    llvm::LoadInst* block = m_builder.CreateLoad(
        m_builder.getPtrTy(), m_builder.CreateConstInBoundsGEP1_64(m_builder.getPtrTy(), m_fused.getArg(0), i),
        "block");
    block->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
    m_blocks.push_back(block);
  }
  m_local = m_plan.runs_of_strip != 0 ? m_fused.getArg(rows_local) : query_local();
  m_values = llvm::ConstantPointerNull::get(m_builder.getPtrTy());
  if (m_plan.value_bytes != 0) {
    llvm::AllocaInst* values =
        m_builder.CreateAlloca(llvm::ArrayType::get(m_builder.getInt8Ty(), m_plan.value_bytes), nullptr, "values");
    values->setAlignment(llvm::Align(16));
    m_values = values;
  }
}

void tile_builder::find_tile() {
  const unsigned places[3] = {m_plan.slide, m_plan.middle, m_plan.lanes};
  for (unsigned d = 0; d < 3; ++d) {
    m_first[d] = number(m_plan.first[d]);
    m_last[d] = number(m_plan.last[d]);
  }
  for (unsigned g = 0; g < 3; ++g) {
    const unsigned d = places[g];
    if (d == 3 || m_plan.tiles[d] == 1) continue;
    if (m_plan.runs_of_strip != 0) {
      m_first[d] = m_fused.getArg(rows_first);
      m_last[d] = m_fused.getArg(rows_last);
      continue;
    }
    llvm::Value* tile = query("__sinter_group_id", g);
    m_first[d] = m_builder.CreateNSWAdd(m_builder.CreateNSWMul(tile, number(m_plan.tile[d])), m_first[d]);
    m_last[d] = smaller(m_builder.CreateNSWAdd(m_first[d], number(m_plan.tile[d])), m_last[d]);
  }
  m_first_lane = m_builder.CreateNSWSub(m_first[m_plan.lanes], number(m_plan.lanes_before));
}

std::pair<llvm::Value*, llvm::Value*> tile_builder::part_of(std::size_t s, unsigned d) {
  const fusion_range& range = m_stencils.stages[s].range;
  const auto begin = static_cast<std::int64_t>(range.offset[d]);
  const auto end = begin + static_cast<std::int64_t>(range.global[d]);
  const reach& halo = m_plan.stages[s].halo;
  const bool alone = m_plan.tiles[d] == 1;
  const std::int64_t short_by = abi::is_planted("tiles_halo_one_short") && halo.high[d] > 0 ? 1 : 0;
  const std::int64_t low = halo.low[d], high = halo.high[d] - short_by;
  if (alone) {
    return {number(std::max(m_plan.first[d] + low, begin)), number(std::min(m_plan.last[d] + high, end))};
  }
  return {larger(m_builder.CreateNSWAdd(m_first[d], number(low)), number(begin)),
          smaller(m_builder.CreateNSWAdd(m_last[d], number(high)), number(end))};
}

bool tile_builder::is_first_of_pass(std::size_t s) const {
  if (!m_functions[s]) return false;
  for (std::size_t k = 0; k < s; ++k) {
    if (m_functions[k] && m_plan.stages[k].pass == m_plan.stages[s].pass) return false;
  }
  return true;
}

std::vector<std::size_t> tile_builder::stages_with(std::size_t first) const {
  std::vector<std::size_t> stages;
  for (std::size_t s = first; s < m_functions.size(); ++s) {
    if (m_functions[s] && m_plan.stages[s].pass == m_plan.stages[first].pass) stages.push_back(s);
  }
  return stages;
}

void tile_builder::call_stage(std::size_t s, llvm::Function* function, llvm::Value* row, llvm::Value* middle,
                              llvm::Value* lane, llvm::Value* stream) {
  llvm::Value* ids[3];
  for (unsigned d = 0; d < 3; ++d) ids[d] = number(static_cast<std::int64_t>(m_stencils.stages[s].range.offset[d]));
  if (row) ids[m_plan.slide] = row;
  if (middle) ids[m_plan.middle] = middle;
  ids[m_plan.lanes] = lane;
  llvm::Value* owner = m_builder.getTrue();
  for (unsigned d = 0; d < 3; ++d) {
    if (m_plan.tiles[d] == 1) continue;
    owner = m_builder.CreateAnd(owner, m_builder.CreateICmpSGE(ids[d], m_first[d]));
    owner = m_builder.CreateAnd(owner, m_builder.CreateICmpSLT(ids[d], m_last[d]));
  }
  llvm::Value* origin = m_plan.middle < 3 ? m_first[m_plan.middle] : number(0);
  m_builder.CreateCall(function, {m_blocks[s], ids[0], ids[1], ids[2], m_local, m_values, origin, m_first_lane, owner,
                                  stream ? stream : llvm::ConstantPointerNull::get(m_builder.getPtrTy())});
}

/// Marks loads of arguments, which do not change while the kernel runs. Later passes assume this by themselves only for
/// the kernel's own argument block, and not for the members' blocks.
void tile_builder::mark_argument_loads() {
  llvm::MDNode* invariant = llvm::MDNode::get(m_fused.getContext(), {});
  const llvm::DataLayout& layout = m_fused.getParent()->getDataLayout();
  for (llvm::Instruction& each : llvm::instructions(m_fused)) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
    if (!load) continue;
    llvm::APInt offset(layout.getIndexTypeSizeInBits(load->getPointerOperandType()), 0);
    const llvm::Value* base = load->getPointerOperand()->stripAndAccumulateConstantOffsets(layout, offset, true);
    if (!llvm::is_contained(m_blocks, base)) continue;
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
    load->setMetadata(llvm::LLVMContext::MD_access_group, nullptr);
  }
}

llvm::Error tile_builder::inline_stages(llvm::ArrayRef<llvm::Function*> functions) {
  for (llvm::Function* function : functions) {
    if (!function) continue;
    for (llvm::User* user : llvm::make_early_inc_range(function->users())) {
      llvm::InlineFunctionInfo info;
      const llvm::InlineResult result = llvm::InlineFunction(*llvm::cast<llvm::CallBase>(user), info);
      if (!result.isSuccess()) {
        return llvm::createStringError("kernel fusion: '" + function->getName() +
                                       "' can't be inlined: " + result.getFailureReason());
      }
    }
    function->eraseFromParent();
  }
  for (const auto& stage : m_stencils.stages) stage.kernel->eraseFromParent();
  if (m_plan.runs_of_strip != 0) mark_argument_loads();
  return llvm::Error::success();
}

}  // namespace sinter::passes
