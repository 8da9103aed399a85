#pragma once
/// Sorting, for the C++ library's algorithms. At first, each work-item sorts a piece. Then pairs of neighbouring pieces
/// are merged, until there is only one piece. Several work-items merge a pair together: each of them searches in both
/// pieces where its part of the result begins. Equal elements keep their order.

#include "offload.hpp"

namespace sycl::inline _V1::ext::sinter::algorithms {

/// Merges two sorted pieces that follow each other in `from` and have `left` and `right` elements. Writes only the
/// elements [begin, end) of the result to `to`.
template <class From, class To, class Less>
void merge_part(From from, To to, std::size_t left, std::size_t right, std::size_t begin, std::size_t end,
                const Less& less) {
  // Searches how many of the first `begin` elements of the result come from the left piece.
  std::size_t low = begin > right ? begin - right : 0, high = begin < left ? begin : left;
  while (low < high) {
    const std::size_t middle = low + (high - low) / 2;
    if (less(from[left + begin - middle - 1], from[middle]))
      high = middle;
    else
      low = middle + 1;
  }
  std::size_t first = low, second = left + begin - low;
  const std::size_t last = left + right;
  std::size_t i = begin;
  for (; i < end && first < left && second < last; ++i) {
    const auto left_value = from[first], right_value = from[second];
    const bool take_second = less(right_value, left_value);
    to[i] = take_second ? right_value : left_value;
    second += take_second ? 1 : 0;
    first += take_second ? 0 : 1;
  }
  for (; i < end; ++i) to[i] = from[first < left ? first++ : second++];
}

template <class Data, class Less>
void insertion_sort(Data data, std::size_t begin, std::size_t end, const Less& less) {
  for (std::size_t i = begin + 1; i < end; ++i) {
    auto moved = data[i];
    std::size_t hole = i;
    for (; hole > begin && less(moved, data[hole - 1]); --hole) data[hole] = data[hole - 1];
    data[hole] = moved;
  }
}

/// Sorts the elements from `begin` until `end` in one work-item. `other` is memory for the same number of elements.
template <class Data, class T, class Less>
void sort_piece(Data data, T* other, std::size_t begin, std::size_t end, const Less& less) {
  constexpr std::size_t run = 16;
  for (std::size_t i = begin; i < end; i += run) insertion_sort(data, i, i + run < end ? i + run : end, less);
  for (std::size_t length = run; length < end - begin; length *= 2) {
    for (std::size_t i = begin; i < end; i += 2 * length) {
      const std::size_t rest = end - i, left = length < rest ? length : rest;
      const std::size_t right = rest - left < length ? rest - left : length;
      if (right == 0 || !less(data[i + left], data[i + left - 1])) continue;
      // Only the left half has to be moved away: the merged part never overwrites elements of the right half that are
      // still needed.
      for (std::size_t k = 0; k < left; ++k) other[i + k] = data[i + k];
      std::size_t first = i, second = i + left, to = i;
      const std::size_t first_end = i + left, second_end = i + left + right;
      // The loop has no branches on the comparison, because the processor could not predict them.
      while (first < first_end && second < second_end) {
        const auto left_value = other[first], right_value = data[second];
        const bool take_second = less(right_value, left_value);
        data[to++] = take_second ? right_value : left_value;
        second += take_second ? 1 : 0;
        first += take_second ? 0 : 1;
      }
      while (first < first_end) data[to++] = other[first++];
    }
  }
}

/// Merges pairs of pieces of `length` elements into pieces of twice that length.
template <class From, class To, class Less>
void merge_round(queue& where, std::size_t count, std::size_t length, std::size_t per_item, From from, To to,
                 const Less& less) {
  const std::size_t parts = (2 * length + per_item - 1) / per_item;
  const std::size_t pairs = (count + 2 * length - 1) / (2 * length);
  for_pieces(where, pairs * parts, [=](std::size_t item) {
    const std::size_t start = item / parts * (2 * length);
    const std::size_t rest = count - start, left = length < rest ? length : rest;
    const std::size_t right = rest - left < length ? rest - left : length;
    const std::size_t begin = item % parts * per_item, both = left + right;
    const std::size_t end = begin + per_item < both ? begin + per_item : both;
    using distance = typename std::iterator_traits<From>::difference_type;
    using target = typename std::iterator_traits<To>::difference_type;
    if (begin < both) merge_part(from + distance(start), to + target(start), left, right, begin, end, less);
  });
}

/// Sorts `count` elements. The sort is stable.
template <class Iterator, class Less>
void sort(queue& where, Iterator data, std::size_t count, const Less& less) {
  using T = std::iter_value_t<Iterator>;
  if (count < 2) return;
  const tiling pieces = tiling_for(where, count, {1, 16});
  const scratch<T> memory(count, where);
  T* const other = memory.get();
  std::size_t length = pieces.per_item;
  const std::size_t piece = length;
  for_pieces(where, pieces.tiles(count), [=](std::size_t i) {
    sort_piece(data, other, i * piece, (i + 1) * piece < count ? (i + 1) * piece : count, less);
  });
  bool in_other = false;
  for (; length < count; length *= 2, in_other = !in_other) {
    if (in_other)
      merge_round(where, count, length, piece, other, data, less);
    else
      merge_round(where, count, length, piece, data, other, less);
  }
  if (in_other) for_all(where, count, [=](std::size_t i) { data[std::iter_difference_t<Iterator>(i)] = other[i]; });
}

} // namespace sycl::ext::sinter::algorithms
