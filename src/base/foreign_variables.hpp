#pragma once
/// Reads environment variables that only other projects' libraries know: drivers.

#include <initializer_list>
#include <string>

namespace sinter {

/// "NAME=value " for each variable whose name begins with the prefix, sorted by name. The code that a driver makes
/// depends on these variables.
std::string variables_of_driver(std::initializer_list<const char*> beginnings);

/// In a program with more rights than its user, returns the first of these variables that is set, or null. Drivers
/// would open files that the user names there.
const char* find_strangers_variable(std::initializer_list<const char*> names) noexcept;

}  // namespace sinter
