#include <doctest/doctest.h>

#include <base/trace_file.hpp>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace {

using nlohmann::json;
using sinter::trace_event;

trace_event span(const char* name, std::uint64_t start, std::uint64_t end) {
  trace_event made{};
  made.name = name;
  made.start = start;
  made.end = end;
  made.thread = 7;
  made.what = trace_event::type::span;
  return made;
}

std::string written(std::vector<trace_event> events) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  CHECK(sinter::write_trace_file(
      file, {.process = 7, .tracks = {}, .threads = {{7, "main thread"}}, .events = std::move(events)}));
  std::fclose(file);
  std::string result(text, size);
  std::free(text);
  return result;
}

/// Writes a file with these events, and returns the spans in it.
std::vector<json> spans(std::vector<trace_event> events) {
  std::vector<json> found;
  const json read = json::parse(written(std::move(events)));
  for (const json& each : read["traceEvents"]) {
    if (each["ph"] == "X") found.push_back(each);
  }
  return found;
}

}  // namespace

TEST_CASE("times keep their nanoseconds, also those of weeks") {
  // A double has 53 bits. This is enough as long as the last bit is worth less than half a nanosecond.
  for (const std::uint64_t later : {1ull, 999ull, 1'000'001ull, 1'234'567'890'123'457ull, 4'000'000'000'000'003ull}) {
    const std::vector<json> both = spans({span("first", 5, 6), span("second", 5 + later, 5 + later + 123'456'789)});
    REQUIRE(both.size() == 2);
    const auto nanoseconds = [](const json& time) { return std::llround(time.get<long double>() * 1000); };
    CHECK(nanoseconds(both[0]["ts"]) == 0);
    CHECK(nanoseconds(both[1]["ts"]) == static_cast<long long>(later));
    CHECK(nanoseconds(both[1]["dur"]) == 123'456'789);
  }
  CHECK(written({span("first", 0, 1), span("second", 1'234'567'890'123'457, 1'234'567'890'123'458)})
            .find("\"ts\":1234567890123.457,\"dur\":0.001,") != std::string::npos);
}

TEST_CASE("names are read again as they were; what is no UTF-8 is replaced") {
  const char* const plain = "a \"b\" \\ c\td\n\x01 \xc3\xbc \xf0\x9f\x8e\x89 <\xe2\x82\xac>";
  CHECK(spans({span(plain, 0, 1)})[0]["name"] == plain);
  // Invalid UTF-8: a stray byte, a truncated sequence, an encoding that is too long, half a surrogate pair, a number
  // that is too large.
  for (const char* wrong : {"\xff", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf5\x80\x80\x80"}) {
    const std::string name = spans({span((std::string("a") + wrong + "b").c_str(), 0, 1)})[0]["name"];
    CHECK(name.find("\xef\xbf\xbd") == 1);
    CHECK(name.front() == 'a');
    CHECK(name.back() == 'b');
  }
}

TEST_CASE("each event is a line") {
  const std::string text = written({span("first\nof two lines", 0, 1), span("second", 2, 3)});
  // The text has these lines: the names of two processes and of a thread, two spans, and the lines around them.
  std::size_t lines = 0;
  for (const char each : text) lines += each == '\n';
  CHECK(lines == 7);
}

TEST_CASE("a file that takes nothing is a failure") {
  std::FILE* file = std::fopen("/dev/full", "w");
  REQUIRE(file);
  std::setvbuf(file, nullptr, _IONBF, 0);
  CHECK_FALSE(sinter::write_trace_file(
      file, {.process = 7, .tracks = {}, .threads = {}, .events = {span("first", 0, 1)}}));
  std::fclose(file);
}
