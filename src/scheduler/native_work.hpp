#pragma once
/// Work that a program itself hands over to the driver (a native command).

#include <sycl/detail/shared.hpp>

namespace sycl::inline _V1::detail {

/// Calls the program's function, which hands work over to the driver. This happens once: when the command is handed
/// over to a stream, or when its graph is finalized.
struct native_work : counted {
  /// `graph`: the driver's graph that gets the work in place of the stream; may be null.
  virtual void give_to(void* stream, void* graph) = 0;
};

}  // namespace sycl::detail
