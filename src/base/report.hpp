#pragma once
/// Reports (SINTER_REPORT) are records, which only this file prints: as lines for people or, with
/// SINTER_REPORT=...,json, for programs, as one JSON object per line.

#include <abi/report.hpp>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace sinter {

struct report_value {
  std::string name;
  std::variant<std::uint64_t, double, std::string> value;
};

struct report_statement {
  std::string topic;  ///< a word or two in front of the text: "promoted"; empty: none
  std::string text;   ///< a sentence that people understand without the values
  std::vector<report_value> values{};
  std::vector<report_statement> parts{};
};

/// Copies statements that the JIT owns.
std::vector<report_statement> to_statements(const abi::report_statements& statements);

/// A report about one event. `kind` is the word of SINTER_REPORT that requests such reports. The first line of the
/// report has no topic, only the text.
struct report_record {
  std::string kind;
  report_statement what;
  std::string code{};  ///< printed last: LLVM IR, if it was requested
};

/// The text that is printed, in lines for people or as JSON. Ends with a newline.
std::string text_of_report(const report_record& record);
std::string json_of_report(const report_record& record);

/// Prints to stderr in the form that the environment asks for. Flushes the program's own output first, because people
/// often read it together with the report.
void print_report(const report_record& record);

}  // namespace sinter
