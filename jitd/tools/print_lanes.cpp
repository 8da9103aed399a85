#include "print_lanes.hpp"

#include "llvm/Support/Format.h"
#include "passes/lanes/lane_cost.hpp"
#include "passes/lanes/lane_plan_verifier.hpp"
#include "passes/lanes/lane_region.hpp"

namespace sinter::jit {
namespace {

const char* describe(passes::lane_mask mask) {
  switch (mask) {
    case passes::lane_mask::full: return "all lanes";
    case passes::lane_mask::prefix: return "the first lanes";
    case passes::lane_mask::partial: return "some lanes";
  }
  return "";
}

void print(const passes::lane_shape& shape, llvm::raw_ostream& stream) {
  if (shape.is_uniform()) {
    stream << "uniform";
  } else if (shape.is_varying()) {
    stream << "varying";
  } else {
    stream << "strided by " << shape.stride;
    if (shape.exact_signed) stream << ", exact as signed";
    if (shape.exact_unsigned) stream << ", exact as unsigned";
    if (shape.aligned) stream << ", aligned";
  }
}

/// Prints the action for an instruction, and which instructions share this action.
void print(const passes::lane_plan& plan, const llvm::Instruction& instruction, llvm::raw_ostream& stream) {
  const passes::lane_step& step = plan.of(instruction);
  stream << passes::name_of(step.action);
  if (step.action == passes::lane_action::group || step.action == passes::lane_action::piece)
    stream << " " << step.number;
  if (step.action == passes::lane_action::runs)
    stream << (step.runs.same ? " of one place for " : " of ") << step.runs.lanes;
}

void print_block(const passes::lane_plan& plan, unsigned number, llvm::raw_ostream& stream) {
  const passes::lane_shapes& shapes = plan.known.shapes;
  const llvm::BasicBlock* block = plan.graph.block(number);
  const passes::block_plan& lanes = plan.of(block);
  stream << "  block " << block->getName() << ": " << describe(lanes.mask);
  if (shapes.is_divergent(block)) stream << ", which part here";
  const llvm::Loop* loop = plan.known.loops.getLoopFor(block);
  if (loop && loop->getHeader() == block && shapes.is_divergent(loop)) stream << ", and leave the loop one by one";
  if (lanes.jumped_over) stream << ", jumped over when there are none";
  if (!lanes.has_lane) stream << ", perhaps none";
  stream << ", to";
  for (unsigned next : plan.graph.next(number)) stream << " " << plan.graph.block(next)->getName();
  stream << "\n";
  for (const llvm::Instruction& instruction : *block) {
    if (instruction.isTerminator()) continue;
    if (instruction.getType()->isVoidTy()) {
      stream << "    " << instruction.getOpcodeName() << ": ";
    } else {
      stream << "    %" << instruction.getName() << ": ";
      print(shapes.of(&instruction), stream);
      stream << "; ";
    }
    print(plan, instruction, stream);
    stream << "\n";
  }
}

}  // namespace

void print_lanes(llvm::Function& work_item, llvm::TargetMachine& machine, unsigned lanes, bool nd_range,
                 llvm::raw_ostream& stream) {
  passes::lane_region region(work_item, machine, {lanes, nd_range, /*prefix=*/false, /*whole_group=*/false});
  stream << work_item.getName() << ", " << lanes << " lanes\n";
  if (const char* failure = region.known().shapes.failure()) {
    stream << "  can't be followed: " << failure << "\n";
    return;
  }
  const passes::lane_plan& plan = region.plan();
  for (unsigned i = 0; i < plan.graph.size(); ++i) print_block(plan, i, stream);
  const passes::lane_costs costs = passes::lane_costs_of(plan, nd_range);
  const std::string why = passes::why_scalar(costs, lanes);
  stream << "  cost: " << llvm::format("%.1f for one, %.1f for all: ", costs.scalar, costs.wide)
         << (why.empty() ? "wide" : why) << "\n";
  const std::string fault = passes::fault_of(plan);
  if (!fault.empty()) stream << "  wrong: " << fault << "\n";
}

}  // namespace sinter::jit
