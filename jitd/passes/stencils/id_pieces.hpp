#pragma once
/// Values as functions of one id of the work-item, in pieces: for the ids of a piece, the value is slope * id plus a
/// number between two. Clamped, mirrored and periodic indices are a few of them. Plain numbers.

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
/// Where pieces share ids, the value is that of either. Ids of no piece don't occur.
using id_pieces = std::vector<id_piece>;

/// The values that a condition may have for these ids.
struct id_truth {
  interval ids;
  bool may_hold, may_fail;
};
using id_truths = std::vector<id_truth>;

id_pieces sum(const id_pieces& a, const id_pieces& b);
id_pieces product(const id_pieces& a, wide_number factor);
/// One number of an interval, used if there are too many pieces.
id_pieces simplified(id_pieces pieces);
/// The ids for which the value may be one of these numbers; where it does not move with the id, those numbers alone.
id_pieces limited(const id_pieces& a, const interval& numbers);
/// Two's complement read without a sign.
id_pieces as_unsigned(const id_pieces& a, unsigned bits);
/// floor(a / n), and a less n times that.
id_pieces floor_quotient(const id_pieces& a, wide_number n);
id_pieces floor_remainder(const id_pieces& a, wide_number n);
/// The sign is that of a.
id_pieces signed_remainder(const id_pieces& a, wide_number n);

id_truths is_negative(const id_pieces& a);
id_truths negated(id_truths a);
id_truths both_hold(const id_truths& a, const id_truths& b);
id_pieces chosen(const id_truths& condition, const id_pieces& holds, const id_pieces& fails);

/// All that the value may be, and how far it may be from the id; there is at least one piece.
interval numbers_in(const id_pieces& a);
interval distance_from_id(const id_pieces& a);

}  // namespace sinter::passes
