#pragma once
/// Reads one environment variable, for code that cannot use base/environment.cpp, which reads all variables of this
/// project. In a program that has more rights than its user (setuid), all variables count as not set, so that the user
/// can't change the program's settings.

#include <cstdlib>

namespace sinter::abi {

inline const char* read_variable(const char* name) noexcept { return secure_getenv(name); }

}  // namespace sinter::abi
