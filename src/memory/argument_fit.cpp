#include "argument_fit.hpp"

namespace sycl::inline _V1::detail {

using sinter::abi::leaf_kind;

const char* text_of(leaf_kind kind) noexcept {
  switch (kind) {
    case leaf_kind::scalar:
      return "a number";
    case leaf_kind::global_pointer:
      return "a pointer";
    case leaf_kind::accessor:
      return "an accessor";
    case leaf_kind::local_accessor:
      return "a local accessor";
    case leaf_kind::stream:
      return "a stream";
    case leaf_kind::constants:
    case leaf_kind::specialized:
    case leaf_kind::opaque_bytes:
      break;
  }
  return "a structure";
}

namespace {

std::string misfit_of_kind(const sinter::abi::image_leaf& leaf, const argument_value& value) {
  const bool both_are_accessors = leaf.kind == value.kind && value.element_bytes != 0;
  bool fits = leaf.kind == value.kind || leaf.kind == leaf_kind::specialized;
  // A structure may fill several arguments that are numbers or pointers, but it can't fill accessors. fit_of checks
  // whether the structure fills whole arguments.
  if (value.kind == leaf_kind::opaque_bytes) {
    fits = leaf.kind != leaf_kind::accessor && leaf.kind != leaf_kind::local_accessor;
  }
  if (both_are_accessors) {
    fits = leaf.dimensions == value.dimensions && leaf.element_size == value.element_bytes &&
           (leaf.kind == leaf_kind::local_accessor || leaf.access_mode == value.access_mode);
    if (!fits) return " is an accessor with other elements, dimensions or access mode";
  }
  if (fits) return {};
  return std::string(" is ") + detail::text_of(leaf.kind) + ", the value " + detail::text_of(value.kind);
}

}  // namespace

argument_fit fit_of(std::span<const sinter::abi::image_leaf> arguments, std::size_t first, const argument_value& value,
                    std::size_t block_size) {
  argument_fit fit{first, misfit_of_kind(arguments[first], value)};
  if (!fit.misfit.empty()) return fit;
  const std::size_t end = arguments[first].offset + value.bytes;
  std::size_t& last = fit.behind;
  while (last < arguments.size() && arguments[last].offset + arguments[last].size <= end) ++last;
  const bool is_number = value.kind == leaf_kind::scalar && arguments[first].kind == leaf_kind::scalar;
  const bool cuts = (is_number && value.bytes != arguments[first].size) || last == first ||
                    (last < arguments.size() && arguments[last].offset < end) || end > block_size;
  if (cuts) {
    fit.misfit = " has " + std::to_string(arguments[first].size) + " bytes, the value " + std::to_string(value.bytes) +
                 "; give the value the type of the capture";
  }
  return fit;
}

}  // namespace sycl::detail
