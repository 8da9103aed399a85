#include "tile_kernel.hpp"

#include <abi/device_abi.hpp>
#include <abi/planted_error.hpp>

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/called_names.hpp"
#include "passes/convergence.hpp"

namespace sinter::passes {
namespace {

/// Parameters of a stage.
enum stage_parameter : unsigned { of_block, of_id, of_local = of_id + 3, of_middle, of_lanes, of_owner };

/// One stage as a function of its work-item's ids: void(ptr block, i64 id[3], ptr local, i64 first row along `middle`
/// of its buffers, i64 first lane, i1 whether its tile owns the element).
class stage_function {
public:
  stage_function(const stencil_fusion& stencils, std::size_t index)
      : m_stencils(stencils), m_plan(stencils.plan), m_code(stencils.stages[index]),
        m_always_owner(stencils.plan.stages[index].halo == reach{}), m_index(index) {}

  llvm::Function* make() {
    llvm::Function& original = *m_code.kernel;
    llvm::LLVMContext& context = original.getContext();
    llvm::Type* number = llvm::Type::getInt64Ty(context);
    llvm::Type* pointer = llvm::PointerType::getUnqual(context);
    auto* type = llvm::FunctionType::get(
        llvm::Type::getVoidTy(context),
        {pointer, number, number, number, pointer, number, number, llvm::Type::getInt1Ty(context)}, false);
    m_function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                        "sinter.stage" + std::to_string(m_index), original.getParent());
    llvm::ValueToValueMapTy map;
    map[original.getArg(0)] = m_function->getArg(of_block);
    llvm::SmallVector<llvm::ReturnInst*, 4> returns;
    llvm::CloneFunctionInto(m_function, &original, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
    m_function->setLinkage(llvm::GlobalValue::InternalLinkage);
    m_function->removeFnAttr(llvm::Attribute::NoInline);
    m_function->removeFnAttr(llvm::Attribute::OptimizeNone);
    for (const placed_access& each : m_code.accesses) replace(each, map);
    for (llvm::CallInst* call : calls_of(*m_function, "__sinter_global_id")) {
      const auto d = static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(call->getArgOperand(0))->getZExtValue() % 3);
      call->replaceAllUsesWith(m_function->getArg(of_id + d));
      call->eraseFromParent();
    }
    return m_function;
  }

private:
  void replace(const placed_access& placed, llvm::ValueToValueMapTy& map) {
    auto* instruction = llvm::cast<llvm::Instruction>(&*map[placed.access.instruction]);
    llvm::Value* at = placed.buffer >= 0 ? address_in_buffer(placed, *instruction, map) : nullptr;
    if (!placed.access.is_write) {
      if (!at) return;
      auto* load = llvm::cast<llvm::LoadInst>(instruction);
      load->setOperand(llvm::LoadInst::getPointerOperandIndex(), at);
      settle(*load, placed);
      return;
    }
    auto* store = llvm::cast<llvm::StoreInst>(instruction);
    if (at) {
      auto* copy = llvm::cast<llvm::StoreInst>(store->clone());
      copy->insertBefore(store->getIterator());
      copy->setOperand(llvm::StoreInst::getPointerOperandIndex(), at);
      settle(*copy, placed);
    }
    if (!placed.in_memory) {
      store->eraseFromParent();
    } else if (!m_always_owner) {
      llvm::Instruction* then =
          llvm::SplitBlockAndInsertIfThen(m_function->getArg(of_owner), store->getIterator(), false);
      store->moveBefore(then->getIterator());
    }
  }

  /// Drops facts about the memory, which do not hold for the buffer.
  template <class Access>
  void settle(Access& access, const placed_access& placed) const {
    const auto element =
        static_cast<std::uint64_t>(m_stencils.layouts[static_cast<std::size_t>(placed.buffer)].element_bytes);
    const llvm::Align aligned =
        llvm::commonAlignment(llvm::commonAlignment(llvm::Align(64), element), placed.access.within);
    access.setAlignment(std::min(access.getAlign(), aligned));
    for (const unsigned kind : {+llvm::LLVMContext::MD_invariant_load, +llvm::LLVMContext::MD_alias_scope,
                                +llvm::LLVMContext::MD_noalias, +llvm::LLVMContext::MD_tbaa}) {
      access.setMetadata(kind, nullptr);
    }
  }

  llvm::Value* coordinate(const stencil_access& access, unsigned d, llvm::IRBuilder<>& builder,
                          llvm::ValueToValueMapTy& map) const {
    llvm::Value* sum = nullptr;
    for (const index_part& part : access.parts[d]) {
      const auto known = map.find(part.value);
      llvm::Value* value = known == map.end() ? part.value : &*known->second;
      value = builder.CreateSExtOrTrunc(value, builder.getInt64Ty());
      if (part.factor != 1)
        value = builder.CreateNSWMul(value, builder.getInt64(static_cast<std::uint64_t>(part.factor)));
      sum = sum ? builder.CreateNSWAdd(sum, value) : value;
    }
    llvm::Value* shift = builder.getInt64(static_cast<std::uint64_t>(access.shift[d]));
    if (!sum) return shift;
    return access.shift[d] == 0 ? sum : builder.CreateNSWAdd(sum, shift);
  }

  llvm::Value* address_in_buffer(const placed_access& placed, llvm::Instruction& before,
                                 llvm::ValueToValueMapTy& map) const {
    const tile_plan::buffer& buffer = m_plan.buffers[static_cast<std::size_t>(placed.buffer)];
    const stencil_access& access = placed.access;
    llvm::IRBuilder<> builder(&before);
    const auto number = [&](std::int64_t value) { return builder.getInt64(static_cast<std::uint64_t>(value)); };
    llvm::Value* element = nullptr;
    if (m_plan.slide < 3 && buffer.rows > 1) {
      llvm::Value* row = builder.CreateAnd(coordinate(access, m_plan.slide, builder, map), number(buffer.rows - 1));
      element = builder.CreateNSWMul(row, number(buffer.middle));
    }
    if (m_plan.middle < 3) {
      // Buffers begin where the tile's part of their writer does.
      const unsigned writer = m_stencils.request.results[static_cast<std::size_t>(placed.buffer)].writer;
      llvm::Value* first =
          builder.CreateNSWAdd(m_function->getArg(of_middle), number(m_plan.stages[writer].halo.low[m_plan.middle]));
      llvm::Value* row = builder.CreateNSWSub(coordinate(access, m_plan.middle, builder, map), first);
      element = element ? builder.CreateNSWAdd(element, row) : row;
    }
    llvm::Value* lane =
        builder.CreateNSWSub(coordinate(access, m_plan.lanes, builder, map), m_function->getArg(of_lanes));
    if (element) lane = builder.CreateNSWAdd(builder.CreateNSWMul(element, number(buffer.pitch)), lane);
    const element_layout& layout = m_stencils.layouts[static_cast<std::size_t>(placed.buffer)];
    llvm::Value* bytes = builder.CreateNSWMul(lane, number(layout.element_bytes));
    llvm::Value* start = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), m_function->getArg(of_local),
                                                            buffer.offset + access.within);
    return builder.CreateInBoundsPtrAdd(start, bytes);
  }

  const stencil_fusion& m_stencils;
  const tile_plan& m_plan;
  const stencil_fusion::stage_code& m_code;
  const bool m_always_owner;
  const std::size_t m_index;
  llvm::Function* m_function = nullptr;
};

class tile_kernel {
public:
  tile_kernel(llvm::Function& fused, const stencil_fusion& stencils)
      : m_fused(fused), m_stencils(stencils), m_plan(stencils.plan), m_builder(fused.getContext()) {}

  llvm::Error build() {
    if (!m_fused.isDeclaration()) m_fused.deleteBody();
    m_fused.setLinkage(llvm::GlobalValue::ExternalLinkage);
    m_builder.SetInsertPoint(new_block("entry"));
    load_blocks();
    find_tile();
    std::vector<llvm::Function*> functions;
    for (std::size_t s = 0; s < m_stencils.stages.size(); ++s) {
      functions.push_back(m_plan.stages[s].needed ? stage_function(m_stencils, s).make() : nullptr);
    }
    m_functions = functions;
    if (m_plan.slide == 3) {
      for (std::size_t s = 0; s < functions.size(); ++s) {
        if (functions[s]) stage_at_row(s, nullptr);
      }
    } else {
      std::int64_t ahead = 0, behind = 0;
      for (const auto& placed : m_plan.stages) {
        if (!placed.needed) continue;
        ahead = std::min(ahead, placed.halo.low[m_plan.slide] + placed.delay);
        behind = std::max(behind, placed.halo.high[m_plan.slide] + placed.delay);
      }
      loop(m_builder.CreateNSWAdd(m_first[m_plan.slide], number(ahead)),
           m_builder.CreateNSWAdd(m_last[m_plan.slide], number(behind)), "row", [&](llvm::Value* step) {
             for (std::size_t s = 0; s < functions.size(); ++s) {
               if (functions[s]) stage_at_row(s, m_builder.CreateNSWSub(step, number(m_plan.stages[s].delay)));
             }
           });
    }
    m_builder.CreateRetVoid();
    return inline_stages();
  }

private:
  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(m_fused.getContext(), name, &m_fused);
  }
  llvm::Value* number(std::int64_t value) { return m_builder.getInt64(static_cast<std::uint64_t>(value)); }
  llvm::Value* query(llvm::StringRef name, unsigned dimension) {
    llvm::FunctionCallee callee =
        m_fused.getParent()->getOrInsertFunction(name, m_builder.getInt64Ty(), m_builder.getInt32Ty());
    return m_builder.CreateCall(callee, {m_builder.getInt32(dimension)});
  }
  llvm::Value* larger(llvm::Value* a, llvm::Value* b) {
    return m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smax, a, b);
  }
  llvm::Value* smaller(llvm::Value* a, llvm::Value* b) {
    return m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::smin, a, b);
  }

  void load_blocks() {
    llvm::MDNode* invariant = llvm::MDNode::get(m_fused.getContext(), {});
    for (unsigned i = 0; i < m_stencils.stages.size(); ++i) {
      llvm::LoadInst* block = m_builder.CreateLoad(
          m_builder.getPtrTy(), m_builder.CreateConstInBoundsGEP1_64(m_builder.getPtrTy(), m_fused.getArg(0), i),
          "block");
      block->setMetadata(llvm::LLVMContext::MD_invariant_load, invariant);
      m_blocks.push_back(block);
    }
    llvm::FunctionCallee local = m_fused.getParent()->getOrInsertFunction("__sinter_local_base", m_builder.getPtrTy());
    m_local = m_builder.CreateCall(local);
  }

  void find_tile() {
    const unsigned places[3] = {m_plan.slide, m_plan.middle, m_plan.lanes};
    for (unsigned d = 0; d < 3; ++d) {
      m_first[d] = number(m_plan.first[d]);
      m_last[d] = number(m_plan.last[d]);
    }
    for (unsigned g = 0; g < 3; ++g) {
      const unsigned d = places[g];
      if (d == 3 || m_plan.tiles[d] == 1) continue;
      llvm::Value* tile = query("__sinter_group_id", g);
      m_first[d] = m_builder.CreateNSWAdd(m_builder.CreateNSWMul(tile, number(m_plan.tile[d])), m_first[d]);
      m_last[d] = smaller(m_builder.CreateNSWAdd(m_first[d], number(m_plan.tile[d])), m_last[d]);
    }
    m_first_lane = m_builder.CreateNSWSub(m_first[m_plan.lanes], number(m_plan.lanes_before));
    m_lane = m_builder.CreateNSWAdd(m_first_lane, query("__sinter_local_id", 2));
  }

  /// The part of the tile that the stage has to compute.
  std::pair<llvm::Value*, llvm::Value*> part_of(std::size_t s, unsigned d) {
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
    // Copies of the first rows, for which stages wait, would gain nothing.
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

  void stage_at_row(std::size_t s, llvm::Value* row) {
    const auto work = [&] {
      if (m_plan.middle == 3) {
        stage_in_lanes(s, row, nullptr);
        return;
      }
      const auto [first, last] = part_of(s, m_plan.middle);
      loop(first, last, "middle", [&](llvm::Value* middle) {
        stage_in_lanes(s, row, middle);
        barrier();
      });
    };
    if (row) {
      const auto [first, last] = part_of(s, m_plan.slide);
      if_true(m_builder.CreateAnd(m_builder.CreateICmpSGE(row, first), m_builder.CreateICmpSLT(row, last)), work);
    } else {
      work();
    }
    barrier();
  }

  void barrier() {
    if (!abi::is_planted("tiles_without_barriers")) create_barrier(m_builder, abi::scope::work_group);
  }

  void stage_in_lanes(std::size_t s, llvm::Value* row, llvm::Value* middle) {
    const unsigned x = m_plan.lanes;
    const auto [first, last] = part_of(s, x);
    llvm::Value* ids[3];
    for (unsigned d = 0; d < 3; ++d) ids[d] = number(static_cast<std::int64_t>(m_stencils.stages[s].range.offset[d]));
    if (row) ids[m_plan.slide] = row;
    if (middle) ids[m_plan.middle] = middle;
    ids[x] = m_lane;
    const auto call = [&] {
      llvm::Value* owner = m_builder.getTrue();
      for (unsigned d = 0; d < 3; ++d) {
        if (m_plan.tiles[d] == 1) continue;
        owner = m_builder.CreateAnd(owner, m_builder.CreateICmpSGE(ids[d], m_first[d]));
        owner = m_builder.CreateAnd(owner, m_builder.CreateICmpSLT(ids[d], m_last[d]));
      }
      llvm::Value* origin = m_plan.middle < 3 ? m_first[m_plan.middle] : number(0);
      m_builder.CreateCall(m_functions[s], {m_blocks[s], ids[0], ids[1], ids[2], m_local, origin, m_first_lane, owner});
    };
    // Runs all lanes of the group, whatever the tile.
    const fusion_range& range = m_stencils.stages[s].range;
    const auto begin = static_cast<std::int64_t>(range.offset[x]);
    const std::int64_t end = begin + static_cast<std::int64_t>(range.global[x]);
    const reach& halo = m_plan.stages[s].halo;
    const std::int64_t from = std::max(m_plan.first[x] + halo.low[x], begin);
    const std::int64_t to = std::min(m_plan.last[x] + halo.high[x], end);
    if (m_plan.tiles[x] == 1 && from == m_plan.first[x] - m_plan.lanes_before && to - from == m_plan.group &&
        !abi::is_planted("tiles_halo_one_short")) {
      call();
      return;
    }
    if_true(m_builder.CreateAnd(m_builder.CreateICmpSGE(m_lane, first), m_builder.CreateICmpSLT(m_lane, last)), call);
  }

  llvm::Error inline_stages() {
    for (llvm::Function* function : m_functions) {
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
    return llvm::Error::success();
  }

  llvm::Function& m_fused;
  const stencil_fusion& m_stencils;
  const tile_plan& m_plan;
  llvm::IRBuilder<> m_builder;
  std::vector<llvm::Value*> m_blocks;
  std::vector<llvm::Function*> m_functions;
  llvm::Value* m_local = nullptr;
  llvm::Value *m_first[3] = {}, *m_last[3] = {};  ///< the tile
  llvm::Value *m_first_lane = nullptr, *m_lane = nullptr;
};

}  // namespace

llvm::Error build_tile_kernel(llvm::Function& fused, const stencil_fusion& stencils) {
  return tile_kernel(fused, stencils).build();
}

}  // namespace sinter::passes
