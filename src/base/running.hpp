#pragma once
/// Records which threads run commands at the moment. This matters if a command calls exit(): the end of the program
/// must not wait for this command, or for commands that wait for it, because none of these commands ever ends.

namespace sycl::inline _V1::detail {

struct thread_state;

/// While such an object exists, the thread runs a command, or several one after the other.
class running_scope {
public:
  /// The thread begins a command of its own.
  running_scope() noexcept : running_scope(this) {}
  /// The thread helps with a command of another thread; `of` is the value that current() returns on that thread. If
  /// `of` is null, the thread helps with no command.
  explicit running_scope(const void* of) noexcept;
  running_scope(const running_scope&) = delete;
  ~running_scope();

  /// Returns the command that this thread runs, or null if it runs none.
  static const void* current() noexcept;
  /// Whether another thread is busy with a command other than `mine`. A thread that sleeps until other commands end is
  /// not busy.
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
