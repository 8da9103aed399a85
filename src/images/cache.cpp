#include "cache.hpp"

#include <fcntl.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <base/environment.hpp>
#include <base/race_notes.hpp>

#include "cache_entry.hpp"
#include "cache_folder.hpp"

namespace sinter {
namespace {

// No kernel is larger than this. A larger file does not belong to the cache.
constexpr off_t max_file_bytes = off_t{256} << 20;
// When the folder exceeds its limit, kernels are removed until 7/8 of the limit are used. If kernels were removed only
// until the limit is reached, every new kernel would exceed the limit again, and each time the folder would have to be
// searched.
constexpr std::uint64_t keep_eighths = 7;

class descriptor {
public:
  explicit descriptor(int fd) : m_fd(fd) {}
  descriptor(const descriptor&) = delete;
  ~descriptor() {
    if (m_fd >= 0) close(m_fd);
  }
  int get() const { return m_fd; }

private:
  int m_fd;
};

bool read_file(const std::string& path, std::string& bytes) {
  // The path may not be a regular file. Because of these flags, `open` does not block in this case, and a terminal does
  // not become the program's controlling terminal.
  descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY));
  struct stat facts;
  if (file.get() < 0 || fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode) || facts.st_size > max_file_bytes) {
    return false;
  }
  bytes.resize(static_cast<std::size_t>(facts.st_size));
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t got = read(file.get(), bytes.data() + at, bytes.size() - at);
    if (got <= 0) return false;
    at += static_cast<std::size_t>(got);
  }
  return true;
}

bool append_file(const std::string& path, const std::string& bytes) {
  descriptor file(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW));
  if (file.get() < 0) return false;
  std::size_t at = 0;
  while (at < bytes.size()) {
    const ssize_t put = write(file.get(), bytes.data() + at, bytes.size() - at);
    if (put <= 0) return false;
    at += static_cast<std::size_t>(put);
  }
  return true;
}

/// Makes a directory and its parents, like mkdir -p. Only the user can access the new directories.
void make_directories(const std::string& path) {
  for (std::size_t slash = 1; slash != std::string::npos;) {
    slash = path.find('/', slash + 1);
    mkdir(path.substr(0, slash).c_str(), 0700);
  }
}

/// Checks the parent folders, because a user who may write to a parent folder could replace this folder. Returns an
/// empty text if only the user and the system may write to the parent folders.
std::string check_parents(const std::string& path) {
  struct stat root;
  if (stat("/", &root) != 0) return "the folder / can't be read";
  for (std::size_t slash = path.rfind('/'); slash != std::string::npos && path != "/";
       slash = path.rfind('/', slash - 1)) {
    const std::string parent = slash == 0 ? "/" : path.substr(0, slash);
    struct stat facts;
    if (stat(parent.c_str(), &facts) != 0) return parent + " can't be read (" + std::strerror(errno) + ")";
    // In a user namespace, the system's files may belong to another user than root: to the owner of /.
    if (facts.st_uid != geteuid() && facts.st_uid != 0 && facts.st_uid != root.st_uid) {
      return parent + " belongs to another user, who could put another folder in its place";
    }
    // In folders with the sticky bit, such as /tmp, only the owner of a file can rename it.
    if ((facts.st_mode & 022) != 0 && (facts.st_mode & S_ISVTX) == 0) {
      return "others may write to " + parent + " and could put another folder in its place; run chmod go-w on it";
    }
    if (slash == 0) break;
  }
  return {};
}

/// Returns the reason why code from this directory must not be run, or an empty text. Replaces `path` by its real path,
/// without symbolic links.
std::string check_directory(std::string& path) {
  char* real = realpath(path.c_str(), nullptr);
  if (!real) return "it can't be created (" + std::string(std::strerror(errno)) + ")";
  path = real;
  std::free(real);
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0) return "it can't be read (" + std::string(std::strerror(errno)) + ")";
  if (!S_ISDIR(facts.st_mode)) return "it is not a directory";
  if (facts.st_uid != geteuid()) return "it belongs to another user, who could plant code in it";
  if ((facts.st_mode & 022) != 0) return "others may write to it and could plant code in it; run chmod go-w on it";
  return check_parents(path);
}

} // namespace

std::string file_stamp(const std::string& path) {
  struct stat facts;
  if (stat(path.c_str(), &facts) != 0) return {};
  return path + "\n" + std::to_string(facts.st_size) + "\n" + std::to_string(facts.st_mtim.tv_sec) + "." +
         std::to_string(facts.st_mtim.tv_nsec);
}

kernel_cache& kernel_cache::instance() {
  static auto* cache = new (sinter::lasting) kernel_cache;
  return *cache;
}

kernel_cache::kernel_cache() {
  const environment_values& values = environment();
  if (getauxval(AT_SECURE) != 0) {
    m_disabled = "the program has more rights than the user who runs it";
    return;
  }
  if (!values.cache) {
    m_disabled = "SINTER_CACHE turns it off";
    return;
  }
  if (values.cache_directory.empty()) {
    m_disabled = "neither SINTER_CACHE_DIR nor HOME is set to an absolute path";
    return;
  }
  make_directories(values.cache_directory);
  std::string directory = values.cache_directory;
  m_disabled = check_directory(directory);
  if (m_disabled.empty()) {
    m_directory = directory;
  } else {
    complain_once(
        "the kernel cache " + values.cache_directory + " is not used: " + m_disabled +
        ". Kernels are compiled anew in each run; SINTER_CACHE_DIR moves the cache, SINTER_CACHE=0 silences this");
  }
}

void kernel_cache::complain_once(const std::string& text) {
  static std::atomic<bool> done{false};
  if (environment().warning_level > 0 && !done.exchange(true)) std::fprintf(stderr, "sinter: %s\n", text.c_str());
}

bool kernel_cache::stamp_is_current(std::string_view stamp) {
  if (stamp.empty()) return true;  // the entry does not depend on LLVM
  // All entries that a process reads were made by one LLVM, so one call of stat suffices for all of them.
  static std::mutex mutex;
  static auto& known_good = *new std::string;  // never destroyed, because static objects may launch kernels
  std::lock_guard lock(mutex);
  if (stamp == known_good) return true;
  if (file_stamp(std::string(stamp.substr(0, stamp.find('\n')))) != stamp) return false;
  known_good = stamp;
  return true;
}

std::string kernel_cache::path_of(const std::string& key) const { return m_directory + "/" + cache_file_name(key); }

bool kernel_cache::has_file(const std::string& key) const { return access(path_of(key).c_str(), F_OK) == 0; }

cache_search kernel_cache::search(const std::string& key, const std::string& what,
                                  const std::function<bool()>& look) const {
  if (!enabled()) return {};
  const unsigned seconds = environment().cache_wait_seconds;
  cache_search result = cache_claims(m_directory, std::chrono::seconds(seconds)).search(key, look);
  static std::atomic<bool> said{false};
  if (result.gave_up && !result.found && environment().warning_level > 0 && !said.exchange(true)) {
    const std::string text = "another process has been compiling " + what + " for " + std::to_string(seconds) +
                             " s; it is compiled here as well. SINTER_CACHE_WAIT says how long to wait";
    std::fprintf(stderr, "sinter: %s\n", text.c_str());
  }
  return result;
}

std::string kernel_cache::find(const std::string& key, std::string* facts, std::string* object) {
  std::string found_facts, found_object;
  std::string path = open(key, found_facts, found_object);
  if (!path.empty() && facts) *facts = std::move(found_facts);
  if (!path.empty() && object) *object = std::move(found_object);
  return path;
}

bool kernel_cache::read(const std::string& key, std::string& facts, std::string& object) {
  return !open(key, facts, object).empty();
}

std::string kernel_cache::open(const std::string& key, std::string& facts, std::string& object) {
  if (!enabled()) return {};
  const std::string path = path_of(key);
  std::string bytes, error;
  if (!read_file(path, bytes)) return {};
  const cache_entry entry = parse_cache_entry(bytes, error);
  if (!error.empty()) {
    reject(path, error);
    return {};
  }
  // The entry belongs to another key with the same hash, or LLVM has been replaced since the entry was made. In both
  // cases, the kernel is compiled again, and the new entry replaces this entry.
  if (entry.key != key || !stamp_is_current(entry.stamp)) return {};
  mark_used(path);
  facts = entry.facts;
  object = entry.object;
  return path;
}

void kernel_cache::reject(const std::string& path, const std::string& why, std::string_view object) {
  std::string bytes;
  if (!object.empty() && (!read_file(path, bytes) || !bytes.starts_with(object))) return;
  // Another process may already have removed the file, for the same reason or because the folder was full.
  if (unlink(path.c_str()) != 0 && errno == ENOENT) return;
  complain_once("the cached kernel " + path + " is damaged (" + why + "); it is removed and compiled again");
}

void kernel_cache::store(const std::string& key, const std::string& stamp, const std::string& facts,
                         const std::function<std::string(const std::string&)>& link) {
  if (!enabled()) return;
  static std::atomic<unsigned> counter{0};
  static std::once_flag cleaned;
  std::call_once(cleaned, [&] { remove_leftovers(m_directory); });
  const std::string temporary = m_directory + "/" + temporary_file_name(counter.fetch_add(1));
  std::string error = link(temporary);
  std::string object;
  if (error.empty() && !read_file(temporary, object)) error = "it can't be read back";
  if (error.empty() && !append_file(temporary, make_cache_trailer({object, key, stamp, facts}))) {
    error = std::strerror(errno);
  }
  if (error.empty() && rename(temporary.c_str(), path_of(key).c_str()) != 0) {
    error = std::strerror(errno);
  }
  if (error.empty()) return stay_within_limit(object.size());
  unlink(temporary.c_str());
  complain_once("a kernel could not be kept in the cache " + m_directory + ": " + error);
}

void kernel_cache::stay_within_limit(std::uint64_t added) {
  static std::mutex mutex;
  // The sum of the sizes of two sets of files: the files that this process has written, and the files that were in the
  // folder when the process began to count. Every other process counts the files that it has written itself.
  static std::optional<std::uint64_t> bytes;
  std::lock_guard lock(mutex);
  bytes = bytes ? *bytes + added : cache_contents_of(m_directory).bytes;
  const std::uint64_t limit = std::uint64_t{environment().cache_mebibytes} << 20;
  if (*bytes > limit) bytes = evict_kernels(m_directory, limit / 8 * keep_eighths).bytes;
}

} // namespace sinter
