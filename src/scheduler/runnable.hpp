#pragma once
/// Work that worker threads take from the pool: a ready command, or an in-order queue with work.

#include <sycl/detail/shared.hpp>

namespace sycl::inline _V1::detail {

class runnable : public counted {
public:
  /// Does the work, if no other thread has done it.
  virtual void run_ready() = 0;
  /// Whether the object has no work left. The pool then drops the object.
  virtual bool is_stale() const noexcept = 0;
};

}  // namespace sycl::detail
