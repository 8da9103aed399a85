/// Tests which files of the cache folder count for the limit, which ones are removed first, and which ones are never
/// changed.

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <images/cache_folder.hpp>
#include <random>
#include <string>
#include <vector>

namespace {

namespace files = std::filesystem;

class folder {
public:
  folder() {
    char name[] = "/tmp/sinter-test-XXXXXX";
    REQUIRE(mkdtemp(name) != nullptr);
    m_path = name;
  }
  ~folder() { files::remove_all(m_path); }

  const std::string& path() const { return m_path; }
  bool has(const std::string& name) const { return files::exists(m_path + "/" + name); }

  std::string add(const std::string& name, std::size_t bytes, std::time_t used = 0) const {
    std::ofstream(m_path + "/" + name) << std::string(bytes, 'x');
    if (used != 0) {
      const timespec times[] = {{used, 0}, {used, 0}};
      REQUIRE(utimensat(AT_FDCWD, (m_path + "/" + name).c_str(), times, 0) == 0);
    }
    return name;
  }

private:
  std::string m_path;
};

std::string kernel(int number) { return sinter::cache_file_name("kernel " + std::to_string(number)); }

} // namespace

TEST_CASE("a folder without kernels, or no folder, is empty") {
  folder empty;
  CHECK(sinter::cache_contents_of(empty.path()).kernels == 0);
  CHECK(sinter::cache_contents_of(empty.path() + "/none").bytes == 0);
  CHECK(sinter::evict_kernels(empty.path() + "/none", 0).kernels == 0);
  sinter::remove_leftovers(empty.path() + "/none");
}

TEST_CASE("only kernels count, and only kernels are evicted") {
  folder cache;
  cache.add(kernel(1), 100);
  cache.add("notes.so", 10);
  cache.add(sinter::temporary_file_name(0), 10);
  cache.add("README", 10);
  files::create_symlink("/etc/passwd", cache.path() + "/" + kernel(2));
  CHECK(sinter::cache_contents_of(cache.path()).kernels == 1);
  CHECK(sinter::cache_contents_of(cache.path()).bytes == 100);
  CHECK(sinter::evict_kernels(cache.path(), 0).kernels == 0);
  CHECK_FALSE(cache.has(kernel(1)));
  CHECK(cache.has("notes.so"));
  CHECK(cache.has("README"));
  CHECK(cache.has(sinter::temporary_file_name(0)));
  CHECK(files::is_symlink(cache.path() + "/" + kernel(2)));
}

TEST_CASE("the least recently used kernels go first, and no more than needed") {
  std::mt19937 random(7);
  for (int round = 0; round < 20; ++round) {
    folder cache;
    struct entry {
      std::string name;
      std::time_t used;
      std::uint64_t bytes;
    };
    std::vector<entry> entries;
    std::uint64_t total = 0;
    for (int i = 0; i < 12; ++i) {
      // Each kernel was used at a different time, in random order.
      entries.push_back({kernel(i), 1'000'000 + i, 1 + random() % 1000});
      total += entries.back().bytes;
    }
    std::shuffle(entries.begin(), entries.end(), random);
    for (const entry& each : entries) cache.add(each.name, each.bytes, each.used);
    const std::uint64_t limit = random() % (total + 100);
    const sinter::cache_contents left = sinter::evict_kernels(cache.path(), limit);

    std::sort(entries.begin(), entries.end(), [](const entry& a, const entry& b) { return a.used > b.used; });
    std::uint64_t kept = 0;
    std::size_t count = 0;
    while (count < entries.size() && kept + entries[count].bytes <= limit) kept += entries[count++].bytes;
    CHECK(left.kernels == count);
    CHECK(left.bytes == kept);
    for (std::size_t i = 0; i < entries.size(); ++i) CHECK(cache.has(entries[i].name) == (i < count));
  }
}

TEST_CASE("a use makes a kernel the latest one") {
  folder cache;
  for (int i = 0; i < 3; ++i) cache.add(kernel(i), 10, 1000 + i);
  sinter::mark_used(cache.path() + "/" + kernel(0));
  sinter::mark_used(cache.path() + "/none");
  sinter::evict_kernels(cache.path(), 10);
  CHECK(cache.has(kernel(0)));
  CHECK_FALSE(cache.has(kernel(1)));
  CHECK_FALSE(cache.has(kernel(2)));
}

TEST_CASE("leftovers of dead writers go, those of living ones and of unknown ones stay for a day") {
  folder cache;
  const pid_t child = fork();
  if (child == 0) {
    cache.add(sinter::temporary_file_name(3), 10);
    cache.add(sinter::temporary_file_name(3) + ".o", 10);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(std::distance(files::directory_iterator(cache.path()), {}) == 2);
  const std::string own = cache.add(sinter::temporary_file_name(1), 10);
  const std::string elsewhere = cache.add(".tmp-00000000-1-1.so", 10);
  const std::string abandoned = cache.add(".tmp-00000000-1-2.so", 10, 1000);
  cache.add(".tmp-nonsense", 10, 1000);
  cache.add(kernel(1), 10, 1000);
  sinter::remove_leftovers(cache.path());
  CHECK(cache.has(own));
  CHECK(cache.has(elsewhere));
  CHECK_FALSE(cache.has(abandoned));
  CHECK(cache.has(".tmp-nonsense"));
  CHECK(cache.has(kernel(1)));
  CHECK(std::distance(files::directory_iterator(cache.path()), {}) == 4);
}
