/// Random lists of stencils over images that lie in memory in many ways: parts of images, sub-buffers, several planes
/// in one buffer (one after the other, or with alternating rows), flat buffers and USM memory with a pitch. The images'
/// elements are numbers, vectors or structures. Fused and separate kernels must leave equal bits in all of the memory,
/// also outside of the images. The sizes of windows and borders are arguments of the kernels. E2E_SEED picks one list,
/// E2E_LISTS sets the number of lists, and E2E_FIRST the first list.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/sinter/auto_fusion.hpp>

#include "fusion_doors.hpp"
#include "stencil_borders.hpp"

namespace {

using e2e::border;

template <class Number>
struct colour {
  Number red, green, blue;
  colour() = default;
  explicit colour(Number all) : red(all), green(all), blue(static_cast<Number>(all + 1)) {}
  friend colour operator+(colour a, colour b) {
    a.red = static_cast<Number>(a.red + b.red), a.green = static_cast<Number>(a.green + b.green);
    a.blue = static_cast<Number>(a.blue + b.blue);
    return a;
  }
  friend colour operator*(colour a, colour b) {
    a.red = static_cast<Number>(a.red * b.red), a.green = static_cast<Number>(a.green * b.green);
    a.blue = static_cast<Number>(a.blue * b.green);
    return a;
  }
};

template <class T>
T value_of(int number) {
  if constexpr (std::is_arithmetic_v<T>) return static_cast<T>(number);
  if constexpr (std::is_same_v<T, colour<float>>) return T(static_cast<float>(number));
  if constexpr (std::is_same_v<T, colour<unsigned short>>) return T(static_cast<unsigned short>(number));
  if constexpr (requires { typename T::element_type; }) return T(static_cast<typename T::element_type>(number));
}
template <class T>
T weighed(T sum, T value, int weight) {
  return static_cast<T>(sum * value_of<T>(3) + value * value_of<T>(weight));
}
/// Keeps floats small.
template <class T>
T settled(T value) {
  if constexpr (std::is_floating_point_v<T>) return value / T(8);
  return value;
}

/// An image as kernels access it. The ids count from the image's first element.
template <class Accessor, int Dimensions>
struct own_view {
  Accessor memory;
  auto& operator()(sycl::id<Dimensions> i) const { return memory[i]; }
};
template <class Accessor, bool InTurns>
struct plane_view {
  Accessor memory;
  std::size_t plane;
  auto& operator()(sycl::id<2> i) const {
    return memory[InTurns ? sycl::id<3>(i[0], plane, i[1]) : sycl::id<3>(plane, i[0], i[1])];
  }
};
/// An image whose rows begin `pitch` elements apart and whose layers begin `layer` elements apart.
template <class Memory, class Index, int Dimensions>
struct flat_view {
  Memory memory;
  Index first, pitch, layer;
  auto& operator()(sycl::id<Dimensions> i) const {
    Index at = first + static_cast<Index>(i[Dimensions - 1]);
    if constexpr (Dimensions > 1) at += static_cast<Index>(i[Dimensions - 2]) * pitch;
    if constexpr (Dimensions > 2) at += static_cast<Index>(i[0]) * layer;
    return memory[static_cast<std::size_t>(at)];
  }
};

/// The parameters of a stage. A stage reads a window, combines two images, or changes one image.
struct stage_numbers {
  int rule = 0, along = 0, low = 0, high = 0, low_across = 0, high_across = 0, weight = 1;
  bool is_inner = false;  ///< skips work-items whose windows reach beyond the image
};

/// The widths of frames that stages do not write or do not read.
struct shape {
  std::size_t margin;       ///< frame of the result that is not written
  std::size_t from_margin;  ///< frame of the input that windows do not read
};

template <int Dimensions>
bool moved(const stage_numbers& stage, shape of, sycl::range<Dimensions> whole, sycl::id<Dimensions> i, int d, int by,
           sycl::id<Dimensions>& at) {
  if (stage.is_inner) {
    at[d] = i[d] + static_cast<std::size_t>(static_cast<long>(by));
    return true;
  }
  std::size_t there;
  const std::size_t first = of.from_margin;
  const bool is_there =
      e2e::move(static_cast<border>(stage.rule), i[d] - first, by, whole[d] - 2 * first, there);
  at[d] = there + first;
  return is_there;
}

template <class T, int Dimensions, class From, class To>
void submit_window(sycl::handler& handler, From from, To to, stage_numbers stage, shape of,
                   sycl::range<Dimensions> whole, bool by_offset) {
  sycl::range<Dimensions> range = whole;
  sycl::id<Dimensions> first;
  for (int d = 0; d < Dimensions; ++d) range[d] -= 2 * of.margin, first[d] = of.margin;
  const auto compute = [=](sycl::id<Dimensions> i) {
    T sum = from(i);
    for (int across = stage.low_across; across <= stage.high_across; ++across) {
      for (int by = stage.low; by <= stage.high; ++by) {
        sycl::id<Dimensions> at = i;
        if (Dimensions > 1 &&
            !moved(stage, of, whole, i, (stage.along + 1) % Dimensions, across, at))
          continue;
        if (moved(stage, of, whole, i, stage.along, by, at)) sum = weighed<T>(sum, from(at), by + across * 2 + 9);
      }
    }
    to(i) = settled<T>(sum);
  };
  if (by_offset) {
    // With SYCL 2020's deprecated offset, ids are the positions in the image.
    handler.parallel_for(range, first, [=](sycl::id<Dimensions> i) { compute(i); });
  } else {
    const std::size_t margin = of.margin;
    handler.parallel_for(range, [=](sycl::id<Dimensions> i) {
      for (int d = 0; d < Dimensions; ++d) i[d] += margin;
      compute(i);
    });
  }
}

template <class T, int Dimensions, class From, class To>
void submit_mixture(sycl::handler& handler, From left, From right, To to, stage_numbers stage, shape of,
                    sycl::range<Dimensions> whole) {
  sycl::range<Dimensions> range = whole;
  for (int d = 0; d < Dimensions; ++d) range[d] -= 2 * of.margin;
  const std::size_t margin = of.margin;
  handler.parallel_for(range, [=](sycl::id<Dimensions> i) {
    for (int d = 0; d < Dimensions; ++d) i[d] += margin;
    to(i) = settled<T>(weighed<T>(left(i), right(i), stage.weight));
  });
}

template <class T, int Dimensions, class To>
void submit_in_place(sycl::handler& handler, To to, stage_numbers stage, shape of, sycl::range<Dimensions> whole) {
  sycl::range<Dimensions> range = whole;
  for (int d = 0; d < Dimensions; ++d) range[d] -= 2 * of.margin;
  const std::size_t margin = of.margin;
  handler.parallel_for(range, [=](sycl::id<Dimensions> i) {
    for (int d = 0; d < Dimensions; ++d) i[d] += margin;
    to(i) = weighed<T>(to(i), value_of<T>(stage.weight), 1);
  });
}

/// Where an image is stored: plane `plane` of memory `memory`.
struct place {
  std::size_t memory, plane;
};

struct geometry {
  std::size_t planes, pad;
};

/// Stores images in buffers: inside larger images, or as whole images one after the other.
template <class T, int Dimensions, bool SubBuffers>
class in_buffers {
public:
  using element = T;
  static constexpr int dimensions = Dimensions;
  static constexpr bool is_usm = false;

  in_buffers(sycl::queue&, sycl::range<Dimensions> image, geometry of, std::size_t memories) : m_image(image) {
    m_slot = image;
    if constexpr (!SubBuffers) {
      for (int d = 0; d < Dimensions; ++d) m_slot[d] += 2 * of.pad;
      m_pad = of.pad;
    }
    sycl::range<Dimensions> whole = m_slot;
    whole[0] *= of.planes;
    for (std::size_t m = 0; m < memories; ++m) {
      m_all.emplace_back(whole);
      if constexpr (SubBuffers) {
        for (std::size_t p = 0; p < of.planes; ++p) {
          sycl::id<Dimensions> first;
          first[0] = p * image[0];
          m_parts.emplace_back(m_all.back(), first, image);
        }
      }
    }
    m_planes = of.planes;
  }
  template <class Mode>
  auto view(sycl::handler& handler, place at, Mode mode) {
    if constexpr (SubBuffers) {
      sycl::accessor memory(m_parts[at.memory * m_planes + at.plane], handler, mode);
      return own_view<decltype(memory), Dimensions>{memory};
    } else {
      sycl::id<Dimensions> first;
      for (int d = 0; d < Dimensions; ++d) first[d] = m_pad;
      first[0] += at.plane * m_slot[0];
      sycl::accessor memory(m_all[at.memory], handler, m_image, first, mode);
      return own_view<decltype(memory), Dimensions>{memory};
    }
  }
  template <class Use>
  void contents(std::size_t memory, const Use& use) {
    sycl::host_accessor values(m_all[memory], sycl::read_write);
    use(&*values.begin(), m_all[memory].size());
  }
  void forget(std::size_t memory) {
    m_all[memory] = sycl::buffer<T, Dimensions>(m_image);
    for (std::size_t p = 0; SubBuffers && p < m_planes; ++p)
      m_parts[memory * m_planes + p] = sycl::buffer<T, Dimensions>(m_image);
  }

private:
  sycl::range<Dimensions> m_image, m_slot{m_image};
  std::size_t m_pad = 0, m_planes = 1;
  std::vector<sycl::buffer<T, Dimensions>> m_all, m_parts;
};

/// Stores images as planes of one buffer: one after the other, or with alternating rows.
template <class T, bool InTurns>
class in_planes {
public:
  using element = T;
  static constexpr int dimensions = 2;
  static constexpr bool is_usm = false;

  in_planes(sycl::queue&, sycl::range<2> image, geometry of, std::size_t memories) {
    const std::size_t width = image[1] + of.pad;
    for (std::size_t m = 0; m < memories; ++m) {
      m_all.emplace_back(InTurns ? sycl::range<3>(image[0], of.planes, width)
                                 : sycl::range<3>(of.planes, image[0], width));
    }
  }
  template <class Mode>
  auto view(sycl::handler& handler, place at, Mode mode) {
    sycl::accessor memory(m_all[at.memory], handler, mode);
    return plane_view<decltype(memory), InTurns>{memory, at.plane};
  }
  template <class Use>
  void contents(std::size_t memory, const Use& use) {
    sycl::host_accessor values(m_all[memory], sycl::read_write);
    use(&*values.begin(), m_all[memory].size());
  }
  void forget(std::size_t memory) { m_all[memory] = sycl::buffer<T, 3>(sycl::range<3>(1, 1, 1)); }

private:
  std::vector<sycl::buffer<T, 3>> m_all;
};

template <int Dimensions>
struct pitches {
  std::size_t row, layer, image;
  pitches(sycl::range<Dimensions> range, std::size_t pad) {
    row = range[Dimensions - 1] + pad;
    layer = row * (Dimensions > 1 ? range[std::max(Dimensions - 2, 0)] : 1) + pad;
    image = Dimensions > 2 ? layer * range[0] : layer;
  }
};

/// Stores images in flat buffers.
template <class T, int Dimensions, class Index>
class in_rows {
public:
  using element = T;
  static constexpr int dimensions = Dimensions;
  static constexpr bool is_usm = false;

  in_rows(sycl::queue&, sycl::range<Dimensions> image, geometry of, std::size_t memories) : m_steps(image, of.pad) {
    for (std::size_t m = 0; m < memories; ++m) m_all.emplace_back(sycl::range<1>(m_steps.image * of.planes));
  }
  template <class Mode>
  auto view(sycl::handler& handler, place at, Mode mode) {
    sycl::accessor memory(m_all[at.memory], handler, mode);
    return flat_view<decltype(memory), Index, Dimensions>{memory, static_cast<Index>(at.plane * m_steps.image),
                                                          static_cast<Index>(m_steps.row),
                                                          static_cast<Index>(m_steps.layer)};
  }
  template <class Use>
  void contents(std::size_t memory, const Use& use) {
    sycl::host_accessor values(m_all[memory], sycl::read_write);
    use(&*values.begin(), m_all[memory].size());
  }
  void forget(std::size_t memory) { m_all[memory] = sycl::buffer<T, 1>(sycl::range<1>(1)); }

private:
  pitches<Dimensions> m_steps;
  std::vector<sycl::buffer<T, 1>> m_all;
};

/// Stores images in USM memory.
template <class T, int Dimensions, class Index>
class in_usm {
public:
  using element = T;
  static constexpr int dimensions = Dimensions;
  static constexpr bool is_usm = true;

  in_usm(sycl::queue& queue, sycl::range<Dimensions> image, geometry of, std::size_t memories)
      : m_queue(queue), m_steps(image, of.pad), m_size(m_steps.image * of.planes) {
    for (std::size_t m = 0; m < memories; ++m) m_all.push_back(sycl::malloc_shared<T>(m_size, queue));
  }
  ~in_usm() {
    for (T* each : m_all) sycl::free(each, m_queue);
  }
  template <class Mode>
  auto view(sycl::handler&, place at, Mode) {
    return flat_view<T*, Index, Dimensions>{m_all[at.memory] + at.plane * m_steps.image, 0,
                                            static_cast<Index>(m_steps.row), static_cast<Index>(m_steps.layer)};
  }
  template <class Use>
  void contents(std::size_t memory, const Use& use) {
    use(m_all[memory], m_size);
  }
  void forget(std::size_t) {}

private:
  sycl::queue m_queue;
  pitches<Dimensions> m_steps;
  std::size_t m_size;
  std::vector<T*> m_all;
};

struct list_step {
  enum { window, mixture, in_place } kind;
  place left, right, to;
  stage_numbers numbers;
  shape of;
};
struct list {
  std::vector<list_step> steps;
  geometry of;
  std::vector<bool> kept;  ///< for each memory: whether it outlives the list
  bool in_order, by_offset;
};

using e2e::door, e2e::door_names;

sycl::queue queue_of(door which, bool in_order) {
  using auto_fusion = sycl::ext::sinter::property::queue::auto_fusion;
  if (in_order) {
    const sycl::property::queue::in_order order;
    if (which == door::completed) return e2e::make_queue({cx::property::queue::enable_fusion{}, order});
    if (which == door::automatic) return e2e::make_queue({auto_fusion{}, order});
    return e2e::make_queue({order});
  }
  if (which == door::completed) return e2e::make_fusing_queue();
  if (which == door::automatic) return e2e::make_queue({auto_fusion{}});
  return e2e::make_queue();
}

template <class Storage>
std::vector<std::string> run(const list& what, sycl::range<Storage::dimensions> image, std::mt19937 random,
                             door which) {
  using T = typename Storage::element;
  sycl::queue queue = queue_of(which, what.in_order || Storage::is_usm);
  Storage storage(queue, image, what.of, what.kept.size());
  for (std::size_t m = 0; m < what.kept.size(); ++m) {
    storage.contents(m, [&](T* values, std::size_t size) {
      for (std::size_t i = 0; i < size; ++i) values[i] = value_of<T>(static_cast<int>(random() % 100));
    });
  }
  const auto submit_all = [&] {
    for (const list_step& step : what.steps) {
      queue.submit([&](sycl::handler& handler) {
        if (step.kind == list_step::in_place) {
          submit_in_place<T>(handler, storage.view(handler, step.to, sycl::read_write), step.numbers, step.of, image);
        } else if (step.kind == list_step::mixture) {
          submit_mixture<T>(handler, storage.view(handler, step.left, sycl::read_only),
                            storage.view(handler, step.right, sycl::read_only),
                            storage.view(handler, step.to, sycl::read_write), step.numbers, step.of, image);
        } else {
          submit_window<T>(handler, storage.view(handler, step.left, sycl::read_only),
                           storage.view(handler, step.to, sycl::read_write), step.numbers, step.of, image,
                           what.by_offset);
        }
      });
    }
    for (std::size_t m = 0; m < what.kept.size(); ++m) {
      if (!what.kept[m]) storage.forget(m);
    }
  };
  e2e::run_through(which, queue, submit_all);
  std::vector<std::string> results;
  for (std::size_t m = 0; m < what.kept.size(); ++m) {
    if (!what.kept[m]) continue;
    storage.contents(m, [&](const T* values, std::size_t size) {
      results.emplace_back(reinterpret_cast<const char*>(values), size * sizeof(T));
    });
  }
  return results;
}

std::size_t random_size(std::mt19937& random, std::size_t most) {
  const std::size_t odd[] = {1, 2, 3, 7, 17, 31, 64, 65, 130};
  const std::size_t size = random() % 3 == 0 ? 1 + random() % most : odd[random() % std::size(odd)];
  return std::min(size, most);
}

template <int Dimensions>
list random_list(std::mt19937& random, sycl::range<Dimensions> image) {
  list what;
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
  const auto between = [&](int low, int high) {
    return low + static_cast<int>(below(static_cast<std::size_t>(high - low + 1)));
  };
  const std::size_t count = 2 + below(6), memories = 1 + below(3);
  what.of = {1 + count, below(3) == 0 ? 0 : below(8)};
  what.in_order = below(2) == 0;
  what.by_offset = below(5) == 0;
  for (std::size_t m = 0; m < memories; ++m) what.kept.push_back(m == 0 || below(2) == 0);
  const std::size_t least = *std::min_element(&image[0], &image[0] + Dimensions);
  std::vector<place> images{{below(memories), 0}};
  std::vector<std::size_t> margins{least > 6 ? below(3) : 0};
  const auto at_one_place = [](place a, place b) { return a.memory == b.memory && a.plane == b.plane; };
  for (std::size_t i = 0; i < count; ++i) {
    const auto one_of_them = [&] { return below(3) == 0 ? below(i + 1) : i - std::min<std::size_t>(i, below(2)); };
    const std::size_t left = one_of_them(), right = one_of_them();
    list_step step{};
    step.left = images[left], step.right = images[right];
    step.numbers.weight = between(2, 9);
    const std::size_t kind = below(8);
    step.kind = kind == 0 ? list_step::in_place : kind == 1 ? list_step::mixture : list_step::window;
    step.of.from_margin = step.of.margin = margins[left];
    step.to = {i + 1 == count ? 0 : below(memories), i + 1};
    // A kernel can't overwrite memory in which it reads other work-items' elements. In other memory, a step may
    // overwrite an old image.
    if (const std::size_t old = below(i + 1); below(6) == 0 && !at_one_place(images[old], step.left) &&
                                              !at_one_place(images[old], step.right)) {
      step.to = images[old];
    }
    if (step.kind == list_step::in_place) step.to = step.left;
    if (step.kind == list_step::mixture) step.of.margin = std::max(margins[left], margins[right]);
    if (step.kind == list_step::window) {
      stage_numbers& n = step.numbers;
      n.rule = between(0, e2e::border_kinds - 1);
      n.along = between(0, Dimensions - 1);
      n.low = between(-3, 1), n.high = n.low + between(0, 4);
      if (Dimensions > 1 && below(3) == 0) n.low_across = between(-2, 0), n.high_across = between(0, 2);
      const int farthest = std::max({-n.low, n.high, -n.low_across, n.high_across});
      const std::size_t margin = step.of.from_margin + static_cast<std::size_t>(farthest);
      n.is_inner = below(4) == 0 && 2 * margin < least;
      if (n.is_inner) step.of.margin = margin;
    }
    // If a step overwrites only part of an image, the image's margin keeps old values. So later steps must not read the
    // margin.
    for (std::size_t old = 0; old < images.size(); ++old) {
      if (at_one_place(images[old], step.to)) margins[old] = std::max(margins[old], step.of.margin);
    }
    images.push_back(step.to), margins.push_back(step.of.margin);
    what.steps.push_back(step);
  }
  what.kept[what.steps.back().to.memory] = true;
  return what;
}

std::size_t fused_by[4] = {}, tried_by[4] = {};  ///< numbers of lists for each way of fusing

template <class Storage>
void check(std::uint32_t seed) {
  constexpr int dimensions = Storage::dimensions;
  std::mt19937 random(seed);
  const sycl::range<dimensions> image = [&] {
    if constexpr (dimensions == 1) return sycl::range<1>(random_size(random, 5000));
    if constexpr (dimensions == 2) return sycl::range<2>(random_size(random, 150), random_size(random, 900));
    if constexpr (dimensions == 3)
      return sycl::range<3>(random_size(random, 25), random_size(random, 30), random_size(random, 90));
  }();
  const list what = random_list(random, image);
  const auto expected = run<Storage>(what, image, random, door::none);
  const auto try_door = [&](door which, int rounds) {
    ++tried_by[static_cast<int>(which)];
    bool fused = false;
    for (int round = 0; round < rounds && !fused; ++round) {
      // Automatic lists are compiled in the background, so later rounds wait a little.
      if (round >= 2) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const e2e::launches counter;
      const auto found = run<Storage>(what, image, random, which);
      fused = counter.count() < what.steps.size();
      if (found != expected) std::printf("E2E_SEED=%u: by %s, it differs\n", seed, door_names[static_cast<int>(which)]);
      CHECK(found == expected);
    }
    fused_by[static_cast<int>(which)] += fused;
    return fused;
  };
  const bool may_fuse = try_door(door::completed, 1);
  const std::uint32_t other = seed / 13 % 3;
  if (other == 1) try_door(door::graph, 1);
  if (other == 2) try_door(door::automatic, may_fuse ? 6 : 2);
}

void check(std::uint32_t seed) {
  switch (seed % 13) {
    case 0: return check<in_buffers<float, 2, false>>(seed);
    case 1: return check<in_buffers<float, 2, true>>(seed);
    case 2: return check<in_buffers<sycl::vec<float, 2>, 2, true>>(seed);
    case 3: return check<in_planes<unsigned, false>>(seed);
    case 4: return check<in_planes<float, true>>(seed);
    case 5: return check<in_planes<colour<unsigned short>, false>>(seed);
    case 6: return check<in_rows<short, 2, int>>(seed);
    case 7: return check<in_rows<float, 3, std::size_t>>(seed);
    case 8: return check<in_usm<colour<float>, 2, int>>(seed);
    case 9: return check<in_usm<unsigned, 3, long>>(seed);
    case 10: return check<in_usm<float, 1, std::size_t>>(seed);
    case 11: return check<in_usm<unsigned char, 2, std::size_t>>(seed);
    default: return check<in_buffers<double, 3, false>>(seed);
  }
}

}  // namespace

TEST("random lists of stencils over images in many places have the bits of their kernels alone") {
  if (const char* seed = std::getenv("E2E_SEED")) return check(static_cast<std::uint32_t>(std::atoi(seed)));
  const std::uint32_t begin = e2e::number_from("E2E_FIRST", 0), count = e2e::number_of_lists(13, 400);
  for (std::uint32_t seed = begin; seed < begin + count; ++seed) check(seed);
  std::printf("of %u lists %zu were fused by the program, %zu of %zu by queues, %zu of %zu by graphs\n", count,
              fused_by[1], fused_by[2], tried_by[2], fused_by[3], tried_by[3]);
  if (e2e::can_fuse) CHECK(fused_by[1] + fused_by[3] > count / 4);
}

/// Kernels over a whole image read one number for each row or each column. So the index of this number does
/// not depend on the other dimension. The images are wider and higher than tiles.
TEST("rows and columns of numbers, read by kernels of whole images, have the bits of their kernels alone") {
  namespace cx = sycl::ext::codeplay::experimental;
  struct shape {
    std::size_t height, width;
  };
  for (const auto& [height, width] : {shape{300, 3000}, shape{640, 64}, shape{3, 5000}, shape{1, 1}}) {
    for (const int kind : {0, 1, 2, 3, 4, 5}) {
      std::vector<int> expected;
      for (const door which : {door::none, door::completed, door::graph}) {
        const sycl::property::queue::in_order in_order;
        const cx::property::queue::enable_fusion enabled;
        sycl::queue queue(which == door::completed ? sycl::property_list{enabled, in_order}
                                                   : sycl::property_list{in_order});
        const std::size_t count = height * width;
        int* in = sycl::malloc_shared<int>(2 * count, queue);
        int* out = sycl::malloc_shared<int>(2 * count, queue);
        for (std::size_t i = 0; i < 2 * count; ++i) in[i] = static_cast<int>(i), out[i] = -1;
        const auto submit = [&, height = height, width = width] {
          if (kind == 0 || kind == 2)
            queue.parallel_for(sycl::range<1>(width), [=](sycl::id<1> at) { in[at] += 1000; });
          if (kind == 3) queue.parallel_for(sycl::range<2>(height, 1), [=](sycl::id<2> at) { in[at[0]] += 1000; });
          if (kind == 3 || kind == 4)
            queue.parallel_for(sycl::range<2>(height, width),
                               [=](sycl::id<2> at) { out[at[0] * width + at[1]] = in[at[0]] * 2; });
          else if (kind == 5)  // rows that overlap
            queue.parallel_for(sycl::range<2>(height, 2 * width),
                               [=](sycl::id<2> at) { out[at[0] * width + at[1]] = in[at[0] * width + at[1]]; });
          else
            queue.parallel_for(sycl::range<2>(height, width),
                               [=](sycl::id<2> at) { out[at[0] * width + at[1]] = in[at[1]] * 2; });
          if (kind == 1 || kind == 2)
            queue.parallel_for(sycl::range<2>(1, width), [=](sycl::id<2> at) { in[at[0] * width + at[1]] = -7; });
          if (kind == 4) queue.parallel_for(sycl::range<2>(height, 1), [=](sycl::id<2> at) { in[at[0]] = -7; });
          if (kind == 5)
            queue.parallel_for(sycl::range<2>(height, width), [=](sycl::id<2> at) { in[at[0] * width + at[1]] = -7; });
        };
        e2e::run_through(which, queue, submit);
        std::vector<int> found(in, in + 2 * count);
        // Where rows overlap, two work-items write the same value.
        found.insert(found.end(), out, out + 2 * count);
        if (which == door::none) expected = found;
        CHECK_ALL_EQUAL(found, expected);
        sycl::free(in, queue), sycl::free(out, queue);
      }
    }
  }
}

E2E_MAIN
