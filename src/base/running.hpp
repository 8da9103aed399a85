#pragma once
/// Records which threads run commands at the moment. The end of the program needs this knowledge if a command itself
/// calls exit(): this command never ends, and neither do commands that wait for it.

namespace sycl::inline _V1::detail {

struct thread_state;

/// While such an object exists, the thread runs a command, or several one after the other.
class running_scope {
public:
  /// The thread begins a command of its own.
  running_scope() noexcept : running_scope(this) {}
  /// The thread takes part in `of`, a command of another thread, as current() returns it on that thread. If `of` is
  /// null, the thread takes part in no command.
  explicit running_scope(const void* of) noexcept;
  running_scope(const running_scope&) = delete;
  ~running_scope();

  /// Returns the command that this thread runs, or null if it runs none.
  static const void* current() noexcept;
  /// Whether another thread runs a command other than `mine`, and is not asleep until other commands end.
  static bool others_run(const void* mine);

private:
  thread_state& m_thread;
  const void* const m_outer;
};

/// Called when a command has called pthread_exit, or its thread was cancelled: prints an error and aborts. Such a
/// thread can't end, because it belongs to the runtime or waits for other commands as well.
[[noreturn]] void refuse_end_of_thread(const char* command) noexcept;

/// While such an object lives, the thread sleeps until a command of other threads is complete.
class sleeping_scope {
public:
  sleeping_scope() noexcept;
  sleeping_scope(const sleeping_scope&) = delete;
  ~sleeping_scope();
};

}  // namespace sycl::detail
