#include "code_split.hpp"

#include <algorithm>
#include <tuple>

#include "../passes/llvm_versions.hpp"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "simplify.hpp"

namespace sinter::capture {
namespace {

constexpr struct {
  llvm::StringLiteral name;
  code_split how;
} table[] = {{"off", code_split::off},
             {"per_source", code_split::per_source},
             {"per_kernel", code_split::per_kernel},
             {"auto", code_split::automatic}};

/// Kernels with equal keys may share an image.
using key = std::tuple<abi::aspect_set, std::array<std::uint32_t, 3>, std::uint32_t>;

key key_of(const image_entry& kernel) {
  return {kernel.required_aspects, kernel.kernel->layout.required_work_group_size, kernel.required_sub_group_size};
}

/// Exported functions may not require sizes of work-groups.
key key_of(const image_function& function) {
  return {function.required_aspects, {}, function.required_sub_group_size};
}

class parts {
public:
  parts(code_split how, bool any_key) : m_how(how), m_any_key(any_key) {}

  image_part& of(const key& wanted) {
    if (m_how != code_split::per_kernel) {
      for (std::size_t i = 0; i < m_keys.size(); ++i) {
        if (m_any_key || m_keys[i] == wanted) return m_parts[i];
      }
    }
    m_keys.push_back(wanted);
    return m_parts.emplace_back();
  }
  std::vector<image_part> take() { return std::move(m_parts); }

private:
  code_split m_how;
  bool m_any_key;  ///< whether the part takes functions with any key
  std::vector<key> m_keys;
  std::vector<image_part> m_parts;
};

}  // namespace

code_split parse_code_split(llvm::StringRef value, std::string& error) {
  if (value.empty()) return code_split::automatic;
  if (value.consume_front("=")) {
    for (const auto& each : table) {
      if (each.name == value) return each.how;
    }
  }
  error = "there is no such way to split; there are 'off', 'per_source', 'per_kernel', 'auto'";
  return code_split::none;
}

code_split& chosen_code_split() {
  static thread_local code_split how = code_split::none;
  return how;
}

std::vector<image_part> split_code(code_split how, bool has_fixed_targets, llvm::ArrayRef<image_entry> kernels,
                                   llvm::ArrayRef<image_function> functions) {
  parts result(how, how == code_split::none || has_fixed_targets);
  for (const image_entry& kernel : kernels) result.of(key_of(kernel)).kernels.push_back(kernel);
  for (const image_function& function : functions) result.of(key_of(function)).functions.push_back(function);
  return result.take();
}

std::unique_ptr<llvm::Module> module_of(const llvm::Module& device, const image_part& part,
                                        llvm::ArrayRef<image_part> all) {
  std::unique_ptr<llvm::Module> copy = passes::clone_module(device);
  llvm::StringSet<> own;
  for (const image_entry& kernel : part.kernels) own.insert(kernel.kernel->symbol);
  for (const image_function& function : part.functions) own.insert(function.symbol);
  const auto hide = [&](llvm::StringRef symbol) {
    if (!own.contains(symbol)) copy->getFunction(symbol)->setLinkage(llvm::GlobalValue::InternalLinkage);
  };
  for (const image_part& each : all) {
    for (const image_entry& kernel : each.kernels) hide(kernel.kernel->symbol);
    for (const image_function& function : each.functions) hide(function.symbol);
  }
  remove_unreachable(*copy);
  return copy;
}

}  // namespace sinter::capture
