#pragma once
/// The kernels of launches with reductions: the code around the user's function object.

#include <cstddef>
#include <cstdint>

#include "../item.hpp"
#include "../nd_item.hpp"
#include "../reduction.hpp"
#include "../specialization.hpp"
#include "kernel_entry.hpp"

namespace sycl::inline _V1::detail {

template <class Object>
inline constexpr bool is_reduction = false;
template <class T, class Operation, int Dimensions, identity_kind Identity, std::size_t Extent, class Target>
inline constexpr bool is_reduction<reduction_object<T, Operation, Dimensions, Identity, Extent, Target>> = true;

/// The list of a launch's reductions, with the last reduction first. with_reducers goes through the list and puts each
/// new reducer in front of the earlier ones. In the end, the reducers are in the order of the kernel's parameters.
template <class... Reductions>
struct reduction_list {
  static constexpr bool commutes = true;
  static constexpr std::size_t bytes_of_each = 1;  ///< of a group's local memory, for each work-item
  void allocate(handler_impl&, std::size_t) {}
  SINTER_DEVICE_INLINE void join(std::size_t, std::size_t, std::size_t) const {}
  void join_all(std::size_t, std::size_t, std::size_t) const {}
  SINTER_DEVICE_INLINE void finish(std::size_t, std::size_t) const {}
  SINTER_DEVICE_INLINE void finish_empty() const {}
};
template <class First, class... Rest>
struct reduction_list<First, Rest...> {
  First first;
  reduction_list<Rest...> rest;
  static constexpr bool commutes = First::commutes && reduction_list<Rest...>::commutes;
  static constexpr std::size_t bytes_of_each = First::bytes_of_each > reduction_list<Rest...>::bytes_of_each
                                                   ? First::bytes_of_each
                                                   : reduction_list<Rest...>::bytes_of_each;

  void allocate(handler_impl& group, std::size_t work_groups) {
    first.allocate(group, work_groups);
    rest.allocate(group, work_groups);
  }
  SINTER_DEVICE_INLINE void join(std::size_t begin, std::size_t end, std::size_t step) const {
    first.join(begin, end, step);
    rest.join(begin, end, step);
  }
  void join_all(std::size_t work_groups, std::size_t neighbours, std::size_t step) const {
    first.join_all(work_groups, neighbours, step);
    rest.join_all(work_groups, neighbours, step);
  }
  SINTER_DEVICE_INLINE void finish(std::size_t work_groups, std::size_t step) const {
    first.finish(work_groups, step);
    rest.finish(work_groups, step);
  }
  SINTER_DEVICE_INLINE void finish_empty() const {
    first.finish_empty();
    rest.finish_empty();
  }
};

/// Calls body(reducers...), then stores each reducer's partial result for the group.
template <int Dimensions, class Body, class... Reducers>
SINTER_DEVICE_INLINE void with_reducers(const reduction_list<>&, const group<Dimensions>&, bool, const Body& body,
                                        Reducers&... reducers) {
  body(reducers...);
}
template <class First, class... Rest, int Dimensions, class Body, class... Reducers>
SINTER_DEVICE_INLINE void with_reducers(const reduction_list<First, Rest...>& list, const group<Dimensions>& group,
                                        bool one_sub_group, const Body& body, Reducers&... reducers) {
  typename First::reducer_type reducer = list.first.make_reducer();
  with_reducers(list.rest, group, one_sub_group, body, reducer, reducers...);
  list.first.store(reducer, group, sizeof...(Rest) == 0, one_sub_group);
}

/// The number of consecutive work-groups that form a neighbourhood and share a counter. Usually a single thread runs
/// all work-groups of a neighbourhood. 64 neighbourhoods share another counter, and so on. If all work-groups shared a
/// single counter, this counter would move between the caches of all threads, and one work-item would have to read all
/// partial results.
inline constexpr std::size_t reduction_neighbours = 64;

/// GPUs have smaller neighbourhoods, because a single work-item reads all partial results of one.
inline constexpr std::size_t reduction_neighbours_on_gpus = 32;

constexpr std::size_t reduction_parts(std::size_t partials, std::size_t neighbours) noexcept {
  return (partials + neighbours - 1) / neighbours;
}

/// The number of counters that suffices on all devices.
constexpr std::size_t reduction_counters(std::size_t work_groups) noexcept {
  std::size_t parts = reduction_parts(work_groups, reduction_neighbours_on_gpus), counters = parts;
  for (; parts > 1; counters += parts) parts = reduction_parts(parts, reduction_neighbours_on_gpus);
  return counters;
}

/// Counts a work-group (or neighbourhood) that has finished. Returns true only for the last of the work-groups (or
/// neighbourhoods) that share the counter. At this time, all others have written their results.
SINTER_DEVICE_INLINE bool is_last_of(std::uint32_t* counter, std::size_t neighbours) {
  atomic_fence(memory_order::release, memory_scope::device);
  if (__atomic_add_fetch(counter, 1u, __ATOMIC_RELAXED) != neighbours) return false;
  atomic_fence(memory_order::acquire, memory_scope::device);
  return true;
}

/// One work-item of each work-group calls this function. If its work-group is the last of a neighbourhood to finish, it
/// combines the neighbourhood's partial results into one. Then it counts the neighbourhood as finished, in a larger
/// neighbourhood, and so on, until one result is left. The function resets the counters to zero for the next launch.
template <class List>
SINTER_DEVICE_INLINE void combine_partials(const List& list, std::uint32_t* counters, std::size_t mine,
                                           std::size_t work_groups) {
  const bool on_gpu = __sinter_sub_group_size() > widest_cpu_sub_group;
  const std::size_t neighbours = on_gpu ? reduction_neighbours_on_gpus : reduction_neighbours;
  std::size_t step = 1, partials = work_groups;
  for (;;) {
    const std::size_t part = mine / neighbours, begin = part * neighbours;
    const std::size_t left = partials - begin, many = left < neighbours ? left : neighbours;
    if (!is_last_of(counters + part, many)) return;
    counters[part] = 0;
    if (partials <= neighbours) return list.finish(work_groups, step);
    const std::size_t end = (begin + many) * step;
    list.join(begin * step, end < work_groups ? end : work_groups, step);
    partials = reduction_parts(partials, neighbours);
    counters += partials;
    mine = part;
    step *= neighbours;
  }
}

/// Finishes the reduction on the host after all work-groups have run.
template <class List>
void finish_reduction(const List& list, std::size_t work_groups) {
  std::size_t step = 1;
  for (; work_groups > reduction_neighbours * step; step *= reduction_neighbours) {
    list.join_all(work_groups, reduction_neighbours, step);
  }
  list.finish(work_groups, step);
}

/// Calls function(position, reducers...). If the function takes a kernel_handler, it is the last argument.
template <class Function, class Position, class... Reducers>
SINTER_DEVICE_INLINE void reduce_at(const Function& function, const specialization_table* table,
                                    const Position& position, Reducers&... reducers) {
  if constexpr (callable<const Function&, const Position&, Reducers&..., kernel_handler>) {
    function(position, reducers..., kernel_handler_access::make(table));
  } else {
    function(position, reducers...);
  }
}

/// Whether reduce_at can call the function.
template <class Function, class Position, class... Reducers>
concept reducing_function = callable<Function, const Position&, Reducers&..., kernel_handler> ||
                            callable<Function, const Position&, Reducers&...>;

/// Calls reduce_at for one element of the user's range. The elements may be distributed over groups in any way.
/// reduce_in_turn is a separate function, so that capture can see whether the user's function queries its group.
template <class Function, int Dimensions, class... Reducers>
SINTER_ANNOTATE("sinter.turns")
SINTER_DEVICE_INLINE void reduce_in_turn(const Function& function, const specialization_table* table,
                                         const nd_item<Dimensions>& item, Reducers&... reducers) {
  reduce_at(function, table, item, reducers...);
}

template <int Dimensions, class Function, class List>
struct nd_range_reduction {
  using sinter_user_function = Function;  ///< capture reads the attributes of this type
  Function function;
  List list;
  std::uint32_t* counters;  ///< null if the host finishes the reduction
  std::size_t groups;
  const specialization_table* specialized;

  SINTER_DEVICE_INLINE void operator()(const nd_item<Dimensions>& item) const {
    const group<Dimensions> group = item.get_group();
    with_reducers(list, group, /*one_sub_group=*/false, [&](auto&... reducers) {
      if constexpr (List::commutes) {
        std::size_t turn = 0;
        do {
          reduce_in_turn(function, specialized, item_access::item_of_turn(item, turn), reducers...);
        } while (__sinter_has_turn(++turn));
      } else {
        reduce_at(function, specialized, item, reducers...);
      }
    });
    if (counters && group.leader()) combine_partials(list, counters, group.get_group_linear_id(), parts());
  }
  std::size_t work_groups() const noexcept { return groups; }

private:
  SINTER_DEVICE_INLINE std::size_t parts() const {
    if constexpr (List::commutes) return __sinter_groups_of_turns(groups);
    return groups;
  }
};

/// The kernel that runs once if the nd_range has no work-items: the reductions' results are written in this case, too.
template <class List>
struct empty_reduction {
  List list;
  SINTER_DEVICE_INLINE void operator()() const { list.finish_empty(); }
};
template <class List>
inline constexpr bool is_helper_kernel<empty_reduction<List>> = true;

/// The number of work-items in a work-group of a range_reduction. Each work-group combines the values of one run of
/// elements, and each of its work-items computes one sum of this run.
inline constexpr std::size_t reduction_sums = 16;

/// The number of runs into which a range of `total` elements is divided: enough runs for many threads, but so few that
/// one thread can combine their results. The number must not depend on the machine, because results would then depend
/// on the machine, too.
constexpr std::size_t reduction_runs(std::size_t total) noexcept {
  constexpr std::size_t few = 64, many = 1024, short_run = 4 * reduction_sums, long_run = 4096;
  if (total <= few * short_run) return total == 0 ? 1 : (total + short_run - 1) / short_run;
  const std::size_t runs = total / long_run;
  return runs < few ? few : runs < many ? runs : many;
}

/// The launch sizes of a reduction over a range.
struct reduction_shape {
  std::size_t runs, sums;  ///< the number of work-groups, and the number of work-items in a work-group
};
/// The shape for `total` elements. Group functions need bytes_of_each bytes of local memory for each work-item.
SINTER_EXPORT reduction_shape reduction_shape_for(const handler_impl& handler, std::size_t total,
                                                  std::size_t bytes_of_each) noexcept;

/// Calls visit(id) between two markers. Kernel fusion finds the call by these markers.
template <int Dimensions, class Visit>
SINTER_DEVICE_INLINE void visit_element(const id<Dimensions>& at, [[maybe_unused]] const range<Dimensions>& size,
                                        const Visit& visit) {
#if defined(__clang__)
  const auto coordinate = [&](int d) { return d < 3 - Dimensions ? 0 : at[d - (3 - Dimensions)]; };
  const auto extent = [&](int d) { return d < 3 - Dimensions ? 1 : size[d - (3 - Dimensions)]; };
  __sinter_element_begin(coordinate(0), coordinate(1), coordinate(2), extent(0), extent(1), extent(2));
  id<Dimensions> here;
  for (int d = 0; d < Dimensions; ++d) {
    here[d] = __sinter_element_id(at[d], static_cast<std::uint32_t>(3 - Dimensions + d));
  }
  visit(here);
  __sinter_element_end(coordinate(0), coordinate(1), coordinate(2), extent(0), extent(1), extent(2));
#else
  visit(at);
#endif
}

// Compilers without the capture plugin don't know the attributes below. The results are correct without the attributes,
// too.
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wunknown-attributes"
#else
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wattributes"
#endif

/// Divides the range into runs, one for each work-group. On CPUs, a work-group is one sub-group. If all operators are
/// known to commute, the elements of a run are dealt out to the work-items of the work-group in turn; otherwise each
/// work-item has a contiguous part of the run.
template <int Dimensions, class Function, class List>
struct range_reduction {
  /// Capture reads only the attribute device_has of this type, because the user has not chosen the work-groups.
  using sinter_inner_function = Function;
  using sinter_sizes_for_cpu = void;       ///< devices other than CPUs get larger work-groups
  Function function;
  List list;
  std::uint32_t* counters;  ///< null if the host finishes the reduction
  range<Dimensions> size;
  const specialization_table* specialized;

  [[sycl::reqd_work_group_size(reduction_sums), sycl::reqd_sub_group_size(reduction_sums)]] SINTER_DEVICE_INLINE void
  operator()(const nd_item<1>& item) const {
    const group<1> group = item.get_group();
    const std::size_t run = item.get_group(0), runs = item.get_group_range(0), total = size.size();
    const std::size_t mine = item.get_local_id(0), sums = item.get_local_range(0);
    // CPUs have runs of nearly equal length. On GPUs, runs begin at multiples of 32 elements: if sub-groups read memory
    // that is not aligned, a sum of 10^9 floats takes 1.5 times as long.
    const std::size_t unit = sums > reduction_sums ? 32 : 1, units = (total + unit - 1) / unit;
    const std::size_t length = units / runs, longer = units % runs;
    const std::size_t begin = (run * length + (run < longer ? run : longer)) * unit;
    const std::size_t past = begin + (length + (run < longer ? 1 : 0)) * unit, end = past < total ? past : total;
    const bool one_sub_group = __sinter_sub_group_size() >= sums;
    with_reducers(list, group, one_sub_group, [&](auto&... reducers) {
      if constexpr (List::commutes) {
        walk(sums, begin, end, mine, reducers...);
      } else {
        const std::size_t part = (end - begin + sums - 1) / sums, from = begin + mine * part;
        walk(1, from < end ? from : end, from + part < end ? from + part : end, 0, reducers...);
      }
    });
    if (counters && group.leader()) combine_partials(list, counters, run, runs);
  }
  std::size_t work_groups() const noexcept { return reduction_runs(size.size()); }

private:
  /// Calls the function for the element at `offset` in [begin, end), and for every `step`th element after it.
  template <class... Reducers>
  SINTER_DEVICE_INLINE void walk(std::size_t step, std::size_t begin, std::size_t end, std::size_t offset,
                                 Reducers&... reducers) const {
    id<Dimensions> at;
    std::size_t rest = begin;
    for (int d = Dimensions - 1; d > 0; --d) {
      at[d] = size[d] == 0 ? 0 : rest % size[d];
      rest = size[d] == 0 ? 0 : rest / size[d];
    }
    at[0] = rest;
    for (std::size_t i = begin; i < end;) {
      // The inner loop over k goes to the end of the row. This loop is so simple that it can be vectorised. The outer
      // loop then moves to the next row.
      const std::size_t first = at[Dimensions - 1], left = size[Dimensions - 1] - first;
      const std::size_t many = left < end - i ? left : end - i, whole = many / step * step;
      const auto reduce = [&](std::size_t k) {
        id<Dimensions> here = at;
        here[Dimensions - 1] = first + k;
        visit_element(here, size, [&](const id<Dimensions>& element) {
          reduce_at(function, specialized, item_access::make_item(element, size), reducers...);
        });
      };
      for (std::size_t k = 0; k < whole; k += step) reduce(k + offset);
      if (whole + offset < many) reduce(whole + offset);
      i += many;
      at[Dimensions - 1] = 0;
      for (int d = Dimensions - 2; d >= 0; --d) {
        if (++at[d] < size[d]) break;
        at[d] = 0;
      }
    }
  }
};
#if defined(__clang__)
#pragma clang diagnostic pop
#else
#pragma GCC diagnostic pop
#endif

}  // namespace sycl::detail
