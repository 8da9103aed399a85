#pragma once
/// The C++ library's algorithms on devices. `sinter++ --sinter-algorithms` includes this header before all others. With
/// this header, calls with std::execution::par_unseq run as kernels if their iterators, values and function objects can
/// be copied to devices. Other calls use the standard library.
///
/// The kernels run on the default device in two cases: the device can access all memory of the program
/// (aspect::usm_system_allocations), or all ranges of the call are USM memory of the device's default context. In the
/// second case, the function object must not use other memory. In all other cases, the kernels run on the CPU. A call
/// returns when its kernels are complete. If a kernel calls an algorithm, the call processes the elements one after the
/// other.
///
/// Function objects follow the rules for kernels (SYCL 2020 5.4): no exceptions, no allocation, no virtual calls. If a
/// kernel fails, the call throws sycl::exception. If the device has no memory for intermediate results, the call throws
/// std::bad_alloc.

#include <algorithm>
#include <execution>
#include <functional>
#include <numeric>

#include "algorithms/offload.hpp"
#include "algorithms/reduce.hpp"
#include "algorithms/scan.hpp"
#include "algorithms/sort.hpp"

namespace sycl::inline _V1::ext::sinter::algorithms {

/// Returns first[i] for any unsigned i.
template <class Iterator>
decltype(auto) at(const Iterator& first, std::size_t i) {
  return first[static_cast<std::iter_difference_t<Iterator>>(i)];
}

template <class Iterator>
std::size_t length(const Iterator& first, const Iterator& last) {
  return static_cast<std::size_t>(last - first);
}

/// Returns first + count.
template <class Iterator>
Iterator behind(const Iterator& first, std::size_t count) {
  return first + static_cast<std::iter_difference_t<Iterator>>(count);
}

/// Calls body(i) for each i < `count`, in a kernel with one work-item for each i. If a kernel itself calls this
/// function, the calls of body run one after the other. The ranges determine the device.
template <class Body, class... Iterators>
void each(std::size_t count, Body body, const Iterators&... ranges) {
  if (on_device()) {
    for (std::size_t i = 0; i < count; ++i) body(i);
  } else if (count > 0) {
    for_all(queue_for(ranges...), count, body);
  }
}

template <class T, class Operation, class Value, class... Iterators>
T combine_all(std::size_t count, T init, Operation operation, Value value, const Iterators&... ranges) {
  if (on_device()) {
    for (std::size_t i = 0; i < count; ++i) init = operation(init, value(i));
    return init;
  }
  if (count == 0) return init;
  return reduce(queue_for(ranges...), count, std::move(init), operation, value);
}

/// Computes prefix sums. Calls store(i, front, x) with the same arguments as scan() does.
template <class T, class Operation, class Value, class Store, class... Iterators>
void scan_all(std::size_t count, Operation operation, Value value, Store store, const Iterators&... ranges) {
  if (count == 0) return;
  if (on_device()) {
    T sum = static_cast<T>(value(0));
    store(0, static_cast<const T*>(nullptr), sum);
    for (std::size_t i = 1; i < count; ++i) {
      const T next = static_cast<T>(value(i)), front = sum;
      store(i, &front, next);
      sum = operation(sum, next);
    }
  } else {
    scan<T>(queue_for(ranges...), count, operation, value, store);
  }
}

template <class T, class Source, class Target, class Operation, class Value>
Target exclusive_scan(Source source, std::size_t count, Target target, T init, Operation operation, Value value) {
  scan_all<T>(
      count, operation, value,
      [=](std::size_t i, const T* front, const T&) { at(target, i) = front ? operation(init, *front) : init; }, source,
      target);
  return behind(target, count);
}
template <class T, class Source, class Target, class Operation, class Value>
Target inclusive_scan(Source source, std::size_t count, Target target, T init, Operation operation, Value value) {
  scan_all<T>(
      count, operation, value,
      [=](std::size_t i, const T* front, const T& own) {
        at(target, i) = operation(front ? operation(init, *front) : init, own);
      },
      source, target);
  return behind(target, count);
}
template <class T, class Source, class Target, class Operation, class Value>
Target inclusive_scan(Source source, std::size_t count, Target target, Operation operation, Value value) {
  scan_all<T>(
      count, operation, value,
      [=](std::size_t i, const T* front, const T& own) { at(target, i) = front ? operation(*front, own) : own; },
      source, target);
  return behind(target, count);
}

template <class Iterator, class Less>
void sort_all(Iterator first, Iterator last, Less less) {
  if (length(first, last) < 2) return;
  if (on_device())
    insertion_sort(first, 0, length(first, last), less);
  else
    sort(queue_for(first), first, length(first, last), less);
}

} // namespace sycl::ext::sinter::algorithms

// For par_unseq, the compiler prefers these overloads to the overloads of the standard library, which are templates for
// any execution policy.
namespace std {

#define SINTER_POLICY const execution::parallel_unsequenced_policy&

template <class Iterator, class Function>
  requires(sycl::ext::sinter::algorithms::readable<Iterator> && sycl::ext::sinter::algorithms::copyable<Function>)
void for_each(SINTER_POLICY, Iterator first, Iterator last, Function function) {
  namespace on = sycl::ext::sinter::algorithms;
  on::each(
      on::length(first, last),
      [=](size_t i) {
        Function called = function;
        called(on::at(first, i));
      },
      first);
}

template <class Iterator, class Size, class Function>
  requires(sycl::ext::sinter::algorithms::readable<Iterator> && sycl::ext::sinter::algorithms::copyable<Function>)
Iterator for_each_n(SINTER_POLICY policy, Iterator first, Size count, Function function) {
  if (count <= 0) return first;
  const Iterator last = sycl::ext::sinter::algorithms::behind(first, static_cast<size_t>(count));
  for_each(policy, first, last, function);
  return last;
}

template <class Source, class Target, class Function>
  requires(sycl::ext::sinter::algorithms::readable<Source> && sycl::ext::sinter::algorithms::writable<Target> &&
           sycl::ext::sinter::algorithms::copyable<Function>)
Target transform(SINTER_POLICY, Source first, Source last, Target target, Function function) {
  namespace on = sycl::ext::sinter::algorithms;
  const size_t count = on::length(first, last);
  on::each(
      count,
      [=](size_t i) {
        Function called = function;
        on::at(target, i) = called(on::at(first, i));
      },
      first, target);
  return on::behind(target, count);
}

template <class First, class Second, class Target, class Function>
  requires(sycl::ext::sinter::algorithms::readable<First> && sycl::ext::sinter::algorithms::readable<Second> &&
           sycl::ext::sinter::algorithms::writable<Target> && sycl::ext::sinter::algorithms::copyable<Function>)
Target transform(SINTER_POLICY, First first, First last, Second second, Target target, Function function) {
  namespace on = sycl::ext::sinter::algorithms;
  const size_t count = on::length(first, last);
  on::each(
      count,
      [=](size_t i) {
        Function called = function;
        on::at(target, i) = called(on::at(first, i), on::at(second, i));
      },
      first, second, target);
  return on::behind(target, count);
}

template <class Source, class Target>
  requires(sycl::ext::sinter::algorithms::readable<Source> && sycl::ext::sinter::algorithms::writable<Target>)
Target copy(SINTER_POLICY, Source first, Source last, Target target) {
  namespace on = sycl::ext::sinter::algorithms;
  const size_t count = on::length(first, last);
  on::each(count, [=](size_t i) { on::at(target, i) = on::at(first, i); }, first, target);
  return on::behind(target, count);
}

template <class Iterator, class T>
  requires(sycl::ext::sinter::algorithms::writable<Iterator> && sycl::ext::sinter::algorithms::copyable<T>)
void fill(SINTER_POLICY, Iterator first, Iterator last, const T& value) {
  namespace on = sycl::ext::sinter::algorithms;
  const T copied = value;
  on::each(on::length(first, last), [=](size_t i) { on::at(first, i) = copied; }, first);
}

template <class Iterator, class Predicate>
  requires(sycl::ext::sinter::algorithms::readable<Iterator> && sycl::ext::sinter::algorithms::copyable<Predicate>)
iter_difference_t<Iterator> count_if(SINTER_POLICY, Iterator first, Iterator last, Predicate predicate) {
  namespace on = sycl::ext::sinter::algorithms;
  using result = iter_difference_t<Iterator>;
  return on::combine_all(
      on::length(first, last), result(0), plus<result>(),
      [=](size_t i) -> result { return predicate(on::at(first, i)) ? 1 : 0; }, first);
}

template <class Iterator, class T>
  requires(sycl::ext::sinter::algorithms::readable<Iterator> && sycl::ext::sinter::algorithms::copyable<T>)
iter_difference_t<Iterator> count(SINTER_POLICY policy, Iterator first, Iterator last, const T& value) {
  return std::count_if(policy, first, last, [value](const auto& element) { return element == value; });
}

template <class Iterator, class T, class Operation>
  requires(sycl::ext::sinter::algorithms::readable<Iterator> && sycl::ext::sinter::algorithms::copyable<T, Operation>)
T reduce(SINTER_POLICY, Iterator first, Iterator last, T init, Operation operation) {
  namespace on = sycl::ext::sinter::algorithms;
  return on::combine_all(
      on::length(first, last), init, operation, [=](size_t i) -> T { return on::at(first, i); }, first);
}
template <class Iterator, class T>
  requires(sycl::ext::sinter::algorithms::readable<Iterator> && sycl::ext::sinter::algorithms::copyable<T>)
T reduce(SINTER_POLICY policy, Iterator first, Iterator last, T init) {
  return std::reduce(policy, first, last, init, plus<>());
}
template <class Iterator>
  requires(sycl::ext::sinter::algorithms::readable<Iterator> &&
           sycl::ext::sinter::algorithms::copyable<iter_value_t<Iterator>>)
iter_value_t<Iterator> reduce(SINTER_POLICY policy, Iterator first, Iterator last) {
  return std::reduce(policy, first, last, iter_value_t<Iterator>{}, plus<>());
}

template <class Iterator, class T, class Operation, class Function>
  requires(sycl::ext::sinter::algorithms::readable<Iterator> &&
           sycl::ext::sinter::algorithms::copyable<T, Operation, Function>)
T transform_reduce(SINTER_POLICY, Iterator first, Iterator last, T init, Operation operation, Function function) {
  namespace on = sycl::ext::sinter::algorithms;
  return on::combine_all(
      on::length(first, last), init, operation, [=](size_t i) -> T { return function(on::at(first, i)); }, first);
}
template <class First, class Second, class T, class Operation, class Function>
  requires(sycl::ext::sinter::algorithms::readable<First> && sycl::ext::sinter::algorithms::readable<Second> &&
           sycl::ext::sinter::algorithms::copyable<T, Operation, Function>)
T transform_reduce(SINTER_POLICY, First first, First last, Second second, T init, Operation operation,
                   Function function) {
  namespace on = sycl::ext::sinter::algorithms;
  return on::combine_all(
      on::length(first, last), init, operation,
      [=](size_t i) -> T { return function(on::at(first, i), on::at(second, i)); }, first, second);
}
template <class First, class Second, class T>
  requires(sycl::ext::sinter::algorithms::readable<First> && sycl::ext::sinter::algorithms::readable<Second> &&
           sycl::ext::sinter::algorithms::copyable<T>)
T transform_reduce(SINTER_POLICY policy, First first, First last, Second second, T init) {
  return std::transform_reduce(policy, first, last, second, init, plus<>(), multiplies<>());
}

template <class Source, class Target, class T, class Operation>
  requires(sycl::ext::sinter::algorithms::readable<Source> && sycl::ext::sinter::algorithms::writable<Target> &&
           sycl::ext::sinter::algorithms::copyable<T, Operation>)
Target exclusive_scan(SINTER_POLICY, Source first, Source last, Target target, T init, Operation operation) {
  namespace on = sycl::ext::sinter::algorithms;
  return on::exclusive_scan<T>(first, on::length(first, last), target, init, operation,
                               [=](size_t i) -> decltype(auto) { return on::at(first, i); });
}
template <class Source, class Target, class T>
  requires(sycl::ext::sinter::algorithms::readable<Source> && sycl::ext::sinter::algorithms::writable<Target> &&
           sycl::ext::sinter::algorithms::copyable<T>)
Target exclusive_scan(SINTER_POLICY policy, Source first, Source last, Target target, T init) {
  return std::exclusive_scan(policy, first, last, target, init, plus<>());
}

template <class Source, class Target, class Operation, class T>
  requires(sycl::ext::sinter::algorithms::readable<Source> && sycl::ext::sinter::algorithms::writable<Target> &&
           sycl::ext::sinter::algorithms::copyable<T, Operation>)
Target inclusive_scan(SINTER_POLICY, Source first, Source last, Target target, Operation operation, T init) {
  namespace on = sycl::ext::sinter::algorithms;
  return on::inclusive_scan<T>(first, on::length(first, last), target, init, operation,
                               [=](size_t i) -> decltype(auto) { return on::at(first, i); });
}
template <class Source, class Target, class Operation>
  requires(sycl::ext::sinter::algorithms::readable<Source> && sycl::ext::sinter::algorithms::writable<Target> &&
           sycl::ext::sinter::algorithms::copyable<iter_value_t<Source>, Operation>)
Target inclusive_scan(SINTER_POLICY, Source first, Source last, Target target, Operation operation) {
  namespace on = sycl::ext::sinter::algorithms;
  return on::inclusive_scan<iter_value_t<Source>>(first, on::length(first, last), target, operation,
                                                  [=](size_t i) -> decltype(auto) { return on::at(first, i); });
}
template <class Source, class Target>
  requires(sycl::ext::sinter::algorithms::readable<Source> && sycl::ext::sinter::algorithms::writable<Target> &&
           sycl::ext::sinter::algorithms::copyable<iter_value_t<Source>>)
Target inclusive_scan(SINTER_POLICY policy, Source first, Source last, Target target) {
  return std::inclusive_scan(policy, first, last, target, plus<>());
}

template <class Source, class Target, class T, class Operation, class Function>
  requires(sycl::ext::sinter::algorithms::readable<Source> && sycl::ext::sinter::algorithms::writable<Target> &&
           sycl::ext::sinter::algorithms::copyable<T, Operation, Function>)
Target transform_exclusive_scan(SINTER_POLICY, Source first, Source last, Target target, T init, Operation operation,
                                Function function) {
  namespace on = sycl::ext::sinter::algorithms;
  return on::exclusive_scan<T>(first, on::length(first, last), target, init, operation,
                               [=](size_t i) { return function(on::at(first, i)); });
}
template <class Source, class Target, class Operation, class Function, class T>
  requires(sycl::ext::sinter::algorithms::readable<Source> && sycl::ext::sinter::algorithms::writable<Target> &&
           sycl::ext::sinter::algorithms::copyable<T, Operation, Function>)
Target transform_inclusive_scan(SINTER_POLICY, Source first, Source last, Target target, Operation operation,
                                Function function, T init) {
  namespace on = sycl::ext::sinter::algorithms;
  return on::inclusive_scan<T>(first, on::length(first, last), target, init, operation,
                               [=](size_t i) { return function(on::at(first, i)); });
}
template <class Source, class Target, class Operation, class Function>
  requires(sycl::ext::sinter::algorithms::readable<Source> && sycl::ext::sinter::algorithms::writable<Target> &&
           sycl::ext::sinter::algorithms::copyable<Operation, Function>)
Target transform_inclusive_scan(SINTER_POLICY, Source first, Source last, Target target, Operation operation,
                                Function function) {
  namespace on = sycl::ext::sinter::algorithms;
  using T = remove_cvref_t<invoke_result_t<Function, iter_reference_t<Source>>>;
  return on::inclusive_scan<T>(first, on::length(first, last), target, operation,
                               [=](size_t i) { return function(on::at(first, i)); });
}

template <class Iterator, class Less>
  requires(sycl::ext::sinter::algorithms::writable<Iterator> &&
           sycl::ext::sinter::algorithms::copyable<iter_value_t<Iterator>, Less>)
void sort(SINTER_POLICY, Iterator first, Iterator last, Less less) {
  sycl::ext::sinter::algorithms::sort_all(first, last, less);
}
template <class Iterator>
  requires(sycl::ext::sinter::algorithms::writable<Iterator> &&
           sycl::ext::sinter::algorithms::copyable<iter_value_t<Iterator>>)
void sort(SINTER_POLICY, Iterator first, Iterator last) {
  sycl::ext::sinter::algorithms::sort_all(first, last, less<>());
}
template <class Iterator, class Less>
  requires(sycl::ext::sinter::algorithms::writable<Iterator> &&
           sycl::ext::sinter::algorithms::copyable<iter_value_t<Iterator>, Less>)
void stable_sort(SINTER_POLICY, Iterator first, Iterator last, Less less) {
  sycl::ext::sinter::algorithms::sort_all(first, last, less);
}
template <class Iterator>
  requires(sycl::ext::sinter::algorithms::writable<Iterator> &&
           sycl::ext::sinter::algorithms::copyable<iter_value_t<Iterator>>)
void stable_sort(SINTER_POLICY, Iterator first, Iterator last) {
  sycl::ext::sinter::algorithms::sort_all(first, last, less<>());
}

#undef SINTER_POLICY

} // namespace std
