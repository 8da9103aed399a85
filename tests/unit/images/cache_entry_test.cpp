#include <doctest/doctest.h>

#include <images/cache_entry.hpp>
#include <memory>
#include <cstring>

namespace {

using sinter::cache_entry;

/// A copy whose allocation ends with the data, so that the address sanitizer sees reads past the end.
struct exact_copy {
  explicit exact_copy(std::string_view text) : data(new char[text.size()]), size(text.size()) {
    std::memcpy(data.get(), text.data(), text.size());
  }
  std::string_view view() const { return {data.get(), size}; }
  std::unique_ptr<char[]> data;
  std::size_t size;
};

std::string file_of(const cache_entry& entry) { return std::string(entry.object) + make_cache_trailer(entry); }

const std::string object(300, 'o');
const std::string key = "contract 1\nimage 1.2\n";
const std::string stamp = "/usr/lib/libLLVM.so\n1\n2.3";

} // namespace

TEST_CASE("what was put into a cache file comes out of it") {
  for (const cache_entry& entry : {cache_entry{object, key, stamp}, cache_entry{"", "", ""}, cache_entry{"", key, ""},
                                   cache_entry{object, "", stamp}, cache_entry{object, key, stamp, "facts"},
                                   cache_entry{"", "", "", key}}) {
    const exact_copy file(file_of(entry));
    std::string error = "from before";
    const cache_entry read = sinter::parse_cache_entry(file.view(), error);
    CHECK(error == "");
    CHECK(read.object == entry.object);
    CHECK(read.key == entry.key);
    CHECK(read.stamp == entry.stamp);
    CHECK(read.facts == entry.facts);
  }
}

TEST_CASE("a cache file that is cut off anywhere is refused with a reason and gives nothing") {
  const std::string whole = file_of({object, key, stamp});
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const exact_copy file(std::string_view(whole).substr(0, size));
    std::string error;
    const cache_entry read = sinter::parse_cache_entry(file.view(), error);
    CAPTURE(size);
    CHECK(error != "");
    CHECK(read.object.size() + read.key.size() + read.stamp.size() == 0);
  }
}

TEST_CASE("a cache file that lost its beginning is refused") {
  const std::string whole = file_of({object, key, stamp});
  for (std::size_t lost = 1; lost < whole.size(); ++lost) {
    const exact_copy file(std::string_view(whole).substr(lost));
    std::string error;
    sinter::parse_cache_entry(file.view(), error);
    CAPTURE(lost);
    CHECK(error != "");
  }
}

TEST_CASE("a changed byte anywhere is refused, or did not matter") {
  const std::string whole = file_of({object, key, stamp});
  for (std::size_t at = 0; at < whole.size(); ++at) {
    for (unsigned value : {0x01u, 0x20u, 0x80u, 0xffu}) {
      std::string changed = whole;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ value);
      const exact_copy file(changed);
      std::string error;
      const cache_entry read = sinter::parse_cache_entry(file.view(), error);
      CAPTURE(at);
      CHECK((error != "" || (read.object == object && read.key == key && read.stamp == stamp)));
      // The checksum covers everything except the footer.
      if (at < object.size() + key.size() + stamp.size()) CHECK(error != "");
    }
  }
}

TEST_CASE("bytes after the end are refused") {
  const exact_copy file(file_of({object, key, stamp}) + "x");
  std::string error;
  sinter::parse_cache_entry(file.view(), error);
  CHECK(error != "");
}
