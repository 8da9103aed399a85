#!/usr/bin/env python3
"""Programs compiled with -fsanitize=thread: the sanitizer reports no race for accesses that a wait orders, and
reports accesses that nothing orders."""
import functools
import os

import common

FOLDER = common.Folder()

PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace x = sycl::ext::oneapi::experimental;
constexpr int count = 1000, long_count = 200000;
int failed = 0;
void check(bool right, const char* what) {
  if (right) return;
  std::printf("wrong: %s\n", what);
  failed = 1;
}

void buffers() {
  sycl::queue queue;
  std::vector<int> data(count, 1), other(count, 0);
  {
    sycl::buffer<int> in(data), out(other);
    for (int round = 0; round < 20; ++round) {
      queue.submit([&](sycl::handler& group) {
        sycl::accessor a(in, group);
        group.parallel_for(count, [=](sycl::id<1> i) { a[i] += 1; });
      });
      queue.submit([&](sycl::handler& group) {
        sycl::accessor a(in, group, sycl::read_only_host_task);
        sycl::accessor b(out, group, sycl::read_write_host_task);
        group.host_task([=] { for (int i = 0; i < count; ++i) b[i] += a[i]; });
      });
      if (round % 5 == 0) sycl::host_accessor(in, sycl::read_write)[round] += 0;
    }
    queue.submit([&](sycl::handler& group) { group.copy(sycl::accessor(in, group, sycl::read_only), sycl::accessor(out, group, sycl::write_only)); });
  }
  check(data[3] == 21 && other[3] == 21, "buffers");
  for (int& each : data) each = 0;
}

void memory(sycl::queue queue) {
  int* shared = sycl::malloc_shared<int>(count, queue);
  std::vector<int> host(count, 3);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < count; ++i) shared[i] = i;
    sycl::event first = queue.parallel_for(count, [=](sycl::id<1> i) { shared[i] += 1; });
    sycl::event second = queue.submit([&](sycl::handler& group) {
      group.depends_on(first);
      auto kept = std::make_shared<std::string>("captured by a task, freed where it ends");
      group.host_task([=] { shared[kept->size() % count] += 1; });
    });
    sycl::event third = queue.copy(shared, host.data(), count, second);
    if (round % 2 == 0) third.wait(); else queue.wait();
    host[round] += shared[round];
    queue.fill(shared, 7, count).wait();
    // Without the event, nothing would order these two commands, and a report of the sanitizer would be right.
    const sycl::event zeroed = queue.memset(shared, 0, sizeof(int) * count);
    const sycl::event polled = queue.memcpy(host.data(), shared, 4, zeroed);
    while (polled.get_info<sycl::info::event::command_execution_status>() !=
           sycl::info::event_command_status::complete) {}
    host[0] += 0;
  }
  check(host[0] == 0 && shared[5] == 0, "memory");
  sycl::free(shared, queue);
}

// Two threads submit commands to two queues. Events order these commands.
void two_queues() {
  sycl::queue a, b{sycl::property::queue::in_order()};
  int* data = sycl::malloc_shared<int>(count, a);
  sycl::event last = a.fill(data, 0, count);
  for (int round = 0; round < 20; ++round) {
    std::thread([&] {
      last = b.submit([&](sycl::handler& group) {
        group.depends_on(last);
        group.host_task([=] { for (int i = 0; i < count; ++i) data[i] += 1; });
      });
    }).join();
    last = a.submit([&](sycl::handler& group) {
      group.depends_on(last);
      group.host_task([=] { for (int i = 0; i < count; ++i) data[i] += 1; });
    });
  }
  last.wait();
  check(data[7] == 40, "two queues");
  sycl::free(data, a);
}

// Launches that run on one thread, on some threads, and on all of oneTBB's threads.
void kernels() {
  sycl::queue queue{sycl::property::queue::in_order()};
  long* data = sycl::malloc_shared<long>(long_count, queue);
  long* sum = sycl::malloc_shared<long>(1, queue);
  for (int round = 0; round < 10; ++round) {
    for (int size : {1, 5000, long_count}) {
      for (int i = 0; i < size; ++i) data[i] = i;
      *sum = 0;
      queue.parallel_for(size, [=](sycl::id<1> i) { data[i] *= 2; });
      queue.parallel_for(sycl::range<1>(size), sycl::reduction(sum, sycl::plus<long>()),
                         [=](sycl::id<1> i, auto& all) { all += data[i]; });
      queue.wait();
      check(*sum == long(size) * (size - 1), "reductions");
    }
    queue.submit([&](sycl::handler& group) {
      sycl::local_accessor<long> shared(64, group);
      group.parallel_for(sycl::nd_range<1>(6400, 64), [=](sycl::nd_item<1> item) {
        shared[item.get_local_id(0)] = data[item.get_global_id(0)];
        sycl::group_barrier(item.get_group());
        data[item.get_global_id(0)] = shared[63 - item.get_local_id(0)];
      });
    });
    queue.wait();
    check(data[64] == 2 * 127, "barriers");
  }
  sycl::free(data, queue);
  sycl::free(sum, queue);
}

void graphs() {
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(count, queue);
  for (int i = 0; i < count; ++i) data[i] = 0;
  x::command_graph graph(queue);
  auto first = graph.add([&](sycl::handler& group) { group.host_task([=] { for (int i = 0; i < count; ++i) data[i] += 1; }); });
  auto second = graph.add([&](sycl::handler& group) { group.parallel_for(count, [=](sycl::id<1> i) { data[i] *= 2; }); },
                          {x::property::node::depends_on(first)});
  graph.add([&](sycl::handler& group) { group.host_task([=] { data[0] = 0; }); }, {x::property::node::depends_on(second)});
  graph.add([&](sycl::handler& group) { group.host_task([=] { data[1] = 0; }); }, {x::property::node::depends_on(second)});
  auto runs = graph.finalize();
  for (int round = 0; round < 10; ++round) {
    queue.ext_oneapi_graph(runs).wait();
    check(data[0] == 0 && data[1] == 0, "graphs");
    data[2] = 5;
  }
  check(data[3] == 2046, "graphs");
  sycl::free(data, queue);
}

void errors() {
  sycl::queue queue([](sycl::exception_list list) {
    for (const std::exception_ptr& each : list) {
      try {
        std::rethrow_exception(each);
      } catch (const std::exception& error) {
        check(std::string(error.what()) == "thrown by a task", "errors");
      }
    }
  });
  for (int round = 0; round < 10; ++round) {
    queue.submit([&](sycl::handler& group) { group.host_task([] { throw std::runtime_error("thrown by a task"); }); });
    queue.wait_and_throw();
  }
}

#ifdef KERNELS_ARE_HOST_CODE
/// All accesses of threads that share a launch precede the code after the wait, even if one of the threads throws.
void throwing_kernels() {
  constexpr int many = 1000000;
  int heard = 0;
  sycl::queue queue([&](sycl::exception_list list) { heard += static_cast<int>(list.size()); });
  int* data = sycl::malloc_shared<int>(many, queue);
  for (int round = 0; round < 6; ++round) {
    for (int i = 0; i < many; ++i) data[i] = i;
    queue.parallel_for(many, [=](sycl::id<1> i) {
      for (int k = 0; k < 20; ++k) data[i] += 1;
      if (round % 2 != 0 && i[0] == many / 2 + 7) throw std::runtime_error("thrown by a kernel");
    });
    queue.wait_and_throw();
  }
  check(heard == 3, "throwing kernels");
  sycl::free(data, queue);
}
#endif

int racing = 0;
/// A race: nothing orders the store of the host and the store of the host task.
void race() {
  sycl::queue queue;
  queue.submit([&](sycl::handler& group) { group.host_task([] { racing = 1; }); });
  racing = 2;
  // Sleeps until a worker has begun the task. Otherwise wait() would run it on this thread, without a race.
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  queue.wait();
}

/// Several threads submit commands of all kinds to the same queues, in a random order. The results must equal those of
/// one thread that does the same computations in the order of submission.
class random_orders {
public:
  random_orders(unsigned seed, bool forgets) : m_forgets(forgets) {
    for (int i = 0; i < cells; ++i) {
      m_cells[i].data = sycl::malloc_shared<int>(length, m_queues[0]);
      std::memset(m_cells[i].data, 0, length * sizeof(int));
    }
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 3; ++i) {
      threads.emplace_back([this, i, seed] { submit(std::minstd_rand(3 * seed + i + 1)); });
    }
    for (std::thread& each : threads) each.join();
    for (sycl::queue& each : m_queues) each.wait();
    for (cell& each : m_cells) {
      check(m_forgets || (each.data[0] == each.expected && each.data[length - 1] == each.expected), "random orders");
      sycl::free(each.data, m_queues[0]);
    }
  }

private:
  static constexpr int cells = 4, length = 60, steps = 60;
  struct cell {
    std::mutex mutex;  // protects the members below; the latest command uses `data`
    int* data = nullptr;
    int expected = 0;
    sycl::event last;
    sycl::queue* queue = nullptr;  ///< of the latest command; null: a thread
  };

  void submit(std::minstd_rand random) {
    for (int step = 0; step < steps; ++step) {
      cell& from = m_cells[random() % cells];
      cell& to = m_cells[random() % cells];
      std::unique_lock first(std::min(&from, &to)->mutex);
      std::unique_lock<std::mutex> second;
      if (&from != &to) second = std::unique_lock(std::max(&from, &to)->mutex);
      submit(from, to, random() % 9, m_queues[random() % 4], random);
    }
  }

  void submit(cell& from, cell& to, unsigned what, sycl::queue& queue, std::minstd_rand& random) {
    int *in = from.data, *out = to.data;
    if (what == 2 && !to.queue) what = 0;
    if (what == 0) {
      to.last.wait();
    } else if (what == 1) {
      while (to.last.get_info<sycl::info::event::command_execution_status>() !=
             sycl::info::event_command_status::complete) std::this_thread::yield();
    } else if (what == 2) {
      to.queue->wait();
    }
    if (what < 3) {
      for (int i = 0; i < length; ++i) out[i] += 1;
      to.expected += 1;
      to.queue = nullptr;
      to.last = sycl::event();
      return;
    }
    std::vector<sycl::event> before;
    for (cell* each : {&from, &to}) {
      if (queue.is_in_order() && each->queue == &queue) continue;
      if (m_forgets && random() % 8 == 0) continue;
      before.push_back(each->last);
    }
    if (what == 4 && &from == &to) what = 5;
    if (what == 3) {
      to.last = queue.fill(out, 7, length, before);
      to.expected = 7;
    } else if (what == 4) {
      to.last = queue.memcpy(out, in, length * sizeof(int), before);
      to.expected = from.expected;
    } else {
      const auto add = [=](int i) { out[i] = (out[i] + 3 * in[i]) % 1000; };
      to.expected = (to.expected + 3 * from.expected) % 1000;
      to.last = queue.submit([&](sycl::handler& group) {
        group.depends_on(before);
        if (what == 5) group.host_task([=] { for (int i = 0; i < length; ++i) add(i); });
        if (what == 6) group.single_task([=] { for (int i = 0; i < length; ++i) add(i); });
        if (what >= 7) group.parallel_for(length, [=](sycl::id<1> i) { add(static_cast<int>(i[0])); });
      });
    }
    to.queue = from.queue = &queue;
    from.last = to.last;  // later writes to `from` wait until this command has read it
  }

  const bool m_forgets;
  cell m_cells[cells];
  sycl::queue m_queues[4] = {sycl::queue(), sycl::queue(), sycl::queue(sycl::property::queue::in_order()),
                             sycl::queue(sycl::property::queue::in_order())};
};

/// Host tasks, commands of a device, and threads that wait for the last command. The device itself orders its commands
/// that depend on each other. Only the host uses `plain`, and only events order its uses.
void devices(unsigned seed, bool forgets) {
  std::minstd_rand random(seed + 1);
  sycl::queue queues[] = {sycl::queue(), sycl::queue(sycl::property::queue::in_order()), sycl::queue()};
  std::vector<int> plain(count, 0);
  sycl::buffer<int> data{sycl::range<1>(count)}, other{sycl::range<1>(count)};
  for (auto* each : {&data, &other}) {
    sycl::host_accessor all(*each, sycl::write_only, sycl::no_init);
    for (int i = 0; i < count; ++i) all[i] = 0;
  }
  int expected = 0, on_device = 0;
  sycl::event last;
  const auto add = [&] {
    for (int& each : plain) each += 1;
  };
  for (int round = 0; round < 60; ++round) {
    sycl::queue& queue = queues[random() % 3];
    last = queue.submit([&](sycl::handler& group) {
      if (!forgets || random() % 4 != 0) group.depends_on(last);
      group.host_task(add);
    });
    ++expected;
    for (auto commands = random() % 3; commands-- > 0; ++on_device) {
      last = queues[random() % 3].submit([&](sycl::handler& group) {
        group.depends_on(last);
        sycl::accessor own(on_device % 2 == 0 ? data : other, group);
        group.parallel_for(count, [=](sycl::id<1> i) { own[i] += 1; });
      });
    }
    const auto how = random() % 4;
    if (how == 3) continue;
    const auto go_on = [&, how] {
      if (how == 1) {
        while (last.get_info<sycl::info::event::command_execution_status>() !=
               sycl::info::event_command_status::complete) std::this_thread::yield();
      } else {
        last.wait();
      }
      add();
    };
    if (how == 2) std::thread(go_on).join(); else go_on();
    ++expected;
  }
  last.wait();
  for (sycl::queue& each : queues) each.wait();
  check(forgets || plain[7] == expected, "devices");
  check(sycl::host_accessor(data)[3] + sycl::host_accessor(other)[3] == on_device, "devices");
}

int main(int words, char** word) {
  const std::string what = words > 1 ? word[1] : "";
  if (what == "race") return race(), 0;
  if (what == "devices" || what == "forgotten-devices") {
    for (int seed = std::atoi(word[2]); seed < std::atoi(word[3]); ++seed) devices(seed, what != "devices");
    std::printf("%s on %s\n", failed ? "wrong" : "right", sycl::device().get_info<sycl::info::device::name>().c_str());
    return failed;
  }
  if (what == "orders" || what == "forgotten") {
    for (int seed = std::atoi(word[2]); seed < std::atoi(word[3]); ++seed) random_orders(seed, what == "forgotten");
    std::printf("%s\n", failed ? "wrong" : "right");
    return failed;
  }
  buffers();
  memory(sycl::queue());
  memory(sycl::queue{sycl::property::queue::in_order()});
  two_queues();
  kernels();
  graphs();
  errors();
#ifdef KERNELS_ARE_HOST_CODE
  throwing_kernels();
#endif
  std::printf("%s, %s kernels as host code\n", failed ? "wrong" : "right",
              sycl::ext::sinter::launch_counters().host_entry == 0 ? "no" : "some");
  return failed;
}
"""


@functools.cache
def program(mode):
    """Compiles with the plugin, or by g++ in library mode, and runs."""
    common.not_sanitized()
    source = FOLDER.write("program.cpp", PROGRAM)
    result = FOLDER / mode
    compiler, package = (common.CLANGXX, "sinter") if mode == "plugin" else (common.GXX, "sinter-library")
    throws = ["-DKERNELS_ARE_HOST_CODE"] if mode == "library" else []  # the plugin refuses kernels that throw
    built = common.run([compiler, *throws, "-std=c++20", "-O1", "-g", "-fsanitize=thread", source,
                        *common.pkg_config(package, "--cflags"), "-o", result, *common.link_flags(), "-pthread"])
    if "libtsan" in built.err or "libclang_rt.tsan" in built.err:
        raise common.Skip(f"{compiler} has no thread sanitizer here")
    built.expect()
    return result


def run(mode, *words, code, **environment):
    # Sanitizers of older compilers need addresses that are not randomised.
    settled = ["setarch", "--addr-no-randomize"] if common.run(["setarch", "--addr-no-randomize", "true"]).code == 0 else []
    settings = {"SINTER_DEVICE": "cpu", "SINTER_CACHE_DIR": FOLDER / "cache",
                "TSAN_OPTIONS": "exitcode=66 report_thread_leaks=0", **environment}
    return common.run([*settled, program(mode), *words], **settings).expect(code=code)


def test_no_report():
    """the sanitizer reports no race for accesses ordered by waits, events, buffers and queues, with the plugin"""
    run("plugin", code=0).expect(contains=["right, no kernels as host code"], lacks=["WARNING: ThreadSanitizer", "sinter:"])


def test_no_report_in_library_mode():
    """the sanitizer reports no race either if kernels are ordinary code of the program, compiled by g++"""
    run("library", code=0).expect(contains=["right, "], lacks=["WARNING: ThreadSanitizer"])


def test_random_orders():
    """the sanitizer reports no race for commands of several threads that events, waits and in-order queues order"""
    for mode in ("plugin", "library"):
        run(mode, "orders", "0", "2000" if common.LONG else "40", code=0).expect(
            contains=["right"], lacks=["WARNING: ThreadSanitizer", "sinter:"])


def run_on_mock(*words, code):
    mock = os.path.join(common.BUILD, "tests", "devices", "libsinter-mock.so")
    if not os.path.exists(mock):
        raise common.Skip("there is no mock device")
    # The library is not compiled with the sanitizer, so the sanitizer does not see how the library's threads share
    # memory.
    options = f"exitcode=66 report_thread_leaks=0 suppressions={FOLDER.write('mock.txt', 'race:libsinter-mock.so')}"
    if code != 0:
        options += " halt_on_error=1"
    return run("plugin", *words, code=code, SINTER_DEVICE="Mock", LD_PRELOAD=mock, TSAN_OPTIONS=options)


def test_devices():
    """the sanitizer reports no race if commands of a device with its own memory are between host tasks and threads"""
    run_on_mock("devices", "0", "400" if common.LONG else "8", code=0).expect(
        contains=["right on Mock"], lacks=["WARNING: ThreadSanitizer"])
    # Whether two commands run at the same time depends on the machine's load. So many seeds run, and the first report
    # ends the test.
    run_on_mock("forgotten-devices", "0", "200", code=66).expect(code=66, contains=["WARNING: ThreadSanitizer: data race"])


def test_forgotten_events():
    """the sanitizer reports a race if the program omits every eighth event"""
    options = "exitcode=66 report_thread_leaks=0 halt_on_error=1"
    run("library", "forgotten", "0", "500", code=66, TSAN_OPTIONS=options).expect(
        code=66, contains=["WARNING: ThreadSanitizer: data race"])


def test_race():
    """the sanitizer reports a race if nothing orders a store of the host and a store of a host task"""
    for mode in ("plugin", "library"):
        run(mode, "race", code=66).expect(code=66, contains=["WARNING: ThreadSanitizer: data race"])


common.main(globals())
