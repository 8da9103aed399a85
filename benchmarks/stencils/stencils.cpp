/// Pipelines whose kernels read results of neighbouring work-items of earlier kernels. The kernels run one by one or
/// fused by tiles, or loops by hand (by_hand.hpp) replace them.
///
/// usage: stencils PIPELINE [ROUNDS [HEIGHT [WIDTH [REPEATS]]]]; prints one line of JSON per round, milliseconds of
/// each variant. In each round, another variant comes first. Before the first round, results are compared bit by bit
/// (results of loops by hand with a tolerance, because contraction differs). SINTER_DEVICE selects the device. On a
/// device other than the CPU, the time of a variant is the time of REPEATS submissions (default 20), divided by their
/// number. The loops by hand are for the host, so they run only if the device is the CPU.

#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/sycl.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "../fusion/traffic.hpp"
#include "by_hand.hpp"

namespace {

namespace cx = sycl::ext::codeplay::experimental;
namespace ex = sycl::ext::oneapi::experimental;
template <class T>
using picture = sycl::buffer<T, 2>;

long limited(long at, long size) { return at < 0 ? 0 : at >= size ? size - 1 : at; }

/// Submits stages. If kernels run one by one, the pictures between them are kept from round to round, so that only the
/// kernels are measured.
class pipeline {
public:
  pipeline(sycl::queue& queue, std::size_t height, std::size_t width, bool keeps)
      : m_queue(queue), m_size(height, width), m_keeps(keeps) {}

  void start() { m_next = 0; }
  /// Destroys the pictures between stages, because nothing reads them any more.
  void end() {
    if (!m_keeps) m_between.clear();
  }

  template <class T>
  picture<T>& between() {
    if (m_next == m_between.size()) m_between.push_back(std::make_shared<picture<T>>(m_size));
    return *static_cast<picture<T>*>(m_between[m_next++].get());
  }

  /// Submits a stage that computes to(y, x) = f(from..., y, x, height, width).
  template <class To, class F, class... From>
  void stage(picture<To>& to, const F& f, picture<From>&... from) {
    m_queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(to, handler, sycl::write_only, sycl::no_init);
      submit(handler, out, f, sycl::accessor(from, handler, sycl::read_only)...);
    });
  }

private:
  template <class Out, class F, class... In>
  void submit(sycl::handler& handler, Out out, const F& f, In... in) {
    const auto height = static_cast<long>(m_size[0]), width = static_cast<long>(m_size[1]);
    handler.parallel_for(m_size, [=](sycl::id<2> i) {
      out[i] = f(in..., static_cast<long>(i[0]), static_cast<long>(i[1]), height, width);
    });
  }

  sycl::queue& m_queue;
  sycl::range<2> m_size;
  bool m_keeps;
  std::size_t m_next = 0;
  std::vector<std::shared_ptr<void>> m_between;
};

using u16 = std::uint16_t;

void blur(pipeline& p, picture<u16>& in, picture<u16>& out) {
  auto& rows = p.between<u16>();
  p.stage(rows, [](const auto& a, long y, long x, long, long width) {
    return static_cast<u16>((a[y][limited(x - 1, width)] + a[y][x] + a[y][limited(x + 1, width)]) / 3);
  }, in);
  p.stage(out, [](const auto& a, long y, long x, long height, long) {
    return static_cast<u16>((a[limited(y - 1, height)][x] + a[y][x] + a[limited(y + 1, height)][x]) / 3);
  }, rows);
}

constexpr auto weigh = [](const auto& at) {
  return at(-3) * 0.03f + at(-2) * 0.11f + at(-1) * 0.22f + at(0) * 0.28f + at(1) * 0.22f + at(2) * 0.11f +
         at(3) * 0.03f;
};

void unsharp(pipeline& p, picture<float>& in, picture<float>& out) {
  auto &rows = p.between<float>(), &smooth = p.between<float>();
  p.stage(rows, [](const auto& a, long y, long x, long, long width) {
    return weigh([&](long by) { return a[y][limited(x + by, width)]; });
  }, in);
  p.stage(smooth, [](const auto& a, long y, long x, long height, long) {
    return weigh([&](long by) { return a[limited(y + by, height)][x]; });
  }, rows);
  p.stage(out, [](const auto& a, const auto& b, long y, long x, long, long) {
    const float here = a[y][x];
    return here + 1.5f * (here - b[y][x]);
  }, in, smooth);
}

constexpr auto gradient_x = [](const auto& a, long y, long x, long height, long width) {
  const long up = limited(y - 1, height), down = limited(y + 1, height);
  const long left = limited(x - 1, width), right = limited(x + 1, width);
  return (a[up][right] - a[up][left]) + 2 * (a[y][right] - a[y][left]) + (a[down][right] - a[down][left]);
};
constexpr auto gradient_y = [](const auto& a, long y, long x, long height, long width) {
  const long up = limited(y - 1, height), down = limited(y + 1, height);
  const long left = limited(x - 1, width), right = limited(x + 1, width);
  return (a[down][left] - a[up][left]) + 2 * (a[down][x] - a[up][x]) + (a[down][right] - a[up][right]);
};
constexpr auto box = [](const auto& a, long y, long x, long height, long width) {
  float sum = 0;
  for (long by = -1; by <= 1; ++by) {
    for (long bx = -1; bx <= 1; ++bx) sum += a[limited(y + by, height)][limited(x + bx, width)];
  }
  return sum;
};
constexpr auto product = [](const auto& a, const auto& b, long y, long x, long, long) { return a[y][x] * b[y][x]; };

void harris(pipeline& p, picture<float>& in, picture<float>& out) {
  auto &gx = p.between<float>(), &gy = p.between<float>();
  auto &xx = p.between<float>(), &xy = p.between<float>(), &yy = p.between<float>();
  auto &sxx = p.between<float>(), &sxy = p.between<float>(), &syy = p.between<float>();
  p.stage(gx, gradient_x, in);
  p.stage(gy, gradient_y, in);
  p.stage(xx, product, gx, gx);
  p.stage(xy, product, gx, gy);
  p.stage(yy, product, gy, gy);
  p.stage(sxx, box, xx);
  p.stage(sxy, box, xy);
  p.stage(syy, box, yy);
  p.stage(out, [](const auto& a, const auto& b, const auto& c, long y, long x, long, long) {
    const float trace = a[y][x] + c[y][x];
    return a[y][x] * c[y][x] - b[y][x] * b[y][x] - 0.04f * trace * trace;
  }, sxx, sxy, syy);
}

/// Computes the strength of edges; edges below a threshold become 0.
void sobel(pipeline& p, picture<float>& in, picture<float>& out) {
  auto &smooth = p.between<float>(), &gx = p.between<float>(), &gy = p.between<float>();
  p.stage(smooth, box, in);
  p.stage(gx, gradient_x, smooth);
  p.stage(gy, gradient_y, smooth);
  p.stage(out, [](const auto& a, const auto& b, long y, long x, long, long) {
    const float strength = sycl::sqrt(a[y][x] * a[y][x] + b[y][x] * b[y][x]);
    return strength > 4.0f ? strength : 0.0f;
  }, gx, gy);
}

void jacobi(pipeline& p, picture<float>& in, picture<float>& out) {
  const auto sweep = [](const auto& a, long y, long x, long height, long width) {
    return 0.25f * (a[limited(y - 1, height)][x] + a[limited(y + 1, height)][x] + a[y][limited(x - 1, width)] +
                    a[y][limited(x + 1, width)]);
  };
  auto &first = p.between<float>(), &second = p.between<float>(), &third = p.between<float>(),
       &fourth = p.between<float>();
  p.stage(first, sweep, in);
  p.stage(second, sweep, first);
  p.stage(third, sweep, second);
  p.stage(fourth, sweep, third);
  p.stage(out, sweep, fourth);
}

/// Computes (value - mean) / deviation in windows of 5 x 5.
void local_contrast(pipeline& p, picture<float>& in, picture<float>& out) {
  const auto along_x = [](const auto& a, long y, long x, long, long width) {
    float sum = 0;
    for (long by = -2; by <= 2; ++by) sum += a[y][limited(x + by, width)];
    return sum * 0.2f;
  };
  const auto along_y = [](const auto& a, long y, long x, long height, long) {
    float sum = 0;
    for (long by = -2; by <= 2; ++by) sum += a[limited(y + by, height)][x];
    return sum * 0.2f;
  };
  auto &rows = p.between<float>(), &mean = p.between<float>(), &square = p.between<float>(),
       &square_rows = p.between<float>(), &mean_square = p.between<float>();
  p.stage(rows, along_x, in);
  p.stage(mean, along_y, rows);
  p.stage(square, product, in, in);
  p.stage(square_rows, along_x, square);
  p.stage(mean_square, along_y, square_rows);
  p.stage(out, [](const auto& a, const auto& m, const auto& s, long y, long x, long, long) {
    const float variance = s[y][x] - m[y][x] * m[y][x];
    return (a[y][x] - m[y][x]) / sycl::sqrt(variance > 1e-4f ? variance : 1e-4f);
  }, in, mean, mean_square);
}

struct way {
  std::string name;
  std::function<void()> run;
};

double milliseconds(const std::function<void()>& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

template <class T>
int measure(void (*stages)(pipeline&, picture<T>&, picture<T>&), by_hand<T>* hand, int rounds, std::size_t height,
            std::size_t width, int repeats) {
  sycl::queue plain{sycl::property::queue::in_order{}};
  sycl::queue fusing{{sycl::property::queue::in_order{}, cx::property::queue::enable_fusion{}}};
  sycl::queue gathering{{sycl::property::queue::in_order{}, sycl::ext::sinter::property::queue::auto_fusion{}}};
  cx::fusion_wrapper fusion(fusing);
  const bool on_host = plain.get_device().is_cpu();
  if (on_host) repeats = 1;
  if (!on_host) hand = nullptr;
  const sycl::range<2> size(height, width);
  std::vector<T> start(height * width);
  std::uint64_t random = 42;
  for (T& each : start) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const auto number = static_cast<unsigned>(random >> 33) % 1000;
    each = std::is_same_v<T, float> ? static_cast<T>(static_cast<float>(number) / 1000.0f) : static_cast<T>(number);
  }
  picture<T> in(start.data(), size), alone(size), together(size), gathered(size), renewed(size);
  std::vector<T> mine(height * width);
  pipeline one_by_one(plain, height, width, true), fused(fusing, height, width, false);
  pipeline automatic(gathering, height, width, false);
  // Like `automatic`, this variant makes new pictures in each round, so the two differ only in the queue's property.
  pipeline new_pictures(plain, height, width, false);
  std::vector<way> ways;
  ways.push_back({"one by one", [&] {
                    one_by_one.start();
                    stages(one_by_one, in, alone);
                    if (on_host) plain.wait();
                  }});
  ways.push_back({"new pictures", [&] {
                    new_pictures.start();
                    stages(new_pictures, in, renewed);
                    new_pictures.end();
                    if (on_host) plain.wait();
                  }});
  ways.push_back({"fused", [&] {
                    fused.start();
                    fusion.start_fusion();
                    stages(fused, in, together);
                    fused.end();
                    fusion.complete_fusion();
                    if (on_host) fusing.wait();
                  }});
  // This queue and the graph below show whether the runtime chooses tiles if the program does not request them.
  ways.push_back({"automatic", [&] {
                    automatic.start();
                    stages(automatic, in, gathered);
                    automatic.end();
                    if (on_host) gathering.wait();
                  }});
  ex::command_graph graph(plain, {ex::property::graph::assume_buffer_outlives_graph{}});
  pipeline recorded(plain, height, width, false);
  picture<T> replayed(size);
  graph.begin_recording(plain);
  stages(recorded, in, replayed);
  graph.end_recording();
  recorded.end();
  auto executable = graph.finalize({sycl::ext::sinter::property::graph::fuse{}});
  ways.push_back({"graph", [&] {
                    plain.ext_oneapi_graph(executable);
                    if (on_host) plain.wait();
                  }});
  if (hand) ways.push_back({"by hand", [&] { hand(start.data(), mine.data(), height, width); }});
  for (const way& each : ways) each.run();
  const auto wait = [&] { plain.wait(), fusing.wait(), gathering.wait(); };
  openmp_asleep();
  {
    sycl::host_accessor a(alone, sycl::read_only), b(together, sycl::read_only), c(replayed, sycl::read_only),
        d(gathered, sycl::read_only);
    for (std::size_t i = 0; i < height * width; ++i) {
      const T expected = a[i / width][i % width], found = b[i / width][i % width];
      const T of_graph = c[i / width][i % width], of_queue = d[i / width][i % width];
      const double off = std::abs(static_cast<double>(mine[i]) - static_cast<double>(expected));
      const bool near = !hand || off <= 1e-3 * (1 + std::abs(static_cast<double>(expected)));
      bool same = true;
      for (const T* each : {&found, &of_graph, &of_queue}) same = same && std::memcmp(&expected, each, sizeof(T)) == 0;
      if (same && near) continue;
      std::fprintf(stderr, "stencils: element %zu differs\n", i);
      return 1;
    }
  }
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> times(ways.size());
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t which = (static_cast<std::size_t>(round) + i) % ways.size();
      if (ways[which].name == "by hand") openmp_awake();
      wait();
      times[which] = milliseconds(
          [&] {
            for (int i = 0; i < repeats; ++i) ways[which].run();
            wait();
          }) / repeats;
      if (ways[which].name == "by hand") openmp_asleep();
    }
    for (std::size_t i = 0; i < ways.size(); ++i) {
      std::printf("%s\"%s\": %.4f", i == 0 ? "{" : ", ", ways[i].name.c_str(), times[i]);
    }
    std::puts("}");
  }
  return 0;
}

}  // namespace

int main(int word_count, char** words) {
  const std::string name = word_count > 1 ? words[1] : "";
  const int rounds = word_count > 2 ? std::atoi(words[2]) : 15;
  const std::size_t height = word_count > 3 ? std::strtoull(words[3], nullptr, 10) : 4096;
  const std::size_t width = word_count > 4 ? std::strtoull(words[4], nullptr, 10) : height;
  const int repeats = word_count > 5 ? std::max(std::atoi(words[5]), 1) : 20;
  if (height == 0 || width == 0) return 2;
  if (name == "blur") return measure<u16>(blur, blur_by_hand, rounds, height, width, repeats);
  if (name == "unsharp") return measure<float>(unsharp, unsharp_by_hand, rounds, height, width, repeats);
  if (name == "harris") return measure<float>(harris, harris_by_hand, rounds, height, width, repeats);
  if (name == "jacobi") return measure<float>(jacobi, jacobi_by_hand, rounds, height, width, repeats);
  if (name == "sobel") return measure<float>(sobel, nullptr, rounds, height, width, repeats);
  if (name == "local_contrast") return measure<float>(local_contrast, nullptr, rounds, height, width, repeats);
  std::fputs("usage: stencils blur|unsharp|harris|sobel|jacobi|local_contrast [ROUNDS [HEIGHT [WIDTH [REPEATS]]]]\n",
             stderr);
  return 2;
}
