#include "host_work_item.hpp"

#include <abi/device_abi.hpp>
#include <abi/work_items.hpp>
#include <algorithm>
#include <atomic>
#include <backends/work_item_failure.hpp>
#include <boost/context/fiber.hpp>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <exception>
#include <forward_list>
#include <images/compile_options.hpp>
#include <images/kernel_name.hpp>
#include <images/kernel_view.hpp>
#include <memory>
#include <new>
#include <string>
#include <base/large_stack.hpp>
#include <base/panic.hpp>
#include <base/per_thread.hpp>
#include <vector>

#include <sycl/exception.hpp>

namespace sinter {
namespace {

namespace context = boost::context;

/// Whether the kernel's host code may write `mutable` members of its function object, so that each work-item needs a
/// copy. Host copies of kernels have no code that writes such members: the capture plugin has checked this.
bool needs_own_blocks(const abi::kernel_descriptor& kernel) noexcept {
  return (kernel_view(kernel).flags() & abi::kernel_host_copy) == 0;
}

/// Runs the kernel for the current work-item. If the function were inlined, its stack memory would last until the end
/// of the caller's loop. The array has a fixed size, because with an array of variable size the address sanitizer would
/// report errors on a stack that another work-item has used before.
[[gnu::noinline]] void run_host(const abi::kernel_descriptor& kernel, const void* block, bool needs_own) {
  if (!needs_own) return kernel.host(block);
  alignas(64) std::byte few[512];
  std::vector<std::byte> many;
  void* own = few;
  if (kernel.block_size > sizeof few || kernel.block_alignment > 64) {
    many.resize(kernel.block_size + kernel.block_alignment);
    own = many.data();
    std::size_t room = many.size();
    std::align(kernel.block_alignment, kernel.block_size, own, room);
  }
  kernel.host(std::memcpy(own, block, kernel.block_size));
}

class fiber_group;

/// The work-item this thread is running.
struct work_item {
  const abi::nd_state* state = nullptr;
  std::uint64_t local[3] = {};
  std::uint64_t group[3] = {};
  std::uint64_t global[3] = {};
  fiber_group* owner = nullptr;     ///< the work-item's group; null in range kernels
  fiber_group* fibers = nullptr;    ///< the work-item's group; null if the work-item can't wait at barriers
  bool* skipped_barrier = nullptr;  ///< set by a barrier that the group's first work-item did not reach
};

thread_local work_item current;

void split(std::uint64_t linear, const std::uint64_t (&extent)[3], std::uint64_t (&result)[3]) {
  result[2] = linear % extent[2];
  result[1] = linear / extent[2] % extent[1];
  result[0] = linear / extent[2] / extent[1];
}

std::uint64_t group_size(const abi::nd_state& state) { return abi::work_items(state.local_range); }

/// Makes work-item `index` of group `group` the current work-item of this thread.
void enter_item(const abi::nd_state& state, const std::uint64_t (&group)[3], std::uint64_t index) {
  current.state = &state;
  split(index, state.local_range, current.local);
  for (int d = 0; d < 3; ++d) {
    current.group[d] = group[d];
    current.global[d] = state.global_offset[d] + group[d] * state.local_range[d] + current.local[d];
  }
}

/// The work-items of one group, each on its own stack (fiber). At a barrier, all work-items of the group, or of the
/// sub-group, arrive before any of them continues.
class fiber_group {
public:
  fiber_group(const abi::kernel_descriptor& kernel, const void* block)
      : m_kernel(kernel), m_block(block), m_needs_own(needs_own_blocks(kernel)),
        m_sub_group_size(sub_group_size_of(kernel)) {}

  void run(const abi::nd_state& state, const std::uint64_t (&group)[3]) {
    const std::uint64_t count = group_size(state);
    // The first work-item shows whether the kernel has barriers. If the kernel has no barriers, like most kernels, the
    // other work-items run on the same stack.
    m_items.clear();
    m_error = nullptr;
    m_skipped = false;
    m_items.emplace_back();
    m_items[0].self = context::fiber(std::allocator_arg, large_stack(), [&](context::fiber&& caller) {
      m_base = static_cast<const char*>(__builtin_frame_address(0));
      caller = run_item(0, std::move(caller));
      if (!m_waited) run_others(state, group, count);
      return std::move(caller);
    });
    m_waited = false;
    resume(state, group, 0);
    if (m_waited) run_phases(state, group, count);
    current.fibers = nullptr;
    if (m_error) std::rethrow_exception(m_error);
    if (m_skipped) {
      sycl::detail::throw_error(sycl::errc::kernel,
                            "kernel '" + kernel_display_name(m_kernel) +
                                "' on the CPU device (host code): a work-item skips a group_barrier that others of its "
                                "work-group wait at; barriers must be reached by all work-items or none");
    }
  }

  /// Called on a work-item's fiber: switches to the loop that runs the group, and returns when the barrier is complete.
  void wait(bool within_sub_group) {
    if (!m_waited) {
      m_waited = true;
      m_depth = static_cast<std::size_t>(m_base - static_cast<const char*>(__builtin_frame_address(0)));
    }
    m_items[m_running].within_sub_group = within_sub_group;
    // resume() runs other work-items, which may make m_items move in memory. This is safe, because C++ evaluates the
    // left side of the assignment, which looks up the element, after the right side.
    m_items[m_running].caller = std::move(m_items[m_running].caller).resume();
  }

  std::uint32_t sub_group_size() const { return m_sub_group_size; }

  /// Returns the `value` of work-item `source` of the sub-group. Exchanges use two mailboxes alternately, so that the
  /// next exchange does not overwrite a value that another work-item still has to read.
  std::uint64_t exchange(std::uint64_t value, std::uint32_t mine, std::uint32_t source) {
    const std::uint64_t self = m_running;
    const bool turn = m_items[self].turn;
    m_items[self].turn = !turn;
    m_items[self].mail[turn] = value;
    wait(true);
    return m_items[self - mine + source].mail[turn];
  }

  /// Returns the group's scratch memory. If a work-item needs more memory, new memory is allocated, and the old memory
  /// is kept, because other work-items may still read it.
  void* scratch(std::size_t bytes) {
    const std::size_t whole = bytes * (group_size(*current.state) + 1);
    if (m_scratch.empty() || m_scratch.front().bytes < whole) {
      void* data = std::aligned_alloc(scratch_alignment, (whole + scratch_alignment - 1) / scratch_alignment *
                                                             scratch_alignment);
      if (!data) panic("no memory for a group's scratch");
      m_scratch.emplace_front(data, whole);
    }
    return m_scratch.front().data.get();
  }

  /// Returns the memory of a group's variable. All groups use the same memory for the same key, one after the other.
  void* variable(const void* key, std::size_t bytes) {
    for (const group_variable& each : m_variables) {
      if (each.key == key) return each.memory.data.get();
    }
    // The key must be a static object. If it were on a work-item's stack, each work-item would get its own variable.
    if (Dl_info file; dladdr(key, &file) == 0) {
      const std::string kernel = kernel_display_name(m_kernel);
      panic(("kernel '" + kernel +
             "' (host code) uses a work_group_static in a block without the word `static`; put it there, or compile "
             "with the plugin").c_str());
    }
    constexpr std::size_t unit = scratch_alignment;
    void* data = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    if (!data) panic("no memory for a variable of a group");
    m_variables.push_front({key, {data, bytes}});
    return data;
  }

private:
  static constexpr std::size_t scratch_alignment = 4096;
  struct scratch_block {
    scratch_block(void* memory, std::size_t size) : data(memory, &std::free), bytes(size) {}
    std::unique_ptr<void, void (*)(void*)> data;
    std::size_t bytes;
  };

  struct group_variable {
    const void* key;
    scratch_block memory;
  };

  struct item {
    context::fiber self;    ///< where the work-item continues
    context::fiber caller;  ///< the loop that runs the group
    bool done = false;
    bool within_sub_group = false;  ///< the work-item waits at a barrier of its sub-group
    bool turn = false;
    std::uint64_t mail[2] = {};
  };

  static std::uint32_t sub_group_size_of(const abi::kernel_descriptor& kernel) {
    const std::uint32_t required = kernel_view(kernel).required_sub_group_size();
    return required != 0 ? required : usual_sub_group_size();
  }

  /// Runs all work-items of the group but the first work-item. Only for kernels without barriers.
  void run_others(const abi::nd_state& state, const std::uint64_t (&group)[3], std::uint64_t count) {
    current.fibers = nullptr;
    current.skipped_barrier = &m_skipped;
    try {
      for (std::uint64_t i = 1; i < count && !m_error; ++i) {
        enter_item(state, group, i);
        run_host(m_kernel, m_block, m_needs_own);
      }
    } catch (...) {
      m_error = std::current_exception();
    }
    current.skipped_barrier = nullptr;
  }

  /// Runs a work-item on a fiber, from its beginning to its end. Returns the fiber that continues next.
  context::fiber run_item(std::uint64_t index, context::fiber&& caller) {
    m_items[index].caller = std::move(caller);
    try {
      run_host(m_kernel, m_block, m_needs_own);
    } catch (...) {
      if (!m_error) m_error = std::current_exception();
    }
    m_items[index].done = true;
    return std::move(m_items[index].caller);
  }

  /// Makes stacks for all work-items of the group, before the first of these work-items continues.
  void make_stacks(std::uint64_t count) {
    m_items.resize(count);
    try {
      for (std::uint64_t i = 1; i < count; ++i) {
        m_items[i].self = context::fiber(std::allocator_arg, group_stack(m_depth), [this, i](context::fiber&& caller) {
          return run_item(i, std::move(caller));
        });
      }
    } catch (const std::bad_alloc&) {
      // The first work-item waits in the middle of the kernel, where its stack can't be unwound. So its fiber is never
      // destroyed.
      static_cast<void>(new context::fiber(std::move(m_items[0].self)));
      current.fibers = nullptr;
      sycl::detail::throw_error(sycl::errc::memory_allocation,
                            "kernel '" + kernel_display_name(m_kernel) +
                                "' on the CPU device (host code): no memory for the stacks of " +
                                std::to_string(count) + " work-items that wait at a barrier, more than " +
                                std::to_string(m_depth) + " bytes each; make private arrays or work-groups smaller");
    }
  }

  void run_phases(const abi::nd_state& state, const std::uint64_t (&group)[3], std::uint64_t count) {
    // The first work-item waits at a barrier already. In the first phase, the other work-items run until they wait,
    // too.
    make_stacks(count);
    bool started = false;
    for (;;) {
      for (std::uint64_t first = 0, next; first < count; first = next) {
        next = std::min(first + m_sub_group_size, count);
        if (started || first != 0) resume_all(state, group, first, next);
        if (!started && first == 0) resume_all(state, group, 1, next);
        while (stops_within(first, next)) resume_all(state, group, first, next);
      }
      started = true;
      std::uint64_t waiting = 0;
      for (const item& each : m_items) waiting += !each.done;
      if (waiting == 0) return;
      // If only some work-items wait, the kernel is wrong, which is reported at the end. The waiting work-items
      // continue nevertheless, so that all stacks are unwound.
      if (waiting != count) m_skipped = true;
    }
  }

  void resume_all(const abi::nd_state& state, const std::uint64_t (&group)[3], std::uint64_t first,
                  std::uint64_t last) {
    for (std::uint64_t i = first; i < last; ++i) {
      if (!m_items[i].done) resume(state, group, i);
    }
  }

  /// Returns whether work-items of this sub-group wait at a barrier of the sub-group. Other work-items of the sub-group
  /// may wait at a barrier of the whole group, which is a mistake in the kernel. Such work-items continue as well, and
  /// the mistake is reported.
  bool stops_within(std::uint64_t first, std::uint64_t last) {
    std::uint64_t within = 0;
    for (std::uint64_t i = first; i < last; ++i) within += !m_items[i].done && m_items[i].within_sub_group;
    if (within != 0 && within != last - first) m_skipped = true;
    return within != 0;
  }

  void resume(const abi::nd_state& state, const std::uint64_t (&group)[3], std::uint64_t index) {
    enter_item(state, group, index);
    current.fibers = this;
    m_running = index;
    item& self = m_items[index];
    self.self = std::move(self.self).resume();
  }

  const abi::kernel_descriptor& m_kernel;
  const void* m_block;
  bool m_needs_own;  ///< whether each work-item gets a copy of the block
  std::uint32_t m_sub_group_size;
  std::vector<item> m_items;
  const char* m_base = nullptr;  ///< beginning of the first work-item's stack
  std::size_t m_depth = 0;       ///< bytes of this stack that were in use when the first work-item first waited
  bool m_waited = false;
  std::uint64_t m_running = 0;
  std::exception_ptr m_error;
  std::forward_list<scratch_block> m_scratch;  ///< scratch memory that all groups use, the largest block first
  std::forward_list<group_variable> m_variables;
  bool m_skipped = false;
};

} // namespace

void run_host_items(const abi::kernel_descriptor& kernel, const void* block, const abi::nd_state& state,
                    std::uint64_t first, std::uint64_t last) {
  current = work_item{};
  current.state = &state;
  const bool needs_own = needs_own_blocks(kernel);
  on_large_stack([&] {
    std::uint64_t position[3];
    for (std::uint64_t i = first; i < last; ++i) {
      split(i, state.global_range, position);
      for (int d = 0; d < 3; ++d) current.global[d] = state.global_offset[d] + position[d];
      run_host(kernel, block, needs_own);
    }
  });
  current = work_item{};
}

void run_host_groups(const abi::kernel_descriptor& kernel, const void* block, const abi::nd_state& state,
                     std::uint64_t first, std::uint64_t last) {
  fiber_group runner(kernel, block);
  current = work_item{};
  current.owner = &runner;
  std::uint64_t group[3];
  for (std::uint64_t i = first; i < last; ++i) {
    split(i, state.group_range, group);
    runner.run(state, group);
  }
  current = work_item{};
}

} // namespace sinter

// ---------------------------------------------------------------------------------------------------- device ABI

#define SINTER_DEVICE_EXPORT extern "C" __attribute__((visibility("default")))

namespace sinter {
namespace {

/// Returns the work-item that the calling host code runs. Code from the JIT does not call this function itself, but it
/// may call host functions of other files that call this function. In this case, the work-item is unknown, and this
/// function ends the program.
const work_item& running() noexcept {
  if (!current.state) {
    __sinter_trap(
        "a function of another file, called from a kernel, asks for its work-item's position, local memory or "
        "a barrier; declare it SYCL_EXTERNAL where it is defined and where it is used, and compile both files with the "
        "capture plugin, or define it in a header (docs/conformance.md)");
  }
  return current;
}

/// Returns whether the launch has only one work-group.
bool is_alone(const abi::nd_state& state) noexcept {
  for (int d = 0; d < 3; ++d) {
    if (state.global_range[d] > state.local_range[d]) return false;
  }
  return true;
}

std::uint64_t linear_local_id() noexcept {
  const work_item& item = running();
  const std::uint64_t (&range)[3] = item.state->local_range;
  return (item.local[0] * range[1] + item.local[1]) * range[2] + item.local[2];
}

} // namespace
} // namespace sinter

SINTER_DEVICE_EXPORT bool __sinter_on_device() noexcept { return false; }
SINTER_DEVICE_EXPORT std::size_t __sinter_global_id(std::uint32_t dim) noexcept {
  return sinter::running().global[dim];
}
SINTER_DEVICE_EXPORT std::size_t __sinter_local_id(std::uint32_t dim) noexcept { return sinter::running().local[dim]; }
SINTER_DEVICE_EXPORT std::size_t __sinter_group_id(std::uint32_t dim) noexcept { return sinter::running().group[dim]; }
SINTER_DEVICE_EXPORT std::size_t __sinter_global_range(std::uint32_t dim) noexcept {
  return sinter::running().state->global_range[dim];
}
SINTER_DEVICE_EXPORT std::size_t __sinter_local_range(std::uint32_t dim) noexcept {
  return sinter::running().state->local_range[dim];
}
SINTER_DEVICE_EXPORT std::size_t __sinter_group_range(std::uint32_t dim) noexcept {
  return sinter::running().state->group_range[dim];
}
SINTER_DEVICE_EXPORT std::size_t __sinter_global_offset(std::uint32_t dim) noexcept {
  return sinter::running().state->global_offset[dim];
}
SINTER_DEVICE_EXPORT std::size_t __sinter_element_id(std::size_t coordinate, std::uint32_t) noexcept {
  return coordinate;
}
SINTER_DEVICE_EXPORT bool __sinter_has_turn(std::size_t turn) noexcept { return turn == 0; }
SINTER_DEVICE_EXPORT std::size_t __sinter_turn_group_id(std::size_t group_id, std::size_t, std::uint32_t) noexcept {
  return group_id;
}
SINTER_DEVICE_EXPORT std::size_t __sinter_turn_global_id(std::size_t global_id, std::size_t, std::uint32_t) noexcept {
  return global_id;
}
SINTER_DEVICE_EXPORT std::size_t __sinter_groups_of_turns(std::size_t groups) noexcept { return groups; }
SINTER_DEVICE_EXPORT void __sinter_element_begin(std::size_t, std::size_t, std::size_t, std::size_t, std::size_t,
                                                 std::size_t) noexcept {}
SINTER_DEVICE_EXPORT void __sinter_element_end(std::size_t, std::size_t, std::size_t, std::size_t, std::size_t,
                                               std::size_t) noexcept {}
SINTER_DEVICE_EXPORT void* __sinter_local_base() noexcept { return sinter::running().state->local_memory; }

SINTER_DEVICE_EXPORT void* __sinter_group_scratch(std::uint32_t bytes) noexcept {
  if (!sinter::current.owner) sinter::panic("a kernel without groups asks for their scratch memory");
  return sinter::current.owner->scratch(bytes);
}

SINTER_DEVICE_EXPORT void* __sinter_group_variable(const void* key, std::uint32_t bytes, std::uint32_t) noexcept {
  if (!sinter::current.owner) sinter::panic("a kernel without groups asks for a variable of its group");
  return sinter::current.owner->variable(key, bytes);
}

SINTER_DEVICE_EXPORT void __sinter_barrier(std::uint32_t execution, std::uint32_t) noexcept {
  std::atomic_thread_fence(std::memory_order_acq_rel);
  sinter::running();
  const bool within_sub_group = execution < static_cast<std::uint32_t>(sinter::abi::scope::work_group);
  const bool of_all = execution > static_cast<std::uint32_t>(sinter::abi::scope::work_group);
  if (of_all && !sinter::is_alone(*sinter::current.state)) {
    sinter::panic("all work-groups of a kernel meet at a barrier (root_group), and host code runs them one by one; "
                  "launch one work-group, or compile the kernel for devices");
  }
  if (sinter::current.fibers) return sinter::current.fibers->wait(within_sub_group);
  // The group's first work-item did not reach this barrier. The group reports the mistake at its end.
  if (sinter::current.skipped_barrier) *sinter::current.skipped_barrier = true;
}

/// A work-item without a group is a sub-group of its own, like in compiled code.
SINTER_DEVICE_EXPORT std::uint32_t __sinter_sub_group_size() noexcept {
  return sinter::running().owner ? sinter::current.owner->sub_group_size() : 1;
}
SINTER_DEVICE_EXPORT std::uint32_t __sinter_sub_group_local_id() noexcept {
  return static_cast<std::uint32_t>(sinter::linear_local_id() % __sinter_sub_group_size());
}
SINTER_DEVICE_EXPORT std::uint32_t __sinter_sub_group_local_range() noexcept {
  if (!sinter::running().owner) return 1;
  const std::uint64_t first = sinter::linear_local_id() - __sinter_sub_group_local_id();
  const std::uint64_t left = sinter::group_size(*sinter::current.state) - first;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(left, __sinter_sub_group_size()));
}

namespace sinter {
namespace {

std::uint64_t exchange(std::uint64_t value, std::uint32_t source) {
  const std::uint32_t mine = __sinter_sub_group_local_id();
  source %= __sinter_sub_group_size();
  if (source >= __sinter_sub_group_local_range()) source = mine;
  if (current.fibers) return current.fibers->exchange(value, mine, source);
  // The group's first work-item did not reach this exchange. The group reports the mistake at its end.
  if (current.skipped_barrier) *current.skipped_barrier = true;
  return value;
}

} // namespace
} // namespace sinter

SINTER_DEVICE_EXPORT std::uint8_t __sinter_sub_group_shuffle_8(std::uint8_t value, std::uint32_t source) noexcept {
  return static_cast<std::uint8_t>(sinter::exchange(value, source));
}
SINTER_DEVICE_EXPORT std::uint16_t __sinter_sub_group_shuffle_16(std::uint16_t value, std::uint32_t source) noexcept {
  return static_cast<std::uint16_t>(sinter::exchange(value, source));
}
SINTER_DEVICE_EXPORT std::uint32_t __sinter_sub_group_shuffle_32(std::uint32_t value, std::uint32_t source) noexcept {
  return static_cast<std::uint32_t>(sinter::exchange(value, source));
}
SINTER_DEVICE_EXPORT std::uint64_t __sinter_sub_group_shuffle_64(std::uint64_t value, std::uint32_t source) noexcept {
  return sinter::exchange(value, source);
}
SINTER_DEVICE_EXPORT std::uint64_t __sinter_sub_group_ballot(bool condition) noexcept {
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < __sinter_sub_group_local_range(); ++i) {
    all |= sinter::exchange(condition, i) << i;
  }
  return all;
}

SINTER_DEVICE_EXPORT void __sinter_fence(std::uint32_t order, std::uint32_t) noexcept {
  if (order != static_cast<std::uint32_t>(sinter::abi::order::relaxed))
    std::atomic_thread_fence(std::memory_order_seq_cst);
}

SINTER_DEVICE_EXPORT const void* __sinter_specialization_constant(const void* table, std::uint64_t key,
                                                                  const void* initial) noexcept {
  if (const auto* values = static_cast<const sinter::abi::specialization_table*>(table)) {
    for (std::uint32_t i = 0; i < values->count; ++i) {
      if (values->entries[i].key == key) return values->entries[i].value;
    }
  }
  return initial;
}

SINTER_DEVICE_EXPORT void __sinter_trap(const char* message) noexcept {
  std::fprintf(stderr, "sinter: %s; the program ends\n", message);
  std::abort();
}

SINTER_DEVICE_EXPORT void __sinter_assert_fail(const char* expression, const char* file, unsigned line,
                                               const char* function, std::uint64_t global_id0,
                                               std::uint64_t global_id1, std::uint64_t global_id2,
                                               std::uint64_t local_id0, std::uint64_t local_id1,
                                               std::uint64_t local_id2) noexcept {
  const std::uint64_t ids[6] = {global_id0, global_id1, global_id2, local_id0, local_id1, local_id2};
  std::fprintf(stderr, "%s\n", sinter::assertion_text(expression, file, line, function, ids).c_str());
  std::abort();
}

#if defined(__GLIBC__)
/// assert() in host code calls this function. If the assertion is in a kernel that runs as host code, the message names
/// the work-item, too.
SINTER_DEVICE_EXPORT void __assert_fail(const char* expression, const char* file, unsigned line,
                                        const char* function) noexcept {
  const sinter::work_item& item = sinter::current;
  if (item.state) {
    __sinter_assert_fail(expression, file, line, function, item.global[0], item.global[1], item.global[2],
                         item.local[0], item.local[1], item.local[2]);
  }
  using fail_function = void (*)(const char*, const char*, unsigned, const char*);
  if (void* next = dlsym(RTLD_NEXT, "__assert_fail")) {
    reinterpret_cast<fail_function>(next)(expression, file, line, function);
  }
  std::fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function ? function : "", expression);
  std::abort();
}
#endif
