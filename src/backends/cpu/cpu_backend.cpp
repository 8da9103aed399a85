/// Implements the CPU device, which divides work-groups or work-items among threads.

#include <sys/mman.h>
#include <unistd.h>

#include <abi/byte_count.hpp>
#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <images/bound_code.hpp>
#include <images/kernel_name.hpp>
#include <images/loader.hpp>
#include <images/registry.hpp>
#include <map>
#include <mutex>
#include <optional>
#include <base/environment.hpp>
#include <base/huge_page.hpp>
#include <base/large_stack.hpp>
#include <base/per_thread.hpp>
#include <base/running.hpp>
#include <base/sanitizers.hpp>
#include <semaphore>
#include <thread>
#include <utility>

#include <sycl/exception.hpp>

#include "access_checks.hpp"
#include "backends/device.hpp"
#include "backends/launch_counts.hpp"
#include "cpu_facts.hpp"
#include "host_work_item.hpp"
#include "launch_memory.hpp"
#include "parallel.hpp"
#include "tiered_start.hpp"
#include "unit_costs.hpp"

namespace sinter {
namespace {

// Copies and fills of fewer bytes use one thread, because this thread finishes before a second thread has woken up.
constexpr std::size_t parallel_copy_bytes = std::size_t{1} << 20;
constexpr double bytes_per_nanosecond = 8;
// The parts of a range kernel that threads run start at multiples of this number, so that vectors stay aligned.
constexpr std::uint64_t item_block = 256;
// If a block of item_block units takes longer than heavy_block nanoseconds, blocks are smaller, so that the work is
// divided more evenly among threads.
constexpr double heavy_block = 1e4;
constexpr std::uint64_t small_block = 32;
// If work-items read along rows of memory (code_in_long_rows), blocks have up to this number of work-items. Blocks are
// shorter if there would be too few blocks for all threads.
constexpr std::uint64_t long_block = 8192;
constexpr std::uint64_t pieces_per_thread = 2;
// If neighbouring groups read along the same rows, up to this many groups stay together in one block.
constexpr std::uint64_t long_block_of_groups = 16;
// Launches that take less time than this (in nanoseconds) are seldom measured again, because reading the clock takes 20
// to 50 ns.
constexpr double light = 1e3;

// Host code runs for this many nanoseconds at a time. Then the thread checks whether the JIT has finished.
constexpr double host_piece = 2e4;

// A thread keeps memory up to this size for its next launch; larger memory is freed after the launch.
constexpr std::size_t most_kept = std::size_t{64} << 20;

/// Memory of one thread, which grows as needed. It is page-aligned, because local accessors and private arrays may
/// contain over-aligned types.
class scratch {
public:
  ~scratch() { std::free(m_data); }
  /// Returns false if the allocation fails. Sets `place` to null if `bytes` is 0.
  bool get(std::uint64_t bytes, void*& place) noexcept {
    place = nullptr;
    if (bytes == 0) return true;
    if (bytes > m_size && !grow(bytes)) return false;
    place = m_data;
    return true;
  }
  void shrink() noexcept {
    if (m_size <= most_kept) return;
    std::free(std::exchange(m_data, nullptr));
    m_size = 0;
  }

private:
  bool grow(std::uint64_t bytes) noexcept {
    std::free(std::exchange(m_data, nullptr));
    m_size = 0;
    const std::uint64_t whole = abi::align_bytes(bytes, 4096);
    if (whole != abi::too_many_bytes) m_data = std::aligned_alloc(4096, whole);
    if (m_data) m_size = whole;
    return m_data != nullptr;
  }

  void* m_data = nullptr;
  std::uint64_t m_size = 0;
};

/// The memory that a thread needs besides its stack.
struct thread_memory {
  scratch local_memory, barrier_context, group_scratch, private_memory;
};

/// The data that a thread needs to run part of a launch.
struct launch_plan {
  const kernel_launch& launch;
  const code_variant* code;  ///< code to run; null: the host entry runs
  const void* command = nullptr;  ///< identifies the launch for running_scope, if the host entry runs
  abi::nd_state state{};
  std::uint64_t group_items = 1;
  std::uint64_t units = 0;  ///< number of work-groups or work-items
  std::uint64_t done = 0;   ///< number of units that were complete when the plan was made
  bool grouped = false;

  void run(std::uint64_t first, std::uint64_t last) const {
    if (!needs_memory(launch, code)) return run_with(state, first, last);
    abi::nd_state mine = state;
    const launch_memory needed(launch, code, group_items);
    if (needed.sum() != 0) take(needed, mine);
    run_with(mine, first, last);
    if (needed.sum() > most_kept) {
      auto& [local_memory, barrier_context, group_scratch, private_memory] = per_thread<thread_memory>();
      for (scratch* each : {&local_memory, &barrier_context, &group_scratch, &private_memory}) each->shrink();
    }
  }

private:
  void take(const launch_memory& needed, abi::nd_state& mine) const {
    auto& [local_memory, barrier_context, group_scratch, private_memory] = per_thread<thread_memory>();
    if (local_memory.get(needed.local, mine.local_memory) && barrier_context.get(needed.context, mine.context) &&
        group_scratch.get(needed.scratch, mine.scratch) && private_memory.get(needed.arrays, mine.private_memory)) {
      return;
    }
    refuse_launch_memory(launch, needed);
  }

  void run_with(const abi::nd_state& mine, std::uint64_t first, std::uint64_t last) const {
    if (code) {
      const checked_launch checked(launch, static_cast<const char*>(mine.local_memory) + code->variable_bytes);
      const auto run_entry = [&] { code->entry(launch.blocks ? launch.blocks : &launch.block, &mine, first, last); };
      code->needs_stack ? on_large_stack(run_entry) : run_entry();
      return;
    }
    // Host code may call any function, even exit(). When the program ends, Sinter looks for this scope to find out
    // whether a command has called exit().
    const sycl::detail::running_scope scope(command);
    if (launch.kernel->shape == abi::kernel_shape::nd_range) {
      run_host_groups(*launch.kernel, launch.block, mine, first, last);
    } else {
      run_host_items(*launch.kernel, launch.block, mine, first, last);
    }
  }
};

/// Decides at random whether this light launch is measured. Some light launches have to be measured, because several
/// kernels may share an estimate, and because a launch with other data may take longer or shorter.
bool is_looked_at() noexcept {
  static constinit thread_local std::uint32_t state = 0;
  state = state * 1664525 + 1013904223;
  return state >> 28 == 0;
}

/// Returns the smallest number of units in a block. The number is small, because even a few work-items may take long.
/// But the units should fill a vector, because work-items that do not fill one run one by one (unless the code has
/// vectors with disabled lanes).
std::uint64_t least_block(const launch_plan& plan) noexcept {
  if (plan.grouped || !plan.code) return 1;
  const std::uint64_t lanes = std::min<std::uint64_t>(plan.code->lanes, small_block);
  return plan.units < lanes && !plan.code->has_tails ? 1 : lanes;
}

/// Returns whether the launch may take long although it has few units. With so few units, the calling thread can't run
/// some of them first to measure how long they take.
bool may_be_long(const launch_plan& plan, std::uint64_t units) noexcept {
  return !plan.grouped && !(plan.code && plan.code->bounded) && units <= small_block;
}

/// Runs a launch that may need more than one thread, in blocks of `block` units.
void run_blocks(const launch_plan& plan, std::uint64_t block, thread_share& threads) {
  using clock = std::chrono::steady_clock;
  const void* const measured = plan.code ? static_cast<const void*>(plan.code) : plan.launch.kernel;
  const double known = static_cast<double>(known_unit_cost(measured, plan.units));
  const bool was_light = known != 0 && known * static_cast<double>(plan.units) < light;
  // If there are few work-items, or the work of each work-item is bounded, the launch cannot take much longer than
  // estimated.
  const bool is_steady = plan.units * plan.group_items <= item_block || (plan.code && plan.code->bounded);
  if (was_light && is_steady && !is_looked_at()) return plan.run(plan.done, plan.units);
  const auto start = clock::now();
  const auto spent = [&] { return std::chrono::duration<double, std::nano>(clock::now() - start).count(); };
  const auto note = [&](double nanoseconds, std::uint64_t units) {
    note_unit_cost(measured, plan.units, static_cast<float>(nanoseconds / static_cast<double>(units)));
  };
  // The part that several threads share begins at a multiple of the block size.
  std::uint64_t done = std::min(plan.units, (plan.done + block - 1) / block * block);
  if (done != plan.done) plan.run(plan.done, done);
  if (done == plan.units) return;
  const std::uint64_t begun = plan.done;
  double rest = known * static_cast<double>(plan.units - done);
  const double least = threads.least_to_share(rest, start);
  if (known == 0 && may_be_long(plan, plan.units - done)) {
    rest = least;
  } else if (rest < least) {
    // The calling thread runs the first blocks alone, and measures them to find out how long the whole launch will
    // take.
    const std::uint64_t quarter = (plan.units / 4 + block - 1) / block * block;
    for (std::uint64_t step = known == 0 ? block : std::max(block, quarter);; step *= 2) {
      const std::uint64_t next = std::min(plan.units, done + step);
      plan.run(done, next);
      done = next;
      if (done == plan.units) return;
      const double nanoseconds = spent();
      note(nanoseconds, done - begun);
      rest = nanoseconds * static_cast<double>(plan.units - done) / static_cast<double>(done - begun);
      if (rest > least) break;
      if (was_light && nanoseconds + rest < light) return plan.run(done, plan.units);
    }
  }
  const double block_cost = rest / static_cast<double>(plan.units - done) * static_cast<double>(block);
  if (plan.code && plan.code->in_long_rows) {
    const std::uint64_t each = (plan.units - done) / (pieces_per_thread * threads.most());
    block = plan.grouped ? std::clamp(std::bit_floor(each), std::uint64_t{1}, long_block_of_groups)
                         : std::clamp(std::bit_floor(each), small_block, long_block);
    while (done % block != 0) block /= 2;
  } else if (!plan.grouped && block_cost > heavy_block) {
    const std::uint64_t each = (plan.units - done) / (pieces_per_thread * threads.most());
    block = std::min(block, std::clamp(std::bit_floor(each), least_block(plan), small_block));
  }
  const auto caller = std::this_thread::get_id();
  std::uint64_t units_here = done - begun;
  const std::uint64_t last_block = (plan.units + block - 1) / block;
  threads.share(done / block, last_block, 1, rest, [&](std::uint64_t first, std::uint64_t last) {
    const std::uint64_t end = std::min(plan.units, last * block);
    plan.run(first * block, end);
    if (std::this_thread::get_id() == caller) units_here += end - first * block;
  });
  if (units_here != 0) note(spent(), units_here);
}

void run_plan(const launch_plan& plan, thread_share& threads) {
  if (plan.units <= 1 || threads.is_single()) return plan.run(plan.done, plan.units);
  const std::uint64_t few = plan.units <= small_block ? least_block(plan) : small_block;
  const std::uint64_t block = plan.grouped ? 1 : plan.units <= item_block ? few : item_block;
  if (plan.units <= block) return plan.run(plan.done, plan.units);
  run_blocks(plan, block, threads);
}

/// Limits how many launches run at the same time. A launch that needs not wait costs two atomic operations only.
class launch_places {
public:
  explicit launch_places(std::ptrdiff_t most) : m_free(most) {}
  void acquire() {
    if (m_free.fetch_sub(1, std::memory_order_acquire) <= 0) m_passed_on.acquire();
  }
  void release() {
    if (m_free.fetch_add(1, std::memory_order_release) < 0) m_passed_on.release();
  }

private:
  std::atomic<std::ptrdiff_t> m_free;  ///< negative: so many launches wait
  std::counting_semaphore<> m_passed_on{0};
};

/// Returns whether the launch ends so soon that it need not be counted.
bool ends_at_once(const launch_plan& plan) noexcept {
  return !plan.grouped && plan.units <= item_block && plan.code->bounded;
}

/// If the number of launches that may run at the same time is limited, an object of this class counts as one launch
/// while it exists. Launches of host code are not counted: host code may call exit(), which waits for the other
/// launches, and these would never begin if this launch counted.
class place_held {
public:
  place_held(std::optional<launch_places>& places, const launch_plan& plan)
      : m_places(places && plan.code && !ends_at_once(plan) ? &*places : nullptr) {
    if (m_places) m_places->acquire();
  }
  place_held(const place_held&) = delete;
  place_held& operator=(const place_held&) = delete;
  ~place_held() {
    if (m_places) m_places->release();
  }

private:
  launch_places* m_places;
};

class cpu_device final : public device_backend {
public:
  /// `most_at_once` is the number of launches that may run at the same time, or 0 for any number. A launch runs on a
  /// worker thread or on the thread that waits for it.
  cpu_device(device_facts facts, unsigned most_threads, unsigned most_at_once = 0)
      : device_backend(nullptr), m_facts(std::move(facts)), m_threads(most_threads) {
    if (most_at_once != 0) m_places.emplace(static_cast<std::ptrdiff_t>(most_at_once));
    prepare_pool();
  }

  const device_facts& facts() const override { return m_facts; }
  const code_target& target() const noexcept override { return m_target; }

  std::vector<device_backend*> parts(std::span<const std::uint32_t> compute_units) override {
    std::lock_guard lock(m_mutex);
    std::vector<device_backend*> result;
    for (const std::uint32_t units : compute_units) {
      cpu_device*& found = m_parts[units];
      if (!found) {
        device_facts facts = m_facts;
        facts.compute_units = units;
        facts.is_divisible = units > 1;
        found = new cpu_device(std::move(facts), units);
      }
      result.push_back(found);
    }
    return result;
  }

  const code_variant* bounded_code(const kernel_launch& launch) const noexcept override {
    if (launch.constants) return nullptr;
    const abi::local_range group = local_range_of(*launch.kernel, launch.local_range);
    const code_variant* code = find_variant(*launch.kernel, m_target, launch.ids(), group, launch.block);
    return code && code->bounded ? code : nullptr;
  }

  void hold(const abi::kernel_descriptor& kernel) noexcept override { hold_image(kernel); }
  void let_go(const abi::kernel_descriptor& kernel) noexcept override { let_image_go(kernel); }

  void load_all() override { start_pool(); }
  void prepare(kernel_launch& launch) override {
    if (launch.is_empty()) return;
    const image_use keep_image(*launch.kernel);
    try {
      code_of(launch);
    } catch (const sycl::exception&) {
      // The error is ignored here, because it is thrown again and reported when the launch runs.
    }
  }

  code_origin run(const kernel_launch& launch) override {
    if (environment().tiered && !launch.is_empty() && may_start_on_host(launch)) return run_tiered(launch);
    launch_plan plan = plan_of(launch);
    return plan.units == 0 ? code_origin::host_entry : run_planned(plan);
  }
  std::unique_ptr<ready_launch> make_ready(const kernel_launch& launch) override {
    return std::make_unique<planned_launch>(*this, launch);
  }

  void check_memory(const kernel_launch& launch) const override {
    launch_plan plan = geometry_of(launch);
    if (!launch.code) plan.code = code_of(launch);
    check_memory(plan);
  }

  std::unique_ptr<device_stream> make_stream(const stream_use&) override { return nullptr; }
  bool has_own_memory() const noexcept override { return false; }
  bool reaches(const device_backend&) const noexcept override { return false; }

  void* allocate(memory_kind, std::size_t bytes, std::size_t alignment) override {
    alignment = std::max<std::size_t>(alignment, 64);
    // Large allocations get huge pages. With small pages, kernels that read many arrays at the same time would have
    // many TLB misses. Very large allocations get no huge pages, because programs may use only a small part of them.
    const bool is_large = !address_sanitized && bytes >= 2 * huge_page && bytes <= facts().global_memory_bytes / 8;
    if (is_large) alignment = std::max(alignment, huge_page);
    if (bytes > SIZE_MAX - alignment) return nullptr;
    void* memory = nullptr;
    // std::aligned_alloc would need a size that is a multiple of the alignment. With posix_memalign, sanitizers know
    // the exact end of the memory.
    if (posix_memalign(&memory, alignment, bytes) != 0) return nullptr;
    // This call has no effect if huge pages are disabled in the system.
    if (alignment >= huge_page) madvise(memory, bytes / huge_page * huge_page, MADV_HUGEPAGE);
    note_allocation(memory, bytes);
    return memory;
  }

  void deallocate(void* pointer) noexcept override { free_allocation(pointer); }
  std::uint64_t free_memory() override {
    return static_cast<std::uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  }

  void copy(const abi::strided_copy& copy) override {
    copy.visit_pieces([this](char* to, const char* from, std::size_t bytes) { copy_piece(to, from, bytes); });
  }

  void fill(const memory_fill& fill) override {
    if (fill.count == 0 || fill.pattern_bytes == 0) return;
    auto* to = static_cast<char*>(fill.destination);
    const std::size_t bytes = fill.pattern_bytes * fill.count;
    if (fill.pattern_bytes == 1) {
      std::memset(to, fill.small[0], bytes);
      return;
    }
    // Each copy doubles the filled part, so that most copies are long.
    std::memcpy(to, fill.pattern(), fill.pattern_bytes);
    for (std::size_t done = fill.pattern_bytes; done < bytes;) {
      const std::size_t next = std::min(done, bytes - done);
      std::memcpy(to + done, to, next);
      done += next;
    }
  }

private:
  class planned_launch final : public ready_launch {
  public:
    planned_launch(cpu_device& device, const kernel_launch& launch) : m_device(device) { change(launch); }
    void change(const kernel_launch& to) override {
      if (m_plan && m_plan->code && takes_code_of(m_launch, to)) {
        m_launch.block = to.block, m_launch.blocks = to.blocks, m_launch.finish = to.finish;
        return;
      }
      m_launch = to;
      m_plan.emplace(m_device.plan_of(m_launch));
    }
    void run() override {
      if (m_plan->units != 0) m_device.run_planned(*m_plan);
    }
    std::uint64_t parts() const noexcept override {
      if (m_plan->grouped) return m_plan->units;
      const std::uint64_t block = m_plan->units <= small_block ? least_block(*m_plan) : small_block;
      return (m_plan->units + block - 1) / block;
    }

  private:
    /// Returns whether the two launches differ only in the values of their arguments, so that both can use the same
    /// code. The result is false for nd_range kernels, whose code may also depend on the local accessors.
    static bool takes_code_of(const kernel_launch& one, const kernel_launch& other) noexcept {
      return one.kernel == other.kernel && one.code == other.code && !one.constants && !other.constants &&
             one.kernel->shape != abi::kernel_shape::nd_range && one.local_memory_bytes == other.local_memory_bytes &&
             one.disjoint == other.disjoint && static_cast<const abi::launch_geometry&>(one) == other;
    }

    cpu_device& m_device;
    kernel_launch m_launch{};
    std::optional<launch_plan> m_plan;  ///< refers to m_launch
  };

  /// Returns the launch's plan. If the launch is not empty, its code has been looked up, and its memory has been
  /// checked.
  launch_plan plan_of(const kernel_launch& launch) const {
    launch_plan plan = geometry_of(launch);
    if (plan.units == 0) return plan;
    if (!launch.code) plan.code = code_of(launch);
    check_memory(plan);
    return plan;
  }

  /// Runs host code on this thread until the JIT's code is ready.
  code_origin run_tiered(const kernel_launch& launch) {
    tiered_start& start = tiered_start::of(launch, m_target);
    launch_plan plan = geometry_of(launch);
    plan.code = start.find_code(launch);
    if (plan.code || start.has_failed()) {
      if (!plan.code || !plan.code->entry) plan.code = code_of(launch);
      check_memory(plan);
      return run_planned(plan);
    }
    check_memory(plan);
    plan.command = sycl::detail::running_scope::current();
    using clock = std::chrono::steady_clock;
    for (std::uint64_t step = 1; plan.done < plan.units && !plan.code;) {
      const std::uint64_t next = plan.done + std::min(step, plan.units - plan.done);
      const auto begin = clock::now();
      plan.run(plan.done, next);
      const double nanoseconds = std::chrono::duration<double, std::nano>(clock::now() - begin).count();
      plan.done = next;
      start.note(launch, nanoseconds);
      if (start.has_asked()) plan.code = start.find_code(launch);
      if (plan.code && !plan.code->entry) plan.code = nullptr;
      if (nanoseconds < host_piece) step *= 2;
    }
    const code_origin origin = plan.code ? code_origin::taken_over : code_origin::host_copy;
    count_launch(launch, origin);
    if (plan.done < plan.units) {
      check_memory(plan);
      run_plan(plan, m_threads);
    }
    if (launch.finish) launch.finish(launch.block);
    return origin;
  }

  code_origin run_planned(launch_plan& plan) {
    const kernel_launch& launch = plan.launch;
    if (!plan.code) {
      note_unchecked(launch);
      plan.command = sycl::detail::running_scope::current();
    }
    const code_origin origin = plan.code ? plan.code->origin : code_origin::host_entry;
    count_launch(launch, origin);
    {
      const place_held held(m_places, plan);
      run_plan(plan, m_threads);
    }
    if (launch.finish) launch.finish(launch.block);
    return origin;
  }

  void copy_piece(char* to, const char* from, std::size_t bytes) {
    if (to == from) return;
    const bool overlap = to < from + bytes && from < to + bytes;
    if (bytes < parallel_copy_bytes || overlap) {
      std::memmove(to, from, bytes);
      return;
    }
    m_threads.share(0, bytes, parallel_copy_bytes / 4, static_cast<double>(bytes) / bytes_per_nanosecond,
                    [&](std::uint64_t first, std::uint64_t last) {
                      std::memcpy(to + first, from + first, last - first);
                    });
  }

  /// Returns the launch's plan. The plan has code only if launch.code is set.
  static launch_plan geometry_of(const kernel_launch& launch) {
    launch_plan plan{launch, launch.code};
    plan.units = 1;
    for (int d = 0; d < 3; ++d) {
      plan.state.global_range[d] = launch.global_range[d];
      plan.state.local_range[d] = launch.local_range[d];
      plan.state.group_range[d] = launch.global_range[d];
      plan.state.global_offset[d] = launch.global_offset[d];
    }
    plan.grouped = launch.is_fused() ? launch.code->grouped : launch.kernel->shape == abi::kernel_shape::nd_range;
    for (int d = 0; plan.grouped && d < 3; ++d) {
      plan.state.group_range[d] /= launch.local_range[d];
      plan.group_items *= launch.local_range[d];
    }
    for (const std::uint64_t groups : plan.state.group_range) plan.units *= groups;
    return plan;
  }

  void check_memory(const launch_plan& plan) const {
    if (!needs_memory(plan.launch, plan.code)) return;
    const std::uint64_t threads = std::min<std::uint64_t>(plan.units, m_facts.compute_units);
    check_launch_memory(plan.launch, launch_memory(plan.launch, plan.code, plan.group_items), threads, m_facts);
  }

  /// Returns the code of the launch, or null if the host entry runs.
  const code_variant* code_of(const kernel_launch& launch) const {
    if (!image_of(*launch.kernel) || environment().force_host_entry) return nullptr;
    const abi::local_range group = local_range_of(*launch.kernel, launch.local_range);
    const code_variant& code =
        acquire_code(*launch.kernel, m_target, launch.ids(), group, launch.block, launch.constants);
    return code.entry ? &code : nullptr;
  }

  const device_facts m_facts;
  const code_target& m_target = cpu_code_target();
  thread_share m_threads;
  std::optional<launch_places> m_places;  ///< limits how many launches run at the same time; unset: no limit
  std::mutex m_mutex;  // protects m_parts
  std::map<std::uint32_t, cpu_device*> m_parts;
};

} // namespace

device_backend& cpu_backend() {
  static auto* device = [] {
    if (environment().checks_accesses()) serve_access_checks(access_checks);
    return new cpu_device(read_cpu_facts(), environment().threads, environment().threads);
  }();
  return *device;
}

} // namespace sinter
