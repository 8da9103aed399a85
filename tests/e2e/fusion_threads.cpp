/// Many threads fuse kernels and share buffers, events and a queue. The threads collect kernels, and complete, cancel
/// or end each other's fusions at random. Some queues fuse automatically. No command is lost, and no thread waits for
/// ever.
#include <sycl/ext/sinter/auto_fusion.hpp>

#include <array>
#include <mutex>
#include <random>
#include <thread>

#include "fusion.hpp"

namespace {

constexpr std::size_t count = 64, event_count = 8;
constexpr unsigned thread_count = 4, turns = 250;

using enable = cx::property::queue::enable_fusion;
using automatic = sycl::ext::sinter::property::queue::auto_fusion;
using in_order = sycl::property::queue::in_order;

struct shared_state {
  sycl::buffer<int> buffers[2] = {sycl::range<1>(count), sycl::range<1>(count)};
  sycl::queue queue{{enable{}, automatic{}}};
  std::mutex mutex;  // protects events
  std::array<sycl::event, event_count> events;

  sycl::event pick(unsigned i) {
    std::lock_guard lock(mutex);
    return events[i % event_count];
  }
  void put(unsigned i, const sycl::event& event) {
    std::lock_guard lock(mutex);
    events[i % event_count] = event;
  }
};

/// Uses one queue at random. Returns the number of kernels that it has submitted.
unsigned use_queue(shared_state& with, sycl::queue queue, std::mt19937& random) {
  // If several threads use the queue, another thread may already have started or ended its fusion.
  const auto ignoring_misuse = [](auto action) { e2e::code_thrown_by(action); };
  const bool fuses = random() % 2;
  if (fuses) ignoring_misuse([&] { queue.ext_codeplay_start_fusion(); });
  const unsigned kernels = 1 + random() % 4, mostly = random() % 2;
  for (unsigned k = 0; k < kernels; ++k) {
    const sycl::event last = queue.submit([&](sycl::handler& handler) {
      if (random() % 4 == 0) handler.depends_on(with.pick(random()));
      // Most lists are equal, because each different list has to be compiled.
      sycl::accessor data(with.buffers[random() % 8 == 0 ? 1 - mostly : mostly], handler, sycl::read_write);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += 1; });
    });
    with.put(random(), last);
  }
  switch (random() % 7) {
    case 0: with.pick(random()).wait(); break;
    case 1: queue.wait(); break;
    case 2: sycl::host_accessor(with.buffers[0], sycl::read_only); break;
    case 3: e2e::is_complete(with.pick(random())); break;
    case 4: queue.ext_codeplay_cancel_fusion(); break;
    default:
      if (fuses) ignoring_misuse([&] { queue.ext_codeplay_complete_fusion(); });
  }
  return kernels;
}

unsigned run_thread(shared_state& with, unsigned seed) {
  std::mt19937 random(seed);
  unsigned kernels = 0;
  for (unsigned turn = 0; turn < turns; ++turn) {
    switch (random() % 4) {
      case 0: kernels += use_queue(with, with.queue, random); break;
      case 1: kernels += use_queue(with, sycl::queue{{in_order{}, enable{}}}, random); break;
      case 2: kernels += use_queue(with, sycl::queue{{enable{}, automatic{}}}, random); break;
      default: kernels += use_queue(with, sycl::queue{{enable{}}}, random);
    }
  }
  return kernels;
}

}  // namespace

TEST("threads that fuse, and end each other's fusions, lose nothing") {
  shared_state with;
  for (sycl::buffer<int>& each : with.buffers) {
    sycl::host_accessor values(each, sycl::write_only);
    for (std::size_t i = 0; i < count; ++i) values[i] = 0;
  }
  std::array<unsigned, thread_count> kernels{};
  {
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < thread_count; ++t) {
      threads.emplace_back([&, t] { kernels[t] = run_thread(with, t + 1); });
    }
    for (std::thread& each : threads) each.join();
  }
  int expected = 0;
  for (unsigned each : kernels) expected += static_cast<int>(each);
  sycl::host_accessor a(with.buffers[0], sycl::read_only), b(with.buffers[1], sycl::read_only);
  for (std::size_t i = 0; i < count; ++i) CHECK_EQUAL(a[i] + b[i], expected);
}

E2E_MAIN
