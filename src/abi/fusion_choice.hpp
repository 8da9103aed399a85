#pragma once
/// Fused code may be slower than its separate members, and the JIT's estimate may not say clearly which is faster. In
/// this case, with fusion_is_measured, the JIT makes code nevertheless, and its report contains a statement with this
/// topic, whose text explains the estimate. The runtime measures both forms and keeps the faster one.

namespace sinter::abi {

inline constexpr const char* unclear_topic = "estimate";

}  // namespace sinter::abi
