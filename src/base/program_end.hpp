#pragma once
/// The end of the program and the end of a library wait for work: first for submitted commands, then for work in the
/// background. When the scheduler starts, it registers functions that wait, so that callers of this header need not
/// know the scheduler.

namespace sinter {

struct command_functions {
  void (*drain)();              ///< waits for every submitted command, and for background work after them
  void (*end_collecting)();     ///< starts the commands that are so far only collected or held back
  bool (*will_end)() noexcept;  ///< whether every submitted command will end at some time
};
/// Called before the first command is submitted.
void serve_commands(const command_functions& functions) noexcept;

/// Waits for every command, and for background work after them. Before serve_commands there are no commands, so only
/// background work is waited for, and the functions below do nothing.
void drain_commands();
void end_collecting();
bool commands_will_end() noexcept;

/// Called when the main thread has ended. From then on, nothing waits for work that only another thread of the program
/// could complete.
void note_main_thread_end() noexcept;
bool has_main_thread_ended() noexcept;

/// While such an object exists, the thread runs code of a driver that may call exit(), for example a driver's compiler.
/// If the driver calls exit(), locks that this thread holds, in the driver or in Sinter, are never released. So the end
/// of the program must not wait for anything that may need such a lock.
class driver_code_scope {
public:
  driver_code_scope() noexcept;
  driver_code_scope(const driver_code_scope&) = delete;
  ~driver_code_scope();
};
bool is_in_driver_code() noexcept;

/// From now on the argument of exit() is recorded.
void watch_exit();
/// The argument of exit().
int exit_status() noexcept;
/// Whether exit() was called, and has already called most of the functions that the program registered with it.
bool is_exiting() noexcept;

/// At the end of the program, drivers may end before the program's static objects are destroyed. `bring_home` copies
/// contents that are on devices to the host's memory before drivers end.
void serve_contents(void (*bring_home)() noexcept) noexcept;
void bring_contents_home() noexcept;
/// Waits for every command, then copies contents to the host's memory. exit() has to call this function before a driver
/// ends, so it is registered again after each call of a driver in which the driver may have registered its own end.
void settle_before_driver_ends();

/// Registers the function that waits for background work.
void serve_background_work(void (*wait)()) noexcept;
void finish_background_work();

}  // namespace sinter
