#pragma once
/// Builds the CPU entry (abi::cpu_entry) around a work-item function or its barrier regions.
///
/// Input: functions that work_item_function.hpp makes, or their barrier regions and wide forms. They are inlined into
///   the entry.
/// Output: `void entry(ptr blocks, ptr nd_state, i64 first, i64 last)`. The innermost loop runs along the fastest
///   dimension and is a simple counted loop without divisions, declared parallel. With narrow ids, the loop's counter
///   has 32 bits, so that the program's 32-bit index arithmetic stays affine for LLVM. If a region has a wide form,
///   this form runs as many whole vectors as fit the row. (Ranges of very many work-items use the streaming form
///   instead.) The region's tail form or the work-item function runs the rest of the row. Blocked forms run several
///   vectors or rows at once. If only the first work-items of a row do anything in a region, only these work-items run.

#include <abi/image_format.hpp>
#include <array>
#include <string>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "vectorizer.hpp"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {

/// Describes the launches for which an entry is made, and how the entry gets its arguments.
struct launch_layout {
  abi::kernel_shape shape;
  unsigned dimensions;                         ///< the number of dimensions of the kernel
  bool narrow_ids;                             ///< whether all global ids are below 2^31
  /// Whether the kernel gets the whole array of argument blocks, and not only the first block.
  bool takes_all_blocks;
  argument_block block{};                      ///< the kernel's argument block, unless it takes all blocks
  llvm::MDNode* access_group = nullptr;        ///< null if loops are not declared parallel
  unsigned sub_group_size = 1;                 ///< needed if there are barriers of sub-groups
  std::array<std::uint64_t, 3> local_range{};  ///< the size of groups in all launches; all 0 if not known
  unsigned row_multiple = 1;                   ///< the length of every row is a multiple of this
  bool flat = false;                           ///< whether regions treat the group as one row (flat_groups.hpp)
  /// Computes the length of rows if regions are for rows of a flat range (flat_rows.hpp), else null. The builder
  /// removes this function.
  llvm::Function* row_length = nullptr;
  /// For range kernels: a function that computes which work-items of a row run (row_bounds.hpp). May be null.
  llvm::Function* row_bounds = nullptr;
  bool whole_groups = false;                   ///< whether a range kernel is launched in groups that it does not use
};

/// The functions that an entry runs.
struct entry_body {
  std::vector<llvm::Function*> regions{};   ///< one function without barriers, or the regions of split_at_barriers
  std::uint64_t uniform_bytes = 0;          ///< barrier_regions::uniform_bytes
  std::vector<kept_once> uniform_values{};  ///< barrier_regions::uniform_values
  /// The wide forms of each region. A region without wide forms has an empty lane_form. The list is empty if no region
  /// has any.
  std::vector<lane_form> wide{};
  lane_form streaming{};                    ///< for range kernels that touch much memory; may be empty
  std::uint64_t streaming_items = 0;        ///< ranges of at least this many work-items run `streaming`
  /// A function `void()` that the entry calls if work-items stop at different barriers. May be null.
  llvm::Function* report_divergence = nullptr;
  std::vector<bool> within_sub_group{};     ///< barrier_regions::within_sub_group
  /// Size of group scratch on the stack. It is 0 if group scratch is at the address in nd_state.
  std::uint64_t stack_scratch_bytes = 0;
  std::uint64_t stack_context_bytes = 0;    ///< size of the context on the stack; 0 if it is at the address in nd_state
  std::uint64_t context_alignment = 64;     ///< barrier_regions::context_alignment
  /// For each region, the number of work-items of a row that do anything (idle_work_items.hpp). 0 means all work-items.
  std::vector<unsigned> busy_items{};
  unsigned groups_in_turns = 1;             ///< how many groups take turns (group_turns.hpp)
  unsigned vector_registers = 0;            ///< number of vector registers of the machine
  /// For range kernels with several regions: the number of work-items of a row that wait for each other at the barriers
  /// that passes have added.
  std::uint64_t items_that_meet = 0;
};

/// Attribute of an entry for work-groups, if the entry has blocked forms (register_blocking.hpp).
inline constexpr const char* blocked_attribute = "sinter-blocked";
inline constexpr const char* blocked_in_rows = "rows";  ///< the attribute's value if a blocked form runs rows together
bool has_rows_together(const llvm::Function& entry);

/// Attribute of an entry whose regions all have a wide form, so that all its work-items are lanes, except at the ends
/// of rows.
inline constexpr const char* vectors_attribute = "sinter-vectors";
bool is_all_vectors(const llvm::Function& entry);

/// Emits a load of the argument block's address from the array of blocks, for a kernel that takes one block.
llvm::LoadInst* load_argument_block(llvm::IRBuilderBase& builder, llvm::Value* blocks, const argument_block& block);

/// Builds the entry and names it `name`.
llvm::Function* build_cpu_entry(llvm::Module& module, const std::string& name, const launch_layout& layout,
                                const entry_body& body);

} // namespace sinter::passes
