/// make_seeds CORPUS_FOLDER rewrites the committed corpora of images and cache files. This is needed after
/// changes of a format.

#include <cstdio>
#include <fstream>
#include <images/cache_entry.hpp>
#include <images/fusion_facts.hpp>

#include "../unit/images/image_builder.hpp"

namespace {

void write(const std::string& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file << bytes;
  if (!file.flush()) std::fprintf(stderr, "make_seeds: %s can't be written\n", path.c_str());
}

std::string cache_file(const sinter::cache_entry& entry) {
  return std::string(entry.object) + make_cache_trailer(entry);
}

} // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::fprintf(stderr, "usage: make_seeds CORPUS_FOLDER\n");
    return 2;
  }
  const std::string folder = words[1];
  const std::string whole = test::image_builder::example().build();
  write(folder + "/image/example", whole);
  write(folder + "/image/empty", test::image_builder().build());
  write(folder + "/image/cut_off", whole.substr(0, 200));
  test::image_builder broken = test::image_builder::example();
  broken.leaves[0].size = 1000;
  write(folder + "/image/leaf_outside", broken.build());
  write(folder + "/cache_entry/example",
        cache_file({"an object", "contract 1\nimage 1.2\n", "/lib/libLLVM.so\n1\n2.3"}));
  write(folder + "/cache_entry/empty", cache_file({"", "", ""}));
  write(folder + "/cache_entry/cut_off", cache_file({"an object", "key", "stamp"}).substr(0, 40));
  write(folder + "/cache_entry/facts", cache_file({"an object", "key", "stamp", "facts"}));
  sinter::fusion_facts facts;
  facts.statements = {{"barriers", "0 of 1 kept", {{"kept", std::uint64_t{0}}}}};
  facts.depends_on = {{1, 8, 4}, {0, 16, 8}};
  facts.promotions = {{0, 24, 1, 4}};
  facts.numbers = "twelve bytes";
  facts.range_member = 1;
  const std::string code = write_fusion_facts(facts);
  write(folder + "/fusion_facts/code", code);
  write(folder + "/fusion_facts/cut_off", code.substr(0, 60));
  facts = {};
  facts.refused = "not proved";
  write(folder + "/fusion_facts/refusal", write_fusion_facts(facts));
  return 0;
}
