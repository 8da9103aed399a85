/// Sums an array with sycl::reduction, once in a range kernel and once in an nd_range kernel.
///
/// usage: reduction [PAIRS [COUNT]]; the nd_range rounds COUNT down to a multiple of 256.

#include "measure.hpp"

int main(int word_count, char** words) {
  bench::program program(word_count, words, {1 << 25});
  sycl::queue& queue = program.queue;
  const std::size_t all = program.size(0);
  float* values = program.allocate<float>(all);
  float* sum = program.allocate<float>(1);
  // The values are small whole numbers, whose sums are exact in every order, so a single forgotten element is detected.
  bench::dice dice;
  for (std::size_t i = 0; i < all; ++i) values[i] = static_cast<float>(static_cast<int>(dice.next() >> 16) % 17 - 8);

  const auto measure = [&](const char* name, std::size_t count, const std::function<void()>& sinter) {
    float expected = 0;
    for (std::size_t i = 0; i < count; ++i) expected += values[i];
    program.measure({
        .name = name,
        .sides = {{"sinter", sinter}, {"openmp", [&] { *sum = bench::reduction_simd(values, count); }}},
        .spoil = [&] { *sum = NAN; },
        .is_right = [&] { return bench::are_close(sum, &expected, 1, 0); },
        .memory = {.from = {values}, .reads = 1, .bytes = count * sizeof(float)},
    });
  };
  const auto into_sum = [&] {
    return sycl::reduction(sum, 0.0f, sycl::plus<float>(), sycl::property::reduction::initialize_to_identity());
  };
  measure("reduction, range", all, [&] {
    queue.parallel_for(sycl::range<1>(all), into_sum(), [=](sycl::id<1> i, auto& total) { total += values[i]; }).wait();
  });
  if (const std::size_t whole_groups = all / 256 * 256; whole_groups > 0) {
    measure("reduction, nd_range", whole_groups, [&] {
      queue
          .parallel_for(sycl::nd_range<1>(whole_groups, 256), into_sum(),
                        [=](sycl::nd_item<1> item, auto& total) { total += values[item.get_global_id(0)]; })
          .wait();
    });
  }
}
