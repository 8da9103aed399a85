#pragma once
/// State that the steps of a fusion pass on to each other.

#include <abi/launch_abi.hpp>
#include <optional>
#include <vector>

#include "fusion.hpp"
#include "input/kernel_image.hpp"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "passes/fusion/fusion_decision.hpp"
#include "passes/fusion/fusion_metadata.hpp"
#include "passes/fusion/row_groups.hpp"
#include "passes/stencils/stencil_fusion.hpp"

namespace sinter::jit {

/// The members of a fusion on their way through fusion_steps().
struct fusion_state {
  llvm::Module& module;
  const abi::fusion_request& request;
  llvm::ArrayRef<kernel_facts> facts;          ///< facts about each member
  std::uint32_t first = 0;                     ///< number of the first member in the module
  /// The members' ranges; for a member that visits elements, the range of its elements.
  std::vector<passes::fusion_range> ranges{};
  /// The number of a member that is a reduction over a range. A work-item of this member visits several elements, and a
  /// work-item of each other member runs for each of these elements.
  std::optional<std::uint32_t> visitor{};
  /// A copy of the visitor that has one work-item for each element. The copy is only analysed.
  llvm::Function* view = nullptr;
  unsigned sub_group_size = 0;                 ///< 0: no member asks for a size
  passes::decision_request question{};
  passes::fusion_decision decision{};
  std::optional<passes::stencil_fusion> stencils{};  ///< set if the members are stages that tiles compute
  std::optional<passes::row_groups> rows{};            ///< set if groups process rows of members (row_groups.hpp)
  passes::fusion_description description{};
  llvm::Function* fused = nullptr;
  /// For each set of identical arguments, the load that replaces all loads of these pointers from the members' argument
  /// blocks. Null if the code reads none of these pointers.
  std::vector<llvm::LoadInst*> merged{};
  fused_kernel result{};
};

}  // namespace sinter::jit
