#include "usm.hpp"

#include <base/environment.hpp>
#include <base/race_notes.hpp>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <sycl/exception.hpp>

namespace sycl::inline _V1::detail {
namespace {

/// The table is never destroyed, because static objects may free memory late.
struct allocation_table {
  std::mutex mutex;  // protects entries
  std::map<const char*, usm_allocation> entries;

  static allocation_table& instance() {
    static auto* table = new (sinter::lasting) allocation_table;
    return *table;
  }

  /// Returns the allocation that contains `pointer`. Called under the mutex.
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

void check_usm_end(const char* name, const char* end, const void* begin, std::size_t bytes) {
  if (!sinter::environment().check_memory) return;
  const std::span<const char> allocation = find_usm_allocation(begin);
  if (allocation.empty()) return;
  const auto left = static_cast<std::size_t>(allocation.data() + allocation.size() - static_cast<const char*>(begin));
  if (bytes <= left) return;
  throw_error(errc::invalid, std::string(name) + ": the " + end + " has " + std::to_string(left) +
                                 " bytes left in its allocation of USM, but the command takes " +
                                 std::to_string(bytes) + "; check the count");
}

}  // namespace sycl::detail
