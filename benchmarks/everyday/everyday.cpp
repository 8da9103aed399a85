/// Kernels as users of CUDA or of textbooks write them, each in two or three spellings. No kernel is written for a CPU:
/// each work-item goes down a column, grid-stride loops go through large arrays, and all work-items of a group load
/// tiles with a border. The speed should not depend on the spelling.
///
/// usage: everyday [PAIRS [N]]; pictures of N x N, N rounded up to a multiple of 64.

#include "../cpu/measure.hpp"
#include "everyday_reference.hpp"
#include "pictures.hpp"

namespace {

constexpr std::size_t group = 256, groups = 256, tile_rows = 8, tile_columns = 64, strip = 64;

class kernels {
public:
  explicit kernels(bench::program& program)
      : m_program(program),
        m_queue(program.queue),
        m_n((program.size(0) + tile_columns - 1) / tile_columns * tile_columns),
        m_count(m_n * m_n),
        m_bordered((m_n + 2) * (m_n + 2)),
        m_in(program.allocate<float>(m_bordered)),
        m_out(program.allocate<float>(m_count)),
        m_bytes(program.allocate<std::uint8_t>(m_count)),
        m_bins(program.allocate<std::uint32_t>(256)),
        m_expected(m_count) {
    bench::dice dice;
    for (std::size_t i = 0; i < m_bordered; ++i) m_in[i] = dice.between(0, 1);
    for (std::size_t i = 0; i < m_count; ++i) m_bytes[i] = static_cast<std::uint8_t>(dice.next());
  }

  std::size_t size() const { return m_n; }

  void columns() {
    const std::size_t n = m_n;
    const float* in = m_in;
    float* out = m_out;
    for (std::size_t x = 0; x < n; ++x) {
      m_expected[x] = 0;
      for (std::size_t row = 0; row < n; ++row) m_expected[x] += in[row * n + x];
    }
    const auto sums = [&](const char* spelling, const std::function<void()>& run) {
      compare(std::string("column sums, ") + spelling, run, [=] { everyday::column_sums(in, out, n); }, n, 1, 0);
    };
    sums("range, size_t", launch([=](sycl::queue& queue) {
           queue.parallel_for(sycl::range(n), [=](sycl::id<1> x) {
             float all = 0;
             for (std::size_t row = 0; row < n; ++row) all += in[row * n + x[0]];
             out[x] = all;
           });
         }));
    sums("range, int", launch([=, width = static_cast<int>(n)](sycl::queue& queue) {
           queue.parallel_for(sycl::range(n), [=](sycl::id<1> id) {
             const int x = static_cast<int>(id[0]);
             float all = 0;
             for (int row = 0; row < width; ++row) all += in[row * width + x];
             out[x] = all;
           });
         }));
    sums("groups", launch([=](sycl::queue& queue) {
           queue.parallel_for(sycl::nd_range<1>((n + group - 1) / group * group, group), [=](sycl::nd_item<1> item) {
             const std::size_t x = item.get_global_id(0);
             if (x >= n) return;
             float all = 0;
             for (std::size_t row = 0; row < n; ++row) all += in[row * n + x];
             out[x] = all;
           });
         }));

    for (std::size_t x = 0; x < n; ++x) {
      m_expected[x] = 0;
      for (std::size_t row = 0; row < n; ++row) m_expected[x] += in[row] * in[row * n + x];
    }
    compare("transposed matrix x vector, range", launch([=](sycl::queue& queue) {
              queue.parallel_for(sycl::range(n), [=](sycl::id<1> x) {
                float all = 0;
                for (std::size_t row = 0; row < n; ++row) all += in[row] * in[row * n + x[0]];
                out[x] = all;
              });
            }),
            [=] { everyday::transposed_product(in, in, out, n); }, n, 1, 0);

    for (std::size_t x = 0; x < n; ++x) {
      float all = 0;
      for (std::size_t row = 0; row < n; ++row) m_expected[row * n + x] = all += in[row * n + x];
    }
    const auto down = [&](const char* spelling, const std::function<void()>& run) {
      compare(std::string("sums down columns, ") + spelling, run, [=] { everyday::sums_down_columns(in, out, n); },
              m_count, 1, 1);
    };
    down("range, size_t", launch([=](sycl::queue& queue) {
           queue.parallel_for(sycl::range(n), [=](sycl::id<1> x) {
             float all = 0;
             for (std::size_t row = 0; row < n; ++row) out[row * n + x[0]] = all += in[row * n + x[0]];
           });
         }));
    down("range, int", launch([=, width = static_cast<int>(n)](sycl::queue& queue) {
           queue.parallel_for(sycl::range(n), [=](sycl::id<1> id) {
             const int x = static_cast<int>(id[0]);
             float all = 0;
             for (int row = 0; row < width; ++row) out[row * width + x] = all += in[row * width + x];
           });
         }));
  }

  void roots() {
    const std::size_t n = m_n, count = m_count;
    const float* in = m_in;
    float* out = m_out;
    for (std::size_t i = 0; i < count; ++i) m_expected[i] = 2 * std::sqrt(in[i]);
    const auto both = [&](const char* spelling, const std::function<void()>& run) {
      compare(std::string("roots, ") + spelling, run, [=] { everyday::twice_the_root(in, out, count); }, count, 1, 1);
    };
    both("strips of 64 rows", launch([=](sycl::queue& queue) {
           queue.parallel_for(sycl::range(n / strip, n), [=](sycl::id<2> id) {
             for (std::size_t row = id[0] * strip; row < (id[0] + 1) * strip; ++row)
               out[row * n + id[1]] = 2 * sycl::sqrt(in[row * n + id[1]]);
           });
         }));
    both("strips of 64 rows, int", launch([=, width = static_cast<int>(n)](sycl::queue& queue) {
           queue.parallel_for(sycl::range(n / strip, n), [=](sycl::id<2> id) {
             const int x = static_cast<int>(id[1]), first = static_cast<int>(id[0] * strip);
             for (int row = first; row < first + static_cast<int>(strip); ++row)
               out[row * width + x] = 2 * sycl::sqrt(in[row * width + x]);
           });
         }));
    both("grid stride, size_t", by_grid([=](const sycl::nd_item<1>& item) {
           for (std::size_t i = item.get_global_id(0); i < count; i += item.get_global_range(0))
             out[i] = 2 * sycl::sqrt(in[i]);
         }));
    both("grid stride, int", by_grid([=, end = static_cast<int>(count)](const sycl::nd_item<1>& item) {
           for (int i = static_cast<int>(item.get_global_id(0)); i < end;
                i += static_cast<int>(item.get_global_range(0)))
             out[i] = 2 * sycl::sqrt(in[i]);
         }));
    both("grid stride, literal", by_grid([=, end = static_cast<int>(count)](const sycl::nd_item<1>& item) {
           for (int i = static_cast<int>(item.get_global_id(0)); i < end; i += group * groups)
             out[i] = 2 * sycl::sqrt(in[i]);
         }));
    both("grid stride, block and thread", by_grid([=, end = static_cast<unsigned>(count)](
                                                      const sycl::nd_item<1>& item) {
           const auto block = static_cast<unsigned>(item.get_group(0)), size = static_cast<unsigned>(group);
           const auto thread = static_cast<unsigned>(item.get_local_id(0));
           for (unsigned i = block * size + thread; i < end; i += size * static_cast<unsigned>(item.get_group_range(0)))
             out[i] = 2 * sycl::sqrt(in[i]);
         }));
  }

  void sums() {
    const std::size_t count = m_count;
    const float* in = m_in;
    float* out = m_out;
    double all = 0;
    for (std::size_t i = 0; i < count; ++i) all += static_cast<double>(in[i]);
    m_expected[0] = static_cast<float>(all);
    const auto both = [&](const char* spelling, const std::function<void()>& run) {
      const auto sum_up = [=, this] {
        run();
        for (std::size_t i = 1; i < groups; ++i) m_parts[0] += m_parts[i];
        out[0] = m_parts[0];
      };
      compare(std::string("sum, ") + spelling, sum_up, [=] { out[0] = everyday::sum(in, count); }, 1, 1, 0, 1e-3);
    };
    float* parts = m_parts = m_program.allocate<float>(groups);
    const auto keep = [=](const sycl::nd_item<1>& item, float mine) {
      mine = sycl::reduce_over_group(item.get_group(), mine, sycl::plus<float>());
      if (item.get_local_id(0) == 0) parts[item.get_group(0)] = mine;
    };
    both("grid stride, size_t", by_grid([=](const sycl::nd_item<1>& item) {
           float mine = 0;
           for (std::size_t i = item.get_global_id(0); i < count; i += item.get_global_range(0)) mine += in[i];
           keep(item, mine);
         }));
    both("grid stride, int", by_grid([=, end = static_cast<int>(count)](const sycl::nd_item<1>& item) {
           float mine = 0;
           for (int i = static_cast<int>(item.get_global_id(0)); i < end;
                i += static_cast<int>(item.get_global_range(0)))
             mine += in[i];
           keep(item, mine);
         }));
  }

  void tiles() {
    const std::size_t n = m_n;
    for (std::size_t y = 0; y < n; ++y) {
      for (std::size_t x = 0; x < n; ++x) {
        float all = 0;
        for (std::size_t j = 0; j < 3; ++j) {
          for (std::size_t k = 0; k < 3; ++k) all += m_in[(y + j) * (n + 2) + x + k];
        }
        m_expected[y * n + x] = all;
      }
    }
    tile_by<std::size_t>("size_t");
    tile_by<int>("int");
    tile_by<unsigned>("unsigned");
  }

  void rows() {
    for (std::size_t y = 0; y < m_n; ++y) {
      for (std::size_t x = 0; x < m_n; ++x) m_expected[y * m_n + x] = m_in[y * m_n + x] * m_in[y * m_n];
    }
    row_by<std::size_t>("size_t");
    row_by<int>("int");
    row_by<unsigned>("unsigned");
  }

  void histograms() {
    const std::size_t count = m_count;
    const std::uint8_t* in = m_bytes;
    std::uint32_t* bins = m_bins;
    std::vector<std::uint32_t> expected(256);
    for (std::size_t i = 0; i < count; ++i) ++expected[in[i]];
    const auto both = [&](const char* spelling, const auto& walk) {
      m_program.measure({.name = std::string("histogram, ") + spelling,
                         .sides = {{"sinter",
                                    [=, this] {
                                      m_queue.fill(bins, 0u, 256);
                                      count_in_groups(walk);
                                      m_queue.wait();
                                    }},
                                   {"openmp", [=] { everyday::histogram(in, bins, count); }}},
                         .spoil = [=] { std::fill_n(bins, 256, 77u); },
                         .is_right = [&] { return std::equal(expected.begin(), expected.end(), bins); },
                         .memory = {.from = {in}, .reads = 1, .bytes = count}});
    };
    both("grid stride, size_t", [=](const sycl::nd_item<1>& item, const auto& found) {
      for (std::size_t i = item.get_global_id(0); i < count; i += item.get_global_range(0)) found(in[i]);
    });
    both("grid stride, int", [=, end = static_cast<int>(count)](const sycl::nd_item<1>& item, const auto& found) {
      for (int i = static_cast<int>(item.get_global_id(0)); i < end; i += static_cast<int>(item.get_global_range(0)))
        found(in[i]);
    });
    both("grid stride, literal", [=](const sycl::nd_item<1>& item, const auto& found) {
      for (std::size_t i = item.get_global_id(0); i < count; i += group * groups) found(in[i]);
    });
  }

  /// Sums up the neighbours in a row; the elements at the ends of the row are repeated. The largest distance of the
  /// neighbours is known only at run time.
  void windows() {
    const std::size_t n = m_n;
    const float* in = m_in;
    float* out = m_out;
    const int width = static_cast<int>(n), reach = m_reach;
    for (int y = 0; y < width; ++y) {
      for (int x = 0; x < width; ++x) {
        float all = 0;
        for (int d = -reach; d <= reach; ++d) all += in[y * width + std::clamp(x + d, 0, width - 1)];
        m_expected[static_cast<std::size_t>(y * width + x)] = all;
      }
    }
    const auto both = [&](const char* spelling, const auto& body) {
      const auto run = launch([=](sycl::queue& queue) {
        queue.parallel_for(sycl::range(n, n), [=](sycl::id<2> at) { body(at); });
      });
      compare(std::string("window, ") + spelling, run, [=] { everyday::window(in, out, n, reach); }, m_count, 1, 1);
    };
    both("clamped, int", [=](sycl::id<2> at) {
      const int y = static_cast<int>(at[0]), x = static_cast<int>(at[1]);
      float all = 0;
      for (int d = -reach; d <= reach; ++d) all += in[y * width + sycl::clamp(x + d, 0, width - 1)];
      out[y * width + x] = all;
    });
    both("clamped, long", [=](sycl::id<2> at) {
      const long y = static_cast<long>(at[0]), x = static_cast<long>(at[1]);
      float all = 0;
      for (long d = -reach; d <= reach; ++d) all += in[y * width + std::min(std::max(x + d, 0l), width - 1l)];
      out[y * width + x] = all;
    });
    both("ends left to conditions", [=](sycl::id<2> at) {
      const int y = static_cast<int>(at[0]), x = static_cast<int>(at[1]);
      float all = 0;
      for (int d = -reach; d <= reach; ++d) {
        const int column = x + d;
        all += column < 0 ? in[y * width] : column >= width ? in[y * width + width - 1] : in[y * width + column];
      }
      out[y * width + x] = all;
    });
    both("either direction", [=, along = reach > 0](sycl::id<2> at) {
      const int y = static_cast<int>(at[0]), x = static_cast<int>(at[1]);
      float all = 0;
      for (int d = -reach; d <= reach; ++d) {
        const int row = along ? y : sycl::clamp(y + d, 0, width - 1);
        const int column = along ? sycl::clamp(x + d, 0, width - 1) : x;
        all += in[row * width + column];
      }
      out[y * width + x] = all;
    });
  }

  /// Each work-item handles a row.
  void rows_alone() {
    const std::size_t n = m_n;
    const float* in = m_in;
    float* out = m_out;
    const auto both = [&](const char* name, const auto& reference, double tolerance, const auto& body) {
      reference(in, m_expected.data(), n);
      const auto run = launch([=](sycl::queue& queue) {
        queue.parallel_for(sycl::range(n), [=](sycl::id<1> row) { body(in + row[0] * n, out + row[0] * n); });
      });
      compare(std::string(name) + ", a row per work-item", run, [=] { reference(in, out, n); }, m_count, 1, 1,
              tolerance);
    };
    both("halves", everyday::halves, 0, [=](const float* from, float* to) {
      for (std::size_t x = 0; x < n; ++x) to[x] = from[x] * 0.5f;
    });
    both("sums of prefixes", everyday::prefixes, 1e-3, [=, width = static_cast<int>(n)](const float* from, float* to) {
      float all = 0;
      for (int x = 0; x < width; ++x) to[x] = all += from[x];
    });
    both("layer norm", everyday::layer_norm, 1e-2, [=, width = static_cast<int>(n)](const float* from, float* to) {
      float all = 0, squares = 0;
      for (int x = 0; x < width; ++x) all += from[x];
      const float mean = all / static_cast<float>(width);
      for (int x = 0; x < width; ++x) squares += (from[x] - mean) * (from[x] - mean);
      const float factor = sycl::rsqrt(squares / static_cast<float>(width) + 1e-5f);
      for (int x = 0; x < width; ++x) to[x] = (from[x] - mean) * factor;
    });
    both("softmax", everyday::softmax, 1e-3, [=](const float* from, float* to) {
      float most = from[0], all = 0;
      for (std::size_t x = 1; x < n; ++x) most = sycl::fmax(most, from[x]);
      for (std::size_t x = 0; x < n; ++x) all += to[x] = sycl::exp(from[x] - most);
      for (std::size_t x = 0; x < n; ++x) to[x] /= all;
    });
  }

private:
  template <class Submit>
  std::function<void()> launch(const Submit& submit) {
    return [=, this] {
      submit(m_queue);
      m_queue.wait();
    };
  }

  template <class Body>
  std::function<void()> by_grid(const Body& body) {
    return launch([=](sycl::queue& queue) {
      queue.parallel_for(sycl::nd_range<1>(group * groups, group), [=](sycl::nd_item<1> item) { body(item); });
    });
  }

  template <class Walk>
  void count_in_groups(const Walk& walk) {
    std::uint32_t* bins = m_bins;
    using counter = sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, sycl::memory_scope::work_group>;
    using total = sycl::atomic_ref<std::uint32_t, sycl::memory_order::relaxed, sycl::memory_scope::device>;
    m_queue.submit([&](sycl::handler& handler) {
      const sycl::local_accessor<std::uint32_t, 1> mine(256, handler);
      handler.parallel_for(sycl::nd_range<1>(group * groups, group), [=](sycl::nd_item<1> item) {
        const std::size_t l = item.get_local_id(0);
        mine[l] = 0;
        sycl::group_barrier(item.get_group());
        walk(item, [&](std::size_t bin) { counter(mine[bin])++; });
        sycl::group_barrier(item.get_group());
        total(bins[l]) += mine[l];
      });
    });
  }

  /// All work-items of a group load a tile with its border.
  template <class Index>
  void tile_by(const char* spelling) {
    const std::size_t n = m_n;
    const float* in = m_in;
    float* out = m_out;
    const auto run = launch([=](sycl::queue& queue) {
      queue.submit([&](sycl::handler& handler) {
        const sycl::local_accessor<float, 2> near({tile_rows + 2, tile_columns + 2}, handler);
        handler.parallel_for(sycl::nd_range<2>({n, n}, {tile_rows, tile_columns}), [=](sycl::nd_item<2> item) {
          const auto width = static_cast<Index>(n);
          const auto ly = static_cast<Index>(item.get_local_id(0)), lx = static_cast<Index>(item.get_local_id(1));
          const auto y0 = static_cast<Index>(item.get_group(0) * tile_rows);
          const auto x0 = static_cast<Index>(item.get_group(1) * tile_columns);
          for (Index y = ly; y < static_cast<Index>(tile_rows + 2); y += static_cast<Index>(tile_rows)) {
            for (Index x = lx; x < static_cast<Index>(tile_columns + 2); x += static_cast<Index>(tile_columns))
              near[y][x] = in[(y0 + y) * (width + 2) + x0 + x];
          }
          sycl::group_barrier(item.get_group());
          float all = 0;
          for (Index j = 0; j < 3; ++j) {
            for (Index k = 0; k < 3; ++k) all += near[ly + j][lx + k];
          }
          out[(y0 + ly) * width + x0 + lx] = all;
        });
      });
    });
    compare(std::string("box with a tile, ") + spelling, run, [=] { everyday::box(in, out, n); }, m_count, 1, 1);
  }

  /// Each group handles a row.
  template <class Index>
  void row_by(const char* spelling) {
    const std::size_t n = m_n;
    const float* in = m_in;
    float* out = m_out;
    const auto run = launch([=](sycl::queue& queue) {
      queue.parallel_for(sycl::nd_range<1>(n * group, group), [=](sycl::nd_item<1> item) {
        const auto width = static_cast<Index>(n);
        const auto row = static_cast<Index>(item.get_group(0));
        for (auto x = static_cast<Index>(item.get_local_id(0)); x < width; x += static_cast<Index>(group))
          out[row * width + x] = in[row * width + x] * in[row * width];
      });
    });
    compare(std::string("a row per group, ") + spelling, run, [=] { everyday::scaled_rows(in, out, n); }, m_count, 1,
            1);
  }

  /// Compares the first `results` numbers of m_out. The kernel reads and writes the whole picture.
  void compare(const std::string& name, const std::function<void()>& run, const std::function<void()>& reference,
               std::size_t results, int reads, int writes, double tolerance = 1e-4) {
    m_program.measure({.name = name,
                       .sides = {{"sinter", run}, {"openmp", reference}},
                       .spoil = [=, this] { std::fill_n(m_out, results, -1.0f); },
                       .is_right = [=, this] { return bench::are_close(m_out, m_expected.data(), results, tolerance); },
                       .memory = {.from = {m_in},
                                  .reads = reads,
                                  .to = {m_out},
                                  .writes = writes,
                                  .bytes = m_count * sizeof(float)}});
  }

  bench::program& m_program;
  sycl::queue& m_queue;
  std::size_t m_n, m_count, m_bordered;
  float *m_in, *m_out, *m_parts = nullptr;
  std::uint8_t* m_bytes;
  std::uint32_t* m_bins;
  std::vector<float> m_expected;
  volatile int m_reach = 3;
};

}  // namespace

int main(int word_count, char** words) {
  bench::program program(word_count, words, {4096});
  kernels all(program);
  all.columns();
  all.roots();
  all.sums();
  all.tiles();
  all.rows();
  all.windows();
  all.rows_alone();
  all.histograms();
  everyday::measure_pictures(program, all.size());
  everyday::measure_row_groups(program, all.size());
}
