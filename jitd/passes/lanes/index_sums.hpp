#pragma once
/// Indices that are summed up in 32 bits: data[i * n + j] by `int`. The language says that such sums do not wrap, but
/// only of work-items that use them: where lane 0 may be off, its sum says nothing of the others, and each access would
/// be a gather. In 64 bits neighbours are neighbours in any case, and what is the same for a row is a part of its own.
///
/// Input: a work-item function as prepare_for_lanes leaves it.
/// Output: numbers that get their sign behind sums which do not wrap are sums of numbers with their sign. Only sums of
///   what is the same for all lanes and of what counts from lane to lane: others would need vectors of 64 bits. The new
///   sums promise nothing, and are what the old ones were wherever these are defined.

#include "lane_region.hpp"

namespace sinter::passes {

void sum_indices_in_64_bits(lane_region& region);

}  // namespace sinter::passes
