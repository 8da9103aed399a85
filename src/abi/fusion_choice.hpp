#pragma once
/// Code for a list that nobody asked to fuse may be slower than the members alone. With fusion_is_measured, a list for
/// which the estimate is not clear gets code all the same, and one statement of its report has this topic: its text is
/// the estimate, for people. Whoever launches the code measures both forms.

namespace sinter::abi {

inline constexpr const char* unclear_topic = "estimate";

}  // namespace sinter::abi
