#pragma once
/// Chooses which of the processes that share a cache compiles a kernel. The other processes wait and load the kernel
/// from the cache.
///
/// A claim is a lock (flock) on a file beside the kernel's file in the cache. The system releases the lock when the
/// process ends, even if it crashes. Processes wait only for a limited time. If files can't be locked, each process
/// compiles for itself.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace sinter {

class cache_claim {
public:
  cache_claim(const cache_claim&) = delete;
  /// The destructor releases the waiting processes. The owner destroys the claim when the kernel has been stored, or
  /// when its compilation has failed.
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
  /// If nothing was found, the caller compiles the kernel and keeps this claim until the kernel is stored. The claim is
  /// null if other processes can't wait for this process.
  std::shared_ptr<cache_claim> claim{};
};

class cache_claims {
public:
  cache_claims(std::string folder, std::chrono::milliseconds patience);

  /// look() returns whether the kernel is in the cache. search calls it several times. If the kernel is missing and
  /// another process has claimed it, search waits once until that process releases its claim, and calls look() again.
  /// If the kernel is still missing, search tries to get the claim for this process, which then compiles the kernel.
  cache_search search(const std::string& key, const std::function<bool()>& look) const;

  /// A process that has claims of its own waits at most this long; otherwise two processes could wait for each other.
  static constexpr std::chrono::milliseconds patience_with_claims{1000};

private:
  bool wait_for_holder(int file) const;

  std::string m_folder;
  std::chrono::milliseconds m_patience;
};

}  // namespace sinter
