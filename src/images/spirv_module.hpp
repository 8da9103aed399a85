#pragma once
/// Reads facts from a SPIR-V module, which may be malformed.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter {

struct spirv_constant {
  std::uint32_t id;     ///< SpecId
  std::uint32_t bytes;  ///< size of the constant's value
  bool is_bool, is_float;
};

struct spirv_facts {
  std::string module;                ///< the module's words in the byte order of this machine
  std::vector<std::string> kernels;  ///< names of the entry points
  std::vector<spirv_constant> constants;
};

/// Reads the facts of the module. Checks the header, the lengths of the instructions, and the facts; only the
/// translator checks the meaning of the instructions. Returns an empty text, or a sentence about the first fault with
/// the offset of the word.
std::string read_spirv(const void* bytes, std::size_t size, spirv_facts& facts);

}  // namespace sinter
