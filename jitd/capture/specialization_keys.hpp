#pragma once
/// Completes keys of specialization constants where the front end's text does not tell constants apart. The front end
/// prints specialisations of a variable template without their arguments. Mangled names have the arguments.

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Replaces calls of __sinter_specialization_key (sycl/specialization.hpp), on the host as well. Returns whether there
/// were such calls.
bool complete_specialization_keys(llvm::Module& host);

} // namespace sinter::capture
