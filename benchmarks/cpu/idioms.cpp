/// Measures compiler steps that handle a single pattern (jitd/passes/idioms). Each step is measured on kernels that
/// have the step's pattern. The step was written for other kernels. Each kernel runs with the step and without it.
/// SINTER_PASSES applies to a whole process, so another process runs the kernels without the step.
///
/// usage: idioms [PAIRS [COUNT]]; COUNT is rounded up to a multiple of 512.

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <map>
#include <memory>
#include <numeric>

#include "measure.hpp"

// Kernels and scalar code need equal numbers of iterations, so each operation has to round in the same way.
#pragma STDC FP_CONTRACT OFF

namespace {

constexpr std::size_t group_size = 256, block = 2 * group_size;

/// A kernel, the step that is measured, and a check that the step had an effect.
struct idiom {
  std::string step, name;
  std::function<void()> run, spoil;
  std::function<bool()> is_right;
  bench::traffic memory;
};

/// Computes the exact results by plain scalar code.
template <class T>
struct result {
  T* values;
  std::vector<T> expected;

  result(bench::program& program, std::size_t count) : values(program.allocate<T>(count)), expected(count) {}
  void spoil() const { std::fill_n(values, expected.size(), T(77)); }
  bool is_right() const { return std::equal(expected.begin(), expected.end(), values); }
};

/// Loads a group's block into local memory. For each stride, calls `step` with the stride and the number of the
/// work-item's pair, and has barriers between the calls.
template <class T, class Strides, class Step>
void in_blocks(sycl::queue& queue, const T* from, T* to, std::size_t count, const Strides& strides, const Step& step) {
  queue
      .submit([&](sycl::handler& handler) {
        sycl::local_accessor<T, 1> near(sycl::range<1>(block), handler);
        handler.parallel_for(sycl::nd_range<1>(count / 2, group_size), [=](sycl::nd_item<1> item) {
          const std::size_t l = item.get_local_id(0), start = item.get_group(0) * block;
          near[l] = from[start + l];
          near[l + group_size] = from[start + l + group_size];
          strides([&](auto... stride) {
            sycl::group_barrier(item.get_group());
            step(near, l, stride...);
          });
          sycl::group_barrier(item.get_group());
          to[start + l] = near[l];
          to[start + l + group_size] = near[l + group_size];
        });
      })
      .wait();
}

/// Computes each step pair by pair. Pairs of one step have no common elements, so their order does not matter.
template <class T, class Strides, class Step>
void in_blocks_by_hand(const T* from, T* to, std::size_t count, const Strides& strides, const Step& step) {
  std::copy_n(from, count, to);
  for (std::size_t start = 0; start < count; start += block) {
    strides([&](auto... stride) {
      for (std::size_t l = 0; l < group_size; ++l) step(to + start, l, stride...);
    });
  }
}

/// The strides 1, 2, 4 and so on that are less than `length`, which is known only at run time.
struct doubling {
  std::size_t length;

  template <class Step>
  void operator()(const Step& step) const {
    for (std::size_t stride = 1; stride < length; stride *= 2) step(stride);
  }
};

/// Strides as in merge sorts: for each of the sizes 1, 2, 4 and so on, the strides from this size down to 1, halved
/// each time.
struct shrinking {
  template <class Step>
  void operator()(const Step& step) const {
    for (std::size_t size = 1; size < block; size *= 2) {
      for (std::size_t stride = size; stride > 0; stride /= 2) step(stride);
    }
  }
};

/// Steps on pairs of neighbours: in 32 steps, the pairs begin at even and at odd indices alternately.
struct alternating {
  template <class Step>
  void operator()(const Step& step) const {
    for (std::size_t i = 0; i < 32; ++i) step(i & 1);
  }
};

class idioms {
public:
  explicit idioms(bench::program& program)
      : m_program(program), m_queue(program.queue), m_count((program.size(0) + block - 1) / block * block) {
    m_numbers = program.allocate<std::uint32_t>(m_count);
    m_bytes = program.allocate<std::uint8_t>(m_count);
    m_reals = program.allocate<float>(m_count);
    bench::dice dice;
    for (std::size_t i = 0; i < m_count; ++i) {
      m_numbers[i] = dice.next();
      m_bytes[i] = static_cast<std::uint8_t>(((dice.next() >> 24) * (dice.next() >> 24)) >> 8);
      m_reals[i] = dice.between(-1, 1);
    }
    add_exchanges();
    add_swaps();
    add_counts();
    add_iterations();
  }

  const std::vector<idiom>& all() const { return m_all; }

private:
  /// Adds kernels that exchange elements in runs of length `stride` within a block.
  void add_exchanges() {
    add_blocks("stride-forms", "Walsh-Hadamard transform", m_reals, doubling{block},
               [](const auto& near, std::size_t l, std::size_t stride) {
                 const std::size_t i = 2 * l - (l & (stride - 1));
                 const float a = near[i], b = near[i + stride];
                 near[i] = a + b;
                 near[i + stride] = a - b;
               });
    add_blocks("stride-forms", "sums of prefixes", m_numbers, doubling{block},
               [](const auto& near, std::size_t l, std::size_t stride) {
                 const std::size_t in_run = l & (stride - 1), run = 2 * (l - in_run);
                 near[run + stride + in_run] += near[run + stride - 1];
               });
  }

  /// Adds kernels that swap two elements of a block or leave both unchanged.
  void add_swaps() {
    add_blocks("local-stores", "odd-even transpositions", m_numbers, alternating(),
               [](const auto& near, std::size_t l, std::size_t odd) {
                 const std::size_t i = 2 * l + odd;
                 if (i + 1 >= block) return;
                 const std::uint32_t a = near[i], b = near[i + 1];
                 if (a > b) {
                   near[i] = b;
                   near[i + 1] = a;
                 }
               });
    add_blocks("local-stores", "particles that hop", m_numbers, alternating(),
               [](const auto& near, std::size_t l, std::size_t odd) {
                 const std::size_t i = 2 * l + odd;
                 if (i + 1 >= block) return;
                 const std::uint32_t here = near[i], next = near[i + 1];
                 // The highest bit marks an occupied element.
                 if ((here >> 31) > (next >> 31)) {
                   near[i] = here & 0x7fffffffu;
                   near[i + 1] = next | 0x80000000u;
                 }
               });
    add_blocks("local-stores", "network of random swaps", m_numbers, shrinking(),
               [](const auto& near, std::size_t l, std::size_t stride) {
                 const std::size_t i = 2 * l - (l & (stride - 1));
                 const std::uint32_t a = near[i], b = near[i + stride];
                 if (((a ^ b) & 4u) != 0) {
                   near[i] = b;
                   near[i + stride] = a;
                 }
               });
  }

  template <class T, class Strides, class Step>
  void add_blocks(const char* step, const char* name, const T* from, const Strides& strides, const Step& pair) {
    auto made = std::make_shared<result<T>>(m_program, m_count);
    in_blocks_by_hand(from, made->expected.data(), m_count, strides, pair);
    add(step, name, made, traffic(from, made->values, m_count * sizeof(T)),
        [=, this, to = made->values] { in_blocks(m_queue, from, to, m_count, strides, pair); });
  }

  void add_counts() {
    add_histogram<256>("digits of keys", m_numbers, [from = m_numbers](std::size_t i) { return from[i] >> 24; });
    add_histogram<256>("pairs of pixels", m_bytes, [from = m_bytes, half = m_count / 2](std::size_t i) {
      return (from[i] >> 4) * 16u + (from[i < half ? i + half : i - half] >> 4);
    });
    add_histogram<128>("intervals of numbers", m_reals, [from = m_reals](std::size_t i) {
      return static_cast<std::uint32_t>((from[i] * from[i]) * 127.0f);
    });
  }

  template <std::size_t Bins, class T, class Bin>
  void add_histogram(const char* name, const T* from, const Bin& bin) {
    auto made = std::make_shared<result<std::uint32_t>>(m_program, Bins);
    for (std::size_t i = 0; i < m_count; ++i) ++made->expected[bin(i)];
    add("loops-in-step", name, made, {.from = {from}, .reads = 1, .bytes = m_count * sizeof(T)},
        [=, this, bins = made->values, count = m_count] {
          m_queue.fill(bins, 0u, Bins);
          m_queue
              .submit([&](sycl::handler& handler) {
                sycl::local_accessor<std::uint32_t, 1> near(sycl::range<1>(Bins), handler);
                const std::size_t groups = (count + 64 * group_size - 1) / (64 * group_size);
                handler.parallel_for(sycl::nd_range<1>(groups * group_size, group_size), [=](sycl::nd_item<1> item) {
                  using sycl::memory_order, sycl::memory_scope, sycl::atomic_ref;
                  const std::size_t l = item.get_local_id(0);
                  if (l < Bins) near[l] = 0;
                  sycl::group_barrier(item.get_group());
                  for (std::size_t i = item.get_global_id(0); i < count; i += item.get_global_range(0))
                    ++atomic_ref<std::uint32_t, memory_order::relaxed, memory_scope::work_group>(near[bin(i)]);
                  sycl::group_barrier(item.get_group());
                  if (l < Bins)
                    atomic_ref<std::uint32_t, memory_order::relaxed, memory_scope::device>(bins[l]) += near[l];
                });
              })
              .wait();
        });
  }

  /// Adds kernels with loops whose number of iterations differs between work-items.
  void add_iterations() {
    add_lengths("Julia set", [from = m_reals](std::size_t i, std::size_t count) {
      float x = from[i], y = from[count - 1 - i];
      std::uint32_t steps = 0;
      while (x * x + y * y < 4 && steps < 300) {
        const float next = x * x - y * y - 0.4f;
        y = 2 * x * y + 0.6f;
        x = next;
        ++steps;
      }
      return steps;
    });
    add_lengths("cube roots by Newton", [from = m_reals](std::size_t i, std::size_t) {
      const float wanted = from[i] * from[i] * 1000.0f + 1.0f;
      float x = wanted, step = wanted;
      std::uint32_t steps = 0;
      while (step > x * 1e-5f && steps < 100) {
        const float next = x - (x * x * x - wanted) / (3 * (x * x));
        step = sycl::fabs(next - x);
        x = next;
        ++steps;
      }
      return steps;
    });
    add_lengths("logistic map", [from = m_reals](std::size_t i, std::size_t) {
      float x = from[i] * from[i];
      std::uint32_t steps = 0;
      while (x < 0.999f && x > 0.0f && steps < 1000) {
        x = 3.999f * x * (1.0f - x);
        ++steps;
      }
      return steps;
    });
  }

  template <class Length>
  void add_lengths(const char* name, const Length& length) {
    const std::size_t count = m_count / 16;
    auto made = std::make_shared<result<std::uint32_t>>(m_program, count);
    for (std::size_t i = 0; i < count; ++i) made->expected[i] = length(i, count);
    add("long-vectors", name, made, traffic(m_numbers, made->values, count * sizeof(float)),
        [=, this, to = made->values] {
          m_queue.parallel_for(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = length(i[0], count); }).wait();
        });
  }

  template <class T>
  void add(const char* step, const char* name, const std::shared_ptr<result<T>>& made, const bench::traffic& memory,
           const std::function<void()>& run) {
    m_all.push_back({.step = step,
                     .name = name,
                     .run = run,
                     .spoil = [=] { made->spoil(); },
                     .is_right = [=] { return made->is_right(); },
                     .memory = memory});
  }

  static bench::traffic traffic(const void* from, void* to, std::size_t bytes) {
    return {.from = {from}, .reads = 1, .to = {to}, .writes = 1, .bytes = bytes};
  }

  bench::program& m_program;
  sycl::queue& m_queue;
  std::size_t m_count;
  std::uint32_t* m_numbers;
  std::uint8_t* m_bytes;
  float* m_reals;
  std::vector<idiom> m_all;
};

/// Runs this program in another process, without one step. The process reads lines `number runs` and prints how many
/// milliseconds one run took; the process ends at a wrong result.
class other_process {
public:
  other_process(const std::string& step, std::size_t count) {
    std::array<int, 2> asked, said;
    // Processes that are started later must not inherit these descriptors; otherwise, this process would never see the
    // end of its input.
    if (pipe2(asked.data(), O_CLOEXEC) != 0 || pipe2(said.data(), O_CLOEXEC) != 0) give_up("no pipe");
    m_process = fork();
    if (m_process < 0) give_up("no other process");
    if (m_process == 0) {
      dup2(asked[0], STDIN_FILENO);
      dup2(said[1], STDOUT_FILENO);
      setenv("SINTER_PASSES", ("-" + step).c_str(), 1);
      const std::string size = std::to_string(count);
      execl("/proc/self/exe", "idioms", "answer", size.c_str(), nullptr);
      _exit(2);
    }
    close(asked[0]);
    close(said[1]);
    m_asked = fdopen(asked[1], "w");
    m_said = fdopen(said[0], "r");
  }
  other_process(const other_process&) = delete;
  ~other_process() {
    fclose(m_asked);
    fclose(m_said);
    waitpid(m_process, nullptr, 0);
  }

  double milliseconds(std::size_t number, int runs) const {
    std::fprintf(m_asked, "%zu %d\n", number, runs);
    std::fflush(m_asked);
    double time = 0;
    if (std::fscanf(m_said, "%lf", &time) != 1) give_up("no answer of the other process");
    return time;
  }

private:
  [[noreturn]] static void give_up(const char* why) {
    std::fprintf(stderr, "idioms: %s\n", why);
    std::exit(1);
  }

  int m_process = 0;
  FILE *m_asked = nullptr, *m_said = nullptr;
};

/// Main loop of the other process. The process checks each kernel's result at the first request for the kernel.
int answer(bench::program& program) {
  const idioms all(program);
  std::vector<bool> seen(all.all().size());
  std::size_t number = 0;
  int runs = 0;
  while (std::scanf("%zu %d", &number, &runs) == 2) {
    const idiom& asked = all.all()[number];
    if (!seen[number]) {
      asked.spoil();
      asked.run();
      if (!asked.is_right()) {
        std::fprintf(stderr, "idioms: '%s' is wrong without %s\n", asked.name.c_str(), asked.step.c_str());
        return 1;
      }
      seen[number] = true;
    }
    std::printf("%.6f\n", bench::milliseconds(runs, asked.run));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int word_count, char** words) {
  const bool answers = word_count > 1 && std::string(words[1]) == "answer";
  bench::program program(word_count, words, {1 << 20});
  if (answers) return answer(program);
  const idioms all(program);
  std::map<std::string, other_process> others;
  for (std::size_t number = 0; number < all.all().size(); ++number) {
    const idiom& each = all.all()[number];
    const other_process& other = others.try_emplace(each.step, each.step, program.size(0)).first->second;
    program.measure({
        .name = each.step + ": " + each.name,
        .sides = {{"sinter", each.run},
                  {"without", {}, [&, number](int runs) { return other.milliseconds(number, runs); }}},
        .spoil = each.spoil,
        .is_right = each.is_right,
        .memory = each.memory,
    });
  }
}
