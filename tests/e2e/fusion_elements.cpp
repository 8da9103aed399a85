/// User-driven fusion: the contents of temporaries that fusion replaces by private memory. A temporary may be a part of
/// a buffer.
#include <sycl/ext/sinter/trust_accesses.hpp>

#include "fusion.hpp"

namespace {

using e2e::promoted_private;
using ints = sycl::buffer<int>;

}  // namespace

namespace {

struct pair_of_numbers {
  double real;
  std::uint16_t whole;
  bool operator==(const pair_of_numbers&) const = default;
};

struct wrapped_array {
  int values[5];
  bool operator==(const wrapped_array&) const = default;
};

/// The first kernel computes to[i] = make(i), the second one out[i] = use(from[i]). Promoted values must not be
/// written to the buffer `middle`.
template <class Element, class Result, class Make, class Use>
void check_elements(Element initial, Make make, Use use, const sycl::property_list& promotion = promoted_private,
                    const sycl::property_list& completion = {}) {
  for (bool groups : {false, true}) {
    sycl::queue queue = e2e::make_fusing_queue();
    const std::size_t count = 84;
    std::vector<Element> middle(count, initial);
    std::vector<Result> out(count), expected(count);
    const e2e::launches launches;
    {
      sycl::buffer<Element> b(middle.data(), count, promotion);
      sycl::buffer<Result> c(out.data(), count);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      auto run = [&](sycl::handler& handler, auto body) {
        if (groups) {
          handler.parallel_for(sycl::nd_range<1>(count, 14),
                               [=](sycl::nd_item<1> item) { body(item.get_global_id(0)); });
        } else {
          handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { body(i[0]); });
        }
      };
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(b, handler, sycl::write_only);
        run(handler, [=](std::size_t i) { make(i, to[i]); });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::read_only);
        sycl::accessor to(c, handler, sycl::write_only);
        run(handler, [=](std::size_t i) { to[i] = use(from[i]); });
      });
      wrapper.complete_fusion(completion);
    }
    CHECK_FUSED(launches, 2);
    for (std::size_t i = 0; i < count; ++i) {
      Element one = initial;
      make(i, one);
      expected[i] = use(one);
    }
    CHECK_ALL_EQUAL(out, expected);
    if (e2e::can_fuse && promotion.has_property<cx::property::promote_private>()) {
      bool untouched = true;
      for (const Element& one : middle) untouched &= std::memcmp(&one, &initial, sizeof(Element)) == 0;
      CHECK(untouched);
    }
  }
}

}  // namespace

TEST("elements of one byte") {
  check_elements<std::uint8_t, std::uint8_t>(
      255, [](std::size_t i, std::uint8_t& to) { to = static_cast<std::uint8_t>(i * 7); },
      [](std::uint8_t value) { return static_cast<std::uint8_t>(value + 200); });
}

TEST("vectors of two, three and four") {
  check_elements<sycl::float2, float>(
      sycl::float2(-1), [](std::size_t i, sycl::float2& to) { to = sycl::float2(static_cast<float>(i), 2); },
      [](const sycl::float2& value) { return value.x() + value.y(); });
  check_elements<sycl::int3, int>(
      sycl::int3(-1), [](std::size_t i, sycl::int3& to) { to = sycl::int3(static_cast<int>(i), 2, 5); },
      [](const sycl::int3& value) { return value.x() * value.y() + value.z(); });
  check_elements<sycl::int4, int>(
      sycl::int4(-1), [](std::size_t i, sycl::int4& to) { to = sycl::int4(static_cast<int>(i), 2, 5, 9); },
      [](const sycl::int4& value) { return value.x() * value.y() + value.z() * value.w(); });
}

TEST("structures, and structures that wrap an array") {
  check_elements<pair_of_numbers, double>(
      pair_of_numbers{-1, 3},
      [](std::size_t i, pair_of_numbers& to) {
        to.real = static_cast<double>(i) / 2;
        to.whole = static_cast<std::uint16_t>(i);
      },
      [](const pair_of_numbers& value) { return value.real + value.whole; });
  check_elements<wrapped_array, int>(
      wrapped_array{{-1, -1, -1, -1, -1}},
      [](std::size_t i, wrapped_array& to) {
        for (int k = 0; k < 5; ++k) to.values[k] = static_cast<int>(i) * (k + 1);
      },
      [](const wrapped_array& value) {
        int sum = 0;
        for (int k = 0; k < 5; ++k) sum = sum * 3 + value.values[k];
        return sum;
      });
}

namespace {

/// Fuses two kernels that copy whole elements. The program makes no promise about accesses. The fused kernel must not
/// use the temporary's memory.
template <class Element>
void check_whole(const char* name) {
  sycl::queue queue = e2e::make_fusing_queue();
  constexpr std::size_t count = 45;
  std::vector<Element> in(count), out(count), expected(count);
  std::uint32_t bits = 1;
  for (Element& value : in) {
    unsigned char bytes[sizeof(Element)];
    for (unsigned char& byte : bytes) byte = static_cast<unsigned char>((bits = bits * 1664525 + 1013904223) >> 29);
    std::memcpy(&value, bytes, sizeof(Element));
  }
  const e2e::launches launches;
  {
    sycl::buffer<Element> a(in.data(), count), c(out.data(), count);
    std::vector<Element> middle(count, in[0]);
    {
      sycl::buffer<Element> b(middle.data(), count, e2e::promoted_private);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(a, handler, sycl::read_only);
        sycl::accessor to(b, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = from[i] + from[0]; });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::read_only);
        sycl::accessor to(c, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = from[i] + from[i]; });
      });
      // Operators of long vectors are function calls in the kernels, and the analysis does not know the functions'
      // effects.
      wrapper.complete_fusion(sycl::ext::sinter::property::fusion::trust_accesses{});
    }
    if (e2e::can_fuse) {
      for (const Element& each : middle) CHECK(std::memcmp(&each, &in[0], sizeof(Element)) == 0);
    }
  }
  CHECK_FUSED(launches, 2);
  for (std::size_t i = 0; i < count; ++i) {
    const Element sum = in[i] + in[0];
    expected[i] = sum + sum;
  }
  const bool equal = std::memcmp(out.data(), expected.data(), count * sizeof(Element)) == 0;
  if (!equal) std::printf("%s differs\n", name);
  CHECK(equal);
}

struct two_parts {
  float a;
  int b[3];
  friend two_parts operator+(const two_parts& x, const two_parts& y) {
    return {x.a + y.a, {x.b[0] + y.b[0], x.b[1] + y.b[2], x.b[2] + y.b[1]}};
  }
};

}  // namespace

TEST("elements of every kind leave no trace in memory") {
#define WHOLE(...) check_whole<__VA_ARGS__>(#__VA_ARGS__)
  WHOLE(sycl::vec<int, 4>);
  WHOLE(sycl::vec<float, 4>);
  WHOLE(sycl::vec<int, 8>);
  WHOLE(sycl::vec<double, 4>);
  WHOLE(sycl::vec<short, 8>);
  WHOLE(sycl::vec<sycl::half, 8>);
  WHOLE(sycl::vec<char, 16>);
  WHOLE(sycl::vec<float, 16>);
  WHOLE(sycl::marray<int, 4>);
  WHOLE(sycl::marray<short, 5>);
  WHOLE(sycl::marray<double, 7>);
  WHOLE(two_parts);
#undef WHOLE
}

TEST("an array whose element is chosen at run time") {
  // The JIT may keep the array in private memory or not. The values must be right in both cases.
  check_elements<wrapped_array, int>(
      wrapped_array{{-1, -1, -1, -1, -1}},
      [](std::size_t i, wrapped_array& to) {
        for (int& value : to.values) value = 1;
        to.values[i % 5] = static_cast<int>(i);
      },
      [](const wrapped_array& value) { return value.values[(value.values[0] + 2) % 5] + value.values[4]; }, {},
      {sycl::ext::sinter::property::fusion::trust_accesses{}});
}

TEST("several elements for each work-item") {
  for (bool promote : {false, true}) {
    for (std::size_t each : {2, 3, 4}) {
      sycl::queue queue = e2e::make_fusing_queue();
      const std::size_t items = 50, count = items * each;
      std::vector<int> out(items, -1), expected(items);
      const e2e::launches launches;
      {
        ints b{sycl::range<1>(count), promote ? promoted_private : sycl::property_list()}, c(out.data(), items);
        cx::fusion_wrapper wrapper{queue};
        wrapper.start_fusion();
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor to(b, handler, sycl::write_only);
          handler.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) {
            for (std::size_t k = 0; k < each; ++k) to[i[0] * each + k] = static_cast<int>(i[0] * 10 + k);
          });
        });
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor from(b, handler, sycl::read_only);
          sycl::accessor to(c, handler, sycl::write_only);
          handler.parallel_for(sycl::range<1>(items), [=](sycl::id<1> i) {
            int sum = 0;
            for (std::size_t k = 0; k < each; ++k) sum = sum * 3 + from[i[0] * each + (each - 1 - k)];
            to[i] = sum;
          });
        });
        wrapper.complete_fusion();
      }
      CHECK_FUSED(launches, 2);
      for (std::size_t i = 0; i < items; ++i) {
        expected[i] = 0;
        for (std::size_t k = each; k-- > 0;) expected[i] = expected[i] * 3 + static_cast<int>(i * 10 + k);
      }
      CHECK_ALL_EQUAL(out, expected);
    }
  }
}

namespace {

/// The kernels compute middle[i] = make(item), then out[i] = 2 * middle[i]; the temporary `middle` is promoted.
template <int Dimensions, class Make>
void check_dimensions(sycl::range<Dimensions> size, Make make) {
  sycl::queue queue = e2e::make_fusing_queue();
  std::vector<int> middle(size.size(), -7), out(size.size(), -1);
  const e2e::launches launches;
  {
    sycl::buffer<int, Dimensions> b(middle.data(), size, promoted_private), c(out.data(), size);
    cx::fusion_wrapper wrapper{queue};
    wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(b, handler, sycl::write_only);
      handler.parallel_for(size, [=](sycl::item<Dimensions> item) { to[item.get_id()] = make(item); });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(b, handler, sycl::read_only);
      sycl::accessor to(c, handler, sycl::write_only);
      handler.parallel_for(size, [=](sycl::id<Dimensions> i) {
        if constexpr (Dimensions == 3) to[i] = from[i[0]][i[1]][i[2]] * 2;
        if constexpr (Dimensions == 2) to[i] = from[i[0]][i[1]] * 2;
      });
    });
    wrapper.complete_fusion();
  }
  CHECK_FUSED(launches, 2);
  for (std::size_t i = 0; i < size.size(); ++i) CHECK_EQUAL(out[i], static_cast<int>(i) * 2);
  if (e2e::can_fuse) CHECK_ALL_EQUAL(middle, std::vector<int>(size.size(), -7));
}

}  // namespace

TEST("two and three dimensions, promoted") {
  check_dimensions(sycl::range<3>(3, 5, 7), [](sycl::item<3> item) { return static_cast<int>(item.get_linear_id()); });
  check_dimensions(sycl::range<2>(6, 10), [](sycl::item<2> item) { return static_cast<int>(item[0] * 10 + item[1]); });
}

TEST("ranged accessors with offsets") {
  for (bool promote : {false, true}) {
    sycl::queue queue = e2e::make_fusing_queue();
    const std::size_t part = 40;
    const std::vector<int> in = e2e::counted(200, 0);
    std::vector<int> middle(200, -7), out(200, -1);
    const e2e::launches launches;
    {
      ints a(in.data(), 200), b(middle.data(), 200), c(out.data(), 200);
      const sycl::property_list properties = promote ? promoted_private : sycl::property_list();
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(a, handler, sycl::range<1>(part), sycl::id<1>(10), sycl::read_only);
        sycl::accessor to(b, handler, sycl::range<1>(part), sycl::id<1>(70), sycl::write_only, properties);
        handler.parallel_for(sycl::range<1>(part), [=](sycl::id<1> i) { to[i] = from[i] * 2; });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(b, handler, sycl::range<1>(part), sycl::id<1>(70), sycl::read_only, properties);
        sycl::accessor to(c, handler, sycl::range<1>(part), sycl::id<1>(33), sycl::write_only);
        handler.parallel_for(sycl::range<1>(part), [=](sycl::id<1> i) { to[i] = from[i] + 1; });
      });
      wrapper.complete_fusion();
    }
    CHECK_FUSED(launches, 2);
    for (std::size_t i = 0; i < 200; ++i) {
      CHECK_EQUAL(out[i], i >= 33 && i < 33 + part ? static_cast<int>(i - 33 + 10) * 2 + 1 : -1);
      if (!promote) CHECK_EQUAL(middle[i], i >= 70 && i < 70 + part ? static_cast<int>(i - 70 + 10) * 2 : -7);
      if (promote && (i < 70 || i >= 70 + part)) CHECK_EQUAL(middle[i], -7);
    }
  }
}

TEST("overlapping parts of a buffer") {
  for (std::size_t shift : {0, 1, 40}) {
    sycl::queue queue = e2e::make_fusing_queue();
    std::vector<int> values = e2e::counted(80, 0), out(40, -1), expected(40);
    const e2e::launches launches;
    {
      ints whole(values.data(), 80), c(out.data(), 40);
      cx::fusion_wrapper wrapper{queue};
      wrapper.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(whole, handler, sycl::range<1>(40), sycl::id<1>(0), sycl::write_only);
        handler.parallel_for(sycl::range<1>(40), [=](sycl::id<1> i) { to[i] = static_cast<int>(i[0]) + 500; });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(whole, handler, sycl::range<1>(40), sycl::id<1>(shift), sycl::read_only);
        sycl::accessor to(c, handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(40), [=](sycl::id<1> i) { to[i] = from[i]; });
      });
      wrapper.complete_fusion();
    }
    CHECK_EQUAL(launches.count(), shift == 1 ? e2e::launches_when_tiled(2) : e2e::launches_when_fused(2));
    for (std::size_t i = 0; i < 40; ++i) {
      expected[i] = static_cast<int>(i + shift) + (i + shift < 40 ? 500 : 0);
    }
    CHECK_ALL_EQUAL(out, expected);
  }
}

E2E_MAIN
