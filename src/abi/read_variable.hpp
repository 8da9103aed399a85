#pragma once
/// Reads a single environment variable, of this project or of another. base/environment.cpp reads the table of the
/// project's own variables. A program with more rights than its user (setuid) sees no variables, so that its user
/// cannot change its settings.

#include <cstdlib>

namespace sinter::abi {

inline const char* read_variable(const char* name) noexcept { return secure_getenv(name); }

}  // namespace sinter::abi
