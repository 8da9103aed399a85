#pragma once
/// Environment variables that only libraries of others read: drivers.

#include <initializer_list>
#include <string>

namespace sinter {

/// "NAME=value " of all whose names begin so, in the order of their names: code that a driver makes depends on them.
std::string variables_of_driver(std::initializer_list<const char*> beginnings);

/// In a program with more rights than the user who runs it: the first of these that is set, or null. Drivers would open
/// what that user names there.
const char* find_strangers_variable(std::initializer_list<const char*> names) noexcept;

}  // namespace sinter
