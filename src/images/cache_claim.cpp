#include "cache_claim.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <thread>
#include <utility>

#include "cache_folder.hpp"

namespace sinter {
namespace {

using clock = std::chrono::steady_clock;

// The shortest and longest sleep of a process between two attempts to lock another process's file. Even the longest
// sleep is short compared with compiling a kernel. The attempts are so rare that they cost little processor time.
constexpr std::chrono::milliseconds shortest_nap{1}, longest_nap{16};

std::atomic<unsigned> claims_held{0};

/// Opens a lock file without locking it. Returns -1 if the file can't be opened.
int open_lock_file(const std::string& path) {
  // The path might not be a regular file, and opening it must not block the program.
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0600);
  struct stat facts;
  if (file >= 0 && (fstat(file, &facts) != 0 || !S_ISREG(facts.st_mode))) {
    close(file);
    return -1;
  }
  return file;
}

enum class lock_result { locked, taken, impossible };

lock_result try_lock(int file, int how) {
  while (flock(file, how | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return lock_result::taken;
    if (errno != EINTR) return lock_result::impossible;
  }
  return lock_result::locked;
}

// The number of attempts is limited, because on file systems that don't count links, every file looks as if it had been
// removed.
constexpr int most_openings = 16;

/// Locks the file at `path`, which is open as `file`. The previous owner of the lock, or a process that clears the
/// folder, may have removed this file before it was locked here. In this case, the function opens the new file at
/// `path` and locks that file.
lock_result lock_what_is_there(int& file, const std::string& path) {
  for (int opened = 1;; ++opened) {
    const lock_result result = try_lock(file, LOCK_EX);
    if (result != lock_result::locked || is_linked(file) || opened == most_openings) return result;
    close(file);
    file = open_lock_file(path);
    if (file < 0) return lock_result::impossible;
  }
}

}  // namespace

cache_claim::cache_claim(int file, std::string path) : m_file(file), m_path(std::move(path)) { ++claims_held; }

cache_claim::~cache_claim() {
  --claims_held;
  // The file is removed before the lock is released, because another process may lock the file as soon as the lock is
  // released. Waiting processes still see the release, because they have the file open.
  if (is_linked(m_file)) unlink(m_path.c_str());
  // Closing the file is not enough to unlock it, because a child process of the program may have the file open, too.
  flock(m_file, LOCK_UN);
  close(m_file);
}

cache_claims::cache_claims(std::string folder, std::chrono::milliseconds patience)
    : m_folder(std::move(folder)), m_patience(patience) {}

cache_search cache_claims::search(const std::string& key, const std::function<bool()>& look) const {
  if (look()) return {.found = true};
  if (m_patience.count() == 0) return {};
  const std::string path = m_folder + "/" + lock_file_name(key);
  int file = open_lock_file(path);
  if (file < 0) return {};
  const auto close_and = [&](cache_search result) {
    if (file >= 0) close(file);
    return result;
  };
  lock_result mine = lock_what_is_there(file, path);
  if (mine == lock_result::taken) {
    const bool in_time = wait_for_holder(file);
    if (look()) return close_and({.found = true});
    if (!in_time) return close_and({.gave_up = claims_held == 0});
    // Several waiting processes may get here at once if the kernel is still missing. One of these processes gets the
    // lock; the others compile without the lock.
    mine = lock_what_is_there(file, path);
  }
  if (mine == lock_result::impossible) {
    if (file >= 0) unlink(path.c_str());
    return close_and({});
  }
  if (mine == lock_result::taken) return close_and({});
  std::shared_ptr<cache_claim> claim(new cache_claim(file, path));
  // Another process may have stored the kernel since the last look.
  const bool found = look();
  if (found) claim.reset();
  return {.found = found, .claim = std::move(claim)};
}

/// Returns false if the waiting time is over.
bool cache_claims::wait_for_holder(int file) const {
  const auto start = clock::now();
  for (auto nap = shortest_nap;; nap = std::min(2 * nap, longest_nap)) {
    const auto patience = claims_held > 0 ? std::min(m_patience, patience_with_claims) : m_patience;
    if (clock::now() - start >= patience) return false;
    std::this_thread::sleep_for(nap);
    // Tries to get a shared lock, so that all waiting processes can get it at the same time.
    const lock_result shared = try_lock(file, LOCK_SH);
    if (shared == lock_result::locked) flock(file, LOCK_UN);
    if (shared != lock_result::taken) return true;
  }
}

}  // namespace sinter
