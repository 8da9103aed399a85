/// The table of rules for two accessors of one buffer, with the warnings of DPC++, which first had this extension.

#include <doctest/doctest.h>

#include <fusion/promotion_rules.hpp>

namespace {

using sinter::abi::promotion;
using sycl::detail::promotion_wish;
using enum promotion;

const int one = 0, other = 0;

/// The promotion that an accessor requests, for a kernel with 64 work-items in groups of `local`. If `local` is 0, the
/// kernel has no groups.
promotion_wish wish(promotion requested, std::uint64_t local, std::uint64_t first = 0) {
  return {&one, requested, first, 128, 64, local == 0 ? 0 : 64 / local};
}

struct row {
  promotion_wish earlier, next;
  promotion result;
  const char* warning;  ///< null: the rule gives no warning
};

const char* const no_size = "Work-group size for local promotion not specified, not performing internalization";
const char* const deactivated =
    "Deactivating previously specified promotion, because this accessor does not specify promotion";
const char* const late_local =
    "Not performing specified local promotion, due to previous mismatch or because previous accessor specified no "
    "promotion";
const char* const late_private =
    "Not performing specified private promotion, due to previous mismatch or because previous accessor specified no "
    "promotion";

}  // namespace

TEST_CASE("two accessors of one buffer agree on its promotion") {
  const row rows[] = {
      {wish(none, 8), wish(none, 8), none, nullptr},
      {wish(private_memory, 0), wish(private_memory, 0), private_memory, nullptr},
      {wish(private_memory, 8), wish(private_memory, 0), private_memory, nullptr},
      {wish(local_memory, 8), wish(local_memory, 8), local_memory, nullptr},
      {wish(local_memory, 8), wish(none, 8), none, deactivated},
      {wish(private_memory, 8), wish(none, 8), none, deactivated},
      {wish(none, 8), wish(local_memory, 8), none, late_local},
      {wish(none, 8), wish(private_memory, 8), none, late_private},
      {wish(local_memory, 8), wish(local_memory, 0), none, no_size},
      {wish(private_memory, 8), wish(local_memory, 0), none, no_size},
      {wish(private_memory, 8), wish(local_memory, 8), local_memory,
       "Overriding previous private promotion with local promotion"},
      {wish(private_memory, 0), wish(local_memory, 8), none,
       "Not performing specified local promotion because previous kernels did not specify a local size"},
      {wish(local_memory, 8), wish(private_memory, 8), local_memory,
       "Performing local internalization instead, because previous accessor specified local promotion"},
      {wish(local_memory, 8), wish(local_memory, 16), none,
       "Not performing specified local promotion due to work-group size mismatch"},
      {wish(local_memory, 8), wish(private_memory, 16), none,
       "Not performing specified local promotion due to work-group size mismatch"},
      {wish(private_memory, 0), {&one, private_memory, 0, 128, 32, 0}, none,
       "Not performing specified private promotion due to work-group size mismatch"},
      {wish(private_memory, 8), wish(private_memory, 8, 4), none,
       "Not performing specified promotion, due to accessor parameter mismatch"},
      {wish(local_memory, 8), wish(local_memory, 8, 4), none,
       "Not performing specified promotion, due to accessor parameter mismatch"},
      {wish(local_memory, 8), wish(private_memory, 8, 4), none,
       "Not performing local promotion, due to accessor parameter mismatch"},
  };
  for (const row& each : rows) {
    promotion_wish wishes[] = {
        each.earlier, {&other, private_memory, 0, 64, 64, 0}, each.next, {nullptr, none, 0, 0, 64, 0}};
    const auto warnings = sycl::detail::agree_on_promotions(wishes);
    CAPTURE(&each - rows);
    CHECK(wishes[0].requested == each.result);
    CHECK(wishes[2].requested == each.result);
    CHECK(wishes[1].requested == private_memory);
    REQUIRE(warnings.size() == (each.warning ? 1u : 0u));
    if (each.warning) CHECK(std::string(warnings[0]) == each.warning);
  }
}

TEST_CASE("a first accessor without work-group size can't be local") {
  promotion_wish wishes[] = {wish(local_memory, 0), wish(local_memory, 8)};
  const auto warnings = sycl::detail::agree_on_promotions(wishes);
  CHECK(wishes[1].requested == none);
  REQUIRE(warnings.size() == 2);
  CHECK(std::string(warnings[0]) == no_size);
  CHECK(std::string(warnings[1]) == late_local);
}

TEST_CASE("three accessors: what is lost stays lost") {
  promotion_wish wishes[] = {wish(private_memory, 8), wish(none, 8), wish(private_memory, 8)};
  const auto warnings = sycl::detail::agree_on_promotions(wishes);
  for (const promotion_wish& each : wishes) CHECK(each.requested == none);
  REQUIRE(warnings.size() == 2);
  CHECK(std::string(warnings[0]) == deactivated);
  CHECK(std::string(warnings[1]) == late_private);
}
