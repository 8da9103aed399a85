#pragma once
/// Fused code may be slower than its separate members, and the JIT's estimate may not say clearly which is faster. In
/// this case, with fusion_is_measured, the JIT makes fused code nevertheless. Its report contains a statement with the
/// topic below, whose text explains the estimate. The runtime measures the fused code and the separate members, and
/// keeps what is faster.

namespace sinter::abi {

inline constexpr const char* unclear_topic = "estimate";

}  // namespace sinter::abi
