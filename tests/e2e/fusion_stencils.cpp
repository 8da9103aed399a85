/// Random lists of kernels that read results of neighbouring work-items of earlier kernels. The kernels are stages
/// over images, volumes and rows, with all supported rules for borders. Lists that are fused by tiles give the same
/// bits as their kernels one by one. E2E_SEED picks one list, E2E_LISTS sets the number of lists, and E2E_FIRST the
/// first list.
///
/// The file is a little long because all its tests use the same stages.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <thread>
#include <sycl/ext/oneapi/experimental/graph.hpp>

#include "fusion_doors.hpp"
#include "stencil_borders.hpp"

namespace {

using e2e::border;

template <border Rule>
inline bool moved(std::size_t i, int by, std::size_t n, std::size_t& at) {
  return e2e::move(Rule, i, by, n, at);
}

template <int Dimensions>
sycl::id<Dimensions> moved(sycl::id<Dimensions> i, int d, std::size_t at) {
  i[d] = at;
  return i;
}

/// Reads a window along one dimension.
template <class T, int Dimensions, int Along, int Low, int High, border Rule>
struct window {
  static constexpr bool takes_two = false, in_place = false;
  template <class From>
  static T compute(const From& from, const From&, sycl::id<Dimensions> i, sycl::range<Dimensions> n) {
    T sum = from[i];
    for (int by = Low; by <= High; ++by) {
      std::size_t at;
      if (moved<Rule>(i[Along], by, n[Along], at)) sum = sum * T(3) + from[moved(i, Along, at)] * T(by + 5);
    }
    return sum / T(7);
  }
};

/// Reads all neighbours in loops, including those at the corners.
template <class T, int Dimensions, border Rule>
struct neighbours {
  static constexpr bool takes_two = false, in_place = false;
  template <class From>
  static T compute(const From& from, const From&, sycl::id<Dimensions> i, sycl::range<Dimensions> n) {
    T sum = 1;
    if constexpr (Dimensions == 1) {
      return window<T, 1, 0, -1, 1, Rule>::compute(from, from, i, n);
    } else {
      constexpr int last = Dimensions - 1;
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          std::size_t y, x;
          if (!moved<Rule>(i[last - 1], dy, n[last - 1], y) || !moved<Rule>(i[last], dx, n[last], x)) continue;
          sycl::id<Dimensions> at = i;
          at[last - 1] = y, at[last] = x;
          sum = sum * T(2) + from[at] * T(dy * 3 + dx + 6);
        }
      }
      return sum / T(9);
    }
  }
};

/// Combines results of two different stages.
template <class T, int Dimensions>
struct mixture {
  static constexpr bool takes_two = true, in_place = false;
  template <class From>
  static T compute(const From& left, const From& right, sycl::id<Dimensions> i, sycl::range<Dimensions>) {
    return left[i] * T(3) - right[i] / T(3) + T(i[Dimensions - 1] % 5);
  }
};

/// Computes the difference between an element and the next element of another stage.
template <class T, int Dimensions>
struct difference {
  static constexpr bool takes_two = true, in_place = false;
  template <class From>
  static T compute(const From& left, const From& right, sycl::id<Dimensions> i, sycl::range<Dimensions> n) {
    std::size_t at;
    moved<border::minimum>(i[0], 2, n[0], at);
    return left[i] - right[moved(i, 0, at)];
  }
};

/// Reads a window whose radius and weights are arguments, with guarded and clamped `int` indices.
template <class T, int Dimensions>
struct weighted {
  static constexpr bool takes_two = false, in_place = false;
  int radius = 0;
  T weights[9] = {};
  explicit weighted(sycl::range<Dimensions> n) : radius(static_cast<int>(n.size() % 5)) {
    for (int i = 0; i < 9; ++i) weights[i] = static_cast<T>(i * 7 % 5 + 1);
  }
  template <class From>
  T compute(const From& from, const From&, sycl::id<Dimensions> i, sycl::range<Dimensions> n) const {
    const int x = static_cast<int>(i[Dimensions - 1]), width = static_cast<int>(n[Dimensions - 1]);
    const int y = static_cast<int>(i[0]), height = static_cast<int>(n[0]);
    T sum = 0;
    for (int d = -radius; d <= radius; ++d) {
      sycl::id<Dimensions> along = i, across = i;
      if (x + d >= 0 && x + d < width) {
        along[Dimensions - 1] = static_cast<std::size_t>(x + d);
        sum = sum * T(2) + weights[d + radius] * from[along];
      }
      across[0] = static_cast<std::size_t>(std::min(std::max(y + d, 0), height - 1));
      sum += from[across] / weights[radius - d];
    }
    return sum;
  }
};

/// Sorts neighbours of a row in a private array.
template <class T, int Dimensions>
struct sorted {
  static constexpr bool takes_two = false, in_place = false;
  template <class From>
  static T compute(const From& from, const From&, sycl::id<Dimensions> i, sycl::range<Dimensions> n) {
    T values[5];
    for (int d = -2; d <= 2; ++d) {
      std::size_t at;
      moved<border::clamped>(i[Dimensions - 1], d, n[Dimensions - 1], at);
      values[d + 2] = from[moved(i, Dimensions - 1, at)];
    }
    for (int a = 0; a < 3; ++a) {
      for (int b = a + 1; b < 5; ++b) {
        if (values[b] < values[a]) std::swap(values[a], values[b]);
      }
    }
    return values[2] * T(3) + values[0];
  }
};

/// Runs a loop whose number of iterations depends on the data. LLVM's vectorizer refuses lists with this stage.
template <class T, int Dimensions>
struct turns {
  static constexpr bool takes_two = true, in_place = false;
  template <class From>
  static T compute(const From& left, const From& right, sycl::id<Dimensions> i, sycl::range<Dimensions>) {
    const int count = left[i] > T(40) ? 3 : left[i] > T(9) ? 1 : 2;
    T sum = right[i];
    for (int turn = 0; turn < count; ++turn) sum = sum * T(3) - left[i] / T(2 + turn);
    return sum;
  }
};

/// Calls functions. LLVM's vectorizer refuses lists with this stage as well.
template <class T, int Dimensions>
struct curved {
  static constexpr bool takes_two = false, in_place = false;
  template <class From>
  static T compute(const From& from, const From&, sycl::id<Dimensions> i, sycl::range<Dimensions>) {
    const auto value = static_cast<double>(from[i]);
    if (i[0] % 2 == 0) return static_cast<T>(sycl::exp(value * -0.001) * 100.0);
    return static_cast<T>(sycl::pow(std::fabs(value) + 1.0, 0.75) + sycl::sin(value));
  }
};

/// Exchanges values within work-groups, so kernels with this stage are not fused by tiles.
template <class T, int Dimensions>
struct exchanged {
  static constexpr bool takes_two = false, in_place = false;
};

/// Changes each element in place.
template <class T, int Dimensions>
struct scaled {
  static constexpr bool takes_two = false, in_place = true;
  template <class Image>
  static T compute(const Image& image, const Image&, sycl::id<Dimensions> i, sycl::range<Dimensions>) {
    return image[i] * T(3) + T(1);
  }
};

template <class T, int Dimensions>
using images = std::vector<sycl::buffer<T, Dimensions>>;

/// The part of an image that kernels access: all elements except a margin.
template <int Dimensions>
struct part {
  sycl::range<Dimensions> range;
  sycl::id<Dimensions> first{};
};

template <class Stage, class T, int Dimensions>
void submit(sycl::queue& queue, sycl::buffer<T, Dimensions>& left, sycl::buffer<T, Dimensions>& right,
            sycl::buffer<T, Dimensions>& to, part<Dimensions> of) {
  queue.submit([&](sycl::handler& handler) {
    const sycl::range<Dimensions> range = of.range;
    if constexpr (std::is_same_v<Stage, exchanged<T, Dimensions>>) {
      sycl::accessor from(left, handler, range, of.first, sycl::read_only);
      sycl::accessor out(to, handler, range, of.first, sycl::write_only);
      sycl::range<Dimensions> group = range;
      for (int d = 0; d + 1 < Dimensions; ++d) group[d] = 1;
      while (group[Dimensions - 1] > 16 || range[Dimensions - 1] % group[Dimensions - 1] != 0) --group[Dimensions - 1];
      sycl::local_accessor<T> values(sycl::range(group.size()), handler);
      handler.parallel_for(sycl::nd_range(range, group), [=](sycl::nd_item<Dimensions> item) {
        const std::size_t own = item.get_local_linear_id(), size = item.get_local_range().size();
        values[own] = from[item.get_global_id()];
        sycl::group_barrier(item.get_group());
        out[item.get_global_id()] = values[size - 1 - own] * T(2) - values[(own + 1) % size] / T(3);
      });
      return;
    } else if constexpr (std::is_constructible_v<Stage, sycl::range<Dimensions>>) {
      sycl::accessor from(left, handler, range, of.first, sycl::read_only);
      sycl::accessor out(to, handler, range, of.first, sycl::write_only);
      const Stage stage(range);
      handler.parallel_for(range, [=](sycl::id<Dimensions> i) { out[i] = stage.compute(from, from, i, range); });
      return;
    } else if constexpr (Stage::in_place) {
      sycl::accessor image(to, handler, range, of.first, sycl::read_write);
      handler.parallel_for(range,
                           [=](sycl::id<Dimensions> i) { image[i] = Stage::compute(image, image, i, range); });
    } else {
      sycl::accessor from(left, handler, range, of.first, sycl::read_only);
      sycl::accessor out(to, handler, range, of.first, sycl::write_only);
      if constexpr (Stage::takes_two) {
        sycl::accessor other(right, handler, range, of.first, sycl::read_only);
        handler.parallel_for(range, [=](sycl::id<Dimensions> i) { out[i] = Stage::compute(from, other, i, range); });
      } else {
        handler.parallel_for(range, [=](sycl::id<Dimensions> i) { out[i] = Stage::compute(from, from, i, range); });
      }
    }
  });
}

template <class T, int Dimensions>
using stage_function = void (*)(sycl::queue&, sycl::buffer<T, Dimensions>&, sycl::buffer<T, Dimensions>&,
                                sycl::buffer<T, Dimensions>&, part<Dimensions>);

template <class T, int D>
constexpr stage_function<T, D> stages[] = {submit<window<T, D, D - 1, -1, 1, border::clamped>, T, D>,
                                           submit<window<T, D, D - 1, -3, 2, border::minimum>, T, D>,
                                           submit<window<T, D, 0, -2, 2, border::clamped>, T, D>,
                                           submit<window<T, D, 0, -1, 0, border::guarded>, T, D>,
                                           submit<window<T, D, D / 2, 0, 3, border::minimum>, T, D>,
                                           submit<window<T, D, D - 1, -2, 2, border::guarded>, T, D>,
                                           submit<neighbours<T, D, border::clamped>, T, D>,
                                           submit<neighbours<T, D, border::guarded>, T, D>,
                                           submit<mixture<T, D>, T, D>,
                                           submit<difference<T, D>, T, D>,
                                           submit<window<T, D, 0, -2, 1, border::mirrored>, T, D>,
                                           submit<window<T, D, D - 1, -1, 2, border::folded>, T, D>,
                                           submit<window<T, D, D - 1, -1, 1, border::remainder>, T, D>,
                                           submit<window<T, D, D / 2, -1, 1, border::wrapped>, T, D>,
                                           submit<window<T, D, 0, -1, 2, border::masked>, T, D>,
                                           submit<neighbours<T, D, border::mirrored>, T, D>,
                                           submit<turns<T, D>, T, D>,
                                           submit<weighted<T, D>, T, D>,
                                           submit<sorted<T, D>, T, D>,
                                           submit<curved<T, D>, T, D>,
                                           submit<exchanged<T, D>, T, D>,
                                           submit<scaled<T, D>, T, D>};

/// Images are numbered. Image 0 exists before the list runs, and each step adds one image.
struct list_step {
  std::size_t stage, left, right;
  std::size_t over;  ///< the image whose memory the step overwrites, or the step's own number for a new image
};

struct list {
  std::vector<list_step> steps;
  std::vector<bool> lasts;  ///< for each step: whether the buffer of its result outlives the list
  bool sums = false;        ///< whether the list ends with a sum of the last result's squares
  bool promoted = false;    ///< whether buffers that nobody reads later are promoted and not destroyed early
  std::size_t margin = 0;   ///< width of the frame of an image that kernels do not access
};

using e2e::door, e2e::door_names;

sycl::queue queue_of(door which) {
  if (which == door::completed) return e2e::make_fusing_queue();
  if (which == door::automatic) return e2e::make_queue({sycl::ext::sinter::property::queue::auto_fusion{}});
  return e2e::make_queue();
}

template <class T, int Dimensions>
std::vector<std::vector<T>> run(const list& what, sycl::range<Dimensions> range, std::mt19937 numbers, door which) {
  sycl::queue queue = queue_of(which);
  part<Dimensions> of{range};
  sycl::range<Dimensions> whole = range;
  for (int d = 0; d < Dimensions; ++d) whole[d] += 2 * what.margin, of.first[d] = what.margin;
  const auto make_image = [&](const sycl::property_list& properties) {
    sycl::buffer<T, Dimensions> image(whole, properties);
    sycl::host_accessor all(image, sycl::write_only, sycl::no_init);
    for (T& each : all) each = T(7);
    return image;
  };
  images<T, Dimensions> all{make_image({})}, kept;
  {
    sycl::host_accessor first(all[0], sycl::write_only, sycl::no_init);
    for (T& each : first) each = static_cast<T>(numbers() % 2000) / static_cast<T>(std::is_integral_v<T> ? 1 : 16);
  }
  // A host access would end a list, so all images are made before the first kernel.
  for (std::size_t i = 0; i < what.steps.size(); ++i) {
    const bool is_temporary = what.promoted && !what.lasts[i];
    const std::size_t over = what.steps[i].over;
    all.push_back(over != i + 1 ? all[over] : make_image(is_temporary ? e2e::promoted_private : sycl::property_list{}));
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i == 0 || (what.lasts[i - 1] && what.steps[i - 1].over == i)) kept.push_back(all[i]);
  }
  sycl::buffer<T> sum(1);
  { sycl::host_accessor(sum, sycl::write_only, sycl::no_init)[0] = T(); }
  const auto submit_all = [&] {
    for (std::size_t i = 0; i < what.steps.size(); ++i) {
      const list_step& step = what.steps[i];
      stages<T, Dimensions>[step.stage](queue, all[step.left], all[step.right], all[i + 1], of);
    }
    if (what.sums) {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor values(all.back(), handler, range, of.first, sycl::read_only);
        handler.parallel_for(range, sycl::reduction(sum, handler, sycl::plus<T>()),
                             [=](sycl::id<Dimensions> i, auto& total) { total += values[i] * values[i]; });
      });
    }
    // Before the list runs, destroys the buffers that nobody reads later.
    if (!what.promoted) all.clear();
  };
  e2e::run_through(which, queue, submit_all);
  std::vector<std::vector<T>> results;
  for (sycl::buffer<T, Dimensions>& each : kept) {
    sycl::host_accessor values(each, sycl::read_only);
    results.emplace_back(values.begin(), values.end());
  }
  results.push_back({sycl::host_accessor(sum, sycl::read_only)[0]});
  return results;
}

std::size_t random_size(std::mt19937& numbers, std::size_t most) {
  const std::size_t odd[] = {1, 2, 3, 7, 17, 31, 64, 65, 130};
  const std::size_t size = numbers() % 3 == 0 ? 1 + numbers() % most : odd[numbers() % std::size(odd)];
  return std::min(size, most);
}

std::size_t fused_by[4] = {};  ///< the number of lists that were fused in each way

template <class T, int Dimensions>
void check(std::uint32_t seed) {
  std::mt19937 numbers(seed);
  list what;
  const std::size_t count = 2 + numbers() % 7;
  std::vector<std::size_t> memory{0};  // for each image: the first image in the same memory
  for (std::size_t i = 0; i < count; ++i) {
    // Most steps read the latest results, so that the halos of tiles grow from step to step.
    const auto one_of_them = [&] {
      return numbers() % 3 == 0 ? numbers() % (i + 1) : i - std::min<std::size_t>(i, numbers() % 2);
    };
    const std::size_t left = one_of_them(), right = one_of_them();
    list_step step{numbers() % std::size(stages<T, Dimensions>), left, right, i + 1};
    const bool in_place = step.stage + 1 == std::size(stages<T, Dimensions>);
    if (in_place) step.over = left;
    // A kernel whose work-items read neighbours can't overwrite its own input, because other work-items may still read
    // the old elements.
    if (const std::size_t old = numbers() % (i + 1); !in_place && numbers() % 6 == 0) {
      if (memory[old] != memory[left] && memory[old] != memory[right]) step.over = old;
    }
    memory.push_back(step.over == i + 1 ? i + 1 : memory[step.over]);
    what.steps.push_back(step);
    what.lasts.push_back(i + 1 == count || numbers() % 4 == 0);
  }
  // Lists with group-wise kernels or sums are not fused by tiles. For such lists, the program must not promote buffers:
  // the promise would be false, because work-items with different ids access the same element.
  constexpr std::size_t in_groups = std::size(stages<T, Dimensions>) - 2;
  const bool has_tiles = e2e::launches_when_tiled(2) == 1 &&
                         std::none_of(what.steps.begin(), what.steps.end(),
                                      [](const list_step& step) { return step.stage == in_groups; });
  const bool is_promised = numbers() % 4 == 0 && has_tiles;
  const sycl::range<Dimensions> range = [&] {
    if constexpr (Dimensions == 1) return sycl::range<1>(random_size(numbers, 5000));
    if constexpr (Dimensions == 2) return sycl::range<2>(random_size(numbers, 300), random_size(numbers, 2500));
    if constexpr (Dimensions == 3)
      return sycl::range<3>(random_size(numbers, 40), random_size(numbers, 50), random_size(numbers, 150));
  }();
  what.margin = numbers() % 3 == 0 ? 1 + numbers() % 3 : 0;
  what.sums = numbers() % 4 == 0;
  what.promoted = is_promised && !what.sums;
  const std::size_t kernels = what.steps.size() + (what.sums ? 1 : 0);
  const auto expected = run<T, Dimensions>(what, range, numbers, door::none);
  const auto compare = [&](door which) {
    const e2e::launches counter;
    const auto found = run<T, Dimensions>(what, range, numbers, which);
    const bool fused = counter.count() < kernels;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const bool same = std::memcmp(expected[i].data(), found[i].data(), expected[i].size() * sizeof(T)) == 0;
      if (!same) std::printf("E2E_SEED=%u, by %s: result %zu differs\n", seed, door_names[static_cast<int>(which)], i);
      CHECK(same);
    }
    return fused;
  };
  const auto try_door = [&](door which, int rounds) {
    bool fused = false;
    for (int round = 0; round < rounds && !fused; ++round) {
      // Automatic lists are compiled in the background, so later rounds wait a little.
      if (round >= 2) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      fused = compare(which);
    }
    if (fused) ++fused_by[static_cast<int>(which)];
    return fused;
  };
  const bool may_fuse = try_door(door::completed, 1);
  const std::uint32_t other = seed / 5 % 3;
  if (other == 1) try_door(door::graph, 1);
  if (other == 2) try_door(door::automatic, may_fuse ? 6 : 2);
}

void check(std::uint32_t seed) {
  switch (seed % 5) {
    case 0: return check<float, 2>(seed);
    case 1: return check<std::uint32_t, 2>(seed);
    case 2: return check<float, 1>(seed);
    case 3: return check<std::uint32_t, 3>(seed);
    default: return check<float, 3>(seed);
  }
}

/// On the CPU, a sum at the end of a list is computed within the tiles.
bool sums_join_tiles() { return e2e::make_queue().get_device().get_backend() == sycl::backend::sinter_cpu; }

/// Whether graphs and queues also fuse lists that are too small to run faster.
bool fuses_small() {
  const char* settings = std::getenv("SINTER_TEST");
  return settings && std::strstr(settings, "fuse-small");
}

}  // namespace

TEST("random lists of stencils have the bits of their kernels alone") {
  if (const char* seed = std::getenv("E2E_SEED")) return check(static_cast<std::uint32_t>(std::atoi(seed)));
  const std::uint32_t begin = e2e::number_from("E2E_FIRST", 0), count = e2e::number_of_lists(15, 300);
  for (std::uint32_t seed = begin; seed < begin + count; ++seed) check(seed);
  std::printf("of %u lists %zu were fused by the program, %zu by queues, %zu by graphs\n", count, fused_by[1],
              fused_by[2], fused_by[3]);
}

/// Each list has a kernel that can't be fused, between kernels that can.
TEST("lists are cut where a kernel has groups, reads far away, or, on GPUs, adds up") {
  constexpr std::size_t rows = 0, columns = 2, around = 6, far = 12, in_groups = std::size(stages<float, 2>) - 2;
  struct scene {
    std::vector<std::size_t> kinds;
    bool sums;
    std::uint64_t launches, by_graph;  ///< graphs and automatic queues don't fuse groups and sums
  };
  const scene scenes[] = {{{rows, columns, in_groups, around, rows}, false, 3, 3},
                          {{around, in_groups, in_groups, rows, columns, around}, true, 3, 4},
                          {{rows, around, far, columns, rows}, false, 2, 2},
                          {{columns, around, rows, around}, true, 2, 2}};
  const sycl::range<2> range(61, 700);
  std::mt19937 numbers(5);
  for (const auto& [kinds, sums, by_program, by_graph] : scenes) {
    list what;
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      what.steps.push_back({kinds[i], i, i, i + 1});
      what.lasts.push_back(i + 1 == kinds.size());
    }
    what.sums = sums;
    const auto expected = run<float, 2>(what, range, numbers, door::none);
    for (const door which : {door::completed, door::graph, door::automatic}) {
      const std::uint64_t launches = (which == door::completed ? by_program : by_graph) - (sums && sums_join_tiles());
      // Automatic fusion compiles in the background: first it finds where to cut the list, then it compiles each part.
      const int most = which == door::automatic && fuses_small() ? 100 : 1;
      std::uint64_t count = 0;
      for (int round = 0; round < most && count != (e2e::can_fuse ? launches : count); ++round) {
        if (round > 1) std::this_thread::sleep_for(std::chrono::milliseconds(50));
        const e2e::launches counter;
        const auto found = run<float, 2>(what, range, numbers, which);
        for (std::size_t i = 0; i < expected.size(); ++i)
          CHECK(std::memcmp(expected[i].data(), found[i].data(), expected[i].size() * sizeof(float)) == 0);
        count = counter.count();
      }
      // Automatic lists end at group-wise kernels. If the host is slow, a list may also end before its last kernel. In
      // programs with the thread sanitizer this may happen more often, so E2E_EARLY_ENDS raises the limit there.
      static const std::uint64_t early_ends = e2e::number_from("E2E_EARLY_ENDS", 1);
      const bool too_small = which != door::completed && !fuses_small();
      if (!too_small && (which == door::automatic ? count > launches + early_ends : count != launches)) {
        std::printf("%s: %zu kernels, %llu launches\n", door_names[static_cast<int>(which)], kinds.size() + sums,
                    static_cast<unsigned long long>(count));
        CHECK(!e2e::can_fuse);
      }
    }
  }
}

/// In these images, most tiles are far from all borders, and their halos are wide.
TEST("long chains in large images have the bits of their kernels alone") {
  constexpr std::size_t kinds[] = {0, 2, 6, 7, 8, 9, 10, 14, 15};
  for (std::uint32_t seed = 0; seed < (std::getenv("TEST_LONG") ? 40 : 2); ++seed) {
    std::mt19937 numbers(seed);
    list what;
    for (std::size_t i = 0; i < 6; ++i) {
      const std::size_t kind = i % 2 == 0 ? 6 + numbers() % 2 : kinds[numbers() % std::size(kinds)];
      what.steps.push_back({kind, i, i - std::min<std::size_t>(i, numbers() % 2), i + 1});
      what.lasts.push_back(i == 5 || numbers() % 5 == 0);
    }
    what.margin = numbers() % 3;
    const sycl::range<2> range(420 + numbers() % 40, 5000 + numbers() % 100);
    const auto expected = run<float, 2>(what, range, numbers, door::none);
    const e2e::launches counter;
    const auto found = run<float, 2>(what, range, numbers, door::completed);
    CHECK_EQUAL(counter.count(), e2e::launches_when_tiled(6));
    for (std::size_t i = 0; i < expected.size(); ++i)
      CHECK(std::memcmp(expected[i].data(), found[i].data(), expected[i].size() * sizeof(float)) == 0);
  }
}

TEST("a blur of two passes is one launch, and its first image is nowhere but in tiles") {
  const sycl::range<2> range(77, 1300);
  std::vector<int> first(range.size()), blurred(range.size());
  for (std::size_t i = 0; i < first.size(); ++i) first[i] = static_cast<int>(i * 7 % 1000);
  const auto at = [&](std::size_t y, std::size_t x) { return first[y * range[1] + x]; };
  sycl::queue queue = e2e::make_fusing_queue();
  e2e::launches counter;
  {
    sycl::buffer<int, 2> from(first.data(), range), to(blurred.data(), range);
    cx::fusion_wrapper wrapper(queue);
    {
      sycl::buffer<int, 2> between(range);
      wrapper.start_fusion();
      submit<window<int, 2, 1, -1, 1, border::clamped>>(queue, from, from, between, part<2>{range});
      submit<window<int, 2, 0, -1, 1, border::clamped>>(queue, between, between, to, part<2>{range});
      wrapper.complete_fusion();
    }
    queue.wait();
  }
  CHECK_EQUAL(counter.count(), e2e::launches_when_tiled(2));
  std::vector<int> rows(range.size()), expected(range.size());
  const auto weigh = [](int own, int low, int here, int high) {
    return (((own * 3 + low * 4) * 3 + here * 5) * 3 + high * 6) / 7;
  };
  for (std::size_t y = 0; y < range[0]; ++y) {
    for (std::size_t x = 0; x < range[1]; ++x)
      rows[y * range[1] + x] = weigh(at(y, x), at(y, x - (x > 0)), at(y, x), at(y, x + (x + 1 < range[1])));
  }
  for (std::size_t y = 0; y < range[0]; ++y) {
    for (std::size_t x = 0; x < range[1]; ++x) {
      const auto row = [&](std::size_t at) { return rows[at * range[1] + x]; };
      expected[y * range[1] + x] = weigh(row(y), row(y - (y > 0)), row(y), row(y + (y + 1 < range[0])));
    }
  }
  CHECK_ALL_EQUAL(blurred, expected);
}

TEST("a result that is larger than most caches, and its rows begin anywhere in a line") {
  constexpr std::size_t height = 3100, width = 3001;
  sycl::queue queue = e2e::make_fusing_queue();
  int* from = sycl::malloc_shared<int>(height * width, queue);
  int* memory = sycl::malloc_shared<int>(height * width + 8, queue);
  int* to = memory + 3;
  for (std::size_t i = 0; i < height * width; ++i) from[i] = static_cast<int>(i * 31 % 977);
  const auto submit_both = [&](bool fused) {
    std::fill_n(memory, height * width + 8, -1);
    sycl::buffer<int, 2> between(sycl::range<2>(height, width));
    cx::fusion_wrapper wrapper(queue);
    if (fused) wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(between, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(out.get_range(), [=](sycl::id<2> i) {
        const std::size_t left = i[1] > 0 ? i[1] - 1 : 0;
        out[i] = from[i[0] * width + i[1]] + 3 * from[i[0] * width + left];
      });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(between, handler, sycl::read_only);
      handler.parallel_for(in.get_range(), [=](sycl::id<2> i) {
        const std::size_t below = i[0] + 1 < height ? i[0] + 1 : height - 1;
        to[i[0] * width + i[1]] = in[i] - 2 * in[below][i[1]];
      });
    });
    if (fused) wrapper.complete_fusion();
    queue.wait();
  };
  submit_both(false);
  const std::vector<int> expected(memory, memory + height * width + 8);
  const e2e::launches counter;
  submit_both(true);
  CHECK_EQUAL(counter.count(), e2e::launches_when_tiled(2));
  CHECK(std::equal(expected.begin(), expected.end(), memory));
  for (int* each : {from, memory}) sycl::free(each, queue);
}

TEST("rows of USM memory, and ranges that leave the border out") {
  constexpr std::size_t height = 45, width = 700, pitch = 704;
  sycl::queue queue = e2e::make_fusing_queue();
  const auto allocate = [&] { return sycl::malloc_shared<int>(height * pitch, queue); };
  int *from = allocate(), *between = allocate(), *to = allocate();
  const auto fill = [&] {
    for (std::size_t i = 0; i < height * pitch; ++i) from[i] = static_cast<int>(i * 31 % 977), between[i] = to[i] = -1;
  };
  const auto submit_both = [&](bool fused) {
    cx::fusion_wrapper wrapper(queue);
    if (fused) wrapper.start_fusion();
    const sycl::event first = queue.parallel_for(sycl::range<2>(height, width), [=](sycl::id<2> i) {
      const std::size_t x = i[1], right = x + 1 < width ? x + 1 : width - 1;
      between[i[0] * pitch + x] = from[i[0] * pitch + x] + 3 * from[i[0] * pitch + right];
    });
    queue.parallel_for(sycl::range<2>(height - 2, width - 2), first, [=](sycl::id<2> i) {
      const int* at = between + (i[0] + 1) * pitch + i[1] + 1;
      to[(i[0] + 1) * pitch + i[1] + 1] = at[-1] + 2 * at[1] + 3 * at[-static_cast<long>(pitch)] + 4 * at[pitch];
    });
    if (fused) wrapper.complete_fusion();
    queue.wait();
  };
  fill();
  submit_both(false);
  const std::vector<int> middle(between, between + height * pitch), expected(to, to + height * pitch);
  fill();
  const e2e::launches counter;
  submit_both(true);
  CHECK_EQUAL(counter.count(), e2e::launches_when_tiled(2));
  CHECK_ALL_EQUAL(std::vector<int>(between, between + height * pitch), middle);
  CHECK_ALL_EQUAL(std::vector<int>(to, to + height * pitch), expected);
  for (int* each : {from, between, to}) sycl::free(each, queue);
}

TEST("stencils in a graph take other memory and other numbers") {
  namespace ex = sycl::ext::oneapi::experimental;
  constexpr std::size_t height = 61, width = 517;
  const sycl::range<2> range(height, width);
  sycl::queue queue = e2e::make_queue({sycl::property::queue::in_order()});
  const auto allocate = [&](int seed) {
    int* memory = sycl::malloc_shared<int>(range.size(), queue);
    for (std::size_t i = 0; i < range.size(); ++i) memory[i] = static_cast<int>(i * 37 % 1009) + seed;
    return memory;
  };
  int *one = allocate(0), *two = allocate(5), *between = allocate(0), *to = allocate(0), *other_to = allocate(0);
  ex::command_graph graph(queue);
  ex::dynamic_parameter<const int*> source(one);
  ex::dynamic_parameter<int> radius(1);
  ex::dynamic_parameter<int*> target(to);
  const auto clamped = [](int at, std::size_t size) {
    return static_cast<std::size_t>(std::min(std::max(at, 0), static_cast<int>(size) - 1));
  };
  auto rows = graph.add([&](sycl::handler& handler) {
    const int* from = one;
    int reach = 0;
    handler.set_arg(0, source);
    handler.set_arg(1, radius);
    handler.parallel_for(range, [from, reach, between, clamped](sycl::id<2> i) {
      int sum = 0;
      for (int d = -reach; d <= reach; ++d)
        sum = sum * 3 + from[i[0] * width + clamped(static_cast<int>(i[1]) + d, width)];
      between[i[0] * width + i[1]] = sum;
    });
  });
  auto columns = graph.add(
      [&](sycl::handler& handler) {
        int *out = to, reach = 0;
        handler.set_arg(0, target);
        handler.set_arg(1, radius);
        handler.parallel_for(range, [out, reach, between, clamped](sycl::id<2> i) {
          int sum = 0;
          for (int d = -reach; d <= reach; ++d)
            sum = sum * 5 + between[clamped(static_cast<int>(i[0]) + d, height) * width + i[1]];
          out[i[0] * width + i[1]] = sum;
        });
      },
      {ex::property::node::depends_on(rows)});
  auto fused = graph.finalize({sycl::ext::sinter::property::graph::fuse{}, ex::property::graph::updatable{}});
  const auto check = [&](const int* from, int reach, const int* result) {
    queue.ext_oneapi_graph(fused).wait();
    std::vector<int> first(range.size()), expected(range.size());
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        unsigned sum = 0;
        for (int d = -reach; d <= reach; ++d)
          sum = sum * 3 + static_cast<unsigned>(from[y * width + clamped(static_cast<int>(x) + d, width)]);
        first[y * width + x] = static_cast<int>(sum);
      }
    }
    for (std::size_t y = 0; y < height; ++y) {
      for (std::size_t x = 0; x < width; ++x) {
        unsigned sum = 0;
        for (int d = -reach; d <= reach; ++d)
          sum = sum * 5 + static_cast<unsigned>(first[clamped(static_cast<int>(y) + d, height) * width + x]);
        expected[y * width + x] = static_cast<int>(sum);
      }
    }
    CHECK_ALL_EQUAL(std::vector<int>(result, result + range.size()), expected);
  };
  const e2e::launches counter;
  check(one, 1, to);
  if (fuses_small()) CHECK_EQUAL(counter.count(), e2e::launches_when_tiled(2));
  source.update(two), target.update(other_to);
  fused.update(std::vector<ex::node>{rows, columns});
  check(two, 1, other_to);
  for (const int reach : {3, 0, 1}) {
    radius.update(reach);
    fused.update(std::vector<ex::node>{rows, columns});
    check(two, reach, other_to);
  }
  // The first kernel now reads the image that the second kernel overwrites.
  target.update(two);
  fused.update(columns);
  const std::vector<int> before(two, two + range.size());
  check(before.data(), 1, two);
  for (int* each : {one, two, between, to, other_to}) sycl::free(each, queue);
}

TEST("parts of one buffer as images") {
  constexpr std::size_t height = 40, width = 333;
  const sycl::range<2> range(height, width), whole(3 * height + 2, width);
  sycl::queue queue = e2e::make_fusing_queue();
  const auto run = [&](bool fused) {
    std::vector<int> all(whole.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i * 41 % 997);
    {
      sycl::buffer<int, 2> buffer(all.data(), whole);
      std::vector<sycl::buffer<int, 2>> parts;
      for (std::size_t i = 0; i < 3; ++i) parts.emplace_back(buffer, sycl::id<2>(i * (height + 1), 0), range);
      cx::fusion_wrapper wrapper(queue);
      if (fused) wrapper.start_fusion();
      submit<window<int, 2, 1, -2, 2, border::clamped>>(queue, parts[0], parts[0], parts[1], part<2>{range});
      submit<window<int, 2, 0, -1, 1, border::clamped>>(queue, parts[1], parts[1], parts[2], part<2>{range});
      if (fused) wrapper.complete_fusion();
      queue.wait();
    }
    return all;
  };
  const std::vector<int> expected = run(false);
  CHECK_ALL_EQUAL(run(true), expected);
}

TEST("images in one buffer, one behind the other") {
  constexpr std::size_t height = 40, width = 333;
  const sycl::range<2> range(height, width);
  sycl::queue queue = e2e::make_fusing_queue();
  const auto run = [&](bool fused) {
    std::vector<int> all(3 * range.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int>(i * 41 % 997);
    {
      sycl::buffer<int, 1> buffer(all.data(), sycl::range<1>(all.size()));
      cx::fusion_wrapper wrapper(queue);
      if (fused) wrapper.start_fusion();
      for (std::size_t image = 0; image < 2; ++image) {
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor memory(buffer, handler, sycl::read_write);
          const std::size_t from = image * height * width, to = from + height * width;
          handler.parallel_for(range, [=](sycl::id<2> i) {
            const std::size_t at = from + i[0] * width + i[1], left = i[1] > 0 ? at - 1 : at;
            const std::size_t below = i[0] + 1 < height ? at + width : at;
            memory[to + i[0] * width + i[1]] = memory[at] * 3 + memory[left] * 5 - memory[below];
          });
        });
      }
      if (fused) wrapper.complete_fusion();
      queue.wait();
    }
    return all;
  };
  const std::vector<int> expected = run(false);
  const e2e::launches counter;
  CHECK_ALL_EQUAL(run(true), expected);
  CHECK_EQUAL(counter.count(), e2e::launches_when_tiled(2));
}

struct pixel {
  float red, green, blue;
};
pixel operator+(pixel a, pixel b) { return {a.red + b.red, a.green + b.green, a.blue + b.blue}; }
pixel operator*(pixel a, float by) { return {a.red * by, a.green * by, a.blue * by}; }

TEST("structures that are handed on in pairs of numbers") {
  constexpr std::size_t height = 70, width = 331;
  const sycl::range<2> range(height, width);
  std::vector<pixel> first(range.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto number = [i](std::size_t by) { return static_cast<float>(i * by % 977) / 64.0f; };
    first[i] = {number(7), number(31), number(101)};
  }
  sycl::queue queue = e2e::make_fusing_queue();
  const auto run = [&](bool fused) {
    sycl::buffer<pixel, 2> from(first.data(), range), to(range), between(range);
    cx::fusion_wrapper wrapper(queue);
    if (fused) wrapper.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(from, handler, sycl::read_only);
      sycl::accessor out(between, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(range, [=](sycl::id<2> i) {
        const std::size_t left = i[1] > 0 ? i[1] - 1 : 0, right = i[1] + 1 < width ? i[1] + 1 : width - 1;
        out[i] = in[i[0]][left] * 0.3f + in[i] * 0.5f + in[i[0]][right] * 0.2f;
      });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(between, handler, sycl::read_only);
      sycl::accessor out(to, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(range, [=](sycl::id<2> i) {
        const std::size_t above = i[0] > 0 ? i[0] - 1 : 0;
        out[i] = in[above][i[1]] * 0.7f + in[i] * 0.4f;
      });
    });
    if (fused) wrapper.complete_fusion();
    queue.wait();
    const sycl::host_accessor all(to, sycl::read_only);
    return std::vector<pixel>(all.begin(), all.end());
  };
  const std::vector<pixel> expected = run(false);
  const e2e::launches counter;
  const std::vector<pixel> found = run(true);
  CHECK_EQUAL(counter.count(), e2e::launches_when_tiled(2));
  CHECK(std::memcmp(found.data(), expected.data(), found.size() * sizeof(pixel)) == 0);
}

E2E_MAIN
