/// The process's memory does not grow with the number of commands that are submitted to a device: 10^5 commands, or
/// 10^6 with TEST_LONG=1.
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <sycl/sycl.hpp>

#include "mock_device.hpp"
#include "../unit/scheduler/allocation_counter.hpp"

namespace {

constexpr std::size_t memory_bytes = std::size_t{1} << 24;
constexpr std::size_t size = 64;
constexpr std::size_t most_under_way = 512;

test::mock_device& mock() {
  static test::mock_device* device = [] {
    test::add_mock_devices(memory_bytes, /*delay=*/0);
    return test::mock_devices().front();
  }();
  return *device;
}

sycl::device mock_accelerator() {
  mock();
  return sycl::device::get_devices(sycl::info::device_type::accelerator).at(0);
}

/// Submits commands of all kinds in turns: in order and out of order, with USM, with lasting and with temporary
/// buffers. Keeps the events for a while.
class submitter {
public:
  /// At first, submits as many commands as will ever be under way, so that the runtime's caches hold enough memory for
  /// later commands.
  void fill_caches() {
    std::atomic<bool> is_open{false};
    const sycl::event gate = m_other.submit([&](sycl::handler& handler) {
      handler.host_task([&] { is_open.wait(false); });
    });
    for (sycl::queue* each : {&m_in_order, &m_other}) each->ext_oneapi_submit_barrier({gate});
    while (m_count + 1 < most_under_way) m_last.push_back(submit_one());
    is_open = true;
    is_open.notify_all();
    m_in_order.wait();
    m_other.wait();
    m_last.clear();
  }
  /// Submits this number of further commands.
  void submit(std::size_t commands) {
    for (std::size_t i = 0; i < commands; ++i) {
      sycl::event done = submit_one();
      m_last.push_back(std::move(done));
      if (m_last.size() > 20) m_last.pop_front();
      if (m_count % most_under_way == 0) m_in_order.wait(), m_other.wait();
      if (m_count % 5000 == 0) sycl::host_accessor(m_buffer, sycl::read_write)[0] = 1;
    }
    m_in_order.wait();
    m_other.wait();
  }

private:
  sycl::event submit_one() {
    const auto add = [memory = m_memory](sycl::id<1> i) { memory[i] += 1; };
    const auto with_accessor = [](sycl::queue& queue, sycl::buffer<int>& buffer) {
      return queue.submit([&](sycl::handler& handler) {
        sycl::accessor out(buffer, handler, sycl::read_write);
        handler.parallel_for(sycl::range<1>(size), [=](sycl::id<1> i) { out[i] += 1; });
      });
    };
    switch (++m_count % 9) {
      case 0:
        return m_in_order.parallel_for(sycl::range<1>(size), add);
      case 1:
        return m_other.parallel_for(sycl::range<1>(size), m_last.empty() ? sycl::event() : m_last.front(), add);
      case 2:
        return with_accessor(m_in_order, m_buffer);
      case 3:
        return with_accessor(m_other, m_buffer);
      case 4:
        return m_in_order.memcpy(m_memory, m_on_host, sizeof(m_on_host));
      case 5:
        return m_other.fill(m_memory, 7, size);
      case 6: {
        sycl::buffer<int> temporary{sycl::range<1>(size)};
        with_accessor(m_other, temporary);
        return with_accessor(m_in_order, temporary);
      }
      case 7:
        return m_other.ext_oneapi_submit_barrier();
      default:
        if (m_count % 2 != 0) return m_in_order.single_task([memory = m_memory] { memory[0] = 3; });
        return m_other.submit([&](sycl::handler& handler) {
          sycl::accessor out(m_buffer, handler, sycl::read_write);
          handler.host_task([] {});
        });
    }
  }

  sycl::queue m_in_order{mock_accelerator(), sycl::property::queue::in_order()}, m_other{mock_accelerator()};
  int* m_memory = sycl::malloc_device<int>(size, m_in_order);
  int m_on_host[size] = {};
  sycl::buffer<int> m_buffer{sycl::range<1>(size)};
  std::deque<sycl::event> m_last;
  std::size_t m_count = 0;
};

}  // namespace

TEST_CASE("memory stays flat however many commands are submitted") {
  const char* const wanted = std::getenv("TEST_LONG");
  const std::size_t all = wanted && *wanted == '1' ? 1'000'000 : 100'000;
  submitter commands;
  commands.fill_caches();
  constexpr std::size_t first = 20'000;
  commands.submit(first);
  const std::size_t of_device = mock().memory().allocations(), of_host = test::live_bytes();
  for (int part = 0; part < 4; ++part) {
    commands.submit((all - first) / 4);
    // Each thread keeps some memory in a cache, and the amount varies.
    constexpr std::size_t little = std::size_t{1} << 19;
    if (test::counts_allocations()) CHECK(test::live_bytes() < of_host + little);
    CHECK(mock().memory().allocations() <= of_device + 16);
  }
}
