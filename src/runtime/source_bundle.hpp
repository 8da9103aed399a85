#pragma once
/// Kernels of a bundle that came from OpenCL C or SPIR-V (ext/oneapi/experimental/kernel_compiler.hpp).

#include <backends/device.hpp>
#include <backends/natives.hpp>
#include <images/spirv_import.hpp>
#include <images/spirv_module.hpp>
#include <memory>
#include <runtime/kernel_bundle.hpp>
#include <string>
#include <vector>

#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>

namespace sycl::inline _V1::detail {

/// A program from source. The program consists of one part for each device whose driver compiles the source, and one
/// part for all other devices together. A program does not change after it was built.
class source_program : public counted {
public:
  using language = ext::oneapi::experimental::source_language;

  struct part {
    sinter::device_backend* device;
    std::unique_ptr<sinter::native_module> module;
    std::vector<std::size_t> places;  ///< indices of the program's kernels in the module's list
  };

  language written_in{};
  std::string text;                                             ///< source text; empty for SPIR-V, which is in `facts`
  sinter::spirv_facts facts;                                    ///< facts of a SPIR-V module
  std::vector<std::unique_ptr<const kernel_identity>> kernels;  ///< kernels of a program that is built
  /// Objects that have to outlive the parts: the driver's objects whose ownership the user has passed to the runtime,
  /// and bundles that own more such objects.
  std::vector<std::shared_ptr<void>> given;
  std::vector<part> parts;
  std::unique_ptr<sinter::imported_module> imported;

  /// Returns the number of the kernel with a name or identity, or -1 if there is none.
  int find(const std::string& name) const noexcept;
  int find(const kernel_identity* identity) const noexcept;
  const part* part_for(const sinter::device_backend& device) const noexcept;
  std::uint32_t argument_count(std::size_t kernel) const;
  void add_kernel(const std::string& name);
};

/// Makes a bundle of a program that a driver has built.
shared<kernel_bundle_impl> make_native_bundle(const context& in, const device& on,
                                              std::unique_ptr<sinter::native_module> module);

/// Does the same as launch_kernel_object, for a kernel of a bundle from source.
void launch_source_kernel(handler_impl& handler, const kernel& object, const shared<source_program>& program,
                          sinter::abi::kernel_shape shape, int dimensions, const launch_geometry& geometry);

}  // namespace sycl::detail
