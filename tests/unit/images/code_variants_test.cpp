#include <doctest/doctest.h>

#include <abi/launch_abi.hpp>
#include <images/code_variants.hpp>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace sinter;
using abi::id_width;

const code_target here{"here"}, elsewhere{"elsewhere"};

/// A kernel descriptor in which only the list of code variants is used. The destructor frees the variants.
struct kernel_with_code {
  abi::kernel_descriptor descriptor{};

  kernel_with_code() = default;
  kernel_with_code(const kernel_with_code&) = delete;
  ~kernel_with_code() { take_variants(descriptor); }

  const code_variant& add(variant_key key) {
    auto made = std::make_unique<code_variant>();
    made->made_for = std::move(key);
    return add_variant(descriptor, std::move(made));
  }
  const code_variant* find(const code_target& target, id_width ids, const abi::local_range& range) const {
    return find_variant(descriptor, target, ids, range, nullptr);
  }
};

group_layout groups_of(std::uint64_t size) {
  return {abi::local_range{1, 1, size}, nullptr, std::vector<abi::image_leaf>()};
}

}  // namespace

TEST_CASE("a kernel without code has no variant") {
  const kernel_with_code kernel;
  CHECK(kernel.find(here, id_width::bits_32, {}) == nullptr);
  CHECK(find_variant(kernel.descriptor, variant_key{&here, id_width::bits_32, {}, ""}) == nullptr);
}

TEST_CASE("launches get code of their target, width of ids and layout of groups, or else for groups of any") {
  kernel_with_code kernel;
  const code_variant& any = kernel.add({&here, id_width::bits_32, {}, ""});
  const code_variant& eight = kernel.add({&here, id_width::bits_32, groups_of(8), ""});
  const code_variant& long_ids = kernel.add({&here, id_width::bits_64, groups_of(8), ""});
  const code_variant& other = kernel.add({&elsewhere, id_width::bits_32, {}, ""});
  CHECK(kernel.find(here, id_width::bits_32, {1, 1, 8}) == &eight);
  CHECK(kernel.find(here, id_width::bits_32, {1, 1, 16}) == &any);
  CHECK(kernel.find(here, id_width::bits_64, {1, 1, 8}) == &long_ids);
  CHECK(kernel.find(here, id_width::bits_64, {1, 1, 16}) == nullptr);
  CHECK(kernel.find(elsewhere, id_width::bits_32, {1, 1, 8}) == &other);
}

TEST_CASE("code for groups of any kind knows of no local accessors") {
  abi::image_leaf leaf{};
  leaf.kind = abi::leaf_kind::local_accessor;
  leaf.size = 16;
  const char block[16] = {};
  const std::vector<abi::image_leaf> leaves{leaf};
  CHECK(group_layout({1, 1, 8}, block, leaves).known().local_accessor_bytes == 16);
  CHECK(group_layout({}, block, leaves).known().local_accessor_bytes == 0);
  CHECK(group_layout({}, block, leaves) == group_layout());
  // Queries before the first launch have no argument block, so they get code for any layout.
  CHECK(group_layout({1, 1, 8}, nullptr, leaves) == group_layout());
}

TEST_CASE("code for set constants is for launches with these alone") {
  kernel_with_code kernel;
  const code_variant& two = kernel.add({&here, id_width::bits_32, {}, "1=02 "});
  CHECK(kernel.find(here, id_width::bits_32, {}) == nullptr);
  CHECK(find_variant(kernel.descriptor, variant_key{&here, id_width::bits_32, {}, "1=02 "}) == &two);
  CHECK(find_variant(kernel.descriptor, variant_key{&here, id_width::bits_32, {}, "1=03 "}) == nullptr);
  CHECK(find_variant(kernel.descriptor, variant_key{&here, id_width::bits_64, {}, "1=02 "}) == nullptr);
  CHECK(find_variant(kernel.descriptor, variant_key{&elsewhere, id_width::bits_32, {}, "1=02 "}) == nullptr);
  for (bool launch_class::*fact : {&launch_class::no_offset, &launch_class::folded, &launch_class::turns,
                                   &launch_class::disjoint}) {
    launch_class other = id_width::bits_32;
    other.*fact = true;
    CHECK(find_variant(kernel.descriptor, variant_key{&here, other, {}, "1=02 "}) == nullptr);
    CHECK(other.text() != launch_class(id_width::bits_32).text());
  }
}

TEST_CASE("only the first layouts of groups have code of their own, for each target and width of ids") {
  kernel_with_code kernel;
  const variant_key first{&here, id_width::bits_32, groups_of(8), ""};
  CHECK(within_limits(kernel.descriptor, first) == first);
  kernel.add(first);
  CHECK(within_limits(kernel.descriptor, first) == first);
  variant_key second{&here, id_width::bits_32, groups_of(16), ""};
  CHECK(within_limits(kernel.descriptor, second).layout.is_any());
  second.launches = id_width::bits_64;
  CHECK(within_limits(kernel.descriptor, second) == second);
  second = {&elsewhere, id_width::bits_32, groups_of(16), ""};
  CHECK(within_limits(kernel.descriptor, second) == second);
}

TEST_CASE("after many sets of constants a kernel reads them when it runs, and known sets keep their code") {
  kernel_with_code kernel;
  auto set = [](std::size_t i) {
    return variant_key{&here, id_width::bits_32, groups_of(8), std::to_string(i) + "=00 "};
  };
  for (std::size_t i = 0; i < most_specialized; ++i) {
    CHECK(within_limits(kernel.descriptor, set(i)) == set(i));
    kernel.add(set(i));
  }
  const variant_key one_more = within_limits(kernel.descriptor, set(most_specialized));
  CHECK(one_more.constants == any_constants);
  CHECK(one_more.layout.is_any());
  kernel.add(one_more);
  CHECK(within_limits(kernel.descriptor, set(most_specialized + 1)) == one_more);
  CHECK(within_limits(kernel.descriptor, set(3)) == set(3));
  // If no constants are set, the limit for sets of constants does not change the variant.
  CHECK(within_limits(kernel.descriptor, {&here, id_width::bits_32, groups_of(16), ""}).layout == groups_of(16));
}

TEST_CASE("a set of constants that was idle for many lookups makes room for another; others do not") {
  kernel_with_code kernel;
  auto set = [](std::size_t i) { return variant_key{&here, id_width::bits_32, {}, std::to_string(i) + "=00 "}; };
  std::vector<const code_variant*> code;
  for (std::size_t i = 0; i < most_specialized; ++i) {
    code.push_back(&kernel.add(set(i)));
    note_lookup(kernel.descriptor, *code.back());
  }
  const variant_key fresh = set(most_specialized);
  CHECK(!make_room(kernel.descriptor, fresh, false));
  for (std::uint64_t i = 0; i < idle_lookups; ++i) {
    for (std::size_t k : {0, 2}) note_lookup(kernel.descriptor, *code[k]);
  }
  // The second variant, in the middle of the list, has not been used for the longest time, so it is removed.
  CHECK(make_room(kernel.descriptor, fresh, false));
  CHECK(find_variant(kernel.descriptor, set(1)) == nullptr);
  CHECK(find_variant(kernel.descriptor, set(0)) == code[0]);
  CHECK(find_variant(kernel.descriptor, set(3)) == code[3]);
  CHECK(within_limits(kernel.descriptor, fresh) == fresh);
  note_lookup(kernel.descriptor, kernel.add(fresh));
  // With `at_once`, variants that were just used may also be removed, but only until the number of variants that wait
  // to be freed has reached its limit.
  std::size_t made = 1;
  while (make_room(kernel.descriptor, fresh, true)) ++made;
  CHECK(made == most_specialized);
  CHECK(take_retired(kernel.descriptor).size() == most_specialized);
  CHECK(take_retired(kernel.descriptor).empty());
}

TEST_CASE("all variants are handed out when the image goes") {
  kernel_with_code kernel;
  for (std::uint64_t i = 1; i <= 5; ++i) kernel.add({&here, id_width::bits_32, groups_of(i), ""});
  CHECK(take_variants(kernel.descriptor).size() == 5);
  CHECK(newest_variant(kernel.descriptor) == nullptr);
}
