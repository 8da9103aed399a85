#include "temporaries.hpp"

#include <abi/accessor_layout.hpp>
#include <abi/byte_count.hpp>
#include <algorithm>
#include <base/environment.hpp>
#include <cstring>
#include <images/kernel_view.hpp>
#include <memory/accessor_fields.hpp>
#include <memory/buffer_pool.hpp>
#include <memory/buffer_record.hpp>
#include <scheduler/device_memory.hpp>
#include <scheduler/test_hooks.hpp>
#include <unordered_map>

namespace sycl::inline _V1::detail {
namespace {

// Graphs with more steps are left unchanged, because step_order needs memory for each pair of steps.
constexpr std::size_t most_steps = 2048;
constexpr std::size_t page = 4096, line = 64, device_line = 256;

using memory_kind = sinter::memory_work::kind;

/// Tells which steps have to be complete before a step.
class step_order {
public:
  explicit step_order(std::span<const graph_step> steps)
      : m_words((steps.size() + 63) / 64), m_bits(m_words * steps.size()) {
    for (std::uint32_t i = 0; i < steps.size(); ++i) {
      for (const std::uint32_t each : steps[i].before) {
        for (std::size_t w = 0; w < m_words; ++w) m_bits[i * m_words + w] |= m_bits[each * m_words + w];
        m_bits[i * m_words + each / 64] |= std::uint64_t{1} << each % 64;
      }
    }
  }
  bool is_before(std::uint32_t a, std::uint32_t b) const noexcept { return m_bits[b * m_words + a / 64] >> a % 64 & 1; }

private:
  std::size_t m_words;
  std::vector<std::uint64_t> m_bits;
};

struct temporary {
  buffer_record* record;
  std::vector<std::uint32_t> users;
  std::uint32_t first = 0;  ///< the first step that uses the buffer; it writes the whole buffer
  std::size_t place = 0;    ///< the buffer's offset in the shared memory
};

/// Returns whether the fill or copy writes to all of the memory that begins at `begin`.
bool writes_all(const sinter::memory_work& work, const void* begin, std::size_t bytes) noexcept {
  if (work.what == memory_kind::fill) {
    return work.fill.destination == begin && work.fill.pattern_bytes * work.fill.count == bytes;
  }
  return work.what == memory_kind::copy && work.copy.destination == begin && work.copy.rows == 1 &&
         work.copy.planes == 1 && work.copy.destination_rows == 1 && work.copy.row_bytes == bytes;
}

}  // namespace

bool discards(const graph_step& step, const buffer_record& record) {
  const bool covers = writes_all(step.work->memory, record.data(), record.bytes());
  bool writes = false;
  for (const requirement& each : step.work->requirements) {
    if (each.memory.get() != &record) continue;
    const bool forgets =
        each.no_init || each.mode == access_mode::discard_write || each.mode == access_mode::discard_read_write;
    if (!covers && !(forgets && each.part.covers(region(record.bytes())))) return false;
    if (covers && mode_reads(each.mode) && !mode_writes(each.mode)) return false;
    writes = true;
  }
  return writes;
}

namespace {

/// Returns buffers that only the graph uses. The graph may read them before it writes them.
std::vector<temporary> find_candidates(std::span<const graph_step> steps, std::uint64_t graph) {
  std::vector<temporary> found;
  std::unordered_map<const memory_users*, std::size_t> known;
  for (std::uint32_t i = 0; i < steps.size(); ++i) {
    for (const requirement& each : steps[i].work->requirements) {
      const auto [at, is_new] = known.try_emplace(each.memory.get(), found.size());
      if (is_new) found.push_back({&record_of(each), {}});
      std::vector<std::uint32_t>& users = found[at->second].users;
      if (users.empty() || users.back() != i) users.push_back(i);
    }
  }
  std::erase_if(found,
                [&](const temporary& each) { return !each.record->is_forgotten() || !each.record->is_only_of(graph); });
  return found;
}

/// Returns the candidates that every run writes before it reads them.
std::vector<temporary> find_temporaries(std::span<const graph_step> steps, std::uint64_t graph,
                                        const step_order& order) {
  std::vector<temporary> found = find_candidates(steps, graph);
  std::erase_if(found, [&](temporary& each) {
    each.first = each.users.front();
    return !discards(steps[each.first], *each.record) ||
           std::any_of(each.users.begin() + 1, each.users.end(),
                       [&](std::uint32_t user) { return !order.is_before(each.first, user); });
  });
  return found;
}

bool reads(const graph_step& step, const buffer_record& record) {
  return std::any_of(step.work->requirements.begin(), step.work->requirements.end(), [&](const requirement& each) {
    return each.memory.get() == &record && (mode_reads(each.mode) || step.work->host || step.work->native);
  });
}

/// Returns whether the step only copies or fills this memory.
bool only_fills(const graph_step& step, const buffer_record& record) {
  const sinter::memory_work& work = step.work->memory;
  if (step.work->kernel || step.work->host) return false;
  if (work.what != memory_kind::copy && work.what != memory_kind::fill) return false;
  const auto* to =
      static_cast<const char*>(work.what == memory_kind::copy ? work.copy.destination : work.fill.destination);
  const auto* begin = static_cast<const char*>(record.data());
  return to >= begin && to < begin + record.bytes();
}

/// Returns the offsets of accessors of this memory in the kernel's argument block, or nothing if not all offsets are
/// known.
std::vector<std::size_t> accessors_of(const node_work& work, const buffer_record& record) {
  std::vector<std::size_t> places;
  const sinter::abi::kernel_descriptor& kernel = *work.launch.kernel;
  const sinter::image_use keep_image(kernel);
  for (const sinter::abi::image_leaf& leaf : sinter::kernel_view(kernel).leaves()) {
    if (leaf.kind == sinter::abi::leaf_kind::global_pointer) {
      const char* pointer = read_field<const char*>(work.launch.block, leaf.offset);
      const auto* begin = static_cast<const char*>(record.data());
      if (pointer >= begin && pointer < begin + record.bytes()) return {};
    }
    if (leaf.kind != sinter::abi::leaf_kind::accessor) continue;
    if (accessor_fields(work.launch.block, leaf.offset, leaf.dimensions).record == &record) {
      places.push_back(leaf.offset + sinter::abi::accessor_layout::data);
    }
  }
  return places;
}

/// Returns whether one fused kernel does the work of all users of the memory and keeps its contents in registers.
bool is_promoted(const temporary& its, std::span<const graph_step> steps) {
  return std::any_of(its.users.begin(), its.users.end(), [&](std::uint32_t user) {
    if (!steps[user].fused) return false;
    const auto& promoted = steps[user].fused->promoted;
    return std::any_of(promoted.begin(), promoted.end(),
                       [&](const promoted_memory& each) { return each.record == its.record; });
  });
}

/// Returns whether all accesses of the steps to this memory can be moved to other memory.
bool can_move(const temporary& its, std::span<const graph_step> steps) {
  return std::all_of(its.users.begin(), its.users.end(), [&](std::uint32_t user) {
    const graph_step& step = steps[user];
    const node_work& work = *step.work;
    if (work.host || step.fused || step.is_fused || step.is_inner) return false;
    if (!work.kernel) return work.memory.what == memory_kind::copy || work.memory.what == memory_kind::fill;
    return !work.launch.finish && !accessors_of(work, *its.record).empty();
  });
}

/// Gives each temporary an offset in the shared memory. Temporaries in use at the same time do not overlap. Returns the
/// size of the shared memory in bytes.
std::size_t place(std::vector<temporary>& all, const step_order& order, std::size_t least_alignment) {
  std::sort(all.begin(), all.end(),
            [](const temporary& a, const temporary& b) { return a.record->bytes() > b.record->bytes(); });
  const auto is_over = [&](const temporary& a, const temporary& b) {
    return std::all_of(a.users.begin(), a.users.end(),
                       [&](std::uint32_t each) { return order.is_before(each, b.first); });
  };
  const bool overlaps = overlaps_temporaries();
  std::size_t end = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<const temporary*> alive;
    for (std::size_t k = 0; k < i && !overlaps; ++k) {
      if (!is_over(all[k], all[i]) && !is_over(all[i], all[k])) alive.push_back(&all[k]);
    }
    std::sort(alive.begin(), alive.end(), [](const temporary* a, const temporary* b) { return a->place < b->place; });
    const std::size_t bytes = all[i].record->bytes(), alignment = bytes >= page ? page : least_alignment;
    all[i].place = 0;
    for (const temporary* each : alive) {
      if (all[i].place + bytes <= each->place) break;
      all[i].place = std::max(all[i].place, sinter::abi::align_bytes(each->place + each->record->bytes(), alignment));
    }
    end = std::max(end, all[i].place + bytes);
  }
  return end;
}

struct shared_memory : counted {
  /// Memory for temporaries on the device, or on the host if the device has no memory of its own.
  shared_memory(std::size_t its_bytes, sinter::device_backend* its_place)
      : bytes(its_bytes),
        place(its_place),
        data(place ? allocate_memory(*place, sinter::memory_kind::device, bytes, page, finisher::attendant)
                   : allocate_buffer_memory(bytes)) {}
  ~shared_memory() override {
    if (data && place) give_back(*place, data);
    if (data && !place) free_buffer_memory(data, bytes);
  }
  const std::size_t bytes;
  sinter::device_backend* const place;
  void* const data;
};

/// Makes the step use the shared memory instead of the buffer's memory.
void move(graph_step& step, const temporary& its, const shared<shared_memory>& memory) {
  const auto* begin = static_cast<const char*>(its.record->data());
  const auto* end = begin + its.record->bytes();
  char* const to = static_cast<char*>(memory->data) + its.place;
  const auto moved = [&](const char* address) {
    // The end of the memory counts as part of it, because an accessor without elements may point there.
    return address >= begin && address <= end ? to + (address - begin) : const_cast<char*>(address);
  };
  shared<node_work> work = step.work->copy();
  if (work->kernel) {
    auto* block = static_cast<char*>(const_cast<void*>(work->launch.block));
    for (const std::size_t at : accessors_of(*work, *its.record)) {
      const char* data = moved(read_field<const char*>(block, at));
      std::memcpy(block + at, &data, sizeof(data));
    }
  } else if (work->memory.what == memory_kind::copy) {
    // A copy has no field for the end of its memory, so only the beginning is changed.
    work->memory.copy.destination = moved(work->memory.copy.destination);
    work->memory.copy.source = moved(work->memory.copy.source);
  } else {
    work->memory.fill.destination = moved(static_cast<const char*>(work->memory.fill.destination));
  }
  work->keep.push_back(memory);
  // The requirement stays, so that other commands still wait for the step, but the requirement no longer causes
  // transfers.
  for (requirement& each : work->requirements) {
    if (each.memory.get() == its.record) each.place = nullptr;
  }
  step.work = std::move(work);
}

}  // namespace

std::vector<std::uint32_t> drop_unread(std::span<graph_step> steps, std::uint64_t graph) {
  std::vector<std::uint32_t> dropped;
  if (steps.size() > most_steps || find_candidates(steps, graph).empty()) return dropped;
  const step_order order(steps);
  // Let a step B be the only reader of the result of a step A. If this round drops B, the next round can drop A.
  for (bool again = true; again;) {
    again = false;
    for (const temporary& each : find_temporaries(steps, graph, order)) {
      for (const std::uint32_t user : each.users) {
        if (steps[user].is_inner || !only_fills(steps[user], *each.record)) continue;
        const bool is_read = std::any_of(each.users.begin(), each.users.end(), [&](std::uint32_t other) {
          return other != user && !order.is_before(other, user) && reads(steps[other], *each.record);
        });
        if (is_read) continue;
        steps[user].work = make_counted<node_work>();
        dropped.push_back(user);
        again = true;
      }
      if (again) break;
    }
  }
  return dropped;
}

temporary_memory share_memory(std::span<graph_step> steps, std::uint64_t graph, sinter::device_backend& device) {
  temporary_memory result;
  if (steps.size() > most_steps || find_candidates(steps, graph).empty()) return result;
  const step_order order(steps);
  std::vector<temporary> all = find_temporaries(steps, graph, order);
  result.promoted = std::erase_if(all, [&](const temporary& each) { return is_promoted(each, steps); });
  for (const temporary& each : all) result.before += each.record->bytes();
  result.after = result.before;
  result.buffers = all.size();
  // If accesses are checked, each buffer keeps its own memory, so that accesses outside of a buffer are found.
  if (sinter::environment().checks_accesses()) return result;
  sinter::device_backend* const place_of = device.has_own_memory() ? &device : nullptr;
  std::erase_if(all, [&](const temporary& each) {
    return each.record->bytes() == 0 || (place_of && !each.record->is_on_host_only()) || !can_move(each, steps);
  });
  std::size_t alone = 0;
  for (const temporary& each : all) alone += each.record->bytes();
  const std::size_t together = place(all, order, place_of ? device_line : line);
  if (together >= alone) return result;
  const auto memory = make_counted<shared_memory>(together, place_of);
  if (!memory->data) return result;
  for (const temporary& each : all) {
    for (const std::uint32_t user : each.users) move(steps[user], each, memory);
  }
  result.after = result.before - alone + together;
  return result;
}

}  // namespace sycl::detail
