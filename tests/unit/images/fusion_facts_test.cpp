#include <doctest/doctest.h>

#include <algorithm>
#include <images/fusion_facts.hpp>

namespace {

sinter::fusion_facts example() {
  sinter::fusion_facts facts;
  facts.statements = {{"barriers", "0 of 1 kept", {{"kept", std::uint64_t{0}}, {"places", std::uint64_t{1}}}},
                      {"", ""}};
  facts.code = "; ModuleID\n";
  facts.depends_on = {{1, 8, 4}, {0, 16, 8}};
  facts.numbers = std::string("\0twelve byte", 12);
  facts.range_member = 1;
  facts.local_member = 2;
  facts.any_size = true;
  facts.promotions = {{2, 24, 1, 4}, {0, 8, 2, 4096}};
  facts.local_memory_bytes = 4096;
  facts.saved_bytes = std::uint64_t{1} << 40;
  facts.work_items = 1000;
  const std::uint64_t global[3] = {7, 1, 96}, local[3] = {1, 1, 32};
  std::copy(global, global + 3, facts.global_range);
  std::copy(local, local + 3, facts.local_range);
  return facts;
}

}  // namespace

TEST_CASE("facts of fused code survive the way to bytes and back") {
  sinter::fusion_facts refusal;
  refusal.refused = "not proved";
  for (const sinter::fusion_facts& facts : {example(), refusal, sinter::fusion_facts()}) {
    sinter::fusion_facts read;
    REQUIRE(sinter::read_fusion_facts(sinter::write_fusion_facts(facts), 3, read));
    CHECK(read.refused == facts.refused);
    CHECK(read.code == facts.code);
    REQUIRE(read.statements.size() == facts.statements.size());
    for (std::size_t i = 0; i < read.statements.size(); ++i) {
      CHECK(read.statements[i].topic == facts.statements[i].topic);
      CHECK(read.statements[i].text == facts.statements[i].text);
      REQUIRE(read.statements[i].values.size() == facts.statements[i].values.size());
      for (std::size_t k = 0; k < read.statements[i].values.size(); ++k) {
        CHECK(read.statements[i].values[k].name == facts.statements[i].values[k].name);
        CHECK(read.statements[i].values[k].value == facts.statements[i].values[k].value);
      }
    }
    CHECK(read.numbers == facts.numbers);
    REQUIRE(read.depends_on.size() == facts.depends_on.size());
    for (std::size_t i = 0; i < read.depends_on.size(); ++i) {
      CHECK(read.depends_on[i].member == facts.depends_on[i].member);
      CHECK(read.depends_on[i].offset == facts.depends_on[i].offset);
      CHECK(read.depends_on[i].size == facts.depends_on[i].size);
    }
    CHECK(read.range_member == facts.range_member);
    CHECK(read.local_member == facts.local_member);
    CHECK(read.any_size == facts.any_size);
    REQUIRE(read.promotions.size() == facts.promotions.size());
    for (std::size_t i = 0; i < read.promotions.size(); ++i) {
      CHECK(read.promotions[i].member == facts.promotions[i].member);
      CHECK(read.promotions[i].offset == facts.promotions[i].offset);
      CHECK(read.promotions[i].to == facts.promotions[i].to);
      CHECK(read.promotions[i].bytes == facts.promotions[i].bytes);
    }
    CHECK(read.local_memory_bytes == facts.local_memory_bytes);
    CHECK(read.saved_bytes == facts.saved_bytes);
    CHECK(read.work_items == facts.work_items);
    CHECK(std::equal(read.global_range, read.global_range + 3, facts.global_range));
    CHECK(std::equal(read.local_range, read.local_range + 3, facts.local_range));
    CHECK(read.has_geometry() == facts.has_geometry());
  }
}

TEST_CASE("facts that are cut off, too long, or about other members are refused") {
  const std::string whole = sinter::write_fusion_facts(example());
  sinter::fusion_facts read;
  for (std::size_t size = 0; size < whole.size(); ++size)
    CHECK(!sinter::read_fusion_facts(whole.substr(0, size), 3, read));
  CHECK(!sinter::read_fusion_facts(whole + "x", 3, read));
  CHECK(!sinter::read_fusion_facts(whole, 2, read));
  CHECK(!sinter::read_fusion_facts(whole, 1, read));
  // The groups of a launch fill its range, so group sizes that do not divide the range are refused.
  for (const std::uint64_t size : {0u, 5u, 97u}) {
    sinter::fusion_facts odd = example();
    odd.local_range[2] = size;
    CHECK(!sinter::read_fusion_facts(sinter::write_fusion_facts(odd), 3, read));
  }
  // A promotion to anything but private or local memory is refused.
  for (const std::uint32_t to : {0u, 3u}) {
    sinter::fusion_facts odd = example();
    odd.promotions[0].to = to;
    CHECK(!sinter::read_fusion_facts(sinter::write_fusion_facts(odd), 3, read));
  }
}
