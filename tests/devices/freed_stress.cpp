/// Random programs that release memory while commands use it. They release buffers to which only commands still refer,
/// memory that they pass to sycl::free, and local results of reductions. The results have to equal those of plain
/// code. The tests' drivers end the process if memory is freed too early.
///
/// usage: freed_stress SEEDS [FIRST] [keeps]. `keeps` plants an error in the scheduler, and then the driver has to end
/// the process.

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <sycl/ext/sinter/auto_fusion.hpp>

#include "../unit/scheduler/stress_seeds.hpp"

namespace {

constexpr std::size_t most_live = 6;
constexpr int steps = 60;

/// An array in a buffer or in USM memory, and its expected values.
struct numbers {
  std::optional<sycl::buffer<std::uint32_t>> buffer;
  std::uint32_t* memory = nullptr;
  std::vector<std::uint32_t> expected;
};

class program {
public:
  explicit program(std::uint64_t seed) : m_random(static_cast<std::mt19937::result_type>(seed)) {
    const sycl::property_list kinds[] = {{sycl::property::queue::in_order()},
                                         {sycl::property::queue::in_order()},
                                         {sycl::property::queue::in_order(),
                                          sycl::ext::sinter::property::queue::auto_fusion{}}};
    m_queue.emplace(kinds[seed % std::size(kinds)]);
    m_has_usm = m_queue->get_device().has(sycl::aspect::usm_device_allocations);
  }

  /// Returns a text about the first difference, or an empty text if there is none.
  std::string run() {
    for (int step = 0; step < steps; ++step) {
      if (m_live.size() < 2 || (m_live.size() < most_live && below(2) == 0)) make();
      const std::size_t to = below(m_live.size()), from = below(m_live.size());
      if (below(8) == 0) sum(from);
      else if (m_live[to].expected.size() == m_live[from].expected.size()) combine(to, from);
      else change(to);
      if (m_live.size() > 2 && below(3) == 0) let_go(below(m_live.size()));
    }
    std::string wrong;
    while (!m_live.empty()) {
      if (read(m_live.back()) != m_live.back().expected) wrong = "numbers are wrong at the end";
      let_go(m_live.size() - 1);
    }
    m_queue->wait();
    for (const auto& each : m_sums) {
      if (sycl::host_accessor(each->first, sycl::read_only)[0] != each->second) wrong = "a sum is wrong";
    }
    return wrong;
  }

private:
  std::uint32_t below(std::size_t end) { return m_random() % static_cast<std::uint32_t>(end); }

  void make() {
    const std::size_t sizes[] = {1, 33, 4096, 70001};
    numbers made;
    made.expected.assign(sizes[below(std::size(sizes))], 0);
    for (std::size_t i = 0; i < made.expected.size(); ++i) made.expected[i] = static_cast<std::uint32_t>(i);
    const sycl::range<1> range(made.expected.size());
    if (m_has_usm && below(2) == 0) made.memory = sycl::malloc_device<std::uint32_t>(range[0], *m_queue);
    if (std::uint32_t* const memory = made.memory) {
      m_queue->parallel_for(range, [=](sycl::id<1> i) { memory[i] = static_cast<std::uint32_t>(i[0]); });
    } else {
      made.buffer.emplace(range);
      m_queue->submit([&](sycl::handler& group) {
        sycl::accessor out(*made.buffer, group, sycl::write_only, sycl::no_init);
        group.parallel_for(range, [=](sycl::id<1> i) { out[i] = static_cast<std::uint32_t>(i[0]); });
      });
    }
    m_live.push_back(std::move(made));
  }

  void change(std::size_t of) {
    numbers& its = m_live[of];
    for (std::uint32_t& each : its.expected) each = each * 3 + 1;
    const sycl::range<1> range(its.expected.size());
    if (std::uint32_t* const memory = its.memory) {
      m_queue->parallel_for(range, [=](sycl::id<1> i) { memory[i] = memory[i] * 3 + 1; });
      return;
    }
    m_queue->submit([&](sycl::handler& group) {
      sycl::accessor data(*its.buffer, group, sycl::read_write);
      group.parallel_for(range, [=](sycl::id<1> i) { data[i] = data[i] * 3 + 1; });
    });
  }

  /// Submits one kernel that uses two arrays, each in a buffer or in USM memory.
  void combine(std::size_t to, std::size_t from) {
    numbers &out = m_live[to], &in = m_live[from];
    for (std::size_t i = 0; i < out.expected.size(); ++i) out.expected[i] += in.expected[i] + 5;
    const sycl::range<1> range(out.expected.size());
    m_queue->submit([&](sycl::handler& group) {
      const auto submit = [&](auto target, auto source) {
        group.parallel_for(range, [=](sycl::id<1> i) { target[i] += source[i] + 5; });
      };
      if (out.memory && in.memory) submit(out.memory, in.memory);
      if (out.memory && !in.memory) submit(out.memory, sycl::accessor(*in.buffer, group, sycl::read_only));
      if (!out.memory && in.memory) submit(sycl::accessor(*out.buffer, group, sycl::read_write), in.memory);
      if (!out.memory && !in.memory) {
        submit(sycl::accessor(*out.buffer, group, sycl::read_write),
               sycl::accessor(*in.buffer, group, sycl::read_only));
      }
    });
  }

  void sum(std::size_t of) {
    numbers& its = m_live[of];
    auto made = std::make_unique<std::pair<sycl::buffer<std::uint32_t>, std::uint32_t>>(sycl::range<1>(1), 0u);
    for (const std::uint32_t each : its.expected) made->second += each;
    const sycl::range<1> range(its.expected.size());
    m_queue->submit([&](sycl::handler& group) {
      const auto add = [&](auto source) {
        group.parallel_for(range,
                           sycl::reduction(made->first, group, sycl::plus<std::uint32_t>(),
                                           sycl::property::reduction::initialize_to_identity()),
                           [=](sycl::id<1> i, auto& total) { total += source[i]; });
      };
      if (its.memory) add(its.memory);
      else add(sycl::accessor(*its.buffer, group, sycl::read_only));
    });
    m_sums.push_back(std::move(made));
  }

  std::vector<std::uint32_t> read(numbers& its) {
    std::vector<std::uint32_t> found(its.expected.size());
    if (its.memory) {
      m_queue->copy(its.memory, found.data(), found.size()).wait();
    } else {
      const sycl::host_accessor all(*its.buffer, sycl::read_only);
      std::copy(all.begin(), all.end(), found.begin());
    }
    return found;
  }

  /// Releases an array that commands may still use.
  void let_go(std::size_t which) {
    if (m_live[which].memory) sycl::free(m_live[which].memory, *m_queue);
    m_live.erase(m_live.begin() + static_cast<std::ptrdiff_t>(which));
  }

  std::mt19937 m_random;
  std::optional<sycl::queue> m_queue;
  bool m_has_usm = false;
  std::vector<numbers> m_live;
  std::vector<std::unique_ptr<std::pair<sycl::buffer<std::uint32_t>, std::uint32_t>>> m_sums;
};

std::string run(std::uint64_t seed) try {
  const std::string wrong = program(seed).run();
  return wrong.empty() ? wrong : "seed " + std::to_string(seed) + ": " + wrong;
} catch (const sycl::exception& error) {
  return "seed " + std::to_string(seed) + ": " + error.what();
}

}  // namespace

int main(int argc, char** argv) {
  const auto plant = [](const std::string& planted) {
    if (planted != "keeps") return;
    sycl::detail::test_hooks().dropped_keep = 3;
    std::signal(SIGABRT, [](int) { _exit(0); });
  };
  const int result = test::run_seeds(argc, argv, plant, {}, run);
  return argc > 3 ? 1 : result;
}
