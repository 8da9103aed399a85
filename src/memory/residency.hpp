#pragma once
/// Tracks which memories will have the current contents of a buffer when all submitted commands are complete.
///
/// Places are the host's memory and the memories of devices. The bytes are cut into segments; for each segment, the
/// object has the set of places in which the segment is current. A segment that was never written counts as current
/// everywhere, because its values are undefined.

#include <cstddef>
#include <cstdint>
#include <scheduler/memory_users.hpp>
#include <vector>

namespace sycl::inline _V1::detail {

class residency {
public:
  /// If `defined` is true, only the host's memory has the contents in the beginning. Otherwise, the contents are
  /// undefined.
  residency(char* host_memory, std::size_t bytes, bool defined);

  struct place {
    memory_place where;  ///< null: the host
    /// the buffer's address in this place; if the device shares the host's memory, this is the address in the host's
    /// memory, and nothing is copied
    char* memory;
  };
  /// Adds memory of a device. A buffer has memory on 63 devices at most.
  void add(const place& added);
  /// Returns the buffer's memory at the place, or null if the buffer has no memory there.
  char* memory_at(memory_place where) const noexcept;
  /// All places. The first place is the host's memory.
  const std::vector<place>& places() const noexcept { return m_places; }

  /// Copies all contents that are current only on devices to the host's memory, without a command. Contents for which a
  /// transfer to a device is under way are not copied.
  void bring_home();

  enum class usage { reads, writes_some, writes_all };
  /// Called when a command uses the bytes [begin, end) of the buffer at the place; `needs` says whether the command
  /// needs the contents. Returns, in order, the transfers for which the command has to wait. The caller submits the
  /// commands of new transfers.
  std::vector<needed_transfer> use(memory_place where, std::size_t begin, std::size_t end, bool needs, usage how);

private:
  using place_set = std::uint64_t;
  /// A transfer that brings the contents to a place. Commands that use the contents at this place have to wait for the
  /// transfer.
  struct arrival {
    std::size_t place;
    command_ptr transfer;
  };
  struct segment {
    std::size_t begin, end;
    place_set current;
    std::vector<arrival> arrivals;
  };

  std::size_t index_of(memory_place where) const noexcept;
  void cut(std::size_t at);
  void bring(segment& wanted, std::size_t from, std::size_t to, std::vector<needed_transfer>& needed) const;
  std::size_t source_for(const segment& wanted, std::size_t to) const noexcept;
  void bring(segment& wanted, std::size_t to, std::vector<needed_transfer>& needed) const;
  void join();

  std::vector<place> m_places;
  std::vector<segment> m_segments;  ///< in order, without gaps
};

}  // namespace sycl::detail
