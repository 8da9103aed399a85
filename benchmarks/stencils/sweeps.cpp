/// Sweeps of Jacobi's method between two buffers, as in a program with time steps. A graph records the sweeps. One
/// variant replays the sweeps as they are, another variant replays them fused. A third variant has a separate buffer
/// for each sweep, which shows how much fusion could gain at most.
///
/// usage: sweeps HEIGHT WIDTH SWEEPS ROUNDS; prints one line of JSON per round, milliseconds of each variant. In each
/// round, another variant comes first. Results are compared bit by bit before the measurement.

#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/sycl.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

namespace ex = sycl::ext::oneapi::experimental;
using field = sycl::buffer<float, 2>;
using executable = ex::command_graph<ex::graph_state::executable>;

// The largest number of kernels that the runtime fuses into one kernel.
constexpr int longest_list = 16;

void sweep(sycl::queue& queue, field& from, field& to) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor in(from, handler, sycl::read_only);
    sycl::accessor out(to, handler, sycl::write_only, sycl::no_init);
    const auto height = static_cast<long>(from.get_range()[0]), width = static_cast<long>(from.get_range()[1]);
    handler.parallel_for(from.get_range(), [=](sycl::id<2> i) {
      const auto y = static_cast<long>(i[0]), x = static_cast<long>(i[1]);
      const long up = y > 0 ? y - 1 : 0, down = y + 1 < height ? y + 1 : y;
      const long left = x > 0 ? x - 1 : 0, right = x + 1 < width ? x + 1 : x;
      out[i] = 0.25f * (in[up][x] + in[down][x] + in[y][left] + in[y][right]);
    });
  });
}

template <class Record>
executable recorded(sycl::queue& queue, bool fuses, const Record& record) {
  ex::command_graph graph(queue, {ex::property::graph::assume_buffer_outlives_graph{}});
  graph.begin_recording(queue);
  record();
  graph.end_recording();
  return fuses ? graph.finalize({sycl::ext::sinter::property::graph::fuse{}}) : graph.finalize();
}

bool are_equal(field& one, field& other) {
  const sycl::host_accessor a(one, sycl::read_only), b(other, sycl::read_only);
  return std::memcmp(a.get_pointer(), b.get_pointer(), one.byte_size()) == 0;
}

}  // namespace

int main(int word_count, char** words) {
  const auto number = [&](int which, int usual) { return word_count > which ? std::atoi(words[which]) : usual; };
  const int height = number(1, 4096), width = number(2, 4096), sweeps = number(3, 20), rounds = number(4, 9);
  if (height <= 0 || width <= 0 || sweeps <= 0) return 2;
  const sycl::range<2> size(static_cast<std::size_t>(height), static_cast<std::size_t>(width));
  sycl::queue queue{sycl::property::queue::in_order{}};
  std::vector<float> start(size.size());
  std::uint32_t random = 1;
  for (float& each : start) each = static_cast<float>((random = random * 1664525u + 1013904223u) >> 8);
  std::vector<field> fields;
  for (int i = 0; i < 6; ++i) {
    field& added = fields.emplace_back(size);
    sycl::host_accessor all(added, sycl::write_only, sycl::no_init);
    std::memcpy(all.get_pointer(), start.data(), added.byte_size());
  }
  const auto between = [&](std::size_t one) {
    for (int i = 0; i < sweeps; ++i) {
      const auto from = static_cast<std::size_t>(i % 2);
      sweep(queue, fields[one + from], fields[one + 1 - from]);
    }
  };
  std::vector<executable> ways{recorded(queue, false, [&] { between(0); }), recorded(queue, true, [&] { between(2); })};
  if (sweeps <= longest_list) {
    std::vector<field> apart;
    for (int i = 1; i < sweeps; ++i) apart.emplace_back(size);
    ways.push_back(recorded(queue, true, [&] {
      for (int i = 0; i < sweeps; ++i) {
        const auto at = static_cast<std::size_t>(i);
        sweep(queue, i == 0 ? fields[4] : apart[at - 1], i + 1 == sweeps ? fields[5] : apart[at]);
      }
      apart.clear();
    }));
  }
  for (executable& each : ways) queue.ext_oneapi_graph(each).wait();
  const bool is_first_last = sweeps % 2 == 0;
  if (!are_equal(fields[0], fields[2]) || !are_equal(fields[1], fields[3]) ||
      (ways.size() > 2 && !are_equal(fields[is_first_last ? 0 : 1], fields[5]))) {
    std::fputs("sweeps: results differ\n", stderr);
    return 1;
  }
  const char* const names[] = {"plain", "fused", "apart"};
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> times(ways.size());
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const std::size_t which = (static_cast<std::size_t>(round) + i) % ways.size();
      const auto begin = std::chrono::steady_clock::now();
      queue.ext_oneapi_graph(ways[which]).wait();
      times[which] = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    }
    for (std::size_t i = 0; i < ways.size(); ++i)
      std::printf("%s\"%s\": %.4f", i == 0 ? "{" : ", ", names[i], times[i]);
    std::puts("}");
  }
}
