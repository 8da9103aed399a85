/// Heat spreads over a plate, with Celerity: the program does not name ranks and does not send messages. The range
/// mapper `neighborhood` tells which elements a kernel reads around a work-item's own element, and Celerity fetches the
/// elements that are on other ranks.
///
/// usage: mpirun -n RANKS celerity_stencil [ROWS [COLUMNS [STEPS]]]

#include <celerity.h>

#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

namespace {

struct plate {
  std::size_t rows = 1024, columns = 1024, steps = 200;
};

/// The initial value of an element. The values at the border of the plate never change.
float initial_value(std::size_t row, std::size_t column) {
  return static_cast<float>((row * 37 + column * 101) % 256) - (row % 3 == 0 ? 128.0f : 0.0f);
}

/// The result is the same on every machine, bit by bit: a factor of a quarter is exact, and sums have a fixed order.
float next_value(float above, float below, float left, float right) {
  return 0.25f * (((above + below) + left) + right);
}

void step(celerity::queue& queue, celerity::buffer<float, 2>& from, celerity::buffer<float, 2>& to) {
  queue.submit([&](celerity::handler& handler) {
    const celerity::access::neighborhood around({1, 1}, celerity::neighborhood_shape::along_axes);
    celerity::accessor old(from, handler, around, celerity::read_only);
    celerity::accessor fresh(to, handler, celerity::access::one_to_one(), celerity::write_only, celerity::no_init);
    const celerity::range<2> size = to.get_range();
    handler.parallel_for(size, [=](celerity::item<2> item) {
      const std::size_t row = item[0], column = item[1];
      const bool is_border = row == 0 || column == 0 || row + 1 == size[0] || column + 1 == size[1];
      fresh[item] = is_border ? old[item]
                              : next_value(old[{row - 1, column}], old[{row + 1, column}], old[{row, column - 1}],
                                           old[{row, column + 1}]);
    });
  });
}

/// Runs all steps on one thread, with plain loops.
std::vector<float> expected_values(const plate& all) {
  std::vector<float> old(all.rows * all.columns);
  for (std::size_t i = 0; i < old.size(); ++i) old[i] = initial_value(i / all.columns, i % all.columns);
  std::vector<float> fresh = old;
  for (std::size_t step = 0; step < all.steps; ++step) {
    for (std::size_t row = 1; row + 1 < all.rows; ++row) {
      for (std::size_t column = 1; column + 1 < all.columns; ++column) {
        const float* at = &old[row * all.columns + column];
        fresh[row * all.columns + column] = next_value(*(at - all.columns), at[all.columns], at[-1], at[1]);
      }
    }
    std::swap(old, fresh);
  }
  return old;
}

bool parse(const char* text, std::size_t& value) {
  const char* end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, value);
  return error == std::errc() && rest == end && value >= 1 && value <= 100'000;
}

}  // namespace

int main(int argument_count, char** arguments) try {
  plate all;
  std::size_t* const values[] = {&all.rows, &all.columns, &all.steps};
  for (int i = 1; i < argument_count; ++i) {
    if (i <= 3 && parse(arguments[i], *values[i - 1])) continue;
    std::fputs("usage: celerity_stencil [ROWS [COLUMNS [STEPS]]]\n", stderr);
    return 2;
  }
  celerity::queue queue;
  std::vector<float> start(all.rows * all.columns);
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = initial_value(i / all.columns, i % all.columns);
  celerity::buffer<float, 2> old(start.data(), celerity::range<2>(all.rows, all.columns));
  celerity::buffer<float, 2> fresh(celerity::range<2>(all.rows, all.columns));

  queue.wait();
  const auto begin = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < all.steps; ++i) {
    step(queue, old, fresh);
    std::swap(old, fresh);
  }
  queue.wait();
  const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;

  // The check runs on one rank, which gets all rows.
  celerity::experimental::host_object<std::size_t> wrong(0);
  queue.submit([&](celerity::handler& handler) {
    celerity::accessor result(old, handler, celerity::access::all(), celerity::read_only_host_task);
    celerity::experimental::side_effect count(wrong, handler);
    handler.host_task(celerity::once, [=] {
      const std::vector<float> expected = expected_values(all);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        *count += result[{i / all.columns, i % all.columns}] != expected[i];
      }
      std::printf("%zu x %zu, %zu steps: %.1f ms; %s\n", all.rows, all.columns, all.steps, time.count(),
                  *count == 0 ? "right" : "WRONG");
    });
  });
  return queue.fence(wrong).get() == 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "celerity_stencil: %s\n", error.what());
  return 1;
}
