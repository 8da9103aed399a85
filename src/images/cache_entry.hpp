#pragma once
/// The format of the file of a cached kernel: a shared object, followed by key, LLVM's stamp, facts and a footer.
///
/// ELF loaders ignore bytes after the last section, so dlopen can open the file itself. Files may be damaged or forged,
/// so their contents are checked.

#include <cstddef>
#include <string>
#include <string_view>

namespace sinter {

struct cache_entry {
  std::string_view object;  ///< the shared object's bytes
  std::string_view key;     ///< everything on which the code depends, as complete text, because hashes may collide
  std::string_view stamp;   ///< identifies the LLVM that made the code (cache.cpp)
  std::string_view facts{};  ///< further facts about the code (fusion_facts.hpp); empty for single kernels
};

/// Returns the bytes that are appended to the shared object.
std::string make_cache_trailer(const cache_entry& entry);

/// Finds the parts of the file's contents and checks their checksum. On failure, `error` describes the fault; on
/// success, it is empty.
cache_entry parse_cache_entry(std::string_view file, std::string& error);

} // namespace sinter
