#include "pool_memory.hpp"

#include <algorithm>
#include <base/race_notes.hpp>
#include <runtime/handler_impl.hpp>
#include <string>
#include <utility>
#include <vector>

#include <sycl/ext/oneapi/experimental/async_alloc.hpp>

namespace sycl::inline _V1::detail {
namespace {

struct pool_allocation {
  shared<pool_memory> pool;
  std::size_t bytes;
};

/// Memory that commands have allocated and not freed yet. The object is never destroyed, because static objects may
/// free memory late.
struct pool_table {
  std::mutex mutex;  // protects all members
  std::map<const void*, pool_allocation> allocations;
  std::vector<shared<pool_memory>> usual;  ///< a pool for each context, device and kind

  static pool_table& instance() {
    static auto* table = new (sinter::lasting) pool_table;
    return *table;
  }
};

}  // namespace

pool_memory::~pool_memory() { drop_kept(); }

void pool_memory::drop_kept() noexcept {
  for (const auto& [bytes, memory] : m_kept) {
    try {
      sycl::free(memory, m_home);
    } catch (const exception&) {
      // sycl::free fails only if the program has already freed the memory itself.
    }
  }
  m_kept.clear();
  m_kept_bytes = 0;
}

void* pool_memory::take(std::size_t bytes) {
  std::lock_guard lock(m_mutex);
  // A block that is more than twice as large as needed is not used, so that it stays free for a larger allocation.
  if (const auto found = m_kept.lower_bound(bytes); found != m_kept.end() && found->first / 2 <= bytes) {
    void* const memory = found->second;
    m_used += found->first;
    m_kept_bytes -= found->first;
    const std::size_t whole = found->first;
    m_kept.erase(found);
    std::lock_guard table_lock(pool_table::instance().mutex);
    pool_table::instance().allocations.insert_or_assign(memory, pool_allocation{shared<pool_memory>(this), whole});
    return memory;
  }
  const auto refuse = [&](const std::string& why) {
    throw_error(errc::memory_allocation, "async_malloc: no memory for " + std::to_string(bytes) + " bytes on device '" +
                                             m_device.get_info<info::device::name>() + "'" + why);
  };
  if (m_most != 0 && bytes > m_most - std::min(m_most, reserved_now())) drop_kept();
  if (m_most != 0 && bytes > m_most - std::min(m_most, m_used)) {
    refuse(": the pool has " + std::to_string(m_used) + " of its maximum_size of " + std::to_string(m_most) +
           " in use");
  }
  void* memory = allocate_usm(bytes, 0, m_kind, m_home, &m_device);
  if (!memory) {
    drop_kept();
    memory = allocate_usm(bytes, 0, m_kind, m_home, &m_device);
  }
  if (!memory) refuse("");
  m_used += bytes;
  std::lock_guard table_lock(pool_table::instance().mutex);
  pool_table::instance().allocations.insert_or_assign(memory, pool_allocation{shared<pool_memory>(this), bytes});
  return memory;
}

void pool_memory::give_back(void* memory, std::size_t bytes) noexcept {
  {
    std::lock_guard lock(m_mutex);
    const bool keep = reserved_now() <= m_threshold;
    m_used -= bytes;
    if (keep) {
      m_kept.emplace(bytes, memory);
      m_kept_bytes += bytes;
      return;
    }
  }
  try {
    sycl::free(memory, m_home);
  } catch (const exception&) {
    // sycl::free fails only if the program has already freed the memory itself.
  }
}

void pool_memory::raise_threshold(std::size_t bytes) noexcept {
  std::size_t now = m_threshold;
  while (now < bytes && !m_threshold.compare_exchange_weak(now, bytes)) {
  }
}

std::size_t pool_memory::used() const {
  std::lock_guard lock(m_mutex);
  return m_used;
}

std::size_t pool_memory::reserved() const {
  std::lock_guard lock(m_mutex);
  return reserved_now();
}

void* allocate_in_order(handler_impl& group, const shared<pool_memory>& pool, std::size_t bytes) {
  if (bytes == 0) throw_invalid("async_malloc: there have to be bytes");
  void* const memory = pool->take(bytes);
  const unsigned char zero = 0;
  try {
    if (pool->zeroed()) {
      set_pattern(group, node_type::async_malloc, "async_malloc", memory, &zero, 1, bytes);
    } else {
      group.set_marker(node_type::async_malloc, "async_malloc");
    }
  } catch (...) {
    pool_table& table = pool_table::instance();
    {
      std::lock_guard lock(table.mutex);
      table.allocations.erase(memory);
    }
    pool->give_back(memory, bytes);
    throw;
  }
  return memory;
}

void free_in_order(handler_impl& group, void* memory) {
  pool_table& table = pool_table::instance();
  pool_allocation freed;
  {
    std::lock_guard lock(table.mutex);
    const auto found = table.allocations.find(memory);
    if (found == table.allocations.end()) {
      throw_invalid("async_free: the pointer is not what async_malloc returned, or another command frees it already");
    }
    freed = std::move(found->second);
    table.allocations.erase(found);
  }
  group.set(node_type::async_free, "async_free",
            [pool = std::move(freed.pool), memory, bytes = freed.bytes] { pool->give_back(memory, bytes); });
}

// ------------------------------------------------------------------------------------------------ what headers call

shared<counted> make_pool(const context& home, const device* its_device, usm::alloc kind,
                          const property_list& properties) {
  namespace wish = ext::oneapi::experimental::property::memory_pool;
  if (kind == usm::alloc::unknown) throw_invalid("memory_pool: usm::alloc::unknown is no kind of memory");
  if ((kind == usm::alloc::host) != (its_device == nullptr)) {
    throw_invalid("memory_pool: memory of kind host is of a context alone, that of other kinds of a device, too");
  }
  std::size_t most = 0, threshold = 0;
  if (properties.has_property<wish::maximum_size>()) {
    most = properties.get_property<wish::maximum_size>().get_maximum_size();
  }
  if (properties.has_property<wish::initial_threshold>()) {
    threshold = properties.get_property<wish::initial_threshold>().get_initial_threshold();
  }
  return make_counted<pool_memory>(home, its_device ? *its_device : home.get_devices().front(), kind, most, threshold,
                                   properties.has_property<wish::zero_init>());
}

shared<counted> usual_pool(const context& home, const device& its_device, usm::alloc kind) {
  pool_table& table = pool_table::instance();
  std::lock_guard lock(table.mutex);
  for (const shared<pool_memory>& each : table.usual) {
    if (each->kind() == kind && each->home() == home && (kind == usm::alloc::host || each->its_device() == its_device))
      return each;
  }
  if (kind == usm::alloc::unknown) throw_invalid("memory_pool: usm::alloc::unknown is no kind of memory");
  table.usual.push_back(make_counted<pool_memory>(home, its_device, kind, 0, 0, false));
  return table.usual.back();
}

namespace {
pool_memory& pool_of(const shared<counted>& pool) { return static_cast<pool_memory&>(*pool); }
}  // namespace

context pool_context(const shared<counted>& pool) { return pool_of(pool).home(); }
device pool_device(const shared<counted>& pool) { return pool_of(pool).its_device(); }
usm::alloc pool_kind(const shared<counted>& pool) noexcept { return pool_of(pool).kind(); }
std::size_t pool_threshold(const shared<counted>& pool) noexcept { return pool_of(pool).threshold(); }
void raise_pool_threshold(const shared<counted>& pool, std::size_t bytes) noexcept {
  pool_of(pool).raise_threshold(bytes);
}
std::size_t pool_reserved(const shared<counted>& pool) { return pool_of(pool).reserved(); }
std::size_t pool_used(const shared<counted>& pool) { return pool_of(pool).used(); }

}  // namespace sycl::detail
