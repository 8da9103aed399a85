#pragma once
/// Loads whole elements of a few bytes if the kernel reads parts of them, such as a colour of a pixel. When lanes
/// become vectors, loads of whole elements become loads of contiguous memory. If a loop loads only some parts of its
/// elements, LLVM's loop vectorizer does not make vectors of the loop's last iterations.
///
/// Input: a kernel of one work-item in which the range and the known arguments of its launch are constants.
/// Output: if `element_bytes` returns a size for a pointer, loads through this pointer load a whole element of this
///   size. The bytes beside a part exist, because accessors contain whole elements.

#include <cstdint>
#include <functional>

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// `element_bytes` returns the element's size for the accessor whose pointer is at offset `place` of the argument
/// block. It returns 0 if this memory may be written while the kernel runs.
void load_whole_elements(llvm::Function& kernel, const std::function<std::uint64_t(std::int64_t place)>& element_bytes);

}  // namespace sinter::passes
