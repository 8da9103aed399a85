/// Runs random lists of stencils. Each list ends with a reduction over the range of its stencils, like sweeps of a
/// solver that end with the norm of a residual. The fused kernels must give the same bits as separate kernels. If sums
/// are not rounded, they must also equal the sums of plain loops. E2E_SEED picks one list, E2E_LISTS sets the number of
/// lists, and E2E_FIRST sets the number of the first list.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "fusion_doors.hpp"

namespace {

namespace cx = sycl::ext::codeplay::experimental;
using e2e::door, e2e::door_names;

/// An image in host memory, with the interface of an accessor.
template <class T>
struct plain {
  const std::vector<T>* values;
  std::size_t width;
  T operator[](sycl::id<2> at) const { return (*values)[at[0] * width + at[1]]; }
};

std::size_t before(std::size_t i) { return i == 0 ? 0 : i - 1; }
std::size_t behind(std::size_t i, std::size_t n) { return i + 1 < n ? i + 1 : i; }

template <class T>
struct sweep {
  template <class From>
  static T compute(const From& from, sycl::id<2> i, sycl::range<2> n) {
    const T up = from[{before(i[0]), i[1]}], down = from[{behind(i[0], n[0]), i[1]}];
    const T left = from[{i[0], before(i[1])}], right = from[{i[0], behind(i[1], n[1])}];
    return (up + down * T(3) + left * T(5) + right * T(7)) / T(16);
  }
};
template <class T>
struct along_rows {
  template <class From>
  static T compute(const From& from, sycl::id<2> i, sycl::range<2> n) {
    T sum = from[i] * T(2);
    if (i[1] >= 2) sum += from[{i[0], i[1] - 2}];
    if (i[1] + 3 < n[1]) sum += from[{i[0], i[1] + 3}] * T(3);
    return sum / T(5);
  }
};
template <class T>
struct far_below {
  template <class From>
  static T compute(const From& from, sycl::id<2> i, sycl::range<2> n) {
    return from[{std::min(i[0] + 4, n[0] - 1), i[1]}] + from[i] / T(3);
  }
};
template <class T>
struct own {
  template <class From>
  static T compute(const From& from, sycl::id<2> i, sycl::range<2>) {
    return from[i] * T(3) / T(2);
  }
};

template <class Stage, class T>
void submit(sycl::queue& queue, sycl::buffer<T, 2>& left, sycl::buffer<T, 2>& to) {
  const sycl::range<2> range = to.get_range();
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor from(left, handler, sycl::read_only);
    sycl::accessor out(to, handler, sycl::write_only, sycl::no_init);
    handler.parallel_for(range, [=](sycl::id<2> i) { out[i] = Stage::compute(from, i, range); });
  });
}
template <class Stage, class T>
void compute(const plain<T>& from, sycl::range<2> range, std::vector<T>& to) {
  for (std::size_t y = 0; y < range[0]; ++y) {
    for (std::size_t x = 0; x < range[1]; ++x) to[y * range[1] + x] = Stage::compute(from, {y, x}, range);
  }
}

template <class T>
struct stage_kind {
  void (*submit)(sycl::queue&, sycl::buffer<T, 2>&, sycl::buffer<T, 2>&);
  void (*compute)(const plain<T>&, sycl::range<2>, std::vector<T>&);
};
template <class T>
constexpr stage_kind<T> kinds[] = {{submit<sweep<T>, T>, compute<sweep<T>, T>},
                                   {submit<along_rows<T>, T>, compute<along_rows<T>, T>},
                                   {submit<far_below<T>, T>, compute<far_below<T>, T>},
                                   {submit<own<T>, T>, compute<own<T>, T>}};

/// A function x -> times * x + plus. The composition of such functions depends on their order.
struct line {
  std::uint32_t times, plus;
};
struct one_behind_the_other {
  line operator()(const line& a, const line& b) const { return {a.times * b.times, b.times * a.plus + b.plus}; }
};
std::uint32_t bits(float value) {
  std::uint32_t result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}
std::uint32_t bits(std::uint32_t value) { return value; }

enum class sums : unsigned { squares, largest_change, around, two, in_order, several, count };

template <class T>
struct results {
  T sum = T(2), most = T(1), three[3] = {T(1), T(2), T(3)};
  line composed{1, 0};
};

/// The value that the element i contributes to the reduction. `last` and `other` are images.
template <class T, class From>
T squared(const From& last, sycl::id<2> i) {
  return last[i] * last[i];
}
template <class T, class From>
T change(const From& last, const From& other, sycl::id<2> i) {
  const T a = last[i], b = other[i];
  return a < b ? b - a : a - b;
}
template <class T, class From>
T residual(const From& last, sycl::id<2> i, sycl::range<2> n) {
  return last[i] * T(2) + sweep<T>::compute(last, i, n);
}
template <class T, class From>
line line_of(const From& last, sycl::id<2> i) {
  return {bits(static_cast<T>(last[i])) | 1, static_cast<std::uint32_t>(i[0] * 31 + i[1])};
}

template <class T>
void submit_sum(sums kind, sycl::queue& queue, sycl::buffer<T, 2>& image, sycl::buffer<T, 2>& before_it,
                results<T>& to) {
  const sycl::range<2> range = image.get_range();
  const sycl::plus<T> plus;
  const sycl::maximum<T> maximum;
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor last(image, handler, sycl::read_only), other(before_it, handler, sycl::read_only);
    switch (kind) {
      case sums::squares:
        return handler.parallel_for(range, sycl::reduction(&to.sum, plus),
                                    [=](sycl::id<2> i, auto& sum) { sum += squared<T>(last, i); });
      case sums::largest_change:
        return handler.parallel_for(
            range, sycl::reduction(&to.most, maximum, sycl::property::reduction::initialize_to_identity{}),
            [=](sycl::id<2> i, auto& most) { most.combine(change<T>(last, other, i)); });
      case sums::around:
        return handler.parallel_for(range, sycl::reduction(&to.sum, plus),
                                    [=](sycl::id<2> i, auto& sum) { sum += residual<T>(last, i, range); });
      case sums::two:
        return handler.parallel_for(range, sycl::reduction(&to.sum, plus), sycl::reduction(&to.most, maximum),
                                    [=](sycl::id<2> i, auto& sum, auto& most) {
                                      sum += residual<T>(last, i, range);
                                      most.combine(change<T>(last, other, i));
                                    });
      case sums::in_order:
        return handler.parallel_for(range, sycl::reduction(&to.composed, line{1, 0}, one_behind_the_other()),
                                    [=](sycl::id<2> i, auto& composed) { composed.combine(line_of<T>(last, i)); });
      default:
        return handler.parallel_for(range, sycl::reduction(sycl::span<T, 3>(to.three, 3), plus),
                                    [=](sycl::id<2> i, auto& three) { three[(i[0] + i[1]) % 3] += last[i]; });
    }
  });
}

template <class T>
void compute_sum(sums kind, const plain<T>& last, const plain<T>& other, sycl::range<2> range, results<T>& to) {
  if (kind == sums::largest_change) to.most = std::numeric_limits<T>::lowest();
  for (std::size_t y = 0; y < range[0]; ++y) {
    for (std::size_t x = 0; x < range[1]; ++x) {
      const sycl::id<2> i{y, x};
      if (kind == sums::squares) to.sum += squared<T>(last, i);
      if (kind == sums::around || kind == sums::two) to.sum += residual<T>(last, i, range);
      if (kind == sums::largest_change || kind == sums::two) to.most = std::max(to.most, change<T>(last, other, i));
      if (kind == sums::in_order) to.composed = one_behind_the_other()(to.composed, line_of<T>(last, i));
      if (kind == sums::several) to.three[(y + x) % 3] += last[i];
    }
  }
}

struct list {
  std::vector<std::size_t> steps;
  std::vector<bool> lasts;
  sums kind;
  std::size_t other;  ///< the second image that the reduction reads
};

sycl::queue queue_of(door which) {
  if (which == door::completed) return e2e::make_fusing_queue();
  if (which == door::automatic) return e2e::make_queue({sycl::ext::sinter::property::queue::auto_fusion{}});
  return e2e::make_queue();
}

template <class T>
struct outcome {
  std::vector<std::vector<T>> images;
  results<T> sums;
};

template <class T>
outcome<T> run(const list& what, sycl::range<2> range, const std::vector<T>& first, door which) {
  sycl::queue queue = queue_of(which);
  outcome<T> found;
  auto* shared = sycl::malloc_shared<results<T>>(1, queue);
  *shared = {};
  std::vector<sycl::buffer<T, 2>> all, kept;
  all.emplace_back(first.data(), range);
  // This copy of the buffer object keeps the buffer alive: destroying a buffer that uses host memory would end the
  // list.
  const sycl::buffer<T, 2> input = all.front();
  for (std::size_t i = 0; i < what.steps.size(); ++i) {
    all.emplace_back(range);
    if (what.lasts[i]) kept.push_back(all.back());
  }
  const auto submit_all = [&] {
    for (std::size_t i = 0; i < what.steps.size(); ++i) kinds<T>[what.steps[i]].submit(queue, all[i], all[i + 1]);
    submit_sum(what.kind, queue, all.back(), all[what.other], *shared);
    all.clear();
  };
  e2e::run_through(which, queue, submit_all);
  for (sycl::buffer<T, 2>& each : kept) {
    sycl::host_accessor values(each, sycl::read_only);
    found.images.emplace_back(values.begin(), values.end());
  }
  found.sums = *shared;
  sycl::free(shared, queue);
  return found;
}

template <class T>
outcome<T> computed(const list& what, sycl::range<2> range, const std::vector<T>& first) {
  outcome<T> result;
  std::vector<std::vector<T>> all{first};
  for (std::size_t i = 0; i < what.steps.size(); ++i) {
    std::vector<T> next(range.size());
    kinds<T>[what.steps[i]].compute({&all.back(), range[1]}, range, next);
    all.push_back(next);
    if (what.lasts[i]) result.images.push_back(next);
  }
  compute_sum<T>(what.kind, {&all.back(), range[1]}, {&all[what.other], range[1]}, range, result.sums);
  return result;
}

template <class T>
bool same(const outcome<T>& a, const outcome<T>& b) {
  if (std::memcmp(&a.sums, &b.sums, sizeof(a.sums)) != 0) return false;
  for (std::size_t i = 0; i < a.images.size(); ++i) {
    if (std::memcmp(a.images[i].data(), b.images[i].data(), a.images[i].size() * sizeof(T)) != 0) return false;
  }
  return true;
}

std::size_t random_size(std::mt19937& numbers, std::size_t most) {
  const std::size_t usual[] = {1, 2, 3, 5, 16, 17, 31, 64, 65, 128, 130, 256, 511, 512, 1024};
  return std::min(numbers() % 3 == 0 ? 1 + numbers() % most : usual[numbers() % std::size(usual)], most);
}

std::size_t fused_by[4] = {};

template <class T>
void check(std::uint32_t seed) {
  std::mt19937 numbers(seed);
  list what;
  const std::size_t count = 1 + numbers() % 4;
  for (std::size_t i = 0; i < count; ++i) {
    what.steps.push_back(numbers() % std::size(kinds<T>));
    what.lasts.push_back(numbers() % 3 == 0);
  }
  what.kind = static_cast<sums>(numbers() % static_cast<unsigned>(sums::count));
  what.other = numbers() % (count + 1);
  const sycl::range<2> range(random_size(numbers, 600), random_size(numbers, 2100));
  std::vector<T> first(range.size());
  for (T& each : first) each = static_cast<T>(numbers() % 2000) / static_cast<T>(std::is_integral_v<T> ? 1 : 16);
  const outcome<T> expected = run(what, range, first, door::none);
  if constexpr (std::is_integral_v<T>) CHECK(same(expected, computed(what, range, first)));
  for (const door which : {door::completed, seed / 2 % 2 == 0 ? door::graph : door::automatic}) {
    const int rounds = which == door::automatic ? 4 : 1;
    bool fused = false;
    for (int round = 0; round < rounds && !fused; ++round) {
      if (round >= 2) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const e2e::launches counter;
      const outcome<T> found = run(what, range, first, which);
      fused = counter.count() == 1;
      if (same(expected, found)) continue;
      std::printf("E2E_SEED=%u, by %s: results differ\n", seed, door_names[static_cast<int>(which)]);
      CHECK(false);
    }
    if (fused) ++fused_by[static_cast<int>(which)];
  }
}

bool is_of_cpu() { return e2e::can_fuse && e2e::make_queue().get_device().get_backend() == sycl::backend::sinter_cpu; }

/// Returns the number of launches of a list with two sweeps over the range and a sum.
std::uint64_t launches_of(sycl::range<2> range, sums kind = sums::largest_change) {
  const list what{{0, 0}, {false, true}, kind, 1};
  std::vector<float> first(range.size());
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<float>(i * 37 % 1001) / 8;
  const outcome<float> expected = run(what, range, first, door::none);
  const e2e::launches counter;
  CHECK(same(expected, run(what, range, first, door::completed)));
  return counter.count();
}

}  // namespace

TEST("random lists of stencils with a reduction at the end have the bits of their kernels alone") {
  const auto check_one = [](std::uint32_t seed) { seed % 2 == 0 ? check<float>(seed) : check<std::uint32_t>(seed); };
  if (const char* seed = std::getenv("E2E_SEED")) return check_one(static_cast<std::uint32_t>(std::atoi(seed)));
  const std::uint32_t begin = e2e::number_from("E2E_FIRST", 0), count = e2e::number_of_lists(12, 400);
  for (std::uint32_t seed = begin; seed < begin + count; ++seed) check_one(seed);
  std::printf("of %u lists %zu were fused by the program, %zu by queues, %zu by graphs\n", count, fused_by[1],
              fused_by[2], fused_by[3]);
  if (is_of_cpu()) CHECK(fused_by[1] >= count / 2);
}

TEST("sweeps and their largest change are one launch, with runs of whole rows or of any elements") {
  const std::uint64_t joined = is_of_cpu() ? 1 : e2e::launches_when_tiled(2) + 1;
  CHECK_EQUAL(launches_of({512, 512}), joined);
  CHECK_EQUAL(launches_of({333, 701}), joined);
  CHECK_EQUAL(launches_of({70, 64}, sums::around), joined);
  CHECK_EQUAL(launches_of({9, 4000}, sums::in_order), joined);
}

/// Returns the number of launches of a list with two sweeps and a reduction. The reduction also writes elements of an
/// image: the first sweep's input or another image.
std::uint64_t launches_of_writer(bool writes_input) {
  const sycl::range<2> range(300, 257);
  std::vector<float> first(range.size());
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<float>(i * 37 % 1001) / 8;
  std::vector<std::vector<float>> images;
  float sums[2] = {};
  std::uint64_t launches = 0;
  for (const door which : {door::none, door::completed}) {
    sycl::queue queue = queue_of(which);
    const e2e::launches counter;
    std::vector<float> input = first, output(range.size());
    float& sum = sums[which == door::completed];
    {
      sycl::buffer<float, 2> from(input.data(), range), to(output.data(), range), between(range), last(range);
      sycl::buffer<float> summed(&sum, 1);
      e2e::run_through(which, queue, [&] {
        submit<sweep<float>>(queue, from, between);
        submit<sweep<float>>(queue, between, last);
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor values(last, handler, sycl::read_only);
          sycl::accessor out(writes_input ? from : to, handler, sycl::write_only, sycl::no_init);
          handler.parallel_for(range, sycl::reduction(summed, handler, sycl::plus<float>()),
                               [=](sycl::id<2> i, auto& total) {
                                 out[i] = values[i] * 2.0f;
                                 total += values[i];
                               });
        });
      });
    }
    images.push_back(writes_input ? input : output);
    launches = counter.count();
  }
  CHECK(images[0] == images[1]);
  CHECK_EQUAL(bits(sums[0]), bits(sums[1]));
  return launches;
}

TEST("a reduction that overwrites what sweeps read around their work-items runs behind them") {
  CHECK_EQUAL(launches_of_writer(true), is_of_cpu() ? 2 : e2e::launches_when_tiled(2) + 1);
  CHECK_EQUAL(launches_of_writer(false), is_of_cpu() ? 1 : e2e::launches_when_tiled(2) + 1);
}

E2E_MAIN
