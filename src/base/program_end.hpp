#pragma once
/// Work that the end of the program and the end of a library wait for: submitted commands, then work in the background.
/// The scheduler says how it is waited for when it starts; who makes others wait need not know it.

namespace sinter {

struct command_functions {
  void (*drain)();              ///< waits for every submitted command, and for background work after them
  void (*end_collecting)();     ///< what is only collected, or held back, begins to run
  bool (*will_end)() noexcept;  ///< everything submitted runs to its end, given time
};
/// Before the first command is submitted.
void serve_commands(const command_functions& functions) noexcept;

/// Does nothing before anything can have been submitted; nor do the others.
void drain_commands();
void end_collecting();
bool commands_will_end() noexcept;

/// The main thread has ended: what only another thread of the program could complete is not waited for any more.
void note_main_thread_end() noexcept;
bool has_main_thread_ended() noexcept;

/// From now on it is known what exit() is called with.
void watch_exit();
/// The argument of exit().
int exit_status() noexcept;
/// Whether exit() was called and most functions that the program registered with it have run.
bool is_exiting() noexcept;

/// Drivers may end with the program before its static objects do. `bring_home` copies contents that are on devices to
/// the host's memory before that.
void serve_contents(void (*bring_home)() noexcept) noexcept;
void bring_contents_home() noexcept;
/// Waits for every command, then copies contents to the host's memory. exit() has to call it before a driver ends, so
/// it is registered after anything that may have made the driver register its end.
void settle_before_driver_ends();

/// How to wait for the work that commands leave behind.
void serve_background_work(void (*wait)()) noexcept;
void finish_background_work();

}  // namespace sinter
