#include "everyday_reference.hpp"
#include "pictures.hpp"

namespace everyday {
namespace {

constexpr std::size_t group = 256, tile = 16;

class row_groups {
public:
  row_groups(bench::program& program, std::size_t n)
      : m_program(program),
        m_n(n),
        m_in(program.allocate<float>(n * n)),
        m_out(program.allocate<float>(n * n)),
        m_expected(n * n) {
    bench::dice dice;
    for (std::size_t i = 0; i < n * n; ++i) m_in[i] = dice.between(0, 1);
  }

  template <class Index>
  void sums(const char* spelling) {
    compare("row sums", spelling, row_sums, m_n,
            [](const sycl::nd_item<1>& item, const float* from, float* out, Index n) {
              float all = 0;
              for (auto x = static_cast<Index>(item.get_local_id(0)); x < n; x += static_cast<Index>(group))
                all += from[x];
              all = sycl::reduce_over_group(item.get_group(), all, sycl::plus<float>());
              if (item.get_local_id(0) == 0) out[item.get_group(0)] = all;
            }, static_cast<Index>(m_n));
  }

  /// The loop reads the captured width in each iteration, as most users write it.
  void sums_up_to_captured() {
    compare("row sums", "captured", row_sums, m_n,
            [](const sycl::nd_item<1>& item, const float* from, float* out, const int& n) {
              float all = 0;
              for (int x = static_cast<int>(item.get_local_id(0)); x < n; x += static_cast<int>(group)) all += from[x];
              all = sycl::reduce_over_group(item.get_group(), all, sycl::plus<float>());
              if (item.get_local_id(0) == 0) out[item.get_group(0)] = all;
            }, static_cast<int>(m_n));
  }

  template <class Index>
  void products(const char* spelling) {
    const float* vector = m_in;
    compare("matrix x vector", spelling, product_with_row, m_n,
            [=](const sycl::nd_item<1>& item, const float* from, float* out, Index n) {
              float all = 0;
              for (auto x = static_cast<Index>(item.get_local_id(0)); x < n; x += static_cast<Index>(group))
                all += from[x] * vector[x];
              all = sycl::reduce_over_group(item.get_group(), all, sycl::plus<float>());
              if (item.get_local_id(0) == 0) out[item.get_group(0)] = all;
            }, static_cast<Index>(m_n));
  }

  template <class Index>
  void layer_norms(const char* spelling) {
    compare("layer norm", spelling, layer_norm_of_rows, m_n * m_n,
            [](const sycl::nd_item<1>& item, const float* from, float* out, Index n) {
              const auto first = static_cast<Index>(item.get_local_id(0)), step = static_cast<Index>(group);
              float* to = out + item.get_group(0) * static_cast<std::size_t>(n);
              float all = 0, squares = 0;
              for (Index x = first; x < n; x += step) all += from[x];
              const float mean =
                  sycl::reduce_over_group(item.get_group(), all, sycl::plus<float>()) / static_cast<float>(n);
              for (Index x = first; x < n; x += step) squares += (from[x] - mean) * (from[x] - mean);
              squares = sycl::reduce_over_group(item.get_group(), squares, sycl::plus<float>());
              const float factor = sycl::rsqrt(squares / static_cast<float>(n) + 1e-5f);
              for (Index x = first; x < n; x += step) to[x] = (from[x] - mean) * factor;
            }, static_cast<Index>(m_n));
  }

  template <class Index>
  void softmaxes(const char* spelling) {
    compare("softmax", spelling, softmax_of_rows, m_n * m_n,
            [](const sycl::nd_item<1>& item, const float* from, float* out, Index n) {
              const auto first = static_cast<Index>(item.get_local_id(0)), step = static_cast<Index>(group);
              float* to = out + item.get_group(0) * static_cast<std::size_t>(n);
              float most = -INFINITY, all = 0;
              for (Index x = first; x < n; x += step) most = sycl::fmax(most, from[x]);
              most = sycl::reduce_over_group(item.get_group(), most, sycl::maximum<float>());
              for (Index x = first; x < n; x += step) all += to[x] = sycl::exp(from[x] - most);
              all = sycl::reduce_over_group(item.get_group(), all, sycl::plus<float>());
              for (Index x = first; x < n; x += step) to[x] /= all;
            }, static_cast<Index>(m_n));
  }

  /// All work-items of a group load a tile, whose elements are numbered.
  template <class Index>
  void numbered_tiles(const char* spelling) {
    const std::size_t n = m_n, inside = n - 2;
    for (std::size_t y = 0; y < inside; ++y) {
      for (std::size_t x = 0; x < inside; ++x) {
        float all = 0;
        for (std::size_t j = 0; j < 9; ++j) all += m_in[(y + j / 3) * n + x + j % 3];
        m_expected[y * n + x] = all;
      }
    }
    const float* in = m_in;
    float* out = m_out;
    measure(std::string("box by numbered tiles, ") + spelling, [=, this] {
      m_program.queue.submit([&](sycl::handler& handler) {
        const sycl::local_accessor<float, 1> near((tile + 2) * (tile + 2), handler);
        const std::size_t whole = (inside + tile - 1) / tile * tile;
        handler.parallel_for(sycl::nd_range<2>({whole, whole}, {tile, tile}), [=](sycl::nd_item<2> item) {
          constexpr auto side = static_cast<Index>(tile + 2);
          const auto y0 = static_cast<Index>(item.get_group(0) * tile);
          const auto x0 = static_cast<Index>(item.get_group(1) * tile);
          const auto end = static_cast<Index>(n);
          for (auto i = static_cast<Index>(item.get_local_linear_id()); i < side * side;
               i += static_cast<Index>(tile * tile)) {
            const Index y = y0 + i / side, x = x0 + i % side;
            near[i] = y < end && x < end ? in[y * end + x] : 0;
          }
          sycl::group_barrier(item.get_group());
          const auto y = static_cast<Index>(item.get_local_id(0)), x = static_cast<Index>(item.get_local_id(1));
          if (y0 + y >= end - 2 || x0 + x >= end - 2) return;
          float all = 0;
          for (Index j = 0; j < 3; ++j) {
            for (Index k = 0; k < 3; ++k) all += near[(y + j) * side + x + k];
          }
          out[(y0 + y) * end + x0 + x] = all;
        });
      });
      m_program.queue.wait();
    }, [=] { box_inside(in, out, n); }, inside * n - 2);
  }

private:
  template <class Reference, class Index, class Body>
  void compare(const char* name, const char* spelling, const Reference& reference, std::size_t results,
               const Body& body, Index width) {
    const std::size_t n = m_n;
    const float* in = m_in;
    float* out = m_out;
    reference(in, m_expected.data(), n);
    measure(std::string(name) + ", a row per group, " + spelling, [=, this] {
      m_program.queue
          .parallel_for(sycl::nd_range<1>(n * group, group),
                        [=](sycl::nd_item<1> item) { body(item, in + item.get_group(0) * n, out, width); })
          .wait();
    }, [=] { reference(in, out, n); }, results);
  }

  void measure(const std::string& name, const std::function<void()>& run, const std::function<void()>& reference,
               std::size_t results) {
    // Neither the kernel nor the reference writes the ends of rows, so these must stay unchanged.
    m_program.measure({.name = name,
                       .sides = {{"sinter", run}, {"openmp", reference}},
                       .spoil = [=, this] { std::fill_n(m_out, results, -1.0f); },
                       .is_right = [=, this] { return is_right(results); },
                       .memory = {.from = {m_in}, .reads = 1, .to = {m_out}, .writes = results > m_n ? 1 : 0,
                                  .bytes = m_n * m_n * sizeof(float)}});
  }

  bool is_right(std::size_t results) {
    std::vector<float> found(m_out, m_out + results);
    for (std::size_t i = 0; i < results; ++i) {
      if (results > m_n && results < m_n * m_n && i % m_n >= m_n - 2) found[i] = m_expected[i];
    }
    return bench::are_close(found.data(), m_expected.data(), results, 1e-3);
  }

  bench::program& m_program;
  std::size_t m_n;
  float *m_in, *m_out;
  std::vector<float> m_expected;
};

}  // namespace

void measure_row_groups(bench::program& program, std::size_t n) {
  row_groups all(program, n);
  all.sums<int>("int"), all.sums<unsigned>("unsigned"), all.sums<std::size_t>("size_t");
  all.sums_up_to_captured();
  all.products<int>("int"), all.products<unsigned>("unsigned"), all.products<std::size_t>("size_t");
  all.layer_norms<int>("int"), all.layer_norms<unsigned>("unsigned"), all.layer_norms<std::size_t>("size_t");
  all.softmaxes<int>("int"), all.softmaxes<unsigned>("unsigned"), all.softmaxes<std::size_t>("size_t");
  all.numbered_tiles<int>("int"), all.numbered_tiles<unsigned>("unsigned"), all.numbered_tiles<std::size_t>("size_t");
}

}  // namespace everyday
