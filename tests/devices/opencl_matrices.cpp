/// Rewrites modules so that they call functions of another program, which is written in OpenCL C. Each work-item holds
/// a part of a matrix. Element e of this part has the number e * 16 + the work-item's id in the sub-group. These
/// numbers count elements of 32 bits row by row, and other elements column by column. So code computes wrong values if
/// it assumes that elements of two types with the same e have the same row and column.
#include "opencl_matrices.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <sstream>

namespace test_matrices {
namespace {

using word = std::uint32_t;

// The numbers are those of the SPIR-V specification.
constexpr word op_name = 5, op_extension = 10, op_capability = 17, op_type_void = 19, op_type_int = 21,
               op_type_float = 22, op_type_vector = 23, op_type_array = 28, op_type_pointer = 32, op_type_function = 33,
               op_constant = 43, op_constant_null = 46, op_function = 54, op_function_parameter = 55,
               op_function_end = 56, op_function_call = 57, op_variable = 59, op_load = 61, op_store = 62,
               op_in_bounds_access_chain = 66, op_decorate = 71, op_composite_construct = 80, op_copy_object = 83,
               op_label = 248, op_type_matrix = 4456, op_matrix_load = 4457, op_matrix_store = 4458,
               op_matrix_multiply = 4459, op_matrix_length = 4460;
constexpr word matrix_capability = 6022, linkage_capability = 5, vector_capability = 7, half_capability = 8;
constexpr word linkage_decoration = 41, import_linkage = 1;
constexpr word class_workgroup = 4, class_global = 5, class_function = 7;
constexpr word scope_sub_group = 3, items = 16;
constexpr std::size_t header_words = 5;

[[noreturn]] void end(const std::string& why) {
  std::fprintf(stderr, "opencl_matrices: %s\n", why.c_str());
  std::_Exit(70);
}

struct matrix {
  word component, rows, columns, use;
  word length() const { return (rows * columns + items - 1) / items; }
};

class rewriting {
public:
  rewriting(const std::vector<word>& module, const std::vector<variant>& variants)
      : m_module(module), m_variants(variants), m_bound(module[3]) {}

  parts run() {
    read();
    for_each([&](word code, const word* each, std::size_t count) { rewrite(code, each, count); });
    parts result;
    result.module.assign(m_module.begin(), m_module.begin() + header_words);
    result.module[3] = m_bound;
    for (const auto* section : {&m_capabilities, &m_front, &m_decorations, &m_types, &m_declarations, &m_functions})
      result.module.insert(result.module.end(), section->begin(), section->end());
    result.source = source_of_places() + m_source.str();
    return result;
  }

private:
  template <class Function>
  void for_each(const Function& function) const {
    for (std::size_t at = header_words; at < m_module.size();) {
      const std::size_t count = m_module[at] >> 16;
      if (count == 0 || count > m_module.size() - at) end("a module whose instructions end too late");
      function(m_module[at] & 0xffff, &m_module[at], count);
      at += count;
    }
  }
  static void put(std::vector<word>& where, word code, std::initializer_list<word> operands) {
    where.push_back(static_cast<word>(operands.size() + 1) << 16 | code);
    where.insert(where.end(), operands);
  }
  word made() { return m_bound++; }

  // ------------------------------------------------------------------------------------------ what the module says

  void read() {
    for_each([&](word code, const word* each, std::size_t count) {
      if (code == op_type_void) m_void = each[1];
      if (code == op_type_int || code == op_type_float) m_bits[each[1]] = each[2];
      if (code == op_type_int) m_integers.insert(each[1]);
      if (code == op_type_int && each[2] == 32) m_word_type = each[1];
      if (code == op_constant) m_constants[each[2]] = each[3];
      if (code == op_constant_null) m_constants[each[2]] = 0;
      if (code == op_type_pointer) {
        m_pointers[{each[2], each[3]}] = each[1];
        m_classes[each[1]] = {each[2], each[3]};
      }
      if (code == op_type_matrix) {
        if (m_constants[each[3]] != scope_sub_group) end("a matrix of another scope than the sub-group");
        m_matrices[each[1]] = {each[2], m_constants[each[4]], m_constants[each[5]], m_constants[each[6]]};
        check(m_matrices[each[1]]);
      }
      // These instructions have a type and a result.
      const bool has_type = code == op_matrix_load || code == op_matrix_multiply || code == op_load ||
                            code == op_function_parameter || (code >= 65 && code <= 70) ||
                            (code >= 79 && code <= 124) || code == op_variable || code == 245 ||
                            code == op_constant_null || code == 1;
      if (has_type && count > 2) m_types_of[each[2]] = each[1];
    });
  }

  /// The extension's numbers for the element type with the id `component`.
  std::vector<cl_uint> types_of(word component) const {
    const word bits = m_bits.at(component);
    if (!m_integers.contains(component)) return {bits == 16 ? 0u : bits == 32 ? 1u : 2u};
    if (bits == 8) return {3, 7};
    return {5, 9};
  }
  void check(const matrix& type) const {
    const std::vector<cl_uint> types = types_of(type.component);
    const auto is = [&](cl_uint wanted) { return std::find(types.begin(), types.end(), wanted) != types.end(); };
    const bool there = std::any_of(m_variants.begin(), m_variants.end(), [&](const variant& each) {
      if (type.use == 0) return is(each.types[0]) && type.rows == each.m && type.columns == each.k;
      if (type.use == 1) return is(each.types[1]) && type.rows == each.k && type.columns == each.n;
      return (is(each.types[2]) || is(each.types[3])) && type.rows == each.m && type.columns == each.n;
    });
    if (!there) end("a matrix that the device lacks");
  }
  void check_product(const matrix& a, const matrix& b, const matrix& c, const matrix& d, word signs) const {
    const auto type = [&](const matrix& each, word sign) {
      const std::vector<cl_uint> types = types_of(each.component);
      const bool is_signed = (signs & sign) != 0;
      if (types.size() == 1 && is_signed) end("a sign of numbers that always have one");
      return types.size() == 1 || is_signed ? types[0] : types[1];
    };
    const cl_uint wanted[] = {type(a, 1), type(b, 2), type(c, 4), type(d, 8)};
    const bool there = std::any_of(m_variants.begin(), m_variants.end(), [&](const variant& each) {
      return std::equal(std::begin(wanted), std::end(wanted), each.types) && each.m == a.rows && each.k == a.columns &&
             each.n == b.columns;
    });
    if (!there || (signs & 16) != 0) end("a product that the device lacks");
  }

  // ------------------------------------------------------------------------------------------ instructions

  void rewrite(word code, const word* each, std::size_t count) {
    if (code == op_name) return;  // the new module lacks some types, and a name must not refer to a missing type
    if (code == op_capability) {
      if (each[1] != matrix_capability) m_capabilities.insert(m_capabilities.end(), each, each + count);
      return;
    }
    if (m_section == &m_front && code == op_extension &&
        std::strcmp(reinterpret_cast<const char*>(each + 1), "SPV_KHR_cooperative_matrix") == 0)
      return;
    if (m_section == &m_front && code >= op_type_void && code <= op_type_function) m_section = &m_types;
    if (m_section != &m_functions && code == op_function) {
      for (const word capability : {linkage_capability, vector_capability, half_capability})
        put(m_capabilities, op_capability, {capability});
      m_section = &m_functions;
    }
    std::vector<word>& out = *m_section;
    switch (code) {
      case op_type_matrix: {
        const matrix& type = m_matrices[each[1]];
        const word length = type.length();
        const bool is_vector = length == 2 || length == 4 || length == 8 || length == 16;
        // SPIR-V does not allow two identical vector types.
        word& known = m_vectors[{type.component, length}];
        if (known == 0) {
          known = each[1];
          const word in_type = is_vector ? length : number(length);
          put(out, is_vector ? op_type_vector : op_type_array, {each[1], type.component, in_type});
        }
        m_same[each[1]] = known;
        return;
      }
      case op_composite_construct:
        if (!m_matrices.contains(each[1])) break;
        if (count != 4) end("a matrix made of several numbers");
        out.push_back((3 + m_matrices[each[1]].length()) << 16 | code);
        out.insert(out.end(), {same(each[1]), each[2]});
        out.insert(out.end(), m_matrices[each[1]].length(), each[3]);
        return;
      case op_matrix_length:
        put(out, op_copy_object, {each[1], each[2], number(m_matrices.at(each[3]).length())});
        return;
      case op_matrix_load: {
        const word part = variable(each[1], 0);
        move(each[1], each[3], "load", {each[4], each[5]}, count > 5);
        put(out, op_load, {same(each[1]), each[2], part});
        return;
      }
      case op_matrix_store: {
        const word type = matrix_type_of(each[2]);
        put(out, op_store, {variable(type, 0), each[2]});
        move(type, each[1], "store", {each[3], each[4]}, count > 4);
        return;
      }
      case op_matrix_multiply:
        multiply(each, count);
        return;
      default:
        break;
    }
    const std::size_t begin = out.size();
    out.insert(out.end(), each, each + count);
    // Matrix types that become the same vector type have one id.
    const bool has_type = m_types_of.contains(count > 2 ? each[2] : 0) && m_types_of.at(each[2]) == each[1];
    if (has_type && m_same.contains(each[1])) out[begin + 1] = same(each[1]);
    if (code == op_type_pointer && m_same.contains(each[3])) {
      const auto [known, is_new] = m_pointers_to_same.insert({{each[2], same(each[3])}, each[1]});
      if (!is_new) {
        out.resize(begin);
        m_same[each[1]] = known->second;
      } else {
        out[begin + 3] = same(each[3]);
      }
    }
    if (code == op_function) m_variables.clear();
    if (code == op_label && m_variables_at == 0) m_variables_at = out.size();
    if (code == op_function_end) {
      // All variables come first in a function.
      out.insert(out.begin() + static_cast<std::ptrdiff_t>(m_variables_at), m_new_variables.begin(),
                 m_new_variables.end());
      m_new_variables.clear();
      m_variables_at = 0;
    }
  }
  word same(word type) const {
    const auto found = m_same.find(type);
    return found == m_same.end() ? type : found->second;
  }
  word matrix_type_of(word value) const {
    const auto found = m_types_of.find(value);
    if (found == m_types_of.end() || !m_matrices.contains(found->second)) end("a matrix of no known type");
    return found->second;
  }

  word number(word value) {
    word& known = m_numbers[value];
    if (known == 0) put(m_types, op_constant, {m_word_type, known = made(), value});
    return known;
  }
  word pointer(word storage, word type) {
    const auto found = m_pointers.find({storage, type});
    if (found != m_pointers.end()) return found->second;
    word& known = m_pointers[{storage, type}];
    put(m_types, op_type_pointer, {known = made(), storage, type});
    return known;
  }
  word matrix_pointer(word type) {
    const auto known = m_pointers_to_same.find({class_function, same(type)});
    if (known != m_pointers_to_same.end()) return known->second;
    const word result = made();
    put(m_types, op_type_pointer, {result, class_function, same(type)});
    return m_pointers_to_same[{class_function, same(type)}] = result;
  }
  word variable(word type, unsigned role) {
    word& known = m_variables[{type, role}];
    if (known == 0) put(m_new_variables, op_variable, {matrix_pointer(type), known = made(), class_function});
    return known;
  }
  /// The address of a variable's first element.
  word first_of(word type, unsigned role) {
    const word result = made(), component = m_matrices.at(type).component;
    const word to_element = pointer(class_function, component), zero = number(0), part = variable(type, role);
    put(*m_section, op_in_bounds_access_chain, {to_element, result, part, zero});
    return result;
  }

  // ------------------------------------------------------------------------------------------ functions

  std::string name_of(word component) const {
    const word bits = m_bits.at(component);
    if (!m_integers.contains(component)) return bits == 16 ? "half" : bits == 32 ? "float" : "double";
    return bits == 8 ? "char" : bits == 32 ? "int" : "short";
  }
  word function(const std::string& name, const std::vector<word>& parameters, const std::string& body) {
    word& known = m_known_functions[name];
    if (known != 0) return known;
    known = made();
    word type = 0;
    for (const auto& [operands, id] : m_function_types) {
      if (operands == parameters) type = id;
    }
    if (type == 0) {
      type = made();
      m_function_types.push_back({parameters, type});
      m_types.push_back(static_cast<word>(3 + parameters.size()) << 16 | op_type_function);
      m_types.insert(m_types.end(), {type, m_void});
      m_types.insert(m_types.end(), parameters.begin(), parameters.end());
    }
    std::vector<word> text(name.size() / sizeof(word) + 1);
    std::memcpy(text.data(), name.data(), name.size());
    m_decorations.push_back(static_cast<word>(4 + text.size()) << 16 | op_decorate);
    m_decorations.insert(m_decorations.end(), {known, linkage_decoration});
    m_decorations.insert(m_decorations.end(), text.begin(), text.end());
    m_decorations.push_back(import_linkage);
    put(m_declarations, op_function, {m_void, known, 0, type});
    for (const word each : parameters) put(m_declarations, op_function_parameter, {each, made()});
    put(m_declarations, op_function_end, {});
    m_source << body;
    return known;
  }

  void move(word type, word memory, const std::string& what, std::initializer_list<word> how, bool is_whole) {
    if (!is_whole) end("a matrix in memory without a stride");
    const matrix& held = m_matrices.at(type);
    const auto found = m_types_of.find(memory);
    const auto where = found == m_types_of.end() ? m_classes.end() : m_classes.find(found->second);
    if (where == m_classes.end()) end("a matrix in memory whose pointer has no known type");
    const auto [storage, pointee] = where->second;
    if (storage != class_global && storage != class_workgroup) end("a matrix neither in global nor in local memory");
    if (pointee != held.component) end("a pointer to something else than the elements of the matrix");
    const bool is_global = storage == class_global;
    const std::string element = name_of(held.component), rows = std::to_string(held.rows),
                      columns = std::to_string(held.columns), space = is_global ? "__global " : "__local ";
    const std::string name = "test_" + what + "_" + element + (is_global ? "_g_" : "_l_") + rows + "_" + columns;
    std::ostringstream body;
    body << "void " << name << "(__private " << element << "* part, " << space << element
         << "* memory, uint layout, ulong stride) {\n  for (uint e = 0; e < " << held.length()
         << "; ++e) {\n    const uint2 at = place_" << element << "(e, " << rows << ", " << columns
         << ");\n    if (at.x >= " << rows << " || at.y >= " << columns
         << ") continue;\n    const ulong offset = layout == 0 ? at.x * stride + at.y : at.y * stride + at.x;\n    "
         << (what == "load" ? "part[e] = memory[offset];" : "memory[offset] = part[e];") << "\n  }\n}\n";
    const word called =
        function(name, {pointer(class_function, held.component), found->second, m_word_type, long_type()}, body.str());
    const word first = first_of(type, 0);
    std::vector<word> operands{m_void, made(), called, first, memory};
    operands.insert(operands.end(), how);
    m_section->push_back(static_cast<word>(operands.size() + 1) << 16 | op_function_call);
    m_section->insert(m_section->end(), operands.begin(), operands.end());
  }
  word long_type() const {
    for (const word each : m_integers) {
      if (m_bits.at(each) == 64) return each;
    }
    end("a stride of another width than 64 bits");
  }

  void multiply(const word* each, std::size_t count) {
    const word types[] = {each[1], matrix_type_of(each[3]), matrix_type_of(each[4]), matrix_type_of(each[5])};
    const matrix &d = m_matrices.at(types[0]), &a = m_matrices.at(types[1]), &b = m_matrices.at(types[2]),
                 &c = m_matrices.at(types[3]);
    const word signs = count > 6 ? each[6] : 0;
    check_product(a, b, c, d, signs);
    const auto number_of = [&](const matrix& type, word sign) {
      const std::string name = name_of(type.component);
      return (name == "char" && (signs & sign) == 0 ? "u" : "") + name;
    };
    const std::string sum = name_of(d.component) == "half" ? "float" : name_of(d.component);
    const std::string of_a = name_of(a.component), of_b = name_of(b.component);
    std::ostringstream name, body;
    name << "test_multiply_" << number_of(a, 1) << "_" << number_of(b, 2) << "_" << name_of(c.component) << "_"
         << name_of(d.component) << "_" << d.rows << "_" << d.columns << "_" << a.columns;
    // All work-items take part in each exchange.
    const auto other = [&](const std::string& side, const std::string& element, const matrix& type, const char* row,
                           const char* column) {
      std::ostringstream text;
      text << "      const uint2 from_" << side << " = holder_" << element << "(" << row << ", " << column << ", "
           << type.rows << ", " << type.columns << ");\n      " << element << " of_" << side
           << " = 0;\n      for (uint i = 0; i < " << type.length() << "; ++i) {\n        const " << element
           << " its = sub_group_shuffle(" << side << "[i], from_" << side << ".y);\n        if (from_" << side
           << ".x == i) of_" << side << " = its;\n      }\n";
      return text.str();
    };
    body << "void " << name.str() << "(__private " << name_of(d.component) << "* d, __private " << of_a
         << "* a, __private " << of_b << "* b, __private " << name_of(c.component) << "* c) {\n  " << sum << " sums["
         << d.length() << "];\n  for (uint e = 0; e < " << d.length() << "; ++e) {\n    const uint2 at = place_"
         << name_of(d.component) << "(e, " << d.rows << ", " << d.columns << ");\n    " << sum
         << " sum = 0;\n    for (uint k = 0; k < " << a.columns << "; ++k) {\n"
         << other("a", of_a, a, "at.x", "k") << other("b", of_b, b, "k", "at.y") << "      sum += (" << sum << ")("
         << number_of(a, 1) << ")of_a * (" << sum << ")(" << number_of(b, 2) << ")of_b;\n    }\n"
         << other("c", name_of(c.component), c, "at.x", "at.y") << "    sums[e] = sum + of_c;\n  }\n"
         << "  for (uint e = 0; e < " << d.length() << "; ++e) d[e] = (" << name_of(d.component) << ")sums[e];\n}\n";
    std::vector<word> parameters;
    for (const word type : types) parameters.push_back(pointer(class_function, m_matrices.at(type).component));
    const word called = function(name.str(), parameters, body.str());
    for (unsigned i = 0; i < 3; ++i) put(*m_section, op_store, {variable(types[i + 1], i + 1), each[3 + i]});
    word firsts[4];
    for (unsigned i = 0; i < 4; ++i) firsts[i] = first_of(types[i], i);
    put(*m_section, op_function_call, {m_void, made(), called, firsts[0], firsts[1], firsts[2], firsts[3]});
    put(*m_section, op_load, {same(each[1]), each[2], variable(types[0], 0)});
  }

  static std::string source_of_places() {
    std::string all = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n";
    for (const std::string element : {"half", "float", "double", "char", "int"}) {
      const bool by_rows = element == "float" || element == "int";
      // place_*: the row and the column of element e. holder_*: the element and the work-item that hold the value at a
      // row and a column.
      all +=
          "uint2 place_" + element +
          "(uint e, uint rows, uint columns) {\n  const uint i = e * 16 + get_sub_group_local_id();\n" +
          (by_rows ? "  return (uint2)(i / columns, i % columns);\n}\n" : "  return (uint2)(i % rows, i / rows);\n}\n");
      all += "uint2 holder_" + element + "(uint row, uint column, uint rows, uint columns) {\n  const uint i = " +
             (by_rows ? "row * columns + column" : "column * rows + row") + ";\n  return (uint2)(i / 16, i % 16);\n}\n";
    }
    return all;
  }

  const std::vector<word>& m_module;
  const std::vector<variant>& m_variants;
  word m_bound, m_void = 0, m_word_type = 0;
  std::map<word, word> m_bits, m_constants, m_types_of, m_same, m_numbers;
  std::set<word> m_integers;
  std::map<word, matrix> m_matrices;
  std::map<std::pair<word, word>, word> m_pointers, m_pointers_to_same, m_vectors;
  std::map<word, std::pair<word, word>> m_classes;
  std::map<std::string, word> m_known_functions;
  std::vector<std::pair<std::vector<word>, word>> m_function_types;
  std::map<std::pair<word, unsigned>, word> m_variables;
  std::size_t m_variables_at = 0;
  std::vector<word> m_capabilities, m_front, m_decorations, m_types, m_declarations, m_functions, m_new_variables;
  std::vector<word>* m_section = &m_front;
  std::ostringstream m_source;
};

}  // namespace

bool has_matrices(const std::vector<std::uint32_t>& module) {
  for (std::size_t at = header_words; at < module.size() && module[at] >> 16 != 0; at += module[at] >> 16) {
    if ((module[at] & 0xffff) == op_type_matrix) return true;
  }
  return false;
}

parts without_matrices(const std::vector<std::uint32_t>& module, const std::vector<variant>& variants) {
  return rewriting(module, variants).run();
}

std::vector<variant> read(const std::string& text) {
  static const char* const names[] = {"f16", "f32", "f64", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"};
  std::vector<variant> result;
  std::istringstream words(text);
  std::string product;
  while (words >> product) {
    variant each{};
    char types[4][5] = {};
    const int found = std::sscanf(product.c_str(), "%ux%ux%u:%4[^,],%4[^,],%4[^,],%4s", &each.m, &each.n, &each.k,
                                  types[0], types[1], types[2], types[3]);
    bool is_known = found == 7;
    for (int i = 0; i < 4; ++i) {
      cl_uint number = 0;
      while (number < std::size(names) && types[i] != std::string(names[number])) ++number;
      each.types[i] = number;
      is_known &= number < std::size(names);
    }
    if (!is_known) end("TEST_CL_MATRICES has no product '" + product + "'");
    result.push_back(each);
  }
  return result;
}

}  // namespace test_matrices
