#include "kernel_memory.hpp"

#include <abi/launch_abi.hpp>
#include <abi/planted_error.hpp>
#include <algorithm>
#include <cstddef>

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "passes/llvm_versions.hpp"

namespace sinter::passes {
namespace {

using abi::add_bytes;
using abi::align_bytes;
using abi::multiply_bytes;

// The limit is half of the smallest stack that programs give their threads. The other half is for the kernel's callers
// and for spilled registers.
constexpr std::uint64_t most_bytes_on_stack = 32768;
// The limit for the stack of one called function. This limit is lower because several calls may be active at once.
constexpr std::uint64_t most_bytes_of_call = 2048;
// About the size of a core's L2 cache. If the copies of all lanes need more, lanes wait for data that one work-item
// alone would find in the cache.
constexpr std::uint64_t most_bytes_of_copies = 262144;
// Each thread has its own promoted memory. Lanes and neighbours (register blocking) may need several copies of this
// memory.
constexpr std::uint64_t most_bytes_promoted = 1u << 20, most_local_bytes_promoted = 16u << 20;
// nd_state::private_memory begins at a multiple of this number of bytes.
constexpr std::uint64_t page = 4096;

std::uint64_t size_of(const llvm::AllocaInst& variable) {
  const auto size = allocation_size(variable);
  return size ? size->getFixedValue() : abi::too_many_bytes;
}

/// The bytes of all work-items plus the shared bytes. Returns 0 if the sum does not fit on the stack.
std::uint64_t fits_on_stack(const std::array<std::uint64_t, 3>& local_range, std::uint64_t more_items,
                            std::uint64_t bytes, std::uint64_t once) {
  const std::uint64_t items = multiply_bytes(multiply_bytes(local_range[0], local_range[1]), local_range[2]);
  if (items == 0) return 0;
  const std::uint64_t all = add_bytes(multiply_bytes(add_bytes(items, more_items), bytes), once);
  return all <= most_bytes_on_stack ? all : 0;
}

struct stack_variable {
  llvm::AllocaInst* variable;
  std::uint64_t offset;  ///< place in nd_state::private_memory
};

void replace(const stack_variable& moved, llvm::Value* memory) {
  for (llvm::User* user : llvm::make_early_inc_range(moved.variable->users())) {
    // Lifetime markers may refer only to memory on the stack.
    if (auto* marker = llvm::dyn_cast<llvm::LifetimeIntrinsic>(user)) marker->eraseFromParent();
  }
  llvm::IRBuilder<> builder(llvm::cast<llvm::Instruction>(memory)->getNextNode());
  llvm::Value* address = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory, moved.offset);
  address->takeName(moved.variable);
  moved.variable->replaceAllUsesWith(address);
  moved.variable->eraseFromParent();
}

/// The bytes of the arrays that exist during one call.
struct array_bytes {
  std::uint64_t on_stack = 0;
  std::uint64_t moved = 0;  ///< bytes in nd_state::private_memory
};

/// `callers` says how many bytes the functions that call `entry` use. The result includes these bytes.
array_bytes move_large_arrays(llvm::Function& entry, const array_bytes& callers) {
  llvm::SmallVector<llvm::AllocaInst*, 8> variables;
  for (llvm::Instruction& instruction : entry.getEntryBlock()) {
    auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (variable && variable->isStaticAlloca()) variables.push_back(variable);
  }
  llvm::stable_sort(variables, [](const auto* a, const auto* b) { return size_of(*a) < size_of(*b); });
  llvm::SmallVector<stack_variable, 8> moved;
  std::uint64_t on_stack = callers.on_stack, kept = on_stack, used = callers.moved, alignment = page;
  for (llvm::AllocaInst* variable : variables) {
    const std::uint64_t aligned = variable->getAlign().value();
    on_stack = add_bytes(align_bytes(on_stack, aligned), size_of(*variable));
    if (on_stack <= most_bytes_on_stack) {
      kept = on_stack;
      continue;
    }
    alignment = std::max(alignment, aligned);
    used = align_bytes(used, std::max<std::uint64_t>(aligned, 64));
    moved.push_back({variable, used});
    used = add_bytes(used, size_of(*variable));
  }
  if (moved.empty() || abi::is_planted("private_memory")) return {kept, callers.moved};
  llvm::IRBuilder<> builder(&entry.getEntryBlock(), entry.getEntryBlock().begin());
  llvm::Value* place_of_memory = builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), entry.getArg(1),
                                                                    offsetof(abi::nd_state, private_memory));
  llvm::Value* memory = builder.CreateLoad(builder.getPtrTy(), place_of_memory, "private_memory");
  if (alignment > page) {
    used = add_bytes(used, alignment - page);
    llvm::Value* above = builder.CreatePtrAdd(memory, builder.getInt64(alignment - page));
    memory = builder.CreateIntrinsic(llvm::Intrinsic::ptrmask, {builder.getPtrTy(), builder.getInt64Ty()},
                                     {above, builder.getInt64(~(alignment - 1))});
  }
  for (const stack_variable& each : moved) replace(each, memory);
  return {kept, used};
}

}  // namespace

bool is_piece(const llvm::Function& function) { return function.hasFnAttribute(piece_attribute); }

std::uint64_t private_bytes(const llvm::Function& function) {
  std::uint64_t sum = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(&instruction);
    if (!variable || !llvm::isa<llvm::ConstantInt>(variable->getArraySize())) continue;
    sum = add_bytes(align_bytes(sum, variable->getAlign().value()), size_of(*variable));
  }
  return sum;
}

unsigned copies_that_fit(std::uint64_t bytes, unsigned most) {
  const unsigned wanted = most;
  while (most > 1 && multiply_bytes(bytes, most) > most_bytes_of_copies) most /= 2;
  return most < wanted && abi::is_planted("private_memory") ? wanted : most;
}

std::string describe_bytes(std::uint64_t bytes) {
  if (bytes == abi::too_many_bytes) return "more than 2^64 bytes";
  return bytes < 1024 || bytes % 1024 != 0 ? std::to_string(bytes) + " bytes" : std::to_string(bytes / 1024) + " KiB";
}

bool has_large_arrays(const llvm::Function& function) {
  if (function.isDeclaration()) return false;
  std::uint64_t bytes = private_bytes(function);
  // The caller makes copies of these arguments.
  for (const llvm::Argument& argument : function.args()) {
    if (argument.hasByValAttr())
      bytes = add_bytes(bytes, argument.getPassPointeeByValueCopySize(function.getDataLayout()));
  }
  return bytes > most_bytes_of_call;
}

std::string too_large_to_promote(abi::promotion kind, std::uint64_t bytes) {
  const bool is_private = kind == abi::promotion::private_memory;
  const std::uint64_t most = is_private ? most_bytes_promoted : most_local_bytes_promoted;
  if (bytes <= most) return {};
  return (is_private ? "a work-item's part takes " : "local memory of a work-group takes ") + describe_bytes(bytes) +
         ", more than " + describe_bytes(most);
}

std::uint64_t scratch_on_stack(const std::array<std::uint64_t, 3>& local_range, std::uint64_t bytes_per_item) {
  // The group counts as having one more work-item, because group functions also need memory for the group itself.
  return fits_on_stack(local_range, 1, bytes_per_item, 0);
}

std::uint64_t context_on_stack(const std::array<std::uint64_t, 3>& local_range, std::uint64_t bytes_per_item,
                               std::uint64_t uniform_bytes) {
  return fits_on_stack(local_range, 0, bytes_per_item, multiply_bytes(2, uniform_bytes));
}

void settle_private_memory(llvm::Module& module) {
  for (llvm::Function& function : module) {
    // The stack also holds spilled registers and arguments by value, so LLVM checks the final size and warns.
    if (!function.isDeclaration()) function.addFnAttr("warn-stack-size", std::to_string(2 * most_bytes_on_stack));
  }
  constexpr unsigned entry_field = 2, private_bytes_field = 6;
  llvm::GlobalVariable* info = module.getGlobalVariable(abi::kernel_info_symbol);
  if (!info) return;
  auto* fields = llvm::cast<llvm::ConstantStruct>(info->getInitializer());
  auto* entry = llvm::cast<llvm::Function>(fields->getOperand(entry_field));
  const array_bytes of_entry = move_large_arrays(*entry, {});
  std::uint64_t bytes = of_entry.moved;
  for (llvm::Function& function : module) {
    if (is_piece(function)) bytes = std::max(bytes, move_large_arrays(function, of_entry).moved);
  }
  if (bytes == 0) return;
  llvm::SmallVector<llvm::Constant*, 8> values;
  for (llvm::Use& field : fields->operands()) values.push_back(llvm::cast<llvm::Constant>(field.get()));
  values[private_bytes_field] = llvm::ConstantInt::get(values[private_bytes_field]->getType(), bytes);
  info->setInitializer(llvm::ConstantStruct::get(fields->getType(), values));
}

}  // namespace sinter::passes
