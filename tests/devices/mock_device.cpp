#include "mock_device.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <functional>
#include <images/code_variant.hpp>
#include <images/image_view.hpp>
#include <random>
#include <runtime/backend_table.hpp>
#include <runtime/test_devices.hpp>
#include <stdexcept>
#include <thread>
#include <utility>

#include <sycl/aspects.hpp>
#include <sycl/exception.hpp>

namespace test {
namespace {

const char mock_family = 0;

std::vector<mock_device*>& all_devices() {
  static auto* devices = new std::vector<mock_device*>;
  return *devices;
}

std::vector<sinter::device_backend*>& offered() {
  static auto* devices = new std::vector<sinter::device_backend*>;
  return *devices;
}
const std::vector<sinter::device_backend*>& offered_devices() { return offered(); }

void* seen_by_devices(const void* address) {
  for (mock_device* each : all_devices()) {
    if (each->memory().contains(address)) return each->memory().seen_by_device(address);
  }
  return const_cast<void*>(address);
}

std::uint64_t now() {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
          .count());
}

/// Returns a copy of a kernel's argument block with the addresses that the device's threads use.
using bound_block = std::vector<std::max_align_t>;
bound_block bind(const sinter::abi::kernel_descriptor& kernel, const void* arguments) {
  bound_block block(kernel.block_size / sizeof(std::max_align_t) + 1);
  auto* bytes = reinterpret_cast<char*>(block.data());
  std::memcpy(bytes, arguments, kernel.block_size);
  for (const sinter::abi::image_leaf& leaf : sinter::image_view(kernel.image->image).leaves(kernel.index)) {
    using kind = sinter::abi::leaf_kind;
    if (leaf.kind != kind::accessor && leaf.kind != kind::global_pointer) continue;
    const void* address = nullptr;
    std::memcpy(&address, bytes + leaf.offset, sizeof(address));
    address = seen_by_devices(address);
    std::memcpy(bytes + leaf.offset, &address, sizeof(address));
  }
  return block;
}

/// Returns copies of the argument blocks of a launch: one for its kernel, or one for each fused kernel.
std::vector<bound_block> bind(const sinter::kernel_launch& launch) {
  if (!launch.blocks) return {bind(*launch.kernel, launch.block)};
  std::vector<bound_block> blocks;
  for (const auto* member : launch.code->members) blocks.push_back(bind(*member, launch.blocks[blocks.size()]));
  return blocks;
}

class mock_stream final : public sinter::device_stream {
public:
  mock_stream(mock_device& device, unsigned seed, bool measures)
      : m_device(device), m_state(std::make_shared<state>()), m_random(seed) {
    m_state->measures = measures;
    // The thread outlives the stream, because it still does the work that was submitted.
    std::thread([kept = m_state] { kept->run(); }).detach();
  }
  ~mock_stream() override {
    std::lock_guard lock(m_state->mutex);
    m_state->ends = true;
    m_state->changed.notify_all();
  }

  void launch(const sinter::kernel_launch& wanted) override {
    if (!wanted.kernel->image) throw sycl::exception(sycl::errc::kernel_not_supported, "a kernel without an image");
    append([launch = wanted, blocks = bind(wanted)]() mutable {
      std::vector<const void*> addresses;
      for (const bound_block& each : blocks) addresses.push_back(each.data());
      launch.block = addresses.front();
      if (launch.blocks) launch.blocks = addresses.data();
      sycl::detail::host_device().run(launch);
    });
  }
  void run(const sinter::memory_work& work) override {
    append([work, &device = m_device] { device.sinter::device_backend::run(work); });
  }
  void mark() override {
    append([] {});
  }
  void wait_for(sinter::device_stream& other, std::uint64_t ticket) override {
    std::lock_guard lock(m_state->mutex);
    m_state->work.push_back({0, [before = static_cast<mock_stream&>(other).m_state, ticket] { before->wait(ticket); }});
    m_state->changed.notify_all();
  }
  bool is_complete(std::uint64_t ticket) override {
    std::lock_guard lock(m_state->mutex);
    return m_state->done >= ticket;
  }
  void wait(std::uint64_t ticket) override { m_state->wait(ticket); }
  std::exception_ptr take_error() override {
    std::lock_guard lock(m_state->mutex);
    return std::exchange(m_state->error, nullptr);
  }
  sinter::command_times times(std::uint64_t ticket) override {
    std::lock_guard lock(m_state->mutex);
    return m_state->times[ticket];
  }

private:
  struct item {
    std::uint64_t ticket;  ///< the command's number in the stream; 0: the graph has no memory of its own
    std::function<void()> what;
  };
  struct state {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<item> work;
    std::map<std::uint64_t, sinter::command_times> times;
    std::uint64_t done = 0;
    std::exception_ptr error;
    bool ends = false, measures = false;

    void wait(std::uint64_t ticket) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return done >= ticket; });
    }
    void run() {
      std::unique_lock lock(mutex);
      for (;;) {
        changed.wait(lock, [&] { return ends || !work.empty(); });
        if (work.empty()) return;
        item next = std::move(work.front());
        work.pop_front();
        lock.unlock();
        const std::uint64_t start = now();
        std::exception_ptr failed;
        try {
          next.what();
        } catch (...) {
          failed = std::current_exception();
        }
        next.what = nullptr;
        const std::uint64_t end = now();
        lock.lock();
        if (failed) error = failed;
        if (next.ticket == 0) continue;
        done = next.ticket;
        if (times.size() > 4096) times.erase(times.begin());
        if (measures) times[next.ticket] = {start, end};
        changed.notify_all();
      }
    }
  };

  void append(std::function<void()> what) {
    const auto delay = m_device.delay() == 0 ? 0 : m_random() % 4 == 0 ? m_random() % m_device.delay() : 0;
    if (m_device.failures.load() > 0 && m_device.failures.fetch_sub(1) > 0) {
      what = [] { throw std::runtime_error("the mock device fails"); };
    }
    std::lock_guard lock(m_state->mutex);
    m_state->work.push_back({++m_latest, [delay, what = std::move(what)] {
                               if (delay != 0) std::this_thread::sleep_for(std::chrono::microseconds(delay));
                               what();
                             }});
    m_state->changed.notify_all();
  }

  mock_device& m_device;
  std::shared_ptr<state> m_state;
  std::mt19937 m_random;
};

}  // namespace

mock_memory::mock_memory(std::size_t bytes) : m_bytes(bytes) {
  const int file = memfd_create("mock device", 0);
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0)
    throw std::runtime_error("no memory for a mock device");
  m_addresses = static_cast<char*>(mmap(nullptr, bytes, PROT_NONE, MAP_SHARED, file, 0));
  m_view = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
  close(file);
  if (m_addresses == MAP_FAILED || m_view == MAP_FAILED) throw std::runtime_error("no memory for a mock device");
  m_free[0] = bytes;
}

void* mock_memory::allocate(std::size_t bytes, std::size_t alignment) {
  if (bytes > m_bytes) return nullptr;
  std::lock_guard lock(m_mutex);
  alignment = std::max<std::size_t>(alignment, 256);
  const std::size_t wanted = (std::max<std::size_t>(bytes, 1) + 255) / 256 * 256;
  for (const auto& [begin, size] : m_free) {
    const std::size_t at = (begin + alignment - 1) / alignment * alignment;
    if (at + wanted > begin + size) continue;
    const std::size_t first = begin, whole = size;
    m_free.erase(first);
    if (at != first) m_free[first] = at - first;
    if (at + wanted != first + whole) m_free[at + wanted] = first + whole - at - wanted;
    m_used[at] = wanted;
    return m_addresses + at;
  }
  return nullptr;
}

void mock_memory::deallocate(void* memory) {
  std::lock_guard lock(m_mutex);
  const auto found = m_used.find(static_cast<std::size_t>(static_cast<char*>(memory) - m_addresses));
  if (found == m_used.end()) std::abort();  // freed twice
  // Because of this fill, commands that use freed memory fail.
  std::memset(m_view + found->first, 0xa5, found->second);
  auto next = m_free.insert({found->first, found->second}).first;
  m_used.erase(found);
  if (const auto behind = std::next(next); behind != m_free.end() && next->first + next->second == behind->first) {
    next->second += behind->second;
    m_free.erase(behind);
  }
  if (next != m_free.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == next->first) {
      before->second += next->second;
      m_free.erase(next);
    }
  }
}

bool mock_memory::contains(const void* address) const noexcept {
  const auto* bytes = static_cast<const char*>(address);
  return bytes >= m_addresses && bytes <= m_addresses + m_bytes;
}

void* mock_memory::seen_by_device(const void* address) const noexcept {
  return m_view + (static_cast<const char*>(address) - m_addresses);
}

std::size_t mock_memory::allocations() const {
  std::lock_guard lock(m_mutex);
  return m_used.size();
}

bool mock_memory::comes_to(std::size_t wanted) const {
  for (int look = 0; allocations() != wanted && look < 60'000; ++look) usleep(1000);
  return allocations() == wanted;
}

mock_device::mock_device(std::string name, std::size_t memory_bytes, unsigned delay)
    : device_backend(&mock_family),
      m_facts(sycl::detail::host_device().facts()),
      m_memory(memory_bytes),
      m_delay(delay) {
  m_facts.name = std::move(name);
  m_facts.platform_name = "Mock";
  m_facts.is_cpu = false;
  m_facts.fixed_targets = 0;
  m_facts.is_accelerator = true;
  m_facts.compute_units = 1;
  m_facts.global_memory_bytes = m_facts.max_allocation_bytes = memory_bytes;
  std::erase(m_facts.aspects, static_cast<std::uint32_t>(sycl::aspect::cpu));
  m_facts.aspects.push_back(static_cast<std::uint32_t>(sycl::aspect::accelerator));
}

const sinter::code_target& mock_device::target() const noexcept {
  return sycl::detail::host_device().target();
}
sinter::code_origin mock_device::run(const sinter::kernel_launch&) { std::abort(); }
void mock_device::hold(const sinter::abi::kernel_descriptor& kernel) noexcept {
  sycl::detail::host_device().hold(kernel);
}
void mock_device::let_go(const sinter::abi::kernel_descriptor& kernel) noexcept {
  sycl::detail::host_device().let_go(kernel);
}

std::unique_ptr<sinter::device_stream> mock_device::make_stream(const sinter::stream_use& use) {
  static std::atomic<unsigned> seed{1};
  return std::make_unique<mock_stream>(*this, seed.fetch_add(1), use.measures);
}

/// The first mock device can access the memory of the other mock devices, but they can't access its memory. No mock
/// device can access the memory of a GPU in the same program.
bool mock_device::reaches(const sinter::device_backend& other) const noexcept {
  return this == all_devices().front() && is_ordered_with(other);
}

void* mock_device::allocate(sinter::memory_kind kind, std::size_t bytes, std::size_t alignment) {
  if (kind == sinter::memory_kind::host && !has_host_memory) return nullptr;
  if (kind != sinter::memory_kind::device) return sycl::detail::host_device().allocate(kind, bytes, alignment);
  return m_memory.allocate(bytes, alignment);
}

void mock_device::deallocate(void* memory) noexcept {
  m_memory.contains(memory) ? m_memory.deallocate(memory) : sycl::detail::host_device().deallocate(memory);
}

void mock_device::copy(const sinter::abi::strided_copy& copy) {
  sinter::abi::strided_copy seen = copy;
  seen.destination = static_cast<char*>(seen_by_devices(copy.destination));
  seen.source = static_cast<const char*>(seen_by_devices(copy.source));
  sycl::detail::host_device().copy(seen);
}

void mock_device::fill(const sinter::memory_fill& fill) {
  sinter::memory_fill seen = fill;
  seen.destination = seen_by_devices(fill.destination);
  sycl::detail::host_device().fill(seen);
}

const std::vector<mock_device*>& mock_devices() { return all_devices(); }

void add_mock_devices(std::size_t memory_bytes, unsigned delay) {
  for (const char* name : {"Mock accelerator 1", "Mock accelerator 2"}) {
    all_devices().push_back(new mock_device(name, memory_bytes, delay));
    offered().push_back(all_devices().back());
  }
  if (offered().size() == 2) sinter::add_backend({.name = "test", .other_names = "", .devices = offered_devices});
}

}  // namespace test
