#include "foreign_variables.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace sinter {

std::string variables_of_driver(std::initializer_list<const char*> beginnings) {
  std::vector<std::string_view> found;
  for (char** each = environ; each && *each; ++each) {
    const std::string_view variable = *each;
    const auto fits = [&](const char* beginning) { return variable.starts_with(beginning); };
    if (std::any_of(beginnings.begin(), beginnings.end(), fits)) found.push_back(variable);
  }
  std::sort(found.begin(), found.end());
  std::string text;
  for (const std::string_view each : found) text.append(each).append(" ");
  return text;
}

const char* find_strangers_variable(std::initializer_list<const char*> names) noexcept {
  if (getauxval(AT_SECURE) == 0) return nullptr;
  const auto found = std::find_if(names.begin(), names.end(), [](const char* each) { return std::getenv(each); });
  return found == names.end() ? nullptr : *found;
}

}  // namespace sinter
