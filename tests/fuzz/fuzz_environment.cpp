/// Environment variables: the input has one variable in each line. The values that are read stay within their
/// limits, and each complaint is a single line.

#include <cstdint>
#include <cstdlib>
#include <base/environment.hpp>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::vector<std::string> variables(1);
  for (std::size_t i = 0; i < size; ++i) {
    if (bytes[i] == '\n') {
      variables.emplace_back();
    } else if (bytes[i] != 0) {
      variables.back().push_back(static_cast<char>(bytes[i]));
    }
  }
  std::vector<char*> pointers;
  for (std::string& variable : variables) pointers.push_back(variable.data());
  pointers.push_back(nullptr);
  std::string complaints;
  const sinter::environment_values values = sinter::parse_environment(pointers.data(), complaints);
  if (values.threads > 4096 || values.warning_level > 2) std::abort();
  if (!complaints.empty() && (complaints.back() != '\n' || !complaints.starts_with("sinter: "))) std::abort();
  return 0;
}
