/// Compares work-items in vectors with single work-items: random kernels with structured control flow, every number of
/// lanes, and results that must have equal bits. The tests have to notice errors that are planted in the generated
/// code.

#include <doctest/doctest.h>

#include <cstdlib>

#include "lane_kernels.hpp"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

namespace {

using namespace sinter::test;

constexpr unsigned lane_counts[] = {2, 4, 8, 16};
constexpr std::size_t widths[] = {0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 47};

/// Returns the number in an environment variable, or the usual number if the variable is not set. The variable can
/// select other seeds.
unsigned number_from(const char* variable, unsigned standard) {
  const char* wanted = std::getenv(variable);
  return wanted ? static_cast<unsigned>(std::atoi(wanted)) : standard;
}

bool takes_long() { return number_from("TEST_LONG", 0) == 1; }

/// The number of seeds of a test: `all` with TEST_LONG, otherwise a quarter of `all`.
unsigned seeds_of(unsigned all) { return number_from("TEST_LAST_SEED", takes_long() ? all : (all + 3) / 4); }

kernel_style style_of(unsigned seed) { return {seed % 3 == 2, seed % 10 == 0}; }

/// Returns the first width at which the results of both kernels differ, or -1 if the results never differ.
int first_difference(const compiled_kernel& one_by_one, const compiled_kernel& wide, std::size_t rows = 3) {
  for (std::size_t width : widths) {
    kernel_memory expected(width * rows), found(width * rows);
    if (width != 0) {
      one_by_one.run(expected, width, rows);
      wide.run(found, width, rows);
    }
    if (!(expected == found)) return static_cast<int>(width);
  }
  return -1;
}

llvm::SmallVector<llvm::Function*, 4> wide_functions(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 4> result;
  for (llvm::Function& function : module) {
    if (function.getName().ends_with(".wide")) result.push_back(&function);
  }
  return result;
}

llvm::SmallVector<llvm::SelectInst*, 8> lane_selects(llvm::Module& module) {
  llvm::SmallVector<llvm::SelectInst*, 8> result;
  for (llvm::Function* function : wide_functions(module)) {
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      auto* select = llvm::dyn_cast<llvm::SelectInst>(&instruction);
      if (select && select->getCondition()->getType()->isVectorTy()) result.push_back(select);
    }
  }
  return result;
}

bool swap_masks(llvm::Module& module) {
  auto selects = lane_selects(module);
  if (selects.empty()) return false;
  selects[selects.size() / 2]->swapValues();
  return true;
}

bool drop_selects(llvm::Module& module) {
  bool found = false;
  for (llvm::SelectInst* select : lane_selects(module)) {
    if (llvm::isa<llvm::Constant>(select->getFalseValue()) || select->getType()->isIntOrIntVectorTy(1)) continue;
    select->replaceAllUsesWith(select->getTrueValue());
    found = true;
  }
  return found;
}

bool take_for_uniform(llvm::Module& module) {
  for (llvm::Function* function : wide_functions(module)) {
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      auto* type = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
      if (!type || !llvm::isa<llvm::BinaryOperator>(instruction) || type->getScalarSizeInBits() == 1) continue;
      llvm::IRBuilder<> builder(instruction.getNextNode());
      llvm::Value* first = builder.CreateExtractElement(&instruction, std::uint64_t(0));
      llvm::Value* splat = builder.CreateVectorSplat(type->getNumElements(), first);
      instruction.replaceUsesWithIf(splat, [&](llvm::Use& use) { return use.getUser() != first; });
      return true;
    }
  }
  return false;
}

/// Plants an error: behind guards, all lanes store, even lanes beyond the end of the range.
bool forget_guards(llvm::Module& module) {
  for (llvm::Function* function : wide_functions(module)) {
    for (llvm::BasicBlock& block : *function) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      auto* all =
          branch && branch->isConditional() ? llvm::dyn_cast<llvm::IntrinsicInst>(branch->getCondition()) : nullptr;
      if (!all || all->getIntrinsicID() != llvm::Intrinsic::vector_reduce_and) continue;
      branch->setCondition(llvm::ConstantInt::getTrue(module.getContext()));
      return true;
    }
  }
  return false;
}

/// Plants an error: the entry does not call the functions whose names `meant` accepts.
bool skip_calls(llvm::Module& module, bool (*meant)(llvm::StringRef name)) {
  llvm::SmallVector<llvm::CallInst*, 4> calls;
  for (llvm::Instruction& instruction : llvm::instructions(*module.getFunction("sinter:kernel"))) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    const llvm::Function* callee = call ? call->getCalledFunction() : nullptr;
    if (callee && !callee->isDeclaration() && meant(callee->getName())) calls.push_back(call);
  }
  for (llvm::CallInst* call : calls) {
    call->replaceAllUsesWith(llvm::Constant::getNullValue(call->getType()));
    call->eraseFromParent();
  }
  return !calls.empty();
}

bool skip_tail(llvm::Module& module) {
  return !wide_functions(module).empty() &&
         skip_calls(module, [](llvm::StringRef name) { return !name.ends_with(".wide"); });
}

/// Plants an error: the version of the code for work-items away from borders also runs at borders.
bool forget_borders(llvm::Module& module) {
  for (llvm::Function* function : wide_functions(module)) {
    auto* branch = llvm::dyn_cast<llvm::BranchInst>(function->getEntryBlock().getTerminator());
    if (!branch || !branch->isConditional() || !branch->getSuccessor(0)->getName().starts_with("inside")) continue;
    branch->setCondition(llvm::ConstantInt::getTrue(module.getContext()));
    return true;
  }
  return false;
}

llvm::Function* blocked_function(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.getName().ends_with(".blocked")) return &function;
  }
  return nullptr;
}

bool skip_what_is_left(llvm::Module& module) {
  return blocked_function(module) &&
         skip_calls(module, [](llvm::StringRef name) { return !name.ends_with(".blocked"); });
}

/// Plants an error: the second neighbour uses the position of the first neighbour.
bool forget_neighbour(llvm::Module& module) {
  llvm::Function* function = blocked_function(module);
  if (!function) return false;
  for (llvm::Instruction& instruction : function->getEntryBlock()) {
    auto* argument = instruction.getOpcode() == llvm::Instruction::Add
                         ? llvm::dyn_cast<llvm::Argument>(instruction.getOperand(0))
                         : nullptr;
    if (!argument || instruction.use_empty()) continue;
    instruction.replaceAllUsesWith(argument);
    return true;
  }
  return false;
}

/// Plants an error: two neighbours exchange their stored values.
bool mix_neighbours(llvm::Module& module) {
  llvm::Function* function = blocked_function(module);
  if (!function) return false;
  for (llvm::Instruction& instruction : llvm::instructions(*function)) {
    auto* first = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    auto* second = llvm::dyn_cast_or_null<llvm::StoreInst>(instruction.getNextNode());
    if (!first || !second || first->getValueOperand() == second->getValueOperand() ||
        first->getValueOperand()->getType() != second->getValueOperand()->getType()) {
      continue;
    }
    auto* value = llvm::dyn_cast<llvm::Instruction>(second->getValueOperand());
    if (value && !llvm::DominatorTree(*function).dominates(value, first)) continue;
    llvm::Value* other = first->getValueOperand();
    first->setOperand(0, second->getValueOperand());
    second->setOperand(0, other);
    return true;
  }
  return false;
}

kernel_style blocked_style(unsigned seed) {
  switch (seed % 3) {
    case 0: return {.nd_range = true, .straight = false, .rows = true};
    case 1: return {.nd_range = false, .straight = false, .alike = true};
    default: return {.nd_range = true, .straight = false, .alike = true};
  }
}

kernel_style streaming_style(unsigned seed) { return {.nd_range = false, .straight = seed % 2 == 0, .streams = true}; }

bool drop_streaming_store(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      if (!llvm::isa<llvm::StoreInst>(instruction) || !instruction.hasMetadata(llvm::LLVMContext::MD_nontemporal))
        continue;
      instruction.eraseFromParent();
      return true;
    }
  }
  return false;
}

/// Plants an error: the last part of a store that is divided into parts is missing.
bool drop_last_part(llvm::Module& module) {
  llvm::Instruction* last = nullptr;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (!store || !store->hasMetadata(llvm::LLVMContext::MD_nontemporal)) continue;
      const bool behind_another = llvm::isa<llvm::GetElementPtrInst>(store->getPointerOperand());
      if (behind_another && store->getAlign() == 16) last = &instruction;
    }
  }
  if (last) last->eraseFromParent();
  return last;
}

// There are two groups, each with half of these rows. Five rows can't be divided into equal blocks of neighbours.
constexpr std::size_t blocked_rows = 10;

unsigned blocked_seeds_until_noticed(bool (*plant)(llvm::Module&)) {
  unsigned planted = 0;
  for (unsigned seed = 1; seed < 200; ++seed) {
    const compiled_kernel wrong(seed, blocked_style(seed), 4, plant, 2);
    if (!wrong.is_changed()) continue;
    ++planted;
    const compiled_kernel right(seed, blocked_style(seed), 1);
    if (first_difference(right, wrong, blocked_rows) >= 0) return planted;
  }
  return ~0u;
}

// ------------------------------------------------------------------------------------------------- sub-groups

kernel_style sub_group_style(unsigned seed) {
  constexpr unsigned sizes[] = {4, 8, 16, 32};
  return {.nd_range = true, .straight = seed % 5 == 0, .sub_group = sizes[seed % 4]};
}

/// Plants an error: in a shuffle with constant lane numbers, two of these numbers change places.
bool swap_sources(llvm::Module& module) {
  for (llvm::Function* function : wide_functions(module)) {
    for (llvm::Instruction& instruction : llvm::instructions(*function)) {
      auto* shuffle = llvm::dyn_cast<llvm::ShuffleVectorInst>(&instruction);
      if (!shuffle || shuffle->isZeroEltSplat() || shuffle->getShuffleMask().size() < 4) continue;
      llvm::SmallVector<int, 16> mask(shuffle->getShuffleMask());
      std::swap(mask[0], mask[1]);
      if (mask[0] == mask[1]) continue;
      shuffle->setShuffleMask(mask);
      return true;
    }
  }
  return false;
}

/// Plants an error: lanes that do not exist take part in votes.
bool count_absent(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (!function.getName().ends_with(".tail")) continue;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* votes = llvm::dyn_cast<llvm::BitCastInst>(&instruction);
      if (!votes || !votes->getSrcTy()->isVectorTy() || !votes->getDestTy()->isIntegerTy()) continue;
      auto* there = llvm::dyn_cast<llvm::SelectInst>(votes->getOperand(0));
      if (!there) continue;
      votes->setOperand(0, there->getTrueValue());
      return true;
    }
  }
  return false;
}

/// Returns how many kernels of this style the test needs to notice a planted error.
unsigned seeds_until_noticed(kernel_style (*style_of_seed)(unsigned), bool (*plant)(llvm::Module&)) {
  unsigned planted = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const kernel_style style = style_of_seed(seed);
    const compiled_kernel wrong(seed, style, style.sub_group != 0 ? 0 : 8, plant);
    if (!wrong.is_changed()) continue;
    ++planted;
    const compiled_kernel right(seed, style, 1);
    if (first_difference(right, wrong) >= 0) return planted;
  }
  return ~0u;
}

// ------------------------------------------------------------------------------------------------- rows

kernel_style walking_style(unsigned seed) {
  kernel_style style = {.nd_range = seed % 2 == 0, .straight = seed % 5 == 0};
  if (seed % 3 == 2) style = sub_group_style(seed);
  style.walks = true;
  return style;
}

/// Plants an error: a lane loads the elements that another lane should load.
bool mix_up_lanes(llvm::Module& module) {
  for (llvm::Function* function : wide_functions(module)) {
    for (llvm::BasicBlock& block : *function) {
      llvm::LoadInst* before = nullptr;
      for (llvm::Instruction& instruction : block) {
        auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (!load || !load->getType()->isVectorTy() || !load->hasOneUse() ||
            !llvm::isa<llvm::ShuffleVectorInst>(load->user_back()))
          continue;
        if (before && before->getType() == load->getType()) {
          load->setOperand(0, before->getPointerOperand());
          return true;
        }
        before = load;
      }
    }
  }
  return false;
}

// ------------------------------------------------------------------------------------------------- strides

kernel_style stride_style(unsigned seed) {
  return {.nd_range = seed % 4 != 3, .straight = seed % 5 == 0, .strides = true};
}

/// Plants an error: the code treats any stride as a multiple of the number of lanes, or as the first length for which
/// the code has a test.
bool trust_strides(llvm::Module& module) {
  for (llvm::Function* function : wide_functions(module)) {
    for (llvm::BasicBlock& block : *function) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      auto* compare =
          branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
      const auto* low = compare ? llvm::dyn_cast<llvm::ConstantInt>(compare->getOperand(1)) : nullptr;
      if (!low || !compare->isEquality() || low->getZExtValue() != 7) continue;
      branch->setCondition(llvm::ConstantInt::getTrue(module.getContext()));
      return true;
    }
  }
  return false;
}

/// Plants an error: the code for whole groups also runs if some of the group's work-items are past the end.
bool count_past_the_end(llvm::Module& module) {
  for (llvm::Function& function : module) {
    for (llvm::BasicBlock& block : function) {
      auto* branch = llvm::dyn_cast<llvm::BranchInst>(block.getTerminator());
      auto* both =
          branch && branch->isConditional() ? llvm::dyn_cast<llvm::BinaryOperator>(branch->getCondition()) : nullptr;
      auto* last = both && both->getOpcode() == llvm::Instruction::And
                       ? llvm::dyn_cast<llvm::ICmpInst>(both->getOperand(1))
                       : nullptr;
      auto* sum = last ? llvm::dyn_cast<llvm::BinaryOperator>(last->getOperand(0)) : nullptr;
      if (!sum || sum->getOpcode() != llvm::Instruction::Add) continue;
      last->setOperand(0, sum->getOperand(0));
      return true;
    }
  }
  return false;
}

/// Plants an error in kernels in which this error is possible, until a test notices a planted error. Returns the number
/// of planted errors.
unsigned seeds_until_noticed(bool (*plant)(llvm::Module&)) {
  unsigned planted = 0;
  for (unsigned seed = 1; seed < 400; ++seed) {
    if (style_of(seed).nd_range) continue;
    const compiled_kernel wrong(seed, style_of(seed), 8, plant);
    if (!wrong.is_changed()) continue;
    ++planted;
    const compiled_kernel right(seed, style_of(seed), 1);
    if (first_difference(right, wrong) >= 0) return planted;
  }
  return ~0u;
}

} // namespace

TEST_CASE("vectors of any length compute what single work-items compute") {
  std::map<std::string, unsigned> constructs;
  unsigned compiled = 0, widened = 0, with_interior = 0;
  const unsigned first = number_from("TEST_FIRST_SEED", 0), last = seeds_of(40);
  const unsigned in_all_lengths = takes_long() ? 12 : 4;
  for (unsigned seed = first; seed < last; ++seed) {
    const kernel_style style = style_of(seed);
    const compiled_kernel one_by_one(seed, style, 1);
    for (const auto& [name, count] : one_by_one.constructs()) constructs[name] += count;
    for (unsigned lanes : lane_counts) {
      if (seed >= in_all_lengths && last - first > 1 && lanes != lane_counts[seed % 4]) continue;
      const compiled_kernel wide(seed, style, lanes);
      ++compiled;
      if (wide.report().find("scalar") == std::string::npos) ++widened;
      if (wide.report().find("inside borders") != std::string::npos) ++with_interior;
      INFO("seed " << seed << ", " << lanes << " lanes: " << wide.report());
      CHECK(first_difference(one_by_one, wide) == -1);
    }
  }
  std::string coverage;
  for (const auto& [name, count] : constructs) coverage += " " + name + " " + std::to_string(count);
  MESSAGE(widened << " of " << compiled << " became vectors, " << with_interior
                  << " with a form away from borders; constructs:" << coverage);
  CHECK(widened * 100 >= compiled * 80);
  CHECK(with_interior * 100 >= compiled * 10);
}

TEST_CASE("vectors and single work-items have the same reciprocal square roots") {
  for (unsigned seed = 100; seed < 100 + seeds_of(12); ++seed) {
    kernel_style style = style_of(seed);
    style.reciprocal_roots = true;
    const compiled_kernel one_by_one(seed, style, 1), wide(seed, style, lane_counts[seed % 4]), any(seed, style, 0);
    INFO("seed " << seed << ": " << wide.report());
    CHECK(first_difference(one_by_one, wide) == -1);
    CHECK(first_difference(one_by_one, any) == -1);
  }
}

TEST_CASE("neighbours in one body compute what single work-items compute") {
  unsigned compiled = 0, blocked = 0;
  const unsigned first = number_from("TEST_FIRST_SEED", 0), last = seeds_of(24);
  for (unsigned seed = first; seed < last; ++seed) {
    const kernel_style style = blocked_style(seed);
    const compiled_kernel one_by_one(seed, style, 1);
    const unsigned lanes = seed % 2 == 0 ? 4 : 8, block = seed % 4 < 2 ? 2 : 4;
    const compiled_kernel wide(seed, style, lanes, nullptr, block);
    ++compiled;
    if (wide.report().find(" together") != std::string::npos && wide.report().find(", no ") == std::string::npos)
      ++blocked;
    INFO("seed " << seed << ", " << lanes << " lanes, " << block << " neighbours: " << wide.report());
    CHECK(first_difference(one_by_one, wide, blocked_rows) == -1);
  }
  MESSAGE(blocked << " of " << compiled << " became blocks");
  // Kernels that test for borders already have a second version, so the JIT makes no version for neighbours.
  CHECK(blocked * 100 >= compiled * 20);
}

TEST_CASE("vectors of twice as many lanes compute what single work-items compute") {
  unsigned longer = 0;
  const unsigned first = number_from("TEST_FIRST_SEED", 0), last = seeds_of(12);
  for (unsigned seed = first; seed < last; ++seed) {
    const kernel_style style = style_of(seed);
    const unsigned lanes = lane_counts[seed % 4];
    const compiled_kernel one_by_one(seed, style, 1), wide(seed, style, lanes, nullptr, 2);
    if (wide.report().find("vectors of " + std::to_string(2 * lanes) + " lanes") != std::string::npos) ++longer;
    INFO("seed " << seed << ": " << wide.report());
    CHECK(first_difference(one_by_one, wide) == -1);
  }
  MESSAGE(longer << " of " << last - first << " have longer vectors");
  CHECK(longer * 100 >= (last - first) * 50);
}

TEST_CASE("code for one local range computes what code for any computes") {
  constexpr std::size_t row_lengths[] = {1, 8, 3, 16, 17, 4, 32, 31, 12, 24};
  const unsigned first = number_from("TEST_FIRST_SEED", 0), last = seeds_of(12);
  for (unsigned seed = first; seed < last; ++seed) {
    kernel_style style = seed % 3 == 2 ? sub_group_style(seed) : blocked_style(seed);
    style.nd_range = true;
    const std::size_t width = row_lengths[seed % std::size(row_lengths)];
    const sinter::abi::local_range local_range = {1, style.rows ? blocked_rows / 2 : 1, width};
    const compiled_kernel any(seed, style, 1);
    const compiled_kernel known(seed, style, 0, nullptr, seed % 2 == 0 ? 2 : 0, ~std::uint64_t{0}, local_range);
    kernel_memory expected(width * blocked_rows), found(width * blocked_rows);
    any.run(expected, width, blocked_rows);
    known.run(found, width, blocked_rows);
    INFO("seed " << seed << ", rows of " << width << ": " << known.report());
    CHECK((expected == found));
  }
}

TEST_CASE("rows that work-items read, each its own, come in pieces of the same values") {
  unsigned transposed = 0;
  const unsigned first = number_from("TEST_FIRST_SEED", 0), last = seeds_of(9);
  for (unsigned seed = first; seed < last; ++seed) {
    const kernel_style style = walking_style(seed);
    const compiled_kernel one_by_one(seed, style, 1),
        wide(seed, style, style.sub_group != 0 ? 0 : lane_counts[seed % 4]);
    if (wide.report().find("transposed") != std::string::npos) ++transposed;
    INFO("seed " << seed << ": " << wide.report());
    CHECK(first_difference(one_by_one, wide) == -1);
  }
  MESSAGE(transposed << " of " << last - first << " transpose");
  CHECK(transposed * 100 >= (last - first) * 20);
}

TEST_CASE("exchanges and counts in local memory are the same in vectors, in step and at any stride") {
  std::map<std::string, unsigned> constructs;
  unsigned rearranged = 0;
  const unsigned first = number_from("TEST_FIRST_SEED", 0), last = seeds_of(16);
  for (unsigned seed = first; seed < last; ++seed) {
    const kernel_style style = stride_style(seed);
    const unsigned lanes = lane_counts[(seed + 3) % 4];
    const compiled_kernel one_by_one(seed, style, 1), wide(seed, style, lanes, nullptr, seed % 5 == 0 ? 2 : 1);
    for (const auto& [name, count] : one_by_one.constructs()) constructs[name] += count;
    if (wide.report().find("rearranged") != std::string::npos) ++rearranged;
    INFO("seed " << seed << ", " << lanes << " lanes: " << wide.report());
    CHECK(first_difference(one_by_one, wide) == -1);
  }
  MESSAGE(rearranged << " of " << last - first << " rearrange; butterflies " << constructs["butterfly"] << ", counts "
                     << constructs["count"] << ", cuts " << constructs["cut"]);
  CHECK(rearranged * 100 >= (last - first) * 20);
}

TEST_CASE("stores past the caches are stores") {
  unsigned streaming = 0;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const compiled_kernel one_by_one(seed, streaming_style(seed), 1);
    const compiled_kernel wide(seed, streaming_style(seed), seed % 2 == 0 ? 4 : 8, nullptr, 1, 0);
    if (wide.report().find("past the caches") != std::string::npos) ++streaming;
    INFO("seed " << seed << ": " << wide.report());
    CHECK(first_difference(one_by_one, wide) == -1);
  }
  CHECK(streaming >= 3);
}

TEST_CASE("sub-groups that are vectors exchange what others exchange through memory") {
  std::map<std::string, unsigned> constructs;
  const unsigned first = number_from("TEST_FIRST_SEED", 0), last = seeds_of(24);
  for (unsigned seed = first; seed < last; ++seed) {
    const kernel_style style = sub_group_style(seed);
    const compiled_kernel one_by_one(seed, style, 1), wide(seed, style, 0);
    for (const auto& [name, count] : one_by_one.constructs()) constructs[name] += count;
    INFO("seed " << seed << ", sub-groups of " << style.sub_group << ": " << wide.report());
    if (wide.constructs().contains("sub-group exchange")) CHECK(wide.report().find("scalar") == std::string::npos);
    CHECK(first_difference(one_by_one, wide) == -1);
  }
  MESSAGE("sub-group exchanges: " << constructs["sub-group exchange"]);
  CHECK(constructs["sub-group exchange"] > 0);
}

TEST_CASE("sub-groups that run on from row to row exchange what others exchange through memory") {
  const unsigned first = number_from("TEST_FIRST_SEED", 0), last = seeds_of(12);
  constexpr std::size_t widths[] = {1, 2, 3, 5, 8, 12, 16, 33};
  for (unsigned seed = first; seed < last; ++seed) {
    kernel_style style = sub_group_style(seed);
    style.rows = true;
    const compiled_kernel one_by_one(seed, style, 1);
    const std::size_t width = widths[seed % std::size(widths)];
    // For every second seed, the code is only for groups of this size. For the other seeds, the code is for all groups
    // whose rows consist of whole sub-groups.
    sinter::abi::local_range local_range{};
    if (seed % 2 == 0) local_range = {1, blocked_rows / 2, width};
    const compiled_kernel wide(seed, style, 0, nullptr, 0, ~std::uint64_t{0}, local_range);
    INFO("seed " << seed << ", sub-groups of " << style.sub_group << ", rows of " << width << ": " << wide.report());
    if (local_range[2] == 0) {
      CHECK(first_difference(one_by_one, wide, blocked_rows) == -1);
      continue;
    }
    kernel_memory expected(width * blocked_rows), found(width * blocked_rows);
    one_by_one.run(expected, width, blocked_rows);
    wide.run(found, width, blocked_rows);
    CHECK((expected == found));
  }
}

TEST_CASE("planted errors in the exchanges of sub-groups are noticed") {
  CHECK(seeds_until_noticed(sub_group_style, swap_sources) <= 10);
  CHECK(seeds_until_noticed(sub_group_style, count_absent) <= 10);
}

TEST_CASE("stores behind guards leave alone what is not theirs") {
  // On machines with mask registers, stores are not divided into parts.
  unsigned planted = 0;
  bool noticed = false;
  for (unsigned seed = 20; seed < 60 && !noticed; ++seed) {
    const kernel_style style = streaming_style(seed);
    const compiled_kernel wrong(seed, style, 8, forget_guards);
    if (!wrong.is_changed()) continue;
    ++planted;
    const compiled_kernel one_by_one(seed, style, 1);
    CHECK(first_difference(one_by_one, compiled_kernel(seed, style, 8)) == -1);
    noticed = first_difference(one_by_one, wrong) >= 0;
  }
  CHECK((noticed || planted == 0));
}

TEST_CASE("planted errors in strides and steps are noticed") {
  CHECK(seeds_until_noticed(stride_style, swap_sources) <= 10);
  CHECK(seeds_until_noticed(stride_style, trust_strides) <= 10);
  CHECK(seeds_until_noticed(stride_style, count_past_the_end) <= 10);
}

TEST_CASE("planted errors are noticed") {
  CHECK(seeds_until_noticed(walking_style, mix_up_lanes) <= 10);
  CHECK(seeds_until_noticed(walking_style, swap_sources) <= 10);
  CHECK(seeds_until_noticed(swap_masks) <= 10);
  CHECK(seeds_until_noticed(drop_selects) <= 12);
  CHECK(seeds_until_noticed(take_for_uniform) <= 10);
  CHECK(seeds_until_noticed(skip_tail) <= 3);
  CHECK(seeds_until_noticed(forget_borders) <= 5);
  CHECK(blocked_seeds_until_noticed(skip_what_is_left) <= 3);
  CHECK(blocked_seeds_until_noticed(forget_neighbour) <= 10);
  CHECK(blocked_seeds_until_noticed(mix_neighbours) <= 10);
  for (unsigned seed = 0, planted = 0; planted < 2; ++seed) {
    REQUIRE(seed < 20);
    const compiled_kernel wrong(seed, streaming_style(seed), 4, drop_streaming_store, 1, 0);
    if (!wrong.is_changed()) continue;
    ++planted;
    CHECK(first_difference(compiled_kernel(seed, streaming_style(seed), 1), wrong) >= 0);
    const compiled_kernel wrong_part(seed, streaming_style(seed), 8, drop_last_part, 1, 0);
    if (!wrong_part.is_changed()) continue;  // with this machine's vectors, the store may have only one part
    CHECK(first_difference(compiled_kernel(seed, streaming_style(seed), 1), wrong_part) >= 0);
  }
}
