#pragma once
/// The JIT reports to the runtime in statements. Each statement has a sentence, which is for people, and numbers, which
/// are for programs.

#include <cstdint>

namespace sinter::abi {

struct report_number {
  const char* name;  ///< a string with static storage, for example "lanes"
  std::uint64_t value;
};

/// One statement. The result of the compilation owns the statement's texts and numbers.
struct report_statement {
  const char* topic;  ///< a word or two that is printed in front of the text, for example "promoted"; may be empty
  const char* text;   ///< one line for people
  const report_number* numbers;
  std::uint64_t number_count;
};

struct report_statements {
  const report_statement* first;
  std::uint64_t count;
};

}  // namespace sinter::abi
