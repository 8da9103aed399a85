#pragma once
/// A specialization constant's key is made from the text by which the front end prints the constant. For
/// specialisations of a variable template, this text lacks the template's arguments, so that their keys would be equal.
/// Here the arguments are added from mangled names.

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Replaces calls of __sinter_specialization_key (sycl/specialization.hpp), on the host as well. Returns whether there
/// were such calls.
bool complete_specialization_keys(llvm::Module& host);

} // namespace sinter::capture
