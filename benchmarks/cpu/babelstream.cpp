/// The five kernels of BabelStream over doubles, for arrays in memory and for arrays that fit caches.
///
/// usage: babelstream [PAIRS [COUNT...]], at most four counts

#include "measure.hpp"

namespace {

struct arrays {
  double *a, *b, *c, *sum;
  std::size_t count;
};

void measure_size(bench::program& program, const arrays& all) {
  sycl::queue& queue = program.queue;
  const std::size_t count = all.count;
  double *a = all.a, *b = all.b, *c = all.c, *sum = all.sum;
  const double factor = 0.4;
  bench::dice dice;
  std::vector<double> expected(count);
  for (std::size_t i = 0; i < count; ++i) {
    a[i] = static_cast<double>(dice.between(-1, 1));
    b[i] = static_cast<double>(dice.between(-1, 1));
    c[i] = static_cast<double>(dice.between(-1, 1));
  }

  const std::string suffix = ", " + std::to_string(count) + " doubles";
  // No kernel reads the array to which it writes, so running a kernel again changes nothing.
  const auto measure = [&](const char* name, double* result, bench::traffic traffic, auto element, auto sinter,
                           auto openmp) {
    for (std::size_t i = 0; i < count; ++i) expected[i] = element(i);
    traffic.bytes = count * sizeof(double);
    program.measure({
        .name = name + suffix,
        .sides = {{"sinter", sinter}, {"openmp", openmp}},
        .spoil = [&] { std::fill_n(result, count, NAN); },
        .is_right = [&] { return bench::are_close(result, expected.data(), count, 1e-15); },
        .memory = traffic,
    });
  };
  measure(
      "copy", c, {.from = {a}, .reads = 1, .to = {c}, .writes = 1}, [&](std::size_t i) { return a[i]; },
      [&] { queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { c[i] = a[i]; }).wait(); },
      [&] { bench::stream_copy(a, c, count); });
  measure(
      "mul", b, {.from = {c}, .reads = 1, .to = {b}, .writes = 1}, [&](std::size_t i) { return factor * c[i]; },
      [&] { queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { b[i] = factor * c[i]; }).wait(); },
      [&] { bench::stream_mul(b, c, factor, count); });
  measure(
      "add", c, {.from = {a, b}, .reads = 2, .to = {c}, .writes = 1}, [&](std::size_t i) { return a[i] + b[i]; },
      [&] { queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { c[i] = a[i] + b[i]; }).wait(); },
      [&] { bench::stream_add(a, b, c, count); });
  measure(
      "triad", a, {.from = {b, c}, .reads = 2, .to = {a}, .writes = 1},
      [&](std::size_t i) { return b[i] + factor * c[i]; },
      [&] { queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { a[i] = b[i] + factor * c[i]; }).wait(); },
      [&] { bench::stream_triad(a, b, c, factor, count); });

  double expected_sum = 0;
  for (std::size_t i = 0; i < count; ++i) expected_sum += a[i] * b[i];
  const bench::traffic both{.from = {a, b}, .reads = 2, .bytes = count * sizeof(double)};
  program.measure({
      .name = "dot" + suffix,
      .sides = {{"sinter",
                 [&] {
                   queue
                       .parallel_for(sycl::range<1>(count),
                                     sycl::reduction(sum, 0.0, sycl::plus<double>(),
                                                     sycl::property::reduction::initialize_to_identity()),
                                     [=](sycl::id<1> i, auto& total) { total += a[i] * b[i]; })
                       .wait();
                 }},
                {"strict", [&] { *sum = bench::stream_dot_strict(a, b, count); }},
                {"reassociated", [&] { *sum = bench::stream_dot_reassociated(a, b, count); }}},
      .spoil = [&] { *sum = NAN; },
      .is_right = [&] { return bench::are_close(sum, &expected_sum, 1, 1e-9); },
      .memory = both,
  });
}

}  // namespace

int main(int word_count, char** words) {
  // The sizes are for memory, and for the third, second and first level of the caches of common machines.
  bench::program program(word_count, words, {1 << 25, 1 << 18, 1 << 14, 1 << 10});
  for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t count = program.size(k);
    const arrays all{program.allocate<double>(count), program.allocate<double>(count), program.allocate<double>(count),
                     program.allocate<double>(1), count};
    measure_size(program, all);
    for (double* memory : {all.a, all.b, all.c, all.sum}) sycl::free(memory, program.queue);
  }
}
