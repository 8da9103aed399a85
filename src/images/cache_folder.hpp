#pragma once
/// Gives the names and the number of the files in the cache's folder, and removes kernels when the files need too much
/// space.

#include <cstddef>
#include <cstdint>
#include <string>

namespace sinter {

struct cache_contents {
  std::size_t kernels = 0;
  std::uint64_t bytes = 0;
};

/// Returns the name, without folder, of the file for the kernel with this key.
std::string cache_file_name(const std::string& key);

/// Returns the name of a file that is still being written. `number` distinguishes files of the same process.
std::string temporary_file_name(unsigned number);

/// Returns the name of the lock file for the kernel with this key (cache_claim.hpp).
std::string lock_file_name(const std::string& key);

/// Returns whether an open file still has a name. If the file has no name, some process has removed it.
bool is_linked(int file) noexcept;

/// Returns the number and total size of the kernels in the folder. Files that are still being written don't count.
cache_contents cache_contents_of(const std::string& folder);

/// Records that a kernel has been used just now. The kernels that were used last are kept longest.
void mark_used(const std::string& path);

/// Removes unfinished files of processes that have ended. Files of a process on another machine are removed only after
/// a day, because it is unknown whether that process still runs. Also removes lock files that no process has locked.
void remove_leftovers(const std::string& folder);

/// Removes the least recently used kernels until at most `limit` bytes are left. Returns the number and size of the
/// remaining kernels. Other processes may use the folder at the same time, and may go on using removed kernels that
/// they have opened.
cache_contents evict_kernels(const std::string& folder, std::uint64_t limit);

} // namespace sinter
