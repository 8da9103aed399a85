#pragma once
/// Reads a single environment variable, of this project or of another one. base/environment.cpp reads the table of the
/// project's own variables. In a program with more rights than its user (setuid), no variable counts as set, so that
/// the user cannot change the program's settings.

#include <cstdlib>

namespace sinter::abi {

inline const char* read_variable(const char* name) noexcept { return secure_getenv(name); }

}  // namespace sinter::abi
