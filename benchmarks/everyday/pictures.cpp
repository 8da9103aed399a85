#include "pictures.hpp"

#include "everyday_reference.hpp"

namespace everyday {
namespace {

template <class T>
class pictures {
public:
  pictures(bench::program& program, const char* type, std::size_t n)
      : m_program(program),
        m_type(type),
        m_n(n),
        m_in(program.allocate<T>((n + 2) * (n + 2))),
        m_out(program.allocate<T>(n * n)),
        m_expected(n * n),
        m_near({n + 2, n + 2}),
        m_far({n, n}) {
    bench::dice dice;
    const sycl::host_accessor near(m_near, sycl::write_only, sycl::no_init);
    for (std::size_t i = 0; i < (n + 2) * (n + 2); ++i)
      m_in[i] = near[i / (n + 2)][i % (n + 2)] = static_cast<T>(dice.between(0, 1) * (sizeof(T) < 4 ? 250 : 1));
  }

  /// Computes the mean of 3 x 3 pixels around each pixel. The picture has a border.
  void means() {
    for (std::size_t i = 0; i < m_n * m_n; ++i) {
      const T* from = m_in + i / m_n * (m_n + 2) + i % m_n;
      m_expected[i] = mean<std::size_t>([&](std::size_t y, std::size_t x) { return from[y * (m_n + 2) + x]; });
    }
    by_accessor<int>("accessor, int");
    by_accessor<std::size_t>("accessor, size_t");
    const T* in = m_in;
    T* out = m_out;
    compare("pointer, int", [=, this, width = static_cast<int>(m_n)] {
      m_program.queue
          .parallel_for(sycl::range(m_n, m_n),
                        [=](sycl::id<2> at) {
                          const int y = static_cast<int>(at[0]), x = static_cast<int>(at[1]);
                          out[y * width + x] =
                              mean<int>([&](int j, int k) { return in[(y + j) * (width + 2) + x + k]; });
                        })
          .wait();
    });
  }

private:
  template <class Index, class At>
  static T mean(const At& at) {
    T all = 0;
    for (Index j = 0; j < 3; ++j) all = static_cast<T>(all + static_cast<T>((at(j, 0) + at(j, 1) + at(j, 2)) / T(9)));
    return all;
  }

  template <class Index>
  void by_accessor(const char* spelling) {
    compare(spelling, [this] {
      m_program.queue.submit([&](sycl::handler& handler) {
        const sycl::accessor in(m_near, handler, sycl::read_only);
        const sycl::accessor out(m_far, handler, sycl::write_only, sycl::no_init);
        handler.parallel_for(sycl::range(m_n, m_n), [=](sycl::id<2> at) {
          const auto y = static_cast<Index>(at[0]), x = static_cast<Index>(at[1]);
          out[y][x] = mean<Index>([&](Index j, Index k) { return in[y + j][x + k]; });
        });
      });
      m_program.queue.wait();
    }, true);
  }

  void compare(const char* spelling, const std::function<void()>& run, bool in_buffer = false) {
    const auto is_in_buffer = std::make_shared<bool>(false);
    m_program.measure({.name = std::string("mean of 3 x 3, ") + m_type + ", " + spelling,
                       .sides = {{"sinter",
                                  [=] {
                                    run();
                                    *is_in_buffer = in_buffer;
                                  }},
                                 {"openmp",
                                  [=, this] {
                                    means_of_nine(m_in, m_out, m_n);
                                    *is_in_buffer = false;
                                  }}},
                       .spoil = [this] { spoil(); },
                       .is_right =
                           [=, this] {
                             const std::vector<T> all =
                                 *is_in_buffer ? far() : std::vector<T>(m_out, m_out + m_n * m_n);
                             return bench::are_close(all.data(), m_expected.data(), m_n * m_n, 1e-5);
                           },
                       .memory = {.from = {m_in},
                                  .reads = 1,
                                  .to = {m_out},
                                  .writes = 1,
                                  .bytes = m_n * m_n * sizeof(T)}});
  }

  void spoil() {
    std::fill_n(m_out, m_n * m_n, T(77));
    const sycl::host_accessor all(m_far, sycl::write_only, sycl::no_init);
    std::fill_n(&all[0][0], m_n * m_n, T(77));
  }

  std::vector<T> far() {
    const sycl::host_accessor all(m_far, sycl::read_only);
    return std::vector<T>(&all[0][0], &all[0][0] + m_n * m_n);
  }

  bench::program& m_program;
  const char* m_type;
  std::size_t m_n;
  T *m_in, *m_out;
  std::vector<T> m_expected;
  sycl::buffer<T, 2> m_near, m_far;
};

struct bytes_of_pictures {
  bytes_of_pictures(bench::program& program, std::size_t pixels)
      : in(program.allocate<std::uint8_t>(3 * pixels)), out(program.allocate<std::uint8_t>(pixels)), expected(pixels) {
    bench::dice dice;
    for (std::size_t i = 0; i < 3 * pixels; ++i) in[i] = static_cast<std::uint8_t>(dice.next());
  }
  std::uint8_t *in, *out;
  std::vector<std::uint8_t> expected;
};

template <class Reference, class Body>
void compare_bytes(bench::program& program, const std::string& name, const bytes_of_pictures& bytes, std::size_t n,
                   int reads, const Reference& reference, const Body& body) {
  const std::uint8_t* in = bytes.in;
  std::uint8_t* out = bytes.out;
  program.measure({.name = name,
                   .sides = {{"sinter",
                              [=, &program] {
                                program.queue.parallel_for(sycl::range(n, n),
                                                           [=](sycl::id<2> at) { body(in, out, at); });
                                program.queue.wait();
                              }},
                             {"openmp", [=] { reference(in, out, n * n); }}},
                   .spoil = [=] { std::fill_n(out, n * n, std::uint8_t{77}); },
                   .is_right = [&] { return std::equal(bytes.expected.begin(), bytes.expected.end(), out); },
                   .memory = {.from = {in, in + (reads - 1) * (n * n / 2), in + (reads - 1) * n * n},
                              .reads = reads,
                              .to = {out},
                              .writes = 1,
                              .bytes = n * n}});
}

template <class Index>
void brighten_by(bench::program& program, const bytes_of_pictures& bytes, std::size_t n, const char* spelling) {
  compare_bytes(program, std::string("brighter, ") + spelling, bytes, n, 1, brighter,
                [width = static_cast<Index>(n)](const std::uint8_t* in, std::uint8_t* out, sycl::id<2> at) {
                  const auto i = static_cast<Index>(at[0]) * width + static_cast<Index>(at[1]);
                  out[i] = static_cast<std::uint8_t>(sycl::min(in[i] * 5 / 4 + 10, 255));
                });
}

template <class Index>
void grey_by(bench::program& program, const bytes_of_pictures& bytes, std::size_t n, const char* spelling) {
  compare_bytes(program, std::string("grey of RGB, ") + spelling, bytes, n, 3, grey,
                [width = static_cast<Index>(n)](const std::uint8_t* in, std::uint8_t* out, sycl::id<2> at) {
                  const auto i = static_cast<Index>(at[0]) * width + static_cast<Index>(at[1]);
                  const std::uint8_t* pixel = in + 3 * i;
                  out[i] = static_cast<std::uint8_t>((pixel[0] * 77 + pixel[1] * 150 + pixel[2] * 29) >> 8);
                });
}

}  // namespace

void measure_pictures(bench::program& program, std::size_t n) {
  pictures<std::uint8_t>(program, "bytes", n).means();
  pictures<std::uint16_t>(program, "16 bits", n).means();
  pictures<float>(program, "float", n).means();
  bytes_of_pictures bytes(program, n * n);
  for (std::size_t i = 0; i < n * n; ++i)
    bytes.expected[i] = static_cast<std::uint8_t>(std::min(bytes.in[i] * 5 / 4 + 10, 255));
  brighten_by<int>(program, bytes, n, "int");
  brighten_by<unsigned>(program, bytes, n, "unsigned");
  brighten_by<std::size_t>(program, bytes, n, "size_t");
  for (std::size_t i = 0; i < n * n; ++i) {
    const std::uint8_t* pixel = bytes.in + 3 * i;
    bytes.expected[i] = static_cast<std::uint8_t>((pixel[0] * 77 + pixel[1] * 150 + pixel[2] * 29) >> 8);
  }
  grey_by<int>(program, bytes, n, "int");
  grey_by<unsigned>(program, bytes, n, "unsigned");
  grey_by<std::size_t>(program, bytes, n, "size_t");
}

}  // namespace everyday
