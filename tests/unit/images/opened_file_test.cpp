/// The loader may open another file than the one whose bytes were read.

#include <dlfcn.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <images/opened_file.hpp>
#include <iterator>
#include <string>

namespace {

namespace files = std::filesystem;

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

}  // namespace

TEST_CASE("code of a replaced file is told apart from the code that the process has opened") {
  char folder[] = "/tmp/sinter-test-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/kernel.so", fresh = std::string(folder) + "/fresh.so";
  const std::string first = bytes_of(SINTER_TEST_FIRST_LIBRARY), second = bytes_of(SINTER_TEST_SECOND_LIBRARY);
  REQUIRE(first != second);
  // Files of the cache have further bytes behind the shared object.
  std::ofstream(path, std::ios::binary) << first << "facts";
  void* const opened = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(opened != nullptr);
  CHECK(sinter::has_code_of(opened, first));
  CHECK_FALSE(sinter::has_code_of(opened, second));
  CHECK_FALSE(sinter::has_code_of(opened, first.substr(0, 70)));
  CHECK_FALSE(sinter::has_code_of(opened, ""));
  // Now the file is replaced. The loader knows the path, and returns the library of the first file.
  std::ofstream(fresh, std::ios::binary) << second;
  files::rename(fresh, path);
  void* const again = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  CHECK(again == opened);
  CHECK_FALSE(sinter::has_code_of(again, second));
  dlclose(again);
  dlclose(opened);
  void* const replaced = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(replaced != nullptr);
  CHECK(sinter::has_code_of(replaced, second));
  dlclose(replaced);
  files::remove_all(folder);
}
