#include "access_pieces.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Module.h"
#include "passes/llvm_versions.hpp"
#include "passes/pass_runner.hpp"

namespace sinter::passes {
namespace {

// The maximum number of arrays in a basic block that are examined. The limit exists because every access is compared
// with each array.
constexpr std::size_t most_arrays = 16;

}  // namespace

std::vector<access_row> neighbours_in(llvm::ArrayRef<llvm::Instruction*> accesses, llvm::ScalarEvolution& evolution) {
  std::vector<access_row> arrays;
  for (llvm::Instruction* access : accesses) {
    const llvm::SCEV* address = evolution.getSCEV(llvm::getLoadStorePointerOperand(access));
    llvm::Type* const type = llvm::getLoadStoreType(access);
    bool found = false;
    for (access_row& array : arrays) {
      if (array.type != type || array.opcode != access->getOpcode()) continue;
      const std::optional<llvm::APInt> distance = constant_difference(evolution, address, array.first);
      if (!distance || !distance->isSignedIntN(32)) continue;
      // If two stores write to one address, the memory has the value of the later store afterwards.
      if (llvm::isa<llvm::StoreInst>(access)) array.by_distance[distance->getSExtValue()] = access;
      else array.by_distance.try_emplace(distance->getSExtValue(), access);
      found = true;
      break;
    }
    if (!found && arrays.size() < most_arrays) arrays.push_back({address, type, access->getOpcode(), {{0, access}}});
  }
  return arrays;
}

bool can_be_joined(llvm::ArrayRef<llvm::Instruction*> in_order, llvm::AAResults& aliases) {
  const bool stores = llvm::isa<llvm::StoreInst>(in_order.front());
  auto next = in_order.begin() + 1;
  for (llvm::Instruction* each = in_order.front()->getNextNode(); next != in_order.end(); each = each->getNextNode()) {
    if (each == *next) {
      ++next;
      continue;
    }
    if (!llvm::isGuaranteedToTransferExecutionToSuccessor(each)) return false;
    if (!(stores ? each->mayReadOrWriteMemory() : each->mayWriteToMemory())) continue;
    // Joining the accesses of a piece moves all its stores to the last store, or all its loads to the first load. So
    // earlier stores would move behind the access `each`, and later loads would move in front of it.
    const auto moved = stores ? llvm::ArrayRef(in_order.begin(), next) : llvm::ArrayRef(next, in_order.end());
    for (llvm::Instruction* other : moved) {
      const llvm::ModRefInfo info = aliases.getModRefInfo(each, llvm::MemoryLocation::get(other));
      if (stores ? llvm::isModOrRefSet(info) : llvm::isModSet(info)) return false;
    }
  }
  return true;
}

unsigned piece_length(const llvm::Instruction& access, const lane_shapes& shapes) {
  const llvm::DataLayout& layout = access.getModule()->getDataLayout();
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
  const auto* store = llvm::dyn_cast<llvm::StoreInst>(&access);
  if (!(load && load->isSimple()) && !(store && store->isSimple())) return 0;
  llvm::Type* type = llvm::getLoadStoreType(&access);
  const lane_mask mask = shapes.mask(access.getParent());
  // If the mask is a prefix of the lanes, the other lanes can load from the first lane's address, but must not store.
  if (mask == lane_mask::partial || (store && mask != lane_mask::full)) return 0;
  if (!llvm::VectorType::isValidElementType(type)) return 0;
  const std::uint64_t bits = layout.getTypeSizeInBits(type);
  if (bits != 32 && bits != 64) return 0;
  const lane_shape shape = shapes.of(llvm::getLoadStorePointerOperand(&access));
  if (shape.is_uniform() || is_consecutive(shape, type, layout)) return 0;
  const auto length = static_cast<unsigned>(8 * piece_bytes / bits);
  return length <= shapes.facts().lanes ? length : 0;
}

bool may_leave_gap(const llvm::Instruction& access, const lane_shapes& shapes) {
  return llvm::isa<llvm::LoadInst>(access) && shapes.mask(access.getParent()) == lane_mask::full &&
         is_side_by_side(shapes.of(llvm::getLoadStorePointerOperand(&access)), piece_bytes);
}

access_pieces::access_pieces(llvm::Function& function, const lane_shapes& shapes, llvm::TargetMachine& machine) {
  const llvm::DataLayout& layout = function.getParent()->getDataLayout();
  std::optional<pass_runner> runner;
  for (llvm::BasicBlock& block : function) {
    llvm::SmallVector<llvm::Instruction*, 16> accesses;
    for (llvm::Instruction& instruction : block) {
      if (piece_length(instruction, shapes) != 0) accesses.push_back(&instruction);
    }
    if (accesses.size() < 2) continue;
    // This call runs no pass. It only registers the analyses.
    if (!runner) runner.emplace(&machine).run(function, llvm::FunctionPassManager());
    auto& evolution = runner->functions.getResult<llvm::ScalarEvolutionAnalysis>(function);
    auto& aliases = runner->functions.getResult<llvm::AAManager>(function);
    for (const access_row& array : neighbours_in(accesses, evolution)) {
      const auto size = static_cast<std::int64_t>(layout.getTypeStoreSize(array.type));
      const std::size_t whole = piece_bytes / static_cast<std::size_t>(size);
      const bool gaps = whole == 4 && may_leave_gap(*array.by_distance.begin()->second, shapes);
      llvm::SmallVector<llvm::Instruction*, 4> row;
      const auto take_row = [&] {
        if (row.size() == whole || (gaps && row.size() == whole - 1)) add(row, size, aliases);
        row.clear();
      };
      std::int64_t expected = 0;
      for (const auto& [distance, access] : array.by_distance) {
        if (distance != expected || row.size() == whole) take_row();
        expected = distance + size;
        row.push_back(access);
      }
      take_row();
    }
  }
}

void access_pieces::add(llvm::ArrayRef<llvm::Instruction*> accesses, std::int64_t size, llvm::AAResults& aliases) {
  llvm::SmallVector<llvm::Instruction*, 4> in_order(accesses);
  llvm::sort(in_order, [](const auto* a, const auto* b) { return a->comesBefore(b); });
  if (!can_be_joined(in_order, aliases)) return;
  piece made{{accesses.begin(), accesses.end()}, 0};
  made.start = -size * (llvm::find(accesses, place_of(made)) - accesses.begin());
  m_pieces.push_back(std::move(made));
}

llvm::Instruction* access_pieces::place_of(const piece& piece) {
  const bool stores = llvm::isa<llvm::StoreInst>(piece.accesses.front());
  return *std::min_element(piece.accesses.begin(), piece.accesses.end(), [&](const auto* a, const auto* b) {
    return stores ? b->comesBefore(a) : a->comesBefore(b);
  });
}

}  // namespace sinter::passes
