#pragma once
/// When the program ends, drivers end before older static objects are destroyed. From then on the drivers' functions
/// refuse.

#include <base/program_end.hpp>

namespace sinter {

bool drivers_have_ended() noexcept;
/// Call this function when a function refuses because its driver has ended. It waits, so that a thread that nothing
/// waits for has time to end with the process; an exception in the thread would end the process in another way. The
/// wait is limited, because another thread may wait for this one.
void let_program_end();
/// Call this function after each use of a driver in which the driver may have registered functions with exit(). It then
/// registers the steps that run before drivers end: waiting for commands, and closing functions. It opens no library
/// and may be called often.
void note_driver_use();
/// When drivers end, the function pointer at `function` is replaced by `closed`. The pointer must never be destroyed.
void close_at_end(void** function, void* closed);

/// Messages use this text if a driver has ended.
inline constexpr const char* driver_end_text =
    "the driver has ended with the program; use the device before main returns";

/// Drivers don't end while an object of this class exists. It is held while a driver's compiler works. If the compiler
/// calls exit(), which Intel's compiler does for some damaged SPIR-V, the program ends without waiting.
class driver_use {
public:
  driver_use();
  driver_use(const driver_use&) = delete;
  ~driver_use();

private:
  driver_code_scope m_code;
};

}  // namespace sinter
