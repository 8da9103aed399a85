#pragma once
/// Prefix sums, for the C++ library's algorithms. At first, kernels compute the sum of each tile. (On CPUs, a shorter
/// part of the elements takes the place of a tile, a piece.) Then the sums themselves are scanned. In the end, each
/// tile is scanned; its scan starts with the sum of all tiles before it.

#include "../../../group_barrier.hpp"
#include "../../../local_accessor.hpp"
#include "offload.hpp"

namespace sycl::inline _V1::ext::sinter::algorithms {

template <class T>
struct four_sums {
  T first, second, third, fourth;
};

/// Combines the values of each of four pieces. Each piece has `length` elements, and the pieces follow each other from
/// element `begin` on. The four sums are computed at the same time, because within one piece each step has to wait for
/// the step before it.
template <class T, class Operation, class Value>
four_sums<T> combined_by_four(std::size_t begin, std::size_t length, const Operation& operation, const Value& value) {
  T first = static_cast<T>(value(begin)), second = static_cast<T>(value(begin + length));
  T third = static_cast<T>(value(begin + 2 * length)), fourth = static_cast<T>(value(begin + 3 * length));
  for (std::size_t i = begin + 1; i < begin + length; ++i) {
    first = operation(first, static_cast<T>(value(i)));
    second = operation(second, static_cast<T>(value(i + length)));
    third = operation(third, static_cast<T>(value(i + 2 * length)));
    fourth = operation(fourth, static_cast<T>(value(i + 3 * length)));
  }
  return {first, second, third, fourth};
}

/// Combines the values from `begin` until `end` in order, in one work-item. There must be at least one value.
template <class T, class Operation, class Value>
T combined(std::size_t begin, std::size_t end, const Operation& operation, const Value& value) {
  constexpr std::size_t parts = 4;
  const std::size_t part = (end - begin) / parts;
  if (part == 0) {
    T sum = static_cast<T>(value(begin));
    for (std::size_t i = begin + 1; i < end; ++i) sum = operation(sum, static_cast<T>(value(i)));
    return sum;
  }
  const four_sums<T> of = combined_by_four<T>(begin, part, operation, value);
  T sum = operation(operation(of.first, of.second), operation(of.third, of.fourth));
  for (std::size_t i = begin + parts * part; i < end; ++i) sum = operation(sum, static_cast<T>(value(i)));
  return sum;
}

/// Stores in slots[l] the combined values of the group's work-items up to and including work-item l. A work-item behind
/// the last element may pass any value, because nobody reads its slot.
template <class T, class Operation>
void scan_group(const nd_item<1>& item, const local_accessor<T>& slots, T mine, const Operation& operation) {
  const std::size_t local = item.get_local_id(0), size = item.get_local_range(0);
  slots[local] = mine;
  for (std::size_t distance = 1; distance < size; distance *= 2) {
    group_barrier(item.get_group());
    if (local >= distance) mine = operation(slots[local - distance], mine);
    group_barrier(item.get_group());
    slots[local] = mine;
  }
  group_barrier(item.get_group());
}

template <class T, class Operation, class Value, class Store>
void scan_tiles(queue& where, std::size_t count, const tiling& tiles, const T* before, const Operation& operation,
                const Value& value, const Store& store) {
  const std::size_t per_item = tiles.per_item;
  where
      .submit([&](handler& group) {
        const local_accessor<T> slots(range<1>(tiles.group), group);
        group.parallel_for(nd_range<1>(tiles.tiles(count) * tiles.group, tiles.group), [=](nd_item<1> item) {
          const std::size_t begin = item.get_global_id(0) * per_item, local = item.get_local_id(0);
          const std::size_t end = begin + per_item < count ? begin + per_item : count;
          const bool any = begin < count;
          scan_group(item, slots, any ? combined<T>(begin, end, operation, value) : static_cast<T>(value(0)),
                     operation);
          if (!any) return;
          const std::size_t tile = item.get_group(0);
          // `front` is the sum of all values before this work-item. The first work-item has no such values.
          T sum = static_cast<T>(value(begin));
          const bool first = tile == 0 && local == 0;
          if (!first) {
            T front = local > 0 ? slots[local - 1] : before[tile - 1];
            if (local > 0 && tile > 0) front = operation(before[tile - 1], front);
            store(begin, &front, sum);
            sum = operation(front, sum);
          } else {
            store(begin, static_cast<const T*>(nullptr), sum);
          }
          for (std::size_t i = begin + 1; i < end; ++i) {
            const T next = static_cast<T>(value(i));
            const T front = sum;
            store(i, &front, next);
            sum = operation(sum, next);
          }
        });
      })
      .wait_and_throw();
}

/// Returns the number of elements of a piece on a CPU. A work-item scans four pieces at the same time, because within
/// one piece each sum has to wait for the sum before it. A piece fills an odd number of cache lines: if the number were
/// a power of two, the elements that are read at the same time would be in the same set of the cache.
inline std::size_t piece_length(const tiling& tiles) { return ((tiles.tile() / 4 + 15) / 16 | 1) * 16; }

/// Computes the sums of the first `parts` pieces.
template <class T, class Operation, class Value>
void add_pieces(queue& where, std::size_t parts, std::size_t length, T* totals, const Operation& operation,
                const Value& value) {
  for_groups(where, (parts + 3) / 4, [=](std::size_t group) {
    const std::size_t piece = 4 * group, begin = piece * length;
    if (piece + 4 > parts) {
      for (std::size_t p = piece; p < parts; ++p) {
        totals[p] = combined<T>(p * length, (p + 1) * length, operation, value);
      }
      return;
    }
    const four_sums<T> of = combined_by_four<T>(begin, length, operation, value);
    totals[piece] = of.first, totals[piece + 1] = of.second, totals[piece + 2] = of.third,
    totals[piece + 3] = of.fourth;
  });
}

/// Calls store for element `i`, and returns the sum of all elements up to and including element `i`. `front` is the sum
/// of all elements before element `i`.
template <class T, class Operation, class Value, class Store>
T scan_element(std::size_t i, const T& front, const Operation& operation, const Value& value, const Store& store) {
  const T own = static_cast<T>(value(i)), before = front;
  store(i, &before, own);
  return operation(before, own);
}

/// Scans the pieces on CPUs, as scan_tiles scans the tiles on other devices. before[p] is the sum of all elements up to
/// the end of piece p.
template <class T, class Operation, class Value, class Store>
void scan_pieces(queue& where, std::size_t count, std::size_t length, const T* before, const Operation& operation,
                 const Value& value, const Store& store) {
  const auto next = [=](std::size_t i, const T& front) { return scan_element(i, front, operation, value, store); };
  const auto enter = [=](std::size_t piece) {
    if (piece > 0) return next(piece * length, before[piece - 1]);
    const T own = static_cast<T>(value(0));
    store(0, static_cast<const T*>(nullptr), own);
    return own;
  };
  for_groups(where, (count + 4 * length - 1) / (4 * length), [=](std::size_t group) {
    const std::size_t piece = 4 * group, begin = piece * length;
    if (begin + 4 * length > count) {
      for (std::size_t p = piece; p < piece + 4 && p * length < count; ++p) {
        const std::size_t end = (p + 1) * length < count ? (p + 1) * length : count;
        T sum = enter(p);
        for (std::size_t i = p * length + 1; i < end; ++i) sum = next(i, sum);
      }
      return;
    }
    T first = enter(piece), second = enter(piece + 1), third = enter(piece + 2), fourth = enter(piece + 3);
    for (std::size_t i = begin + 1; i < begin + length; ++i) {
      first = next(i, first);
      second = next(i + length, second);
      third = next(i + 2 * length, third);
      fourth = next(i + 3 * length, fourth);
    }
  });
}

/// Does on CPUs what scan() does on other devices.
template <class T, class Operation, class Value, class Store>
void scan_on_cpu(queue& where, std::size_t count, const tiling& tiles, const Operation& operation, const Value& value,
                 const Store& store) {
  // The sum of the last piece is not needed, because no piece follows it.
  const std::size_t length = piece_length(tiles), parts = (count - 1) / length;
  if (parts == 0) return scan_pieces<T>(where, count, length, nullptr, operation, value, store);
  const scratch<T> sums(parts, where);
  T* const totals = sums.get();
  add_pieces<T>(where, parts, length, totals, operation, value);
  where
      .single_task([=] {
        for (std::size_t i = 1; i < parts; ++i) totals[i] = operation(totals[i - 1], totals[i]);
      })
      .wait_and_throw();
  scan_pieces<T>(where, count, length, totals, operation, value, store);
}

/// These function objects read the sum of each tile, and replace it by the sum of all tiles up to and including this
/// tile.
template <class T>
struct totals_of_tiles {
  const T* totals;
  T operator()(std::size_t i) const { return totals[i]; }
};
template <class T, class Operation>
struct replace_totals {
  T* totals;
  Operation operation;
  void operator()(std::size_t i, const T* front, const T& own) const {
    totals[i] = front ? operation(*front, own) : own;
  }
};

/// Calls store(i, front, x) for each i < `count`. Here, x is value(i), and *front combines all values before x in
/// order. For the first value, `front` is null. store may overwrite element i, because value(i) is read before that.
template <class T, class Operation, class Value, class Store>
void scan(queue& where, std::size_t count, const Operation& operation, const Value& value, const Store& store) {
  if (count == 0) return;
  const tiling tiles = tiling_for(where, count, {256, 8});
  const std::size_t parts = tiles.tiles(count);
  if (where.get_device().is_cpu()) return scan_on_cpu<T>(where, count, tiles, operation, value, store);
  if (parts == 1) return scan_tiles<T>(where, count, tiles, nullptr, operation, value, store);

  const scratch<T> sums(parts, where);
  T* const totals = sums.get();
  const std::size_t per_item = tiles.per_item, tile = tiles.tile();
  where
      .submit([&](handler& group) {
        const local_accessor<T> slots(range<1>(tiles.group), group);
        group.parallel_for(nd_range<1>(parts * tiles.group, tiles.group), [=](nd_item<1> item) {
          const std::size_t begin = item.get_global_id(0) * per_item;
          const std::size_t end = begin + per_item < count ? begin + per_item : count;
          scan_group(item, slots, begin < count ? combined<T>(begin, end, operation, value) : static_cast<T>(value(0)),
                     operation);
          const std::size_t in_tile = count - item.get_group(0) * tile < tile ? count - item.get_group(0) * tile : tile;
          if (item.get_local_id(0) == 0) totals[item.get_group(0)] = slots[(in_tile - 1) / per_item];
        });
      })
      .wait_and_throw();
  scan<T>(where, parts, operation, totals_of_tiles<T>{totals}, replace_totals<T, Operation>{totals, operation});
  scan_tiles<T>(where, count, tiles, totals, operation, value, store);
}

} // namespace sycl::ext::sinter::algorithms
