#include "cache_entry.hpp"

#include <cstdint>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sinter {
namespace {

constexpr char footer_magic[8] = {'S', 'I', 'N', 'T', 'E', 'R', 'K', 'O'};
constexpr std::uint32_t footer_version = 1;

struct footer {
  std::uint64_t object_size;
  std::uint32_t key_size;
  std::uint32_t stamp_size;
  std::uint64_t hash_low;   ///< XXH3-128 hash of object, key, stamp and facts
  std::uint64_t hash_high;
  std::uint32_t version;
  std::uint32_t facts_size;
  char magic[8];
};
static_assert(sizeof(footer) == 48);

XXH128_hash_t hash_of(const cache_entry& entry) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  XXH3_128bits_update(&state, entry.object.data(), entry.object.size());
  XXH3_128bits_update(&state, entry.key.data(), entry.key.size());
  XXH3_128bits_update(&state, entry.stamp.data(), entry.stamp.size());
  XXH3_128bits_update(&state, entry.facts.data(), entry.facts.size());
  return XXH3_128bits_digest(&state);
}

} // namespace

std::string make_cache_trailer(const cache_entry& entry) {
  const XXH128_hash_t hash = hash_of(entry);
  footer end{entry.object.size(), static_cast<std::uint32_t>(entry.key.size()),
             static_cast<std::uint32_t>(entry.stamp.size()), hash.low64, hash.high64, footer_version,
             static_cast<std::uint32_t>(entry.facts.size()), {}};
  std::memcpy(end.magic, footer_magic, sizeof(footer_magic));
  std::string bytes;
  bytes.append(entry.key)
      .append(entry.stamp)
      .append(entry.facts)
      .append(reinterpret_cast<const char*>(&end), sizeof(end));
  return bytes;
}

cache_entry parse_cache_entry(std::string_view file, std::string& error) {
  error.clear();
  footer end;
  if (file.size() < sizeof(end)) {
    error = "it is too short";
    return {};
  }
  std::memcpy(&end, file.data() + file.size() - sizeof(end), sizeof(end));
  if (std::memcmp(end.magic, footer_magic, sizeof(footer_magic)) != 0 || end.version != footer_version) {
    error = "it is not a kernel of this version of Sinter, or cut off";
    return {};
  }
  const std::uint64_t rest = file.size() - sizeof(end);
  if (end.object_size > rest ||
      std::uint64_t{end.key_size} + end.stamp_size + end.facts_size != rest - end.object_size) {
    error = "its sizes don't add up";
    return {};
  }
  cache_entry entry{file.substr(0, end.object_size), file.substr(end.object_size, end.key_size),
                    file.substr(end.object_size + end.key_size, end.stamp_size),
                    file.substr(end.object_size + end.key_size + end.stamp_size, end.facts_size)};
  const XXH128_hash_t hash = hash_of(entry);
  if (hash.low64 != end.hash_low || hash.high64 != end.hash_high) {
    error = "its checksum is wrong";
    return {};
  }
  return entry;
}

} // namespace sinter
