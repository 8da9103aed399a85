#pragma once
/// Reductions, for the C++ library's algorithms.

#include "../../../reduction.hpp"
#include "offload.hpp"

namespace sycl::inline _V1::ext::sinter::algorithms {

/// Combines `init` and value(i) for each i < `count` in any order.
template <class T, class Operation, class Value>
T reduce(queue& where, std::size_t count, T init, const Operation& operation, const Value& value) {
  if (count == 0) return init;
  const scratch<T> result(1, where, usm::alloc::host);
  std::construct_at(result.get(), std::move(init));
  where
      .parallel_for(range<1>(count), reduction(result.get(), operation),
                    [=](id<1> element, auto& sum) { sum.combine(static_cast<T>(value(element[0]))); })
      .wait_and_throw();
  return *result.get();
}

} // namespace sycl::ext::sinter::algorithms
