#pragma once
/// Passes make statements about a compilation, which the runtime prints (SINTER_REPORT).

#include <abi/report.hpp>
#include <string>
#include <vector>

namespace sinter::passes {

struct report_statement {
  std::string topic;  ///< see abi::report_statement
  std::string text;
  std::vector<abi::report_number> numbers{};
};
using report_statements = std::vector<report_statement>;

}  // namespace sinter::passes
