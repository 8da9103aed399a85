/// Measures how long completing a fusion takes, with kernels that do almost no work. Five kernels are fused again and
/// again. The measured time does not include the submission of these kernels. The other side of the comparison is one
/// plain launch, whose time includes its submission. Both sides wait for their kernels.
///
/// usage: complete ROUNDS; prints one line of JSON per round, microseconds: {"complete", "launch"}.

#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace {

namespace cx = sycl::ext::codeplay::experimental;
using buffer = sycl::buffer<float>;
constexpr std::size_t count = 256;
constexpr int repeats = 200, kernels = 5;

class stopwatch {
public:
  void start() { m_start = std::chrono::steady_clock::now(); }
  void stop() { m_sum += std::chrono::steady_clock::now() - m_start; }
  double microseconds_per_run() const { return std::chrono::duration<double, std::micro>(m_sum).count() / repeats; }

private:
  std::chrono::steady_clock::time_point m_start;
  std::chrono::steady_clock::duration m_sum{};
};

void submit(sycl::queue& queue, buffer& data) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor all(data, handler, sycl::read_write);
    handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { all[i] = all[i] * 0.5f + 1.0f; });
  });
}

}  // namespace

int main(int word_count, char** words) {
  const int rounds = word_count > 1 ? std::atoi(words[1]) : 30;
  sycl::queue plain{sycl::property::queue::in_order{}};
  sycl::queue fusing{{sycl::property::queue::in_order{}, cx::property::queue::enable_fusion{}}};
  cx::fusion_wrapper fusion(fusing);
  buffer fused{sycl::range<1>(count)}, single{sycl::range<1>(count)};
  const auto complete = [&] {
    stopwatch watch;
    for (int i = 0; i < repeats; ++i) {
      fusion.start_fusion();
      for (int k = 0; k < kernels; ++k) submit(fusing, fused);
      watch.start();
      fusion.complete_fusion().wait();
      watch.stop();
    }
    return watch.microseconds_per_run();
  };
  const auto launch = [&] {
    stopwatch watch;
    for (int i = 0; i < repeats; ++i) {
      watch.start();
      submit(plain, single);
      plain.wait();
      watch.stop();
    }
    return watch.microseconds_per_run();
  };
  complete();
  launch();
  for (int round = 0; round < rounds; ++round) {
    double times[2] = {};
    for (int i = 0; i < 2; ++i) ((round + i) % 2 == 0 ? times[0] = complete() : times[1] = launch());
    std::printf("{\"complete\": %.3f, \"launch\": %.3f}\n", times[0], times[1]);
  }
}
