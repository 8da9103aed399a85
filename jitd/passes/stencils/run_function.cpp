#include "run_function.hpp"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/called_names.hpp"
#include "passes/fusion/element_visits.hpp"

namespace sinter::passes {

element_view::element_view(llvm::Function& kernel, const fusion_range& elements) {
  llvm::ValueToValueMapTy map;
  m_view = make_element_view(kernel, map);
  specialize_view(*m_view, elements);
  for (const auto& [from, to] : map) {
    if (llvm::Value* copy = to; copy && !llvm::isa<llvm::Constant>(copy))
      m_originals[copy] = const_cast<llvm::Value*>(from);
  }
}

element_view::~element_view() { m_view->eraseFromParent(); }

llvm::Value* element_view::original(llvm::Value* value) const {
  return llvm::isa<llvm::Constant>(value) ? value : m_originals.lookup(value);
}

namespace {

enum run_parameter : unsigned { run_block, run_number, run_local, run_lanes };

class run_function {
public:
  run_function(const stencil_fusion& stencils, std::size_t index)
      : m_stencils(stencils), m_plan(stencils.plan), m_code(stencils.stages[index]) {}

  llvm::Function* make() {
    llvm::Function& original = *m_code.kernel;
    llvm::LLVMContext& context = original.getContext();
    llvm::Type *number = llvm::Type::getInt64Ty(context), *pointer = llvm::PointerType::getUnqual(context);
    auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer, number, pointer, number}, false);
    m_function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, "sinter.run", original.getParent());
    llvm::ValueToValueMapTy map;
    map[original.getArg(0)] = m_function->getArg(run_block);
    llvm::SmallVector<llvm::ReturnInst*, 4> returns;
    llvm::CloneFunctionInto(m_function, &original, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
    m_function->setLinkage(llvm::GlobalValue::InternalLinkage);
    m_function->removeFnAttr(llvm::Attribute::NoInline);
    m_function->removeFnAttr(llvm::Attribute::OptimizeNone);
    for (const placed_access& each : m_code.accesses) read_buffer(each, map);
    take_group();
    return m_function;
  }

private:
  llvm::Value* coordinate(const stencil_access& access, unsigned d, llvm::IRBuilder<>& builder,
                          llvm::ValueToValueMapTy& map) const {
    llvm::Value* sum = builder.getInt64(static_cast<std::uint64_t>(access.shift[d]));
    for (const index_part& part : access.parts[d]) {
      const auto known = map.find(part.value);
      llvm::Value* value = known == map.end() ? part.value : &*known->second;
      value = builder.CreateSExtOrTrunc(value, builder.getInt64Ty());
      if (part.factor != 1)
        value = builder.CreateNSWMul(value, builder.getInt64(static_cast<std::uint64_t>(part.factor)));
      sum = builder.CreateNSWAdd(value, sum);
    }
    return sum;
  }

  void read_buffer(const placed_access& placed, llvm::ValueToValueMapTy& map) const {
    if (placed.buffer < 0) return;
    auto* load = llvm::cast<llvm::LoadInst>(&*map[placed.access.instruction]);
    const tile_plan::buffer& buffer = m_plan.buffers[static_cast<std::size_t>(placed.buffer)];
    const std::int64_t bytes = m_stencils.layouts[static_cast<std::size_t>(placed.buffer)].element_bytes;
    llvm::IRBuilder<> builder(load);
    const auto number = [&](std::int64_t value) { return builder.getInt64(static_cast<std::uint64_t>(value)); };
    llvm::Value* at = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), m_function->getArg(run_local),
                                                         buffer.offset + placed.access.within);
    if (buffer.rows > 1) {
      llvm::Value* row = coordinate(placed.access, m_plan.slide, builder, map);
      row = builder.CreateAnd(row, number(buffer.rows - 1));
      at = builder.CreateInBoundsPtrAdd(at, builder.CreateNSWMul(row, number(buffer.pitch * bytes)));
    }
    llvm::Value* lane = builder.CreateNSWSub(coordinate(placed.access, m_plan.lanes, builder, map),
                                             m_function->getArg(run_lanes));
    at = builder.CreateInBoundsPtrAdd(at, builder.CreateNSWMul(lane, number(bytes)));
    load->setOperand(llvm::LoadInst::getPointerOperandIndex(), at);
    const llvm::Align aligned = llvm::commonAlignment(
        llvm::commonAlignment(llvm::Align(64), static_cast<std::uint64_t>(bytes)), placed.access.within);
    load->setAlignment(std::min(load->getAlign(), aligned));
    // The load's metadata describes the original memory, and does not hold for the buffer.
    for (const unsigned kind : {+llvm::LLVMContext::MD_invariant_load, +llvm::LLVMContext::MD_alias_scope,
                                +llvm::LLVMContext::MD_noalias, +llvm::LLVMContext::MD_tbaa}) {
      load->setMetadata(kind, nullptr);
    }
  }

  /// A run of elements (element_runs.hpp) is the work of one group of the original kernel. So the number of the run
  /// replaces queries of the group's id. Queries of local ids do not change.
  void take_group() {
    const auto runs = static_cast<std::uint64_t>(m_stencils.request.runs.count);
    for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*m_function))) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      auto* dimension =
          call && call->arg_size() == 1 ? llvm::dyn_cast<llvm::ConstantInt>(call->getArgOperand(0)) : nullptr;
      if (!dimension) continue;
      const bool is_last = dimension->getZExtValue() % 3 == 2;
      llvm::IRBuilder<> builder(call);
      const llvm::StringRef name = called_name(*call);
      llvm::Value* value = nullptr;
      if (name == "__sinter_group_id") value = builder.getInt64(0);
      if (name == "__sinter_group_id" && is_last) value = m_function->getArg(run_number);
      if (name == "__sinter_group_range") value = builder.getInt64(is_last ? runs : 1);
      if (name == "__sinter_global_offset") value = builder.getInt64(0);
      if (name == "__sinter_global_range") value = builder.getInt64(is_last ? runs * items_of_run : 1);
      if (name == "__sinter_global_id" && !is_last) value = builder.getInt64(0);
      if (name == "__sinter_global_id" && is_last) {
        llvm::FunctionCallee local = m_function->getParent()->getOrInsertFunction(
            "__sinter_local_id", builder.getInt64Ty(), builder.getInt32Ty());
        value = builder.CreateNUWAdd(
            builder.CreateNUWMul(m_function->getArg(run_number), builder.getInt64(items_of_run)),
            builder.CreateCall(local, {builder.getInt32(2)}));
      }
      if (!value) continue;
      call->replaceAllUsesWith(value);
      call->eraseFromParent();
    }
  }

  const stencil_fusion& m_stencils;
  const tile_plan& m_plan;
  const stencil_fusion::stage_code& m_code;
  llvm::Function* m_function = nullptr;
};

}  // namespace

llvm::Function* make_run_function(const stencil_fusion& stencils, std::size_t index) {
  return run_function(stencils, index).make();
}

}  // namespace sinter::passes
