/// Measures the time that a command takes in addition to its work: host time for a submission, time until all commands
/// are complete, time with a wait for each command, and time with accessors. Also measures the same loop with OpenMP,
/// with oneTBB and as a plain call.
///
/// usage: latency ROUNDS; prints one line of JSON per round, microseconds each:
/// {"submit", "pipelined_1", "pipelined_1024", "wait_1", "wait_1024", "task", "accessors_1", "accessors_1024",
///  "buffers_5", "out_of_order", "openmp_1024", "tbb_1024", "call_1024"}.

#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "loops.hpp"

namespace {

using clock_type = std::chrono::steady_clock;

template <class Work>
double microseconds(int count, Work work) {
  const auto start = clock_type::now();
  work();
  return std::chrono::duration<double, std::micro>(clock_type::now() - start).count() / count;
}

constexpr int many = 100'000, some = 2'000, chain = 1'000;
constexpr std::size_t elements = 1024;

void add(sycl::queue& queue, float* data, std::size_t count) {
  queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += 1.0f; });
}

void add(sycl::queue& queue, sycl::buffer<float>& memory, std::size_t count) {
  queue.submit([&](sycl::handler& group) {
    sycl::accessor data(memory, group, sycl::read_write);
    group.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] += 1.0f; });
  });
}

void step(sycl::queue& queue, sycl::buffer<float>& from, sycl::buffer<float>& to) {
  queue.submit([&](sycl::handler& group) {
    sycl::accessor in(from, group, sycl::read_only);
    sycl::accessor out(to, group, sycl::write_only);
    group.parallel_for(sycl::range<1>(elements), [=](sycl::id<1> i) { out[i] = in[i] + 1.0f; });
  });
}

/// Host time and end-to-end time of many dependent kernels of one queue.
struct pipelined {
  double submit, end_to_end;
  pipelined(sycl::queue& queue, float* data, std::size_t range, int count) {
    const auto start = clock_type::now();
    for (int i = 0; i < count; ++i) add(queue, data, range);
    const auto submitted = clock_type::now();
    queue.wait();
    const auto end = clock_type::now();
    submit = std::chrono::duration<double, std::micro>(submitted - start).count() / count;
    end_to_end = std::chrono::duration<double, std::micro>(end - start).count() / count;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 30;
  sycl::queue queue{sycl::property::queue::in_order()}, free_queue;
  float* data = sycl::malloc_shared<float>(elements, queue);
  std::vector<float> host(elements);
  sycl::buffer<float> memory{sycl::range<1>(elements)};
  std::vector<sycl::buffer<float>> stations(6, sycl::buffer<float>{sycl::range<1>(elements)});
  for (auto& each : stations) each = sycl::buffer<float>{sycl::range<1>(elements)};

  for (int round = -1; round < rounds; ++round) {
    const pipelined one(queue, data, 1, many), thousand(queue, data, elements, many);
    auto each_waits = [&](std::size_t range) {
      return microseconds(some, [&] {
        for (int i = 0; i < some; ++i) {
          add(queue, data, range);
          queue.wait();
        }
      });
    };
    const double wait_one = each_waits(1), wait_thousand = each_waits(elements);
    const double task = microseconds(some, [&] {
      for (int i = 0; i < some; ++i) queue.single_task([=] { data[0] += 1.0f; }).wait();
    });
    auto accessors = [&](std::size_t range) {
      return microseconds(chain, [&] {
        for (int i = 0; i < chain; ++i) add(free_queue, memory, range);
        free_queue.wait();
      });
    };
    const double accessors_one = accessors(1), accessors_thousand = accessors(elements);
    const double buffers = microseconds(some, [&] {
      for (int i = 0; i < some; ++i) {
        for (int k = 0; k < 5; ++k) {
          step(free_queue, stations[static_cast<std::size_t>(k)], stations[static_cast<std::size_t>(k) + 1]);
        }
        free_queue.wait();
      }
    });
    const double out_of_order = microseconds(some, [&] {
      for (int i = 0; i < some; ++i) {
        add(free_queue, data, elements);
        free_queue.wait();
      }
    });
    auto loop = [&](void (*run)(float*, std::size_t)) {
      return microseconds(some, [&] {
        for (int i = 0; i < some; ++i) run(host.data(), elements);
      });
    };
    const double openmp = loop(openmp_add), tbb = loop(tbb_add), call = loop(plain_add);
    if (round < 0) continue;  // compiles the kernels and starts the threads
    std::printf(
        "{\"submit\": %.4f, \"pipelined_1\": %.4f, \"pipelined_1024\": %.4f, \"wait_1\": %.4f, \"wait_1024\": %.4f, "
        "\"task\": %.4f, \"accessors_1\": %.4f, \"accessors_1024\": %.4f, \"buffers_5\": %.4f, "
        "\"out_of_order\": %.4f, \"openmp_1024\": %.4f, \"tbb_1024\": %.4f, \"call_1024\": %.4f}\n",
        one.submit, one.end_to_end, thousand.end_to_end, wait_one, wait_thousand, task, accessors_one,
        accessors_thousand, buffers, out_of_order, openmp, tbb, call);
    std::fflush(stdout);
  }
  sycl::free(data, queue);
}
