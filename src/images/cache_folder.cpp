#include "cache_folder.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <ctime>
#include <string_view>
#include <tuple>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sinter {
namespace {

constexpr std::string_view kernel_suffix = ".so";
constexpr std::size_t kernel_name_length = 32 + kernel_suffix.size();
constexpr std::string_view lock_prefix = ".lock-";
constexpr std::time_t leftover_seconds = 24 * 60 * 60;

/// Calls `visit(name, facts)` for each regular file in the folder.
template <class Visit>
void for_each_file(const std::string& folder, const Visit& visit) {
  DIR* list = opendir(folder.c_str());
  if (!list) return;
  while (const dirent* entry = readdir(list)) {
    struct stat facts;
    if (fstatat(dirfd(list), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(facts.st_mode)) {
      visit(entry->d_name, facts);
    }
  }
  closedir(list);
}

bool is_kernel(std::string_view name) {
  return name.size() == kernel_name_length && name.ends_with(kernel_suffix) && !name.starts_with('.');
}

/// Removes a lock file that no process has locked.
void remove_unlocked(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
  if (file < 0) return;
  // Another process may have removed the file after this process opened it, and the path may now be a new file that is
  // locked. Only a file that is still linked is removed.
  if (flock(file, LOCK_EX | LOCK_NB) == 0 && is_linked(file)) unlink(path.c_str());
  close(file);
}

/// Returns a number that identifies the boot and the PID namespace of this process. Processes of several boots or
/// namespaces may share a folder, and process numbers are unique only within one boot and one namespace.
unsigned process_space() {
  static const unsigned space = [] {
    std::string text;
    if (std::FILE* file = std::fopen("/proc/sys/kernel/random/boot_id", "re")) {
      char boot[64];
      if (std::fgets(boot, sizeof(boot), file)) text = boot;
      std::fclose(file);
    }
    char pid_namespace[64];
    const ssize_t length = readlink("/proc/self/ns/pid", pid_namespace, sizeof(pid_namespace));
    if (length > 0) text.append(pid_namespace, static_cast<std::size_t>(length));
    return static_cast<unsigned>(XXH3_64bits(text.data(), text.size()));
  }();
  return space;
}

} // namespace

std::string cache_file_name(const std::string& key) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  char name[kernel_name_length + 1];
  std::snprintf(name, sizeof(name), "%016llx%016llx.so", static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return name;
}

std::string temporary_file_name(unsigned number) {
  char name[64];
  std::snprintf(name, sizeof(name), ".tmp-%08x-%d-%u.so", process_space(), static_cast<int>(getpid()), number);
  return name;
}

std::string lock_file_name(const std::string& key) {
  return std::string(lock_prefix) + cache_file_name(key).substr(0, kernel_name_length - kernel_suffix.size());
}

bool is_linked(int file) noexcept {
  struct stat facts;
  return fstat(file, &facts) == 0 && facts.st_nlink != 0;
}

cache_contents cache_contents_of(const std::string& folder) {
  cache_contents result;
  for_each_file(folder, [&](std::string_view name, const struct stat& facts) {
    if (!is_kernel(name)) return;
    ++result.kernels;
    result.bytes += static_cast<std::uint64_t>(facts.st_size);
  });
  return result;
}

void mark_used(const std::string& path) {
  // This fails if the process may not change the file's time. Kernels are then removed in the order in which they were
  // made.
  utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

void remove_leftovers(const std::string& folder) {
  for_each_file(folder, [&](const char* name, const struct stat& facts) {
    if (std::string_view(name).starts_with(lock_prefix)) return remove_unlocked(folder + "/" + name);
    unsigned space = 0;
    int pid = 0;
    if (std::sscanf(name, ".tmp-%8x-%d-", &space, &pid) != 2 || pid <= 0) return;
    const bool dead = space == process_space() && kill(pid, 0) != 0 && errno == ESRCH;
    if (dead || std::time(nullptr) - facts.st_mtime > leftover_seconds) unlink((folder + "/" + name).c_str());
  });
}

cache_contents evict_kernels(const std::string& folder, std::uint64_t limit) {
  struct kernel_file {
    timespec used;
    std::uint64_t bytes;
    std::string name;
  };
  std::vector<kernel_file> files;
  cache_contents left;
  for_each_file(folder, [&](std::string_view name, const struct stat& facts) {
    if (!is_kernel(name)) return;
    files.push_back({facts.st_mtim, static_cast<std::uint64_t>(facts.st_size), std::string(name)});
    left.bytes += files.back().bytes;
  });
  left.kernels = files.size();
  if (left.bytes <= limit) return left;
  std::sort(files.begin(), files.end(), [](const kernel_file& a, const kernel_file& b) {
    return std::tie(a.used.tv_sec, a.used.tv_nsec, a.name) < std::tie(b.used.tv_sec, b.used.tv_nsec, b.name);
  });
  for (const kernel_file& oldest : files) {
    if (left.bytes <= limit) break;
    // A file that another process has already removed counts as removed. Programs that have opened a removed file can
    // still use it.
    if (unlink((folder + "/" + oldest.name).c_str()) != 0 && errno != ENOENT) continue;
    left.bytes -= oldest.bytes;
    --left.kernels;
  }
  return left;
}

} // namespace sinter
