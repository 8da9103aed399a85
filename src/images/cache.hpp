#pragma once
/// The persistent cache of compiled kernels.
///
/// Several processes may use one directory: files appear by rename and are never changed in place.

#include <cstdint>
#include <functional>
#include <string>

#include "cache_claim.hpp"

namespace sinter {

class kernel_cache {
public:
  static kernel_cache& instance();

  /// Returns the path of a verified file for the key, or an empty path if there is none. Damaged files are reported
  /// once and removed.
  std::string find(const std::string& key, std::string* facts = nullptr);

  /// Finds an entry that is no shared object and returns its bytes.
  bool read(const std::string& key, std::string& facts, std::string& object);

  /// Calls cache_claims::search for a process that is about to compile `what`.
  cache_search search(const std::string& key, const std::string& what, const std::function<bool()>& look) const;

  /// Returns whether there is a file, which may be damaged. The call does not count as a use of the file.
  bool has_file(const std::string& key) const;

  /// Makes a file for the key. `link` writes a shared object to the path that it gets and returns a sentence about an
  /// error or an empty text. Failures are reported once and leave no file. The least recently used kernels are removed
  /// when the limit is reached.
  void store(const std::string& key, const std::string& stamp, const std::string& facts,
             const std::function<std::string(const std::string&)>& link);

  /// Removes a file that passed its checks but could not be opened.
  void reject(const std::string& path, const std::string& why);

  bool enabled() const noexcept { return !m_directory.empty(); }
  const std::string& directory() const noexcept { return m_directory; }
  /// Returns the reason why the cache is off, or an empty text while it is on.
  const std::string& disabled_because() const noexcept { return m_disabled; }

private:
  kernel_cache();
  /// Returns the path of the file and its contents, or an empty path if there is no file.
  std::string open(const std::string& key, std::string& facts, std::string& object);
  std::string path_of(const std::string& key) const;
  void complain_once(const std::string& text);
  bool stamp_is_current(std::string_view stamp);
  void stay_within_limit(std::uint64_t added);

  std::string m_directory;
  std::string m_disabled;
};

/// Returns path, size and time of change of a file, one per line. The text changes with the file.
std::string file_stamp(const std::string& path);

} // namespace sinter
