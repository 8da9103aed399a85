#pragma once
/// Reads single environment variables, of this project and of others; base/environment.cpp reads the table of the
/// project's own variables. A program with more rights than its user takes no settings from that user: it sees no
/// variables.

#include <cstdlib>

namespace sinter::abi {

inline const char* read_variable(const char* name) noexcept { return secure_getenv(name); }

}  // namespace sinter::abi
