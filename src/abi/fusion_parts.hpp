#pragma once
/// A refused fusion has a statement for each of the parts that the list may be cut into, in order: its topic is
/// part_topic, and the number part_first says which member the part begins with. A list that has no fusable part has
/// none. An object without code owns the statements; who asked for the fusion releases it.

namespace sinter::abi {

inline constexpr const char* part_topic = "part";
inline constexpr const char* part_first = "first";

}  // namespace sinter::abi
