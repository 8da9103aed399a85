#pragma once
/// Finds the aspects that kernels and exported functions use (SYCL 2020 5.7). Also finds used aspects that
/// [[sycl::device_has]] does not list.
///
/// Input: the copied device module, before any pass simplifies or inlines calls. A function uses an aspect if it uses
/// double or half (fp64, fp16), accesses 64 bits atomically (atomic64), is tagged with
/// [[__sycl_detail__::__uses_aspects__(...)]], uses a type with this tag, or calls a function that uses or declares the
/// aspect. Code inside the headers does not count, except for the types that users pass to it. A kernel's required
/// sub-group size is also looked up in the functions that the kernel calls. Output: metadata of the module and its
/// functions, under DPC++'s names: sycl_aspects, sycl_types_that_use_aspects, sycl_used_aspects, sycl_declared_aspects,
/// intel_reqd_sub_group_size. The analysis warns where a function with device_has uses an aspect that is not in the
/// list, and shows the chain of calls.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "aspect_table.hpp"
#include "device_module.hpp"
#include "fixed_targets.hpp"

namespace sinter::capture {

class aspect_analysis {
public:
  /// `host` has the annotations; the layouts in `kernels` have the declarations of the kernels' function objects.
  aspect_analysis(const llvm::Module& host, const llvm::Module& device, llvm::ArrayRef<captured_kernel> kernels);

  /// Returns the aspects that a device needs for the kernel, as bits. These are the aspects that the kernel or a
  /// function that it calls uses or declares.
  abi::aspect_set required(llvm::StringRef function) const;
  /// Returns the sub-group size that the kernel requires. If the kernel itself requires no size, returns the size that
  /// the nearest callee requires. 0 means that no size is required.
  std::uint32_t sub_group_size(llvm::StringRef kernel) const;
  void warn_of_undeclared(llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels) const;
  /// Warns where a kernel or an exported function uses an aspect or requires a size, if a fixed target of the file
  /// lacks this aspect or size.
  void warn_of_targets(llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels,
                       llvm::ArrayRef<llvm::Function*> exports, const target_list& targets) const;
  /// Warns where a kernel calls a function that requires another size than the kernel. Also warns where a kernel's
  /// required work-group size has another number of dimensions than the kernel's launch. Also warns where a function in
  /// `exports` requires a size, because only kernels may require a size.
  void warn_of_sizes(llvm::Module& host, llvm::ArrayRef<captured_kernel> kernels,
                     llvm::ArrayRef<llvm::Function*> exports) const;
  void write_metadata(llvm::Module& device) const;

private:
  struct call {
    std::string callee;
    statement_place place;
  };
  struct facts {
    std::vector<aspect_use> own;
    std::vector<call> calls;
    abi::aspect_set used;  ///< aspects that the function or one of its callees uses
    abi::aspect_set declared;
    statement_place place;  ///< the function's first line
    bool declares = false;  ///< whether the function has device_has, perhaps with an empty list
    bool of_headers = false;
    std::uint32_t sub_group_size = 0;  ///< the required size; 0: no size is required
    /// The required size of work-groups, in SYCL's order; empty: no size is required.
    std::vector<std::uint32_t> group_size;
  };

  void read_annotations(const llvm::Module& host);
  void scan(const llvm::Function& function);
  void propagate();
  /// Whether the symbol is the call operator of a kernel's function object. The operator declares the same aspects as
  /// the kernel, so only one of them (kernel or operator) gets a warning.
  bool is_of_kernel(llvm::StringRef symbol, llvm::ArrayRef<captured_kernel> kernels) const;
  /// Returns the functions that the kernel calls, if they require a size. The nearest function in the call chain comes
  /// first.
  std::vector<call> sized_callees(llvm::StringRef kernel) const;
  /// `why` describes the fault. Sets `place` to the line of the user's code that the warning shows. The line stays
  /// unknown (0) if all known lines are in the headers. For example, a kernel's own line is in the headers.
  std::string message(llvm::StringRef function, const std::string& name, unsigned aspect, const std::string& why,
                      statement_place& place) const;

  std::map<std::string, facts, std::less<>> m_functions;  // sorted, so that warnings come in a fixed order
};

}  // namespace sinter::capture
