#pragma once
/// Loads whole elements of a few bytes if the kernel reads parts of them, such as a colour of a pixel. Whole elements
/// lie side by side in vectors. If parts are missing, LLVM's loop vectorizer leaves some turns scalar.
///
/// Input: a kernel of one work-item that knows the numbers of its launch.
/// Output: loads by pointers for which `element_bytes` returns a size load a whole element of this size. Accessors
///   reach whole elements, so the bytes beside a part exist.

#include <cstdint>
#include <functional>

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// `element_bytes` returns the element's size for the accessor whose pointer is at `place` of the argument block. It
/// returns 0 if this memory may be written while the kernel runs.
void load_whole_elements(llvm::Function& kernel, const std::function<std::uint64_t(std::int64_t place)>& element_bytes);

}  // namespace sinter::passes
