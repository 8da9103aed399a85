#include "gpu_context.hpp"

#include <cstdlib>
#include <limits>

#include <sycl/exception.hpp>

namespace sinter::gpu {
namespace {

/// Returns the mutex under which contexts are made. Only one context is made at a time, because each new context is
/// connected to all others.
std::mutex& opening() {
  static auto* mutex = new std::mutex;
  return *mutex;
}

}  // namespace

void check(const driver& functions, result_code result, const std::string& doing) {
  if (result == success) return;
  const bool memory = result == out_of_memory;
  sycl::detail::throw_error(memory ? sycl::errc::memory_allocation : sycl::errc::runtime,
                            doing + " failed: " + functions.text_of(result));
}

gpu_context::gpu_context(const driver& functions, int ordinal, gpu_description description)
    : m_functions(functions), m_ordinal(ordinal), m_description(std::move(description)) {
  check(functions.open_device(&m_device, ordinal), "opening the device");
}

void gpu_context::use() {
  const char* doing = "choosing the device";
  if (!is_open()) check(open(doing), [&] { return doing; });
  check(try_to_use(), [&] { return doing; });
}

result_code gpu_context::try_to_use() noexcept {
  static constinit thread_local context_handle current = nullptr;
  const char* doing = "";
  if (const result_code result = is_open() ? success : open(doing); result != success) return result;
  const context_handle context = m_context.load(std::memory_order_relaxed);
  if (current == context) return success;
  const result_code result = m_functions.set_context(context);
  if (result == success) current = context;
  return result;
}

/// Makes the context. Returns the driver's result. After an error, the next use of the device tries again.
result_code gpu_context::open(const char*& doing) noexcept {
  std::lock_guard lock(opening());
  if (is_open()) return success;
  context_handle context = nullptr, before = nullptr;
  doing = "making its context";
  result_code result = m_functions.retain_context(&context, m_device);
  if (result != success) return result;
  // `before` is the thread's current context, which is restored at the end.
  m_functions.get_context(&before);
  result = m_functions.set_context(context);
  if (result == success) result = m_functions.make_stream(&m_service, stream_non_blocking);
  doing = "setting up its memory";
  if (result == success && m_functions.default_pool) result = m_functions.default_pool(&m_pool, m_device);
  // The pool keeps all freed memory, because returning memory to the system and allocating it again takes longer than
  // most kernels.
  std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
  if (result == success && m_pool) {
    result = m_functions.set_pool_attribute(m_pool, pool_attribute::release_threshold, &keep);
  }
  if (result == success) m_context.store(context, std::memory_order_release);
  for (gpu_context* each : m_others) {
    if (result != success || !each->is_open()) continue;
    connect(*each);
    each->connect(*this);
  }
  m_functions.set_context(before);
  m_functions.note_use();
  return result;
}

void gpu_context::fail(result_code result, const std::string& doing) const {
  gpu::check(m_functions, result, "device '" + name() + "': " + doing);
  std::abort();  // never reached, because the result is an error and check throws
}

std::size_t gpu_context::free_memory() {
  use();
  std::size_t left = 0, all = 0;
  check(m_functions.get_memory_info(&left, &all), "asking for free memory");
  return left;
}

void* gpu_context::allocate(memory_kind kind, std::size_t bytes) {
  use();
  device_address address = 0;
  void* memory = nullptr;
  result_code result = out_of_memory;
  if (kind == memory_kind::host) {
    result = m_functions.allocate_host(&memory, bytes, host_portable | host_mapped);
  } else if (kind == memory_kind::shared) {
    // Without this check, the driver would allocate more managed memory than exists, and then hang.
    std::size_t left = free_memory();
    if (bytes > left) {
      // Memory is freed in the order of the service stream, so it becomes available only when this stream gets there.
      finish_service();
      left = free_memory();
    }
    if (bytes <= left) result = m_functions.allocate_managed(&address, bytes, attach_global);
  } else if (!m_functions.allocate_in_order) {
    result = m_functions.allocate(&address, bytes);
  } else {
    result = m_functions.allocate_in_order(&address, bytes, m_service);
    if (result == success) finish_service();
  }
  if (result == out_of_memory) return nullptr;
  check(result, "allocating " + std::to_string(bytes) + " bytes");
  if (address != 0) memory = reinterpret_cast<void*>(address);
  std::lock_guard lock(m_mutex);
  m_allocations[memory] = kind;
  return memory;
}

void gpu_context::deallocate(void* memory) noexcept {
  memory_kind kind;
  {
    std::lock_guard lock(m_mutex);
    const auto found = m_allocations.find(memory);
    if (found == m_allocations.end()) return;
    kind = found->second;
    m_allocations.erase(found);
  }
  // If the device has failed, nothing can be freed.
  if (try_to_use() != success) return;
  if (kind == memory_kind::device && m_functions.free_in_order) {
    m_functions.free_in_order(address_of(memory), m_service);
  } else if (kind == memory_kind::host) {
    m_functions.free_host(memory);
  } else {
    m_functions.free_memory(address_of(memory));
  }
}

void gpu_context::know(printed_texts& texts) {
  std::lock_guard lock(m_texts_mutex);
  m_texts.push_back(&texts);
}

void gpu_context::forget(printed_texts& texts) {
  texts.print();
  std::lock_guard lock(m_texts_mutex);
  std::erase(m_texts, &texts);
}

void gpu_context::print_texts() {
  std::lock_guard lock(m_texts_mutex);
  for (printed_texts* each : m_texts) each->print();
}

copy_node gpu_context::node_of(const texel_copy& copy) const {
  copy_node node{};
  const auto is_known = [&](const void* memory) {
    unsigned type = 0;
    return m_functions.get_pointer_attribute(&type, pointer_attribute::memory_type, address_of(memory)) == success;
  };
  const texel_copy::end &from = copy.source, &to = copy.destination;
  if (from.is_texels) {
    node.source_type = copy_node::array_memory;
    node.source_array = from.place;
    node.source_x = from.at[0], node.source_y = from.at[1], node.source_z = from.at[2];
  } else {
    node.source_pitch = from.row, node.source_height = from.rows;
    if (is_known(from.place)) node.source = address_of(from.place);
    else node.source_type = copy_node::host_memory, node.source_host = from.place;
  }
  if (to.is_texels) {
    node.type = copy_node::array_memory;
    node.array = to.place;
    node.x = to.at[0], node.y = to.at[1], node.z = to.at[2];
  } else {
    node.pitch = to.row, node.rows = to.rows;
    if (is_known(to.place)) node.destination = address_of(to.place);
    else node.type = copy_node::host_memory, node.host = to.place;
  }
  node.bytes = copy.row_bytes, node.height = copy.rows, node.depth = copy.planes;
  return node;
}

std::optional<copy_node> gpu_context::node_of(const abi::strided_copy& copy) const {
  constexpr std::size_t most = 0xffffffff;
  const bool is_one_row = copy.rows * copy.planes <= 1;
  const bool is_cut_alike = copy.row_bytes == copy.destination_row_bytes && copy.rows == copy.destination_rows;
  const auto fits = [&](std::size_t row, std::size_t plane) {
    return row >= copy.row_bytes && (copy.planes == 1 || (plane % row == 0 && plane / row >= copy.rows));
  };
  if (!m_functions.copy_texels || is_one_row || !is_cut_alike || copy.row_bytes == 0 || copy.rows > most ||
      copy.planes > most || !fits(copy.destination_row, copy.destination_plane) ||
      !fits(copy.source_row, copy.source_plane)) {
    return std::nullopt;
  }
  const auto end = [&](const char* place, std::size_t row, std::size_t plane) -> texel_copy::end {
    return {const_cast<char*>(place), row, copy.planes == 1 ? copy.rows : plane / row};
  };
  return node_of(texel_copy{end(copy.source, copy.source_row, copy.source_plane),
                            end(copy.destination, copy.destination_row, copy.destination_plane), copy.row_bytes,
                            static_cast<std::uint32_t>(copy.rows), static_cast<std::uint32_t>(copy.planes)});
}

void gpu_context::finish_service() const {
  check(m_functions.finish_stream(m_service), "waiting for its memory");
}

/// Lets this GPU access the other GPU's memory, if the driver supports it. Both contexts are open.
void gpu_context::connect(gpu_context& other) noexcept {
  int can = 0;
  if (m_functions.can_access_peer(&can, m_device, other.m_device) != success || can == 0) return;
  if (m_functions.set_context(m_context) != success) return;
  const result_code result = m_functions.enable_peer_access(other.m_context, 0);
  if (result != success && result != peer_access_is_enabled) return;
  if (!other.m_pool) {
    m_reached.insert(&other);
    return;
  }
  // Memory of a pool needs a separate permission.
  pool_access access{.location_id = m_ordinal};
  if (m_functions.set_pool_access(other.m_pool, &access, 1) == success) m_reached.insert(&other);
}

bool gpu_context::reaches(gpu_context& other) {
  use();
  other.use();
  std::lock_guard lock(opening());
  return m_reached.contains(&other);
}

}  // namespace sinter::gpu
