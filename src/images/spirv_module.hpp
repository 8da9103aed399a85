#pragma once
/// Reads facts from a SPIR-V module, which may be malformed.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter {

struct spirv_constant {
  std::uint32_t id;     ///< SpecId
  std::uint32_t bytes;  ///< size of its value
  bool is_bool, is_float;
};

struct spirv_facts {
  std::string module;                ///< the module's words in the byte order of this machine
  std::vector<std::string> kernels;  ///< names of the entry points
  std::vector<spirv_constant> constants;
};

/// Reads the facts of the module. Returns an empty text if no fault was found in the header, the lengths of the
/// instructions and the facts. Otherwise returns a sentence about the fault, with the offset of the word. The meaning
/// of the instructions is checked only by the translator.
std::string read_spirv(const void* bytes, std::size_t size, spirv_facts& facts);

}  // namespace sinter
