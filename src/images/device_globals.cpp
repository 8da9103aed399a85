#include "device_globals.hpp"

#include <base/race_notes.hpp>
#include <algorithm>
#include <cstdio>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace sinter {
namespace {

struct known_global {
  std::uint64_t bytes = 0, images = 0;
  std::string initial;
  std::map<const void*, std::shared_ptr<void>> on_devices;
};

struct known_globals {
  std::mutex mutex;
  std::map<const void*, known_global> globals;

  /// Returns the entry of a variable. Makes an entry if the variable has no entry. The caller holds the mutex.
  known_global& find(const void* variable, std::uint64_t bytes) {
    const auto [place, is_new] = globals.try_emplace(variable);
    known_global& result = place->second;
    if (!is_new) return result;
    result.bytes = bytes;
    const char* begin = static_cast<const char*>(variable);
    if (std::any_of(begin, begin + bytes, [](char each) { return each != 0; })) result.initial.assign(begin, bytes);
    return result;
  }
};

/// Returns the entries of all known variables. The object is never destroyed, because constructors and destructors of
/// libraries call this function.
known_globals& all() {
  static auto* known = new (sinter::lasting) known_globals;
  return *known;
}

}  // namespace

void add_device_global(const void* variable, std::uint64_t bytes) noexcept try {
  std::lock_guard lock(all().mutex);
  ++all().find(variable, bytes).images;
} catch (const std::bad_alloc&) {
  std::fprintf(stderr, "sinter: no memory for the first values of a device_global\n");
}

void remove_device_global(const void* variable) noexcept {
  std::map<const void*, std::shared_ptr<void>> unused;
  std::lock_guard lock(all().mutex);
  const auto place = all().globals.find(variable);
  if (place == all().globals.end() || --place->second.images != 0) return;
  unused = std::move(place->second.on_devices);
  all().globals.erase(place);
}

void* device_global_on(const void* owner, const void* variable, std::uint64_t bytes, const global_maker& make) {
  std::lock_guard lock(all().mutex);
  known_global& global = all().find(variable, bytes);
  std::shared_ptr<void>& memory = global.on_devices[owner];
  if (!memory) memory = make(global.initial, global.bytes);
  return memory.get();
}

}  // namespace sinter
