#pragma once
/// Keys of specialization constants, completed where the front end's text does not tell constants apart: it prints
/// specialisations of a variable template without their arguments. Mangled names have them.

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Replaces calls of __sinter_specialization_key (sycl/specialization.hpp), on the host as well. Returns whether there
/// were any.
bool complete_specialization_keys(llvm::Module& host);

} // namespace sinter::capture
