/// Random lists of kernels. Programs compute softmax and layer norm with kernels of this kind. Some kernels have a
/// work-item for each row (sums, maxima, norms), and the others have one for each element. Fused and separate kernels
/// give equal bits. E2E_SEED picks one list, E2E_LISTS sets the number of lists, and E2E_FIRST the first list.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <sycl/ext/oneapi/experimental/graph.hpp>

#include "fusion_doors.hpp"

namespace {

using e2e::door, e2e::door_names;

/// The memory of a list: images of `rows` x `width` elements, and arrays with one number per row. An image's rows
/// begin `pitch` elements apart.
template <class T>
struct memory {
  std::vector<T*> images, numbers;
  std::size_t rows, width, pitch;
};

template <class T>
using stage = void (*)(sycl::queue&, const memory<T>&, T* from, T* to, T* number, T* other);

template <class T>
void sum(sycl::queue& queue, const memory<T>& all, T* from, T*, T* number, T*) {
  queue.parallel_for(sycl::range<1>(all.rows), [=, width = all.width, pitch = all.pitch](sycl::id<1> row) {
    T total(0);
    for (std::size_t i = 0; i < width; ++i) total += from[row[0] * pitch + i];
    number[row] = total / T(3);
  });
}

/// Reads two images.
template <class T>
void products(sycl::queue& queue, const memory<T>& all, T* from, T* to, T* number, T*) {
  queue.parallel_for(sycl::range<1>(all.rows), [=, width = all.width, pitch = all.pitch](sycl::id<1> row) {
    const T *first = from + row[0] * pitch, *second = to + row[0] * pitch;
    T total(2);
    for (std::size_t i = 0; i < width; ++i) total += first[i] * second[width - 1 - i];
    number[row] = total / T(11);
  });
}

/// Advances a pointer along the row, and skips elements.
template <class T>
void walk(sycl::queue& queue, const memory<T>& all, T* from, T*, T* number, T* other) {
  queue.parallel_for(sycl::range<1>(all.rows), [=, width = all.width, pitch = all.pitch](sycl::id<1> row) {
    T total(3);
    const T* const begin = from + row[0] * pitch;
    for (const T* at = begin; at != begin + width; ++at) {
      if ((at - begin) % 5 != 3) total = total + *at - other[row];
    }
    number[row] = total;
  });
}

/// Reads every third element.
template <class T>
void thirds(sycl::queue& queue, const memory<T>& all, T* from, T*, T* number, T*) {
  queue.parallel_for(sycl::range<1>(all.rows), [=, width = all.width, pitch = all.pitch](sycl::id<1> row) {
    T total(1);
    for (std::size_t i = 0; i < width; i += 3) total += from[row[0] * pitch + i];
    number[row] = total / T(5);
  });
}

/// Writes an image and a number per row: each work-item writes a row of running sums, and the last sum.
template <class T>
void running(sycl::queue& queue, const memory<T>& all, T* from, T* to, T* number, T*) {
  queue.parallel_for(sycl::range<1>(all.rows), [=, width = all.width, pitch = all.pitch](sycl::id<1> row) {
    T total = from[row[0] * pitch] / T(2);
    for (std::size_t i = 0; i < width; ++i) {
      total = total / T(2) + from[row[0] * pitch + i];
      to[row[0] * pitch + i] = total;
    }
    number[row] = total;
  });
}

/// Changes a row in place. Each element depends on the element before it.
template <class T>
void smooth(sycl::queue& queue, const memory<T>& all, T*, T* to, T* number, T*) {
  queue.parallel_for(sycl::range<1>(all.rows), [=, width = all.width, pitch = all.pitch](sycl::id<1> row) {
    T* const begin = to + row[0] * pitch;
    for (std::size_t i = 1; i < width; ++i) begin[i] = (begin[i] + begin[i - 1]) / T(2) + number[row];
  });
}

/// Indexes with ints, reads a second number for each row, and has a range of two dimensions.
template <class T>
void spread(sycl::queue& queue, const memory<T>& all, T* from, T*, T* number, T* other) {
  const int width = static_cast<int>(all.width), pitch = static_cast<int>(all.pitch);
  queue.parallel_for(sycl::range<2>(all.rows, 1), [=](sycl::id<2> at) {
    const T* row = from + static_cast<int>(at[0]) * pitch;
    T total(1);
    for (int i = width - 1; i >= 0; --i) total = total + (row[i] - other[at[0]]) * (row[i] - other[at[0]]);
    number[at[0]] = T(1) + total / T(7);
  });
}

template <class T>
void largest(sycl::queue& queue, const memory<T>& all, T* from, T*, T* number, T*) {
  queue.parallel_for(sycl::range<1>(all.rows), [=, width = all.width, pitch = all.pitch](sycl::item<1> row) {
    T most = from[row[0] * pitch];
    for (std::size_t i = 1; i < width; ++i) most = sycl::max(most, from[row[0] * pitch + i]);
    number[row] = most;
  });
}

template <class T>
void shift(sycl::queue& queue, const memory<T>& all, T* from, T* to, T* number, T*) {
  queue.parallel_for(sycl::range<2>(all.rows, all.width), [=, pitch = all.pitch](sycl::id<2> at) {
    to[at[0] * pitch + at[1]] = from[at[0] * pitch + at[1]] - number[at[0]];
  });
}

template <class T>
void powers(sycl::queue& queue, const memory<T>& all, T* from, T* to, T* number, T*) {
  queue.parallel_for(sycl::range<2>(all.rows, all.width), [=, pitch = all.pitch](sycl::id<2> at) {
    const T value = from[at[0] * pitch + at[1]] - number[at[0]];
    if constexpr (std::is_floating_point_v<T>) {
      to[at[0] * pitch + at[1]] = sycl::exp(value * T(0.001));
    } else {
      to[at[0] * pitch + at[1]] = value * value;
    }
  });
}

/// Changes the elements of an image in place.
template <class T>
void scale(sycl::queue& queue, const memory<T>& all, T*, T* to, T* number, T* other) {
  queue.parallel_for(sycl::range<2>(all.rows, all.width), [=, pitch = all.pitch](sycl::item<2> at) {
    T& own = to[at[0] * pitch + at[1]];
    if (at[1] % 3 != 2) own = own * T(3) - number[at[0]] + other[at[0]];
  });
}

/// Reads each row from its end to its start.
template <class T>
void reverse(sycl::queue& queue, const memory<T>& all, T* from, T* to, T* number, T*) {
  queue.parallel_for(sycl::range<2>(all.rows, all.width),
                     [=, width = all.width, pitch = all.pitch](sycl::id<2> at) {
                       to[at[0] * pitch + at[1]] = from[at[0] * pitch + width - 1 - at[1]] + number[at[0]];
                     });
}

/// Has a range of three dimensions, whose work-items handle halves of rows.
template <class T>
void halves(sycl::queue& queue, const memory<T>& all, T* from, T* to, T* number, T*) {
  const std::size_t half = all.width / 2;
  if (half == 0) return shift(queue, all, from, to, number, number);
  queue.parallel_for(sycl::range<3>(all.rows, 2, half), [=, pitch = all.pitch](sycl::id<3> at) {
    const std::size_t place = at[0] * pitch + at[1] * half + at[2];
    to[place] = from[place] * T(2) + number[at[0]];
  });
}

/// Reads the next row, which may belong to another group.
template <class T>
void mix_rows(sycl::queue& queue, const memory<T>& all, T* from, T* to, T* number, T*) {
  queue.parallel_for(sycl::range<2>(all.rows, all.width),
                     [=, rows = all.rows, pitch = all.pitch](sycl::id<2> at) {
                       const std::size_t next = at[0] + 1;
                       if (next < rows) to[at[0] * pitch + at[1]] = from[next * pitch + at[1]] - number[next];
                     });
}

template <class T>
constexpr stage<T> stages[] = {sum<T>,     spread<T>, largest<T>,  shift<T>, powers<T>, scale<T>,   reverse<T>,
                               halves<T>, products<T>, walk<T>,   thirds<T>, running<T>, smooth<T>, mix_rows<T>};

struct list_step {
  std::size_t stage, from, to, number, other;
};

constexpr std::size_t image_count = 4, number_count = 3;

template <class T>
std::vector<T> run(const std::vector<list_step>& steps, std::size_t rows, std::size_t width, std::size_t pitch,
                   std::uint32_t seed, door which) {
  const sycl::property::queue::in_order in_order;
  sycl::queue queue = e2e::make_queue({in_order});
  if (which == door::completed) queue = e2e::make_queue({cx::property::queue::enable_fusion{}, in_order});
  if (which == door::automatic) queue = e2e::make_queue({sycl::ext::sinter::property::queue::auto_fusion{}, in_order});
  std::mt19937 numbers(seed);
  memory<T> all{{}, {}, rows, width, pitch};
  const auto allocate = [&](std::size_t count) {
    T* memory = sycl::malloc_shared<T>(count, queue);
    for (std::size_t i = 0; i < count; ++i) memory[i] = static_cast<T>(T(numbers() % 4000) / T(16));
    return memory;
  };
  for (std::size_t i = 0; i < image_count; ++i) all.images.push_back(allocate(rows * pitch));
  for (std::size_t i = 0; i < number_count; ++i) all.numbers.push_back(allocate(rows));
  const auto submit_all = [&] {
    for (const list_step& each : steps) {
      stages<T>[each.stage](queue, all, all.images[each.from], all.images[each.to], all.numbers[each.number],
                            all.numbers[each.other]);
    }
  };
  e2e::run_through(which, queue, submit_all);
  std::vector<T> result;
  for (T* each : all.images) result.insert(result.end(), each, each + rows * pitch), sycl::free(each, queue);
  for (T* each : all.numbers) result.insert(result.end(), each, each + rows), sycl::free(each, queue);
  return result;
}

std::size_t fused_by[4] = {};

template <class T>
void check(std::uint32_t seed) {
  std::mt19937 numbers(seed);
  constexpr std::size_t odd[] = {1, 2, 3, 15, 16, 17, 31, 33, 48, 64, 100};
  std::size_t rows = numbers() % 3 == 0 ? 1 + numbers() % 300 : odd[numbers() % std::size(odd)];
  std::size_t width = numbers() % 3 == 0 ? 1 + numbers() % 700 : odd[numbers() % std::size(odd)];
  // On a GPU, a group's local memory holds few long rows, or none. If there are many rows, each group handles several.
  if (numbers() % 8 == 0) rows = 2 + numbers() % 6, width = 1000 + numbers() % 16000 / sizeof(T) * 4;
  if (numbers() % 16 == 0) rows = 1000 + numbers() % 4000, width = 1 + numbers() % 70;
  const std::size_t pitch = width + (numbers() % 3 == 0 ? numbers() % 20 : 0);
  std::vector<list_step> steps;
  const std::size_t count = 2 + numbers() % 5;
  for (std::size_t i = 0; i < count; ++i) {
    // The last kind can't be fused, so it is chosen rarely.
    const std::size_t kind = numbers() % 16 == 0 ? std::size(stages<T>) - 1 : numbers() % (std::size(stages<T>) - 1);
    list_step step{kind, numbers() % image_count, 0, numbers() % number_count, 0};
    // If work-items of one kernel shared an element, the work-items would race. So a step reads and writes different
    // images, and different arrays of numbers.
    step.to = (step.from + 1 + numbers() % (image_count - 1)) % image_count;
    step.other = (step.number + 1 + numbers() % (number_count - 1)) % number_count;
    steps.push_back(step);
  }
  const std::vector<T> expected = run<T>(steps, rows, width, pitch, seed, door::none);
  for (const door which : {door::completed, door::graph, door::automatic}) {
    if (which == door::automatic && seed % 3 != 0) continue;
    for (int round = 0; round < (which == door::automatic ? 4 : 1); ++round) {
      if (round > 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      const e2e::launches counter;
      const std::vector<T> found = run<T>(steps, rows, width, pitch, seed, which);
      const bool same = std::memcmp(found.data(), expected.data(), found.size() * sizeof(T)) == 0;
      if (!same) std::printf("E2E_SEED=%u, by %s: results differ\n", seed, door_names[static_cast<int>(which)]);
      CHECK(same);
      if (counter.count() >= count) continue;
      ++fused_by[static_cast<int>(which)];
      break;
    }
  }
}

void check(std::uint32_t seed) {
  if (seed % 7 == 3) return check<std::uint8_t>(seed);
  if (seed % 7 == 4) return check<std::int64_t>(seed);
  if (seed % 7 == 5) return check<sycl::float4>(seed);
  seed % 2 == 0 ? check<float>(seed) : check<std::int32_t>(seed);
}

}  // namespace

TEST("random lists of kernels of rows and of elements have the bits of their kernels alone") {
  if (const char* seed = std::getenv("E2E_SEED")) return check(static_cast<std::uint32_t>(std::atoi(seed)));
  const std::uint32_t begin = e2e::number_from("E2E_FIRST", 0), count = e2e::number_of_lists(15, 300);
  for (std::uint32_t seed = begin; seed < begin + count; ++seed) check(seed);
  std::printf("of %u lists %zu were fused by the program, %zu by queues, %zu by graphs\n", count, fused_by[1],
              fused_by[2], fused_by[3]);
}

TEST("softmax and layer norm, as people write them, are one launch each") {
  constexpr std::size_t rows = 70, width = 333;
  // The first list has the stages `largest`, `powers`, `sum` and `scale`. The second list has `sum`, `spread`, `shift`
  // and `scale`.
  const std::vector<list_step> softmax{{2, 0, 1, 0, 1}, {4, 0, 1, 0, 1}, {0, 1, 1, 1, 0}, {5, 1, 1, 1, 0}};
  const std::vector<list_step> norm{{0, 0, 1, 0, 1}, {1, 0, 1, 1, 0}, {3, 0, 1, 0, 1}, {5, 1, 1, 1, 0}};
  for (const auto& steps : {softmax, norm}) {
    const std::vector<float> expected = run<float>(steps, rows, width, width, 1, door::none);
    for (const door which : {door::completed, door::graph}) {
      const e2e::launches counter;
      CHECK((run<float>(steps, rows, width, width, 1, which) == expected));
      if (which == door::completed || std::getenv("SINTER_TEST")) CHECK_FUSED(counter, 4);
    }
  }
}

/// Softmax with buffers. On a GPU, some rows fit a group's local memory, and others do not.
TEST("a softmax with accessors is one launch") {
  constexpr std::size_t rows = 67;
  for (const std::size_t width : {1, 7, 333, 8000, 13000}) {
    std::vector<float> results[2];
    for (const bool fuses : {false, true}) {
      sycl::queue queue = fuses ? e2e::make_fusing_queue() : e2e::make_queue();
      std::vector<float> in(rows * width);
      for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i * 7 % 1001) / 64;
      results[fuses] = std::vector<float>(rows * width);
      const e2e::launches counter;
      {
        const sycl::range<2> all(rows, width);
        sycl::buffer<float, 2> buffer_in(in.data(), all), buffer_out(results[fuses].data(), all);
        sycl::buffer<float> largest{sycl::range(rows)}, sums{sycl::range(rows)};
        std::optional<cx::fusion_wrapper> wrapper;
        if (fuses) wrapper.emplace(queue).start_fusion();
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor from(buffer_in, handler, sycl::read_only);
          sycl::accessor to(largest, handler, sycl::write_only);
          handler.parallel_for(sycl::range(rows), [=](sycl::id<1> row) {
            float most = from[row[0]][0];
            for (std::size_t i = 1; i < width; ++i) most = sycl::fmax(most, from[row[0]][i]);
            to[row] = most;
          });
        });
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor from(buffer_in, handler, sycl::read_only);
          sycl::accessor most(largest, handler, sycl::read_only);
          sycl::accessor to(buffer_out, handler, sycl::write_only);
          handler.parallel_for(all, [=](sycl::id<2> at) { to[at] = sycl::exp(from[at] - most[at[0]]); });
        });
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor from(buffer_out, handler, sycl::read_only);
          sycl::accessor to(sums, handler, sycl::write_only);
          handler.parallel_for(sycl::range(rows), [=](sycl::id<1> row) {
            float sum = 0;
            for (std::size_t i = 0; i < width; ++i) sum += from[row[0]][i];
            to[row] = sum;
          });
        });
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor to(buffer_out, handler, sycl::read_write);
          sycl::accessor sum(sums, handler, sycl::read_only);
          handler.parallel_for(all, [=](sycl::id<2> at) { to[at] /= sum[at[0]]; });
        });
        if (fuses) wrapper->complete_fusion();
        queue.wait();
      }
      // All four kernels become one launch, even if rows have one element and so need no groups of rows.
      if (fuses) CHECK_FUSED(counter, 4);
    }
    CHECK(std::memcmp(results[0].data(), results[1].data(), rows * width * sizeof(float)) == 0);
  }
}

/// The image is larger than the caches, so the result's stores bypass the caches.
TEST("a layer norm of many rows") {
  constexpr std::size_t rows = 40000, width = 256;
  const std::vector<list_step> norm{{0, 0, 1, 0, 1}, {3, 0, 1, 0, 1}};
  const auto expected = run<float>(norm, rows, width, width, 1, door::none);
  CHECK((run<float>(norm, rows, width, width, 1, door::completed) == expected));
}

E2E_MAIN
