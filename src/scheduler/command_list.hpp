#pragma once
/// The scheduler's view of a list that collects commands before they are in the DAG: the list has to end when another
/// command or thread needs a collected command. src/fusion makes the lists.

#include <atomic>

#include <sycl/detail/shared.hpp>

namespace sycl::inline _V1::detail {

/// Why a list ends before it is completed.
enum class list_end { cancelled, synchronization, event_of_other_fusion, memory_of_other_fusion, circle, window };

class command_list : public counted {
public:
  /// Whether the list still collects operations.
  bool is_active() const noexcept { return m_active.load(); }
  /// Whether the runtime made the list by itself (auto_fusion).
  bool is_automatic() const noexcept { return m_automatic; }
  /// Turns the collected operations into commands. Does nothing when the list has ended.
  virtual void end_early(list_end cause) = 0;

  /// The number of lists that collect. Hot paths ask for it first.
  static unsigned count_active() noexcept { return active_lists.load(std::memory_order_relaxed); }
  /// Called when the program ends.
  static void end_all();

protected:
  explicit command_list(bool automatic) noexcept : m_automatic(automatic) {}
  /// From now on other threads may find the list and end it: it has an owner.
  void note_start();
  void note_end();

private:
  static std::atomic<unsigned> active_lists;

  const bool m_automatic;
  std::atomic<bool> m_active{true};
};

}  // namespace sycl::detail
