#pragma once
/// Adds up, in one place, the memory that a kernel's work-items need beside their arguments: private arrays, values
/// that live across barriers, and memory that group functions share. It lies on the stack while everything together is
/// small, because optimisations know most about the stack; threads of users may have as little as 64 KiB. Larger
/// amounts lie in memory that the runtime gives each thread (nd_state::private_memory, context, scratch), and the
/// runtime refuses amounts that no memory can hold.
///
/// Sums saturate (abi/byte_count.hpp).

#include <abi/byte_count.hpp>
#include <abi/promotion.hpp>
#include <array>
#include <cstdint>
#include <string>

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// Bytes of private arrays in one call of the function, without arrays of variable length.
std::uint64_t private_bytes(const llvm::Function& function);

/// The most copies of private arrays, one for each lane or neighbour, that fit the caches next to a core. A power of
/// two up to `most`, itself a power of two; 1: no copies beside the first.
unsigned copies_that_fit(std::uint64_t bytes, unsigned most);

/// "96 KiB", "5 bytes".
std::string describe_bytes(std::uint64_t bytes);

/// Inlines functions with large private arrays, or with large structures passed by value, up to the kernel: calls nest,
/// and only the entry knows where memory is.
bool has_large_arrays(const llvm::Function& function);

/// Why promoted memory should stay in its buffer, of which there is one for all threads; empty: there is no reason.
/// `bytes`: a work-item's part of private memory, all local memory of a work-group.
std::string too_large_to_promote(abi::promotion kind, std::uint64_t bytes);

/// Bytes of group scratch that fit on the stack; 0: too many, or the local range is not known.
std::uint64_t scratch_on_stack(const std::array<std::uint64_t, 3>& local_range, std::uint64_t bytes_per_item);
/// Bytes of the values that live across barriers and fit on the stack, for each work-item and once for all of them.
/// Both kinds may be there at once.
std::uint64_t context_on_stack(const std::array<std::uint64_t, 3>& local_range, std::uint64_t bytes_per_item,
                               std::uint64_t uniform_bytes);

/// Attribute of a function that holds a piece of the entry. Only the entry calls it, one piece at a time, with the
/// entry's own first parameters.
inline constexpr const char* piece_attribute = "sinter-piece";
bool is_piece(const llvm::Function& function);

/// Runs when nothing is optimised any more. Arrays of the entry (abi::cpu_entry) and its pieces that are too much for
/// the stack move to nd_state::private_memory, and the bytes needed there go into the module's kernel_info. Small
/// arrays stay. A function that still takes much more stack is found when code is emitted (DiagnosticInfoStackSize).
void settle_private_memory(llvm::Module& module);

}  // namespace sinter::passes
