/// Buffers and accessors: dependencies between commands, host access, write-back, sub-ranges.
#include <list>
#include <memory>
#include <mutex>
#include <numeric>

#include "check.hpp"

TEST("a chain of commands runs in the order of its data") {
  for (std::size_t count : e2e::sizes()) {
    if (count == 0) continue;
    sycl::queue queue = e2e::make_queue();
    const auto start = e2e::random_values<int>(count);
    std::vector<int> result(count, 0);
    {
      sycl::buffer<int, 1> a(start.data(), sycl::range<1>(count)), b{sycl::range<1>(count)};
      sycl::buffer<int, 1> c(result.data(), sycl::range<1>(count));
      for (int round = 0; round < 5; ++round) {
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor in(a, handler, sycl::read_only);
          sycl::accessor out(b, handler, sycl::write_only, sycl::no_init);
          handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { out[i] = in[i] + round; });
        });
        queue.submit([&](sycl::handler& handler) {
          sycl::accessor in(b, handler, sycl::read_only);
          sycl::accessor sum(c, handler, sycl::read_write);
          handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { sum[i] += in[i]; });
        });
      }
    }
    std::vector<int> expected(count);
    for (std::size_t i = 0; i < count; ++i) expected[i] = 5 * start[i] + 10;
    CHECK_ALL_EQUAL(result, expected);
  }
}

TEST("random graphs of commands give what sequential execution gives") {
  constexpr std::size_t buffers = 5, commands = 60, count = 129;
  for (int round = 0; round < 8; ++round) {
    sycl::queue first = e2e::make_queue(), second = e2e::make_queue();
    std::vector<std::vector<std::int64_t>> model(buffers, std::vector<std::int64_t>(count));
    std::vector<std::unique_ptr<sycl::buffer<std::int64_t, 1>>> memory;
    for (auto& values : model) {
      std::iota(values.begin(), values.end(), round);
      memory.push_back(std::make_unique<sycl::buffer<std::int64_t, 1>>(values.begin(), values.end()));
    }
    for (std::size_t command = 0; command < commands; ++command) {
      const std::size_t from = e2e::random()() % buffers, other = e2e::random()() % buffers;
      const std::size_t to = e2e::random()() % buffers;
      if (from == to || other == to) continue;
      const std::int64_t factor = static_cast<std::int64_t>(command % 3) - 1;
      (command % 2 ? first : second).submit([&](sycl::handler& handler) {
        sycl::accessor a(*memory[from], handler, sycl::read_only), b(*memory[other], handler, sycl::read_only);
        sycl::accessor out(*memory[to], handler, sycl::read_write);
        handler.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) {
          out[i] = (out[i] * 3 + a[i] * factor + b[count - 1 - i[0]]) % 1000003;
        });
      });
      for (std::size_t i = 0; i < count; ++i) {
        model[to][i] = (model[to][i] * 3 + model[from][i] * factor + model[other][count - 1 - i]) % 1000003;
      }
    }
    for (std::size_t i = 0; i < buffers; ++i) {
      sycl::host_accessor host(*memory[i], sycl::read_only);
      for (std::size_t k = 0; k < count; ++k) CHECK_EQUAL(host[k], model[i][k]);
    }
  }
}

TEST("host accessors wait, and what they write is seen by later kernels") {
  sycl::queue queue = e2e::make_queue();
  sycl::buffer<float, 1> memory{sycl::range<1>(50)};
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(memory, handler, sycl::write_only, sycl::no_init);
    handler.parallel_for(sycl::range<1>(50), [=](sycl::id<1> i) { out[i] = static_cast<float>(i[0]); });
  });
  {
    sycl::host_accessor host(memory, sycl::read_write);
    for (std::size_t i = 0; i < 50; ++i) {
      CHECK_EQUAL(host[i], static_cast<float>(i));
      host[i] = 100;
    }
  }
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor data(memory, handler, sycl::read_write);
    handler.parallel_for(sycl::range<1>(50), [=](sycl::id<1> i) { data[i] += 1; });
  });
  sycl::host_accessor host(memory, sycl::read_only);
  for (std::size_t i = 0; i < 50; ++i) CHECK_EQUAL(host[i], 101.0f);
}

TEST("two- and three-dimensional accessors index the last dimension fastest") {
  sycl::queue queue = e2e::make_queue();
  const sycl::range<3> shape(3, 5, 7);
  std::vector<int> flat(shape.size(), 0), plane(35, 0);
  {
    sycl::buffer<int, 3> cube(flat.data(), shape);
    sycl::buffer<int, 2> square(plane.data(), sycl::range<2>(5, 7));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor data(cube, handler, sycl::write_only);
      handler.parallel_for(shape, [=](sycl::id<3> at) {
        data[at] = static_cast<int>(at[0] * 100 + at[1] * 10 + at[2]);
        if (at[0] == 2) data[at[0]][at[1]][at[2]] += 1000;
      });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(cube, handler, sycl::read_only);
      sycl::accessor out(square, handler, sycl::write_only);
      handler.parallel_for(sycl::range<2>(5, 7), [=](sycl::id<2> at) {
        for (std::size_t z = 0; z < in.get_range()[0]; ++z) out[at[0]][at[1]] += in[z][at[0]][at[1]];
      });
    });
  }
  for (std::size_t i = 0; i < flat.size(); ++i) {
    const int z = static_cast<int>(i / 35), y = static_cast<int>(i / 7 % 5), x = static_cast<int>(i % 7);
    CHECK_EQUAL(flat[i], z * 100 + y * 10 + x + (z == 2 ? 1000 : 0));
  }
  for (std::size_t i = 0; i < 35; ++i) CHECK_EQUAL(plane[i], flat[i] + flat[i + 35] + flat[i + 70]);
}

TEST("ranged accessors touch only their part") {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> values(40, 1);
  {
    sycl::buffer<int, 1> memory(values.data(), sycl::range<1>(40));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor part(memory, handler, sycl::range<1>(10), sycl::id<1>(15), sycl::read_write);
      handler.parallel_for(sycl::range<1>(10), [=](sycl::id<1> i) { part[i] += static_cast<int>(i[0]); });
    });
  }
  for (std::size_t i = 0; i < 40; ++i) CHECK_EQUAL(values[i], i >= 15 && i < 25 ? 1 + static_cast<int>(i - 15) : 1);
}

TEST("a const source is never written, a final pointer is") {
  sycl::queue queue = e2e::make_queue();
  const std::vector<int> source(20, 4);
  std::vector<int> target(20, 0);
  {
    sycl::buffer<int, 1> memory(source.data(), sycl::range<1>(20));
    memory.set_final_data(target.data());
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor data(memory, handler, sycl::read_write);
      handler.parallel_for(sycl::range<1>(20), [=](sycl::id<1> i) { data[i] *= 5; });
    });
  }
  for (int value : source) CHECK_EQUAL(value, 4);
  for (int value : target) CHECK_EQUAL(value, 20);
}

TEST("copy, fill and update_host work on accessors") {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> source = e2e::random_values<int>(31), target(31, 0);
  sycl::buffer<int, 1> memory{sycl::range<1>(31)}, other{sycl::range<1>(31)};
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(memory, handler, sycl::write_only);
    handler.copy(source.data(), out);
  });
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(other, handler, sycl::write_only);
    handler.fill(out, 9);
  });
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor in(memory, handler, sycl::read_only);
    sycl::accessor out(other, handler, sycl::read_write);
    handler.parallel_for(sycl::range<1>(31), [=](sycl::id<1> i) { out[i] += in[i]; });
  });
  queue
      .submit([&](sycl::handler& handler) {
        sycl::accessor in(other, handler, sycl::read_only);
        handler.copy(in, target.data());
      })
      .wait();
  for (std::size_t i = 0; i < 31; ++i) CHECK_EQUAL(target[i], source[i] + 9);
}

TEST("final data may be a shared pointer or a null pointer") {
  sycl::queue queue = e2e::make_queue();
  auto shared = std::make_shared<int[]>(9), gone = std::make_shared<int[]>(9);
  for (int which = 0; which < 3; ++which) {
    sycl::buffer<int, 1> memory{sycl::range<1>(9)};
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(memory, handler, sycl::write_only);
      handler.parallel_for(sycl::range<1>(9), [=](sycl::id<1> i) { out[i] = static_cast<int>(i[0]) + 1; });
    });
    if (which == 0) memory.set_final_data(shared);
    if (which == 1) memory.set_final_data(static_cast<int*>(nullptr));
    if (which == 2) {
      memory.set_final_data(gone);
      gone.reset();
    }
  }
  for (int i = 0; i < 9; ++i) CHECK_EQUAL(shared[i], i + 1);
}

TEST("update_host brings part of the contents to where they came from") {
  sycl::queue queue = e2e::make_queue();
  std::mutex mutex;
  auto owned = std::make_unique<int[]>(5 * 7);
  auto shared = std::make_shared<int[]>(5 * 7);
  for (int* host : {owned.get(), shared.get()}) std::fill(host, host + 5 * 7, -1);
  {
    // A buffer with the use_mutex property does not work directly in the program's memory, but in a copy.
    const sycl::property_list with_mutex{sycl::property::buffer::use_mutex(mutex)};
    sycl::buffer<int, 2> first(owned.get(), sycl::range(5, 7), with_mutex),
        second(shared, sycl::range(5, 7), with_mutex);
    first.set_final_data(nullptr);
    for (sycl::buffer<int, 2>* memory : {&first, &second}) {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor out(*memory, handler, sycl::write_only);
        handler.parallel_for(sycl::range(5, 7), [=](sycl::item<2> i) { out[i] = static_cast<int>(i.get_linear_id()); });
      });
      queue.submit([&](sycl::handler& handler) {
        handler.update_host(sycl::accessor(*memory, handler, sycl::range(2, 3), sycl::id(1, 4), sycl::read_only));
      });
    }
    queue.wait();
    const std::lock_guard lock(mutex);
    for (const int* host : {owned.get(), shared.get()}) {
      for (int i = 0; i < 5 * 7; ++i) CHECK_EQUAL(host[i], i / 7 >= 1 && i / 7 < 3 && i % 7 >= 4 ? i : -1);
    }
  }
  // When they are destroyed, the buffers write their contents back, but not to `owned`, because the program has set
  // another destination.
  for (int i = 0; i < 5 * 7; ++i) CHECK_EQUAL(shared[i], i);
  CHECK_EQUAL(owned[0], -1);
}

TEST("copies between parts of other shapes keep the order of elements and leave the rest alone") {
  sycl::queue queue = e2e::make_queue();
  const std::vector<int> values = e2e::random_values<int>(100);
  sycl::buffer<int, 1> line(values.data(), sycl::range(100));
  sycl::buffer<int, 2> plane(sycl::range(7, 9)), other(sycl::range(7, 9));
  for (auto* memory : {&plane, &other}) {
    queue.submit([&](sycl::handler& handler) { handler.fill(sycl::accessor(*memory, handler, sycl::write_only), -1); });
  }
  // The first copy reads 12 consecutive elements and writes them as 3 rows of 4. The second copy reads the 3 rows and
  // writes them as 4 rows of 3.
  queue.submit([&](sycl::handler& handler) {
    handler.copy(sycl::accessor(line, handler, sycl::range(12), sycl::id(31), sycl::read_only),
                 sycl::accessor(plane, handler, sycl::range(3, 4), sycl::id(2, 5), sycl::write_only));
  });
  queue.submit([&](sycl::handler& handler) {
    handler.copy(sycl::accessor(plane, handler, sycl::range(3, 4), sycl::id(2, 5), sycl::read_only),
                 sycl::accessor(other, handler, sycl::range(4, 3), sycl::id(1, 1), sycl::write_only));
  });
  const sycl::host_accessor first(plane, sycl::read_only), second(other, sycl::read_only);
  for (std::size_t row = 0; row < 7; ++row) {
    for (std::size_t column = 0; column < 9; ++column) {
      const bool in_first = row >= 2 && row < 5 && column >= 5,
                 in_second = row >= 1 && row < 5 && column >= 1 && column < 4;
      CHECK_EQUAL(first[row][column], in_first ? values[31 + (row - 2) * 4 + column - 5] : -1);
      CHECK_EQUAL(second[row][column], in_second ? values[31 + (row - 1) * 3 + column - 1] : -1);
    }
  }
}

TEST("part of a buffer of bool is filled") {
  sycl::queue queue = e2e::make_queue();
  const sycl::range<2> size(5, 7), part(3, 4);
  sycl::buffer<bool, 2> memory(size);
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor all(memory, handler, sycl::write_only);
    handler.fill(all, false);
  });
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor some(memory, handler, part, sycl::id<2>(1, 2), sycl::write_only);
    handler.fill(some, true);
  });
  const sycl::host_accessor result(memory, sycl::read_only);
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t column = 0; column < 7; ++column) {
      CHECK_EQUAL(result[row][column], row >= 1 && row < 4 && column >= 2 && column < 6);
    }
  }
}

TEST("elements are copied from iterators of any kind, also of vectors of bool") {
  sycl::queue queue = e2e::make_queue();
  const std::vector<bool> bits = {true, true, false, true};
  const std::list<int> numbers = {3, 1, 4, 1};
  sycl::buffer<bool> flags(bits.begin(), bits.end());
  sycl::buffer<double> values(numbers.begin(), numbers.end());
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor flag(flags, handler);
    sycl::accessor value(values, handler);
    handler.parallel_for(4, [=](sycl::id<1> i) {
      value[i] += flag[i] ? 0.5 : 0;
      flag[i] = !flag[i];
    });
  });
  const sycl::host_accessor flag(flags, sycl::read_only);
  const sycl::host_accessor value(values, sycl::read_only);
  std::size_t i = 0;
  for (const int number : numbers) {
    CHECK_EQUAL(flag[i], !bits[i]);
    CHECK_EQUAL(value[i], number + (bits[i] ? 0.5 : 0));
    ++i;
  }
}

E2E_MAIN
