#pragma once
/// Loads elements of a few bytes as a whole where the kernel reads parts of them (a colour of a pixel): rows of whole
/// elements lie side by side in vectors, and LLVM's loop vectorizer leaves a rest of scalar turns where parts are
/// missing.
///
/// Input: a kernel of one work-item that knows the numbers of its launch.
/// Output: loads by the pointers for which the function returns a size are of that many bytes, from an element's start.
///   Accessors reach whole elements, so what is next to a part is there.

#include <cstdint>
#include <functional>

#include "llvm/IR/Function.h"

namespace sinter::passes {

/// `element_bytes`: of the accessor whose pointer is at this place of the argument block, if nobody writes what it
/// reads while the kernel runs; else 0.
void load_whole_elements(llvm::Function& kernel, const std::function<std::uint64_t(std::int64_t place)>& element_bytes);

}  // namespace sinter::passes
