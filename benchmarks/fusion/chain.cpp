/// A chain of element-wise kernels over floats, which pass temporaries to each other. The kernels run unfused, fused
/// with requested promotion, and fused without hints (the temporaries go out of scope before the wait). OpenMP loops
/// are the reference. All variants run in turns.
///
/// usage: chain STEPS COUNT ROUNDS REPEATS; prints one line of JSON per round, milliseconds per run of the chain:
/// {"unfused", "promoted", "scoped", "openmp_loops", "openmp_fused", "traffic"}.

#include <sycl/sycl.hpp>

#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "chain_loops.hpp"
#include "rounds.hpp"
#include "traffic.hpp"

namespace cx = sycl::ext::codeplay::experimental;

namespace {

using buffer = sycl::buffer<float>;

template <int Step>
class chain_kernel;

template <int Step>
void submit_step(sycl::queue& queue, buffer& from, buffer& to) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor in(from, handler, sycl::read_only);
    sycl::accessor out(to, handler, sycl::write_only);
    constexpr step_numbers numbers = step(Step);
    handler.parallel_for<chain_kernel<Step>>(
        sycl::range<1>(from.size()), [=](sycl::id<1> i) { out[i] = in[i] * numbers.factor + numbers.term; });
  });
}

/// Submits the chain from `first` through the temporaries to `last`.
template <std::size_t... Step>
void submit_chain(sycl::queue& queue, std::vector<buffer*> stations, std::index_sequence<Step...>) {
  (submit_step<static_cast<int>(Step)>(queue, *stations[Step], *stations[Step + 1]), ...);
}
void submit_chain(sycl::queue& queue, int steps, std::vector<buffer*> stations) {
  if (steps == 2) submit_chain(queue, std::move(stations), std::make_index_sequence<2>());
  if (steps == 5) submit_chain(queue, std::move(stations), std::make_index_sequence<5>());
  if (steps == 10) submit_chain(queue, std::move(stations), std::make_index_sequence<10>());
}

std::vector<buffer*> stations(buffer& first, std::vector<buffer>& temporaries, buffer& last) {
  std::vector<buffer*> result{&first};
  for (buffer& each : temporaries) result.push_back(&each);
  result.push_back(&last);
  return result;
}

} // namespace

int main(int word_count, char** words) {
  const int steps = word_count > 1 ? std::atoi(words[1]) : 5;
  const std::size_t count = word_count > 2 ? std::strtoull(words[2], nullptr, 10) : std::size_t{1} << 24;
  const int rounds = word_count > 3 ? std::atoi(words[3]) : 30;
  const int repeats = word_count > 4 ? std::atoi(words[4]) : 1;
  if ((steps != 2 && steps != 5 && steps != 10) || count < 1 || rounds < 1 || repeats < 1) {
    std::fputs("usage: chain 2|5|10 COUNT ROUNDS REPEATS\n", stderr);
    return 2;
  }
  openmp_asleep();
  sycl::queue plain{sycl::property::queue::in_order{}};
  sycl::queue fusing{{sycl::property::queue::in_order{}, cx::property::queue::enable_fusion{}}};
  // The arrays are a little longer than needed, because the loop that measures the memory's peak begins at a cache
  // line.
  std::vector<float> first_values(count + 16, 1.25f), last_values(count), expected(count + 16);
  std::vector<std::vector<float>> host_temporaries(static_cast<std::size_t>(steps - 1), std::vector<float>(count));
  buffer first(first_values.data(), sycl::range<1>(count)), last(last_values.data(), sycl::range<1>(count));
  const sycl::range<1> size(count);
  std::vector<buffer> kept, promised;
  for (int i = 1; i < steps; ++i) {
    kept.emplace_back(size);
    promised.emplace_back(size, sycl::property_list{cx::property::promote_private{}});
  }
  cx::fusion_wrapper fusion(fusing);

  const auto unfused = [&] {
    submit_chain(plain, steps, stations(first, kept, last));
    plain.wait();
  };
  const auto promoted = [&] {
    fusion.start_fusion();
    submit_chain(fusing, steps, stations(first, promised, last));
    fusion.complete_fusion().wait();
  };
  const auto scoped = [&] {
    {
      std::vector<buffer> temporaries;
      for (int i = 1; i < steps; ++i) temporaries.emplace_back(size);
      fusion.start_fusion();
      submit_chain(fusing, steps, stations(first, temporaries, last));
      fusion.complete_fusion();
    }
    fusing.wait();
  };
  const auto openmp_loops = [&] {
    const float* from = first_values.data();
    for (int k = 0; k < steps; ++k) {
      float* to = k + 1 < steps ? host_temporaries[static_cast<std::size_t>(k)].data() : expected.data();
      openmp_step(from, to, k, count);
      from = to;
    }
  };
  const auto openmp_fused = [&] { openmp_hand_fused(first_values.data(), expected.data(), steps, count); };
  const auto limit = [&] {
    const std::size_t bytes = count * sizeof(float);
    traffic(reinterpret_cast<const char*>(first_values.data()), reinterpret_cast<char*>(expected.data()), bytes, bytes);
  };

  openmp_fused();
  auto check = [&](const char* name, auto work) {
    work();
    sycl::host_accessor values(last, sycl::read_only);
    for (std::size_t i = 0; i < count; ++i) {
      // The fused chain may round a product and a sum once, where single loops round twice.
      if (values[i] - expected[i] > 1e-3f || expected[i] - values[i] > 1e-3f) {
        std::fprintf(stderr, "chain: the results of '%s' are wrong\n", name);
        std::exit(1);
      }
    }
  };
  check("unfused", unfused);
  check("promoted", promoted);
  check("scoped", scoped);
  openmp_loops();
  print_rounds(rounds, repeats,
               {{"unfused", unfused},
                {"promoted", promoted},
                {"scoped", scoped},
                {"openmp_loops", openmp_loops, true},
                {"openmp_fused", openmp_fused, true},
                {"traffic", limit, true}});
}
