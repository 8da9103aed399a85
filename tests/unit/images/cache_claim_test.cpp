/// Claims on kernels decide which process compiles a kernel, and how long other processes wait.

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <images/cache_claim.hpp>
#include <images/cache_folder.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

namespace files = std::filesystem;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

class folder {
public:
  folder() {
    char name[] = "/tmp/sinter-test-XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    m_path = name;
  }
  ~folder() { files::remove_all(m_path); }

  const std::string& path() const { return m_path; }
  std::string lock_of(const std::string& key) const { return m_path + "/" + sinter::lock_file_name(key); }
  bool is_empty() const { return files::is_empty(m_path); }

private:
  std::string m_path;
};

/// Another holder of the lock, in this process. This is possible because flock's locks belong to open files, not to
/// processes.
class other_holder {
public:
  other_holder(const folder& cache, const std::string& key)
      : m_file(open(cache.lock_of(key).c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {
    REQUIRE(flock(m_file, LOCK_EX | LOCK_NB) == 0);
  }
  ~other_holder() { close(m_file); }

private:
  int m_file;
};

const auto nothing = [] { return false; };

}  // namespace

TEST_CASE("what is there is neither claimed nor waited for") {
  folder cache;
  other_holder other(cache, "key");
  const sinter::cache_search search = sinter::cache_claims(cache.path(), 30s).search("key", [] { return true; });
  CHECK(search.found);
  CHECK_FALSE(search.claim);
}

TEST_CASE("a claim is a file while it lives, and nothing afterwards") {
  folder cache;
  const sinter::cache_claims claims(cache.path(), 30s);
  {
    const sinter::cache_search search = claims.search("key", nothing);
    CHECK_FALSE(search.found);
    CHECK(search.claim);
    CHECK(files::exists(cache.lock_of("key")));
    CHECK(claims.search("another", nothing).claim);
  }
  CHECK(cache.is_empty());
}

TEST_CASE("what was kept between the first look and the claim is found") {
  folder cache;
  int looks = 0;
  const sinter::cache_search search =
      sinter::cache_claims(cache.path(), 30s).search("key", [&] { return ++looks == 2; });
  CHECK(search.found);
  CHECK_FALSE(search.claim);
  CHECK(cache.is_empty());
}

TEST_CASE("all who wait go on at the same time and find what was made") {
  folder cache;
  const sinter::cache_claims claims(cache.path(), 30s);
  std::atomic<bool> kept{false};
  std::atomic<int> found{0}, begun{0};
  sinter::cache_search first = claims.search("key", nothing);
  REQUIRE(first.claim);
  std::vector<std::thread> others;
  const auto start = clock::now();
  for (int i = 0; i < 8; ++i) {
    others.emplace_back([&] {
      const sinter::cache_search search = claims.search("key", [&] {
        ++begun;
        return kept.load();
      });
      if (search.found && !search.claim) ++found;
    });
  }
  while (begun < 8) std::this_thread::sleep_for(1ms);
  kept = true;
  first.claim.reset();
  for (std::thread& each : others) each.join();
  CHECK(found == 8);
  CHECK(clock::now() - start < 10s);
  CHECK(cache.is_empty());
}

TEST_CASE("where the holder dies without a result, who waited compiles, and is waited for where he got the lock") {
  folder cache;
  const sinter::cache_claims claims(cache.path(), 30s);
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    const other_holder held(cache, "key");
    if (write(ready[1], "x", 1) != 1) _exit(1);
    for (;;) pause();
  }
  char byte;
  REQUIRE(read(ready[0], &byte, 1) == 1);
  std::thread killer([&] {
    std::this_thread::sleep_for(200ms);
    kill(child, SIGKILL);
  });
  const auto start = clock::now();
  const sinter::cache_search search = claims.search("key", nothing);
  CHECK(clock::now() - start >= 150ms);
  CHECK(clock::now() - start < 10s);
  CHECK_FALSE(search.found);
  CHECK_FALSE(search.gave_up);
  CHECK(search.claim);
  killer.join();
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST_CASE("nobody waits longer than his patience, and the lock stays with its holder") {
  folder cache;
  const other_holder other(cache, "key");
  const auto start = clock::now();
  const sinter::cache_search search = sinter::cache_claims(cache.path(), 300ms).search("key", nothing);
  CHECK(clock::now() - start >= 300ms);
  CHECK(search.gave_up);
  CHECK_FALSE(search.claim);
  CHECK(files::exists(cache.lock_of("key")));
  CHECK_FALSE(sinter::cache_claims(cache.path(), 0s).search("key", nothing).gave_up);
}

TEST_CASE("who has a claim himself gives up early: others may wait for him in a circle") {
  folder cache;
  const sinter::cache_claims claims(cache.path(), 60s);
  const sinter::cache_search mine = claims.search("mine", nothing);
  REQUIRE(mine.claim);
  const other_holder other(cache, "theirs");
  const auto start = clock::now();
  const sinter::cache_search search = claims.search("theirs", nothing);
  CHECK(clock::now() - start >= sinter::cache_claims::patience_with_claims);
  CHECK(clock::now() - start < 20s);
  CHECK_FALSE(search.found);
  // There is no message, because this is not a fault.
  CHECK_FALSE(search.gave_up);
}

TEST_CASE("a child that was forked meanwhile does not keep the claim") {
  folder cache;
  const sinter::cache_claims claims(cache.path(), 30s);
  sinter::cache_search first = claims.search("key", nothing);
  const int waiting = open(cache.lock_of("key").c_str(), O_RDWR | O_CLOEXEC);
  REQUIRE(waiting >= 0);
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  CHECK(flock(waiting, LOCK_SH | LOCK_NB) != 0);
  first.claim.reset();
  CHECK(flock(waiting, LOCK_SH | LOCK_NB) == 0);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(waiting);
}

TEST_CASE("lock files without holder are cleared up, others stay") {
  folder cache;
  std::ofstream(cache.lock_of("dead")) << "";
  const other_holder other(cache, "alive");
  sinter::remove_leftovers(cache.path());
  CHECK_FALSE(files::exists(cache.lock_of("dead")));
  CHECK(files::exists(cache.lock_of("alive")));
}

TEST_CASE("nobody has a lock that others don't see, also while a third one clears the folder up") {
  folder cache;
  std::atomic<int> holders{0}, shared{0}, claimed{0};
  std::atomic<bool> done{false};
  std::thread tidy([&] {
    while (!done) sinter::remove_leftovers(cache.path());
  });
  std::vector<std::thread> compiling;
  for (int i = 0; i < 3; ++i) {
    compiling.emplace_back([&] {
      const sinter::cache_claims claims(cache.path(), 30s);
      for (int k = 0; k < 300; ++k) {
        const sinter::cache_search search = claims.search("key", nothing);
        if (!search.claim) continue;
        if (++holders > 1) ++shared;
        ++claimed;
        std::this_thread::sleep_for(100us);
        --holders;
      }
    });
  }
  for (std::thread& each : compiling) each.join();
  done = true;
  tidy.join();
  CHECK(shared.load() == 0);
  CHECK(claimed.load() > 0);
}

TEST_CASE("lock files are no kernels: they neither count nor are evicted") {
  folder cache;
  const sinter::cache_search search = sinter::cache_claims(cache.path(), 1s).search("key", nothing);
  REQUIRE(search.claim);
  CHECK(sinter::cache_contents_of(cache.path()).kernels == 0);
  sinter::evict_kernels(cache.path(), 0);
  CHECK(files::exists(cache.lock_of("key")));
}

TEST_CASE("a folder that can't be written to, or is none, is no reason to wait or to fail") {
  CHECK_FALSE(sinter::cache_claims("/proc/no/such", 30s).search("key", nothing).claim);
  folder cache;
  files::create_directory(cache.lock_of("key"));
  const sinter::cache_search search = sinter::cache_claims(cache.path(), 30s).search("key", nothing);
  CHECK_FALSE(search.found);
  CHECK_FALSE(search.claim);
}
