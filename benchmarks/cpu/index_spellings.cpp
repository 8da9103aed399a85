/// Measures whether other spellings of indices make a kernel slower. The kernels are a plain and a tiled product of
/// matrices, a five-point stencil and a transposition. Each kernel is compared with a version of itself that uses
/// size_t and i * n + j, so Sinter compiles both versions.
///
/// usage: index_spellings [PAIRS [N]]; N is rounded up to a multiple of 16.

#include "measure.hpp"

namespace {

constexpr std::size_t tile = 16;

template <class Index>
struct by_hand {
  float* data;
  Index n;
  float& operator()(Index i, Index j) const { return data[i * n + j]; }
};

template <class Accessor>
struct by_accessor {
  Accessor data;
  auto& operator()(std::size_t i, std::size_t j) const { return data[i][j]; }
};

struct product {
  template <class Index, class Matrix>
  static void run(Index i, Index j, Index n, const Matrix& a, const Matrix& b, const Matrix& c) {
    float sum = 0;
    for (Index k = 0; k < n; ++k) sum += a(i, k) * b(k, j);
    c(i, j) = sum;
  }
};

struct stencil {
  template <class Index, class Matrix>
  static void run(Index i, Index j, Index n, const Matrix& a, const Matrix&, const Matrix& c) {
    if (i > 0 && j > 0 && i < n - 1 && j < n - 1)
      c(i, j) = 0.25f * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)) - a(i, j);
  }
};

/// i and j are the local id. x and y are the global id of the group's first work-item.
struct tiled_product {
  template <class Index, class Matrix, class Tile>
  static void run(const sycl::nd_item<2>& item, Index row, Index column, Index i, Index j, Index n, const Matrix& a,
                  const Matrix& b, const Matrix& c, const Tile& tile_a, const Tile& tile_b) {
    float sum = 0;
    for (Index start = 0; start < n; start += static_cast<Index>(tile)) {
      tile_a[i][j] = a(row + i, start + j);
      tile_b[i][j] = b(start + i, column + j);
      sycl::group_barrier(item.get_group());
      for (Index k = 0; k < static_cast<Index>(tile); ++k) sum += tile_a[i][k] * tile_b[k][j];
      sycl::group_barrier(item.get_group());
    }
    c(row + i, column + j) = sum;
  }
};

struct transposition {
  template <class Index, class Matrix, class Tile>
  static void run(const sycl::nd_item<2>& item, Index row, Index column, Index i, Index j, Index, const Matrix& a,
                  const Matrix&, const Matrix& c, const Tile& near, const Tile&) {
    near[i][j] = a(row + i, column + j);
    sycl::group_barrier(item.get_group());
    c(column + i, row + j) = near[j][i];
  }
};

class spellings {
public:
  explicit spellings(bench::program& program)
      : m_program(program),
        m_queue(program.queue.get_context(), program.queue.get_device(), sycl::property::queue::in_order()),
        m_n((program.size(0) + tile - 1) / tile * tile) {
    for (float** each : {&m_a, &m_b, &m_c}) *each = program.allocate<float>(m_n * m_n);
    bench::dice dice;
    for (std::size_t k = 0; k < m_n * m_n; ++k) {
      m_a[k] = dice.between(-1, 1);
      m_b[k] = dice.between(-1, 1);
    }
  }

  /// `sweeps` is the number of launches in one run. A run is so long that the cost of launches does not matter.
  template <class Work>
  void ranges(const std::string& name, double operations, int sweeps) {
    expect([&](std::size_t i, std::size_t j) {
      const by_hand<std::size_t> a{m_a, m_n}, b{m_b, m_n}, c{m_expected.data(), m_n};
      Work::run(i, j, m_n, a, b, c);
    });
    const auto first = [this] { of_range<Work, std::size_t>(); };
    const auto measure = [&](const char* spelling, const std::function<void()>& launch) {
      compare(name + ", " + spelling, launch, first, operations, sweeps);
    };
    measure("int", [this] { of_range<Work, int>(); });
    measure("unsigned", [this] { of_range<Work, unsigned>(); });
    measure("item", [this] {
      const by_hand<std::size_t> a{m_a, m_n}, b{m_b, m_n}, c{m_c, m_n};
      m_queue.parallel_for(sycl::range<2>(m_n, m_n),
                           [=, n = m_n](sycl::item<2> at) { Work::run(at.get_id(0), at.get_id(1), n, a, b, c); });
    });
    measure("linear id", [this] {
      const by_hand<std::size_t> a{m_a, m_n}, b{m_b, m_n}, c{m_c, m_n};
      m_queue.parallel_for(sycl::range<2>(m_n, m_n), [=, n = m_n](sycl::item<2> at) {
        const std::size_t k = at.get_linear_id();
        Work::run(k / n, k % n, n, a, b, c);
      });
    });
    measure("flat", [this] {
      const int n = static_cast<int>(m_n);
      const by_hand<int> a{m_a, n}, b{m_b, n}, c{m_c, n};
      m_queue.parallel_for(sycl::range<1>(m_n * m_n), [=](sycl::id<1> at) {
        const int k = static_cast<int>(at[0]);
        Work::run(k / n, k % n, n, a, b, c);
      });
    });
    // Both versions of the kernel use accessors. A launch with accessors costs more than a launch with pointers.
    with_buffers([&](auto& a, auto& b, auto& c) {
      const auto launch = [&](const auto& spell) {
        return [&, spell] {
          m_queue.submit([&](sycl::handler& handler) {
            const float_access of_a(a, handler), of_b(b, handler), of_c(c, handler);
            handler.parallel_for(sycl::range<2>(m_n, m_n), [=, n = m_n](sycl::id<2> at) {
              Work::run(at[0], at[1], n, spell(of_a, n), spell(of_b, n), spell(of_c, n));
            });
          });
        };
      };
      compare(name + ", accessors",
              launch([](const float_access& data, std::size_t) { return by_accessor<float_access>{data}; }),
              launch([](const float_access& data, std::size_t n) { return by_hand<std::size_t>{&data[0][0], n}; }),
              operations, sweeps);
    });
  }

  template <class Work>
  void groups(const std::string& name, double operations, int sweeps) {
    const auto first = [this] { of_groups<Work, std::size_t>(); };
    const auto measure = [&](const char* spelling, const std::function<void()>& launch) {
      compare(name + ", " + spelling, launch, first, operations, sweeps);
    };
    measure("int", [this] { of_groups<Work, int>(); });
    measure("unsigned", [this] { of_groups<Work, unsigned>(); });
    measure("global id", [this] {
      const by_hand<int> a{m_a, int(m_n)}, b{m_b, int(m_n)}, c{m_c, int(m_n)};
      in_groups([=, n = int(m_n)](const sycl::nd_item<2>& item, const auto& tile_a, const auto& tile_b) {
        const int i = int(item.get_local_id(0)), j = int(item.get_local_id(1));
        Work::run(item, int(item.get_global_id(0)) - i, int(item.get_global_id(1)) - j, i, j, n, a, b, c, tile_a,
                  tile_b);
      });
    });
    measure("linear id", [this] {
      const by_hand<std::size_t> a{m_a, m_n}, b{m_b, m_n}, c{m_c, m_n};
      in_groups([=, n = m_n](const sycl::nd_item<2>& item, const auto& tile_a, const auto& tile_b) {
        const std::size_t k = item.get_local_linear_id();
        Work::run(item, item.get_group(0) * tile, item.get_group(1) * tile, k / tile, k % tile, n, a, b, c, tile_a,
                  tile_b);
      });
    });
  }

  void expect_product() {
    expect([&](std::size_t i, std::size_t j) {
      product::run(i, j, m_n, by_hand<std::size_t>{m_a, m_n}, {m_b, m_n}, {m_expected.data(), m_n});
    });
  }
  void expect_transposed() {
    expect([&](std::size_t i, std::size_t j) { m_expected[i * m_n + j] = m_a[j * m_n + i]; });
  }

private:
  using float_access = sycl::accessor<float, 2>;
  using local_tile = sycl::local_accessor<float, 2>;

  std::function<void()> repeated(const std::function<void()>& launch, int sweeps) {
    return [=, this] {
      for (int i = 0; i < sweeps; ++i) launch();
      m_queue.wait();
    };
  }

  template <class Element>
  void expect(const Element& element) {
    m_expected.assign(m_n * m_n, -1.0f);
    for (std::size_t i = 0; i < m_n; ++i) {
      for (std::size_t j = 0; j < m_n; ++j) element(i, j);
    }
  }

  template <class Work, class Index>
  void of_range() {
    const auto n = static_cast<Index>(m_n);
    const by_hand<Index> a{m_a, n}, b{m_b, n}, c{m_c, n};
    m_queue.parallel_for(sycl::range<2>(m_n, m_n), [=](sycl::id<2> at) {
      Work::run(static_cast<Index>(at[0]), static_cast<Index>(at[1]), n, a, b, c);
    });
  }

  template <class Work, class Index>
  void of_groups() {
    const auto n = static_cast<Index>(m_n);
    const by_hand<Index> a{m_a, n}, b{m_b, n}, c{m_c, n};
    in_groups([=](const sycl::nd_item<2>& item, const auto& tile_a, const auto& tile_b) {
      const auto as_index = [](std::size_t number) { return static_cast<Index>(number); };
      Work::run(item, as_index(item.get_group(0) * tile), as_index(item.get_group(1) * tile),
                as_index(item.get_local_id(0)), as_index(item.get_local_id(1)), n, a, b, c, tile_a, tile_b);
    });
  }

  template <class Body>
  void in_groups(const Body& body) {
    m_queue.submit([&](sycl::handler& handler) {
      local_tile tile_a({tile, tile + 1}, handler), tile_b({tile, tile + 1}, handler);
      handler.parallel_for(sycl::nd_range<2>({m_n, m_n}, {tile, tile}),
                           [=](sycl::nd_item<2> item) { body(item, tile_a, tile_b); });
    });
  }

  /// Makes buffers over the memory of the matrices. Results are checked in this memory, so m_fetch copies the third
  /// buffer back to the memory.
  template <class Use>
  void with_buffers(const Use& use) {
    const sycl::property::buffer::use_host_ptr in_place;
    sycl::buffer<float, 2> a(m_a, {m_n, m_n}, {in_place}), b(m_b, {m_n, m_n}, {in_place}),
        c(m_c, {m_n, m_n}, {in_place});
    m_fetch = [&] { sycl::host_accessor fetched(c, sycl::read_write); };
    use(a, b, c);
    m_fetch = [] {};
  }

  void compare(const std::string& name, const std::function<void()>& launch, const std::function<void()>& first,
               double operations, int sweeps) {
    m_program.measure({
        .name = name,
        .sides = {{"sinter", repeated(launch, sweeps)}, {"size_t", repeated(first, sweeps)}},
        .spoil =
            [&] {
              m_fetch();
              std::fill_n(m_c, m_n * m_n, -1.0f);
            },
        .is_right =
            [&] {
              m_fetch();
              return bench::are_close(m_c, m_expected.data(), m_n * m_n, 1e-5);
            },
        .operations = operations,
        .memory = {.from = {m_a}, .reads = 1, .to = {m_c}, .writes = 1, .bytes = m_n * m_n * sizeof(float)},
        .sweeps = sweeps,
    });
  }

  bench::program& m_program;
  sycl::queue m_queue;  ///< in order, because nothing else orders kernels that take pointers
  std::size_t m_n;
  float *m_a = nullptr, *m_b = nullptr, *m_c = nullptr;
  std::vector<float> m_expected;
  std::function<void()> m_fetch = [] {};
};

}  // namespace

int main(int word_count, char** words) {
  bench::program program(word_count, words, {512});
  spellings all(program);
  const auto n = static_cast<double>((program.size(0) + tile - 1) / tile * tile);
  all.ranges<product>("product", 2 * n * n * n, 1);
  all.ranges<stencil>("stencil", 0, 16);
  all.expect_product();
  all.groups<tiled_product>("tiled product", 2 * n * n * n, 1);
  all.expect_transposed();
  all.groups<transposition>("transposition", 0, 16);
}
