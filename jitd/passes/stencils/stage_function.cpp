#include "stage_function.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/ConstantFolding.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/ConstantRange.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "llvm/IR/PatternMatch.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/CorrelatedValuePropagation.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "passes/called_names.hpp"
#include "passes/machine/vector_math.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

unsigned id_dimension(const llvm::CallBase& call) {
  return static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(call.getArgOperand(0))->getZExtValue() % 3);
}

/// Whether the intrinsic on vectors becomes one or a few instructions, with exactly the results of the scalar
/// intrinsic.
bool is_instruction(llvm::Intrinsic::ID id) {
  switch (id) {
    case llvm::Intrinsic::abs:
    case llvm::Intrinsic::smin:
    case llvm::Intrinsic::smax:
    case llvm::Intrinsic::umin:
    case llvm::Intrinsic::umax:
    case llvm::Intrinsic::sadd_sat:
    case llvm::Intrinsic::ssub_sat:
    case llvm::Intrinsic::uadd_sat:
    case llvm::Intrinsic::usub_sat:
    case llvm::Intrinsic::fabs:
    case llvm::Intrinsic::copysign:
    case llvm::Intrinsic::fma:
    case llvm::Intrinsic::fmuladd:
    case llvm::Intrinsic::sqrt:
    case llvm::Intrinsic::minnum:
    case llvm::Intrinsic::maxnum:
    case llvm::Intrinsic::floor:
    case llvm::Intrinsic::ceil:
    case llvm::Intrinsic::trunc:
    case llvm::Intrinsic::rint:
    case llvm::Intrinsic::nearbyint:
    case llvm::Intrinsic::round:
    case llvm::Intrinsic::roundeven: return true;
    default: return false;
  }
}

/// Whether the called function is a math function that is inlined before vectors are made
/// (device/float_exponentials.hpp).
bool is_in_line(const llvm::CallInst& call) {
  return call.getType()->isFloatTy() && (math_name(call) == "exp" || math_name(call) == "cbrt");
}

class stage_function {
public:
  stage_function(const stencil_fusion& stencils, std::size_t index)
      : m_stencils(stencils), m_plan(stencils.plan), m_code(stencils.stages[index]),
        m_always_owner(stencils.plan.stages[index].halo == reach{}), m_index(index) {}

  llvm::Function* make(const std::optional<inside_ids>& inside, llvm::MDNode* access_group) {
    copy(inside);
    take_ids();
    if (access_group) {
      for (llvm::Instruction& each : llvm::instructions(*m_function)) {
        // Accesses to `values` are not parallel: until LLVM puts values in registers, all work-items use the same
        // memory for them.
        const llvm::Value* address = llvm::getLoadStorePointerOperand(&each);
        if (!address || llvm::getUnderlyingObject(address, 0) == m_function->getArg(of_values)) continue;
        each.setMetadata(llvm::LLVMContext::MD_access_group, access_group);
      }
    }
    return m_function;
  }

  rows_ahead make_ahead(const inside_ids& inside) {
    copy(inside);
    const std::int64_t lanes = m_function->size() == 1 ? ask_for_rows(inside) : 0;
    take_ids();
    if (lanes != 0) return {m_function, lanes};
    m_function->eraseFromParent();
    return {};
  }

private:
  void copy(const std::optional<inside_ids>& inside) {
    llvm::Function& original = *m_code.kernel;
    llvm::LLVMContext& context = original.getContext();
    llvm::Type* number = llvm::Type::getInt64Ty(context);
    llvm::Type* pointer = llvm::PointerType::getUnqual(context);
    auto* type = llvm::FunctionType::get(
        llvm::Type::getVoidTy(context),
        {pointer, number, number, number, pointer, pointer, number, number, llvm::Type::getInt1Ty(context), pointer},
        false);
    m_function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage,
                                        "sinter.stage" + std::to_string(m_index), original.getParent());
    llvm::ValueToValueMapTy map;
    map[original.getArg(0)] = m_function->getArg(of_block);
    llvm::SmallVector<llvm::ReturnInst*, 4> returns;
    llvm::CloneFunctionInto(m_function, &original, map, llvm::CloneFunctionChangeType::LocalChangesOnly, returns);
    m_function->setLinkage(llvm::GlobalValue::InternalLinkage);
    m_function->removeFnAttr(llvm::Attribute::NoInline);
    m_function->removeFnAttr(llvm::Attribute::OptimizeNone);
    if (inside) settle_values(*inside, map);
    const auto& stream = m_stencils.past_caches;
    for (std::size_t i = 0; i < m_code.accesses.size(); ++i) {
      const bool streams = inside && stream && stream->stage == m_index && stream->access == i;
      replace(m_code.accesses[i], map, streams);
    }
    if (m_stencils.request.in_groups) mark_inputs(map);
    if (inside) settle_borders(*inside);
  }

  /// If no stage writes a memory, marks loads of this memory as invariant, so that LLVM may move the loads across
  /// barriers.
  void mark_inputs(llvm::ValueToValueMapTy& map) {
    llvm::SmallPtrSet<const llvm::Value*, 16> placed;
    for (const placed_access& each : m_code.accesses) placed.insert(map[each.access.instruction]);
    for (llvm::Instruction& each : llvm::instructions(*m_function)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
      if (!load || placed.contains(load)) continue;
      if (!llvm::isa<llvm::LoadInst>(llvm::getUnderlyingObject(load->getPointerOperand(), 0))) continue;
      load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(load->getContext(), {}));
    }
  }

  void take_ids() {
    for (llvm::CallInst* call : calls_of(*m_function, "__sinter_global_id")) {
      call->replaceAllUsesWith(m_function->getArg(of_id + id_dimension(*call)));
      call->eraseFromParent();
    }
  }

  using numbers = std::array<std::int64_t, 3>;

  /// The value for these ids. Returns null if it can't be computed from numbers alone.
  llvm::Constant* value_at(llvm::Value* value, const numbers& ids, unsigned depth = 0) const {
    if (auto* known = llvm::dyn_cast<llvm::Constant>(value)) return known;
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    if (!instruction || depth > 16 || llvm::isa<llvm::PHINode, llvm::LoadInst>(instruction)) return nullptr;
    if (called_name(*instruction) == "__sinter_global_id") {
      const unsigned d = id_dimension(llvm::cast<llvm::CallInst>(*instruction));
      return llvm::ConstantInt::getSigned(instruction->getType(), ids[d]);
    }
    llvm::SmallVector<llvm::Constant*, 4> operands;
    for (llvm::Value* operand : instruction->operands()) {
      operands.push_back(value_at(operand, ids, depth + 1));
      if (!operands.back()) return nullptr;
    }
    return llvm::ConstantFoldInstOperands(instruction, operands, m_function->getParent()->getDataLayout());
  }

  /// The distance in bytes from `object`, a pointer in the argument block, to `address`. Returns nothing if it is
  /// unknown.
  std::optional<std::int64_t> bytes_from(const llvm::Value* object, llvm::Value* address, const numbers& ids) const {
    const llvm::DataLayout& layout = m_function->getParent()->getDataLayout();
    std::int64_t sum = 0;
    while (address != object) {
      auto* step = llvm::dyn_cast<llvm::GEPOperator>(address);
      llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> parts;
      llvm::APInt constant(64, 0);
      if (!step || !step->collectOffset(layout, 64, parts, constant)) return std::nullopt;
      sum += constant.getSExtValue();
      for (const auto& [value, factor] : parts) {
        const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(value_at(value, ids));
        if (!number) return std::nullopt;
        sum += number->getSExtValue() * factor.getSExtValue();
      }
      address = step->getPointerOperand();
    }
    return sum;
  }

  /// A load by a work-item in the middle of the range.
  struct row_read {
    llvm::LoadInst* load;
    const llvm::Value* object;
    /// The load's address in the middle work-item (`at`) and in its neighbours along each dimension, in bytes from the
    /// object.
    std::int64_t at, next_row, next_lane, next_middle;
  };

  std::vector<row_read> find_row_reads(const inside_ids& inside) const {
    numbers ids;
    for (unsigned d = 0; d < 3; ++d) {
      ids[d] = static_cast<std::int64_t>(m_code.range.offset[d] + m_code.range.global[d] / 2);
    }
    const id_span& lanes = inside.ids[m_plan.lanes];
    ids[m_plan.lanes] = lanes.first + (lanes.last - lanes.first) / 2;
    numbers next_row = ids, next_lane = ids, next_middle = ids;
    if (m_plan.middle < 3) ++next_middle[m_plan.middle];
    ++next_row[m_plan.slide];
    ++next_lane[m_plan.lanes];
    std::vector<row_read> reads;
    for (llvm::Instruction& each : llvm::instructions(*m_function)) {
      auto* load = llvm::dyn_cast<llvm::LoadInst>(&each);
      if (!load || load->hasMetadata(llvm::LLVMContext::MD_invariant_load)) continue;
      llvm::Value* address = load->getPointerOperand();
      const llvm::Value* object = llvm::getUnderlyingObject(address, 0);
      if (!llvm::isa<llvm::LoadInst>(object)) continue;
      const auto at = bytes_from(object, address, ids), row = bytes_from(object, address, next_row),
                 lane = bytes_from(object, address, next_lane), middle = bytes_from(object, address, next_middle);
      if (at && row && lane && middle && *row != *at) reads.push_back({load, object, *at, *row, *lane, *middle});
    }
    return reads;
  }

  /// Emits prefetches for the next row. Returns the number of lanes for which one call of the function is enough.
  std::int64_t ask_for_rows(const inside_ids& inside) {
    constexpr std::int64_t line = 64;
    const std::vector<row_read> reads = find_row_reads(inside);
    std::vector<const row_read*> wanted;
    std::int64_t lanes = line;
    for (const row_read& each : reads) {
      // Rows at multiples of this step along `middle` are ignored, because neighbouring work-items read them.
      const std::int64_t step = each.next_middle - each.at;
      const auto near = [step](std::int64_t a, std::int64_t b) {
        const std::int64_t way = std::abs(a - b), each_step = std::abs(step);
        if (step == 0 || way / each_step > longest_reach) return way < line;
        return std::min(way % each_step, each_step - way % each_step) < line;
      };
      const auto is_there = [&](const row_read& other) {
        return other.object == each.object && near(other.at, each.next_row);
      };
      const auto is_wanted = [&](const row_read* other) {
        return other->object == each.object && near(other->next_row, each.next_row);
      };
      if (llvm::any_of(reads, is_there) || llvm::any_of(wanted, is_wanted)) continue;
      wanted.push_back(&each);
      const std::int64_t bytes = std::abs(each.next_lane - each.at);
      lanes = std::min(lanes, bytes == 0 ? line : std::max<std::int64_t>(line / bytes, 1));
    }
    if (wanted.empty()) return 0;
    for (const row_read* each : wanted) {
      llvm::IRBuilder<> builder(each->load);
      llvm::Value* there = builder.CreatePtrAdd(
          each->load->getPointerOperand(), builder.getInt64(static_cast<std::uint64_t>(each->next_row - each->at)));
      // The arguments mean: a prefetch for reading, moderate temporal locality, data cache.
      builder.CreateIntrinsic(builder.getVoidTy(), llvm::Intrinsic::prefetch,
                              {there, builder.getInt32(0), builder.getInt32(2), builder.getInt32(1)});
    }
    for (llvm::Instruction& each : llvm::make_early_inc_range(llvm::instructions(*m_function))) {
      if (llvm::isa<llvm::StoreInst>(each)) each.eraseFromParent();
    }
    return lanes;
  }

  bool is_settled(const inside_ids& inside, unsigned d) const { return inside.of_rows || d == m_plan.lanes; }

  /// For work-items away from the borders (`inside`), replaces values that are linear in an id. Afterwards, `map` leads
  /// from the original values to the new ones.
  void settle_values(const inside_ids& inside, llvm::ValueToValueMapTy& map) {
    for (unsigned d = 0; d < 3; ++d) {
      if (!is_settled(inside, d)) continue;
      for (const auto& [original, slope, rest] : m_code.inner[d].values) {
        auto* value = llvm::cast<llvm::Instruction>(&*map[original]);
        llvm::IRBuilder<> builder(value);
        if (llvm::isa<llvm::PHINode>(value)) builder.SetInsertPoint(value->getParent()->getFirstInsertionPt());
        llvm::Value* settled = builder.getInt64(static_cast<std::uint64_t>(rest));
        if (slope != 0) {
          llvm::Value* id = own_id(builder, d);
          if (slope != 1) id = builder.CreateNSWMul(id, builder.getInt64(static_cast<std::uint64_t>(slope)));
          settled = rest == 0 ? id : builder.CreateNSWAdd(id, settled);
        }
        llvm::Type* type = value->getType();
        if (type != settled->getType())
          settled = builder.CreateTrunc(settled, type, "", false, type->getIntegerBitWidth() > 1);
        value->replaceAllUsesWith(settled);
      }
    }
  }

  /// Replaces conditions and limits that depend on the id by their results.
  void settle_borders(const inside_ids& inside) {
    const auto as_bits = [](std::int64_t value) { return llvm::APInt(64, static_cast<std::uint64_t>(value)); };
    for (llvm::CallInst* call : calls_of(*m_function, "__sinter_global_id")) {
      const unsigned d = id_dimension(*call);
      const id_span& ids = inside.ids[d];
      if (!is_settled(inside, d) || ids.first >= ids.last) continue;
      call->removeRetAttr(llvm::Attribute::Range);
      call->addRangeRetAttr(llvm::ConstantRange(as_bits(ids.first), as_bits(ids.last)));
    }
    llvm::FunctionPassManager passes;
    for (int round = 0; round < 2; ++round) {
      passes.addPass(llvm::EarlyCSEPass());
      passes.addPass(llvm::CorrelatedValuePropagationPass());
      passes.addPass(llvm::InstCombinePass());
      passes.addPass(llvm::SimplifyCFGPass());
    }
    pass_runner().run(*m_function, std::move(passes));
  }

  void replace(const placed_access& placed, llvm::ValueToValueMapTy& map, bool streams) {
    auto* instruction = llvm::cast<llvm::Instruction>(&*map[placed.access.instruction]);
    llvm::Value* at = placed.buffer >= 0 ? address_in_buffer(placed, *instruction, map) : nullptr;
    if (!placed.access.is_write) {
      if (!at) return;
      auto* load = llvm::cast<llvm::LoadInst>(instruction);
      if (placed.reads_outside) at = buffer_or_memory(placed, *load, at, map);
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
    } else if (streams) {
      store->setOperand(llvm::StoreInst::getPointerOperandIndex(), m_function->getArg(of_stream));
      store->setAlignment(llvm::Align(placed.access.bytes));
      forget_memory(*store);
    } else if (!m_always_owner) {
      llvm::Instruction* then =
          llvm::SplitBlockAndInsertIfThen(m_function->getArg(of_owner), store->getIterator(), false);
      store->moveBefore(then->getIterator());
    }
  }

  /// Adapts an access to its buffer: drops metadata that describes the original memory.
  template <class Access>
  void settle(Access& access, const placed_access& placed) const {
    const auto element =
        static_cast<std::uint64_t>(m_stencils.layouts[static_cast<std::size_t>(placed.buffer)].element_bytes);
    const llvm::Align aligned =
        llvm::commonAlignment(llvm::commonAlignment(llvm::Align(64), element), placed.access.within);
    access.setAlignment(std::min(access.getAlign(), aligned));
    forget_memory(access);
  }

  static void forget_memory(llvm::Instruction& access) {
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

  /// Emits a copy of the kernel's own computation of the id, so that LLVM merges the two computations.
  llvm::Value* own_id(llvm::IRBuilder<>& builder, unsigned d) const {
    for (llvm::CallInst* call : calls_of(*m_code.kernel, "__sinter_global_id")) {
      if (id_dimension(*call) != d) continue;
      llvm::Instruction* copy = call->clone();
      builder.Insert(copy);
      return copy;
    }
    return m_function->getArg(of_id + d);
  }

  llvm::Value* address_in_buffer(const placed_access& placed, llvm::Instruction& before,
                                 llvm::ValueToValueMapTy& map) const {
    const tile_plan::buffer& buffer = m_plan.buffers[static_cast<std::size_t>(placed.buffer)];
    const stencil_access& access = placed.access;
    llvm::IRBuilder<> builder(&before);
    if (buffer.is_value) {
      return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), m_function->getArg(of_values),
                                                buffer.offset + access.within);
    }
    const auto number = [&](std::int64_t value) { return builder.getInt64(static_cast<std::uint64_t>(value)); };
    llvm::Value* element = nullptr;
    if (m_plan.slide < 3 && buffer.rows > 1) {
      llvm::Value* row = builder.CreateAnd(coordinate(access, m_plan.slide, builder, map), number(buffer.rows - 1));
      element = builder.CreateNSWMul(row, number(buffer.middle));
    }
    if (m_plan.middle < 3) {
      // A buffer's first row is the first row of its writer's part of the tile.
      const unsigned writer = m_stencils.request.results[static_cast<std::size_t>(placed.buffer)].writer;
      llvm::Value* first =
          builder.CreateNSWAdd(m_function->getArg(of_middle), number(m_plan.stages[writer].halo.low[m_plan.middle]));
      llvm::Value* row = builder.CreateNSWSub(coordinate(access, m_plan.middle, builder, map), first);
      element = element ? builder.CreateNSWAdd(element, row) : row;
    }
    const std::int64_t bytes = m_stencils.layouts[static_cast<std::size_t>(placed.buffer)].element_bytes;
    llvm::Value* at = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), m_function->getArg(of_local),
                                                         buffer.offset + access.within);
    if (element) at = builder.CreateInBoundsPtrAdd(at, builder.CreateNSWMul(element, number(buffer.pitch * bytes)));
    // If the index is not clamped, the distance from the work-item's own lane is a constant, which becomes the offset
    // in the load or store instruction.
    llvm::Value* id = own_id(builder, m_plan.lanes);
    llvm::Value* away = builder.CreateNSWSub(coordinate(access, m_plan.lanes, builder, map), id);
    llvm::Value* lane = builder.CreateNSWSub(id, m_function->getArg(of_lanes));
    at = builder.CreateInBoundsPtrAdd(at, builder.CreateNSWMul(lane, number(bytes)));
    return builder.CreateInBoundsPtrAdd(at, builder.CreateNSWMul(away, number(bytes)));
  }

  /// Emits code that chooses the address in the buffer if the writer writes the element, else the address in memory.
  llvm::Value* buffer_or_memory(const placed_access& placed, llvm::LoadInst& load, llvm::Value* in_buffer,
                                llvm::ValueToValueMapTy& map) const {
    const auto& result = m_stencils.request.results[static_cast<std::size_t>(placed.buffer)];
    const element_layout& layout = m_stencils.layouts[static_cast<std::size_t>(placed.buffer)];
    const fusion_range& range = m_stencils.stages[result.writer].range;
    llvm::IRBuilder<> builder(&load);
    llvm::Value* is_written = builder.getTrue();
    for (unsigned d = 0; d < 3; ++d) {
      if (layout.step[d] == 0) continue;
      llvm::Value* at = coordinate(placed.access, d, builder, map);
      is_written = builder.CreateAnd(is_written, builder.CreateICmpSGE(at, builder.getInt64(range.offset[d])));
      is_written =
          builder.CreateAnd(is_written, builder.CreateICmpSLT(at, builder.getInt64(range.offset[d] + range.global[d])));
    }
    llvm::Value* in_memory = builder.CreateAddrSpaceCast(load.getPointerOperand(), in_buffer->getType());
    return builder.CreateSelect(is_written, in_buffer, in_memory);
  }

  const stencil_fusion& m_stencils;
  const tile_plan& m_plan;
  const stencil_fusion::stage_code& m_code;
  const bool m_always_owner;
  const std::size_t m_index;
  llvm::Function* m_function = nullptr;
};

}  // namespace

std::string why_no_plain_row(const llvm::Function& kernel) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 4> back_edges;
  llvm::FindFunctionBackedges(kernel, back_edges);
  if (!back_edges.empty()) return "a loop whose turns are not known, or too many";
  for (const llvm::Instruction& each : llvm::instructions(kernel)) {
    if (llvm::isa<llvm::AllocaInst>(each)) return "an array of its own";
    const llvm::Value* stored = llvm::isa<llvm::StoreInst>(each) ? each.getOperand(0) : nullptr;
    const bool stores_several = stored && stored->getType()->isVectorTy();
    if (each.getType()->isVectorTy() || each.getType()->isAggregateType() || stores_several)
      return "values of several numbers";
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&each);
    if (!call || llvm::isa<llvm::AssumeInst, llvm::NoAliasScopeDeclInst>(each)) continue;
    const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(call);
    const bool is_known = intrinsic ? is_instruction(intrinsic->getIntrinsicID()) || is_in_line(*call)
                                    : called_name(*call) == "__sinter_global_id" || is_in_line(*call);
    if (is_known) continue;
    const llvm::StringRef name = math_name(*call);
    return "a call of " + (name.empty() ? called_name(*call).str() : name.str());
  }
  return {};
}

rows_ahead make_rows_ahead(const stencil_fusion& stencils, std::size_t index, const inside_ids& inside) {
  return stage_function(stencils, index).make_ahead(inside);
}

llvm::Function* make_stage_function(const stencil_fusion& stencils, std::size_t index,
                                    const std::optional<inside_ids>& inside, llvm::MDNode* access_group) {
  return stage_function(stencils, index).make(inside, access_group);
}

}  // namespace sinter::passes
