#pragma once
/// The scheduler's interface to a list of collected commands. While the list collects commands, these commands are not
/// in the DAG. The list has to end when another command or a thread needs one of the collected commands. src/fusion
/// implements the lists.

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
  /// Turns the collected operations into commands. Does nothing if the list has ended already.
  virtual void end_early(list_end cause) = 0;

  /// The number of lists that still collect. Hot paths check this number before they look for lists.
  static unsigned count_active() noexcept { return active_lists.load(std::memory_order_relaxed); }
  /// Called when the program ends.
  static void end_all();

protected:
  explicit command_list(bool automatic) noexcept : m_automatic(automatic) {}
  /// Registers the list, so that other threads may find and end it. Before this call, callers have to make a shared
  /// pointer to the list.
  void note_start();
  void note_end();

private:
  static std::atomic<unsigned> active_lists;

  const bool m_automatic;
  std::atomic<bool> m_active{true};
};

}  // namespace sycl::detail
