#include "access_checks.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <abi/accessor_layout.hpp>
#include <abi/device_abi.hpp>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <images/compile_options.hpp>
#include <images/kernel_name.hpp>
#include <images/kernel_view.hpp>
#include <images/registry.hpp>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <base/environment.hpp>
#include <base/per_thread.hpp>
#include <base/race_notes.hpp>
#include <set>
#include <span>
#include <string>

#include "access_races.hpp"

namespace sinter {
namespace {

using abi::accessor_layout;
using abi::local_accessor_layout;

/// A range of bytes that a kernel may access.
struct region {
  const char* begin = nullptr;
  std::uint64_t bytes = 0;
  bool contains(const void* address) const noexcept {
    return static_cast<std::uint64_t>(static_cast<const char*>(address) - begin) < bytes;
  }
};

// ------------------------------------------------------------------------------------------------- allocations

// Freed memory is kept in a quarantine of at most this many bytes before it is reused, so that accesses to freed memory
// are found.
constexpr std::uint64_t quarantine = std::uint64_t{1} << 28;

/// The device's allocations, and allocations that were freed recently. The object is never destroyed.
class allocations {
public:
  static allocations& instance() {
    static auto* table = new (sinter::lasting) allocations;
    return *table;
  }

  void add(const char* memory, std::uint64_t bytes) {
    std::lock_guard lock(m_mutex);
    m_live[memory] = bytes;
    m_version.fetch_add(1);
  }

  /// Puts the memory into the quarantine. The memory is freed after enough other memory has come into the quarantine.
  void remove(char* memory) {
    std::lock_guard lock(m_mutex);
    const auto found = m_live.find(memory);
    if (found == m_live.end()) return std::free(memory);
    m_freed[memory] = found->second;
    m_quarantined.push_back(memory);
    m_quarantined_bytes += found->second;
    m_live.erase(found);
    m_version.fetch_add(1);
    for (; m_quarantined_bytes > quarantine; m_quarantined.pop_front()) {
      const auto oldest = m_freed.find(m_quarantined.front());
      m_quarantined_bytes -= oldest->second;
      m_freed.erase(oldest);
      std::free(m_quarantined.front());
    }
  }

  std::optional<region> find(const void* address) {
    // The latest result is kept, because kernels access the same few allocations again and again.
    thread_local region latest;
    thread_local std::uint64_t version = 0;
    const std::uint64_t now = m_version.load();
    if (version == now && latest.contains(address)) return latest;
    std::lock_guard lock(m_mutex);
    const auto found = find_in(m_live, address);
    if (found) {
      latest = *found;
      version = now;
    }
    return found;
  }

  std::optional<region> find_freed(const void* address) {
    std::lock_guard lock(m_mutex);
    return find_in(m_freed, address);
  }

private:
  using table = std::map<const char*, std::uint64_t>;

  static std::optional<region> find_in(const table& entries, const void* address) {
    auto next = entries.upper_bound(static_cast<const char*>(address));
    if (next == entries.begin()) return {};
    --next;
    const region found{next->first, next->second};
    return found.contains(address) ? std::optional(found) : std::nullopt;
  }

  std::mutex m_mutex;  // protects all members except m_version
  table m_live, m_freed;
  std::deque<char*> m_quarantined;  ///< keys of m_freed, the oldest first
  std::uint64_t m_quarantined_bytes = 0;
  std::atomic<std::uint64_t> m_version{1};
};

// ------------------------------------------------------------------------------------------------- the running
// work-item

struct checked_work_item {
  const kernel_launch* launch = nullptr;  ///< the launch that is checked; may be null
  std::span<const abi::image_leaf> leaves;
  const char* local_memory = nullptr;
  std::uint64_t id[3] = {};
  std::uint64_t item = 0, group = 0;
};

thread_local checked_work_item checked;
access_races& races() { return per_thread<access_races>(); }

template <class T>
T field(const void* block, std::size_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char*>(block) + offset, sizeof(value));
  return value;
}

unsigned rank_of(const abi::image_leaf& leaf) { return leaf.dimensions == 0 ? 1 : leaf.dimensions; }

/// An accessor, local accessor or pointer of the argument block, with the memory that it may access.
struct argument {
  region memory;
  std::uint64_t extents[3] = {};  ///< number of elements that an accessor can access in each dimension
  std::uint64_t strides[3] = {};  ///< distances between neighbours in each dimension, in elements
};

std::optional<argument> read_argument(const abi::image_leaf& leaf) {
  const char* block = static_cast<const char*>(checked.launch->block) + leaf.offset;
  argument result;
  const unsigned rank = rank_of(leaf);
  switch (leaf.kind) {
    case abi::leaf_kind::accessor: {
      const accessor_layout layout(leaf.dimensions);
      result.memory.begin = field<const char*>(block, layout.data);
      std::uint64_t stride = 1, last = 0;
      bool empty = false;
      for (unsigned d = rank; d-- > 0;) {
        result.extents[d] = field<std::uint64_t>(block, layout.range() + layout.word * d);
        result.strides[d] = stride;
        stride *= field<std::uint64_t>(block, layout.memory_range + layout.word * d);
        empty |= result.extents[d] == 0;
        last += (result.extents[d] - 1) * result.strides[d];
      }
      result.memory.bytes = empty ? 0 : (last + 1) * leaf.element_size;
      return result;
    }
    case abi::leaf_kind::local_accessor: {
      result.memory.begin = checked.local_memory + field<std::uint64_t>(block, local_accessor_layout::local_offset);
      std::uint64_t elements = 1;
      for (unsigned d = rank; d-- > 0;) {
        result.extents[d] = field<std::uint64_t>(block, local_accessor_layout::range + sizeof(void*) * d);
        result.strides[d] = elements;
        elements *= result.extents[d];
      }
      result.memory.bytes = elements * leaf.element_size;
      return result;
    }
    case abi::leaf_kind::global_pointer:
      if (const auto found = allocations::instance().find(field<const void*>(block, 0))) {
        result.memory = *found;
        return result;
      }
      return {};
    default: return {};
  }
}

/// Returns the argument whose memory contains the address, or -1 if there is no such argument.
std::int32_t find_argument(const void* address) {
  for (std::size_t i = 0; i < checked.leaves.size(); ++i) {
    const abi::leaf_kind kind = checked.leaves[i].kind;
    if (kind != abi::leaf_kind::accessor && kind != abi::leaf_kind::local_accessor) continue;
    const auto found = read_argument(checked.leaves[i]);
    if (found && found->memory.contains(address)) return static_cast<std::int32_t>(i);
  }
  return -1;
}

// ------------------------------------------------------------------------------------------------- messages

std::string numbers(const std::uint64_t* values, unsigned first, unsigned end) {
  std::string text;
  for (unsigned d = first; d < end; ++d) text += (text.empty() ? "" : ", ") + std::to_string(values[d]);
  return end - first == 1 ? text : "{" + text + "}";
}

std::string at_line(const abi::checked_access& place) {
  return place.file ? std::string(place.file) + ":" + std::to_string(place.line) : "an unknown line (compile with -g)";
}

std::string kernel_text() {
  const abi::kernel_descriptor& kernel = *checked.launch->kernel;
  const image_view& image = *image_of(kernel);
  return "kernel '" + kernel_display_name(kernel) + "' (" + image.string(image.kernel(kernel.index).source_position) +
         ")";
}

std::string work_item_text() {
  const abi::kernel_descriptor& kernel = *checked.launch->kernel;
  const unsigned first = 3 - kernel.dimensions;
  std::string text = "work-item " + numbers(checked.id, first, 3);
  if (kernel.shape != abi::kernel_shape::nd_range) return text;
  return text + " (number " + std::to_string(checked.item) + " of group " + std::to_string(checked.group) + ")";
}

/// Returns an argument's name for messages. Accessors and pointers share one numbering, and local accessors have
/// another one, like in reports of fusion.
std::string argument_text(std::int32_t leaf) {
  unsigned number = 0;
  const abi::image_leaf& wanted = checked.leaves[static_cast<std::size_t>(leaf)];
  const auto is_local = [](const abi::image_leaf& each) { return each.kind == abi::leaf_kind::local_accessor; };
  for (std::int32_t i = 0; i < leaf; ++i) {
    const abi::image_leaf& each = checked.leaves[static_cast<std::size_t>(i)];
    const bool counts = is_local(wanted)
                            ? is_local(each)
                            : each.kind == abi::leaf_kind::accessor || each.kind == abi::leaf_kind::global_pointer;
    number += counts ? 1 : 0;
  }
  const std::string name =
      is_local(wanted) ? "local accessor " + std::to_string(number) : "argument " + std::to_string(number);
  const auto found = read_argument(wanted);
  if (!found) return name;
  if (wanted.kind == abi::leaf_kind::global_pointer) {
    return name + ", a pointer into an allocation of " + std::to_string(found->memory.bytes) + " bytes";
  }
  return name + (is_local(wanted) ? " of " : ", an accessor of ") + numbers(found->extents, 0, rank_of(wanted)) +
         " elements of " + std::to_string(wanted.element_size) + " bytes";
}

/// Returns a text that says where in the region an address lies, or how far outside of the region.
std::string position_text(const region& memory, const void* address, std::uint64_t element) {
  const std::int64_t offset = static_cast<const char*>(address) - memory.begin;
  if (element > 1) {
    const auto size = static_cast<std::int64_t>(element);
    const std::int64_t index = offset >= 0 ? offset / size : -((size - 1 - offset) / size);
    return "index " + std::to_string(index);
  }
  return "byte " + std::to_string(offset);
}

[[noreturn]] void end_program(const std::string& text) {
  __sinter_trap(text.c_str());
  std::abort();
}

[[noreturn]] void report_bad_access(const abi::checked_access& place, std::uint64_t bytes, const std::string& where,
                                    const std::string& remedy) {
  end_program(kernel_text() + ": " + work_item_text() + (place.flags & abi::access_writes ? " writes " : " reads ") +
              std::to_string(bytes) + " bytes at " + where + ", at " + at_line(place) + ": " + remedy);
}

// ------------------------------------------------------------------------------------------------- checks

/// Returns whether all elements of an access lie in the box of elements that an accessor can access.
bool is_in_box(const argument& box, const abi::image_leaf& leaf, const char* address, std::uint64_t bytes) {
  if (bytes > box.memory.bytes || static_cast<std::uint64_t>(address - box.memory.begin) > box.memory.bytes - bytes)
    return false;
  // If the box has no gaps between rows, the check above is enough. Most boxes have no gaps, and the divisions below
  // would take longer than all other checks.
  bool dense = true;
  for (unsigned d = 1; d < rank_of(leaf); ++d) dense &= box.strides[d - 1] == box.strides[d] * box.extents[d];
  if (leaf.element_size == 0 || dense) return true;
  for (const char* each : {address, address + bytes - 1}) {
    std::uint64_t rest = static_cast<std::uint64_t>(each - box.memory.begin) / leaf.element_size;
    for (unsigned d = 0; d < rank_of(leaf); ++d) {
      const std::uint64_t coordinate = rest / box.strides[d];
      rest %= box.strides[d];
      if (coordinate >= box.extents[d]) return false;
    }
  }
  return true;
}

/// Returns whether the process has memory at the address. Called for addresses that are in no allocation of the device.
bool is_there(const char* address) {
  // The latest page is remembered, because kernels read neighbouring addresses, and asking the system each time would
  // take a microsecond. The result is wrong if the program has unmapped this page since.
  thread_local std::uintptr_t latest = 0;
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(address) / page * page;
  if (begin == latest) return true;
  unsigned char resident = 0;
  if (mincore(reinterpret_cast<void*>(begin), page, &resident) != 0 && errno == ENOMEM) return false;
  latest = begin;
  return true;
}

/// Ends the program if the access is out of bounds. Returns whether several work-items can access the memory.
bool check_bounds(const abi::checked_access& place, const void* base, const void* at, std::uint64_t bytes) {
  const bool check = environment().check_memory;
  const char* address = static_cast<const char*>(at);
  if (place.flags & (abi::access_private | abi::access_constant | abi::access_argument | abi::access_group)) {
    const region object{static_cast<const char*>(base), place.object_bytes};
    const auto offset = static_cast<std::uint64_t>(address - object.begin);
    if (check && (bytes > object.bytes || offset > object.bytes - bytes)) {
      const char* kind = place.flags & abi::access_private    ? "a private array"
                         : place.flags & abi::access_constant ? "a variable"
                         : place.flags & abi::access_group    ? "a variable of the group"
                                                              : "the captured values";
      report_bad_access(place, bytes,
                        position_text(object, address, 1) + " of " + kind +
                            (place.name ? std::string(" '") + place.name + "'" : "") + " of " +
                            std::to_string(object.bytes) + " bytes",
                        "keep the index inside");
    }
    return (place.flags & abi::access_group) != 0;
  }
  if (check && reinterpret_cast<std::uintptr_t>(at) < 4096) {
    report_bad_access(place, bytes, "address " + std::to_string(reinterpret_cast<std::uintptr_t>(at)),
                      "a pointer is null: allocate before the launch");
  }
  std::int32_t leaf = place.leaf;
  if (leaf < 0) leaf = find_argument(base);
  if (leaf < 0) leaf = find_argument(at);
  if (leaf >= 0) {
    const abi::image_leaf& row = checked.leaves[static_cast<std::size_t>(leaf)];
    if (const auto found = read_argument(row)) {
      if (check && !is_in_box(*found, row, address, bytes)) {
        const std::uint64_t unit = row.kind == abi::leaf_kind::global_pointer ? 1 : row.element_size;
        report_bad_access(place, bytes, position_text(found->memory, at, unit) + " of " + argument_text(leaf),
                          "it ends there; check the index, the size, or the range of the launch");
      }
      return true;
    }
  }
  allocations& known = allocations::instance();
  auto found = known.find(base);
  if (!found) found = known.find(at);
  if (found) {
    const auto offset = static_cast<std::uint64_t>(address - found->begin);
    if (check && (bytes > found->bytes || offset > found->bytes - bytes)) {
      report_bad_access(
          place, bytes,
          position_text(*found, at, 1) + " of an allocation of " + std::to_string(found->bytes) + " bytes",
          "it ends there; check the index, the size, or the range of the launch");
    }
    return true;
  }
  if (check) {
    auto freed = known.find_freed(base);
    if (!freed) freed = known.find_freed(at);
    if (freed) {
      report_bad_access(place, bytes,
                        position_text(*freed, at, 1) + " of an allocation of " + std::to_string(freed->bytes) +
                            " bytes that has been freed",
                        "wait for the kernel before sycl::free (for images: before their handles or memory go)");
    }
    if (!is_there(address)) {
      char number[24];
      std::snprintf(number, sizeof(number), "%#lx", static_cast<unsigned long>(reinterpret_cast<std::uintptr_t>(at)));
      report_bad_access(place, bytes, std::string("address ") + number + ", where this process has no memory",
                        "a pointer, or a number that should be an image's handle, is wrong");
    }
  }
  return false;
}

void check_races(const abi::checked_access& place, const void* address, std::uint64_t bytes) {
  const auto before = races().touch(static_cast<std::uint32_t>(checked.item), place, address, bytes);
  if (!before.place) return;
  const auto does = [](const abi::checked_access& each) {
    return std::string(each.flags & abi::access_atomic ? " atomically" : "") +
           (each.flags & abi::access_writes ? " writes" : " reads");
  };
  const std::int32_t leaf = place.leaf >= 0 ? place.leaf : find_argument(address);
  std::string where = "the same memory";
  if (leaf >= 0) {
    const abi::image_leaf& row = checked.leaves[static_cast<std::size_t>(leaf)];
    const auto found = read_argument(row);
    if (found) where = position_text(found->memory, address, row.element_size) + " of " + argument_text(leaf);
  }
  end_program(kernel_text() + ": a race in work-group " + std::to_string(checked.group) + ": " + work_item_text() +
              does(place) + " " + where + " at " + at_line(place) + ", which number " + std::to_string(before.item) +
              does(*before.place) + " at " + at_line(*before.place) +
              ", with no barrier between them: add a group_barrier, or use sycl::atomic_ref");
}

void start(std::uint64_t id0, std::uint64_t id1, std::uint64_t id2, std::uint64_t item, std::uint64_t group) noexcept {
  if (!checked.launch) return;
  const bool first_of_group = item == 0 || group != checked.group;
  checked.id[0] = id0, checked.id[1] = id1, checked.id[2] = id2;
  checked.item = item;
  checked.group = group;
  if (environment().check_races && first_of_group) {
    const std::uint32_t required = kernel_view(*checked.launch->kernel).required_sub_group_size();
    races().start_group(required != 0 ? required : usual_sub_group_size());
  }
}

void resume(std::uint64_t id0, std::uint64_t id1, std::uint64_t id2, std::uint64_t item, std::uint32_t scope) noexcept {
  if (!checked.launch) return;
  checked.id[0] = id0, checked.id[1] = id1, checked.id[2] = id2;
  checked.item = item;
  const bool of_group = scope >= static_cast<std::uint32_t>(abi::scope::work_group);
  if (environment().check_races) races().pass_barrier(static_cast<std::uint32_t>(item), of_group);
}

void check_division(const abi::checked_access& place, abi::wrong_division how) {
  if (!environment().check_memory) return;
  const bool by_zero = how == abi::wrong_division::by_zero;
  const char* what = by_zero ? " divides by zero at " : " divides the lowest number by -1, which has no result, at ";
  end_program(kernel_text() + ": " + work_item_text() + what + at_line(place) + ": ask for the divisor before");
}

/// Prints a message once for each line of a kernel. The program continues, because a correct kernel may ignore the
/// result.
void check_exchange(const abi::checked_access& place, abi::wrong_exchange how) {
  if (!environment().check_memory || environment().warning_level == 0) return;
  static auto* mutex = new std::mutex;
  static auto* places = new std::set<const abi::checked_access*>;
  static auto* lines = new std::set<std::string>;
  std::lock_guard lock(*mutex);
  if (!places->insert(&place).second || !lines->insert(kernel_text() + at_line(place)).second) return;
  // Programs that were written for other devices rely on one of these sizes.
  const unsigned wanted = how.size < 32 ? 32 : 64;
  const std::string size = std::to_string(how.size);
  std::string remedy = "give sources inside of the sub-group";
  if (how.size < 64) {
    remedy += ", or, if the kernel is written for sub-groups of " + std::to_string(wanted) +
              ", require them by [[sycl::reqd_sub_group_size(" + std::to_string(wanted) +
              ")]], or by SINTER_SUB_GROUP_SIZE=" + std::to_string(wanted) + " in the environment";
  }
  std::fprintf(stderr, "sinter: %s: %s asks for the value of number %d of its sub-group at %s, but sub-groups have %s "
                       "work-items, so the value is undefined: %s\n",
               kernel_text().c_str(), work_item_text().c_str(), static_cast<int>(how.source), at_line(place).c_str(),
               size.c_str(), remedy.c_str());
}

void access(const abi::checked_access* place, const void* base, const void* address, std::uint64_t bytes) noexcept {
  if (!checked.launch || bytes == 0) return;
  if (place->flags & abi::access_exchanges) {
    const abi::wrong_exchange how{static_cast<std::int32_t>(bytes), static_cast<std::uint32_t>(bytes >> 32)};
    return check_exchange(*place, how);
  }
  if (place->flags & abi::access_divides) return check_division(*place, static_cast<abi::wrong_division>(bytes));
  const bool shared = check_bounds(*place, base, address, bytes);
  const bool grouped = checked.launch->kernel->shape == abi::kernel_shape::nd_range;
  if (shared && grouped && environment().check_races) check_races(*place, address, bytes);
}

} // namespace

const abi::access_check_functions access_checks = {start, resume, access};

void note_allocation(const void* memory, std::size_t bytes) {
  if (memory && environment().checks_accesses()) allocations::instance().add(static_cast<const char*>(memory), bytes);
}

void free_allocation(void* memory) noexcept {
  if (!memory || !environment().checks_accesses()) return std::free(memory);
  allocations::instance().remove(static_cast<char*>(memory));
}

void checked_launch::begin(const kernel_launch& launch, const void* local_memory) noexcept {
  checked = {};
  checked.launch = &launch;
  checked.leaves = image_of(*launch.kernel)->leaves(launch.kernel->index);
  checked.local_memory = static_cast<const char*>(local_memory);
}

void checked_launch::end() noexcept { checked.launch = nullptr; }

void note_unchecked(const kernel_launch& launch) {
  if (!environment().checks_accesses() || environment().warning_level == 0) return;
  static auto* mutex = new std::mutex;
  static auto* known = new std::set<const abi::kernel_descriptor*>;
  std::lock_guard lock(*mutex);
  if (!known->insert(launch.kernel).second) return;
  std::fprintf(stderr, "sinter: kernel '%s' runs as host code: SINTER_CHECK does not see its accesses\n",
               kernel_display_name(*launch.kernel).c_str());
}

} // namespace sinter
