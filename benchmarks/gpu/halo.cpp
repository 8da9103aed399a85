/// A stencil over all GPUs of the machine. Each GPU has some of the rows. Its first and last row are computed
/// separately, and are sent to its neighbours while it computes the other rows. Prints how much faster several GPUs are
/// than one, and whether the results are equal.

#include <cstdio>
#include <sycl/sycl.hpp>
#include <utility>
#include <vector>

#include "best.hpp"

namespace {

struct band {
  explicit band(const sycl::device& gpu)
      : queue(gpu, sycl::property::queue::in_order()), border(gpu, sycl::property::queue::in_order()) {}

  sycl::queue queue, border;
  float *now = nullptr, *next = nullptr;  ///< the GPU's rows, and one more row on each side
  sycl::event inside{}, edges{};          ///< latest step: inner rows, and rows with neighbours on other GPUs
  std::vector<sycl::event> sent;          ///< copies of edge rows to the neighbours
};

class heat {
public:
  /// The number of rows is a multiple of the number of GPUs.
  heat(const std::vector<sycl::device>& gpus, std::size_t rows, std::size_t size)
      : m_size(size), m_rows(rows / gpus.size()) {
    for (const sycl::device& gpu : gpus) {
      band& made = m_bands.emplace_back(gpu);
      for (float** memory : {&made.now, &made.next}) {
        *memory = sycl::malloc_device<float>((m_rows + 2) * size, made.queue);
        float* const start = *memory;
        const std::size_t first = (m_bands.size() - 1) * m_rows;
        made.queue.parallel_for(sycl::range<2>(m_rows + 2, size), [=](sycl::id<2> i) {
          start[i[0] * size + i[1]] = static_cast<float>(((first + i[0]) * 31 + i[1] * 17) % 101);
        });
      }
    }
    wait();
  }
  heat(const heat&) = delete;
  ~heat() {
    for (band& each : m_bands) {
      sycl::free(each.now, each.queue);
      sycl::free(each.next, each.queue);
    }
  }

  void step() {
    for (std::size_t k = 0; k < m_bands.size(); ++k) compute(k);
    for (std::size_t k = 0; k < m_bands.size(); ++k) send(k);
    for (band& each : m_bands) std::swap(each.now, each.next);
  }
  void wait() {
    for (band& each : m_bands) each.queue.wait(), each.border.wait();
  }
  std::vector<float> result() {
    std::vector<float> all(m_size * m_rows * m_bands.size());
    for (std::size_t k = 0; k < m_bands.size(); ++k) {
      m_bands[k].queue.memcpy(&all[k * m_rows * m_size], m_bands[k].now + m_size, m_rows * m_size * sizeof(float));
    }
    wait();
    return all;
  }

private:
  template <class Visit>
  void visit_neighbours(std::size_t k, const Visit& visit) {
    if (k > 0) visit(m_bands[k - 1], false);
    if (k + 1 < m_bands.size()) visit(m_bands[k + 1], true);
  }
  /// Computes `count` rows of the band, which are `distance` rows apart. The first of these rows is row `first`.
  void compute_rows(sycl::handler& group, const band& mine, std::size_t first, std::size_t count,
                    std::size_t distance) {
    const float* const now = mine.now;
    float* const next = mine.next;
    const std::size_t size = m_size;
    group.parallel_for(sycl::range<2>(count, size), [=](sycl::id<2> i) {
      const std::size_t at = (first + i[0] * distance + 1) * size + i[1];
      const float left = i[1] > 0 ? now[at - 1] : 0, right = i[1] + 1 < size ? now[at + 1] : 0;
      next[at] = 0.25f * (left + right + now[at - size] + now[at + size]);
    });
  }
  void compute(std::size_t k) {
    band& mine = m_bands[k];
    const std::size_t above = k > 0 ? 1 : 0, below = k + 1 < m_bands.size() ? 1 : 0;
    const sycl::event edges_before = mine.edges;
    if (above + below > 0) {
      mine.edges = mine.border.submit([&](sycl::handler& group) {
        group.depends_on(mine.inside);
        visit_neighbours(k, [&](const band& other, bool) { group.depends_on(other.sent); });
        compute_rows(group, mine, above ? 0 : m_rows - 1, above + below, m_rows - 1);
      });
    }
    mine.inside = mine.queue.submit([&](sycl::handler& group) {
      group.depends_on(edges_before);
      compute_rows(group, mine, above, m_rows - above - below, 1);
    });
  }
  void send(std::size_t k) {
    band& mine = m_bands[k];
    mine.sent.clear();
    visit_neighbours(k, [&](const band& other, bool below) {
      float* const to = below ? other.next : other.next + (m_rows + 1) * m_size;
      const float* const from = below ? mine.next + m_rows * m_size : mine.next + m_size;
      mine.sent.push_back(mine.border.submit([&](sycl::handler& group) {
        group.depends_on(other.edges);
        group.memcpy(to, from, m_size * sizeof(float));
      }));
    });
  }

  const std::size_t m_size, m_rows;
  std::vector<band> m_bands;
};

double time_of(const std::vector<sycl::device>& gpus, std::size_t rows, std::size_t size, int steps) {
  heat grid(gpus, rows, size);
  return best_of(3,
                 [&] {
                   for (int i = 0; i < steps; ++i) grid.step();
                   grid.wait();
                 }) /
         steps;
}

std::vector<float> result_of(const std::vector<sycl::device>& gpus, std::size_t rows) {
  heat grid(gpus, rows, 512);
  for (int i = 0; i < 20; ++i) grid.step();
  return grid.result();
}

}  // namespace

int main() {
  const std::vector<sycl::device> gpus = sycl::device::get_devices(sycl::info::device_type::gpu);
  if (gpus.empty()) {
    std::printf("no GPU\n");
    return 0;
  }
  const std::vector<sycl::device> one(gpus.begin(), gpus.begin() + 1);
  const auto rows_of = [&](std::size_t size) { return size - size % gpus.size(); };
  if (result_of(one, rows_of(512)) != result_of(gpus, rows_of(512))) {
    std::printf("the results differ\n");
    return 1;
  }
  for (const std::size_t size : {8192, 32768}) {
    const std::size_t rows = rows_of(size);
    const double alone = time_of(one, rows, size, 200), together = time_of(gpus, rows, size, 200);
    std::printf("%zu x %zu: %.0f us per step on one GPU, %.0f on %zu: %.2f times\n", rows, size, alone, together,
                gpus.size(), alone / together);
  }
}
