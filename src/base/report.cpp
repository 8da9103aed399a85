#include "report.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "environment.hpp"

namespace sinter {
namespace {

// The width of the column with the topics. With this width, the texts of all statements begin in the same column.
constexpr std::size_t topic_width = 12;

void append_lines(const report_statement& statement, const std::string& indent, std::string& text) {
  text += indent + statement.topic;
  if (!statement.topic.empty() && statement.topic.size() < topic_width) {
    text.append(topic_width - statement.topic.size(), ' ');
  }
  text += statement.text + "\n";
  for (const report_statement& part : statement.parts) append_lines(part, indent + "  ", text);
}

nlohmann::ordered_json object_of(const report_statement& statement) {
  nlohmann::ordered_json object;
  if (!statement.topic.empty()) object["topic"] = statement.topic;
  object["text"] = statement.text;
  for (const report_value& each : statement.values) {
    std::visit([&](const auto& value) { object[each.name] = value; }, each.value);
  }
  for (const report_statement& part : statement.parts) object["parts"].push_back(object_of(part));
  return object;
}

}  // namespace

std::vector<report_statement> to_statements(const abi::report_statements& statements) {
  std::vector<report_statement> result;
  for (std::uint64_t i = 0; i < statements.count; ++i) {
    const abi::report_statement& each = statements.first[i];
    report_statement& copy = result.emplace_back(report_statement{each.topic, each.text});
    for (std::uint64_t k = 0; k < each.number_count; ++k) {
      copy.values.push_back({each.numbers[k].name, each.numbers[k].value});
    }
  }
  return result;
}

std::string text_of_report(const report_record& record) {
  std::string text = "sinter: " + record.what.text + "\n";
  for (const report_statement& part : record.what.parts) append_lines(part, "  ", text);
  return text + record.code;
}

std::string json_of_report(const report_record& record) {
  nlohmann::ordered_json object;
  object["report"] = record.kind;
  object.update(object_of(record.what));
  if (!record.code.empty()) object["code"] = record.code;
  // Names of kernels may be in any encoding.
  return object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

void print_report(const report_record& record) {
  const std::string text = environment().report_json ? json_of_report(record) : text_of_report(record);
  std::fflush(stdout);
  std::fputs(text.c_str(), stderr);
}

}  // namespace sinter
