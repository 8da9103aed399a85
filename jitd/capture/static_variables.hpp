#pragma once
/// Variables of the class work_group_static (sycl_ext_oneapi_work_group_static) are static even if they are declared in
/// a function. The device code identifies such variables by their address, so the address has to be a constant.

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// Input: a module as the front end makes it. Local variables of the class work_group_static become global variables of
/// the module. These global variables are constants, because nothing is ever stored in the object itself. Host and
/// device code then use the same names. Returns whether the module had such local variables.
bool make_group_variables_static(llvm::Module& host);

}  // namespace sinter::capture
