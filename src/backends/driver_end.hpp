#pragma once
/// At the end of the program, exit() ends drivers before it destroys static objects that were constructed earlier. From
/// then on, calls of the drivers' functions return an error.

#include <base/program_end.hpp>

namespace sinter {

bool drivers_have_ended() noexcept;
/// Call this function if a function of a driver has returned an error because the driver has ended. This function
/// sleeps, so that the process usually ends before the thread throws an exception, which could end the process with an
/// error. The sleep is limited, because another thread may wait for this one.
void let_program_end();
/// A call of a driver may register functions of the driver with exit(). Call note_driver_use after each such call.
/// note_driver_use registers a function of Sinter with exit(), and exit() calls this function before the driver's
/// functions. Sinter's function waits for commands and closes drivers. note_driver_use opens no library and may be
/// called often.
void note_driver_use();
/// When drivers end, the function pointer at `function` is set to `closed`. The pointer must never be destroyed.
void close_at_end(void** function, void* closed);

/// Messages use this text if a driver has ended.
inline constexpr const char* driver_end_text =
    "the driver has ended with the program; use the device before main returns";

/// Drivers don't end while an object of this class exists. Calls of a driver's compiler need such an object. If the
/// compiler itself calls exit(), as Intel's does for some damaged SPIR-V, the program ends without waiting for
/// commands.
class driver_use {
public:
  driver_use();
  driver_use(const driver_use&) = delete;
  ~driver_use();

private:
  driver_code_scope m_code;
};

}  // namespace sinter
