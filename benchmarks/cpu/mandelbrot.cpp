/// The number of iterations until each point of a picture escapes.
///
/// usage: mandelbrot [PAIRS [WIDTH [HEIGHT [LIMIT]]]]

#include "measure.hpp"

int main(int word_count, char** words) {
  bench::program program(word_count, words, {1024, 1024, 500});
  sycl::queue& queue = program.queue;
  const std::size_t width = program.size(0), height = program.size(1);
  const bench::mandelbrot_view view{
      width, height, -2.0f, -1.25f, 2.5f / static_cast<float>(height), static_cast<int>(program.size(2))};
  const std::size_t count = width * height;
  int* counts = program.allocate<int>(count);
  std::vector<int> expected(count);
  bench::mandelbrot_scalar(view, expected.data());
  double iterations = 0;
  for (int each : expected) iterations += each;

  const auto sinter = [&] {
    queue
        .parallel_for(sycl::range<2>(height, width),
                      [=](sycl::id<2> pixel) {
                        const float real = view.left + view.step * static_cast<float>(pixel[1]);
                        const float imaginary = view.top + view.step * static_cast<float>(pixel[0]);
                        float x = 0, y = 0;
                        int n = 0;
                        while (x * x + y * y <= 4.0f && n < view.limit) {
                          const float next = x * x - y * y + real;
                          y = 2 * x * y + imaginary;
                          x = next;
                          ++n;
                        }
                        counts[pixel[0] * width + pixel[1]] = n;
                      })
        .wait();
  };
  program.measure({
      .name = "mandelbrot",
      .sides = {{"sinter", sinter},
                {"masked", [&] { bench::mandelbrot_masked(view, counts); }},
                {"masked, two vectors", [&] { bench::mandelbrot_masked_twice(view, counts); }}},
      .spoil = [&] { std::fill_n(counts, count, -1); },
      // All sides round multiply-adds once, so all numbers are equal.
      .is_right = [&] { return bench::are_close(counts, expected.data(), count, 0); },
      .operations = 10 * iterations,
  });
}
