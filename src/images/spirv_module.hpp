#pragma once
/// Reads facts from a SPIR-V module without trusting it.

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
  std::string module;                ///< words of the module in this machine's byte order
  std::vector<std::string> kernels;  ///< names of the entry points
  std::vector<spirv_constant> constants;
};

/// Reads the facts. Returns an empty text if header, instructions and facts have no fault, otherwise a sentence with
/// the offset of the word. The translator checks the meaning of instructions.
std::string read_spirv(const void* bytes, std::size_t size, spirv_facts& facts);

}  // namespace sinter
