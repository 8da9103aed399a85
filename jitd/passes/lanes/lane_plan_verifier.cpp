#include "lane_plan_verifier.hpp"

#include "lane_promises.hpp"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/raw_ostream.h"
#include "passes/llvm_versions.hpp"
#include "passes/machine/vector_math.hpp"

namespace sinter::passes {
namespace {

bool is_simple_access(const llvm::Instruction& instruction) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
  return store && store->isSimple();
}

bool is_plain_access(lane_action action) { return action >= lane_action::last_lane; }

/// Whether an action results in one value for each lane.
bool makes_vectors(lane_action action) {
  switch (action) {
    case lane_action::elementwise:
    case lane_action::vector_call:
    case lane_action::per_lane:
    case lane_action::consecutive:
    case lane_action::group:
    case lane_action::piece:
    case lane_action::runs:
    case lane_action::gather:
      return true;
    default:
      return false;
  }
}

/// Each function returns a fault, or null.
class verifier {
public:
  explicit verifier(const lane_plan& plan)
      : m_plan(plan),
        m_shapes(plan.known.shapes),
        m_lanes(m_shapes.facts().lanes),
        m_layout(m_shapes.function().getParent()->getDataLayout()) {}

  std::string run() const {
    std::size_t count = 0;
    for (const llvm::BasicBlock& block : m_shapes.function()) {
      if (const char* fault = fault_of(block)) return "block " + block.getName().str() + ": " + fault;
      for (const llvm::Instruction& instruction : block) {
        ++count;
        const char* fault = m_plan.steps.contains(&instruction) ? fault_of(instruction) : "no action";
        if (fault) return describe(instruction) + ": " + fault;
      }
    }
    if (count != m_plan.steps.size()) return "actions for what is not there";
    for (const lane_orders::group& group : m_plan.groups) {
      if (const char* fault = fault_of(group)) return describe(*group.accesses.front()) + ": " + fault;
    }
    for (const access_pieces::piece& piece : m_plan.pieces) {
      if (const char* fault = fault_of(piece)) return describe(*piece.accesses.front()) + ": " + fault;
    }
    return {};
  }

private:
  static std::string describe(const llvm::Instruction& instruction) {
    std::string text;
    llvm::raw_string_ostream(text) << instruction;
    return llvm::StringRef(text).trim().str();
  }

  bool is_masked(const llvm::Instruction& instruction) const {
    return m_shapes.mask(instruction.getParent()) != lane_mask::full;
  }

  /// Whether the block runs only if a lane runs it. Unreachable blocks never run.
  bool has_lane(const llvm::BasicBlock* block) const {
    const auto found = m_plan.blocks.find(block);
    return found == m_plan.blocks.end() || found->second.has_lane;
  }

  lane_shape address_of(const llvm::Instruction& access) const {
    return m_shapes.of(llvm::getLoadStorePointerOperand(&access));
  }

  bool are_uniform(llvm::iterator_range<llvm::Instruction::const_op_iterator> operands) const {
    return llvm::all_of(operands, [&](const llvm::Use& each) { return m_shapes.of(each).is_uniform(); });
  }

  // ----------------------------------------------------------------------------------------------- blocks

  const char* fault_of(const llvm::BasicBlock& block) const {
    const auto found = m_plan.blocks.find(&block);
    const bool reached = m_plan.graph.size() != 0 && m_plan.graph.block(m_plan.graph.number(&block)) == &block;
    if (found == m_plan.blocks.end()) return reached ? "nothing is known of its lanes" : nullptr;
    const block_plan& plan = found->second;
    if (plan.mask != m_shapes.mask(&block)) return "not the lanes that run it";
    if (plan.mask != lane_mask::partial && plan.jumped_over) return "jumped over, but lanes are sure to be there";
    if (plan.mask != lane_mask::partial && !plan.has_lane) return "no lane, but lanes are sure to be there";
    if (plan.jumped_over && !plan.has_lane) return "jumped over when no lane runs it, and still without lanes";
    return nullptr;
  }

  // ----------------------------------------------------------------------------------------------- instructions

  const char* fault_of(const llvm::Instruction& instruction) const {
    const lane_step& step = m_plan.of(instruction);
    if (const char* fault = fault_of_kind(instruction, step.action)) return fault;
    if (const char* fault = fault_of_result(instruction, step.action)) return fault;
    if (!has_lane(instruction.getParent()) && needs_a_lane(instruction, step.action))
      return "done where perhaps no lane is on";
    return is_plain_access(step.action) ? fault_of_access(instruction, step) : fault_of_other(instruction, step.action);
  }

  /// Checks that the action is possible for this kind of instruction.
  static const char* fault_of_kind(const llvm::Instruction& instruction, lane_action action) {
    const std::pair<bool, lane_action> kinds[] = {
        {instruction.isTerminator(), lane_action::control},
        {llvm::isa<llvm::PHINode>(instruction), lane_action::merge},
        {llvm::isa<llvm::AllocaInst>(instruction), lane_action::copies},
        {is_lane_promise(instruction), lane_action::forwarded},
        {sub_group_call_of(instruction) != sub_group_call::none, lane_action::exchange},
    };
    for (const auto& [is_one, its_action] : kinds) {
      if (is_one != (action == its_action)) return "not the action of such instructions";
    }
    return nullptr;
  }

  /// Checks whether the action makes the kind of result that users of the value expect: lane 0's number if the shape is
  /// uniform or strided, otherwise a vector.
  const char* fault_of_result(const llvm::Instruction& instruction, lane_action action) const {
    if (instruction.getType()->isVoidTy() || llvm::isa<llvm::PHINode>(instruction)) return nullptr;
    const bool varies = m_shapes.of(&instruction).is_varying();
    if (varies && (action == lane_action::once || action == lane_action::strided) && !ends_program(instruction))
      return "one value for lanes that differ";
    if (!varies && makes_vectors(action)) return "a vector for lanes that are regular";
    return nullptr;
  }

  static bool ends_program(const llvm::Instruction& instruction) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    return call && call->doesNotReturn();
  }

  const char* fault_of_other(const llvm::Instruction& instruction, lane_action action) const {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    switch (action) {
      case lane_action::nothing:
        return llvm::isa<llvm::IntrinsicInst>(instruction) && instruction.use_empty()
                   ? nullptr
                   : "left out, though it does something";
      case lane_action::once: {
        if (llvm::isa<llvm::NoAliasScopeDeclInst>(instruction) || ends_program(instruction) || is_prefetch(instruction))
          return nullptr;
        const bool alike = call ? are_uniform(call->args()) : are_uniform(instruction.operands());
        if (!alike && !instruction.getType()->isVoidTy() && m_shapes.of(&instruction).is_uniform() &&
            !instruction.mayReadOrWriteMemory())
          return nullptr;  // e.g. a comparison of two positions that grow alike from lane to lane
        if (!alike) return "done once, but operands differ between lanes";
        const bool writes = instruction.mayWriteToMemory() && !llvm::isa<llvm::FenceInst>(instruction);
        return writes ? "done once, but each lane has an effect of its own" : nullptr;
      }
      case lane_action::strided:
        if (m_shapes.of(&instruction).what != lane_shape::kind::strided) return "no steps between lanes are known";
        return instruction.mayReadOrWriteMemory() ? "accesses memory for lane 0 alone" : nullptr;
      case lane_action::elementwise:
        if (instruction.mayReadOrWriteMemory()) return "accesses memory without a mask";
        return call && !has_wide_call(*call, m_lanes, m_plan.machine.vector_bits) ? "a call that vectors do not have"
                                                                                  : nullptr;
      case lane_action::vector_call:
        return call && has_vector_math(*call, m_lanes, m_plan.machine.vector_bits) ? nullptr
                                                                                   : "there is no such function";
      case lane_action::reduce: {
        const auto* atomic = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction);
        if (!atomic || reduction_of(atomic->getOperation()) == llvm::Intrinsic::not_intrinsic)
          return "nothing that lanes do together";
        if (!m_shapes.of(atomic->getPointerOperand()).is_uniform()) return "lanes have different places";
        return atomic->use_empty() && !atomic->isVolatile() ? nullptr : "somebody asks what each lane found there";
      }
      default:
        return nullptr;
    }
  }

  // ----------------------------------------------------------------------------------------------- memory

  const char* fault_of_access(const llvm::Instruction& instruction, const lane_step& step) const {
    if (const auto* copy = llvm::dyn_cast<llvm::MemCpyInst>(&instruction)) return fault_of_copy(*copy, step.action);
    if (!is_simple_access(instruction)) return "no plain access to memory";
    const bool loads = llvm::isa<llvm::LoadInst>(instruction);
    const lane_shape shape = address_of(instruction);
    llvm::Type* type = llvm::getLoadStoreType(&instruction);
    if (step.action == lane_action::last_lane) {
      if (loads) return "loads of one place are made once";
      return shape.is_uniform() ? nullptr : "lanes store in different places";
    }
    if (shape.is_uniform()) return "all lanes have one place";
    if (!has_wide_memory_form(type, m_layout)) return "vectors of the type don't lie in memory as its elements do";
    switch (step.action) {
      case lane_action::consecutive:
        return is_consecutive(shape, type, m_layout) ? nullptr : "not side by side";
      case lane_action::group:
        return fault_of_number(instruction, step.number, m_plan.groups.size(),
                               [&] { return llvm::is_contained(m_plan.groups[step.number].accesses, &instruction); });
      case lane_action::piece:
        return fault_of_number(instruction, step.number, m_plan.pieces.size(),
                               [&] { return llvm::is_contained(m_plan.pieces[step.number].accesses, &instruction); });
      case lane_action::runs:
        return fault_of_runs(instruction, step.runs, loads);
      case lane_action::gather:
        return loads ? nullptr : "not a load";
      case lane_action::scatter:
        return loads ? "not a store" : nullptr;
      default:
        return nullptr;
    }
  }

  const char* fault_of_copy(const llvm::MemCpyInst& copy, lane_action action) const {
    const auto* size = llvm::dyn_cast<llvm::ConstantInt>(copy.getLength());
    if (action != lane_action::consecutive || !size || copy.isVolatile()) return "no access of vectors";
    const bool side_by_side = is_side_by_side(m_shapes.of(copy.getRawSource()), size->getSExtValue()) &&
                              is_side_by_side(m_shapes.of(copy.getRawDest()), size->getSExtValue());
    if (!side_by_side) return "not side by side";
    return is_masked(copy) ? "copied for all lanes, but some may be off" : nullptr;
  }

  template <class IsMember>
  static const char* fault_of_number(const llvm::Instruction&, unsigned number, std::size_t count,
                                     const IsMember& is_member) {
    if (number >= count) return "no such accesses";
    return is_member() ? nullptr : "made with others that don't know of it";
  }

  const char* fault_of_runs(const llvm::Instruction& instruction, const lane_orders::runs& runs, bool loads) const {
    if (runs.lanes < 2 || runs.lanes >= m_lanes || m_lanes % runs.lanes != 0) return "no runs of lanes";
    const bool masked = is_masked(instruction);
    if (!loads && (runs.same || masked)) return "stores of runs are those of all lanes, side by side";
    return masked && runs.same ? "the lane that reads for others may be off" : nullptr;
  }

  const char* fault_of(const lane_orders::group& group) const {
    const llvm::Instruction& first = *group.accesses.front();
    const auto number = static_cast<unsigned>(&group - m_plan.groups.data());
    if (is_masked(first)) return "whole vectors, but some lanes may be off";
    std::vector<bool> seen(group.accesses.size() * m_lanes);
    if (group.elements.size() != seen.size()) return "not as many elements as lanes";
    for (const int element : group.elements) {
      if (element < 0 || static_cast<std::size_t>(element) >= seen.size() || seen[static_cast<std::size_t>(element)])
        return "not each element once";
      seen[static_cast<std::size_t>(element)] = true;
    }
    for (const llvm::Instruction* each : group.accesses) {
      const lane_step& step = m_plan.of(*each);
      if (step.action != lane_action::group || step.number != number) return "an access of the group is made elsewhere";
      if (each->getParent() != first.getParent() || each->getOpcode() != first.getOpcode() ||
          llvm::getLoadStoreType(each) != llvm::getLoadStoreType(&first))
        return "accesses of different kinds together";
    }
    return nullptr;
  }

  const char* fault_of(const access_pieces::piece& piece) const {
    const llvm::Instruction& first = *piece.accesses.front();
    const auto number = static_cast<unsigned>(&piece - m_plan.pieces.data());
    const lane_mask mask = m_shapes.mask(first.getParent());
    if (mask == lane_mask::partial) return "accessed for all lanes, but some may be off";
    if (mask != lane_mask::full && llvm::isa<llvm::StoreInst>(first))
      return "stored for all lanes, but some may be off";
    const std::uint64_t size = m_layout.getTypeStoreSize(llvm::getLoadStoreType(&first));
    if (piece.length() * size != piece_bytes) return "not all accesses of the piece";
    if (piece.has_gap() && !may_leave_gap(first, m_shapes)) return "a gap that not all lanes may read";
    if (piece.start > 0 || piece.start % static_cast<std::int64_t>(size) != 0) return "the piece starts elsewhere";
    for (const llvm::Instruction* each : piece.accesses) {
      const lane_step& step = m_plan.of(*each);
      if (step.action != lane_action::piece || step.number != number) return "an access of the piece is made elsewhere";
      if (each->getParent() != first.getParent() || each->getOpcode() != first.getOpcode() ||
          llvm::getLoadStoreType(each) != llvm::getLoadStoreType(&first))
        return "accesses of different kinds together";
    }
    return nullptr;
  }

  const lane_plan& m_plan;
  const lane_shapes& m_shapes;
  unsigned m_lanes;
  const llvm::DataLayout& m_layout;
};

}  // namespace

std::string fault_of(const lane_plan& plan) { return verifier(plan).run(); }

}  // namespace sinter::passes
