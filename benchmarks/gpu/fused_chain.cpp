/// Five element-wise kernels in a chain of buffers, run one by one and fused. fused_chain.cu contains the chain in CUDA
/// C++: as five kernels, and as one kernel that was written by hand.

#include <cstdio>
#include <sycl/sycl.hpp>

#include "best.hpp"

namespace {

namespace cx = sycl::ext::codeplay::experimental;

constexpr std::size_t numbers = std::size_t{1} << 27;
constexpr int rounds = 20;
using floats = sycl::buffer<float>;

/// Each step has a kernel of its own.
template <int Step>
void step(sycl::queue& queue, floats& from, floats& to) {
  queue.submit([&](sycl::handler& group) {
    sycl::accessor in(from, group, sycl::read_only);
    sycl::accessor out(to, group, sycl::write_only, sycl::no_init);
    group.parallel_for(sycl::range<1>(numbers), [=](sycl::id<1> i) { out[i] = in[i] * (0.5f + 0.1f * Step) + Step; });
  });
}

void chain(sycl::queue& queue, floats& in, floats (&between)[4], floats& out) {
  step<1>(queue, in, between[0]);
  step<2>(queue, between[0], between[1]);
  step<3>(queue, between[1], between[2]);
  step<4>(queue, between[2], between[3]);
  step<5>(queue, between[3], out);
}

/// Returns the microseconds of one round, as the mean of many.
template <class Run>
double per_round(sycl::queue& queue, const Run& run) {
  const auto all = [&] {
    for (int i = 0; i < rounds; ++i) run();
    queue.wait();
  };
  for (int i = 0; i < 3; ++i) all();
  return best_of(10, all) / rounds;
}

void print(const char* what, double time, double alone) {
  std::printf("%-42s %10.1f us  %5.2f times\n", what, time, alone / time);
}

bool is_right(floats& in, floats& out) {
  sycl::host_accessor from(in, sycl::read_only), to(out, sycl::read_only);
  for (std::size_t i = 0; i < numbers; i += 9973) {
    float value = from[i];
    for (int step = 1; step <= 5; ++step)
      value = value * (0.5f + 0.1f * static_cast<float>(step)) + static_cast<float>(step);
    if (std::abs(to[i] - value) > 1e-3f * std::abs(value)) return false;
  }
  return true;
}

int run(const sycl::device& gpu) {
  sycl::queue queue(gpu, sycl::property_list{sycl::property::queue::in_order(), cx::property::queue::enable_fusion()});
  sycl::queue automatic(gpu, sycl::property_list{sycl::property::queue::in_order(),
                                                 sycl::ext::sinter::property::queue::auto_fusion()});
  const sycl::range<1> size(numbers);
  floats in(size), out(size);
  queue.submit([&](sycl::handler& group) {
    sycl::accessor to(in, group, sycl::write_only, sycl::no_init);
    group.parallel_for(size, [=](sycl::id<1> i) { to[i] = static_cast<float>(i[0] % 1000); });
  });
  double alone = 0;
  {
    floats between[] = {floats(size), floats(size), floats(size), floats(size)};
    alone = per_round(queue, [&] { chain(queue, in, between, out); });
    print("one by one", alone, alone);
  }
  cx::fusion_wrapper fusion(queue);
  {
    const sycl::property_list promoted{cx::property::promote_private{}};
    floats between[] = {floats(size, promoted), floats(size, promoted), floats(size, promoted), floats(size, promoted)};
    print("fused", per_round(queue, [&] {
            fusion.start_fusion();
            chain(queue, in, between, out);
            fusion.complete_fusion();
          }), alone);
  }
  print("fused, temporaries out of scope", per_round(queue, [&] {
          floats between[] = {floats(size), floats(size), floats(size), floats(size)};
          fusion.start_fusion();
          chain(queue, in, between, out);
          fusion.complete_fusion();
        }), alone);
  print("automatic, temporaries out of scope", per_round(automatic, [&] {
          floats between[] = {floats(size), floats(size), floats(size), floats(size)};
          chain(automatic, in, between, out);
        }), alone);
  if (is_right(in, out)) return 0;
  std::puts("the result is wrong");
  return 1;
}

}  // namespace

int main() {
  const auto gpus = sycl::device::get_devices(sycl::info::device_type::gpu);
  if (!gpus.empty()) return run(gpus.front());
  std::puts("no GPU");
  return 0;
}
