#pragma once
/// The file of a cached kernel: a shared object followed by key, compiler stamp, facts and a footer.
///
/// ELF loaders ignore bytes behind the last section, so the file itself can be opened with dlopen. Files are untrusted.

#include <cstddef>
#include <string>
#include <string_view>

namespace sinter {

struct cache_entry {
  std::string_view object;  ///< the shared object's bytes
  std::string_view key;     ///< everything that the code depends on, in full because hashes may collide
  std::string_view stamp;   ///< identifies the LLVM that made the code (cache.cpp)
  std::string_view facts{};  ///< further facts about the code (fusion_facts.hpp); empty for single kernels
};

/// Returns the bytes that are appended to the shared object.
std::string make_cache_trailer(const cache_entry& entry);

/// Finds the parts of a file and checks its checksum. `error` describes the fault and is empty on success.
cache_entry parse_cache_entry(std::string_view file, std::string& error);

} // namespace sinter
