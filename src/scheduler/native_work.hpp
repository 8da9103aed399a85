#pragma once
/// Work that a program gives to the driver itself: a native command.

#include <sycl/detail/shared.hpp>

namespace sycl::inline _V1::detail {

/// Calls the program's function once: when the work is handed over to a stream, or in graphs when they are finalized.
struct native_work : counted {
  /// `graph`: a graph of the driver's that gets the work instead of the stream; or null.
  virtual void give_to(void* stream, void* graph) = 0;
};

}  // namespace sycl::detail
