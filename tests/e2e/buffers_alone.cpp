// Buffers on devices without unified shared memory (USM, SYCL 2020 4.7): features that have to work there, and the
// errors of features that need USM.
#include "check.hpp"

#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>

namespace {

sycl::queue queue_with_errors(std::vector<std::string>& errors) {
  return sycl::queue(sycl::default_selector_v, [&errors](sycl::exception_list list) {
    for (const std::exception_ptr& each : list) {
      try {
        std::rethrow_exception(each);
      } catch (const std::exception& error) {
        errors.push_back(error.what());
      }
    }
  });
}

template <class Work>
std::string error_of(sycl::errc code, Work work) {
  try {
    work();
  } catch (const sycl::exception& error) {
    CHECK(error.code() == code);
    return error.what();
  }
  return "";
}

std::vector<int> counted(std::size_t size, int first = 0) {
  std::vector<int> result(size);
  std::iota(result.begin(), result.end(), first);
  return result;
}

struct triple {
  std::uint32_t a, b, c;
  friend bool operator==(const triple&, const triple&) = default;
};

}  // namespace

TEST("kernels read and write buffers of one to three dimensions") {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> line = counted(1000), plane(30 * 40), box(5 * 6 * 7);
  {
    sycl::buffer<int> of_line(line.data(), line.size());
    sycl::buffer<int, 2> of_plane(plane.data(), {30, 40});
    sycl::buffer<int, 3> of_box(box.data(), {5, 6, 7});
    const int amount = 3;
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(of_line, handler, sycl::read_only);
      sycl::accessor out(of_plane, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(of_plane.get_range(), [=](sycl::id<2> i) { out[i] = in[i[0] * 10 + i[1]] * amount; });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(of_plane, handler, sycl::read_only);
      sycl::accessor out(of_box, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(of_box.get_range(),
                           [=](sycl::id<3> i) { out[i] = in[i[0]][i[1]] + static_cast<int>(i[2]); });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor both(of_line, handler, sycl::read_write);
      handler.parallel_for(of_line.get_range(), [=](sycl::item<1> i) { both[i] += both.size() > 999 ? 1 : 2; });
    });
  }
  CHECK(line == counted(1000, 1));
  bool right = true;
  for (int x = 0; x < 30; ++x) {
    for (int y = 0; y < 40; ++y) right &= plane[x * 40 + y] == 3 * (x * 10 + y);
  }
  for (int x = 0; x < 5; ++x) {
    for (int y = 0; y < 6; ++y) {
      for (int z = 0; z < 7; ++z) right &= box[(x * 6 + y) * 7 + z] == 3 * (x * 10 + y) + z;
    }
  }
  CHECK(right);
}

TEST("sub-buffers begin anywhere, accessors reach parts") {
  sycl::queue queue = e2e::make_queue();
  std::vector<short> values(777);
  std::vector<int> plane(20 * 30);
  {
    sycl::buffer<short> whole(values.data(), values.size());
    // The sub-buffer begins at byte 14, an address that no driver guarantees to support.
    sycl::buffer<short> part(whole, sycl::id<1>(7), sycl::range<1>(500));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(part, handler, sycl::write_only);
      handler.parallel_for(part.get_range(), [=](sycl::id<1> i) { out[i] = static_cast<short>(i[0] + 1); });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(whole, handler, sycl::range<1>(11), sycl::id<1>(703), sycl::read_write);
      handler.parallel_for(sycl::range<1>(11), [=](sycl::id<1> i) { out[i] = -1; });
    });
    sycl::buffer<int, 2> rows(plane.data(), {20, 30});
    sycl::buffer<int, 2> some_rows(rows, sycl::id<2>(3, 0), sycl::range<2>(5, 30));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(some_rows, handler, sycl::range<2>(2, 4), sycl::id<2>(1, 9), sycl::read_write);
      handler.parallel_for(sycl::range<2>(2, 4), [=](sycl::id<2> i) { out[i] = 5; });
    });
  }
  for (int i = 0; i < 777; ++i) {
    const int wanted = i >= 7 && i < 507 ? i - 6 : i >= 703 && i < 714 ? -1 : 0;
    if (values[i] != wanted) return CHECK_EQUAL(values[i], wanted);
  }
  for (int i = 0; i < 600; ++i) {
    const int row = i / 30, column = i % 30;
    const int wanted = row >= 4 && row < 6 && column >= 9 && column < 13 ? 5 : 0;
    if (plane[i] != wanted) return CHECK_EQUAL(plane[i], wanted);
  }
}

TEST("copies and fills of all shapes") {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> values = counted(24 * 10), read(24 * 10), part(3 * 4);
  sycl::buffer<int, 2> from(values.data(), {24, 10}), to({24, 10});
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(to, handler, sycl::write_only);
    handler.fill(out, 9);
  });
  // Copies a box of elements to another position. In both buffers, other elements lie between the box's rows.
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor in(from, handler, sycl::range<2>(3, 4), sycl::id<2>(5, 2), sycl::read_only);
    sycl::accessor out(to, handler, sycl::range<2>(3, 4), sycl::id<2>(10, 6), sycl::write_only);
    handler.copy(in, out);
  });
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor in(to, handler, sycl::range<2>(3, 4), sycl::id<2>(10, 6), sycl::read_only);
    handler.copy(in, part.data());
  });
  // Nothing but this wait orders the command that writes `part` and the copy that reads `part`.
  queue.wait_and_throw();
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(to, handler, sycl::range<2>(2, 3), sycl::id<2>(0, 1), sycl::write_only);
    handler.fill(out, 4);
  });
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(to, handler, sycl::range<2>(3, 4), sycl::id<2>(20, 0), sycl::write_only);
    handler.copy(part.data(), out);
  });
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor in(to, handler, sycl::read_only);
    handler.copy(in, read.data());
  });
  queue.wait_and_throw();
  for (int i = 0; i < 240; ++i) {
    const int row = i / 10, column = i % 10;
    int wanted = 9;
    if (row >= 10 && row < 13 && column >= 6) wanted = (row - 5) * 10 + column - 4;
    if (row < 2 && column >= 1 && column < 4) wanted = 4;
    if (row >= 20 && row < 23 && column < 4) wanted = (row - 15) * 10 + column + 2;
    if (read[i] != wanted) return CHECK_EQUAL(read[i], wanted);
  }
  // Fills with pattern sizes that drivers do not support, and fills of ranges that begin in the middle of a pattern.
  std::vector<triple> triples(100);
  std::vector<double> doubles(99, 1.0);
  std::vector<char> bytes(1001, 'a');
  {
    sycl::buffer<triple> of_triples(triples.data(), triples.size());
    sycl::buffer<double> of_doubles(doubles.data(), doubles.size());
    sycl::buffer<char> of_bytes(bytes.data(), bytes.size());
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(of_triples, handler, sycl::range<1>(50), sycl::id<1>(7), sycl::write_only);
      handler.fill(out, triple{1, 2, 3});
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(of_doubles, handler, sycl::range<1>(3), sycl::id<1>(5), sycl::write_only);
      handler.fill(out, 2.5);
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(of_bytes, handler, sycl::range<1>(999), sycl::id<1>(1), sycl::write_only);
      handler.fill(out, 'b');
    });
    queue.submit(
        [&](sycl::handler& handler) { handler.update_host(sycl::accessor(of_bytes, handler, sycl::read_only)); });
  }
  for (std::size_t i = 0; i < 100; ++i) {
    CHECK(triples[i] == (i >= 7 && i < 57 ? triple{1, 2, 3} : triple{}));
  }
  for (std::size_t i = 0; i < 99; ++i) CHECK(doubles[i] == (i >= 5 && i < 8 ? 2.5 : 1.0));
  CHECK(bytes[0] == 'a' && bytes[1000] == 'a' && std::count(bytes.begin(), bytes.end(), 'b') == 999);
}

TEST("copies between a buffer and the memory that it was made from") {
  constexpr int rows = 7, columns = 9;
  std::vector<int> memory(rows * columns), expected(rows * columns), found(rows * columns);
  for (const bool is_used : {false, true}) {
    const sycl::property_list properties =
        is_used ? sycl::property_list{sycl::property::buffer::use_host_ptr()} : sycl::property_list{};
    std::iota(memory.begin(), memory.end(), 100);
    sycl::queue queue = e2e::make_queue();
    sycl::buffer<int, 2> buffer(memory.data(), sycl::range(rows, columns), properties);
    buffer.set_final_data(nullptr);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor all(buffer, handler, sycl::read_write);
      handler.parallel_for(buffer.get_range(), [=](sycl::item<2> item) { all[item] *= 1 + int(item.get_linear_id()); });
    });
    for (int i = 0; i < rows * columns; ++i) expected[std::size_t(i)] = (100 + i) * (1 + i);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor all(buffer, handler, sycl::read_only);
      handler.copy(all, memory.data());
    });
    queue.wait();
    CHECK_ALL_EQUAL(memory, expected);

    // Copies the beginning of the host's memory to two rows in the middle of the buffer.
    for (int& each : memory) each = -each;
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor part(buffer, handler, sycl::range(2, columns), sycl::id(3, 0), sycl::write_only);
      handler.copy(static_cast<const int*>(memory.data()), part);
    });
    queue.wait();
    std::copy(memory.begin(), memory.begin() + 2 * columns, expected.begin() + 3 * columns);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor all(buffer, handler, sycl::read_only);
      handler.copy(all, found.data());
    });
    queue.wait();
    // If the device works directly in host memory, the negation above has changed the buffer, too.
    if (found[0] == -expected[0]) {
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (i < 3 * columns || i >= 5 * columns) expected[i] = -expected[i];
      }
    }
    CHECK_ALL_EQUAL(found, expected);
  }
}

TEST("reductions over buffers, in local memory, with atomics") {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> values = counted(5000, -100);
  int sum = 7, least = 1000, of_groups = 0, of_atomics = 0;
  {
    sycl::buffer<int> in_buffer(values.data(), values.size());
    sycl::buffer<int> of_sum(&sum, 1), of_least(&least, 1), groups(&of_groups, 1), atomics(&of_atomics, 1);
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(in_buffer, handler, sycl::read_only);
      handler.parallel_for(sycl::range<1>(5000), sycl::reduction(of_sum, handler, sycl::plus<int>()),
                           sycl::reduction(of_least, handler, sycl::minimum<int>()),
                           [=](sycl::id<1> i, auto& add, auto& lower) {
                             add += in[i];
                             lower.combine(in[i]);
                           });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(in_buffer, handler, sycl::read_only);
      sycl::accessor out(groups, handler, sycl::read_write), counter(atomics, handler, sycl::read_write);
      sycl::local_accessor<int> own(64, handler);
      handler.parallel_for(sycl::nd_range<1>(4992, 64), [=](sycl::nd_item<1> item) {
        const std::size_t local = item.get_local_id(0);
        own[63 - local] = in[item.get_global_id()];
        sycl::group_barrier(item.get_group());
        const int all = sycl::reduce_over_group(item.get_group(), own[local], sycl::plus<int>());
        if (local != 0) return;
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(out[0]) += all;
        sycl::atomic_ref<int, sycl::memory_order::relaxed, sycl::memory_scope::device>(counter[0]).fetch_add(1);
      });
    });
  }
  CHECK_EQUAL(sum, 7 + std::accumulate(values.begin(), values.end(), 0));
  CHECK_EQUAL(least, -100);
  CHECK_EQUAL(of_groups, std::accumulate(values.begin(), values.begin() + 4992, 0));
  CHECK_EQUAL(of_atomics, 78);
}

TEST("accessors in arrays, chosen when the kernel runs") {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> outs(64);
  {
    std::vector<sycl::buffer<int>> buffers;
    for (int i = 0; i < 4; ++i) {
      buffers.emplace_back(sycl::range<1>(64));
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor out(buffers.back(), handler, sycl::write_only);
        handler.parallel_for(sycl::range<1>(64), [=](sycl::id<1> j) { out[j] = 100 * i + static_cast<int>(j[0]); });
      });
    }
    sycl::buffer<int> result(outs.data(), 64);
    queue.submit([&](sycl::handler& handler) {
      using reader = sycl::accessor<int, 1, sycl::access_mode::read>;
      const std::array<reader, 4> all{reader(buffers[0], handler), reader(buffers[1], handler),
                                      reader(buffers[2], handler), reader(buffers[3], handler)};
      sycl::accessor out(result, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { out[i] = all[out.size() * i[0] % 7 % 4][i]; });
    });
  }
  for (int i = 0; i < 64; ++i) CHECK_EQUAL(outs[i], 100 * (64 * i % 7 % 4) + i);
}

// If the accessors belong to different buffers, the compiler may move reads before earlier writes. If the accessors
// belong to one buffer, this would be wrong.
TEST("the same kernel over different buffers, and over parts of one") {
  sycl::queue queue = e2e::make_queue();
  constexpr std::size_t count = 320;  // on every device, sub-buffers may begin at multiples of this number
  std::vector<int> first(2 * count), second(count), third(count);
  std::iota(first.begin(), first.end(), 1), std::iota(second.begin(), second.end(), -9);
  const auto run = [&](sycl::buffer<int> to, sycl::buffer<int> from, sycl::buffer<int> out) {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor written(to, handler), result(out, handler);
      sycl::accessor read(from, handler, sycl::read_only);
      handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
        written[i] = 7;
        result[i] += read[i];
        written[i] += result[i];
      });
    });
  };
  const auto expect = [&](int* to, const int* from, int* out) {
    for (std::size_t i = 0; i < count; ++i) to[i] = 7, out[i] += from[i], to[i] += out[i];
  };
  std::vector<int> a = first, b = second, c = third;
  {
    sycl::buffer<int> x(first.data(), 2 * count), y(second.data(), count), z(third.data(), count);
    sycl::buffer<int> left(x, 0, count), right(x, count, count);
    run(left, y, z), expect(a.data(), b.data(), c.data());
    run(left, left, z), expect(a.data(), a.data(), c.data());
    run(left, right, z), expect(a.data(), a.data() + count, c.data());
    run(y, right, y), expect(b.data(), a.data() + count, b.data());
    run(z, y, left), expect(c.data(), b.data(), a.data());
    run(z, z, z), expect(c.data(), c.data(), c.data());
  }
  CHECK_ALL_EQUAL(first, a);
  CHECK_ALL_EQUAL(second, b);
  CHECK_ALL_EQUAL(third, c);
}

TEST("arguments of many bytes beside accessors") {
  sycl::queue queue = e2e::make_queue();
  if (!e2e::takes_arguments(queue, 6100)) return;
  struct table {
    int values[1500];
  };
  table numbers{};
  std::iota(std::begin(numbers.values), std::end(numbers.values), 5);
  for (int round = 0; round < 20; ++round) {
    numbers.values[round] = -round;
    std::vector<int> out(1500);
    {
      sycl::buffer<int> buffer(out.data(), out.size());
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(buffer, handler, sycl::write_only);
        handler.parallel_for(buffer.get_range(), [=](sycl::id<1> i) { to[i] = numbers.values[i]; });
      });
    }
    CHECK(std::equal(out.begin(), out.end(), numbers.values));
  }
}

TEST("work-items that fail say why, once for each time") {
  std::vector<std::string> errors;
  sycl::queue queue = queue_with_errors(errors);
  // On the CPU, work-items that fail end the program.
  if (queue.get_backend() == sycl::backend::sinter_cpu) return;
  sycl::buffer<int> buffer(sycl::range<1>(100));
  const auto launch = [&](int worst) {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(buffer, handler, sycl::write_only);
      handler.parallel_for<class failing>(buffer.get_range(), [=](sycl::id<1> i) {
        if (static_cast<int>(i[0]) == worst) throw 1;
        out[i] = worst;
      });
    });
  };
  for (const int worst : {1000, 17, 1000, 99, 1000, 1000}) {
    launch(worst);
    queue.wait_and_throw();
  }
  CHECK_EQUAL(errors.size(), 2u);
  for (const std::string& each : errors) CHECK(each.find("failing") != std::string::npos);
  // Submits several launches before the first one can be complete.
  for (int i = 0; i < 10; ++i) launch(i < 5 ? 3 : 1000);
  queue.wait_and_throw();
  CHECK(errors.size() >= 3);
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(buffer, handler, sycl::write_only);
    handler.parallel_for<class trapping>(buffer.get_range(), [=](sycl::id<1> i) {
      if (i[0] == 5) __builtin_trap();
      out[i] = 1;
    });
  });
  queue.wait_and_throw();
  CHECK(errors.back().find("trapping") != std::string::npos && errors.back().find("traps") != std::string::npos);
}

TEST("times of kernels, commands of graphs") {
  sycl::queue measuring(sycl::default_selector_v, sycl::property::queue::enable_profiling());
  std::vector<int> values(1000, 1);
  {
    sycl::buffer<int> buffer(values.data(), values.size());
    const sycl::event done = measuring.submit([&](sycl::handler& handler) {
      sycl::accessor out(buffer, handler, sycl::read_write);
      handler.parallel_for(buffer.get_range(), [=](sycl::id<1> i) {
        if (out[i] == 77) throw 2;
        out[i] += 1;
      });
    });
    const auto start = done.get_profiling_info<sycl::info::event_profiling::command_start>();
    const auto end = done.get_profiling_info<sycl::info::event_profiling::command_end>();
    CHECK(start != 0 && start <= end);
  }
  CHECK(values == std::vector<int>(1000, 2));
  namespace experimental = sycl::ext::oneapi::experimental;
  sycl::queue queue = e2e::make_queue();
  sycl::buffer<int> buffer(values.data(), values.size());
  buffer.set_write_back(false);
  {
    experimental::command_graph<experimental::graph_state::modifiable> graph(
        queue, {experimental::property::graph::assume_buffer_outlives_graph()});
    for (int i = 0; i < 3; ++i) {
      graph.add([&](sycl::handler& handler) {
        sycl::accessor out(buffer, handler, sycl::read_write);
        handler.parallel_for(buffer.get_range(), [=](sycl::id<1> j) { out[j] = out[j] * 2 + i; });
      });
    }
    auto executable = graph.finalize();
    for (int i = 0; i < 3; ++i) queue.ext_oneapi_graph(executable).wait();
  }
  int wanted = 2;
  for (int i = 0; i < 9; ++i) wanted = wanted * 2 + i % 3;
  const sycl::host_accessor found(buffer, sycl::read_only);
  CHECK(std::all_of(found.begin(), found.end(), [&](int each) { return each == wanted; }));
}

TEST("streams print") {
  sycl::queue queue = e2e::make_queue();
  std::fflush(stdout);
  std::FILE* const file = std::tmpfile();
  const int before = dup(1);
  dup2(fileno(file), 1);
  queue.submit([&](sycl::handler& handler) {
    const sycl::stream out(1000, 100, handler);
    handler.single_task([=] { out << "six times seven: " << 6 * 7 << sycl::endl; });
  });
  queue.wait_and_throw();
  std::fflush(stdout);
  dup2(before, 1);
  close(before);
  std::rewind(file);
  char line[100] = "";
  CHECK(std::fgets(line, sizeof(line), file) && std::string(line) == "six times seven: 42\n");
  std::fclose(file);
}

TEST("what needs unified shared memory says so where there is none") {
  sycl::queue queue = e2e::make_queue();
  const sycl::device device = queue.get_device();
  const std::pair<sycl::aspect, sycl::usm::alloc> kinds[] = {
      {sycl::aspect::usm_device_allocations, sycl::usm::alloc::device},
      {sycl::aspect::usm_host_allocations, sycl::usm::alloc::host},
      {sycl::aspect::usm_shared_allocations, sycl::usm::alloc::shared}};
  // Checks that tests/devices/opencl_layer.cpp hides the features that it should.
  const char* const hidden = std::getenv("TEST_CL_MEMORY");
  const std::string memory = hidden ? hidden : "";
  CHECK(memory != "objects" || !device.has(sycl::aspect::usm_device_allocations));
  CHECK(memory != "coarse" || !device.has(sycl::aspect::usm_shared_allocations));
  for (const auto& [needed, kind] : kinds) {
    if (device.has(needed)) {
      int* memory = sycl::malloc<int>(10, queue, kind);
      CHECK(memory != nullptr);
      sycl::free(memory, queue);
    } else {
      const std::string why =
          error_of(sycl::errc::feature_not_supported, [&, k = kind] { (void)sycl::malloc<int>(10, queue, k); });
      CHECK(why.find("use buffers") != std::string::npos);
    }
  }
  if (device.has(sycl::aspect::usm_device_allocations)) return;
  std::vector<std::string> errors;
  queue = queue_with_errors(errors);
  const auto last_error = [&] {
    queue.wait_and_throw();
    return errors.empty() ? std::string() : errors.back();
  };
  int one = 1, two = 2;
  int* const pointer = &one;
  sycl::buffer<int> buffer(sycl::range<1>(10));
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(buffer, handler, sycl::write_only);
    handler.parallel_for<class with_pointer>(buffer.get_range(), [=](sycl::id<1> i) { out[i] = *pointer; });
  });
  const std::string kernel = last_error();
  CHECK(kernel.find("with_pointer") != std::string::npos && kernel.find("use accessors") != std::string::npos);
  CHECK(kernel.find(device.get_info<sycl::info::device::name>()) != std::string::npos);
  // A pointer that the kernel never reads does no harm, and neither does a null pointer.
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(buffer, handler, sycl::write_only);
    int* const nowhere = nullptr;
    handler.parallel_for(buffer.get_range(), [out, nowhere, unused = pointer](sycl::id<1> i) {
      (void)unused;
      out[i] = nowhere ? *nowhere : 1;
    });
  });
  CHECK_EQUAL(errors.size(), 1u);
  queue.memcpy(&one, &two, sizeof(int));
  CHECK(last_error().find("a copy of pointers") != std::string::npos);
  queue.fill(&one, 5, 1);
  CHECK(last_error().find("a fill of pointers") != std::string::npos);
  CHECK_EQUAL(errors.size(), 3u);
}

TEST("more memory than there is") {
  sycl::queue queue = e2e::make_queue();
  // The environment variable holds the number of bytes that tests/devices/opencl_layer.cpp lets a program allocate.
  const char* const limit = std::getenv("TEST_CL_BYTES");
  if (!limit) return;
  const std::size_t all = std::strtoull(limit, nullptr, 10);
  const auto use = [&](sycl::buffer<char>& buffer) {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(buffer, handler, sycl::write_only);
      handler.parallel_for(buffer.get_range(), [=](sycl::id<1> i) { out[i] = 'x'; });
    });
    queue.wait_and_throw();
  };
  for (int round = 0; round < 3; ++round) {
    sycl::buffer<char> small{sycl::range<1>(all / 2)}, large{sycl::range<1>(all)};
    use(small);
    const std::string why = error_of(sycl::errc::memory_allocation, [&] { use(large); });
    CHECK(why.find("use fewer or smaller buffers") != std::string::npos);
  }
}

E2E_MAIN
