#pragma once
/// LLVM's text with words that each target has its own for.

#include "dialect.hpp"

namespace sinter::jit::gpu {

/// `text` says @thread.id.x(), @block.id.x() (also y and z), BLOCK_BARRIER, LEAVE, ARRIVE and DEVICE.
std::string in_words_of(const dialect& its, std::string text);

}  // namespace sinter::jit::gpu
