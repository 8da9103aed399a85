#pragma once
/// Stacks for the compiler, and for work-items that run as host code. It is unknown how much stack such code needs, and
/// the user's threads may have as little as 64 KiB. So such code runs on a stack of its own if the thread's stack may
/// be too small.

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <exception>

namespace sinter {

/// An allocator for boost::context that keeps one large stack per thread. Only the used pages of the stack cost memory,
/// and memory beyond the stack's end can't be accessed.
class large_stack {
public:
  boost::context::stack_context allocate();
  void deallocate(boost::context::stack_context& stack) noexcept;
};

/// Whether the calling thread has room for some megabytes of private arrays.
bool has_large_stack() noexcept;

/// Calls body() on a stack that is large enough.
template <class Body>
void on_large_stack(const Body& body) {
  if (has_large_stack()) return body();
  std::exception_ptr error;
  boost::context::fiber fiber(std::allocator_arg, large_stack(), [&](boost::context::fiber&& caller) {
    try {
      body();
    } catch (...) {
      error = std::current_exception();
    }
    return std::move(caller);
  });
  fiber = std::move(fiber).resume();
  if (error) std::rethrow_exception(error);
}

/// Stacks for the many work-items that wait at barriers. `depth` is the number of bytes of stack that the first
/// work-item had in use when it first waited. Each stack has room for twice as many bytes, and for functions that a
/// work-item calls at that depth. Each thread keeps the stacks that it has used. If a work-item uses more than its
/// whole stack, it runs into the guard. If a process has thousands of stacks, the later stacks have no guard. If a
/// work-item overruns such a stack, the program ends with a message after the group has run.
class group_stack {
public:
  explicit group_stack(std::size_t depth) noexcept;
  boost::context::stack_context allocate();
  void deallocate(boost::context::stack_context& stack) noexcept;

private:
  std::size_t m_bytes;
  bool m_guarded = false;  ///< whether the allocated stack has a guard
};

}  // namespace sinter
