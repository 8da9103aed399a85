// Work-items exchange a structure word by word, also members that have no value yet.
#include "mini_launch.hpp"

struct perhaps {
  std::uint64_t full, value;
};

void kernels(const unsigned* in, perhaps* out) {
  launch<class exchange>([=](std::size_t i) {
    perhaps found;
    found.full = 0;
    for (unsigned k = 0; k < in[i]; ++k) {
      found.full = 1;
      found.value = in[i + k];
    }
    std::uint64_t words[2];
    __builtin_memcpy(words, &found, sizeof words);
    for (std::uint64_t& word : words) word = __sinter_sub_group_shuffle_64(word, static_cast<std::uint32_t>(i) ^ 1);
    __builtin_memcpy(out + i, words, sizeof words);
  });
}
