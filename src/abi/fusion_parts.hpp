#pragma once
/// If the JIT refuses to fuse a list, it may propose to cut the list into parts that it can fuse. The report has one
/// statement for each part, in order. The statement's topic is part_topic, and its number part_first says with which
/// member the part begins. If no part can be fused, the report has no such statement. The statements belong to a
/// jit_object without code, which the caller has to release.

namespace sinter::abi {

inline constexpr const char* part_topic = "part";
inline constexpr const char* part_first = "first";

}  // namespace sinter::abi
