#pragma once
/// Compares a shared object that dlopen has opened with the bytes that were read from its file.

#include <string_view>

namespace sinter {

/// Whether `library` (from dlopen) has the code of `object`, which lld has linked. There are two cases in which it has
/// other code although the bytes of `object` were read from the same path. First, another process may have replaced the
/// file after it was read. Second, if this process has opened an older file with this path, dlopen returns the library
/// of the older file. The result is also false if a debugger has already set a breakpoint in the code.
bool has_code_of(void* library, std::string_view object) noexcept;

}  // namespace sinter
