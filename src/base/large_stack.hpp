#pragma once
/// Stacks for the compiler, and for work-items that run as host code. Nobody knows how much they need, and threads of
/// users may have as little as 64 KiB: what the stack of a thread may not hold runs on another.

#include <boost/context/fiber.hpp>
#include <boost/context/stack_context.hpp>
#include <cstddef>
#include <exception>

namespace sinter {

/// For boost::context: one large stack per thread is kept. Only pages that are touched cost memory, and what lies
/// behind its end can't be touched.
class large_stack {
public:
  boost::context::stack_context allocate();
  void deallocate(boost::context::stack_context& stack) noexcept;
};

/// Whether the calling thread has room for some megabytes of private arrays.
bool has_large_stack() noexcept;

/// body() on a stack that has.
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

/// For the many work-items that wait at barriers: stacks that hold `depth` bytes of frames, and what is called from
/// there. Each thread keeps those it has used. What uses more faults, or, where a process has thousands of them, ends
/// the program with a sentence when the group is through.
class group_stack {
public:
  explicit group_stack(std::size_t depth) noexcept;
  boost::context::stack_context allocate();
  void deallocate(boost::context::stack_context& stack) noexcept;

private:
  std::size_t m_bytes;
  bool m_guarded = false;  ///< the one that was allocated
};

}  // namespace sinter
