#pragma once
/// Turns the members of a fusion request into one kernel. The members are in one module. The steps of fusion_steps()
/// run in order.

#include <abi/launch_abi.hpp>
#include <string>
#include <vector>

#include "input/kernel_image.hpp"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "passes/report.hpp"

namespace sinter::jit {

struct fused_kernel {
  llvm::Function* kernel = nullptr;  ///< void(ptr blocks)
  kernel_facts facts;                ///< name, shape and dimensions of the whole kernel
  passes::report_statements report;  ///< statements about the decisions
  std::string code;                  ///< the module as text, if the request asks for it
  std::vector<abi::fusion_dependence> depends_on;
  std::vector<abi::fusion_promotion> promotions;
  std::uint64_t local_memory_bytes = 0;
  std::uint64_t saved_bytes = 0;
  std::uint32_t range_member = 0, local_member = 0;  ///< see abi::fusion_result
  bool any_size = false;  ///< the kernel is right for any extent of the slowest dimension
  std::uint64_t global_range[3] = {0, 0, 0}, local_range[3] = {0, 0, 0};  ///< see abi::fusion_result
  std::vector<std::uint64_t> block_places;  ///< for GPUs: where the members' blocks are in the whole block
};

/// The reason why the members can't be one kernel, and the parts of the list that can each be one kernel
/// (abi/fusion_parts.hpp).
class fusion_refusal : public llvm::ErrorInfo<fusion_refusal> {
public:
  static char ID;  // NOLINT(readability-identifier-naming): the name that LLVM asks for
  fusion_refusal(std::string why, passes::report_statements parts) : m_why(std::move(why)), m_parts(std::move(parts)) {}
  const passes::report_statements& parts() const { return m_parts; }
  void log(llvm::raw_ostream& text) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }

private:
  std::string m_why;
  passes::report_statements m_parts;
};

/// For each i, `module` has a kernel with the facts `facts[i]` and the name member_symbol(i): member i. Decides whether
/// to join the members, joins them and simplifies the result. If the fusion is refused, the error is the reason. The
/// error is a fusion_refusal if parts of the list can be joined.
llvm::Expected<fused_kernel> fuse(llvm::Module& module, const abi::fusion_request& request,
                                  llvm::ArrayRef<kernel_facts> facts);

/// The readable name of the kernel that the members become.
std::string fused_name(llvm::ArrayRef<kernel_facts> members);

/// Returns the symbol that the member has in the module.
std::string member_symbol(std::uint32_t index);

}  // namespace sinter::jit
