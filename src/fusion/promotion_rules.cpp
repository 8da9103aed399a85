#include "promotion_rules.hpp"

#include <algorithm>

namespace sycl::inline _V1::detail {
namespace {

using sinter::abi::promotion;

/// Returns the number of elements of the memory that would replace the buffer, or 0 if nothing can replace it.
std::uint64_t part_of(const promotion_wish& wish, promotion kind) {
  const std::uint64_t parts = kind == promotion::local_memory ? wish.groups : wish.items;
  return parts == 0 ? 0 : wish.elements / parts;
}

/// Combines `kept`, the result for the accessors so far, with the wish of the next accessor. `earlier` is the wish of
/// the first accessor. If the program has to be warned about the result, `why` gets the warning.
promotion agree_on(const promotion_wish& earlier, promotion kept, const promotion_wish& next, const char*& why) {
  using enum promotion;
  const promotion wanted = next.requested;
  if (wanted == local_memory && next.groups == 0) {
    why = "Work-group size for local promotion not specified, not performing internalization";
    return none;
  }
  if (wanted == none) {
    if (kept != none)
      why = "Deactivating previously specified promotion, because this accessor does not specify promotion";
    return none;
  }
  const bool local = wanted == local_memory;
  if (kept == none) {
    why = local ? "Not performing specified local promotion, due to previous mismatch or because previous accessor "
                  "specified "
                  "no promotion"
                : "Not performing specified private promotion, due to previous mismatch or because previous accessor "
                  "specified "
                  "no promotion";
    return none;
  }
  if (earlier.first != next.first || earlier.elements != next.elements) {
    why = kept == wanted ? "Not performing specified promotion, due to accessor parameter mismatch"
                         : "Not performing local promotion, due to accessor parameter mismatch";
    return none;
  }
  const promotion result = kept == local_memory || local ? local_memory : private_memory;
  if (kept == private_memory && local) {
    why = "Overriding previous private promotion with local promotion";
    if (earlier.groups == 0) {
      why = "Not performing specified local promotion because previous kernels did not specify a local size";
      return none;
    }
  }
  if (result == local_memory && next.groups == 0) {
    why = "Not performing specified local promotion because previous kernels did not specify a local size";
    return none;
  }
  const bool same_parts = earlier.items == next.items && earlier.groups == next.groups;
  if (!same_parts && part_of(earlier, result) != part_of(next, result)) {
    why = result == local_memory ? "Not performing specified local promotion due to work-group size mismatch"
                                 : "Not performing specified private promotion due to work-group size mismatch";
    return none;
  }
  if (kept == local_memory && !local) {
    why = "Performing local internalization instead, because previous accessor specified local promotion";
  }
  return result;
}

}  // namespace

std::vector<const char*> agree_on_promotions(std::span<promotion_wish> wishes) {
  using enum promotion;
  std::vector<const char*> warnings;
  for (std::size_t i = 0; i < wishes.size(); ++i) {
    const void* buffer = wishes[i].buffer;
    const auto is_of_buffer = [&](const promotion_wish& each) { return each.buffer == buffer; };
    if (!buffer || std::any_of(wishes.begin(), wishes.begin() + static_cast<std::ptrdiff_t>(i), is_of_buffer)) continue;
    promotion kept = wishes[i].requested;
    auto warn = [&](const char* why) {
      if (why) warnings.push_back(why);
    };
    if (kept == local_memory && wishes[i].groups == 0) {
      warn("Work-group size for local promotion not specified, not performing internalization");
      kept = none;
    }
    for (std::size_t k = i + 1; k < wishes.size(); ++k) {
      if (wishes[k].buffer != buffer) continue;
      const char* why = nullptr;
      kept = agree_on(wishes[i], kept, wishes[k], why);
      warn(why);
    }
    for (std::size_t k = i; k < wishes.size(); ++k) {
      if (wishes[k].buffer == buffer) wishes[k].requested = kept;
    }
  }
  return warnings;
}

}  // namespace sycl::detail
