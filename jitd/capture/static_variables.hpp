#pragma once
/// Variables of the class work_group_static (sycl_ext_oneapi_work_group_static) are static wherever they stand, and
/// their address is what the device code knows them by: it has to be that of a constant.

#include "llvm/IR/Module.h"

namespace sinter::capture {

/// In: a module as the front end makes it. Those in blocks become variables of the module; all of them are constants,
/// for nothing is ever stored in the object itself. Host and device code then name the same ones. Whether there were
/// any.
bool make_group_variables_static(llvm::Module& host);

}  // namespace sinter::capture
