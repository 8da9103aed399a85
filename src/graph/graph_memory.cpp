#include "graph_memory.hpp"

#include <abi/byte_count.hpp>
#include <algorithm>

#include <sycl/exception.hpp>

namespace sycl::inline _V1::detail {

void graph_memory::add(void* memory, std::size_t bytes, shared<counted> owner, bool zeroed) {
  std::lock_guard lock(m_mutex);
  m_allocations.push_back({memory, bytes, std::move(owner), false, zeroed});
}

std::vector<graph_memory::piece> graph_memory::zeroed() const {
  std::lock_guard lock(m_mutex);
  std::vector<piece> pieces;
  for (const allocation& each : m_allocations) {
    if (each.zeroed) pieces.push_back({each.memory, each.bytes});
  }
  return pieces;
}

void graph_memory::free(const void* memory) {
  std::lock_guard lock(m_mutex);
  const auto found = std::find_if(m_allocations.begin(), m_allocations.end(),
                                  [&](const allocation& each) { return each.memory == memory; });
  if (found == m_allocations.end()) {
    detail::throw_error(errc::invalid,
                        "async_free: the pointer is not what an async_malloc of the same graph returned");
  }
  if (found->is_freed) {
    detail::throw_error(errc::invalid, "async_free: another node of the graph frees the memory already");
  }
  found->is_freed = true;
}

std::size_t graph_memory::bytes() const {
  std::lock_guard lock(m_mutex);
  std::size_t sum = 0;
  for (const allocation& each : m_allocations) sum = sinter::abi::add_bytes(sum, each.bytes);
  return sum;
}

graph_memory_use::graph_memory_use(shared<graph_memory> memory) : m_bytes(memory->bytes()) {
  if (m_bytes == 0) return;
  std::lock_guard lock(memory->m_mutex);
  if (memory->m_in_use) {
    detail::throw_error(errc::invalid,
                    "finalize: the graph has memory of its own (async_malloc), and another executable graph made of it "
                    "is alive; let go of that one first");
  }
  memory->m_in_use = true;
  m_memory = std::move(memory);
}

graph_memory_use::~graph_memory_use() {
  if (!m_memory) return;
  std::lock_guard lock(m_memory->m_mutex);
  m_memory->m_in_use = false;
}

}  // namespace sycl::detail
