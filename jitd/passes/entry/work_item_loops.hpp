#pragma once
/// Builds the CPU entry (abi::cpu_entry) around a work-item function or its barrier regions.
///
/// Input: functions of work_item_function.hpp, to be inlined.
/// Output: `void entry(ptr blocks, ptr nd_state, i64 first, i64 last)`. The innermost loop runs along the fastest
///   dimension and is a simple counted loop without divisions, declared parallel. With narrow ids its counter has 32
///   bits, so that 32-bit index arithmetic of users stays affine. Where a region has a wide form, that runs as many
///   lanes at a time as there are (where the whole range has very many work-items, the streaming one), and its tail, or
///   the work-item function, what is left of the row. Blocked forms run several vectors or rows. Of regions in which
///   only the first work-items of a row do anything, only these run.

#include <abi/image_format.hpp>
#include <array>
#include <string>
#include <vector>

#include "llvm/IR/Function.h"
#include "llvm/IR/IRBuilder.h"
#include "vectorizer.hpp"
#include "passes/device/work_item_function.hpp"

namespace sinter::passes {

/// The launches that an entry is for, and how it gets their arguments.
struct launch_layout {
  abi::kernel_shape shape;
  unsigned dimensions;                         ///< how many the kernel has
  bool narrow_ids;                             ///< all global ids are below 2^31
  bool takes_all_blocks;                       ///< the kernel gets the array of blocks, not the first of them
  argument_block block{};                      ///< of the kernel, unless it takes all blocks
  llvm::MDNode* access_group = nullptr;        ///< null: loops are not declared parallel
  unsigned sub_group_size = 1;                 ///< matters if some barriers are those of sub-groups
  std::array<std::uint64_t, 3> local_range{};  ///< that all launches have; all 0: not known
  unsigned row_multiple = 1;                   ///< rows have a multiple of this many work-items
  bool flat = false;                           ///< regions take the group for one row (flat_groups.hpp)
  llvm::Function* row_length = nullptr;        ///< regions are for rows of a flat range (flat_rows.hpp); consumed
  llvm::Function* row_bounds = nullptr;        ///< range kernels: says which work-items run (row_bounds.hpp); or null
  bool whole_groups = false;                   ///< a range kernel that is launched in groups, and does not know them
};

/// The functions that an entry runs.
struct entry_body {
  std::vector<llvm::Function*> regions{};   ///< one without barriers, else those of split_at_barriers
  std::uint64_t uniform_bytes = 0;          ///< barrier_regions::uniform_bytes
  std::vector<kept_once> uniform_values{};  ///< barrier_regions::uniform_values
  std::vector<lane_form> wide{};            ///< of each region, empty where it has none; or nothing at all
  lane_form streaming{};                    ///< range kernels: runs where that much memory is touched; or nothing
  std::uint64_t streaming_items = 0;        ///< by so many work-items
  /// void(); called when work-items stop at different barriers; may be null.
  llvm::Function* report_divergence = nullptr;
  std::vector<bool> within_sub_group{};     ///< barrier_regions::within_sub_group
  std::uint64_t stack_scratch_bytes = 0;    ///< group scratch on the stack; 0: at nd_state's address
  std::uint64_t stack_context_bytes = 0;    ///< the same for the context
  std::uint64_t context_alignment = 64;     ///< barrier_regions::context_alignment
  /// For each region, how many work-items of a row do anything (idle_work_items.hpp); 0: all.
  std::vector<unsigned> busy_items{};
  unsigned vector_registers = 0;            ///< of the machine
  std::uint64_t items_that_meet = 0;        ///< range kernels with several regions: of a row, one such group at a time
};

/// Attribute of an entry for work-groups that has bodies of several neighbours (register_blocking.hpp).
inline constexpr const char* blocked_attribute = "sinter-blocked";
inline constexpr const char* blocked_in_rows = "rows";  ///< its value where some of them are rows
bool has_rows_together(const llvm::Function& entry);

/// Attribute of an entry whose regions all have a wide form: all of its work-items are lanes, except at the ends of
/// rows.
inline constexpr const char* vectors_attribute = "sinter-vectors";
bool is_all_vectors(const llvm::Function& entry);

/// The argument block of a kernel that takes one block, read from the array of blocks.
llvm::LoadInst* load_argument_block(llvm::IRBuilderBase& builder, llvm::Value* blocks, const argument_block& block);

/// The entry has that name.
llvm::Function* build_cpu_entry(llvm::Module& module, const std::string& name, const launch_layout& layout,
                                const entry_body& body);

} // namespace sinter::passes
