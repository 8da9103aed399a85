#pragma once
/// Reads environment variables that belong to drivers' libraries and not to Sinter.

#include <initializer_list>
#include <string>

namespace sinter {

/// Returns "NAME=value " for each variable whose name begins with one of these words, sorted by name. The code that a
/// driver makes depends on these variables.
std::string variables_of_driver(std::initializer_list<const char*> beginnings);

/// In a program with more rights than its user, returns the first of these variables that is set, or null. By such a
/// variable, the user could make the driver open any file with the program's rights.
const char* find_strangers_variable(std::initializer_list<const char*> names) noexcept;

}  // namespace sinter
