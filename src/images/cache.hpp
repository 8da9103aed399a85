#pragma once
/// The persistent cache of compiled kernels.
///
/// Several processes may use one directory: a complete file appears by a rename, and no file is changed afterwards.

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "cache_claim.hpp"

namespace sinter {

class kernel_cache {
public:
  static kernel_cache& instance();

  /// Checks the file for the key and returns its path, or an empty path if there is no such file. A damaged file is
  /// reported once and removed. The shared object's bytes become `object`.
  std::string find(const std::string& key, std::string* facts = nullptr, std::string* object = nullptr);

  /// Finds an entry that is not a shared object, and returns its bytes in `object`.
  bool read(const std::string& key, std::string& facts, std::string& object);

  /// Calls cache_claims::search for a process that is about to compile the kernel that `what` names.
  cache_search search(const std::string& key, const std::string& what, const std::function<bool()>& look) const;

  /// Returns whether there is a file for the key. The file may be damaged. The call does not mark the file as used.
  bool has_file(const std::string& key) const;

  /// Stores an entry for the key. The function `link` writes the shared object to the path that it receives, and
  /// returns a sentence about an error, or an empty text. If storing fails, the failure is reported once and no file is
  /// left. When the cache exceeds its limit, the least recently used kernels are removed.
  void store(const std::string& key, const std::string& stamp, const std::string& facts,
             const std::function<std::string(const std::string&)>& link);

  /// Removes a file that passed all checks but could not be loaded. If `object` is not empty, the file is only removed
  /// if it still begins with these bytes: another process may have replaced the file.
  void reject(const std::string& path, const std::string& why, std::string_view object = {});

  bool enabled() const noexcept { return !m_directory.empty(); }
  const std::string& directory() const noexcept { return m_directory; }
  /// Returns the reason why the cache is off, or an empty text if it is on.
  const std::string& disabled_because() const noexcept { return m_disabled; }

private:
  kernel_cache();
  /// Returns the path of the file and reads its contents. Returns an empty path if there is no file.
  std::string open(const std::string& key, std::string& facts, std::string& object);
  std::string path_of(const std::string& key) const;
  void complain_once(const std::string& text);
  bool stamp_is_current(std::string_view stamp);
  void stay_within_limit(std::uint64_t added);

  std::string m_directory;
  std::string m_disabled;
};

/// Returns a file's path, size and time of last change, one per line. So the text changes when the file changes.
std::string file_stamp(const std::string& path);

} // namespace sinter
