#pragma once
/// Fills the target's own words into text of LLVM's IR.

#include "dialect.hpp"

namespace sinter::jit::gpu {

/// Replaces the words @thread.id.x(), @block.id.x() (also y and z), BLOCK_BARRIER, LEAVE, ARRIVE and DEVICE in `text`.
std::string in_words_of(const dialect& its, std::string text);

}  // namespace sinter::jit::gpu
