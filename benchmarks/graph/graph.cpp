/// Measures the costs and gains of recorded graphs: replay of dependent and of independent empty kernels, finalize,
/// updates, and a step of conjugate gradients. The dependent kernels and the step are also submitted one by one.
///
/// usage: graph ROUNDS; prints one line of JSON per round, with these numbers:
///   line             replay of a line of empty kernels, in nanoseconds a node
///   fan              the same for kernels side by side
///   update           of one parameter, in nanoseconds
///   finalize         in milliseconds
///   gradients        a step of conjugate gradients on 32 x 32 numbers, in microseconds
///   small_gradients  the same on 16 x 16: launching a kernel takes longer than running it
///   chain            a graph of eight fused kernels that work on more memory than the caches hold, in milliseconds
///   large_gradients  a step on 4096 x 4096, fused, in milliseconds
/// line_plain, gradients_plain and small_gradients_plain: the same commands, submitted one by one.
/// chain_plain and large_gradients_plain: the same graph, not fused.

#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

namespace {

namespace graphs = sycl::ext::oneapi::experimental;
using executable = graphs::command_graph<graphs::graph_state::executable>;
using clock_type = std::chrono::steady_clock;

template <class Work>
double nanoseconds(int count, Work work) {
  const auto start = clock_type::now();
  work();
  return std::chrono::duration<double, std::nano>(clock_type::now() - start).count() / count;
}

constexpr int line_nodes = 100, fan_nodes = 1000, replays = 500;

void nothing(sycl::queue& queue) {
  queue.single_task([] {});
}

executable make_line(sycl::queue& queue) {
  graphs::command_graph graph(queue);
  graph.begin_recording(queue);
  for (int i = 0; i < line_nodes; ++i) nothing(queue);
  graph.end_recording();
  return graph.finalize();
}

graphs::command_graph<> make_fan(sycl::queue& queue) {
  graphs::command_graph graph(queue);
  const auto add = [&] { return graph.add([](sycl::handler& group) { group.single_task([] {}); }); };
  graphs::node first = add();
  std::vector<graphs::node> between;
  for (int i = 2; i < fan_nodes; ++i) between.push_back(add());
  graphs::node last = add();
  for (graphs::node& each : between) graph.make_edge(first, each), graph.make_edge(each, last);
  return graph;
}

/// The five-point operator of a square grid, and vectors.
template <std::size_t grid>
struct gradients {
  explicit gradients(sycl::queue& its_queue) : queue(its_queue) {
    for (float** each : {&x, &r, &p, &q}) *each = sycl::malloc_device<float>(grid * grid, queue);
    for (float** each : {&rr, &next, &pq}) *each = sycl::malloc_device<float>(1, queue);
    queue.fill(x, 0.0f, grid * grid);
    queue.fill(r, 1.0f, grid * grid);
    queue.fill(p, 1.0f, grid * grid);
    queue.fill(rr, static_cast<float>(grid * grid), 1).wait();
  }
  gradients(const gradients&) = delete;
  ~gradients() {
    for (float* each : {x, r, p, q, rr, next, pq}) sycl::free(each, queue);
  }

  void step() {
    const auto [px, pr, pp, pq_, prr, pnext, ppq] = std::tuple(x, r, p, q, rr, next, pq);
    constexpr std::size_t n = grid * grid;
    queue.parallel_for(sycl::range<2>(grid, grid), [=](sycl::id<2> id) {
      const std::size_t i = id[0] * grid + id[1];
      float sum = 4.01f * pp[i];
      if (id[0] > 0) sum -= pp[i - grid];
      if (id[0] + 1 < grid) sum -= pp[i + grid];
      if (id[1] > 0) sum -= pp[i - 1];
      if (id[1] + 1 < grid) sum -= pp[i + 1];
      pq_[i] = sum;
    });
    const sycl::property_list fresh{sycl::property::reduction::initialize_to_identity()};
    // The reduction has the range of the operator, so that both can run in one kernel.
    queue.parallel_for(sycl::range<2>(grid, grid), sycl::reduction(ppq, sycl::plus<float>(), fresh),
                       [=](sycl::id<2> id, auto& sum) {
                         const std::size_t i = id[0] * grid + id[1];
                         sum += pp[i] * pq_[i];
                       });
    queue.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { px[i] += *prr / *ppq * pp[i]; });
    queue.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { pr[i] -= *prr / *ppq * pq_[i]; });
    queue.parallel_for(sycl::range<1>(n), sycl::reduction(pnext, sycl::plus<float>(), fresh),
                       [=](sycl::id<1> i, auto& sum) { sum += pr[i] * pr[i]; });
    queue.parallel_for(sycl::range<1>(n), [=](sycl::id<1> i) { pp[i] = pr[i] + *pnext / *prr * pp[i]; });
    // The small summand prevents NaNs over thousands of steps.
    queue.single_task([=] { *prr = *pnext + 1e-3f; });
  }

  executable record(const sycl::property_list& how = {}) {
    graphs::command_graph graph(queue);
    graph.begin_recording(queue);
    step();
    graph.end_recording();
    return graph.finalize(how);
  }

  sycl::queue& queue;
  float *x, *r, *p, *q, *rr, *next, *pq;
};

/// Measures the microseconds of a step that is replayed, and of a step whose commands are submitted one by one.
template <class Solver>
std::pair<double, double> time_steps(sycl::queue& queue, executable& recorded, Solver& solver) {
  const double replayed = nanoseconds(replays, [&] {
    for (int i = 0; i < replays; ++i) queue.ext_oneapi_graph(recorded);
    queue.wait();
  });
  const double plain = nanoseconds(replays, [&] {
    for (int i = 0; i < replays; ++i) solver.step();
    queue.wait();
  });
  return {replayed * 1e-3, plain * 1e-3};
}

/// Eight kernels; each reads the result of the kernel before it. All memory between the first and the last kernel
/// belongs to the graph.
class chain {
public:
  explicit chain(sycl::queue& queue, const sycl::property_list& how) : m_executable(record(queue, how)) {}
  void run(sycl::queue& queue) { queue.ext_oneapi_graph(m_executable).wait(); }
  bool is_right() const {
    const sycl::host_accessor result(m_out, sycl::read_only);
    for (std::size_t i = 0; i < count; i += 997) {
      if (result[i] != 8.0f) return false;
    }
    return true;
  }

private:
  static constexpr std::size_t count = std::size_t{1} << 24, length = 8;

  executable record(sycl::queue& queue, const sycl::property_list& how) {
    queue.submit([&](sycl::handler& group) {
      group.fill(sycl::accessor(m_in, group, sycl::write_only, sycl::no_init), 0.0f);
    });
    std::vector<sycl::buffer<float>> between(length - 1, sycl::buffer<float>(1));
    for (sycl::buffer<float>& each : between) each = sycl::buffer<float>(count);
    graphs::command_graph graph(queue, {graphs::property::graph::assume_buffer_outlives_graph()});
    for (std::size_t i = 0; i < length; ++i) {
      graph.add([&](sycl::handler& group) {
        sycl::accessor from(i == 0 ? m_in : between[i - 1], group, sycl::read_only);
        sycl::accessor to(i + 1 == length ? m_out : between[i], group, sycl::write_only, sycl::no_init);
        group.parallel_for(count, [=](sycl::id<1> at) { to[at] = from[at] + 1.0f; });
      });
    }
    between.clear();
    return graph.finalize(how);
  }

  sycl::buffer<float> m_in{count};
  mutable sycl::buffer<float> m_out{count};
  executable m_executable;
};

} // namespace

int main(int argc, char** argv) {
  sycl::queue queue{sycl::property::queue::in_order{}};
  executable line = make_line(queue);
  graphs::command_graph fan_graph = make_fan(queue);
  executable fan = fan_graph.finalize();
  gradients<32> solver(queue);
  gradients<16> small_solver(queue);
  executable recorded = solver.record(), small_recorded = small_solver.record();

  graphs::command_graph changing(queue);
  graphs::dynamic_parameter<float*> target(solver.x);
  float* const data = solver.x;
  graphs::node node = changing.add([&](sycl::handler& group) {
    group.set_arg(0, target);
    group.single_task([data] { *data = 0; });
  });
  executable changed = changing.finalize({graphs::property::graph::updatable()});

  const sycl::ext::sinter::property::graph::fuse fuse;
  chain one_by_one(queue, {}), fused(queue, {fuse});
  gradients<4096> large_solver(queue);
  executable large_recorded = large_solver.record(), large_fused = large_solver.record({fuse});

  const int rounds = argc > 1 ? std::atoi(argv[1]) : 10;
  for (int round = -1; round < rounds; ++round) {
    const double replayed = nanoseconds(replays * line_nodes, [&] {
      for (int i = 0; i < replays; ++i) queue.ext_oneapi_graph(line), queue.wait();
    });
    const double plain = nanoseconds(replays * line_nodes, [&] {
      for (int i = 0; i < replays; ++i) {
        for (int k = 0; k < line_nodes; ++k) nothing(queue);
        queue.wait();
      }
    });
    const double side_by_side = nanoseconds(replays / 5 * fan_nodes, [&] {
      for (int i = 0; i < replays / 5; ++i) queue.ext_oneapi_graph(fan), queue.wait();
    });
    const double finalize = nanoseconds(1, [&] { fan = fan_graph.finalize(); });
    const double update = nanoseconds(replays, [&] {
      for (int i = 0; i < replays; ++i) target.update(solver.x + i % 2), changed.update(node);
    });
    const auto [steps, steps_plain] = time_steps(queue, recorded, solver);
    const auto [small, small_plain] = time_steps(queue, small_recorded, small_solver);
    const double chained = nanoseconds(1, [&] { fused.run(queue); });
    const double chained_plain = nanoseconds(1, [&] { one_by_one.run(queue); });
    const double large = nanoseconds(1, [&] { queue.ext_oneapi_graph(large_fused).wait(); });
    const double large_plain = nanoseconds(1, [&] { queue.ext_oneapi_graph(large_recorded).wait(); });
    if (round < 0) continue;  // this round only compiles the kernels
    std::printf("{\"line\": %.2f, \"line_plain\": %.2f, \"fan\": %.2f, \"update\": %.1f, \"finalize\": %.4f, "
                "\"gradients\": %.3f, \"gradients_plain\": %.3f, \"small_gradients\": %.3f, "
                "\"small_gradients_plain\": %.3f, \"chain\": %.3f, \"chain_plain\": %.3f, "
                "\"large_gradients\": %.3f, \"large_gradients_plain\": %.3f}\n",
                replayed, plain, side_by_side, update, finalize * 1e-6, steps, steps_plain, small, small_plain,
                chained * 1e-6, chained_plain * 1e-6, large * 1e-6, large_plain * 1e-6);
  }
  if (one_by_one.is_right() && fused.is_right()) return 0;
  std::fprintf(stderr, "graph: the chain's results are wrong\n");
  return 1;
}
