#pragma once
/// If a list is fused without a request, its code may be slower than the members alone. With fusion_is_measured, a list
/// for which the estimate is not clear gets code all the same. One statement of its report then has this topic; its
/// text is the estimate, for people. The part of the runtime that launches the code measures both forms.

namespace sinter::abi {

inline constexpr const char* unclear_topic = "estimate";

}  // namespace sinter::abi
