#include "joined_loads.hpp"

#include <optional>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Module.h"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

constexpr std::int64_t word_bytes = 8;
constexpr std::int64_t half_bytes = word_bytes / 2;

using loads = llvm::SmallVector<llvm::Instruction*, 8>;

/// The size in bytes of a load that may be part of a word. Returns 0 if the load can't be part of a word.
std::int64_t part_bytes(const llvm::Instruction& instruction, const lane_plan& plan) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (!load || !load->isSimple() || plan.of(*load).action != lane_action::gather) return 0;
  const llvm::Type* type = load->getType();
  const unsigned bits = type->getPrimitiveSizeInBits();
  const bool number = type->isIntegerTy() || type->isFloatingPointTy();
  return number && (bits == 8 || bits == 16 || bits == 32) ? bits / 8 : 0;
}

/// Replaces loads of neighbouring addresses by the load of one word.
void join(llvm::ArrayRef<llvm::Instruction*> parts, std::int64_t size) {
  const auto* first = llvm::cast<llvm::LoadInst>(parts.front());
  llvm::Instruction* where =
      *llvm::min_element(parts, [](const auto* a, const auto* b) { return a->comesBefore(b); });
  const std::int64_t before = size * (llvm::find(parts, where) - parts.begin());
  llvm::IRBuilder<> builder(where);
  const auto bytes = static_cast<std::int64_t>(parts.size()) * size;
  llvm::Value* address = builder.CreatePtrAdd(llvm::getLoadStorePointerOperand(where),
                                              builder.getInt64(static_cast<std::uint64_t>(-before)));
  llvm::Type* type = builder.getIntNTy(static_cast<unsigned>(8 * bytes));
  llvm::Value* word = builder.CreateAlignedLoad(type, address, first->getAlign());
  // Parts are extracted from 32-bit halves of words, because a vector holds twice as many 32-bit numbers as 64-bit
  // numbers.
  llvm::Type* half = builder.getInt32Ty();
  llvm::Value* halves[] = {word, nullptr};
  if (bytes == word_bytes) {
    halves[0] = builder.CreateTrunc(word, half);
    halves[1] = builder.CreateTrunc(builder.CreateLShr(word, 8 * half_bytes), half);
  }
  std::int64_t at = 0;
  for (llvm::Instruction* part : parts) {
    llvm::Value* value = halves[at / half_bytes];
    if (const std::int64_t low = at % half_bytes)
      value = builder.CreateLShr(value, static_cast<std::uint64_t>(8 * low));
    value = builder.CreateTrunc(value, builder.getIntNTy(static_cast<unsigned>(8 * size)));
    part->replaceAllUsesWith(builder.CreateBitCast(value, part->getType()));
    at += size;
  }
  for (llvm::Instruction* part : parts) part->eraseFromParent();
}

/// The number of loads at the beginning of `run` that become one word. Returns 1 if no loads can be joined.
std::size_t word_length(llvm::ArrayRef<llvm::Instruction*> run, std::int64_t size, llvm::AAResults& aliases) {
  for (auto length = static_cast<std::size_t>(word_bytes / size); length > 1; length /= 2) {
    if (length > run.size()) continue;
    loads in_order(run.take_front(length));
    llvm::sort(in_order, [](const auto* a, const auto* b) { return a->comesBefore(b); });
    if (can_be_joined(in_order, aliases)) return length;
  }
  return 1;
}

void join_run(llvm::ArrayRef<llvm::Instruction*> run, std::int64_t size, llvm::AAResults& aliases,
              std::vector<loads>& words) {
  while (run.size() > 1) {
    const std::size_t length = word_length(run, size, aliases);
    if (length > 1) words.emplace_back(run.take_front(length));
    run = run.drop_front(length);
  }
}

}  // namespace

bool join_narrow_loads(lane_region& region) {
  llvm::Function& function = region.function();
  std::vector<loads> candidates;
  for (llvm::BasicBlock& block : function) {
    loads found;
    for (llvm::Instruction& instruction : block) {
      if (part_bytes(instruction, region.plan()) != 0) found.push_back(&instruction);
    }
    if (found.size() > 1) candidates.push_back(std::move(found));
  }
  if (candidates.empty()) return false;
  pass_runner runner(&region.machine());
  runner.run(function, llvm::FunctionPassManager());  // runs no pass, only registers the analyses
  auto& evolution = runner.functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
  auto& aliases = runner.functions.getResult<llvm::AAManager>(function);
  std::vector<loads> words;
  for (const loads& found : candidates) {
    for (const access_row& array : neighbours_in(found, evolution)) {
      const std::int64_t size = part_bytes(*array.by_distance.begin()->second, region.plan());
      loads run;
      std::int64_t expected = 0;
      for (const auto& [distance, load] : array.by_distance) {
        if (!run.empty() && distance != expected) {
          join_run(run, size, aliases, words);
          run.clear();
        }
        run.push_back(load);
        expected = distance + size;
      }
      join_run(run, size, aliases, words);
    }
  }
  for (const loads& word : words) join(word, part_bytes(*word.front(), region.plan()));
  if (!words.empty()) region.changed();
  return !words.empty();
}

}  // namespace sinter::passes
