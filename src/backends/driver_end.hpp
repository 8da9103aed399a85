#pragma once
/// Drivers end with the program, before older static objects do. From then on their functions refuse.

#include <base/program_end.hpp>

namespace sinter {

bool drivers_have_ended() noexcept;
/// Call it when a function refuses because its driver has ended. A thread that nothing waits for thus has time to end
/// with the process; an exception in it would end the process in another way. The function returns in the end, because
/// another thread may wait for this one.
void let_program_end();
/// Call it after any use of a driver in which it may have registered something with exit(). Behind that, it registers
/// the steps that come before drivers end: it waits for commands, and closes functions. It opens nothing and may be
/// called often.
void note_driver_use();
/// The function pointer at this place, which must live for ever, is replaced by `closed` when drivers end.
void close_at_end(void** function, void* closed);

/// In messages.
inline constexpr const char* driver_end_text =
    "the driver has ended with the program; use the device before main returns";

/// While one lives, drivers don't end. It is held while a driver's compiler works. If that calls exit(), which Intel's
/// does for some damaged SPIR-V, the program ends without waiting for anything.
class driver_use {
public:
  driver_use();
  driver_use(const driver_use&) = delete;
  ~driver_use();

private:
  driver_code_scope m_code;
};

}  // namespace sinter
