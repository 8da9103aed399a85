#include <sys/mman.h>
#include <unistd.h>

#include <base/race_notes.hpp>
#include <iterator>
#include <map>
#include <memory/usm.hpp>
#include <mutex>
#include <runtime/object_access.hpp>
#include <string>

#include <sycl/ext/oneapi/virtual_mem/virtual_mem.hpp>

namespace sycl::inline _V1::ext::oneapi::experimental {
namespace {

using detail::throw_error;
using detail::throw_invalid;

std::size_t page() {
  static const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return bytes;
}

int protection_of(address_access_mode mode) noexcept {
  if (mode == address_access_mode::none) return PROT_NONE;
  return mode == address_access_mode::read ? PROT_READ : PROT_READ | PROT_WRITE;
}

void require_virtual_memory(const device& asked) {
  if (asked.has(aspect::ext_oneapi_virtual_mem)) return;
  throw_error(errc::feature_not_supported,
              "virtual memory: device '" + asked.get_info<sycl::info::device::name>() +
                  "' has none (no aspect::ext_oneapi_virtual_mem); use malloc_device there");
}

/// A file in memory. Mappings keep the contents after the file is closed.
class memory_file : public detail::counted {
public:
  memory_file(const context& its_home, const device& its_device, std::size_t its_bytes)
      : home(its_home), owner(its_device), bytes(its_bytes), number(memfd_create("sinter", MFD_CLOEXEC)) {
    if (number >= 0 && ftruncate(number, static_cast<off_t>(bytes)) == 0) return;
    if (number >= 0) close(number);
    throw_error(errc::memory_allocation, "physical_mem: there is no memory of " + std::to_string(bytes) + " bytes");
  }
  ~memory_file() override { close(number); }

  const context home;
  const device owner;
  const std::size_t bytes;
  const int number;
};

/// The table of reserved addresses and mappings. The table is never destroyed, because static objects may unmap late.
struct address_table {
  struct mapping {
    std::size_t bytes;
    address_access_mode mode;
  };
  std::mutex mutex;  // protects all members
  std::map<std::uintptr_t, std::size_t> reserved;
  std::map<std::uintptr_t, mapping> mapped;

  static address_table& instance() {
    static auto* table = new (sinter::lasting) address_table;
    return *table;
  }
  bool is_reserved(std::uintptr_t start, std::size_t bytes) const {
    auto found = reserved.upper_bound(start);
    if (found == reserved.begin()) return false;
    --found;
    return start - found->first <= found->second && bytes <= found->second - (start - found->first);
  }
  bool is_mapped(std::uintptr_t start, std::size_t bytes) const {
    const auto next = mapped.lower_bound(start);
    if (next != mapped.end() && next->first - start < bytes) return true;
    if (next == mapped.begin()) return false;
    const auto before = std::prev(next);
    return start - before->first < before->second.bytes;
  }
  mapping& whole(const void* start, std::size_t bytes, const char* call) {
    const auto found = mapped.find(reinterpret_cast<std::uintptr_t>(start));
    if (found == mapped.end() || found->second.bytes != bytes) {
      throw_invalid((std::string(call) + ": the range is not that of a mapping").c_str());
    }
    return found->second;
  }
};

/// Returns whether the range consists of whole pages, at least one.
bool is_whole(std::uintptr_t start, std::size_t bytes) {
  return start % page() == 0 && bytes % page() == 0 && bytes != 0;
}

}  // namespace

std::size_t get_mem_granularity(const device& its_device, const context&, granularity_mode) {
  require_virtual_memory(its_device);
  return page();
}

std::uintptr_t reserve_virtual_mem(std::uintptr_t start, std::size_t bytes, const context& home) {
  for (const device& each : home.get_devices()) require_virtual_memory(each);
  if (!is_whole(start, bytes)) throw_invalid("reserve_virtual_mem: no multiple of get_mem_granularity");
  // The address is only a hint: if it is in use, the system reserves other addresses.
  void* const range = mmap(reinterpret_cast<void*>(start), bytes, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) {
    throw_error(errc::memory_allocation, "reserve_virtual_mem: no addresses for " + std::to_string(bytes) + " bytes");
  }
  address_table& table = address_table::instance();
  std::lock_guard lock(table.mutex);
  table.reserved[reinterpret_cast<std::uintptr_t>(range)] = bytes;
  return reinterpret_cast<std::uintptr_t>(range);
}

void free_virtual_mem(std::uintptr_t start, std::size_t bytes, const context&) {
  address_table& table = address_table::instance();
  std::lock_guard lock(table.mutex);
  const auto found = table.reserved.find(start);
  if (found == table.reserved.end() || found->second != bytes) {
    throw_invalid("free_virtual_mem: the range is not that of a reserve_virtual_mem");
  }
  if (table.is_mapped(start, bytes)) throw_invalid("free_virtual_mem: memory is mapped there; call unmap first");
  munmap(reinterpret_cast<void*>(start), bytes);
  table.reserved.erase(found);
}

physical_mem::physical_mem(const device& its_device, const context& home, std::size_t bytes) {
  if (!detail::object_access::impl(home)->contains(its_device)) {
    throw_invalid("physical_mem: the device is not in the context");
  }
  require_virtual_memory(its_device);
  if (!is_whole(0, bytes)) throw_invalid("physical_mem: the bytes are no multiple of get_mem_granularity");
  m_memory = detail::make_counted<memory_file>(home, its_device, bytes);
}

void* physical_mem::map(std::uintptr_t address, std::size_t bytes, address_access_mode mode,
                        std::size_t offset) const {
  const auto& file = static_cast<const memory_file&>(*m_memory);
  if (!is_whole(address, bytes) || offset % page() != 0) {
    throw_invalid("physical_mem::map: no multiple of get_mem_granularity");
  }
  if (offset > file.bytes || bytes > file.bytes - offset) {
    throw_invalid("physical_mem::map: the memory ends before");
  }
  void* const start = reinterpret_cast<void*>(address);
  address_table& table = address_table::instance();
  {
    std::lock_guard lock(table.mutex);
    if (!table.is_reserved(address, bytes)) throw_invalid("physical_mem::map: the range is not reserved");
    if (table.is_mapped(address, bytes)) throw_invalid("physical_mem::map: memory is mapped there already");
    if (mmap(start, bytes, protection_of(mode), MAP_SHARED | MAP_FIXED, file.number, static_cast<off_t>(offset)) ==
        MAP_FAILED) {
      throw_error(errc::memory_allocation, "physical_mem::map: the system maps no more memory");
    }
    table.mapped[address] = {bytes, mode};
  }
  detail::note_usm_allocation(start, {bytes, usm::alloc::device, file.owner, file.home});
  return start;
}

context physical_mem::get_context() const { return static_cast<const memory_file&>(*m_memory).home; }
device physical_mem::get_device() const { return static_cast<const memory_file&>(*m_memory).owner; }
std::size_t physical_mem::size() const noexcept { return static_cast<const memory_file&>(*m_memory).bytes; }

void set_access_mode(const void* start, std::size_t bytes, address_access_mode mode, const context&) {
  address_table& table = address_table::instance();
  std::lock_guard lock(table.mutex);
  auto& mapping = table.whole(start, bytes, "set_access_mode");
  mprotect(const_cast<void*>(start), bytes, protection_of(mode));
  mapping.mode = mode;
}

address_access_mode get_access_mode(const void* start, std::size_t bytes, const context&) {
  address_table& table = address_table::instance();
  std::lock_guard lock(table.mutex);
  return table.whole(start, bytes, "get_access_mode").mode;
}

void unmap(const void* start, std::size_t bytes, const context&) {
  address_table& table = address_table::instance();
  std::lock_guard lock(table.mutex);
  table.whole(start, bytes, "unmap");
  // A mapping without access takes the place of the removed one, so that the addresses stay reserved.
  mmap(const_cast<void*>(start), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  table.mapped.erase(reinterpret_cast<std::uintptr_t>(start));
  static_cast<void>(detail::forget_usm_allocation(start));
}

}  // namespace sycl::ext::oneapi::experimental
