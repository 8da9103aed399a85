#include "usm.hpp"

#include <backends/backend.hpp>
#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <runtime/objects.hpp>
#include <scheduler/scheduler.hpp>

#include <sycl/usm.hpp>

namespace sycl {
namespace {

struct allocation {
  std::size_t bytes;
  usm::alloc kind;
  std::optional<device> owner;
  context home;
};

/// Memory that was freed while commands might still use it.
struct freed_memory : detail::counted {
  freed_memory(device its_owner, void* its_data) : owner(std::move(its_owner)), data(its_data) {}
  ~freed_memory() override { detail::object_access::impl(owner)->backend().deallocate(data); }

  const device owner;
  void* const data;
};

/// All USM allocations by address. Never destroyed: static objects may free memory late.
struct allocation_table {
  std::mutex mutex;  // protects entries
  std::map<const char*, allocation> entries;

  static allocation_table& instance() {
    static auto* table = new allocation_table;
    return *table;
  }

  /// Under the mutex: the allocation `pointer` lies in.
  const allocation* find(const void* pointer) const {
    auto next = entries.upper_bound(static_cast<const char*>(pointer));
    if (next == entries.begin()) return nullptr;
    --next;
    return static_cast<const char*>(pointer) < next->first + next->second.bytes ? &next->second : nullptr;
  }
};

} // namespace

namespace detail {

void* allocate_usm(std::size_t bytes, std::size_t alignment, usm::alloc kind, const context& context,
                   const device* device) {
  if (device && !object_access::impl(context)->contains(*device)) {
    throw exception(make_error_code(errc::invalid), "USM allocation: the device is not in the context");
  }
  if (kind == usm::alloc::unknown) {
    throw exception(make_error_code(errc::invalid), "USM allocation: usm::alloc::unknown is no kind of memory");
  }
  if (bytes == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
  const sycl::device home = device ? *device : context.get_devices().front();
  void* pointer = object_access::impl(home)->backend().allocate(bytes, std::max<std::size_t>(alignment, 64));
  if (!pointer) return nullptr;
  allocation_table& table = allocation_table::instance();
  std::lock_guard lock(table.mutex);
  table.entries.insert_or_assign(static_cast<const char*>(pointer), allocation{bytes, kind, home, context});
  return pointer;
}

std::span<const char> find_usm_allocation(const void* address) {
  allocation_table& table = allocation_table::instance();
  std::lock_guard lock(table.mutex);
  const allocation* found = table.find(address);
  if (!found) return {};
  const auto above = table.entries.upper_bound(static_cast<const char*>(address));
  return {std::prev(above)->first, found->bytes};
}

context context_of(const queue& queue) { return queue.get_context(); }
device device_of(const queue& queue) { return queue.get_device(); }

} // namespace detail

void free(void* pointer, const context&) {
  if (!pointer) return;
  allocation_table& table = allocation_table::instance();
  std::optional<allocation> freed;
  {
    std::lock_guard lock(table.mutex);
    auto found = table.entries.find(static_cast<const char*>(pointer));
    if (found == table.entries.end()) {
      throw exception(make_error_code(errc::invalid),
                      "sycl::free: the pointer is not the start of a USM allocation (freed twice, or from malloc?)");
    }
    freed = std::move(found->second);
    table.entries.erase(found);
  }
  // A mistake by the specification, and common. Waiting could last for ever: a command may free memory itself, or need
  // what this thread does next.
  const auto users = detail::queue_registry::instance().commands_of(freed->home);
  const auto memory = detail::make_counted<freed_memory>(*freed->owner, pointer);
  if (!users.empty()) detail::keep_until_complete(memory, users);
}

void free(void* pointer, const queue& queue) { free(pointer, queue.get_context()); }

usm::alloc get_pointer_type(const void* pointer, const context& context) {
  allocation_table& table = allocation_table::instance();
  std::lock_guard lock(table.mutex);
  const allocation* found = table.find(pointer);
  return found && found->home == context ? found->kind : usm::alloc::unknown;
}

device get_pointer_device(const void* pointer, const context& context) {
  allocation_table& table = allocation_table::instance();
  std::lock_guard lock(table.mutex);
  const allocation* found = table.find(pointer);
  if (!found || found->home != context) {
    throw exception(make_error_code(errc::invalid), "get_pointer_device: no USM allocation of this context");
  }
  return *found->owner;
}

} // namespace sycl
