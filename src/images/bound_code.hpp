#pragma once
/// Connects compiled code with the functions and variables of this process. The code comes from the JIT, or from a file
/// of the cache.

#include <abi/launch_abi.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "code_variant.hpp"

namespace sinter {

/// If SINTER_CHECK is set, kernels call functions that check their accesses. serve_access_checks sets these functions.
/// It has to be called before the first such kernel is made.
void serve_access_checks(const abi::access_check_functions& functions) noexcept;

/// `info` describes compiled code. Connects this code to this process: sets the addresses of the code's imports and of
/// the runtime's functions, and copies the entry point and facts from `info` to `code`. Returns false if the code was
/// made for another version of Sinter, or if it is already connected to other addresses.
bool bind(const abi::kernel_info& info, const abi::kernel_descriptor& kernel, code_variant& code);
/// Opens a file of the cache. `object` is the shared object that was read from this file. Returns false if the code in
/// the file can't be used, or if the loader opens another object.
bool open_cached(const abi::kernel_descriptor& kernel, const std::string& path, std::string_view object,
                 code_variant& code);

/// Stores an object and its facts in the cache, or only the facts if `object` is null. `api` identifies the LLVM that
/// made the object and the facts. `api` is null if the facts do not depend on LLVM.
void store_object(const abi::jit_api* api, const abi::jit_object* object, const std::string& key,
                  const std::string& facts);

/// Frees code that no thread runs any more. This function does not wait for other threads, because the calling thread
/// may be unloading a library and then holds the loader's lock.
void release_code(const std::vector<std::unique_ptr<code_variant>>& unused) noexcept;

}  // namespace sinter
