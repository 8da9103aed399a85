/// Sums the numbers of a large array: each work-group reduces its part in local memory, with a barrier after each step.
///
/// usage: local_memory [COUNT], default 1000003

#include <sycl/sycl.hpp>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

namespace {

constexpr std::size_t group_size = 128;

/// Each work-group computes the sum of its group_size elements. `values` may have any length; missing elements count as
/// 0.
std::vector<std::uint64_t> partial_sums(sycl::queue& queue, const std::vector<std::uint32_t>& values) {
  const std::size_t count = values.size(), groups = (count + group_size - 1) / group_size;
  std::vector<std::uint64_t> sums(groups);
  if (groups == 0) return sums;

  sycl::buffer<std::uint32_t, 1> input(values.data(), sycl::range<1>(count));
  sycl::buffer<std::uint64_t, 1> output(sums.data(), sycl::range<1>(groups));
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor in(input, handler, sycl::read_only);
    sycl::accessor out(output, handler, sycl::write_only, sycl::no_init);
    sycl::local_accessor<std::uint64_t, 1> local(sycl::range<1>(group_size), handler);
    handler.parallel_for(sycl::nd_range<1>(groups * group_size, group_size), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_global_id(0), mine = item.get_local_id(0);
      local[mine] = i < count ? in[i] : 0;
      for (std::size_t half = group_size / 2; half > 0; half /= 2) {
        sycl::group_barrier(item.get_group());
        if (mine < half) local[mine] += local[mine + half];
      }
      if (mine == 0) out[item.get_group(0)] = local[0];
    });
  });
  queue.wait_and_throw();
  return sums;
}

/// Parses COUNT. Returns false unless the text is a number from 0 to 100 million.
bool parse_count(const char* text, std::size_t& count) {
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, count);
  return error == std::errc() && rest == end && count <= 100'000'000;
}

} // namespace

int main(int argument_count, char** arguments) try {
  std::size_t count = 1'000'003;
  if (argument_count > 2 || (argument_count == 2 && !parse_count(arguments[1], count))) {
    std::fputs("usage: local_memory [COUNT], COUNT from 0 to 100000000\n", stderr);
    return 2;
  }

  std::vector<std::uint32_t> values(count);
  std::uint64_t expected = 0;
  std::uint32_t state = 12345;
  for (std::uint32_t& value : values) {
    state = state * 1664525 + 1013904223;  // any numbers would do; these are the same in each run
    value = state;
    expected += value;
  }

  sycl::queue queue;
  std::uint64_t sum = 0;
  for (std::uint64_t part : partial_sums(queue, values)) sum += part;
  std::printf("sum of %zu numbers: %llu, %s\n", count, static_cast<unsigned long long>(sum),
              sum == expected ? "right" : "WRONG");
  return sum == expected ? 0 : 1;
} catch (const sycl::exception& error) {
  std::fprintf(stderr, "local_memory: %s\n", error.what());
  return 1;
}
