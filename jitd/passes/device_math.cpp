#include "device_math.hpp"

#include <abi/device_abi.hpp>

namespace sinter::passes {

void lower_math_to_libm(llvm::Module& module) {
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    llvm::StringRef name = function.getName();
    if (!function.isDeclaration() || !name.consume_front(abi::device_math_prefix)) continue;
    const bool is_float = name.consume_back("_f32");
    if (!is_float) name.consume_back("_f64");
    std::string target = name.str();
    if (is_float) target = target == "lgamma_r" ? "lgammaf_r" : target + "f";
    if (llvm::Function* known = module.getFunction(target)) {
      function.replaceAllUsesWith(known);
      function.eraseFromParent();
    } else {
      function.setName(target);
    }
  }
}

} // namespace sinter::passes
