#pragma once
/// Reads one environment variable, for code that cannot use base/environment.cpp, which reads all variables of this
/// project. In a program with more rights than its user (setuid), no variable counts as set, so that the user cannot
/// change the program's settings.

#include <cstdlib>

namespace sinter::abi {

inline const char* read_variable(const char* name) noexcept { return secure_getenv(name); }

}  // namespace sinter::abi
