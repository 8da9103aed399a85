#pragma once
/// Names and counts the files in the cache folder, and removes files when there are too many.

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter {

struct cache_contents {
  std::size_t kernels = 0;
  std::uint64_t bytes = 0;
};

/// Returns the file name, without folder, of the kernel with this key.
std::string cache_file_name(const std::string& key);

/// Returns the name for a file that is being written; `number` distinguishes files of one process.
std::string temporary_file_name(unsigned number);

/// Returns the name of the lock file for the kernel with this key (cache_claim.hpp).
std::string lock_file_name(const std::string& key);

/// Returns whether an open file still has a name. If it has none, a process has removed it.
bool is_linked(int file) noexcept;

/// Returns the number and size of the kernels in the folder. Files that are being written don't count.
cache_contents cache_contents_of(const std::string& folder);

/// Notes that a kernel was used. The kernels used last are kept longest.
void mark_used(const std::string& path);

/// Removes unfinished files of processes that have ended: at once if the process ran on this machine, after a day if
/// that is unknown. Also removes lock files that no process has locked.
void remove_leftovers(const std::string& folder);

/// Removes kernels, least recently used first, until `limit` bytes are left or fewer; returns the remaining contents.
/// Other processes may use the folder and even the removed kernels meanwhile.
cache_contents evict_kernels(const std::string& folder, std::uint64_t limit);

} // namespace sinter
