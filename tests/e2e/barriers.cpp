/// Work-groups: local memory, and barriers outside of loops, in uniform loops and in uniform branches.
#include <algorithm>
#include <numeric>

#include "check.hpp"

namespace {

constexpr std::size_t group_sizes[] = {1, 2, 7, 16, 33, 64};

/// Launches a work-item for each input value, in groups of `size`. Each work-item computes one output value from its
/// input value.
template <class MakeKernel>
std::vector<int> run(const std::vector<int>& input, std::size_t size, std::size_t local_count, MakeKernel make_kernel) {
  sycl::queue queue = e2e::make_queue();
  std::vector<int> output(input.size(), -1);
  {
    sycl::buffer<int, 1> in(input.data(), sycl::range<1>(input.size()));
    sycl::buffer<int, 1> out(output.data(), sycl::range<1>(output.size()));
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(in, handler, sycl::read_only);
      sycl::accessor to(out, handler, sycl::write_only);
      sycl::local_accessor<int, 1> local(sycl::range<1>(local_count), handler);
      handler.parallel_for(sycl::nd_range<1>(input.size(), size), make_kernel(from, to, local));
    });
  }
  return output;
}

/// Each work-item computes a value before the barriers and uses it after them. The first work-item of each group
/// passes its value to all others. Work-items with even ids store their own values before the last barrier,
/// those with odd ids after it.
template <class T, class Operation>
void keep_across_barriers(Operation operation) {
  sycl::queue queue = e2e::make_queue();
  for (const std::size_t size : {1, 2, 8, 17, 24}) {
    const std::size_t count = size * 3;
    std::vector<T> own(count, T(-77)), first(count, T(-77)), expected(count), expected_first(count);
    {
      sycl::buffer<T, 1> own_buffer(own.data(), sycl::range<1>(count));
      sycl::buffer<T, 1> first_buffer(first.data(), sycl::range<1>(count));
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(own_buffer, handler, sycl::write_only), to_first(first_buffer, handler, sycl::write_only);
        sycl::local_accessor<T, 1> shared(sycl::range<1>(2), handler);
        handler.parallel_for(sycl::nd_range<1>(count, size), [=](sycl::nd_item<1> item) {
          const std::size_t i = item.get_global_id(0), l = item.get_local_id(0);
          const T value = operation(static_cast<int>(i) + 2);
          sycl::group_barrier(item.get_group());
          if (l == 0) shared[0] = T(1);
          sycl::group_barrier(item.get_group());
          if (l == 0) shared[1] = value;
          if (l % 2 == 0) to[i] = value;
          sycl::group_barrier(item.get_group());
          if (l % 2 == 1) to[i] = value;
          to_first[i] = shared[1];
        });
      });
    }
    for (std::size_t i = 0; i < count; ++i) {
      expected[i] = operation(static_cast<int>(i) + 2);
      expected_first[i] = operation(static_cast<int>(i / size * size) + 2);
    }
    CHECK_ALL_EQUAL(own, expected);
    CHECK_ALL_EQUAL(first, expected_first);
  }
}

} // namespace

TEST("what is computed before a barrier is each work-item's own behind it, whatever computed it") {
  keep_across_barriers<float>([](int i) { return -static_cast<float>(i); });
  keep_across_barriers<double>([](int i) { return -static_cast<double>(i); });
  keep_across_barriers<sycl::half>([](int i) { return -static_cast<sycl::half>(static_cast<float>(i)); });
  keep_across_barriers<float>([](int i) { return sycl::copysign(static_cast<float>(i), -1.0f); });
  keep_across_barriers<float>([](int i) {
    const float x = static_cast<float>(i);
    return i % 3 == 0 ? -x : sycl::sqrt(x);
  });
  keep_across_barriers<double>([](int i) { return sycl::fabs(static_cast<double>(i) - 5); });
  keep_across_barriers<int>([](int i) { return -i; });
  keep_across_barriers<int>([](int i) { return ~i; });
  keep_across_barriers<short>([](int i) { return static_cast<short>(i * 5001); });
  keep_across_barriers<long>([](int i) { return static_cast<long>(static_cast<float>(i) * 0.75f); });
}

TEST("vectors that are negated before a barrier are each work-item's own behind it") {
  keep_across_barriers<float>([](int i) {
    const sycl::vec<float, 4> value = -sycl::vec<float, 4>(static_cast<float>(i), 2, 3, static_cast<float>(i * 2));
    return value[i & 3];
  });
}

TEST("places of local accessors are those of each launch, behind one of a single work-item, too") {
  sycl::queue queue = e2e::make_queue();
  const auto check = [&](std::size_t size, auto kernel_of) {
    std::vector<int> output(size, -1), expected(size);
    {
      sycl::buffer<int, 1> out(output.data(), sycl::range<1>(size));
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(out, handler, sycl::write_only);
        sycl::local_accessor<double, 1> first(sycl::range<1>(size * 2), handler);
        sycl::local_accessor<std::uint16_t, 1> second(sycl::range<1>(size * 4), handler);
        handler.parallel_for(sycl::nd_range<1>(size, size), kernel_of(first, second, to));
      });
    }
    for (std::size_t i = 0; i < size; ++i) expected[i] = static_cast<int>(size - 1 - i);
    CHECK_ALL_EQUAL(output, expected);
  };
  const auto kernel_of = [](auto first, auto second, auto to) {
    return [=](sycl::nd_item<1> item) {
      const std::size_t mine = item.get_local_id(0), size = item.get_local_range(0);
      for (std::size_t k = 0; k < 2; ++k) first[mine * 2 + k] = static_cast<double>(mine);
      for (std::size_t k = 0; k < 4; ++k) second[mine * 4 + k] = 0;
      sycl::group_barrier(item.get_group());
      to[mine] = static_cast<int>(first[(size - 1 - mine) * 2 + 1]);
    };
  };
  for (const std::size_t size : {1, 128, 2, 64, 1}) check(size, kernel_of);
}

TEST("a barrier at top level makes local memory visible to the group") {
  for (std::size_t size : group_sizes) {
    const auto input = e2e::random_values<int>(size * 5);
    const auto got = run(input, size, size, [=](auto from, auto to, auto local) {
      return [=](sycl::nd_item<1> item) {
        const std::size_t mine = item.get_local_id(0);
        local[mine] = from[item.get_global_id(0)];
        sycl::group_barrier(item.get_group());
        to[item.get_global_id(0)] = local[size - 1 - mine];
      };
    });
    std::vector<int> expected(input);
    for (auto at = expected.begin(); at != expected.end(); at += static_cast<std::ptrdiff_t>(size)) {
      std::reverse(at, at + static_cast<std::ptrdiff_t>(size));
    }
    CHECK_ALL_EQUAL(got, expected);
  }
}

TEST("values live across several barriers keep their value per work-item") {
  for (std::size_t size : group_sizes) {
    const auto input = e2e::random_values<int>(size * 3);
    const auto got = run(input, size, size, [=](auto from, auto to, auto local) {
      return [=](sycl::nd_item<1> item) {
        const std::size_t mine = item.get_local_id(0);
        int history[4];  // a private array must keep its values across the barriers, too
        int sum = from[item.get_global_id(0)];
        history[0] = sum;
        for (int step = 1; step < 4; ++step) history[step] = history[step - 1] * 2 + static_cast<int>(mine);
        local[mine] = sum;
        sycl::group_barrier(item.get_group());
        sum += local[(mine + 1) % size];
        sycl::group_barrier(item.get_group(), sycl::memory_scope::work_group);
        local[mine] = sum * 3;
        sycl::group_barrier(item.get_group());
        to[item.get_global_id(0)] = local[(mine + size - 1) % size] + history[3] - sum;
      };
    });
    for (std::size_t group = 0; group < 3; ++group) {
      const int* v = input.data() + group * size;
      const auto sum = [&](std::size_t i) { return v[i] + v[(i + 1) % size]; };
      for (std::size_t i = 0; i < size; ++i) {
        int history = v[i];
        for (int step = 1; step < 4; ++step) history = history * 2 + static_cast<int>(i);
        CHECK_EQUAL(got[group * size + i], sum((i + size - 1) % size) * 3 + history - sum(i));
      }
    }
  }
}

TEST("a tree reduction has its barrier in a uniform loop") {
  for (std::size_t size : {1u, 2u, 16u, 64u, 256u}) {
    const auto input = e2e::random_values<int>(size * 4);
    const auto got = run(input, size, size, [=](auto from, auto to, auto local) {
      return [=](sycl::nd_item<1> item) {
        const std::size_t mine = item.get_local_id(0);
        local[mine] = from[item.get_global_id(0)];
        for (std::size_t half = item.get_local_range(0) / 2; half > 0; half /= 2) {
          sycl::group_barrier(item.get_group());
          if (mine < half) local[mine] += local[mine + half];
        }
        sycl::group_barrier(item.get_group());
        to[item.get_global_id(0)] = local[0];
      };
    });
    for (std::size_t i = 0; i < got.size(); ++i) {
      const auto first = input.begin() + static_cast<std::ptrdiff_t>(i / size * size);
      CHECK_EQUAL(got[i], std::accumulate(first, first + static_cast<std::ptrdiff_t>(size), 0));
    }
  }
}

TEST("a scan has two barriers in one loop and a carried value") {
  for (std::size_t size : group_sizes) {
    const auto input = e2e::random_values<int>(size * 4);
    const auto got = run(input, size, size, [=](auto from, auto to, auto local) {
      return [=](sycl::nd_item<1> item) {
        const std::size_t mine = item.get_local_id(0);
        int value = from[item.get_global_id(0)];
        for (std::size_t distance = 1; distance < size; distance *= 2) {
          local[mine] = value;
          sycl::group_barrier(item.get_group());
          if (mine >= distance) value += local[mine - distance];
          sycl::group_barrier(item.get_group());
        }
        to[item.get_global_id(0)] = value;
      };
    });
    std::vector<int> expected(input.size());
    for (std::size_t i = 0; i < input.size(); ++i) expected[i] = input[i] + (i % size ? expected[i - 1] : 0);
    CHECK_ALL_EQUAL(got, expected);
  }
}

TEST("a barrier may stand in a uniform branch, in nested loops, and after an early uniform return") {
  for (std::size_t size : group_sizes) {
    const auto input = e2e::random_values<int>(size * 6);
    for (int mode : {0, 1, 2}) {
      const auto got = run(input, size, size, [=](auto from, auto to, auto local) {
        return [=](sycl::nd_item<1> item) {
          const std::size_t mine = item.get_local_id(0), global = item.get_global_id(0);
          if (item.get_group(0) == 5) {  // all work-items of a group take the same branch
            to[global] = 99;
            return;
          }
          local[mine] = from[global];
          int value = 1;
          if (mode == 1) {
            sycl::group_barrier(item.get_group());
            value = local[(mine + 1) % size];
          } else if (mode == 2) {
            for (int outer = 0; outer < 3; ++outer) {
              for (std::size_t inner = 0; inner <= item.get_group(0) % 2; ++inner) {
                sycl::group_barrier(item.get_group());
                value += local[(mine + inner + 1) % size];
                sycl::group_barrier(item.get_group());
              }
              local[mine] = value;
            }
          }
          to[global] = value;
        };
      });
      for (std::size_t group = 0; group < 6; ++group) {
        std::vector<int> local(input.begin() + static_cast<std::ptrdiff_t>(group * size),
                               input.begin() + static_cast<std::ptrdiff_t>(group * size + size));
        std::vector<int> value(size, 1);
        if (mode == 1) {
          for (std::size_t i = 0; i < size; ++i) value[i] = local[(i + 1) % size];
        } else if (mode == 2) {
          for (int outer = 0; outer < 3; ++outer) {
            for (std::size_t inner = 0; inner <= group % 2; ++inner) {
              for (std::size_t i = 0; i < size; ++i) value[i] += local[(i + inner + 1) % size];
            }
            local = value;
          }
        }
        for (std::size_t i = 0; i < size; ++i) CHECK_EQUAL(got[group * size + i], group == 5 ? 99 : value[i]);
      }
    }
  }
}

TEST("a transpose goes through a two-dimensional tile") {
  constexpr std::size_t side = 8;
  sycl::queue queue = e2e::make_queue();
  for (sycl::range<2> tiles : {sycl::range<2>(1, 1), sycl::range<2>(3, 2), sycl::range<2>(5, 4)}) {
    const sycl::range<2> shape(tiles[0] * side, tiles[1] * side);
    const auto input = e2e::random_values<float>(shape.size());
    std::vector<float> output(shape.size());
    {
      sycl::buffer<float, 2> in(input.data(), shape), out(output.data(), sycl::range<2>(shape[1], shape[0]));
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(in, handler, sycl::read_only);
        sycl::accessor to(out, handler, sycl::write_only);
        sycl::local_accessor<float, 2> tile(sycl::range<2>(side, side + 1), handler);
        handler.parallel_for(sycl::nd_range<2>(shape, {side, side}), [=](sycl::nd_item<2> item) {
          const std::size_t y = item.get_local_id(0), x = item.get_local_id(1);
          tile[y][x] = from[item.get_global_id()];
          sycl::group_barrier(item.get_group());
          to[{item.get_group(1) * side + y, item.get_group(0) * side + x}] = tile[x][y];
        });
      });
    }
    for (std::size_t y = 0; y < shape[0]; ++y) {
      for (std::size_t x = 0; x < shape[1]; ++x) CHECK_EQUAL(output[x * shape[0] + y], input[y * shape[1] + x]);
    }
  }
}

// The runtime compiles code for the first launch's layout of local memory, and keeps that code. Later launches have
// other layouts.
TEST("local accessors of other lengths and places than at the first launch") {
  constexpr std::size_t side = 8;
  sycl::queue queue = e2e::make_queue();
  const sycl::range<2> shape(3 * side, 2 * side);
  const auto input = e2e::random_values<int>(shape.size());
  int* in = sycl::malloc_shared<int>(shape.size(), queue);
  int* out = sycl::malloc_shared<int>(shape.size(), queue);
  std::copy(input.begin(), input.end(), in);
  for (const auto& [before, padding] : {std::pair<std::size_t, std::size_t>(1, 0), {1, 1}, {70, 0}, {1, 0}, {70, 5}}) {
    std::fill_n(out, shape.size(), -1);
    queue
        .submit([&](sycl::handler& handler) {
          sycl::local_accessor<int, 1> first(sycl::range<1>(before), handler);
          sycl::local_accessor<int, 2> tile(sycl::range<2>(side, side + padding), handler);
          handler.parallel_for(sycl::nd_range<2>(shape, {side, side}), [=](sycl::nd_item<2> item) {
            const std::size_t y = item.get_local_id(0), x = item.get_local_id(1), linear = item.get_global_linear_id();
            if (item.get_local_linear_id() == 0) first[first.size() - 1] = static_cast<int>(tile.get_range()[1]);
            tile[y][x] = in[linear];
            sycl::group_barrier(item.get_group());
            out[linear] = tile[x][y] * 100 + first[first.size() - 1];
          });
        })
        .wait();
    for (std::size_t y = 0; y < shape[0]; ++y) {
      for (std::size_t x = 0; x < shape[1]; ++x) {
        const std::size_t from = (y / side * side + x % side) * shape[1] + x / side * side + y % side;
        CHECK_EQUAL(out[y * shape[1] + x], static_cast<int>(static_cast<unsigned>(input[from]) * 100u +
                                                            static_cast<unsigned>(side + padding)));
      }
    }
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

// If each row of a work-group fits into one vector, the JIT compiles one function for the whole group. Values that
// work-items keep across barriers then stay in registers.
template <std::size_t Side>
void check_tiled_product() {
  sycl::queue queue = e2e::make_queue();
  for (std::size_t n : {Side, 2 * Side, 5 * Side}) {
    const auto a = e2e::random_values<std::uint32_t>(n * n), b = e2e::random_values<std::uint32_t>(n * n);
    std::vector<std::uint32_t> c(n * n), expected(n * n);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t j = 0; j < n; ++j) expected[i * n + j] += a[i * n + k] * b[k * n + j];
      }
    }
    {
      sycl::buffer<std::uint32_t> left(a), right(b), product(c);
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from_a(left, handler, sycl::read_only), from_b(right, handler, sycl::read_only);
        sycl::accessor to(product, handler, sycl::write_only);
        sycl::local_accessor<std::uint32_t, 2> tile_a(sycl::range<2>(Side, Side), handler);
        sycl::local_accessor<std::uint32_t, 2> tile_b(sycl::range<2>(Side, Side), handler);
        handler.parallel_for(sycl::nd_range<2>({n, n}, {Side, Side}), [=](sycl::nd_item<2> item) {
          const std::size_t row = item.get_global_id(0), column = item.get_global_id(1);
          const std::size_t i = item.get_local_id(0), j = item.get_local_id(1);
          std::uint32_t sum = 0;
          for (std::size_t start = 0; start < n; start += Side) {
            tile_a[i][j] = from_a[row * n + start + j];
            tile_b[i][j] = from_b[(start + i) * n + column];
            sycl::group_barrier(item.get_group());
            for (std::size_t k = 0; k < Side; ++k) sum += tile_a[i][k] * tile_b[k][j];
            sycl::group_barrier(item.get_group());
          }
          to[row * n + column] = sum;
        });
      });
    }
    for (std::size_t i = 0; i < n * n; ++i) CHECK_EQUAL(c[i], expected[i]);
  }
}

TEST("tiled products whose groups are of one, two and four vectors per row, or less") {
  check_tiled_product<4>();
  check_tiled_product<8>();
  check_tiled_product<16>();
  check_tiled_product<32>();
}

TEST("two local accessors of different types do not overlap, and three-dimensional groups meet") {
  sycl::queue queue = e2e::make_queue();
  const sycl::range<3> global(4, 6, 10), local(2, 3, 5);
  int* out = sycl::malloc_shared<int>(global.size(), queue);
  queue
      .submit([&](sycl::handler& handler) {
        sycl::local_accessor<std::uint8_t, 1> bytes(sycl::range<1>(local.size()), handler);
        sycl::local_accessor<double, 3> reals(local, handler);
        handler.parallel_for(sycl::nd_range<3>(global, local), [=](sycl::nd_item<3> item) {
          const std::size_t linear = item.get_local_linear_id(), count = item.get_group().get_local_linear_range();
          bytes[linear] = static_cast<std::uint8_t>(linear);
          reals[item.get_local_id()] = static_cast<double>(linear) * 0.5;
          sycl::group_barrier(item.get_group());
          double sum = 0;
          for (std::size_t i = 0; i < count; ++i) sum += bytes[i];
          for (std::size_t z = 0; z < 2; ++z) {
            for (std::size_t y = 0; y < 3; ++y) {
              for (std::size_t x = 0; x < 5; ++x) sum += reals[z][y][x] * 1000;
            }
          }
          out[item.get_global_linear_id()] = static_cast<int>(sum);
        });
      })
      .wait();
  for (std::size_t i = 0; i < global.size(); ++i) CHECK_EQUAL(out[i], 435 + 217500);
  sycl::free(out, queue);
}

namespace {

/// The value that a stage computes from the stage's number, the left neighbour's value, the work-item's own value and
/// the size of the group.
int stage_of(int number, int left, int here, int size) { return left * (number % 3 + 1) + here + number % size; }

template <int Number, class Group>
void run_stage(int& value, int& scale, int* local, int item, int size, const int* in, const Group& group) {
  // The work-item's own array `kept` and the number `scale`, which is equal in all work-items, have to keep their
  // values across the barriers.
  int kept[3] = {value, item, Number};
  scale += in[Number % 5];
  local[item] = value + scale;
  sycl::group_barrier(group);
  value = stage_of(Number, local[(item + Number) % size], kept[in[Number % 5] % 3], size) % 10007;
  sycl::group_barrier(group);
}

template <bool OfSubGroup, int... Numbers>
void many_stages(std::integer_sequence<int, Numbers...>) {
  constexpr int size = 24, groups = 3;
  sycl::queue queue = e2e::make_queue();
  int* in = sycl::malloc_shared<int>(5, queue);
  int* out = sycl::malloc_shared<int>(groups * size, queue);
  for (int i = 0; i < 5; ++i) in[i] = i * i + 1;
  queue
      .submit([&](sycl::handler& handler) {
        sycl::local_accessor<int> local(size, handler);
        handler.parallel_for(sycl::nd_range<1>(groups * size, size), [=](sycl::nd_item<1> item) {
          int value = static_cast<int>(item.get_global_id(0)), scale = 0;
          const int before = static_cast<int>(item.get_local_id(0) - item.get_sub_group().get_local_id()[0]);
          const int first = OfSubGroup ? before : 0;
          const int own = static_cast<int>(item.get_local_id(0)) - first;
          const int count = OfSubGroup ? static_cast<int>(item.get_sub_group().get_local_range()[0]) : size;
          const auto run = [&](const auto& group) {
            (run_stage<Numbers>(value, scale, &local[static_cast<std::size_t>(first)], own, count, in, group), ...);
          };
          if constexpr (OfSubGroup) {
            run(item.get_sub_group());
          } else {
            run(item.get_group());
          }
          sycl::group_barrier(item.get_group());
          out[item.get_global_id(0)] = value + 100000 * count;
        });
      })
      .wait();
  for (int group = 0; group < groups; ++group) {
    for (int first = 0; first < size;) {
      const int count = out[group * size + first] / 100000;
      if (count < 1 || first + count > size) return CHECK(false);
      std::vector<int> values, local(static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) values.push_back(group * size + first + i);
      int scale = 0;
      for (int number = 0; number < static_cast<int>(sizeof...(Numbers)); ++number) {
        scale += in[number % 5];
        for (std::size_t i = 0; i < local.size(); ++i) local[i] = values[i] + scale;
        for (int i = 0; i < count; ++i) {
          int& value = values[static_cast<std::size_t>(i)];
          const int kept[3] = {value, i, number}, left = local[static_cast<std::size_t>((i + number) % count)];
          value = stage_of(number, left, kept[in[number % 5] % 3], count) % 10007;
        }
      }
      for (int i = 0; i < count; ++i)
        CHECK_EQUAL(out[group * size + first + i], values[static_cast<std::size_t>(i)] + 100000 * count);
      first += count;
    }
  }
  sycl::free(in, queue);
  sycl::free(out, queue);
}

}  // namespace

TEST("very many barriers, more than one function holds the code between") {
  many_stages<false>(std::make_integer_sequence<int, 40>());
}

TEST("very many barriers of sub-groups") { many_stages<true>(std::make_integer_sequence<int, 40>()); }

namespace {

/// how[Number] says how many times the stage runs, which may be 0. If how[Number] is negative, only some work-items
/// evaluate the condition of a barrier. The condition is false, so none of them reaches the barrier.
template <int Number>
void run_optional_stage(int& value, int* local, int item, int size, const int* how, const sycl::group<1>& group) {
  const int turns = how[Number];
  if (turns < 0) {
    if (item < 3) {
      if (how[Number] > 0) sycl::group_barrier(group);
      value += Number;
    }
    return;
  }
  for (int i = 0; i < turns; ++i) {
    local[item] = value + i;
    sycl::group_barrier(group);
    value = stage_of(Number, local[(item + Number) % size], value, size) % 10007;
    sycl::group_barrier(group);
  }
}

template <int... Numbers>
void optional_stages(std::integer_sequence<int, Numbers...>) {
  constexpr int size = 12, count = sizeof...(Numbers);
  sycl::queue queue = e2e::make_queue();
  int* how = sycl::malloc_shared<int>(count, queue);
  int* out = sycl::malloc_shared<int>(size, queue);
  for (const int variant : {0, 1, 2, 3}) {
    for (int i = 0; i < count; ++i) how[i] = variant == 0 ? 0 : variant == 1 ? 1 : (i * variant * 7 + i / 5) % 4 - 1;
    queue
        .submit([&](sycl::handler& handler) {
          sycl::local_accessor<int> local(size, handler);
          handler.parallel_for(sycl::nd_range<1>(size, size), [=](sycl::nd_item<1> item) {
            const int own = static_cast<int>(item.get_local_id(0));
            int value = own;
            (run_optional_stage<Numbers>(value, &local[0], own, size, how, item.get_group()), ...);
            out[own] = value;
          });
        })
        .wait();
    std::vector<int> values(size), local(size);
    std::iota(values.begin(), values.end(), 0);
    for (int number = 0; number < count; ++number) {
      for (int i = 0; i < 3 && how[number] < 0; ++i) values[static_cast<std::size_t>(i)] += number;
      for (int turn = 0; turn < how[number]; ++turn) {
        for (std::size_t i = 0; i < size; ++i) local[i] = values[i] + turn;
        for (std::size_t i = 0; i < size; ++i)
          values[i] = stage_of(number, local[(i + static_cast<std::size_t>(number)) % size], values[i], size) % 10007;
      }
    }
    for (std::size_t i = 0; i < size; ++i) CHECK_EQUAL(out[i], values[i]);
  }
  sycl::free(how, queue);
  sycl::free(out, queue);
}

}  // namespace

TEST("very many barriers that may be left out") {
  // Intel's OpenCL driver ends the process while it compiles this kernel (docs/opencl_defects.md).
  if (e2e::make_queue().get_backend() == sycl::backend::opencl) return;
  optional_stages(std::make_integer_sequence<int, 40>());
}

TEST("a pointer into private memory that was kept behind a barrier still names that memory") {
  constexpr std::size_t local = 8;
  sycl::queue queue = e2e::make_queue();
  const auto indices = e2e::random_values<std::uint32_t>(local);
  auto* in = sycl::malloc_shared<std::uint32_t>(local, queue);
  auto* out = sycl::malloc_shared<int>(local, queue);
  for (std::size_t i = 0; i < local; ++i) in[i] = indices[i];
  queue
      .parallel_for(sycl::nd_range<1>(local, local), [=](sycl::nd_item<1> item) {
        const std::size_t l = item.get_local_id(0);
        int mine[16];
        for (int i = 0; i < 16; ++i) mine[i] = static_cast<int>(in[(l + static_cast<std::size_t>(i)) % local] % 100);
        int* kept = &mine[in[l] % 16];
        const std::size_t same = in[l] % 16;
        sycl::group_barrier(item.get_group());
        const int before = mine[same];
        *kept = before + 7;
        out[l] = mine[same] - before;
      })
      .wait();
  for (std::size_t i = 0; i < local; ++i) CHECK_EQUAL(out[i], 7);
  sycl::free(in, queue);
  sycl::free(out, queue);
}

TEST("private memory whose address was stored survives a barrier") {
  constexpr std::size_t local = 4;
  sycl::queue queue = e2e::make_queue();
  auto* out = sycl::malloc_shared<int>(local, queue);
  queue
      .parallel_for(sycl::nd_range<1>(local, local), [=](sycl::nd_item<1> item) {
        const int l = static_cast<int>(item.get_local_id(0));
        int first[2] = {l, l + 1}, second[2] = {2 * l, 3 * l};
        int* both[2] = {first, second};
        int* chosen = both[l & 1];
        sycl::group_barrier(item.get_group());
        out[l] = chosen[l >> 1] + both[0][0];
      })
      .wait();
  const int expected[local] = {0, 2 + 1, 3 + 2, 9 + 3};
  for (std::size_t i = 0; i < local; ++i) CHECK_EQUAL(out[i], expected[i]);
  sycl::free(out, queue);
}

E2E_MAIN
