#include "large_stack.hpp"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "per_thread.hpp"

namespace sinter {
namespace {

constexpr std::size_t guard_bytes = 4096;
// Where memory is limited, less will do.
constexpr std::size_t large_sizes[] = {std::size_t{64} << 20, std::size_t{8} << 20, std::size_t{1} << 20,
                                       std::size_t{256} << 10};
constexpr std::size_t room_wanted = std::size_t{3} << 20;
// Of the stacks of groups: many at a time.
constexpr std::size_t least_of_group = std::size_t{256} << 10, called_from_there = std::size_t{128} << 10;

struct mapping {
  void* base = nullptr;
  std::size_t bytes = 0;
};

/// The one that the thread does not use just now.
struct spare_stack {
  ~spare_stack() {
    if (kept.base) munmap(kept.base, kept.bytes);
  }
  mapping kept;
};
mapping& spare() { return per_thread<spare_stack>().kept; }

/// Those of groups, of one size.
struct spare_stacks {
  ~spare_stacks() { clear(); }
  void clear() noexcept {
    for (void* each : kept) munmap(each, bytes);
    kept.clear();
    taken = 0;
  }
  /// Larger ones serve as well. None is in use when the first of a group is taken.
  void fit(std::size_t wanted) noexcept {
    if (wanted <= bytes) return;
    clear();
    bytes = wanted;
  }
  void* take() {
    if (kept.empty()) {
      kept.reserve(++taken);
      return nullptr;
    }
    void* result = kept.back();
    kept.pop_back();
    return result;
  }

  std::size_t bytes = 0;
  std::size_t taken = 0;  ///< so many there may be
  std::vector<void*> kept;
};
spare_stacks& group_stacks() { return per_thread<spare_stacks>(); }

/// Null: there is no memory.
void* map(std::size_t bytes) noexcept {
  void* memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

boost::context::stack_context stack_of(const mapping& memory) {
  boost::context::stack_context stack;
  stack.size = memory.bytes;
  stack.sp = static_cast<char*>(memory.base) + memory.bytes;
  return stack;
}

/// Ends of the calling thread's own stack.
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
  // Coroutines of the program have stacks of their own, of unknown size.
  return here >= own.low && here < own.high && here - own.low >= room_wanted;
}

group_stack::group_stack(std::size_t depth) noexcept
    : m_bytes((std::max(least_of_group, 2 * depth + called_from_there) + 4095) / 4096 * 4096) {}

boost::context::stack_context group_stack::allocate() {
  group_stacks().fit(m_bytes);
  mapping found{group_stacks().take(), group_stacks().bytes};
  // Without pages behind their ends that can't be touched: a process may have some ten thousand of those.
  if (!found.base) found.base = map(found.bytes);
  if (!found.base) throw std::bad_alloc();
  return stack_of(found);
}

void group_stack::deallocate(boost::context::stack_context& stack) noexcept {
  if (stack.size != group_stacks().bytes) return void(munmap(static_cast<char*>(stack.sp) - stack.size, stack.size));
  // Room for it was made when it was taken.
  group_stacks().kept.push_back(static_cast<char*>(stack.sp) - stack.size);
}

}  // namespace sinter
