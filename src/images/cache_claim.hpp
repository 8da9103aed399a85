#pragma once
/// Chooses the compiling process among those that share a cache: one process compiles the kernel, the others wait and
/// load it from the cache.
///
/// A claim is a lock on a file beside the kernel's (flock), which ends with its process, however that ends. Waiting is
/// limited. If files can't be locked, every process compiles on its own, as without claims.

#include <chrono>
#include <functional>
#include <memory>
#include <string>

namespace sinter {

class cache_claim {
public:
  cache_claim(const cache_claim&) = delete;
  /// The waiting processes go on: the kernel has been stored, or never will be.
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
  bool gave_up = false;  ///< somebody else compiles it, for too long
  /// Not found: to be held until the kernel is kept. Null if no process waits for this one.
  std::shared_ptr<cache_claim> claim{};
};

class cache_claims {
public:
  cache_claims(std::string folder, std::chrono::milliseconds patience);

  /// look() says whether the kernel is there. If the kernel is missing and another process has claimed it, waits once
  /// until that process is done, and looks again. If nothing is found then, this process compiles the kernel itself.
  cache_search search(const std::string& key, const std::function<bool()>& look) const;

  /// A process that others wait for waits at most this long itself: two might wait for each other.
  static constexpr std::chrono::milliseconds patience_with_claims{1000};

private:
  bool wait_for_holder(int file) const;

  std::string m_folder;
  std::chrono::milliseconds m_patience;
};

}  // namespace sinter
