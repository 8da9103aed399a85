#pragma once
/// Records which commands each thread runs, and for which other commands these commands wait. A command that needs
/// memory must not wait for commands that themselves wait for this command.

#include <vector>

#include "command.hpp"

namespace sycl::inline _V1::detail {

/// While an object of this class exists, the thread runs the command `what`, or owns the stream `what` and runs its
/// commands. The marks of a thread are nested, because a thread that waits within a command may run other commands
/// during the wait.
class run_mark {
public:
  explicit run_mark(const void* what) noexcept : m_innermost(innermost), m_what(what), m_outer(m_innermost) {
    m_innermost = this;
  }
  run_mark(const run_mark&) = delete;
  ~run_mark() { m_innermost = m_outer; }

  /// Returns an address that identifies the calling thread.
  static const void* this_thread() noexcept { return &innermost; }
  static bool runs_any() noexcept { return innermost != nullptr; }
  /// The address of the calling thread, and the addresses of all commands and streams that it runs.
  static std::vector<const void*> all();

private:
  static constinit thread_local const run_mark* innermost;

  const run_mark*& m_innermost;  ///< the innermost mark of this thread
  const void* const m_what;
  const run_mark* const m_outer;
};

/// While an object of this class exists, the thread waits for the command `awaited`, and so do the commands that the
/// thread runs. The object records nothing if the thread runs no command.
class waiting_mark {
public:
  explicit waiting_mark(const dependency& awaited) {
    if (run_mark::runs_any()) add(awaited);
  }
  waiting_mark(const waiting_mark&) = delete;
  ~waiting_mark() {
    if (!m_who.empty()) remove();
  }

private:
  void add(const dependency& awaited);
  void remove();

  std::vector<const void*> m_who;
};

/// While an object of this class exists, the thread and the commands that it runs wait until memory is freed.
class searching_mark {
public:
  searching_mark();
  searching_mark(const searching_mark&) = delete;
  ~searching_mark();

private:
  const std::vector<const void*> m_who;
};

/// Says whether a command will complete if the searching thread does nothing more for it.
enum class prospect {
  sure,    ///< yes: devices do the work
  unsure,  ///< perhaps: it needs host code to run or a host accessor to end, and both may depend on anything
  never    ///< no: it waits for a thread that itself searches for memory
};
prospect prospect_of(const dependency& awaited);

}  // namespace sycl::detail
