/// Handles accesses to elements of cooperative matrices, in SPIR-V modules in binary form.
#include <cstring>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringRef.h"
#include "matrix_units.hpp"

namespace sinter::jit::spirv {
namespace {

using word = std::uint32_t;

// The numbers are those of the SPIR-V specification.
constexpr word op_name = 5, op_type_pointer = 32, op_function = 54, op_function_parameter = 55, op_function_end = 56,
               op_function_call = 57, op_variable = 59, op_in_bounds_access_chain = 66, op_decorate = 71,
               op_copy_object = 83, op_bitcast = 124, op_type_matrix = 4456;
constexpr word decoration_linkage = 41, class_function = 7;
constexpr std::size_t header_words = 5;

class element_placing {
public:
  explicit element_placing(std::vector<word>& words) : m_words(words) {}

  bool run() {
    read();
    if (m_functions.empty()) return true;
    std::vector<word> result(m_words.begin(), m_words.begin() + header_words);
    bool is_known = true, is_declaration = false;
    for_each([&](word code, std::size_t at, std::size_t count) {
      const word* each = &m_words[at];
      if (code == op_function && m_functions.contains(each[2])) is_declaration = true;
      const bool is_dropped =
          is_declaration || is_of_dropped(code, each) || (code == op_bitcast && m_unused.contains(each[2]));
      if (code == op_function_end) is_declaration = false;
      if (is_dropped) return;
      result.insert(result.end(), each, each + count);
      word* made = &result[result.size() - count];
      if (code == op_bitcast && m_places.contains(made[3]) && m_places[made[3]] == made[1]) {
        made[0] = word{4} << 16 | op_copy_object;
      }
      if (code != op_function_call || !m_functions.contains(made[3])) return;
      const word pointer = m_places.lookup(made[2]), matrix = source_of(made[4]), index = made[5];
      is_known &= pointer != 0 && count == 6;
      result.pop_back();
      made = &result[result.size() - 5];
      made[0] = word{5} << 16 | op_in_bounds_access_chain;
      made[1] = pointer, made[3] = matrix, made[4] = index;
    });
    m_words = std::move(result);
    return is_known;
  }

private:
  template <class Function>
  void for_each(const Function& function) const {
    for (std::size_t at = header_words; at < m_words.size();) {
      const std::size_t count = m_words[at] >> 16;
      if (count == 0 || count > m_words.size() - at) return;
      function(m_words[at] & 0xffff, at, count);
      at += count;
    }
  }

  /// Reads the types of variables, and the calls.
  void read() {
    llvm::DenseMap<word, word> pointees, components, types, pointers;
    bool is_declaration = false;
    for_each([&](word code, std::size_t at, std::size_t count) {
      const word* each = &m_words[at];
      if (code == op_decorate && count > 3 && each[2] == decoration_linkage) {
        const llvm::StringRef name(reinterpret_cast<const char*>(each + 3));
        if (name.starts_with(element_name)) m_functions.insert(each[1]);
      }
      if (code == op_function) is_declaration = m_functions.contains(each[2]);
      if (code == op_function_parameter && is_declaration) m_dropped.insert(each[2]);
      if (code == op_type_pointer) pointees[each[1]] = each[3];
      if (code == op_type_pointer && each[2] == class_function) pointers[each[3]] = each[1];
      if (code == op_type_matrix) components[each[1]] = each[2];
      if (code == op_variable) types[each[2]] = each[1];
      if (code == op_bitcast) m_sources[each[2]] = each[3];
      if (code != op_function_call || count != 6 || !m_functions.contains(each[3])) return;
      const word component = components.lookup(pointees.lookup(types.lookup(source_of(each[4]))));
      m_places[each[2]] = component == 0 ? 0 : pointers.lookup(component);
      if (m_sources.contains(each[4])) m_unused.insert(each[4]);
    });
    // A bitcast stays if anything else uses it. A number that is no id may look like a use of the bitcast. In this case
    // the bitcast stays although it is not needed, which does no harm.
    for_each([&](word code, std::size_t at, std::size_t count) {
      const word* each = &m_words[at];
      const bool is_place = code == op_function_call && m_functions.contains(each[3]);
      for (std::size_t i = 1; i < count && !is_place; ++i) {
        if (code != op_bitcast || i != 2) m_unused.erase(each[i]);
      }
    });
  }
  /// Follows bitcasts back to the matrix.
  word source_of(word id) const {
    while (m_sources.contains(id)) id = m_sources.lookup(id);
    return id;
  }
  bool is_of_dropped(word code, const word* each) const {
    return (code == op_name || code == op_decorate) && (m_functions.contains(each[1]) || m_dropped.contains(each[1]));
  }

  std::vector<word>& m_words;
  llvm::DenseSet<word> m_functions, m_dropped;  ///< the functions for elements, and these functions' parameters
  llvm::DenseMap<word, word> m_sources;         ///< the operand of each bitcast
  llvm::DenseSet<word> m_unused;                ///< bitcasts that only the calls use
  llvm::DenseMap<word, word> m_places;          ///< types of pointers to elements, by the calls that return them
};

}  // namespace

bool place_elements(std::string& module) {
  if (module.find(element_name.str()) == std::string::npos) return true;
  std::vector<word> words(module.size() / sizeof(word));
  std::memcpy(words.data(), module.data(), words.size() * sizeof(word));
  if (words.size() < header_words || !element_placing(words).run()) return false;
  module.assign(reinterpret_cast<const char*>(words.data()), words.size() * sizeof(word));
  return true;
}

}  // namespace sinter::jit::spirv
