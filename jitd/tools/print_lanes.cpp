#include "print_lanes.hpp"

#include "llvm/Support/Format.h"
#include "passes/entry/vectorizer.hpp"
#include "passes/lanes/lane_cost.hpp"
#include "passes/lanes/load_pieces.hpp"

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

}  // namespace

void print_lanes(llvm::Function& work_item, llvm::TargetMachine& machine, unsigned lanes, bool nd_range,
                 llvm::raw_ostream& stream) {
  const passes::lane_analyses known(work_item, {lanes, nd_range, /*prefix=*/false, /*whole_group=*/false});
  const passes::lane_shapes& shapes = known.shapes;
  stream << work_item.getName() << ", " << lanes << " lanes\n";
  if (shapes.failure()) {
    stream << "  can't be followed: " << shapes.failure() << "\n";
    return;
  }
  const passes::flow_graph graph(work_item, known.loops, shapes.divergent_loops());
  for (unsigned i = 0; i < graph.size(); ++i) {
    const llvm::BasicBlock* block = graph.block(i);
    stream << "  block " << block->getName() << ": " << describe(shapes.mask(block));
    if (shapes.is_divergent(block)) stream << ", which part here";
    const llvm::Loop* loop = known.loops.getLoopFor(block);
    if (loop && loop->getHeader() == block && shapes.is_divergent(loop)) stream << ", and leave the loop one by one";
    stream << ", to";
    for (unsigned next : graph.next(i)) stream << " " << graph.block(next)->getName();
    stream << "\n";
    for (const llvm::Instruction& instruction : *block) {
      if (instruction.getType()->isVoidTy()) continue;
      stream << "    %" << instruction.getName() << ": ";
      print(shapes.of(&instruction), stream);
      stream << "\n";
    }
  }
  const passes::load_pieces pieces(work_item, shapes, machine);
  const passes::lane_costs costs =
      passes::lane_costs_of(work_item, known.loops, shapes, pieces, nd_range, passes::vector_bits_of(machine));
  const std::string why = passes::why_scalar(costs, lanes);
  stream << "  cost: " << llvm::format("%.1f for one, %.1f for all: ", costs.scalar, costs.wide)
         << (why.empty() ? "wide" : why) << "\n";
}

}  // namespace sinter::jit
