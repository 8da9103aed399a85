#include "memory_planes.hpp"

#include <algorithm>

#include "id_pieces.hpp"

namespace sinter::passes {
namespace {

interval bytes_of(const element_layout& layout, const id_box& ids) {
  interval bytes{layout.base, wide_number{layout.base} + layout.element_bytes};
  for (unsigned d = 0; d < 3; ++d) {
    bytes.low += wide_number{layout.step[d]} * ids.first[d];
    bytes.high += wide_number{layout.step[d]} * (ids.end[d] - 1);
  }
  return bytes;
}

}  // namespace

bool are_apart(const element_layout& a, const id_box& in_a, const element_layout& b, const id_box& in_b) {
  if (a.base > b.base) return are_apart(b, in_b, a, in_a);
  const interval bytes_a = bytes_of(a, in_a), bytes_b = bytes_of(b, in_b);
  if (bytes_a.high <= bytes_b.low || bytes_b.high <= bytes_a.low) return true;
  // Coordinates count from a's base. An element has only one set of coordinates if no row of the two boxes exceeds the
  // step to the next row.
  wide_number between = wide_number{b.base} - a.base, slower = 0;
  bool meets = true;
  for (unsigned d = 0; d < 3; ++d) {
    const wide_number step = a.step[d];
    if (step == 0) continue;
    const wide_number shift = between / step;
    between -= shift * step;
    const interval ids_a{in_a.first[d], in_a.end[d] - 1}, ids_b = sum({in_b.first[d], in_b.end[d] - 1}, {shift, shift});
    const interval both = united(ids_a, ids_b);
    if (slower != 0 && (both.high - both.low + 1) * step > slower) return false;
    slower = step;
    meets &= !common(ids_a, ids_b).empty();
  }
  return between == 0 && !meets;
}

}  // namespace sinter::passes
