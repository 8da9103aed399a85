#pragma once
/// Describes values as functions of one id of the work-item, in pieces. For the ids of a piece, the value is slope * id
/// + rest, where the rest is any number of an interval. Clamped, mirrored and periodic indices need a few pieces. The
/// code works on plain numbers, without LLVM.

#include <vector>

namespace sinter::passes {

using wide_number = __int128;

struct interval {
  wide_number low, high;
  bool empty() const { return low > high; }
  friend bool operator==(const interval&, const interval&) = default;
};
interval united(const interval& a, const interval& b);
interval common(const interval& a, const interval& b);
interval sum(const interval& a, const interval& b);
interval product(const interval& a, wide_number factor);

struct id_piece {
  interval ids;
  wide_number slope;
  interval rest;
  interval numbers() const { return sum(product(ids, slope), rest); }
};
/// If several pieces contain an id, each of them gives a possible value for this id. Ids that are in no piece don't
/// occur.
using id_pieces = std::vector<id_piece>;

/// The results that a condition may have for `ids`.
struct id_truth {
  interval ids;
  bool may_hold, may_fail;
};
using id_truths = std::vector<id_truth>;

id_pieces sum(const id_pieces& a, const id_pieces& b);
id_pieces product(const id_pieces& a, wide_number factor);
/// Replaces the pieces by one interval of numbers if there are too many pieces.
id_pieces simplified(id_pieces pieces);
/// Removes the ids for which the value can't lie in `numbers`. In a piece whose value does not depend on the id, limits
/// the piece's rest to `numbers`.
id_pieces limited(const id_pieces& a, const interval& numbers);
/// The numbers that result if values in two's complement are read as unsigned.
id_pieces as_unsigned(const id_pieces& a, unsigned bits);
/// floor(a / n). floor_remainder is a - n * floor(a / n).
id_pieces floor_quotient(const id_pieces& a, wide_number n);
id_pieces floor_remainder(const id_pieces& a, wide_number n);
/// The remainder of a / n with the sign of a.
id_pieces signed_remainder(const id_pieces& a, wide_number n);

id_truths is_negative(const id_pieces& a);
id_truths negated(id_truths a);
id_truths both_hold(const id_truths& a, const id_truths& b);
id_pieces chosen(const id_truths& condition, const id_pieces& holds, const id_pieces& fails);

/// An interval with all numbers that the value may be. distance_from_id returns an interval for value - id. Both
/// functions need at least one piece.
interval numbers_in(const id_pieces& a);
interval distance_from_id(const id_pieces& a);

}  // namespace sinter::passes
