#pragma once
/// Reads facts from a SPIR-V module without trusting it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter {

struct spirv_constant {
  std::uint32_t id;     ///< SpecId
  std::uint32_t bytes;  ///< of its value
  bool is_bool, is_float;
};

struct spirv_facts {
  std::string module;                ///< its words in this machine's order
  std::vector<std::string> kernels;  ///< entry points
  std::vector<spirv_constant> constants;
};

/// Empty if the header, the instructions and the facts read from them are in order, else a sentence with the offset of
/// the word. The translator checks the meaning of instructions.
std::string read_spirv(const void* bytes, std::size_t size, spirv_facts& facts);

}  // namespace sinter
