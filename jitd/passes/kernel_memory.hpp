#pragma once
/// Adds up, in one place, the memory that a kernel's work-items need beside their arguments: private arrays, values
/// that live across barriers, and memory that group functions share. If the total is small, the memory is on the stack,
/// which the optimiser knows best. But a program's threads may have stacks of only 64 KiB, so larger amounts are in
/// memory that the runtime gives each thread (nd_state::private_memory, context, scratch). The runtime refuses launches
/// that need too much.
///
/// Sums that overflow stay at the largest number (abi/byte_count.hpp).

#include <abi/byte_count.hpp>
#include <abi/promotion.hpp>
#include <array>
#include <cstdint>
#include <string>

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// The number of bytes that private arrays take in one call of the function. Arrays of variable length are not counted.
std::uint64_t private_bytes(const llvm::Function& function);

/// The largest number of copies of the private arrays (one copy for each lane or neighbour) that fit the caches next to
/// a core. The result is a power of two up to `most`, which is a power of two, too. Returns 1 if only one copy fits.
unsigned copies_that_fit(std::uint64_t bytes, unsigned most);

/// A size as text, such as "96 KiB" or "5 bytes".
std::string describe_bytes(std::uint64_t bytes);

/// Whether the function has large private arrays, or takes large structures by value. Such functions are inlined into
/// the kernel, because only the entry has the address of the thread's memory.
bool has_large_arrays(const llvm::Function& function);

/// The reason why promoted memory should stay in its buffer, which all threads share. The result is empty if there is
/// no reason. `bytes`: private memory of one work-item, or local memory of one work-group.
std::string too_large_to_promote(abi::promotion kind, std::uint64_t bytes);

/// The number of bytes of group scratch, if these bytes fit on the stack. Returns 0 if they do not fit, or if the local
/// range is not known.
std::uint64_t scratch_on_stack(const std::array<std::uint64_t, 3>& local_range, std::uint64_t bytes_per_item);
/// The number of bytes of values that live across barriers, if these values fit on the stack. Some values exist for
/// each work-item, others once for all work-items, and a kernel may have both kinds.
std::uint64_t context_on_stack(const std::array<std::uint64_t, 3>& local_range, std::uint64_t bytes_per_item,
                               std::uint64_t uniform_bytes);

/// The attribute of a function that holds a part of the entry's code (a piece). Only the entry calls such a function,
/// one piece at a time, with the entry's own first parameters.
inline constexpr const char* piece_attribute = "sinter-piece";
bool is_piece(const llvm::Function& function);

/// Runs after all optimisations. Arrays of the entry (abi::cpu_entry) and of its pieces move to
/// nd_state::private_memory if they are too large for the stack. The module's kernel_info states how many bytes of this
/// memory are needed. Small arrays stay on the stack. If a function still takes much more stack, LLVM reports it when
/// it emits code (DiagnosticInfoStackSize).
void settle_private_memory(llvm::Module& module);

}  // namespace sinter::passes
