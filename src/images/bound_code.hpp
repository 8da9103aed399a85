#pragma once
/// Connects code with this process: the JIT's result, or a file of the cache.

#include <abi/launch_abi.hpp>
#include <memory>
#include <string>
#include <vector>

#include "code_variant.hpp"

namespace sinter {

/// Sets the functions that checked kernels call; must be called before the first of them is made.
void serve_access_checks(const abi::access_check_functions& functions) noexcept;

/// False when the code is already connected to other addresses.
bool bind(const abi::kernel_info& info, const abi::kernel_descriptor& kernel, code_variant& code);
/// Opens a file of the cache; false when it can't be used.
bool open_cached(const abi::kernel_descriptor& kernel, const std::string& path, code_variant& code);

/// Keeps an object in the cache; without an object, only the facts. `api` is null for facts that no LLVM made.
void store_object(const abi::jit_api* api, const abi::jit_object* object, const std::string& key,
                  const std::string& facts);

/// Frees code that is no longer run. Does not wait: a thread that unloads a library holds the loader's lock.
void release_code(const std::vector<std::unique_ptr<code_variant>>& unused) noexcept;

}  // namespace sinter
