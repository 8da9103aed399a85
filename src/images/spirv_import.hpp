#pragma once
/// Imports the kernels of SPIR-V modules, for devices whose drivers do not accept SPIR-V. The program sinter-import
/// (jitd/tools/spirv_import) makes a device image from the module. sinter-import runs as a process of its own, because
/// a malformed module may crash the process.

#include <abi/launch_abi.hpp>
#include <memory>
#include <string>
#include <vector>

#include "spirv_module.hpp"

namespace sinter {

/// The value of a specialization constant in the module. The value has as many bytes as the constant's type.
struct spirv_value {
  std::uint32_t id;
  std::string bytes;
};

/// Returns an empty text if modules can be imported. Otherwise returns a sentence that names the missing program.
const std::string& import_problem();

/// A device image like those of the program. The image's kernels do not belong to the program.
class imported_module {
public:
  /// `blob` contains an image that has been validated.
  explicit imported_module(std::vector<std::uint64_t> blob, std::size_t size);
  imported_module(const imported_module&) = delete;
  /// When the object is destroyed, no launch may refer to the module.
  ~imported_module();

  bool is_registered() const noexcept { return m_record.runtime != nullptr; }
  const std::vector<std::string>& kernels() const noexcept { return m_names; }
  std::uint32_t argument_count(std::size_t kernel) const noexcept;
  bool needs_groups(std::size_t kernel) const noexcept;
  abi::kernel_descriptor& descriptor(std::size_t kernel, abi::kernel_shape shape, unsigned dimensions) noexcept;

private:
  const abi::image_kernel& row(std::size_t kernel) const noexcept;

  std::vector<std::uint64_t> m_blob;
  std::vector<std::string> m_names;
  std::vector<abi::kernel_descriptor> m_descriptors;
  std::vector<abi::kernel_descriptor*> m_pointers;
  abi::image_record m_record{};
};

/// Imports a module. On failure, returns null and writes a sentence to `error`. `log` receives the output of the
/// translator.
std::unique_ptr<imported_module> import_spirv(const spirv_facts& facts, const std::vector<spirv_value>& values,
                                              std::string& log, std::string& error);

}  // namespace sinter
