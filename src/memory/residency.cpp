#include "residency.hpp"

#include <algorithm>
#include <bit>

#include <scheduler/test_hooks.hpp>

namespace sycl::inline _V1::detail {

residency::residency(char* host_memory, std::size_t bytes, bool defined) : m_places{{nullptr, host_memory}} {
  if (bytes != 0) m_segments.push_back({0, bytes, defined ? place_set{1} : ~place_set{0}, {}});
}

void residency::add(const place& added) { m_places.push_back(added); }

char* residency::memory_at(memory_place where) const noexcept {
  const std::size_t index = index_of(where);
  return index < m_places.size() ? m_places[index].memory : nullptr;
}

std::size_t residency::index_of(memory_place where) const noexcept {
  const auto found =
      std::find_if(m_places.begin(), m_places.end(), [&](const place& each) { return each.where == where; });
  return static_cast<std::size_t>(found - m_places.begin());
}

std::vector<needed_transfer> residency::use(memory_place where, std::size_t begin, std::size_t end, bool needs,
                                            usage how) {
  std::vector<needed_transfer> needed;
  const std::size_t to = index_of(where);
  const place_set here = place_set{1} << to;
  // Most commands use all of a buffer whose contents are at the place already.
  if (m_segments.size() == 1) {
    segment& only = m_segments.front();
    if (only.begin == begin && only.end == end && (only.current & here) != 0 && only.arrivals.empty()) {
      if (how != usage::reads) only.current = here;
      return needed;
    }
  }
  cut(begin);
  cut(end);
  for (segment& each : m_segments) {
    if (each.begin < begin || each.end > end) continue;
    if ((each.current & here) != 0) {
      // Even a command that does not need the contents has to wait for transfers that write to the same memory.
      for (const arrival& arrived : each.arrivals) {
        if (arrived.place == to && !arrived.transfer->is_complete()) needed.push_back({arrived.transfer});
      }
    } else if (needs) {
      bring(each, to, needed);
    }
    if (how == usage::reads) continue;
    each.current = here;
    // If a command overwrites all the contents, later commands need not wait for the transfer: they wait for this
    // command. Otherwise some of the contents may still come from the transfer.
    std::erase_if(each.arrivals,
                  [&](const arrival& arrived) { return how == usage::writes_all || arrived.place != to; });
  }
  join();
  return needed;
}

void residency::bring_home() {
  for (segment& each : m_segments) {
    if ((each.current & 1) != 0) continue;
    const std::size_t from = source_for(each, 0);
    const bool is_on_its_way = std::any_of(each.arrivals.begin(), each.arrivals.end(), [&](const arrival& arrived) {
      return arrived.place == from && !arrived.transfer->is_complete();
    });
    if (is_on_its_way) continue;
    if (m_places[from].memory != m_places[0].memory) {
      m_places[from].where->copy_bytes(m_places[0].memory + each.begin, m_places[from].memory + each.begin,
                                       each.end - each.begin);
    }
    each.current |= 1;
  }
}

void residency::cut(std::size_t at) {
  const auto found = std::find_if(m_segments.begin(), m_segments.end(),
                                  [&](const segment& each) { return each.begin < at && at < each.end; });
  if (found == m_segments.end()) return;
  segment front = *found;
  front.end = found->begin = at;
  m_segments.insert(found, std::move(front));
}

void residency::bring(segment& wanted, std::size_t to, std::vector<needed_transfer>& needed) const {
  // Contents can be copied between the host's memory and every other place.
  const std::size_t from = source_for(wanted, to);
  const memory_place source = m_places[from].where, target = m_places[to].where;
  if (source && target && !target->reaches(*source)) {
    bring(wanted, from, 0, needed);
    bring(wanted, 0, to, needed);
  } else {
    bring(wanted, from, to, needed);
  }
}

/// Returns a place that has the contents, preferably a place that shares its memory with `to`.
std::size_t residency::source_for(const segment& wanted, std::size_t to) const noexcept {
  for (std::size_t i = 0; i < m_places.size(); ++i) {
    if ((wanted.current >> i & 1) != 0 && m_places[i].memory == m_places[to].memory) return i;
  }
  return static_cast<std::size_t>(std::countr_zero(wanted.current));
}

void residency::bring(segment& wanted, std::size_t from, std::size_t to,
                      std::vector<needed_transfer>& needed) const {
  wanted.current |= place_set{1} << to;
  const auto arrived = std::find_if(wanted.arrivals.begin(), wanted.arrivals.end(),
                                    [&](const arrival& each) { return each.place == from; });
  if (m_places[from].memory == m_places[to].memory) {
    // Both places have the same memory, so no transfer is made. If the transfer to `from` is not complete yet, users at
    // `to` wait for this transfer.
    if (arrived == wanted.arrivals.end() || arrived->transfer->is_complete()) return;
    const command_ptr transfer = arrived->transfer;
    needed.push_back({transfer});
    wanted.arrivals.push_back({to, transfer});
    return;
  }
  if (drops_transfer()) return;
  const std::size_t bytes = wanted.end - wanted.begin;
  const transfer made{m_places[from].where, m_places[to].where,
                      sinter::abi::strided_copy::contiguous(m_places[to].memory + wanted.begin,
                                                            m_places[from].memory + wanted.begin, bytes),
                      region(wanted.begin, wanted.end)};
  command_ptr transfer = make_counted<command>();
  needed.push_back({transfer, made, arrived == wanted.arrivals.end() ? nullptr : arrived->transfer});
  std::erase_if(wanted.arrivals, [](const arrival& each) { return each.transfer->is_complete(); });
  wanted.arrivals.push_back({to, std::move(transfer)});
}

/// Joins neighbouring segments in the same state, so that the number of segments stays small.
void residency::join() {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < m_segments.size(); ++i) {
    segment& next = m_segments[i];
    std::erase_if(next.arrivals, [](const arrival& each) { return each.transfer->is_complete(); });
    if (kept != 0) {
      segment& last = m_segments[kept - 1];
      if (last.current == next.current && last.arrivals.empty() && next.arrivals.empty()) {
        last.end = next.end;
        continue;
      }
    }
    if (kept != i) m_segments[kept] = std::move(next);
    ++kept;
  }
  m_segments.resize(kept);
}

}  // namespace sycl::detail
