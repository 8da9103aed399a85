#pragma once
/// Names and sizes of the files in the cache folder, and which of them are removed when there are too many.

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter {

struct cache_contents {
  std::size_t kernels = 0;
  std::uint64_t bytes = 0;
};

/// Name, without folder, of the kernel with this key.
std::string cache_file_name(const std::string& key);

/// The name for a file that is being written; `number` distinguishes files of one process.
std::string temporary_file_name(unsigned number);

/// The name of the lock file for the kernel with this key (cache_claim.hpp).
std::string lock_file_name(const std::string& key);

/// Whether an open file still has a name, so that no process has removed it.
bool is_linked(int file) noexcept;

/// Kernels in the folder; files being written don't count.
cache_contents cache_contents_of(const std::string& folder);

/// Notes that a kernel was used: the latest used ones stay longest.
void mark_used(const std::string& path);

/// Removes files of writers that died: at once if they ran on this machine, after a day if that is unknown. Removes
/// lock files that no process has locked.
void remove_leftovers(const std::string& folder);

/// Removes kernels, least recently used first, until `limit` bytes are left or fewer; returns the remaining contents.
/// Other processes may use the folder meanwhile, even the removed kernels.
cache_contents evict_kernels(const std::string& folder, std::uint64_t limit);

} // namespace sinter
