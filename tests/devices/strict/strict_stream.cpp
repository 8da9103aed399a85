#include "strict_stream.hpp"

#include <cstring>
#include <images/code_variant.hpp>
#include <images/image_view.hpp>
#include <utility>

#include <runtime/test_devices.hpp>
#include <sycl/exception.hpp>

#include "strict_device.hpp"

namespace strict {
namespace {

constexpr std::size_t most_commands = 200;  // the largest number of commands in a list

/// A kernel's arguments with addresses translated for commands, and the memory to which the arguments point.
struct bound_arguments {
  std::vector<std::max_align_t> block;
  std::vector<range> uses;
};

bound_arguments bind(const sinter::abi::kernel_descriptor& kernel, const void* from) {
  bound_arguments made{std::vector<std::max_align_t>(kernel.block_size / sizeof(std::max_align_t) + 1), {}};
  auto* const bytes = reinterpret_cast<char*>(made.block.data());
  std::memcpy(bytes, from, kernel.block_size);
  for (const sinter::abi::image_leaf& leaf : sinter::image_view(kernel.image->image).leaves(kernel.index)) {
    using kind = sinter::abi::leaf_kind;
    if (leaf.kind != kind::accessor && leaf.kind != kind::global_pointer) continue;
    const void* address = nullptr;
    std::memcpy(&address, bytes + leaf.offset, sizeof(address));
    const range used = memory::instance().allocation_of(address);
    // A pointer that a kernel does not use may have any value, so unknown addresses are left unchanged.
    if (leaf.kind == kind::accessor && address && used.bytes == 0) {
      refuse("a kernel uses a buffer in memory of the host that the device does not share");
    }
    if (used.bytes != 0) made.uses.push_back(used);
    address = memory::instance().seen(address);
    std::memcpy(bytes + leaf.offset, &address, sizeof(address));
  }
  return made;
}

}  // namespace

bool stream_objects::can_go() {
  while (!pieces.empty() && pieces.front().done->is_signalled()) {
    progress->done.store(pieces.front().last);
    used.push_back(std::move(pieces.front()));
    pieces.pop_front();
  }
  std::erase_if(used, [&](const piece& each) { return !waits->has_any(each.last); });
  return pieces.empty() && used.empty();
}

strict_stream::strict_stream(strict_device& device, const sinter::stream_use& use)
    : driver_stream(event_use::reset),
      m_device(device),
      m_use(use),
      m_engine(use.only_copies ? engine::copy : engine::compute),
      m_objects(std::make_unique<stream_objects>()) {
  m_objects->runs = std::make_unique<queue>(m_engine);
  m_objects->progress = progress();
  m_objects->waits = waits();
}

strict_stream::~strict_stream() {
  flush();
  m_device.keep(std::move(m_objects));
}

const std::string& strict_stream::device_name() const noexcept { return m_device.facts().name; }

/// Returns unused objects of the driver, or new ones. Called under the mutex.
strict_stream::piece strict_stream::take_piece() {
  for (piece& each : m_objects->used) {
    if (is_awaited(each.last)) continue;
    std::swap(each, m_objects->used.back());
    piece free = std::move(m_objects->used.back());
    m_objects->used.pop_back();
    free.done->reset();
    free.list->reset();
    free.commands.clear();
    return free;
  }
  return {0, std::make_unique<command_list>(m_engine), std::make_unique<event>(), {}};
}

/// Called under the mutex.
command_list& strict_stream::open_list() {
  if (m_open.list && m_open.list->size() >= most_commands) close_list();
  if (!m_open.list) m_open = take_piece();
  return *m_open.list;
}

/// Gives the last command of the open list the next ticket. Called under the mutex.
void strict_stream::count_command() { m_open.commands.emplace_back(++m_latest, m_open.list->size() - 1); }

/// Called under the mutex.
void strict_stream::close_list() {
  m_open.list->append_signal(*m_open.done);
  m_open.list->close();
  m_open.last = m_flushed = m_latest.load();
  m_objects->pieces.push_back(std::exchange(m_open, piece{}));
  m_objects->runs->execute(*m_objects->pieces.back().list);
}

void strict_stream::flush() noexcept {
  std::lock_guard lock(m_mutex);
  if (m_open.list && !m_open.commands.empty()) close_list();
}

void strict_stream::launch(const sinter::kernel_launch& wanted) {
  if (!wanted.kernel->image) {
    throw sycl::exception(sycl::make_error_code(sycl::errc::kernel_not_supported), "a kernel without an image");
  }
  std::vector<std::vector<std::max_align_t>> blocks;
  std::vector<range> uses;
  const auto add = [&](const sinter::abi::kernel_descriptor& kernel, const void* block) {
    bound_arguments bound = bind(kernel, block);
    blocks.push_back(std::move(bound.block));
    uses.insert(uses.end(), bound.uses.begin(), bound.uses.end());
  };
  if (!wanted.blocks) add(*wanted.kernel, wanted.block);
  for (std::size_t i = 0; wanted.blocks && i < wanted.code->members.size(); ++i) {
    add(*wanted.code->members[i], wanted.blocks[i]);
  }
  auto work = [launch = wanted, blocks = std::move(blocks)]() mutable {
    std::vector<const void*> addresses;
    for (const auto& each : blocks) addresses.push_back(each.data());
    launch.block = addresses.front();
    if (launch.blocks) launch.blocks = addresses.data();
    sycl::detail::host_device().run(launch);
  };
  std::lock_guard lock(m_mutex);
  open_list().append_kernel(std::move(work), std::move(uses));
  count_command();
}

void strict_stream::run(const sinter::memory_work& work) {
  using kind = sinter::memory_work::kind;
  if (work.what == kind::copy && work.copy.bytes() != 0) {
    sinter::abi::strided_copy seen = work.copy;
    std::vector<std::pair<range, range>> pieces;
    seen.visit_pieces([&](char* to, const char* from, std::size_t bytes) {
      if (bytes != 0) pieces.push_back({{to, bytes}, {from, bytes}});
    });
    std::lock_guard lock(m_mutex);
    command_list& list = open_list();
    for (const auto& [to, from] : pieces) {
      list.append_copy([to = memory::instance().seen(to.begin), from = memory::instance().seen(from.begin),
                        bytes = to.bytes] { std::memmove(to, from, bytes); },
                       to, from);
    }
    if (!pieces.empty()) return count_command();
  } else if (work.what == kind::fill && work.fill.count != 0) {
    const std::size_t bytes = work.fill.pattern_bytes * work.fill.count;
    std::vector<char> pattern(static_cast<const char*>(work.fill.pattern()),
                              static_cast<const char*>(work.fill.pattern()) + work.fill.pattern_bytes);
    auto fill = [to = memory::instance().seen(work.fill.destination), count = work.fill.count,
                 pattern = std::move(pattern)] {
      for (std::size_t i = 0; i < count; ++i) {
        std::memcpy(static_cast<char*>(to) + i * pattern.size(), pattern.data(), pattern.size());
      }
    };
    std::lock_guard lock(m_mutex);
    open_list().append_fill(std::move(fill), {work.fill.destination, bytes}, work.fill.pattern_bytes);
    return count_command();
  }
  mark();
}

void strict_stream::mark() {
  std::lock_guard lock(m_mutex);
  open_list().append_fill([] {}, {nullptr, 0}, 1);
  count_command();
}

void strict_stream::take_results(const piece& done) {
  const std::vector<command_list::result>& results = done.list->results();
  for (const command_list::result& each : results) {
    if (each.error) note_error(each.error);
  }
  if (!m_use.measures) return;
  for (const auto& [ticket, place] : done.commands) {
    m_measured.add({ticket, {results[place].start, results[place].end}}, [](const measurement&) {});
  }
}

void strict_stream::look_for(std::uint64_t) {
  std::deque<piece>& pieces = m_objects->pieces;
  while (!pieces.empty() && pieces.front().done->is_signalled()) {
    take_results(pieces.front());
    set_done(pieces.front().last);
    m_objects->used.push_back(std::move(pieces.front()));
    pieces.pop_front();
  }
}

void* strict_stream::event_for_wait(std::uint64_t ticket) {
  if (ticket > m_flushed) refuse("a stream waits for another one's work that was not flushed");
  for (const piece& each : m_objects->pieces) {
    if (each.last >= ticket) return each.done.get();
  }
  return nullptr;
}

void strict_stream::wait_for_event(void* awaited, driver_stream&) {
  std::lock_guard lock(m_mutex);
  open_list().append_wait(*static_cast<event*>(awaited));
}

void strict_stream::wait(std::uint64_t ticket) {
  {
    std::lock_guard lock(m_mutex);
    if (ticket > m_flushed) refuse("somebody waits for work that was not flushed");
  }
  while (!is_complete(ticket)) {
    std::lock_guard lock(m_mutex);
    if (!m_objects->pieces.empty()) m_objects->pieces.front().done->wait_a_moment();
  }
}

sinter::command_times strict_stream::times(std::uint64_t ticket) {
  std::lock_guard lock(m_mutex);
  const std::optional<measurement> found = m_measured.take(ticket);
  return found ? found->times : sinter::command_times{};
}

}  // namespace strict
