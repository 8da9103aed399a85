#pragma once
/// Chooses the compiling process among processes that share a cache: one process compiles the kernel, the other
/// processes wait and load it from the cache.
///
/// A claim is a lock (flock) on a file beside the kernel's file. The lock ends with its process, even if the process
/// crashes. Waiting is limited. If files can't be locked, every process compiles on its own.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace sinter {

class cache_claim {
public:
  cache_claim(const cache_claim&) = delete;
  /// The destructor lets the waiting processes go on. The kernel has been stored, or compiling has failed.
  ~cache_claim();

private:
  friend class cache_claims;
  cache_claim(int file, std::string path);

  int m_file;
  std::string m_path;
};

/// The result of a search.
struct cache_search {
  bool found = false;
  bool gave_up = false;  ///< another process has been compiling the kernel for too long
  /// If nothing was found, the caller holds this claim until the kernel is stored. It is null if other processes can't
  /// wait for the caller.
  std::shared_ptr<cache_claim> claim{};
};

class cache_claims {
public:
  cache_claims(std::string folder, std::chrono::milliseconds patience);

  /// look() returns whether the kernel is in the cache. If the kernel is missing and another process has claimed it,
  /// the function waits once until that process is done, and looks again. If the kernel is still missing, this process
  /// compiles it.
  cache_search search(const std::string& key, const std::function<bool()>& look) const;

  /// A process that has claims itself waits at most this long, because two processes might wait for each other.
  static constexpr std::chrono::milliseconds patience_with_claims{1000};

private:
  bool wait_for_holder(int file) const;

  std::string m_folder;
  std::chrono::milliseconds m_patience;
};

}  // namespace sinter
