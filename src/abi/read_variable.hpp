#pragma once
/// The way to single environment variables, of this project and of others; the table of its own is read by
/// base/environment.cpp. A program that has more rights than the user who runs it takes none from that user: for it,
/// none is set.

#include <cstdlib>

namespace sinter::abi {

inline const char* read_variable(const char* name) noexcept { return secure_getenv(name); }

}  // namespace sinter::abi
