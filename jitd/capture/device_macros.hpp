#pragma once
/// Handles programs that ask the preprocessor whether host or device code is compiled (`#ifdef __SPIR__`).
///
/// Sinter compiles host and device code in one pass, so no macro of devices is defined, and code behind such a macro
/// would silently be missing from kernels. If a file has kernels and tests such a macro, the plugin warns once.
/// -fplugin-arg-sinter-device-macros=MACRO,MACRO compiles the file a second time with these macros defined
/// (device_pass.hpp); -fplugin-arg-sinter-device-macros=none turns the message off.

#include <string>
#include <vector>

#include "llvm/ADT/StringRef.h"

namespace clang {
class CompilerInstance;
}

namespace sinter::capture {

/// Reads a comma-separated list of macros, each MACRO or MACRO=VALUE. If the list is wrong, `error` describes the
/// fault.
std::vector<std::string> parse_device_macros(llvm::StringRef list, std::string& error);

/// The option's value for this compilation. The AST role sets it.
struct device_macro_choice {
  std::vector<std::string> macros;  ///< defined in the second pass; empty: there is no second pass
  bool is_silent = false;           ///< whether the option is "none"
};
device_macro_choice& chosen_device_macros();

/// Notes the first place outside of system headers that tests an undefined macro of devices.
void watch_device_macros(clang::CompilerInstance& compiler);
/// Warns about the noted place, if there is one.
void warn_of_device_macros(clang::CompilerInstance& compiler);

}  // namespace sinter::capture
