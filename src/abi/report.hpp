#pragma once
/// Statements of a report, as the JIT hands them to the runtime: a sentence for people, and numbers for programs.

#include <cstdint>

namespace sinter::abi {

struct report_number {
  const char* name;  ///< a string with static storage, for example "lanes"
  std::uint64_t value;
};

/// One statement. The result of the compilation owns its texts and numbers.
struct report_statement {
  const char* topic;  ///< a word or two in front of the text: "promoted"; empty: none
  const char* text;   ///< one line for people
  const report_number* numbers;
  std::uint64_t number_count;
};

struct report_statements {
  const report_statement* first;
  std::uint64_t count;
};

}  // namespace sinter::abi
