// The property ext::sinter::property::graph::fuse fuses kernels of graphs, if the analysis proves that this is right.
#include <functional>
#include <optional>

#include "check.hpp"

#include <sycl/ext/oneapi/experimental/graph.hpp>

using namespace sycl;
namespace ex = sycl::ext::oneapi::experimental;
using ex::command_graph;
namespace graph_property = ex::property::graph;
namespace node_property = ex::property::node;
using fuse = sycl::ext::sinter::property::graph::fuse;

namespace {

std::uint64_t launches() {
  const auto counters = ext::sinter::launch_counters();
  return counters.jit + counters.cache;
}

/// Submits the graph and returns the number of kernel launches.
template <class Graph>
std::uint64_t launches_of(queue& q, Graph& graph) {
  q.wait();
  const std::uint64_t before = launches();
  q.ext_oneapi_graph(graph).wait();
  return launches() - before;
}

} // namespace

TEST("an update lets another kernel read a buffer that fused kernels kept to themselves") {
  using in_accessor = accessor<float, 1, access_mode::read>;
  constexpr std::size_t n = 4096;
  for (const bool fused : {false, true}) {
    queue q = e2e::make_queue();
    buffer<float> in{range<1>(n)}, out{range<1>(n)}, other{range<1>(n)}, copy{range<1>(n)};
    buffer<float> between(range<1>(n), {ext::codeplay::experimental::property::promote_private{}});
    {
      host_accessor a(in), b(other), c(between);
      for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<float>(i), b[i] = -5, c[i] = -100;
    }
    command_graph graph(q, {graph_property::assume_buffer_outlives_graph{}});
    const in_accessor first(other);
    ex::dynamic_parameter<in_accessor> from(first);
    auto twice = graph.add([&](handler& h) {
      accessor a(in, h, read_only);
      accessor t(between, h, write_only, no_init);
      h.parallel_for(range<1>(n), [=](id<1> i) { t[i] = a[i] * 2; });
    });
    auto next = graph.add([&](handler& h) {
      accessor t(between, h, read_only);
      accessor b(out, h, write_only, no_init);
      h.parallel_for(range<1>(n), [=](id<1> i) { b[i] = t[i] + 1; });
    });
    auto reads = graph.add(
        [&](handler& h) {
          accessor b(copy, h, write_only, no_init);
          h.require(from);
          h.set_arg(0, from);
          h.parallel_for(nd_range<1>(n, 64), [first, b](nd_item<1> i) {
            b[i.get_global_id()] = first[i.get_global_id()] + 3;
          });
        },
        {node_property::depends_on(twice, next)});
    const auto check = [&](auto executable) {
      q.ext_oneapi_graph(executable).wait();
      CHECK_EQUAL(host_accessor(copy)[n - 1], -2.0f);
      from.update(in_accessor(between));
      executable.update(reads);
      q.ext_oneapi_graph(executable).wait();
      CHECK_EQUAL(host_accessor(copy)[n - 1], 2.0f * (n - 1) + 3);
      CHECK_EQUAL(host_accessor(out)[n - 1], 2.0f * (n - 1) + 1);
    };
    if (fused)
      check(graph.finalize({fuse(), graph_property::updatable()}));
    else
      check(graph.finalize({graph_property::updatable()}));
  }
}

TEST("kernels in a line become one, with the same results") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue({property::queue::in_order()});
  for (const std::size_t n : e2e::sizes()) {
    if (n == 0) continue;
    int* x = malloc_shared<int>(n, q);
    int* y = malloc_shared<int>(n, q);
    const auto fill = [&] {
      for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<int>(i), y[i] = 3;
    };
    command_graph graph(q);
    graph.begin_recording(q);
    q.parallel_for(n, [=](id<1> i) { y[i] += x[i]; });
    q.parallel_for(n, [=](id<1> i) { x[i] = y[i] * 2; });
    q.parallel_for(n, [=](id<1> i) { y[i] -= x[i] / 3; });
    graph.end_recording();
    auto plain = graph.finalize();
    auto fused = graph.finalize({fuse()});
    fill();
    q.ext_oneapi_graph(plain);
    q.ext_oneapi_graph(plain).wait();
    const std::vector<int> expected_x(x, x + n), expected_y(y, y + n);
    fill();
    CHECK_EQUAL(launches_of(q, fused), std::uint64_t{1});
    q.ext_oneapi_graph(fused).wait();
    CHECK_ALL_EQUAL((std::vector<int>(x, x + n)), expected_x);
    CHECK_ALL_EQUAL((std::vector<int>(y, y + n)), expected_y);
    free(x, q), free(y, q);
  }
}

TEST("reductions end a fused kernel, in each run anew, and have the bits that they have alone") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue({property::queue::in_order()});
  // Each size gets separate code. The disk cache keeps four versions, one for each size.
  for (const std::size_t n : {1, 17, 255, 4099}) {
    const std::vector<float> values = e2e::random_values<float>(n);
    float* x = malloc_shared<float>(n, q);
    float* sum = malloc_shared<float>(1, q);
    int* whole = malloc_shared<int>(1, q);
    command_graph graph(q);
    graph.begin_recording(q);
    q.parallel_for(n, [=](id<1> i) { x[i] = x[i] * 0.75f + 1; });
    q.parallel_for(n, reduction(sum, plus<float>()), reduction(whole, maximum<int>()),
                   [=](id<1> i, auto& all, auto& most) {
                     all += x[i];
                     most.combine(static_cast<int>(i[0]));
                   });
    graph.end_recording();
    auto plain = graph.finalize();
    auto fused = graph.finalize({fuse()});
    const auto run = [&](auto& executable, std::uint64_t expected_launches) {
      std::copy(values.begin(), values.end(), x);
      *sum = 3, *whole = -1;
      for (int round = 0; round < 3; ++round) CHECK_EQUAL(launches_of(q, executable), expected_launches);
      CHECK_EQUAL(*whole, static_cast<int>(n - 1));
      return *sum;
    };
    const float alone = run(plain, 2);
    CHECK_EQUAL(run(fused, 1), alone);
    CHECK_EQUAL(run(plain, 2), alone);
    double exact = 3;
    std::vector<float> plain_x = values;
    for (int round = 0; round < 3; ++round) {
      for (float& each : plain_x) exact += each = each * 0.75f + 1;
    }
    CHECK_EQUAL(std::abs(alone - exact) <= 1e-5 * (3.0 * static_cast<double>(n) * 4 + 3), true);
    free(x, q), free(sum, q), free(whole, q);
  }
}

TEST("a result of a reduction is not read in the same kernel") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t n = 3000;
  int* x = malloc_shared<int>(n, q);
  int* sum = malloc_shared<int>(1, q);
  command_graph graph(q);
  graph.begin_recording(q);
  q.parallel_for(n, [=](id<1> i) { x[i] += 1; });
  q.parallel_for(n, reduction(sum, plus<int>(), property::reduction::initialize_to_identity()),
                 [=](id<1> i, auto& all) { all += x[i]; });
  q.parallel_for(n, [=](id<1> i) { x[i] += *sum; });
  graph.end_recording();
  auto fused = graph.finalize({fuse()});
  std::fill(x, x + n, 0);
  CHECK_EQUAL(launches_of(q, fused), std::uint64_t{2});
  CHECK_EQUAL(x[0], 3001);
  CHECK_EQUAL(x[n - 1], 3001);
  free(x, q), free(sum, q);
}

TEST("what reads other elements is not joined; what comes before and behind is") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t n = 1000;
  int *a = malloc_shared<int>(n, q), *b = malloc_shared<int>(n, q), *c = malloc_shared<int>(n, q);
  for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<int>(i * i % 17);
  command_graph graph(q);
  graph.begin_recording(q);
  q.parallel_for(n, [=](id<1> i) { a[i] += 1; });
  q.parallel_for(n, [=](id<1> i) { b[i] = a[i] * 2; });
  q.parallel_for(n, [=](id<1> i) { c[i] = b[(i + 1) % n]; });
  q.parallel_for(n, [=](id<1> i) { c[i] += 5; });
  graph.end_recording();
  auto fused = graph.finalize({fuse()});
  std::vector<int> expected(n);
  for (std::size_t i = 0; i < n; ++i) expected[i] = (a[(i + 1) % n] + 1) * 2 + 5;
  CHECK_EQUAL(launches_of(q, fused), std::uint64_t{2});
  CHECK_ALL_EQUAL((std::vector<int>(c, c + n)), expected);
  free(a, q), free(b, q), free(c, q);
}

TEST("commands between them that they wait for keep them apart; others don't") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue();
  constexpr std::size_t n = 500;
  int *a = malloc_shared<int>(n, q), *b = malloc_shared<int>(n, q);
  std::fill(a, a + n, 1), std::fill(b, b + n, 0);
  int calls = 0;
  for (const bool between : {false, true}) {
    command_graph graph(q);
    auto first = graph.add([&](handler& h) { h.parallel_for(n, [=](id<1> i) { a[i] += 1; }); });
    auto task = graph.add([&](handler& h) { h.host_task([&] { ++calls; }); }, {node_property::depends_on(first)});
    auto second = graph.add([&](handler& h) { h.parallel_for(n, [=](id<1> i) { b[i] = a[i]; }); },
                            {node_property::depends_on(first)});
    if (between) graph.make_edge(task, second);
    auto fused = graph.finalize({fuse()});
    CHECK_EQUAL(launches_of(q, fused), std::uint64_t{between ? 2u : 1u});
  }
  CHECK_EQUAL(calls, 2);
  CHECK_EQUAL(b[n - 1], 3);
  free(a, q), free(b, q);
}

TEST("buffers between kernels that nobody else sees become registers") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue();
  constexpr std::size_t n = 4096;
  buffer<float> in{range<1>(n)}, out{range<1>(n)};
  q.submit([&](handler& h) {
    accessor a(in, h, write_only, no_init);
    h.parallel_for(n, [=](id<1> i) { a[i] = static_cast<float>(i[0]); });
  });
  for (const bool asked : {false, true}) {
    command_graph graph(q, {graph_property::assume_buffer_outlives_graph()});
    {
      buffer<float> between =
          asked ? buffer<float>(range<1>(n), {ext::codeplay::experimental::property::promote_private()})
                : buffer<float>(range<1>(n));
      graph.begin_recording(q);
      q.submit([&](handler& h) {
        accessor a(in, h, read_only);
        accessor t(between, h, write_only, no_init);
        h.parallel_for(n, [=](id<1> i) { t[i] = a[i] * 2; });
      });
      q.submit([&](handler& h) {
        accessor t(between, h, read_only);
        accessor b(out, h, write_only, no_init);
        h.parallel_for(n, [=](id<1> i) { b[i] = t[i] + 1; });
      });
      graph.end_recording();
    }
    auto fused = graph.finalize({fuse()});
    CHECK_EQUAL(launches_of(q, fused), std::uint64_t{1});
    q.ext_oneapi_graph(fused);
    host_accessor b(out, read_only);
    for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(b[i], static_cast<float>(i) * 2 + 1);
  }
}

TEST("a buffer that is gone but read by a step outside of the fused kernel keeps its contents") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue();
  constexpr std::size_t n = 300;
  std::vector<int> seen(n, 0);
  buffer<int> out{range<1>(n)};
  command_graph graph(q, {graph_property::assume_buffer_outlives_graph()});
  {
    buffer<int> between{range<1>(n)};
    graph.begin_recording(q);
    q.submit([&](handler& h) {
      accessor t(between, h, write_only, no_init);
      h.parallel_for(n, [=](id<1> i) { t[i] = static_cast<int>(i[0]) * 3; });
    });
    q.submit([&](handler& h) {
      accessor t(between, h, read_only);
      accessor b(out, h, write_only, no_init);
      h.parallel_for(n, [=](id<1> i) { b[i] = t[i] + 1; });
    });
    q.submit([&](handler& h) {
      accessor<int, 1, access_mode::read, target::host_task> t(between, h);
      h.host_task([=, &seen] { for (std::size_t i = 0; i < n; ++i) seen[i] = t[i]; });
    });
    graph.end_recording();
  }
  auto fused = graph.finalize({fuse()});
  CHECK_EQUAL(launches_of(q, fused), std::uint64_t{1});
  for (std::size_t i = 0; i < n; ++i) CHECK_EQUAL(seen[i], static_cast<int>(i) * 3);
}

namespace {

constexpr std::size_t small = 1000;

/// A buffer filled with a number that can't be a result.
buffer<int> make_wrong() {
  buffer<int> made{range<1>(small)};
  host_accessor all(made, write_only, no_init);
  for (int& each : all) each = -100;
  return made;
}

/// submit_triple writes three times the index, and submit_next copies and adds 1.
void submit_triple(handler& h, buffer<int>& to) {
  accessor t(to, h, write_only, no_init);
  h.parallel_for(range<1>(small), [=](id<1> i) { t[i] = static_cast<int>(i[0]) * 3; });
}
void submit_next(handler& h, buffer<int>& from, buffer<int>& to) {
  accessor t(from, h, read_only);
  accessor b(to, h, write_only, no_init);
  h.parallel_for(range<1>(small), [=](id<1> i) { b[i] = t[i] + 1; });
}

void check_triples(buffer<int>& found, int plus) {
  host_accessor values(found, read_only);
  for (std::size_t i = 0; i < small; ++i) CHECK_EQUAL(values[i], static_cast<int>(i) * 3 + plus);
}

}  // namespace

TEST("a buffer that is gone but read by another graph keeps its contents") {
  queue q = e2e::make_queue();
  buffer<int> out{range<1>(small)}, other_out{range<1>(small)};
  command_graph graph(q, {graph_property::assume_buffer_outlives_graph()});
  command_graph other(q, {graph_property::assume_buffer_outlives_graph()});
  {
    buffer<int> between = make_wrong();
    graph.add([&](handler& h) { submit_triple(h, between); });
    graph.add([&](handler& h) { submit_next(h, between, out); });
    other.add([&](handler& h) { submit_next(h, between, other_out); });
  }
  auto fused = graph.finalize({fuse()}), reads = other.finalize();
  q.ext_oneapi_graph(fused).wait();
  q.ext_oneapi_graph(reads).wait();
  check_triples(out, 1);
  check_triples(other_out, 1);
}

TEST("a buffer that is gone but read by a graph keeps what fused kernels of a queue wrote") {
  namespace cx = ext::codeplay::experimental;
  queue q = e2e::make_queue({cx::property::queue::enable_fusion()});
  buffer<int> out{range<1>(small)}, other_out{range<1>(small)};
  command_graph other(q, {graph_property::assume_buffer_outlives_graph()});
  cx::fusion_wrapper fusion(q);
  {
    buffer<int> between = make_wrong();
    other.add([&](handler& h) { submit_next(h, between, other_out); });
    fusion.start_fusion();
    q.submit([&](handler& h) { submit_triple(h, between); });
    q.submit([&](handler& h) { submit_next(h, between, out); });
    fusion.complete_fusion();
  }
  q.wait();
  q.ext_oneapi_graph(other.finalize()).wait();
  check_triples(out, 1);
  check_triples(other_out, 1);
}

TEST("a buffer that is gone but read by a command group that is not active yet keeps its contents") {
  queue q = e2e::make_queue();
  for (const bool is_fused : {false, true}) {
    buffer<int> out{range<1>(small)}, seen{range<1>(small)}, unused{range<1>(small)}, also{range<1>(small)};
    command_graph graph(q, {graph_property::assume_buffer_outlives_graph()});
    std::optional<ex::dynamic_command_group> writes, reads;
    std::optional<ex::node> writer, reader;
    {
      buffer<int> between = make_wrong();
      const auto write_both = [&](handler& h) {
        accessor t(between, h, write_only, no_init), u(also, h, write_only, no_init);
        h.parallel_for(range<1>(small), [=](id<1> i) { t[i] = u[i] = static_cast<int>(i[0]) * 3; });
      };
      using functions = std::vector<std::function<void(handler&)>>;
      writes.emplace(graph, functions{write_both, [&](handler& h) { submit_triple(h, unused); }});
      // Both command groups wait for the writer.
      reads.emplace(graph, functions{[&](handler& h) { submit_next(h, also, seen); },
                                     [&](handler& h) { submit_next(h, between, seen); }});
      writer = graph.add(*writes);
      graph.add([&](handler& h) { submit_next(h, between, out); }, {node_property::depends_on(*writer)});
      reader = graph.add(*reads, {node_property::depends_on(*writer)});
    }
    property_list as_fused{fuse(), graph_property::updatable()}, as_usual{graph_property::updatable()};
    auto executable = graph.finalize(is_fused ? as_fused : as_usual);
    q.ext_oneapi_graph(executable).wait();
    check_triples(out, 1);
    // From now on, no kernel of the graph writes the buffer, which still has the contents of the first run.
    writes->set_active_index(1), reads->set_active_index(1);
    executable.update({*writer, *reader});
    q.ext_oneapi_graph(executable).wait();
    check_triples(seen, 1);
    check_triples(out, 1);
  }
}

TEST("an update after which they may not be one runs them one by one, and back") {
  NOT_ON_CUDA_OR_HIP;
  queue q = e2e::make_queue({property::queue::in_order()});
  constexpr std::size_t n = 256;
  int *a = malloc_shared<int>(2 * n, q), *b = malloc_shared<int>(n, q);
  std::fill(a, a + 2 * n, 1), std::fill(b, b + n, 0);
  command_graph graph(q);
  ex::dynamic_parameter<int*> source(a);
  auto first = graph.add([&](handler& h) { h.parallel_for(range<1>(n), [=](id<1> i) { a[i] += 1; }); });
  auto second = graph.add(
      [&](handler& h) {
        int* from = a;
        h.set_arg(0, source);
        h.parallel_for(range<1>(n), [from, b](id<1> i) { b[i] = from[i] * 10; });
      },
      {node_property::depends_on(first)});
  auto fused = graph.finalize({fuse(), graph_property::updatable()});
  CHECK_EQUAL(launches_of(q, fused), std::uint64_t{1});
  CHECK_EQUAL(b[n - 1], 20);
  // After the update, the second kernel reads the element that the next work-item of the first kernel writes.
  source.update(a + 1);
  fused.update(second);
  CHECK_EQUAL(launches_of(q, fused), std::uint64_t{2});
  CHECK_EQUAL(b[n - 2], 30);
  CHECK_EQUAL(b[n - 1], 10);
  source.update(a);
  fused.update(second);
  CHECK_EQUAL(launches_of(q, fused), std::uint64_t{1});
  CHECK_EQUAL(b[n - 1], 40);
  first.update_range(range<1>(n / 2));
  fused.update(first);
  q.ext_oneapi_graph(fused).wait();
  CHECK_EQUAL(b[0], 50);
  CHECK_EQUAL(b[n - 1], 40);
  free(a, q), free(b, q);
}

E2E_MAIN

TEST("sweeps between two buffers go together as far as nobody reads what they overwrite") {
  // In so large an image, tiles make the kernels faster on CPUs.
  const std::size_t height = 701, width = 613;
  const range<2> size(height, width);
  enum class form { overwritten, read_between, not_forgotten };
  const auto sweep_to = [&](queue& q, buffer<float, 2>& from, buffer<float, 2>& to, const property_list& how) {
    q.submit([&](handler& h) {
      accessor in(from, h, read_only);
      accessor out(to, h, write_only, how);
      h.parallel_for(size, [=](id<2> at) {
        const std::size_t y = at[0], x = at[1];
        const std::size_t up = y == 0 ? 0 : y - 1, down = y + 1 == height ? y : y + 1;
        const std::size_t left = x == 0 ? 0 : x - 1, right = x + 1 == width ? x : x + 1;
        out[at] = 0.25f * (in[up][x] + in[down][x]) + 0.125f * (in[y][left] + 3 * in[y][right]);
      });
    });
  };
  queue q = e2e::make_queue({property::queue::in_order()});
  std::vector<float> start(size.size());
  for (std::size_t i = 0; i < start.size(); ++i) start[i] = static_cast<float>(i * 7919 % 1013) / 8;
  for (const auto& [what, sweeps, expected] :
       {std::tuple(form::overwritten, 2, 2u), std::tuple(form::overwritten, 4, 2u),
        std::tuple(form::overwritten, 7, 3u), std::tuple(form::overwritten, 20, 4u),
        std::tuple(form::read_between, 7, 0u), std::tuple(form::not_forgotten, 5, 3u)}) {
    std::vector<float> results[2];
    for (const bool fuses : {false, true}) {
      buffer<float, 2> images[2] = {buffer<float, 2>(size), buffer<float, 2>(size)}, seen(size);
      for (buffer<float, 2>* each : {&images[0], &images[1], &seen}) {
        host_accessor all(*each, write_only, no_init);
        for (std::size_t i = 0; i < start.size(); ++i) all[i / width][i % width] = start[i];
      }
      command_graph graph(q, {graph_property::assume_buffer_outlives_graph()});
      graph.begin_recording(q);
      const property_list how = what == form::not_forgotten ? property_list() : property_list(no_init);
      for (int i = 0; i < sweeps; ++i) {
        sweep_to(q, images[i % 2], images[1 - i % 2], how);
        if (what != form::read_between || i != 3) continue;
        q.submit([&](handler& h) { h.copy(accessor(images[0], h, read_only), accessor(seen, h, write_only)); });
      }
      graph.end_recording();
      auto executable = fuses ? graph.finalize({fuse()}) : graph.finalize();
      const std::uint64_t count = launches_of(q, executable);
      if (fuses && expected != 0 && q.get_device().get_backend() == backend::sinter_cpu)
        CHECK_EQUAL(count, std::uint64_t{expected});
      q.ext_oneapi_graph(executable).wait();
      for (buffer<float, 2>* each : {&images[0], &images[1], &seen}) {
        host_accessor all(*each, read_only);
        for (std::size_t i = 0; i < start.size(); ++i) results[fuses].push_back(all[i / width][i % width]);
      }
    }
    CHECK_ALL_EQUAL(results[1], results[0]);
  }
}

/// The kernel after each group of sweeps reads the memory that the fused sweeps may have overwritten.
TEST("sweeps between two allocations go together as far as the next one overwrites what they keep to themselves") {
  const std::size_t height = 701, width = 613;
  enum class form { whole, inside, short_at_the_end, damped, copied_between };
  const auto sweep_to = [&](queue& q, const float* from, float* to, form what, std::size_t rows) {
    const std::size_t skipped = what == form::inside ? 1 : 0;
    const bool damps = what == form::damped;
    q.parallel_for(range<2>(rows - 2 * skipped, width - 2 * skipped), [=](id<2> at) {
      const std::size_t y = at[0] + skipped, x = at[1] + skipped;
      const std::size_t up = y == 0 ? 0 : y - 1, down = y + 1 == height ? y : y + 1;
      const std::size_t left = x == 0 ? 0 : x - 1, right = x + 1 == width ? x : x + 1;
      const float next = 0.25f * (from[up * width + x] + from[down * width + x]) +
                         0.125f * (from[y * width + left] + 3 * from[y * width + right]);
      if (damps) {
        to[y * width + x] = 0.5f * (to[y * width + x] + next);
      } else {
        to[y * width + x] = next;
      }
    });
  };
  queue q = e2e::make_queue({property::queue::in_order()});
  float* images[3];
  for (float*& each : images) each = malloc_shared<float>(height * width, q);
  for (const auto& [what, sweeps, expected] :
       {std::tuple(form::whole, 4, 2u), std::tuple(form::whole, 7, 3u), std::tuple(form::whole, 20, 4u),
        std::tuple(form::inside, 7, 0u), std::tuple(form::short_at_the_end, 6, 0u), std::tuple(form::damped, 6, 0u),
        std::tuple(form::copied_between, 6, 0u)}) {
    std::vector<float> results[2];
    for (const bool fuses : {false, true}) {
      for (float* each : images) {
        for (std::size_t i = 0; i < height * width; ++i) each[i] = static_cast<float>(i * 7919 % 1013) / 8;
      }
      command_graph graph(q);
      graph.begin_recording(q);
      for (int i = 0; i < sweeps; ++i) {
        const bool is_short = what == form::short_at_the_end && i + 1 == sweeps;
        sweep_to(q, images[i % 2], images[1 - i % 2], what, is_short ? height / 2 : height);
        if (what == form::copied_between && i == 4) q.memcpy(images[2], images[0], height * width * sizeof(float));
      }
      graph.end_recording();
      auto executable = fuses ? graph.finalize({fuse()}) : graph.finalize();
      const std::uint64_t count = launches_of(q, executable);
      if (fuses && expected != 0 && q.get_device().get_backend() == backend::sinter_cpu)
        CHECK_EQUAL(count, std::uint64_t{expected});
      q.ext_oneapi_graph(executable).wait();
      for (const float* each : images) results[fuses].insert(results[fuses].end(), each, each + height * width);
    }
    CHECK_ALL_EQUAL(results[1], results[0]);
  }
  for (float* each : images) free(each, q);
}

TEST("a kernel that overwrites all that the kernels in front of it have written leaves them alone") {
  const std::size_t height = 301, width = 213, count = height * width;
  queue q = e2e::make_queue({property::queue::in_order()});
  float* images[5];
  for (float*& each : images) each = malloc_shared<float>(count, q);
  std::vector<float> results[2];
  for (const bool fuses : {false, true}) {
    for (std::size_t i = 0; i < 5 * count; ++i)
      images[i / count][i % count] = static_cast<float>(i * 7919 % 1013);
    command_graph graph(q);
    graph.begin_recording(q);
    for (int i = 0; i < 3; ++i) {
      const float* from = images[i];
      float* to = images[3];
      q.parallel_for(range<2>(height, width), [=](id<2> at) {
        const std::size_t up = at[0] == 0 ? 0 : at[0] - 1, down = at[0] + 1 == height ? at[0] : at[0] + 1;
        to[at[0] * width + at[1]] = 0.5f * (from[up * width + at[1]] + from[down * width + at[1]]);
      });
    }
    // This kernel's indices come from memory, so it can't be fused by tiles. The graph then tries shorter lists that
    // end before this kernel.
    q.parallel_for(range<2>(height, width),
                   [=, index = images[0], from = images[3], to = images[4]](id<2> at) {
                     const std::size_t i = at[0] * width + at[1];
                     to[i] = from[static_cast<std::size_t>(index[i]) * 31 % count] + 1;
                   });
    graph.end_recording();
    auto executable = fuses ? graph.finalize({fuse()}) : graph.finalize();
    const std::uint64_t launched = launches_of(q, executable);
    if (fuses && q.get_device().get_backend() == backend::sinter_cpu) CHECK_EQUAL(launched, std::uint64_t{2});
    for (const float* each : images) results[fuses].insert(results[fuses].end(), each, each + count);
  }
  CHECK_ALL_EQUAL(results[1], results[0]);
  for (float* each : images) free(each, q);
}
