#include "spirv_module.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>

namespace sinter {
namespace {

constexpr std::uint32_t spirv_magic = 0x07230203;
constexpr std::size_t header_words = 5;
/// SPIR-V's limit on the number of ids.
constexpr std::uint32_t most_ids = 0x3fffff;

enum opcode : std::uint32_t {
  op_memory_model = 14,
  op_entry_point = 15,
  op_capability = 17,
  op_type_bool = 20,
  op_type_int = 21,
  op_type_float = 22,
  op_spec_constant_true = 48,
  op_spec_constant_false = 49,
  op_spec_constant = 50,
  op_decorate = 71,
};
constexpr std::uint32_t capability_kernel = 6, model_kernel = 6, addressing_64 = 2, memory_opencl = 2, spec_id = 1;

class reader {
public:
  reader(std::span<const std::uint32_t> words, spirv_facts& facts) : m_words(words), m_facts(facts) {}

  std::string run() {
    if (std::string error = header(); !error.empty()) return error;
    for (std::size_t at = header_words; at < m_words.size();) {
      const std::size_t count = m_words[at] >> 16;
      if (count == 0) return wrong(at, "an instruction has no words");
      if (count > m_words.size() - at) {
        return wrong(at, "an instruction has " + std::to_string(count) + " words, and the module ends after " +
                             std::to_string(m_words.size() - at));
      }
      if (std::string error = instruction(at, m_words.subspan(at, count)); !error.empty()) return error;
      at += count;
    }
    return whole();
  }

private:
  static std::string wrong(std::size_t at, const std::string& what) {
    return "word " + std::to_string(at) + ": " + what;
  }

  std::string header() const {
    if (m_words.size() < header_words) return wrong(m_words.size(), "the module ends within its header of 5 words");
    const std::uint32_t version = m_words[1], major = version >> 16, minor = version >> 8 & 0xff;
    if ((version & 0xff0000ffu) != 0 || major != 1 || minor > 6) {
      return wrong(1, "version " + std::to_string(major) + "." + std::to_string(minor) + " is none of 1.0 to 1.6");
    }
    if (m_words[3] == 0 || m_words[3] > most_ids) return wrong(3, "the bound of ids is none of 1 to 4194303");
    if (m_words[4] != 0) return wrong(4, "the reserved word is not 0");
    return {};
  }

  std::string instruction(std::size_t at, std::span<const std::uint32_t> words) {
    const std::uint32_t operation = words[0] & 0xffff;
    const auto needs = [&](std::size_t least) {
      return words.size() >= least
                 ? std::string()
                 : wrong(at, "instruction " + std::to_string(operation) + " has " + std::to_string(words.size()) +
                                 " words and needs " + std::to_string(least));
    };
    const auto id = [&](std::size_t place) { return words[place] != 0 && words[place] < m_words[3]; };
    std::string error;
    switch (operation) {
      case op_capability:
        if (error = needs(2); !error.empty()) return error;
        m_has_kernels |= words[1] == capability_kernel;
        break;
      case op_memory_model:
        if (error = needs(3); !error.empty()) return error;
        m_has_model = true;
        if (words[1] != addressing_64 || words[2] != memory_opencl) {
          return wrong(at + 1, "the memory model is not OpenCL's with addresses of 64 bits");
        }
        break;
      case op_entry_point:
        if (error = needs(4); !error.empty()) return error;
        return entry_point(at, words);
      case op_type_bool:
      case op_type_int:
      case op_type_float:
        if (error = needs(operation == op_type_bool ? 2 : operation == op_type_float ? 3 : 4); !error.empty()) {
          return error;
        }
        if (!id(1)) return wrong(at + 1, "the id is not below the bound");
        m_types[words[1]] = {operation == op_type_bool ? 1 : words[2] / 8, operation == op_type_bool,
                             operation == op_type_float};
        break;
      case op_decorate:
        if (error = needs(3); !error.empty()) return error;
        if (words[2] != spec_id) break;
        if (error = needs(4); !error.empty()) return error;
        if (!id(1)) return wrong(at + 1, "the id is not below the bound");
        m_spec_ids[words[1]] = {words[3], at};
        break;
      case op_spec_constant_true:
      case op_spec_constant_false:
      case op_spec_constant:
        if (error = needs(operation == op_spec_constant ? 4 : 3); !error.empty()) return error;
        return constant(at, words);
      default:
        break;
    }
    return {};
  }

  std::string entry_point(std::size_t at, std::span<const std::uint32_t> words) {
    const char* const text = reinterpret_cast<const char*>(words.data() + 3);
    const std::size_t most = (words.size() - 3) * sizeof(std::uint32_t);
    const std::size_t length = strnlen(text, most);
    if (length == most) return wrong(at + 3, "the name of an entry point has no end");
    if (length == 0) return wrong(at + 3, "an entry point has no name");
    if (words[1] != model_kernel) return wrong(at + 1, "entry point '" + std::string(text) + "' is no kernel");
    if (std::find(m_facts.kernels.begin(), m_facts.kernels.end(), text) != m_facts.kernels.end()) {
      return wrong(at + 3, "two entry points are named '" + std::string(text) + "'");
    }
    m_facts.kernels.emplace_back(text, length);
    return {};
  }

  std::string constant(std::size_t at, std::span<const std::uint32_t> words) {
    const auto known = m_spec_ids.find(words[2]);
    if (known == m_spec_ids.end()) return {};
    const auto type = m_types.find(words[1]);
    if (type == m_types.end()) return wrong(at + 1, "the type of a specialization constant is no number");
    m_facts.constants.push_back({known->second.first, type->second.bytes, type->second.is_bool, type->second.is_float});
    return {};
  }

  std::string whole() const {
    if (!m_has_kernels) {
      return wrong(header_words, "the module does not declare the capability Kernel: it is for graphics, not OpenCL");
    }
    if (!m_has_model) return wrong(header_words, "the module has no OpMemoryModel");
    if (m_facts.kernels.empty()) return wrong(header_words, "the module has no kernel among its entry points");
    return {};
  }

  struct number {
    std::uint32_t bytes;
    bool is_bool, is_float;
  };
  std::span<const std::uint32_t> m_words;
  spirv_facts& m_facts;
  bool m_has_kernels = false, m_has_model = false;
  std::map<std::uint32_t, number> m_types;
  std::map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> m_spec_ids;  ///< keys are the result ids of constants
};

}  // namespace

std::string read_spirv(const void* bytes, std::size_t size, spirv_facts& facts) {
  if (size % sizeof(std::uint32_t) != 0) {
    return "word " + std::to_string(size / 4) + ": the module ends within a word (" + std::to_string(size) + " bytes)";
  }
  std::vector<std::uint32_t> words(size / sizeof(std::uint32_t));
  if (size != 0) std::memcpy(words.data(), bytes, size);
  if (words.empty() || (words[0] != spirv_magic && __builtin_bswap32(words[0]) != spirv_magic)) {
    return "word 0: it does not begin with SPIR-V's number 0x07230203";
  }
  if (words[0] != spirv_magic) {
    for (std::uint32_t& word : words) word = __builtin_bswap32(word);
  }
  facts = {};
  facts.module.assign(reinterpret_cast<const char*>(words.data()), size);
  return reader(words, facts).run();
}

}  // namespace sinter
