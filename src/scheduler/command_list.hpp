#pragma once
/// A list that collects commands before they are in the DAG, as the scheduler sees it: something that has to end where
/// anybody needs what it collects. src/fusion makes them.

#include <atomic>

#include <sycl/detail/shared.hpp>

namespace sycl::inline _V1::detail {

/// Why a list ends before it is completed.
enum class list_end { cancelled, synchronization, event_of_other_fusion, memory_of_other_fusion, circle, window };

class command_list : public counted {
public:
  /// Still collects.
  bool is_active() const noexcept { return m_active.load(); }
  /// Made by the runtime: nobody has asked for it.
  bool is_automatic() const noexcept { return m_automatic; }
  /// Turns the collected operations into commands. Does nothing when the list has ended.
  virtual void end_early(list_end cause) = 0;

  /// Lists that collect: the hot paths ask this first.
  static unsigned count_active() noexcept { return active_lists.load(std::memory_order_relaxed); }
  /// The program ends.
  static void end_all();

protected:
  explicit command_list(bool automatic) noexcept : m_automatic(automatic) {}
  /// From now on others may find the list, and end it: it has an owner.
  void note_start();
  void note_end();

private:
  static std::atomic<unsigned> active_lists;

  const bool m_automatic;
  std::atomic<bool> m_active{true};
};

}  // namespace sycl::detail
