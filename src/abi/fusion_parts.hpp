#pragma once
/// The report of a refused fusion has a statement for each of the parts that the list may be cut into, in order. The
/// statement's topic is part_topic, and its number part_first says which member the part begins with. A list without a
/// fusable part has no such statement. A jit_object without code owns the statements; the caller that asked for the
/// fusion releases it.

namespace sinter::abi {

inline constexpr const char* part_topic = "part";
inline constexpr const char* part_first = "first";

}  // namespace sinter::abi
