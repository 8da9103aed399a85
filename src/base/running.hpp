#pragma once
/// Which threads run commands at the moment. The end of the program needs this when a command calls exit() itself: that
/// command never ends, and neither do the commands that wait for it.

namespace sycl::inline _V1::detail {

struct thread_state;

/// While one lives, the thread runs a command, or several one after the other.
class running_scope {
public:
  /// Begins a command of its own.
  running_scope() noexcept : running_scope(this) {}
  /// Takes part in another thread's command: `current()` of that thread. Null: in nothing.
  explicit running_scope(const void* of) noexcept;
  running_scope(const running_scope&) = delete;
  ~running_scope();

  /// The command that this thread runs; null: none.
  static const void* current() noexcept;
  /// Whether another thread runs a command other than this one, and does not sleep until other commands end.
  static bool others_run(const void* mine);

private:
  thread_state& m_thread;
  const void* const m_outer;
};

/// A command has called pthread_exit, or its thread was cancelled: prints this and aborts. Its thread belongs to the
/// runtime, or waits for more than this command.
[[noreturn]] void refuse_end_of_thread(const char* command) noexcept;

/// While such an object lives, the thread sleeps until a command of other threads is complete.
class sleeping_scope {
public:
  sleeping_scope() noexcept;
  sleeping_scope(const sleeping_scope&) = delete;
  ~sleeping_scope();
};

}  // namespace sycl::detail
