#include <doctest/doctest.h>

#include <abi/chosen_cpu.hpp>
#include <algorithm>
#include <base/environment.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct parsed {
  sinter::environment_values values;
  std::string complaints;
  std::size_t complaint_count() const {
    return static_cast<std::size_t>(std::count(complaints.begin(), complaints.end(), '\n'));
  }
  bool says(std::string_view text) const { return complaints.find(text) != std::string::npos; }
};

parsed parse(std::vector<std::string> variables) {
  std::vector<char*> pointers;
  for (std::string& variable : variables) pointers.push_back(variable.data());
  pointers.push_back(nullptr);
  parsed result;
  result.values = sinter::parse_environment(pointers.data(), result.complaints);
  return result;
}

} // namespace

TEST_CASE("an empty environment gives the standard values without complaints") {
  const parsed result = parse({});
  CHECK(result.complaints == "");
  CHECK(result.values.device == "");
  CHECK(result.values.cache);
  CHECK(result.values.cache_directory == "");
  CHECK_FALSE(result.values.report_summary);
  CHECK_FALSE(result.values.report_launches);
  CHECK_FALSE(result.values.strict);
  CHECK_FALSE(result.values.check_barriers);
  CHECK_FALSE(result.values.force_host_entry);
  CHECK(result.values.threads == 0);
  CHECK(result.values.warning_level == 1);
}

TEST_CASE("a missing environment is an empty one") {
  std::string complaints;
  CHECK(sinter::parse_environment(nullptr, complaints).cache);
  CHECK(complaints == "");
}

TEST_CASE("every variable of the table is known") {
  for (const sinter::environment_variable& known : sinter::environment_table()) {
    CAPTURE(known.name);
    const parsed result = parse({std::string(known.name) + "=1"});
    CHECK_FALSE(result.says("there is no variable"));
    CHECK(std::string_view(known.values) != "");
    CHECK(std::string_view(known.standard) != "");
    CHECK(std::string_view(known.meaning) != "");
  }
}

TEST_CASE("each variable sets its value") {
  CHECK(parse({"SINTER_DEVICE=cpu"}).values.device == "cpu");
  CHECK_FALSE(parse({"SINTER_CACHE=0"}).values.cache);
  CHECK(parse({"SINTER_CACHE_DIR=/a/b"}).values.cache_directory == "/a/b");
  CHECK(parse({"SINTER_CACHE_SIZE=5"}).values.cache_mebibytes == 5);
  CHECK(parse({"SINTER_CACHE_SIZE=0"}).values.cache_mebibytes == 1024);
  CHECK(parse({}).values.cache_wait_seconds == 30);
  CHECK(parse({"SINTER_CACHE_WAIT=0"}).values.cache_wait_seconds == 0);
  CHECK(parse({"SINTER_STRICT=1"}).values.strict);
  CHECK_FALSE(parse({}).values.tiered);
  CHECK(parse({"SINTER_TIERED=1"}).values.tiered);
  CHECK(parse({"SINTER_TEST=fuse-small"}).values.fuse_small);
  CHECK(parse({"SINTER_TEST=joined-wins"}).values.joined_wins);
  CHECK(parse({"SINTER_TEST=apart-wins"}).values.apart_wins);
  CHECK(parse({}).values.measure_fusion);
  CHECK(parse({"SINTER_FUSION=measure"}).complaints == "");
  CHECK_FALSE(parse({"SINTER_FUSION=estimate"}).values.measure_fusion);
  CHECK(parse({"SINTER_FUSION=again"}).values.measure_again);
  CHECK(parse({"SINTER_FUSION=never"}).complaints != "");
  CHECK(parse({"SINTER_CHECK=barriers"}).values.check_barriers);
  CHECK(parse({"SINTER_CHECK=barriers,memory"}).values.check_memory);
  CHECK_FALSE(parse({"SINTER_CHECK=barriers,memory"}).values.check_races);
  CHECK(parse({"SINTER_CHECK=races"}).values.check_races);
  CHECK(parse({"SINTER_CHECK=addresses"}).values.check_addresses);
  CHECK_FALSE(parse({"SINTER_CHECK=addresses"}).values.checks_accesses());
  CHECK(parse({"SINTER_HOST_ENTRY=on"}).values.force_host_entry);
  CHECK(parse({"SINTER_THREADS=7"}).values.threads == 7);
  CHECK(parse({"SINTER_TEST=lanes=8"}).values.lanes == 8);
  CHECK(parse({"SINTER_TEST=block=4,lanes=16"}).values.block == 4);
  CHECK(parse({"SINTER_TEST=block=4,lanes=16"}).values.lanes == 16);
  CHECK(parse({"SINTER_TEST=block=4,lanes=16,fuse-small"}).complaints == "");
  for (const char* wrong : {"lanes=6", "lanes=", "lanes", "lanes=0", "lanes=32", "block=3", "block=16", "block=4x",
                            "fuse-small=1", "lanes=4,rows"}) {
    CAPTURE(wrong);
    CHECK(parse({std::string("SINTER_TEST=") + wrong}).complaints != "");
  }
  CHECK(parse({"SINTER_AFFINITY=1"}).values.affinity);
  CHECK(parse({"SINTER_REPORT=vectorize"}).values.report_vectorize);
  CHECK(parse({"SYCL_RT_WARNING_LEVEL=0"}).values.warning_level == 0);
  CHECK(parse({"SYCL_RT_WARNING_LEVEL=2"}).values.warning_level == 2);
  CHECK(parse({"SINTER_PERF=1"}).complaints == "");
  CHECK(parse({"SINTER_VERIFY=1"}).complaints == "");
  CHECK(parse({std::string("SINTER_CPU=") + sinter::abi::cpu_levels[1].name}).complaints == "");
  CHECK(parse({"SINTER_CPU=x86-64-v9"}).complaints != "");
}

TEST_CASE("switches understand on and off in several words") {
  for (const char* word : {"1", "on", "true", "yes"}) {
    const parsed result = parse({std::string("SINTER_STRICT=") + word});
    CHECK(result.values.strict);
    CHECK(result.complaints == "");
  }
  for (const char* word : {"0", "off", "false", "no"}) {
    const parsed result = parse({std::string("SINTER_CACHE=") + word});
    CHECK_FALSE(result.values.cache);
    CHECK(result.complaints == "");
  }
}

TEST_CASE("lists take their words in any order and ignore empty ones") {
  CHECK(parse({"SINTER_REPORT=summary,json"}).values.report_json);
  CHECK_FALSE(parse({"SINTER_REPORT=summary"}).values.report_json);
  CHECK(parse({"SINTER_REPORT=summary"}).values.report_summary);
  CHECK_FALSE(parse({"SINTER_REPORT=summary"}).values.report_launches);
  for (const char* list : {"summary,launches", "launches,summary", ",summary,,launches,"}) {
    const parsed result = parse({std::string("SINTER_REPORT=") + list});
    CHECK(result.values.report_summary);
    CHECK(result.values.report_launches);
    CHECK(result.complaints == "");
  }
  const parsed empty = parse({"SINTER_REPORT="});
  CHECK_FALSE(empty.values.report_summary);
  CHECK(empty.complaints == "");
}

TEST_CASE("code with steps left out is not kept on disk") {
  CHECK(parse({}).values.cache);
  CHECK(!parse({"SINTER_PASSES=-vectors", "SINTER_CACHE=1"}).values.cache);
  CHECK(!parse({"SINTER_CACHE=1", "SINTER_BISECT=3"}).values.cache);
  CHECK(parse({"SINTER_PASSES="}).values.cache);
}

TEST_CASE("a wrong word in a list leaves the others") {
  const parsed result = parse({"SINTER_REPORT=summary,sumary"});
  CHECK(result.values.report_summary);
  CHECK(result.complaint_count() == 1);
  CHECK(result.says("launches"));
}

TEST_CASE("an unusable value is ignored, and the complaint names variable, value and what is allowed") {
  struct {
    const char *name, *value, *allowed;
  } const cases[] = {
      {"SINTER_CACHE", "maybe", "1, on, 0, off"},
      {"SINTER_STRICT", "2", "1, on, 0, off"},
      {"SINTER_HOST_ENTRY", "ON", "1, on, 0, off"},
      {"SINTER_PERF", "x", "1, on, 0, off"},
      {"SINTER_VERIFY", "x", "1, on, 0, off"},
      {"SINTER_REPORT", "all", "summary, launches"},
      {"SINTER_CHECK", "bounds", "barriers, memory, races, addresses"},
      {"SINTER_THREADS", "0", "positive number"},
      {"SINTER_THREADS", "-1", "positive number"},
      {"SINTER_THREADS", "four", "positive number"},
      {"SINTER_THREADS", "4x", "positive number"},
      {"SINTER_THREADS", " 4", "positive number"},
      {"SINTER_THREADS", "99999999999999999999", "positive number"},
      {"SINTER_THREADS", "", "positive number"},
      {"SYCL_RT_WARNING_LEVEL", "3", "0, 1, 2"},
      {"SYCL_RT_WARNING_LEVEL", "", "0, 1, 2"},
  };
  for (const auto& wrong : cases) {
    const std::string variable = std::string(wrong.name) + "=" + wrong.value;
    CAPTURE(variable);
    const parsed result = parse({variable});
    CHECK(result.complaint_count() == 1);
    CHECK(result.says(wrong.name));
    CHECK(result.says("'" + std::string(wrong.value) + "'"));
    CHECK(result.says(wrong.allowed));
    CHECK(result.values.cache);
    CHECK_FALSE(result.values.strict);
    CHECK_FALSE(result.values.force_host_entry);
    CHECK(result.values.threads == 0);
    CHECK(result.values.warning_level == 1);
  }
}

TEST_CASE("an unknown variable draws one complaint with the nearest name") {
  struct {
    const char *wrong, *nearest;
  } const cases[] = {
      {"SINTER_CASHE", "SINTER_CACHE?"},        {"SINTER_CACHEDIR", "SINTER_CACHE_DIR?"},
      {"SINTER_DEVICES", "SINTER_DEVICE?"},     {"SINTER_THREAD", "SINTER_THREADS?"},
      {"SINTER_REPROT", "SINTER_REPORT?"},      {"SINTER_HOSTENTRY", "SINTER_HOST_ENTRY?"},
  };
  for (const auto& each : cases) {
    CAPTURE(each.wrong);
    const parsed result = parse({std::string(each.wrong) + "=1"});
    CHECK(result.complaint_count() == 1);
    CHECK(result.says("no variable " + std::string(each.wrong)));
    CHECK(result.says(each.nearest));
    CHECK(result.says("sinter-info --environment"));
  }
  CHECK(parse({"SINTER_=1"}).complaint_count() == 1);
}

TEST_CASE("variables of others are none of our business") {
  CHECK(parse({"PATH=/bin", "SINTERED=1", "sinter_cache=0", "SYCL_DEVICE_FILTER=x"}).complaints == "");
  CHECK(parse({"no equals sign", "=x"}).complaints == "");
}

TEST_CASE("the cache directory is SINTER_CACHE_DIR, else below XDG_CACHE_HOME, else below HOME") {
  const std::string home = "HOME=/home/u", xdg = "XDG_CACHE_HOME=/x", own = "SINTER_CACHE_DIR=/own";
  CHECK(parse({home}).values.cache_directory == "/home/u/.cache/sinter");
  CHECK(parse({home, xdg}).values.cache_directory == "/x/sinter");
  CHECK(parse({xdg, home}).values.cache_directory == "/x/sinter");
  CHECK(parse({xdg, own, home}).values.cache_directory == "/own");
  CHECK(parse({own}).values.cache_directory == "/own");
  CHECK(parse({xdg}).values.cache_directory == "/x/sinter");
}

TEST_CASE("an empty or relative XDG_CACHE_HOME is ignored, as its specification says") {
  CHECK(parse({"HOME=/h", "XDG_CACHE_HOME="}).values.cache_directory == "/h/.cache/sinter");
  CHECK(parse({"HOME=/h", "XDG_CACHE_HOME=cache"}).values.cache_directory == "/h/.cache/sinter");
  CHECK(parse({"HOME=/h", "SINTER_CACHE_DIR="}).values.cache_directory == "/h/.cache/sinter");
}

TEST_CASE("relative folders are no place for a cache: SINTER_CACHE_DIR draws a complaint, HOME is ignored") {
  const auto own = parse({"HOME=/h", "SINTER_CACHE_DIR=cache"});
  CHECK(own.values.cache_directory == "/h/.cache/sinter");
  CHECK(own.complaints.find("SINTER_CACHE_DIR='cache'") != std::string::npos);
  CHECK(parse({"HOME=home"}).values.cache_directory.empty());
  CHECK(parse({"HOME=home"}).complaints.empty());
  CHECK(parse({"HOME=."}).values.cache_directory.empty());
}

TEST_CASE("a value may hold equals signs") {
  CHECK(parse({"SINTER_CACHE_DIR=/a=b"}).values.cache_directory == "/a=b");
}
