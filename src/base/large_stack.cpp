#include "large_stack.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <abi/device_abi.hpp>
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "per_thread.hpp"

namespace sinter {
namespace {

constexpr std::size_t guard_bytes = 4096;
// Smaller sizes are tried if memory is limited.
constexpr std::size_t large_sizes[] = {std::size_t{64} << 20, std::size_t{8} << 20, std::size_t{1} << 20,
                                       std::size_t{256} << 10};
constexpr std::size_t room_wanted = std::size_t{3} << 20;
// The work-items of a work-group need many stacks at the same time. The first number is the smallest size of these
// stacks. The second number is the space for functions that a work-item calls at its deepest barrier.
constexpr std::size_t least_of_group = std::size_t{256} << 10, called_from_there = std::size_t{128} << 10;
// A guard lies behind the end of a stack. The guard can't be accessed, and is so large that even a large array at the
// end of the stack does not reach beyond the guard. A guard costs no memory, but it is a separate mapping, and a
// process may have only some sixty thousand mappings. So only the first `most_guarded` stacks have a guard.
constexpr std::size_t group_guard_bytes = std::size_t{1} << 20;
constexpr std::size_t most_guarded = 8192;
// On stacks without a guard, this many bytes at the end are checked. If one of these bytes is not zero, the work-item
// has used the whole stack.
constexpr std::size_t looked_at = 1024;

std::atomic<std::size_t> guarded_stacks;

struct mapping {
  void* base = nullptr;
  std::size_t bytes = 0;
};

/// The thread's large stack while the thread does not use it.
struct spare_stack {
  ~spare_stack() {
    if (kept.base) munmap(kept.base, kept.bytes);
  }
  mapping kept;
};
mapping& spare() { return per_thread<spare_stack>().kept; }

struct group_mapping {
  void* base = nullptr;  ///< where the stack begins, behind its guard
  bool guarded = false;

  void unmap(std::size_t bytes) const noexcept {
    const std::size_t guard = guarded ? group_guard_bytes : 0;
    munmap(static_cast<char*>(base) - guard, bytes + guard);
    if (guarded) guarded_stacks.fetch_sub(1, std::memory_order_relaxed);
  }
};

/// The spare stacks of work-groups. All these stacks have the same size.
struct spare_stacks {
  ~spare_stacks() { clear(); }
  void clear() noexcept {
    for (const group_mapping& each : kept) each.unmap(bytes);
    kept.clear();
    taken = 0;
  }
  /// Raises the size of all stacks to `wanted`, if they are smaller. This is done before a group takes its first stack,
  /// when no stack is in use.
  void fit(std::size_t wanted) noexcept {
    if (wanted <= bytes) return;
    clear();
    bytes = wanted;
  }
  group_mapping take() {
    if (kept.empty()) {
      kept.reserve(++taken);
      return {};
    }
    const group_mapping result = kept.back();
    kept.pop_back();
    return result;
  }

  std::size_t bytes = 0;
  std::size_t taken = 0;  ///< number of stacks that exist; `kept` has capacity for all of them
  std::vector<group_mapping> kept;
};
spare_stacks& group_stacks() { return per_thread<spare_stacks>(); }

/// Returns null if there is no memory.
void* map(std::size_t bytes) noexcept {
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

/// The result's base is null if there is no memory.
group_mapping map_group_stack(std::size_t bytes) noexcept {
  if (guarded_stacks.fetch_add(1, std::memory_order_relaxed) < most_guarded) {
    if (char* memory = static_cast<char*>(map(group_guard_bytes + bytes))) {
      if (mprotect(memory, group_guard_bytes, PROT_NONE) == 0) return {memory + group_guard_bytes, true};
      munmap(memory, group_guard_bytes + bytes);
    }
  }
  guarded_stacks.fetch_sub(1, std::memory_order_relaxed);
  return {map(bytes), false};
}

bool was_touched(const void* base) noexcept {
  const auto* bytes = static_cast<const unsigned char*>(base);
  return std::any_of(bytes, bytes + looked_at, [](unsigned char each) { return each != 0; });
}

boost::context::stack_context stack_of(const mapping& memory) {
  boost::context::stack_context stack;
  stack.size = memory.bytes;
  stack.sp = static_cast<char*>(memory.base) + memory.bytes;
  return stack;
}

/// The two ends of the calling thread's own stack.
struct stack_bounds {
  stack_bounds() noexcept {
    pthread_attr_t attributes;
    void* base = nullptr;
    std::size_t bytes = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
    if (pthread_attr_getstack(&attributes, &base, &bytes) == 0) {
      low = reinterpret_cast<std::uintptr_t>(base);
      high = low + bytes;
    }
    pthread_attr_destroy(&attributes);
  }
  std::uintptr_t low = 0, high = 0;
};

}  // namespace

boost::context::stack_context large_stack::allocate() {
  mapping found = std::exchange(spare(), mapping());
  for (std::size_t bytes : large_sizes) {
    if (found.base) break;
    void* memory = map(bytes);
    if (!memory) continue;
    mprotect(memory, guard_bytes, PROT_NONE);
    found = {memory, bytes};
  }
  if (!found.base) throw std::bad_alloc();
  return stack_of(found);
}

void large_stack::deallocate(boost::context::stack_context& stack) noexcept {
  const mapping mine{static_cast<char*>(stack.sp) - stack.size, stack.size};
  if (!spare().base) {
    spare() = mine;
  } else {
    munmap(mine.base, mine.bytes);
  }
}

bool has_large_stack() noexcept {
  static thread_local const stack_bounds own;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // If `here` is outside of the thread's own stack, a coroutine of the program is running on a stack of unknown size.
  return here >= own.low && here < own.high && here - own.low >= room_wanted;
}

group_stack::group_stack(std::size_t depth) noexcept
    : m_bytes((std::max(least_of_group, 2 * depth + called_from_there) + 4095) / 4096 * 4096) {}

boost::context::stack_context group_stack::allocate() {
  group_stacks().fit(m_bytes);
  group_mapping found = group_stacks().take();
  if (!found.base) found = map_group_stack(group_stacks().bytes);
  if (!found.base) throw std::bad_alloc();
  m_guarded = found.guarded;
  return stack_of({found.base, group_stacks().bytes});
}

void group_stack::deallocate(boost::context::stack_context& stack) noexcept {
  const group_mapping mine{static_cast<char*>(stack.sp) - stack.size, m_guarded};
  if (!mine.guarded && was_touched(mine.base)) {
    __sinter_trap(
        "a work-item that waits at barriers in host code has used more stack than there is, and written into that of "
        "another: make its private arrays smaller, or keep them in local memory or USM");
  }
  if (stack.size != group_stacks().bytes) return mine.unmap(stack.size);
  // This can't fail: the list got room for the stack when the stack was taken.
  group_stacks().kept.push_back(mine);
}

}  // namespace sinter
