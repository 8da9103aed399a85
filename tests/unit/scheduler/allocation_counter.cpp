#include "allocation_counter.hpp"

#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "../sanitized.hpp"

namespace {

std::atomic<std::size_t> calls{0}, live{0};
constinit thread_local std::size_t own_calls = 0;

}  // namespace

namespace test {

bool counts_allocations() noexcept {
#ifdef SINTER_TEST_SANITIZED
  return false;
#else
  return true;
#endif
}
std::size_t allocations() noexcept { return calls.load(); }
std::size_t own_allocations() noexcept { return own_calls; }
std::size_t live_bytes() noexcept { return live.load(); }

}  // namespace test

#ifndef SINTER_TEST_SANITIZED

// libsinter.so calls these operators, too, because the program's definitions take precedence over libstdc++'s.
#define SINTER_TEST_REPLACES __attribute__((visibility("default")))

SINTER_TEST_REPLACES void* operator new(std::size_t bytes) {
  void* memory = std::malloc(bytes);
  if (!memory) throw std::bad_alloc();
  calls.fetch_add(1);
  ++own_calls;
  live.fetch_add(malloc_usable_size(memory));
  return memory;
}
SINTER_TEST_REPLACES void* operator new(std::size_t bytes, std::align_val_t alignment) {
  const auto unit = static_cast<std::size_t>(alignment);
  void* memory = std::aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
  if (!memory) throw std::bad_alloc();
  calls.fetch_add(1);
  ++own_calls;
  live.fetch_add(malloc_usable_size(memory));
  return memory;
}
SINTER_TEST_REPLACES void operator delete(void* memory) noexcept {
  if (memory) live.fetch_sub(malloc_usable_size(memory));
  std::free(memory);
}
SINTER_TEST_REPLACES void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
SINTER_TEST_REPLACES void operator delete(void* memory, std::align_val_t) noexcept { operator delete(memory); }
SINTER_TEST_REPLACES void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  operator delete(memory);
}

#endif
