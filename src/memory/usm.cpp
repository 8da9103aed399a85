#include "usm.hpp"

#include <base/race_notes.hpp>
#include <map>
#include <mutex>
#include <utility>

namespace sycl::inline _V1::detail {
namespace {

/// Never destroyed: static objects may free memory late.
struct allocation_table {
  std::mutex mutex;  // protects entries
  std::map<const char*, usm_allocation> entries;

  static allocation_table& instance() {
    static auto* table = new (sinter::lasting) allocation_table;
    return *table;
  }

  /// Called under the mutex: the allocation that contains `pointer`.
  auto find(const void* pointer) const {
    const auto next = entries.upper_bound(static_cast<const char*>(pointer));
    if (next == entries.begin()) return entries.end();
    const auto found = std::prev(next);
    return static_cast<const char*>(pointer) < found->first + found->second.bytes ? found : entries.end();
  }
};

}  // namespace

void note_usm_allocation(const void* start, usm_allocation allocation) {
  allocation_table& table = allocation_table::instance();
  std::lock_guard lock(table.mutex);
  table.entries.insert_or_assign(static_cast<const char*>(start), std::move(allocation));
}

std::optional<usm_allocation> forget_usm_allocation(const void* start) {
  allocation_table& table = allocation_table::instance();
  std::lock_guard lock(table.mutex);
  const auto found = table.entries.find(static_cast<const char*>(start));
  if (found == table.entries.end()) return std::nullopt;
  std::optional<usm_allocation> taken(std::move(found->second));
  table.entries.erase(found);
  return taken;
}

std::optional<usm_allocation> usm_allocation_of(const void* address) {
  allocation_table& table = allocation_table::instance();
  std::lock_guard lock(table.mutex);
  const auto found = table.find(address);
  return found == table.entries.end() ? std::nullopt : std::optional(found->second);
}

std::span<const char> find_usm_allocation(const void* address) {
  allocation_table& table = allocation_table::instance();
  std::lock_guard lock(table.mutex);
  const auto found = table.find(address);
  return found == table.entries.end() ? std::span<const char>() : std::span(found->first, found->second.bytes);
}

}  // namespace sycl::detail
