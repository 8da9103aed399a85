/// A product of matrices, with Celerity: each rank computes some rows of the result. The range mappers say that a rank
/// needs the same rows of the left matrix and the whole right matrix.
///
/// usage: mpirun -n RANKS celerity_product [SIZE]

#include <celerity.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <vector>

namespace {

// The values are small whole numbers, whose sums are exact in any order.
float left_value(std::size_t row, std::size_t column) { return static_cast<float>((row * 5 + column * 3) % 8); }
float right_value(std::size_t row, std::size_t column) { return static_cast<float>((row * 7 + column * 2) % 8) - 3.0f; }

void multiply(celerity::queue& queue, celerity::buffer<float, 2>& left, celerity::buffer<float, 2>& right,
              celerity::buffer<float, 2>& product) {
  queue.submit([&](celerity::handler& handler) {
    celerity::accessor a(left, handler, celerity::access::slice<2>(1), celerity::read_only);
    celerity::accessor b(right, handler, celerity::access::slice<2>(0), celerity::read_only);
    celerity::accessor c(product, handler, celerity::access::one_to_one(), celerity::write_only, celerity::no_init);
    const std::size_t size = product.get_range()[0];
    handler.parallel_for(product.get_range(), [=](celerity::item<2> item) {
      float sum = 0.0f;
      for (std::size_t k = 0; k < size; ++k) sum += a[{item[0], k}] * b[{k, item[1]}];
      c[item] = sum;
    });
  });
}

bool parse(const char* text, std::size_t& value) {
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  return error == std::errc() && rest == end && value >= 1 && value <= 10'000;
}

}  // namespace

int main(int argument_count, char** arguments) try {
  std::size_t size = 512;
  if (argument_count > 2 || (argument_count == 2 && !parse(arguments[1], size))) {
    std::fputs("usage: celerity_product [SIZE], at most 10000\n", stderr);
    return 2;
  }
  celerity::queue queue;
  std::vector<float> left(size * size), right(size * size);
  for (std::size_t i = 0; i < left.size(); ++i) {
    left[i] = left_value(i / size, i % size);
    right[i] = right_value(i / size, i % size);
  }
  const celerity::range<2> range(size, size);
  celerity::buffer<float, 2> a(left.data(), range), b(right.data(), range), c(range);

  queue.wait();
  const auto begin = std::chrono::steady_clock::now();
  multiply(queue, a, b, c);
  queue.wait();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;

  // The check runs on one rank, which gets the whole product.
  celerity::experimental::host_object<std::size_t> wrong(0);
  queue.submit([&](celerity::handler& handler) {
    celerity::accessor result(c, handler, celerity::access::all(), celerity::read_only_host_task);
    celerity::experimental::side_effect count(wrong, handler);
    handler.host_task(celerity::once, [=] {
      std::vector<float> expected(size);
      for (std::size_t row = 0; row < size; ++row) {
        expected.assign(size, 0.0f);
        for (std::size_t k = 0; k < size; ++k) {
          for (std::size_t column = 0; column < size; ++column) {
            expected[column] += left_value(row, k) * right_value(k, column);
          }
        }
        for (std::size_t column = 0; column < size; ++column) *count += result[{row, column}] != expected[column];
      }
      std::printf("%zu x %zu: %.1f ms; %s\n", size, size, time.count(), *count == 0 ? "right" : "WRONG");
    });
  });
  return queue.fence(wrong).get() == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "celerity_product: %s\n", error.what());
  return 1;
}
