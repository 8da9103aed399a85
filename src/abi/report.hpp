#pragma once
/// Statements of a report, as the JIT hands them to the runtime: a sentence for people, and numbers for programs.

#include <cstdint>

namespace sinter::abi {

struct report_number {
  const char* name;  ///< with static storage: "lanes"
  std::uint64_t value;
};

/// All of it is owned by the result of the compilation.
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
