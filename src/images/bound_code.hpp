#pragma once
/// Connects code with this process: the JIT's result, or a file of the cache.

#include <abi/launch_abi.hpp>
#include <memory>
#include <string>
#include <vector>

#include "code_variant.hpp"

namespace sinter {

/// Sets the functions that checked kernels call. Called before the first checked kernel is made.
void serve_access_checks(const abi::access_check_functions& functions) noexcept;

/// Connects code with the process. Returns false if the code is already connected to other addresses.
bool bind(const abi::kernel_info& info, const abi::kernel_descriptor& kernel, code_variant& code);
/// Opens a file of the cache. Returns false if the file can't be used.
bool open_cached(const abi::kernel_descriptor& kernel, const std::string& path, code_variant& code);

/// Keeps an object in the cache, or only the facts if there is no object. `api` is null for facts that do not depend on
/// LLVM.
void store_object(const abi::jit_api* api, const abi::jit_object* object, const std::string& key,
                  const std::string& facts);

/// Frees code that is no longer run. Does not wait, because a thread that unloads a library holds the loader's lock.
void release_code(const std::vector<std::unique_ptr<code_variant>>& unused) noexcept;

}  // namespace sinter
