#pragma once
/// If the runtime fuses a list that the program did not ask to fuse, the fused code may be slower than its members.
/// With fusion_is_measured, the JIT makes code even if its estimate does not say clearly which is faster. One statement
/// of the report then has this topic, and the statement's text explains the estimate to people. The runtime measures
/// both the fused code and the separate members, and keeps the faster form.

namespace sinter::abi {

inline constexpr const char* unclear_topic = "estimate";

}  // namespace sinter::abi
