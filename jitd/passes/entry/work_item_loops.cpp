/// The file is long, because all kinds of loops are built by one class whose members share ids, blocks and state.

#include "work_item_loops.hpp"

#include <abi/launch_abi.hpp>
#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <set>

#include "passes/work_items/flat_groups.hpp"
#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "passes/device/work_item_function.hpp"
#include "passes/kernel_memory.hpp"
#include "passes/machine/instruction_costs.hpp"
#include "passes/machine/machine_calls.hpp"

namespace sinter::passes {
namespace {

// Limits for the number of instructions that a loop's body has after unrolling.
constexpr unsigned most_repeated = 128, most_partly_repeated = 16, most_repeated_in_registers = 256;

// Kept values of more bytes than this stay in memory: they would not fit the registers.
constexpr std::uint64_t most_context_in_registers = 4096;

// With more regions than this, each region is a function of its own (a piece). For each loop, many of LLVM's passes
// visit all code in front of the loop. So the time of these passes grows with the square of the number of loops.
constexpr std::size_t most_regions_together = 64;

// In a row of at least this many vectors, the elements in front of the first aligned vector run separately. Stores that
// bypass the caches gain more by alignment than other stores, so the limit for rows with such stores is lower.
constexpr unsigned shortest_aligned_row = 96, shortest_streaming_row = 8;

/// Counts accesses and vector computations, except computations whose values are equal in all iterations. Returns 0 if
/// the function has loops or calls.
unsigned work_without_loops(const llvm::Function& function) {
  llvm::SmallVector<std::pair<const llvm::BasicBlock*, const llvm::BasicBlock*>, 4> back_edges;
  llvm::FindFunctionBackedges(function, back_edges);
  if (!back_edges.empty()) return 0;
  unsigned work = 1;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (llvm::isa<llvm::CallBase>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) return 0;
    if (is_splat(instruction) || cost_of(instruction).work == 0) continue;
    if (instruction.hasMetadata(llvm::LLVMContext::MD_invariant_load)) continue;
    if (instruction.mayReadOrWriteMemory() || instruction.getType()->isFPOrFPVectorTy() ||
        instruction.getType()->isVectorTy()) {
      ++work;
    }
  }
  return work;
}

/// The number of vectors that a region keeps for its work-items at the barrier at its end.
unsigned kept_vectors(const llvm::Function& function) {
  return static_cast<unsigned>(llvm::count_if(llvm::instructions(function), [&](const llvm::Instruction& each) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&each);
    return store && store->getValueOperand()->getType()->isVectorTy() &&
           llvm::getUnderlyingObject(store->getPointerOperand()) == function.getArg(parameter_context);
  }));
}

/// Finds the numbers that a region may return, each of which is a constant on some path. If lanes have masks, the
/// returned number is an element of a vector. Returns false if there may be other numbers.
bool find_returned(const llvm::Value* value, std::set<std::uint32_t>& numbers,
                   llvm::SmallPtrSetImpl<const llvm::Value*>& seen) {
  if (!seen.insert(value).second || llvm::isa<llvm::UndefValue>(value)) return true;
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(value)) {
    numbers.insert(static_cast<std::uint32_t>(known->getZExtValue()));
    return true;
  }
  const auto all = [&](const auto& operands) {
    return llvm::all_of(operands, [&](const llvm::Value* each) { return find_returned(each, numbers, seen); });
  };
  if (const auto* lanes = llvm::dyn_cast<llvm::Constant>(value)) {
    const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(lanes->getType());
    for (unsigned i = 0; type && i < type->getNumElements(); ++i) {
      const llvm::Constant* lane = lanes->getAggregateElement(i);
      if (!lane || !find_returned(lane, numbers, seen)) return false;
    }
    return type != nullptr;
  }
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(value)) return all(phi->incoming_values());
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(value))
    return all(llvm::drop_begin(select->operand_values()));
  if (const auto* lane = llvm::dyn_cast<llvm::ExtractElementInst>(value))
    return find_returned(lane->getVectorOperand(), numbers, seen);
  if (const auto* lane = llvm::dyn_cast<llvm::InsertElementInst>(value))
    return find_returned(lane->getOperand(0), numbers, seen) && find_returned(lane->getOperand(1), numbers, seen);
  const auto* lanes = llvm::dyn_cast<llvm::ShuffleVectorInst>(value);
  return lanes && all(lanes->operand_values());
}

class entry_builder {
public:
  entry_builder(llvm::Module& module, const std::string& name, const launch_layout& layout, const entry_body& body)
      : m_module(module), m_name(name), m_layout(layout), m_body(body), m_builder(module.getContext()) {}

  llvm::Function* run() {
    llvm::Type* pointer = m_builder.getPtrTy();
    llvm::Type* int64 = m_builder.getInt64Ty();
    auto* type = llvm::FunctionType::get(m_builder.getVoidTy(), {pointer, pointer, int64, int64}, false);
    start(type, m_name);
    mark_vectors();
    if (m_layout.shape == abi::kernel_shape::nd_range) {
      if (!in_pieces()) mark_blocked(m_body.wide);
      m_keeps_in_registers = finds_kept_in_registers();
      groups();
    } else {
      rows();
    }
    m_builder.CreateRetVoid();
    return m_entry;
  }

private:
  using values = std::array<llvm::Value*, 3>;

  void start(llvm::FunctionType* type, const llvm::Twine& name) {
    m_entry = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, m_module);
    m_entry->addFnAttr(llvm::Attribute::NoUnwind);
    for (unsigned i : {0u, 1u}) {
      m_entry->getArg(i)->addAttr(llvm::Attribute::NoAlias);
      m_entry->getArg(i)->addAttr(llvm::Attribute::ReadOnly);
    }
    m_builder.SetInsertPoint(new_block("entry"));
    load_state();
  }

  llvm::BasicBlock* new_block(const char* name) {
    return llvm::BasicBlock::Create(m_module.getContext(), name, m_entry);
  }
  llvm::Value* number(std::uint64_t value) { return m_builder.getInt64(value); }

  llvm::Value* load_invariant(llvm::Type* type, llvm::Value* base, std::size_t offset, const char* name) {
    llvm::LoadInst* load =
        m_builder.CreateLoad(type, m_builder.CreateConstInBoundsGEP1_64(m_builder.getInt8Ty(), base, offset), name);
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(m_module.getContext(), {}));
    load->setMetadata(llvm::LLVMContext::MD_noundef, llvm::MDNode::get(m_module.getContext(), {}));
    return load;
  }

  void load_state() {
    llvm::Value* state = m_entry->getArg(1);
    m_block = m_entry->getArg(0);
    if (!m_layout.takes_all_blocks) m_block = load_argument_block(m_builder, m_block, m_layout.block);
    auto load_three = [&](std::size_t offset, const char* name, std::uint64_t missing) {
      values result;
      for (unsigned d = 0; d < 3; ++d) {
        // In leading dimensions that the kernel does not have, the range is a constant, so loops over them disappear.
        result[d] = d + m_layout.dimensions < 3
                        ? number(missing)
                        : load_invariant(m_builder.getInt64Ty(), state, offset + 8 * d, name);
      }
      return result;
    };
    m_global_range = load_three(offsetof(abi::nd_state, global_range), "global_range", 1);
    m_local_range = load_three(offsetof(abi::nd_state, local_range), "local_range", 1);
    for (unsigned d = 0; d < 3; ++d) {
      if (m_layout.local_range[d] != 0) m_local_range[d] = number(m_layout.local_range[d]);
    }
    if (m_layout.row_multiple != 1) m_local_range[2] = whole_steps(m_local_range[2], m_layout.row_multiple);
    m_rows = m_local_range;
    m_reciprocals.fill(number(0));
    if (m_layout.flat) {
      llvm::Value* plane = m_builder.CreateNUWMul(m_local_range[1], m_local_range[2]);
      m_rows = {number(1), number(1), m_builder.CreateNUWMul(m_local_range[0], plane)};
      m_reciprocals = {reciprocal(m_builder, plane), reciprocal(m_builder, m_local_range[2])};
    }
    m_group_range = load_three(offsetof(abi::nd_state, group_range), "group_range", 1);
    m_offset = load_three(offsetof(abi::nd_state, global_offset), "global_offset", 0);
    if (m_layout.row_length) {
      // The length of rows is computed once, because freezing a poison value twice may give two different numbers. The
      // length is at least 1, because it is used as a divisor.
      m_global_range[1] = m_builder.CreateBinaryIntrinsic(
          llvm::Intrinsic::umax, number(1),
          m_builder.CreateCall(m_layout.row_length, {m_block, m_global_range[2], m_offset[2]}), nullptr, "row_length");
    }
    m_local_memory = load_invariant(m_builder.getPtrTy(), state, offsetof(abi::nd_state, local_memory), "local_memory");
    m_context = group_memory(m_body.stack_context_bytes, m_body.context_alignment,
                             offsetof(abi::nd_state, context), "context");
    m_scratch = group_memory(m_body.stack_scratch_bytes, 0, offsetof(abi::nd_state, scratch), "scratch");
  }

  /// Returns memory for the group. No other thread sees memory on the stack, and the memory's lifetime ends with the
  /// group. So LLVM can remove stores that nothing reads and, if one body runs the whole group, keep values in
  /// registers across barriers.
  llvm::Value* group_memory(std::uint64_t bytes, std::uint64_t alignment, std::size_t offset, const char* name) {
    if (m_is_piece) return m_entry->getArg(offset == offsetof(abi::nd_state, context) ? piece_context : piece_scratch);
    if (bytes == 0) return load_invariant(m_builder.getPtrTy(), m_entry->getArg(1), offset, name);
    const llvm::Align aligned(std::max<std::uint64_t>(64, alignment));
    if (m_body.groups_in_turns > 1) bytes = m_body.groups_in_turns * llvm::alignTo(bytes, aligned);
    llvm::AllocaInst* memory =
        m_builder.CreateAlloca(llvm::ArrayType::get(m_builder.getInt8Ty(), bytes), nullptr, name);
    memory->setAlignment(aligned);
    m_on_stack.push_back(memory);
    return memory;
  }

  enum class loop_kind { plain, parallel, leftover, outer };

  /// Builds the loop for (counter = from; counter < to; counter += step) body(counter). The body gets 32-bit counters
  /// if `narrow`. If the body is only a call, `called` is the called function.
  template <class Body>
  void loop(llvm::Value* from, llvm::Value* to, bool narrow, loop_kind kind, const char* name, const Body& body,
            unsigned step = 1, const llvm::Function* called = nullptr) {
    llvm::Type* type = narrow ? m_builder.getInt32Ty() : m_builder.getInt64Ty();
    llvm::BasicBlock* before = m_builder.GetInsertBlock();
    llvm::Value* enter = m_builder.CreateICmpULT(from, to);
    std::uint64_t rounds = 0;
    // A loop that is known to be empty is not built, because LLVM would inline functions into the loop's body before it
    // removes the loop.
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(enter)) {
      if (known->isZero()) return;
      const auto length =
          llvm::cast<llvm::ConstantInt>(to)->getZExtValue() - llvm::cast<llvm::ConstantInt>(from)->getZExtValue();
      if (length <= step) return body(from);
      rounds = (length + step - 1) / step;
    }
    llvm::Value* start = narrow ? m_builder.CreateTrunc(from, type) : from;
    llvm::Value* end = narrow ? m_builder.CreateTrunc(to, type) : to;
    llvm::BasicBlock* inside = new_block(name);
    llvm::BasicBlock* behind = new_block("behind");
    m_builder.CreateCondBr(enter, inside, behind);
    m_builder.SetInsertPoint(inside);
    llvm::PHINode* counter = m_builder.CreatePHI(type, 2, name);
    counter->addIncoming(start, before);
    body(narrow ? m_builder.CreateZExt(counter, m_builder.getInt64Ty(), "", /*IsNonNeg=*/true) : counter);
    // Counters stay below 2^31 or 2^63, so the sum does not wrap.
    llvm::Value* next = m_builder.CreateAdd(counter, llvm::ConstantInt::get(type, step), "", true, true);
    counter->addIncoming(next, m_builder.GetInsertBlock());
    llvm::BranchInst* back = m_builder.CreateCondBr(m_builder.CreateICmpULT(next, end), inside, behind);
    if (kind == loop_kind::leftover) {
      back->setMetadata(llvm::LLVMContext::MD_loop,
                        describe_loop({property("llvm.loop.vectorize.enable", m_builder.getFalse()),
                                       property("llvm.loop.unroll.disable")}));
    } else if (kind == loop_kind::parallel && m_layout.access_group) {
      back->setMetadata(llvm::LLVMContext::MD_loop,
                        describe_loop({property("llvm.loop.parallel_accesses", m_layout.access_group),
                                       property("llvm.loop.mustprogress")}));
    } else if (rounds != 0) {
      back->setMetadata(llvm::LLVMContext::MD_loop, describe_loop({repetition(rounds, called)}));
    } else if (kind == loop_kind::outer) {
      never_repeat(*back);
    }
    m_builder.SetInsertPoint(behind);
  }

  llvm::MDNode* property(const char* name) {
    return llvm::MDNode::get(m_module.getContext(), {llvm::MDString::get(m_module.getContext(), name)});
  }
  llvm::MDNode* property(const char* name, llvm::Metadata* value) {
    return llvm::MDNode::get(m_module.getContext(), {llvm::MDString::get(m_module.getContext(), name), value});
  }
  llvm::MDNode* property(const char* name, llvm::Constant* value) {
    return property(name, llvm::ConstantAsMetadata::get(value));
  }

  llvm::MDNode* describe_loop(llvm::ArrayRef<llvm::MDNode*> properties) {
    return llvm::makePostTransformationMetadata(m_module.getContext(), nullptr, {}, properties);
  }

  void mark_vectors() {
    const auto& forms = m_body.wide;
    if (!forms.empty() && llvm::all_of(forms, [](const lane_form& form) { return form.wide; }))
      m_entry->addFnAttr(vectors_attribute);
  }

  void mark_blocked(llvm::ArrayRef<lane_form> forms) {
    if (llvm::none_of(forms, [](const lane_form& form) { return form.blocked; })) return;
    const bool in_rows = llvm::any_of(forms, [](const lane_form& form) { return form.blocked && form.rows > 1; });
    m_entry->addFnAttr(blocked_attribute, in_rows ? blocked_in_rows : "");
  }

  /// Forbids LLVM to unroll a loop over whole groups. Unrolling would gain nothing and take long to compile.
  void never_repeat(llvm::Instruction& back) {
    back.setMetadata(llvm::LLVMContext::MD_loop, describe_loop({property("llvm.loop.unroll.disable")}));
  }

  /// The number of vectors that run a region. The result is 0 if the number is not known, or if groups have several
  /// rows or work-items beside whole vectors.
  std::uint64_t rounds_of(const lane_form& form) const {
    const auto number_of = [](const llvm::Value* size) {
      const auto* known = llvm::dyn_cast<llvm::ConstantInt>(size);
      return known ? known->getZExtValue() : 0;
    };
    const std::uint64_t length = number_of(m_rows[2]);
    if (!form.wide || number_of(m_rows[0]) != 1 || number_of(m_rows[1]) != 1 || length % form.lanes != 0) return 0;
    return length / form.lanes;
  }

  /// Whether a whole group repeats one region in a loop, and all values that its work-items keep between iterations fit
  /// half of the registers. If the loop over the group's vectors is unrolled, LLVM keeps these values in registers. In
  /// memory, their stores would slow down short loops.
  bool repeats_in_registers(std::size_t region) const {
    const lane_form& form = m_body.wide[region];
    if (m_body.groups_in_turns > 1 || m_body.stack_context_bytes == 0 || region == 0 || !repeats(region)) return false;
    const unsigned kept = kept_vectors(*form.wide);
    return kept != 0 && rounds_of(form) * kept <= m_body.vector_registers / 2 && is_short(form);
  }

  /// Whether a whole group repeats a region in a loop.
  bool repeats(std::size_t region) const {
    return m_body.wide[region].wide && llvm::is_contained(stops_of(region), region);
  }

  /// Whether all values that work-items keep between regions may become registers.
  bool finds_kept_in_registers() const {
    if (in_pieces() || m_body.wide.empty() || m_body.stack_context_bytes > most_context_in_registers ||
        llvm::is_contained(m_body.within_sub_group, true))
      return false;
    bool found = false;
    for (std::size_t i = 0; i < m_body.wide.size(); ++i) {
      const lane_form& form = m_body.wide[i];
      if (repeats_in_registers(i)) {
        found = true;
      } else if (form.wide ? repeats(i) && uses_context(*form.wide) && !is_short(form)
                           : !runs_once(i) && uses_context(*m_body.regions[i])) {
        return false;
      }
    }
    return found;
  }

  /// Whether the loop over a group's vectors may be unrolled, so that the region accesses kept values at known places.
  bool is_short(const lane_form& form) const {
    const std::uint64_t rounds = rounds_of(form);
    const unsigned work = rounds == 0 ? 0 : work_without_loops(*form.wide);
    return work != 0 && rounds * work <= most_repeated_in_registers;
  }

  /// Returns metadata that limit unrolling, because LLVM would unroll even long bodies with a known iteration count.
  /// Unrolling is only worthwhile for short bodies in which work-items exchange values: the values may then stay in
  /// registers, and loads overlap.
  llvm::MDNode* repetition(std::uint64_t rounds, const llvm::Function* called) {
    const auto form = llvm::find_if(m_body.wide, [&](const lane_form& each) { return called && each.wide == called; });
    if (form != m_body.wide.end()) {
      const auto region = static_cast<std::size_t>(form - m_body.wide.begin());
      if (repeats_in_registers(region) || (m_keeps_in_registers && uses_context(*called) && is_short(*form)))
        return property("llvm.loop.unroll.full");
    }
    const unsigned work = called && m_body.stack_scratch_bytes != 0 ? work_without_loops(*called) : 0;
    if (work == 0 || work > most_partly_repeated) return property("llvm.loop.unroll.disable");
    if (rounds * work <= most_repeated) return property("llvm.loop.unroll.full");
    return property("llvm.loop.unroll.count", m_builder.getInt32(llvm::bit_floor(most_partly_repeated / work)));
  }

  /// Whether a region runs only the first work-item or vector of a row.
  bool runs_once(std::size_t region) const { return !m_body.busy_items.empty() && m_body.busy_items[region] != 0; }

  static bool uses_context(const llvm::Function& function) { return !function.getArg(parameter_context)->use_empty(); }

  /// Runs a region by `run`. If kept values may stay in registers, but this region accesses them in a loop, the region
  /// gets a copy of them: SROA makes no registers of memory that is accessed at unknown places.
  template <class Run>
  void apart_from_registers(std::size_t region, const Run& run) {
    const lane_form& form = wide_form(region);
    if (!m_keeps_in_registers || !form.wide || runs_once(region) || !uses_context(*form.wide) || is_short(form))
      return run();
    llvm::IRBuilder<> front(&m_entry->getEntryBlock(), m_entry->getEntryBlock().begin());
    auto* memory = llvm::cast<llvm::AllocaInst>(m_context);
    llvm::AllocaInst* copy = front.CreateAlloca(memory->getAllocatedType(), nullptr, "kept");
    copy->setAlignment(memory->getAlign());
    m_builder.CreateLifetimeStart(copy);
    m_builder.CreateMemCpy(copy, copy->getAlign(), memory, memory->getAlign(), m_body.stack_context_bytes);
    m_context = copy;
    run();
    m_context = memory;
    m_builder.CreateMemCpy(memory, memory->getAlign(), copy, copy->getAlign(), m_body.stack_context_bytes);
    m_builder.CreateLifetimeEnd(copy);
  }

  llvm::Value* whole_steps(llvm::Value* length, unsigned step) {
    return m_builder.CreateAnd(length, m_builder.getInt64(~static_cast<std::uint64_t>(step - 1)));
  }

  template <class Then, class Else>
  void either(llvm::Value* condition, const Then& then, const Else& otherwise) {
    llvm::BasicBlock* yes = new_block("yes");
    llvm::BasicBlock* no = new_block("no");
    llvm::BasicBlock* behind = new_block("behind");
    m_builder.CreateCondBr(condition, yes, no);
    m_builder.SetInsertPoint(yes);
    then();
    m_builder.CreateBr(behind);
    m_builder.SetInsertPoint(no);
    otherwise();
    m_builder.CreateBr(behind);
    m_builder.SetInsertPoint(behind);
  }

  /// Runs work-items [from, to) of a row along the fastest dimension. call(function, counter, lanes) emits each call of
  /// a form (a version of the code, such as the vector code). `lanes` is null unless this is the form for tails, which
  /// are the last work-items of a row that do not fill a vector.
  template <class Call>
  void row(const lane_form& form, llvm::Function* single, llvm::Value* from, llvm::Value* to, const char* name,
           const Call& call) {
    const bool narrow = m_layout.narrow_ids;
    if (!form.wide) {
      return loop(from, to, narrow, loop_kind::parallel, name,
                  [&](llvm::Value* counter) { call(single, counter, nullptr); });
    }
    if (form.vectors > 1 && form.rows == 1) {
      const unsigned step = form.lanes * form.vectors;
      llvm::Value* end = m_builder.CreateNUWAdd(from, whole_steps(m_builder.CreateSub(to, from), step));
      loop(
          from, end, narrow, loop_kind::plain, name,
          [&](llvm::Value* counter) { call(form.blocked, counter, nullptr); }, step);
      from = end;
    }
    llvm::Value* end = m_builder.CreateNUWAdd(from, whole_steps(m_builder.CreateSub(to, from), form.lanes));
    loop(from, end, narrow, loop_kind::plain, name, [&](llvm::Value* counter) { call(form.wide, counter, nullptr); },
         form.lanes, form.wide);
    if (!form.tail) {
      return loop(end, to, narrow, loop_kind::leftover, "left",
                  [&](llvm::Value* counter) { call(single, counter, nullptr); });
    }
    llvm::Value* has_tail = m_builder.CreateICmpULT(end, to);
    if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(has_tail); known && known->isZero()) return;
    llvm::BasicBlock* tail = new_block("tail");
    llvm::BasicBlock* behind = new_block("behind");
    m_builder.CreateCondBr(has_tail, tail, behind);
    m_builder.SetInsertPoint(tail);
    call(form.tail, end, m_builder.CreateNUWSub(to, end));
    m_builder.CreateBr(behind);
    m_builder.SetInsertPoint(behind);
  }

  const lane_form& wide_form(std::size_t region) const {
    static const lane_form none;
    return m_body.wide.empty() ? none : m_body.wide[region];
  }

  llvm::Value* call(llvm::Function* function, const values& global, const values& local, const values& group,
                    llvm::Value* item, llvm::Value* item_count, llvm::Value* lanes) {
    llvm::SmallVector<llvm::Value*, parameter_count + 1> arguments(parameter_count);
    auto three = [&](unsigned first, const values& from) { std::copy(from.begin(), from.end(), &arguments[first]); };
    arguments[parameter_block] = m_block;
    three(parameter_global_id, global);
    three(parameter_local_id, local);
    three(parameter_group_id, group);
    three(parameter_global_range, m_global_range);
    three(parameter_local_range, m_rows);
    three(parameter_shape, m_local_range);
    std::copy(m_reciprocals.begin(), m_reciprocals.end(), &arguments[parameter_reciprocal]);
    three(parameter_group_range, m_group_range);
    three(parameter_global_offset, m_offset);
    arguments[parameter_local_base] = m_local_memory;
    arguments[parameter_context] = m_context;
    arguments[parameter_scratch] = m_scratch;
    arguments[parameter_item] = item;
    arguments[parameter_item_count] = item_count;
    if (lanes) arguments.push_back(lanes);
    return m_builder.CreateCall(function, arguments);
  }

  // ------------------------------------------------------------------------------------------------- range kernels

  void rows() {
    if (!m_body.streaming.wide) return run_rows(nullptr);
    llvm::Value* items = m_global_range[2];
    if (m_layout.dimensions > 1)
      items = m_builder.CreateNUWMul(m_builder.CreateNUWMul(m_global_range[0], m_global_range[1]), items);
    llvm::Value* streaming = m_builder.CreateICmpUGE(items, number(m_body.streaming_items));
    run_rows(streaming);
    // The fence makes sure that threads that see the end of the kernel also see these stores.
    either(
        streaming, [&] { emit_streaming_fence(m_builder); },
        [] {});
  }

  /// Runs work-items [first, last) of the linear range, row by row. Only the first row needs divisions.
  void run_rows(llvm::Value* streaming) {
    llvm::Value* first = m_entry->getArg(2);
    llvm::Value* last = m_entry->getArg(3);
    if (m_layout.whole_groups) {
      first = m_builder.CreateNUWMul(first, m_local_range[2]);
      last = m_builder.CreateNUWMul(last, m_local_range[2]);
    }
    const values zero = {number(0), number(0), number(0)};
    auto run_row = [&](llvm::Value* global0, llvm::Value* global1, llvm::Value* from, llvm::Value* to) {
      // The counter is the global id itself.
      llvm::Value* start = m_builder.CreateNUWAdd(m_offset[2], from);
      llvm::Value* end = m_builder.CreateNUWAdd(m_offset[2], to);
      if (m_layout.row_bounds) {
        const values &range = m_global_range, &offset = m_offset;
        llvm::Value* left = m_builder.CreateCall(m_layout.row_bounds, {m_block, global0, global1, range[0], range[1],
                                                                        range[2], offset[0], offset[1], offset[2]});
        const auto choose = [&](llvm::Intrinsic::ID which, llvm::Value* a, llvm::Value* b) {
          return m_builder.CreateBinaryIntrinsic(which, a, b);
        };
        end = choose(llvm::Intrinsic::umin, end, m_builder.CreateExtractValue(left, 1));
        start = choose(llvm::Intrinsic::umax, start, m_builder.CreateExtractValue(left, 0));
        start = choose(llvm::Intrinsic::umin, start, end);
      }
      const auto run_piece = [&](llvm::Value* from, llvm::Value* to) {
        if (m_body.regions.size() > 1) return meet_in_row(global0, global1, from, to);
        auto run = [&](const lane_form& form) {
          row(form, m_body.regions[0], from, to, "item",
              [&](llvm::Function* body, llvm::Value* global2, llvm::Value* lanes) {
                call(body, {global0, global1, global2}, zero, zero, number(0), number(1), lanes);
              });
        };
        if (!streaming) return run(wide_form(0));
        either(streaming, [&] { run(m_body.streaming); }, [&] { run(wide_form(0)); });
      };
      const unsigned lanes = wide_form(0).lanes;
      if (!m_layout.row_bounds || lanes == 1) return run_piece(start, end);
      llvm::Value* shortest = number(std::uint64_t{shortest_aligned_row} * lanes);
      if (streaming)
        shortest = m_builder.CreateSelect(streaming, number(std::uint64_t{shortest_streaming_row} * lanes), shortest);
      in_whole_vectors(start, end, lanes, shortest, run_piece);
    };
    if (m_layout.row_length) return flat_rows(first, last, run_row);
    if (m_layout.dimensions == 1 || m_layout.shape == abi::kernel_shape::single_task) {
      return run_row(number(0), number(0), first, last);
    }
    llvm::Value* width = m_global_range[2];
    const auto start = [&]() -> row_values {
      llvm::Value* first_row = m_builder.CreateUDiv(first, width);
      llvm::Value* first_column = m_builder.CreateURem(first, width);
      llvm::Value* first1 = m_layout.dimensions == 3 ? m_builder.CreateURem(first_row, m_global_range[1]) : first_row;
      llvm::Value* first0 = m_layout.dimensions == 3 ? m_builder.CreateUDiv(first_row, m_global_range[1]) : number(0);
      return {first, first_column, first1, first0};
    };
    row_after_row(first, last, {"at", "column", "id1", "id0"}, start, [&](const row_values& row) -> row_values {
      llvm::Value *at = row[0], *column = row[1], *id1 = row[2], *id0 = row[3];
      llvm::Value* left_in_row = m_builder.CreateNUWSub(width, column);
      llvm::Value* left = m_builder.CreateNUWSub(last, at);
      llvm::Value* count = m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left_in_row, left);
      run_row(m_builder.CreateNUWAdd(m_offset[0], id0), m_builder.CreateNUWAdd(m_offset[1], id1), column,
              m_builder.CreateNUWAdd(column, count));
      llvm::Value* next = m_builder.CreateNUWAdd(at, count);
      llvm::Value* next1 = m_builder.CreateNUWAdd(id1, number(1));
      llvm::Value* next0 = id0;
      if (m_layout.dimensions == 3) {
        llvm::Value* wraps = m_builder.CreateICmpEQ(next1, m_global_range[1]);
        next1 = m_builder.CreateSelect(wraps, number(0), next1);
        next0 = m_builder.CreateSelect(wraps, m_builder.CreateNUWAdd(id0, number(1)), id0);
      }
      return {next, number(0), next1, next0};
    });
  }

  /// Runs work-items [from, to) of a row if a pass has added barriers to the kernel (common_loops.hpp). Such a kernel
  /// has no groups.
  void meet_in_row(llvm::Value* global0, llvm::Value* global1, llvm::Value* from, llvm::Value* to) {
    const auto most = static_cast<unsigned>(m_body.items_that_meet);
    const values zero = {number(0), number(0), number(0)};
    loop(
        from, to, false, loop_kind::outer, "meeting",
        [&](llvm::Value* first) {
          llvm::Value* left = m_builder.CreateNUWSub(to, first);
          m_rows = {number(1), number(1), m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, left, number(most))};
          run_regions(zero, {global0, global1, first}, m_rows[2]);
        },
        most);
  }

  /// If i is a multiple of `lanes`, element i is usually aligned to a vector. If a long row starts between two
  /// multiples, the elements in front of the next multiple run first, by the same code.
  template <class Run>
  void in_whole_vectors(llvm::Value* start, llvm::Value* end, unsigned lanes, llvm::Value* shortest,
                        const Run& run) {
    llvm::Value* length = m_builder.CreateNUWSub(end, start);
    llvm::Value* aligned = whole_steps(m_builder.CreateNUWAdd(start, number(lanes - 1)), lanes);
    llvm::Value* is_long = m_builder.CreateICmpUGE(length, shortest);
    llvm::Value* middle = m_builder.CreateSelect(is_long, aligned, end);
    llvm::BasicBlock* before = m_builder.GetInsertBlock();
    llvm::BasicBlock* piece = new_block("piece");
    llvm::BasicBlock* behind = new_block("behind");
    m_builder.CreateBr(piece);
    m_builder.SetInsertPoint(piece);
    llvm::PHINode* from = m_builder.CreatePHI(m_builder.getInt64Ty(), 2, "from");
    llvm::PHINode* to = m_builder.CreatePHI(m_builder.getInt64Ty(), 2, "to");
    from->addIncoming(start, before);
    to->addIncoming(middle, before);
    run(from, to);
    from->addIncoming(to, m_builder.GetInsertBlock());
    to->addIncoming(end, m_builder.GetInsertBlock());
    never_repeat(*m_builder.CreateCondBr(m_builder.CreateICmpULT(to, end), piece, behind));
    m_builder.SetInsertPoint(behind);
  }

  /// Runs a flat range row by row, with the arguments that flat_rows.hpp describes.
  template <class Run>
  void flat_rows(llvm::Value* first, llvm::Value* last, const Run& run_row) {
    llvm::Value* length = m_global_range[1];
    const auto start = [&]() -> row_values {
      llvm::Value* first_row = m_builder.CreateUDiv(first, length);
      return {first, first_row, m_builder.CreateNUWMul(first_row, length)};
    };
    row_after_row(first, last, {"at", "row_id", "row_begin"}, start, [&](const row_values& row) -> row_values {
      llvm::Value *at = row[0], *id = row[1], *begin = row[2];
      llvm::Value* end = m_builder.CreateNUWAdd(begin, length);
      llvm::Value* to = m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, end, last);
      m_global_range[0] = begin;
      run_row(number(0), id, at, to);
      return {to, m_builder.CreateNUWAdd(id, number(1)), end};
    });
  }

  using row_values = llvm::SmallVector<llvm::Value*, 4>;

  /// Builds a loop over rows. Each row has some values. The first value is the number of the row's first work-item, and
  /// the loop continues while this number is below `last`. `start` computes the values of the first row. `run` runs a
  /// row and returns the values of the next row.
  template <class Start, class Run>
  void row_after_row(llvm::Value* first, llvm::Value* last, std::initializer_list<const char*> names,
                     const Start& start, const Run& run) {
    llvm::BasicBlock* before = new_block("start");
    llvm::BasicBlock* row = new_block("row");
    llvm::BasicBlock* done = new_block("done");
    m_builder.CreateCondBr(m_builder.CreateICmpULT(first, last), before, done);
    m_builder.SetInsertPoint(before);
    const row_values from = start();
    m_builder.CreateBr(row);

    m_builder.SetInsertPoint(row);
    row_values here;
    for (const char* name : names) here.push_back(m_builder.CreatePHI(m_builder.getInt64Ty(), 2, name));
    const row_values next = run(here);
    llvm::BasicBlock* latch = m_builder.GetInsertBlock();
    m_builder.CreateCondBr(m_builder.CreateICmpULT(next[0], last), row, done);
    for (std::size_t i = 0; i < here.size(); ++i) {
      llvm::cast<llvm::PHINode>(here[i])->addIncoming(from[i], before);
      llvm::cast<llvm::PHINode>(here[i])->addIncoming(next[i], latch);
    }
    m_builder.SetInsertPoint(done);
  }

  // ------------------------------------------------------------------------------------------------- nd_range kernels

  llvm::Value* items_of_group() {
    return m_builder.CreateNUWMul(m_builder.CreateNUWMul(m_local_range[0], m_local_range[1]), m_local_range[2]);
  }

  values first_of_group(const values& group) {
    values base;
    for (unsigned d = 0; d < 3; ++d) {
      base[d] = m_builder.CreateNUWAdd(m_offset[d], m_builder.CreateNUWMul(group[d], m_local_range[d]));
    }
    return base;
  }

  values group_at(llvm::Value* linear) {
    values group = {number(0), number(0), linear};
    if (m_layout.dimensions >= 2) {
      group[2] = m_builder.CreateURem(linear, m_group_range[2]);
      group[1] = m_builder.CreateUDiv(linear, m_group_range[2]);
    }
    if (m_layout.dimensions == 3) {
      group[0] = m_builder.CreateUDiv(group[1], m_group_range[1]);
      group[1] = m_builder.CreateURem(group[1], m_group_range[1]);
    }
    return group;
  }

  void groups() {
    llvm::Value* items = items_of_group();
    if (m_body.groups_in_turns > 1) return groups_in_turns(items);
    loop(m_entry->getArg(2), m_entry->getArg(3), false, loop_kind::outer, "group", [&](llvm::Value* linear) {
      const values group = group_at(linear);
      const values base = first_of_group(group);
      for (llvm::AllocaInst* memory : m_on_stack) m_builder.CreateLifetimeStart(memory);
      if (m_body.regions.size() == 1) {
        run_items(0, group, base, items, nullptr);
      } else if (llvm::is_contained(m_body.within_sub_group, true)) {
        run_sub_groups(group, base, items);
      } else {
        run_regions(group, base, items);
      }
      for (llvm::AllocaInst* memory : m_on_stack) m_builder.CreateLifetimeEnd(memory);
    });
  }

  /// Returns a callable (function, local2, lanes), which emits a call for work-items of one line.
  auto on_line(const values& group, const values& base, llvm::Value* items, llvm::Value* local0, llvm::Value* local1,
               llvm::Value* first, llvm::AllocaInst* result) {
    llvm::Value* line = first_of_line(local0, local1);
    llvm::Value* global0 = m_builder.CreateNUWAdd(base[0], local0);
    llvm::Value* global1 = m_builder.CreateNUWAdd(base[1], local1);
    return [=, this](llvm::Function* body, llvm::Value* local2, llvm::Value* lanes) {
      llvm::Value* global2 = m_builder.CreateNUWAdd(base[2], local2);
      if (m_layout.narrow_ids) {
        llvm::Type* int32 = m_builder.getInt32Ty();
        llvm::Value* sum = m_builder.CreateAdd(m_builder.CreateTrunc(base[2], int32),
                                               m_builder.CreateTrunc(local2, int32), "", true, true);
        global2 = m_builder.CreateZExt(sum, m_builder.getInt64Ty(), "", true);
      }
      llvm::Value* item = m_builder.CreateNUWAdd(line, local2);
      llvm::Value* stopped =
          call(body, {global0, global1, global2}, {local0, local1, local2}, group, item, items, lanes);
      if (!result) return;
      if (m_body.report_divergence) check(stopped, item, first, result);
      m_builder.CreateStore(stopped, result);
    };
  }

  /// Runs one region for all work-items of a group. `last` receives the result of the last call. `last` is null if the
  /// caller does not need the result.
  void run_items(std::size_t region, const values& group, const values& base, llvm::Value* items,
                 llvm::Value** last) {
    llvm::AllocaInst* result = last ? stop_slot() : nullptr;
    const lane_form& form = wide_form(region);
    const unsigned busy = m_body.busy_items.empty() ? 0 : m_body.busy_items[region];
    if (form.rows > 1 && busy == 0) {
      run_blocks(region, group, base, items, result);
    } else {
      const auto* known = llvm::dyn_cast<llvm::ConstantInt>(m_rows[2]);
      llvm::Value* end = m_rows[2];
      if (busy != 0) {
        end = known ? number(std::min<std::uint64_t>(known->getZExtValue(), busy))
                    : m_builder.CreateBinaryIntrinsic(llvm::Intrinsic::umin, end, number(busy));
      }
      rows_of_group([&](llvm::Value* local0, llvm::Value* local1) {
        run_columns(region, group, base, items, local0, local1, number(0), end, number(0), result);
      });
    }
    if (last) *last = m_builder.CreateLoad(m_builder.getInt32Ty(), result);
  }

  template <class Body>
  void rows_of_group(const Body& body) {
    loop(number(0), m_rows[0], false, loop_kind::plain, "local0", [&](llvm::Value* local0) {
      loop(number(0), m_rows[1], false, loop_kind::plain, "local1", [&](llvm::Value* local1) { body(local0, local1); });
    });
  }

  llvm::AllocaInst* stop_slot() {
    llvm::IRBuilder<> front(&m_entry->getEntryBlock(), m_entry->getEntryBlock().begin());
    llvm::AllocaInst* slot = front.CreateAlloca(m_builder.getInt32Ty(), nullptr, "next");
    // This initial value is never read, because a group has at least one work-item.
    m_builder.CreateStore(m_builder.getInt32(0), slot);
    return slot;
  }

  llvm::Value* first_of_line(llvm::Value* local0, llvm::Value* local1) {
    return m_builder.CreateNUWMul(m_builder.CreateNUWAdd(m_builder.CreateNUWMul(local0, m_rows[1]), local1),
                                  m_rows[2]);
  }

  /// Runs one region for all work-items of a group, if the region's blocked form runs several rows at a time.
  void run_blocks(std::size_t region, const values& group, const values& base, llvm::Value* items,
                  llvm::AllocaInst* result) {
    const lane_form& form = wide_form(region);
    llvm::Value* rows = whole_steps(m_rows[1], form.rows);
    const unsigned step = form.lanes * form.vectors;
    llvm::Value* columns = whole_steps(m_rows[2], step);
    loop(number(0), m_rows[0], false, loop_kind::plain, "local0", [&](llvm::Value* local0) {
      loop(number(0), rows, false, loop_kind::plain, "rows", [&](llvm::Value* local1) {
        const auto run = on_line(group, base, items, local0, local1, number(0), result);
        loop(number(0), columns, m_layout.narrow_ids, loop_kind::plain, "local2",
             [&](llvm::Value* local2) { run(form.blocked, local2, nullptr); }, step);
      }, form.rows);
      // Runs the remaining work-items: the ends of these rows, if there are any, and the remaining rows.
      llvm::Value* no_ends = m_builder.CreateICmpEQ(columns, m_rows[2]);
      llvm::Value* first_row = m_builder.CreateSelect(no_ends, rows, number(0));
      loop(first_row, m_rows[1], false, loop_kind::plain, "local1", [&](llvm::Value* local1) {
        llvm::Value* from = m_builder.CreateSelect(m_builder.CreateICmpULT(local1, rows), columns, number(0));
        if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(no_ends); known && known->isOne()) from = number(0);
        run_columns(region, group, base, items, local0, local1, from, m_rows[2], number(0), result);
      });
    });
  }

  /// Runs one region for work-items [from, to) of a line. Each work-item except `first` has to stop at the same barrier
  /// as its predecessor.
  void run_columns(std::size_t region, const values& group, const values& base, llvm::Value* items, llvm::Value* local0,
                   llvm::Value* local1, llvm::Value* from, llvm::Value* to, llvm::Value* first,
                   llvm::AllocaInst* result) {
    row(wide_form(region), m_body.regions[region], from, to, "local2",
        on_line(group, base, items, local0, local1, first, result));
  }

  /// Builds the test whether a work-item stopped at its predecessor's barrier. The first work-item has no predecessor.
  void check(llvm::Value* stopped, llvm::Value* item, llvm::Value* first, llvm::AllocaInst* result) {
    llvm::Value* before = m_builder.CreateLoad(m_builder.getInt32Ty(), result);
    llvm::Value* differs =
        m_builder.CreateAnd(m_builder.CreateICmpNE(item, first), m_builder.CreateICmpNE(stopped, before));
    llvm::BasicBlock* report = new_block("divergent");
    llvm::BasicBlock* fine = new_block("convergent");
    m_builder.CreateCondBr(differs, report, fine);
    m_builder.SetInsertPoint(report);
    m_builder.CreateCall(m_body.report_divergence);
    m_builder.CreateUnreachable();
    m_builder.SetInsertPoint(fine);
  }

  /// The numbers of the barriers at which a region may stop, in order. 0 is the end of the kernel.
  llvm::SmallVector<std::uint32_t, 4> stops_of(std::size_t region) const {
    const llvm::Function* function =
        m_body.regions[region] ? m_body.regions[region] : m_body.wide[region].wide;
    std::set<std::uint32_t> stops;
    llvm::SmallPtrSet<const llvm::Value*, 8> seen;
    bool known = true;
    for (const llvm::BasicBlock& block : *function) {
      const auto* end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator());
      known = known && (!end || find_returned(end->getReturnValue(), stops, seen));
    }
    for (std::size_t any = 0; !known && any < m_body.regions.size(); ++any)
      stops.insert(static_cast<std::uint32_t>(any));
    return {stops.begin(), stops.end()};
  }

  /// A region writes some values only once for all work-items. Copies these values to the place where the next region
  /// reads them. Each value is copied by its own load and store, because a load that is wider than a store just before
  /// it has to wait for this store.
  void copy_uniform_values() {
    for (const kept_once& each : m_body.uniform_values) {
      const auto at = [&](std::uint64_t offset) {
        return m_builder.CreateConstInBoundsGEP1_64(m_builder.getInt8Ty(), m_context, offset);
      };
      m_builder.CreateStore(m_builder.CreateLoad(each.type, at(m_body.uniform_bytes + each.offset)), at(each.offset));
    }
  }

  /// Runs region after region until the group is done. The next region is the same for all work-items. Each region
  /// branches directly to the regions that may follow it, so that loops with barriers become loops that LLVM
  /// recognises.
  void run_regions(const values& group, const values& base, llvm::Value* items) {
    llvm::BasicBlock* done = new_block("group_done");
    llvm::BasicBlock* impossible = new_block("impossible");
    std::vector<llvm::BasicBlock*> starts(m_body.regions.size());
    for (llvm::BasicBlock*& start : starts) start = new_block("region");
    // If bodies run several rows, each jump back to a region gets a block of its own. If all jumps shared a switch,
    // LLVM would lose what is known from the branch.
    const bool rows_together = has_rows_together(*m_entry);
    std::vector<llvm::BasicBlock*> ways_back(starts.size());
    const auto behind = [&](std::size_t region, std::uint32_t stop) {
      if (stop == 0) return done;
      if (stop > region || !rows_together) return starts[stop];
      if (!ways_back[stop]) {
        ways_back[stop] = new_block("again");
        never_repeat(*llvm::BranchInst::Create(starts[stop], ways_back[stop]));
      }
      return ways_back[stop];
    };
    m_builder.CreateBr(starts[0]);
    m_builder.SetInsertPoint(impossible);
    m_builder.CreateUnreachable();
    for (std::size_t i = 0; i < m_body.regions.size(); ++i) {
      starts[i]->moveAfter(&m_entry->back());
      m_builder.SetInsertPoint(starts[i]);
      llvm::Value* result = nullptr;
      if (in_pieces()) {
        result = call_piece(i, group, {});
      } else {
        apart_from_registers(i, [&] { run_items(i, group, base, items, &result); });
      }
      copy_uniform_values();
      const auto stops = stops_of(i);
      if (stops.size() == 1) {
        never_repeat(*m_builder.CreateBr(behind(i, stops[0])));
      } else if (stops.size() == 2 && rows_together) {
        llvm::Value* first = m_builder.CreateICmpEQ(result, m_builder.getInt32(stops[0]));
        m_builder.CreateCondBr(first, behind(i, stops[0]), behind(i, stops[1]));
      } else {
        llvm::SwitchInst* cases = m_builder.CreateSwitch(result, impossible, stops.size());
        for (std::uint32_t stop : stops) cases->addCase(m_builder.getInt32(stop), behind(i, stop));
        never_repeat(*cases);
      }
    }
    done->moveAfter(&m_entry->back());
    m_builder.SetInsertPoint(done);
  }

  /// Runs several neighbouring groups at a time, each with memory of its own. In each turn, each group runs one region.
  void groups_in_turns(llvm::Value* items) {
    llvm::Type* int32 = m_builder.getInt32Ty();
    const unsigned most = m_body.groups_in_turns;
    const auto regions = static_cast<std::uint32_t>(m_body.regions.size());
    llvm::IRBuilder<> front(&m_entry->getEntryBlock(), m_entry->getEntryBlock().begin());
    // The number of the region that each group runs next; `regions` if the group is done.
    llvm::AllocaInst* next = front.CreateAlloca(llvm::ArrayType::get(int32, most), nullptr, "next_of_groups");
    llvm::AllocaInst* running = front.CreateAlloca(int32, nullptr, "running");
    llvm::Value *context = m_context, *scratch = m_scratch;
    const auto of_member = [&](llvm::Value* memory, llvm::Value* member) {
      const auto* array = llvm::dyn_cast<llvm::AllocaInst>(memory);
      if (!array) return memory;
      const std::uint64_t bytes = llvm::cast<llvm::ArrayType>(array->getAllocatedType())->getNumElements() / most;
      return m_builder.CreateInBoundsGEP(m_builder.getInt8Ty(), memory, m_builder.CreateNUWMul(member, number(bytes)));
    };
    loop(m_entry->getArg(2), m_entry->getArg(3), false, loop_kind::outer, "group", [&](llvm::Value* linear) {
      llvm::Value* count = m_builder.CreateBinaryIntrinsic(
          llvm::Intrinsic::umin, m_builder.CreateSub(m_entry->getArg(3), linear), number(most));
      for (llvm::AllocaInst* memory : m_on_stack) m_builder.CreateLifetimeStart(memory);
      m_builder.CreateMemSet(next, m_builder.getInt8(0), sizeof(std::uint32_t) * most, llvm::Align(4));
      llvm::BasicBlock *turn = new_block("turn"), *done = new_block("groups_done");
      m_builder.CreateBr(turn);
      m_builder.SetInsertPoint(turn);
      m_builder.CreateStore(m_builder.getInt32(0), running);
      loop(number(0), count, false, loop_kind::outer, "member", [&](llvm::Value* member) {
        const values group = group_at(m_builder.CreateNUWAdd(linear, member));
        const values base = first_of_group(group);
        m_context = of_member(context, member);
        m_scratch = of_member(scratch, member);
        llvm::Value* place = m_builder.CreateInBoundsGEP(int32, next, member);
        llvm::BasicBlock* behind = new_block("behind");
        llvm::SwitchInst* cases = m_builder.CreateSwitch(m_builder.CreateLoad(int32, place), behind, regions);
        for (std::uint32_t i = 0; i < regions; ++i) {
          llvm::BasicBlock* region = new_block("region");
          cases->addCase(m_builder.getInt32(i), region);
          m_builder.SetInsertPoint(region);
          llvm::Value* stopped = nullptr;
          run_items(i, group, base, items, &stopped);
          copy_uniform_values();
          m_builder.CreateStore(m_builder.CreateOr(m_builder.CreateLoad(int32, running), stopped), running);
          llvm::Value* ends = m_builder.CreateIsNull(stopped);
          m_builder.CreateStore(m_builder.CreateSelect(ends, m_builder.getInt32(regions), stopped), place);
          m_builder.CreateBr(behind);
        }
        m_builder.SetInsertPoint(behind);
      });
      m_context = context;
      m_scratch = scratch;
      llvm::Value* any = m_builder.CreateIsNotNull(m_builder.CreateLoad(int32, running));
      never_repeat(*m_builder.CreateCondBr(any, turn, done));
      m_builder.SetInsertPoint(done);
      for (llvm::AllocaInst* memory : m_on_stack) m_builder.CreateLifetimeEnd(memory);
    }, most);
  }

  /// Runs regions if some barriers are barriers of sub-groups: each sub-group goes from region to region until it stops
  /// at a barrier of the whole group.
  void run_sub_groups(const values& group, const values& base, llvm::Value* items) {
    llvm::Type* int32 = m_builder.getInt32Ty();
    llvm::AllocaInst* next = stop_slot();
    llvm::AllocaInst* stop = stop_slot();
    llvm::AllocaInst* at = stop_slot();
    llvm::BasicBlock* phase = new_block("phase");
    llvm::BasicBlock* done = new_block("group_done");
    m_builder.CreateBr(phase);
    m_builder.SetInsertPoint(phase);
    llvm::Value* start = m_builder.CreateLoad(int32, next);
    rows_of_group([&](llvm::Value* local0, llvm::Value* local1) {
      const auto columns = [&](llvm::Value* from) {
        llvm::Value* rest = m_builder.CreateNUWAdd(from, number(m_layout.sub_group_size));
        llvm::Value* to = m_builder.CreateSelect(m_builder.CreateICmpULT(rest, m_rows[2]), rest, m_rows[2]);
        llvm::Value* first = m_builder.CreateNUWAdd(first_of_line(local0, local1), from);
        m_builder.CreateStore(start, at);
        go_on(at, stop, [&](std::size_t region) {
          if (in_pieces()) {
            m_builder.CreateStore(call_piece(region, group, {local0, local1, from, to, first}), stop);
          } else {
            run_columns(region, group, base, items, local0, local1, from, to, first, stop);
          }
        });
        llvm::Value* stopped = m_builder.CreateLoad(int32, at);
        if (m_body.report_divergence) check(stopped, first, number(0), next);
        m_builder.CreateStore(stopped, next);
      };
      loop(number(0), m_rows[2], false, loop_kind::plain, "sub_group", columns, m_layout.sub_group_size);
    });
    llvm::Value* ends = m_builder.CreateICmpEQ(m_builder.CreateLoad(int32, next), m_builder.getInt32(0));
    never_repeat(*m_builder.CreateCondBr(ends, done, phase));
    m_builder.SetInsertPoint(done);
  }

  /// Calls run() for region `at`, then for the region that run() stored in `stop`, and so on, as long as the barriers
  /// between the regions are barriers of the sub-group.
  template <class Run>
  void go_on(llvm::AllocaInst* at, llvm::AllocaInst* stop, const Run& run) {
    llvm::Type* int32 = m_builder.getInt32Ty();
    llvm::BasicBlock* choose = new_block("choose");
    llvm::BasicBlock* stopped = new_block("stopped");
    llvm::BasicBlock* impossible = new_block("impossible");
    llvm::BasicBlock* behind = new_block("behind");
    m_builder.CreateBr(choose);
    m_builder.SetInsertPoint(impossible);
    m_builder.CreateUnreachable();
    m_builder.SetInsertPoint(choose);
    llvm::SwitchInst* cases =
        m_builder.CreateSwitch(m_builder.CreateLoad(int32, at), impossible, m_body.regions.size());
    m_builder.SetInsertPoint(stopped);
    llvm::Value* next = m_builder.CreateLoad(int32, stop);
    m_builder.CreateStore(next, at);
    llvm::SwitchInst* more = m_builder.CreateSwitch(next, behind);
    for (std::size_t i = 0; i < m_body.regions.size(); ++i) {
      llvm::ConstantInt* region = m_builder.getInt32(static_cast<std::uint32_t>(i));
      if (m_body.within_sub_group[i]) more->addCase(region, choose);
      llvm::BasicBlock* block = new_block("region");
      cases->addCase(region, block);
      m_builder.SetInsertPoint(block);
      run(i);
      m_builder.CreateBr(stopped);
    }
    m_builder.SetInsertPoint(behind);
  }

  // ------------------------------------------------------------------------------------------------- pieces

  /// The parameters of a piece (a function for one region). In front of them, a piece has parameters for blocks and
  /// state. If there are barriers of sub-groups, further parameters describe a line of work-items.
  enum piece_parameter : unsigned { piece_context = 2, piece_scratch, piece_group, piece_line = piece_group + 3 };

  bool in_pieces() const { return m_body.regions.size() > most_regions_together; }

  /// Calls the piece of a region. The piece returns the barrier at which its work-items stopped. `line` holds
  /// run_columns' arguments local0, local1, from, to and first. If `line` is empty, the piece runs the whole group.
  llvm::Value* call_piece(std::size_t region, const values& group, llvm::ArrayRef<llvm::Value*> line) {
    llvm::SmallVector<llvm::Value*, 12> arguments{m_entry->getArg(0), m_entry->getArg(1), m_context, m_scratch};
    llvm::append_range(arguments, group);
    llvm::append_range(arguments, line);
    llvm::SmallVector<llvm::Type*, 12> types;
    for (const llvm::Value* each : arguments) types.push_back(each->getType());
    auto* type = llvm::FunctionType::get(m_builder.getInt32Ty(), types, false);
    return m_builder.CreateCall(entry_builder(m_module, m_name, m_layout, m_body).make_piece(region, type), arguments);
  }

  llvm::Function* make_piece(std::size_t region, llvm::FunctionType* type) {
    m_is_piece = true;
    start(type, m_name + ".region" + llvm::Twine(region));
    m_entry->addFnAttr(piece_attribute);
    m_entry->addFnAttr(llvm::Attribute::NoInline);
    mark_vectors();
    mark_blocked(wide_form(region));
    const auto argument = [&](unsigned number) { return m_entry->getArg(number); };
    const values group = {argument(piece_group), argument(piece_group + 1), argument(piece_group + 2)};
    const values base = first_of_group(group);
    llvm::Value* items = items_of_group();
    llvm::Value* last = nullptr;
    if (type->getNumParams() == piece_line) {
      run_items(region, group, base, items, &last);
    } else {
      llvm::AllocaInst* result = stop_slot();
      run_columns(region, group, base, items, argument(piece_line), argument(piece_line + 1), argument(piece_line + 2),
                  argument(piece_line + 3), argument(piece_line + 4), result);
      last = m_builder.CreateLoad(m_builder.getInt32Ty(), result);
    }
    m_builder.CreateRet(last);
    return m_entry;
  }

  llvm::Module& m_module;
  const std::string& m_name;
  const launch_layout& m_layout;
  const entry_body& m_body;
  llvm::IRBuilder<> m_builder;
  llvm::Function* m_entry = nullptr;  ///< the function that is being built: the entry, or a piece
  bool m_is_piece = false;
  bool m_keeps_in_registers = false;  ///< whether values that work-items keep between regions become registers
  llvm::Value* m_block = nullptr;
  values m_global_range, m_local_range, m_group_range, m_offset;
  values m_rows;  ///< m_local_range, or the size of the only row if the group is flat
  std::array<llvm::Value*, 2> m_reciprocals;
  llvm::Value* m_local_memory = nullptr;
  llvm::Value* m_context = nullptr;
  llvm::Value* m_scratch = nullptr;
  llvm::SmallVector<llvm::AllocaInst*, 2> m_on_stack;
};

} // namespace

bool has_rows_together(const llvm::Function& entry) {
  return entry.getFnAttribute(blocked_attribute).getValueAsString() == blocked_in_rows;
}

bool is_all_vectors(const llvm::Function& entry) { return entry.hasFnAttribute(vectors_attribute); }

llvm::LoadInst* load_argument_block(llvm::IRBuilderBase& builder, llvm::Value* blocks, const argument_block& block) {
  llvm::LoadInst* load = builder.CreateLoad(builder.getPtrTy(), blocks, "block");
  const auto say = [&](unsigned what, llvm::ArrayRef<llvm::Metadata*> known) {
    load->setMetadata(what, llvm::MDNode::get(builder.getContext(), known));
  };
  const auto number = [&](std::uint64_t value) { return llvm::ConstantAsMetadata::get(builder.getInt64(value)); };
  say(llvm::LLVMContext::MD_invariant_load, {});
  say(llvm::LLVMContext::MD_noundef, {});
  if (block.bytes == 0) return load;
  say(llvm::LLVMContext::MD_dereferenceable, number(block.bytes));
  say(llvm::LLVMContext::MD_align, number(block.alignment));
  return load;
}

llvm::Function* build_cpu_entry(llvm::Module& module, const std::string& name, const launch_layout& layout,
                                const entry_body& body) {
  return entry_builder(module, name, layout, body).run();
}

} // namespace sinter::passes
