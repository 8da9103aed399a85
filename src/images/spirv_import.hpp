#pragma once
/// Imports kernels of SPIR-V modules, for devices whose drivers do not take SPIR-V. sinter-import
/// (jitd/tools/spirv_import) makes a device image of the module. It is a process of its own, because a malformed module
/// may crash it.

#include <abi/launch_abi.hpp>
#include <memory>
#include <string>
#include <vector>

#include "spirv_module.hpp"

namespace sinter {

/// The value of a specialization constant in the module, with as many bytes as its type has.
struct spirv_value {
  std::uint32_t id;
  std::string bytes;
};

/// Returns an empty text if modules can be imported; otherwise a sentence about the missing program.
const std::string& import_problem();

/// An image in the form of the program's images, whose kernels do not belong to the program.
class imported_module {
public:
  /// The blob has been validated.
  explicit imported_module(std::vector<std::uint64_t> blob, std::size_t size);
  imported_module(const imported_module&) = delete;
  /// The destructor requires that no launch refers to the module.
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

/// Imports a module. Returns null on failure, with a sentence in `error`. `log` gets the translator's output.
std::unique_ptr<imported_module> import_spirv(const spirv_facts& facts, const std::vector<spirv_value>& values,
                                              std::string& log, std::string& error);

}  // namespace sinter
