#pragma once
/// Functions that describe the kind of the processor, and functions for instructions that C++ does not offer. Each kind
/// of processor has a file of its own (processor_x86_64.cpp, processor_aarch64.cpp), and the build takes one of these
/// files. docs/processors.md lists the other code that depends on the kind of processor.

#include <cstdint>
#include <string>

namespace sinter {

/// The fixed target (abi/device_targets.hpp) whose code the process can run.
#if defined(__aarch64__)
inline constexpr const char* processor_target = "aarch64";
#else
inline constexpr const char* processor_target = "x86_64";
#endif

std::string processor_name();
std::string processor_vendor();
/// The numbers that identify the processor's model.
std::uint32_t processor_signature() noexcept;
/// A text for cache keys. Two processors have different texts if one of them may be unable to run code that was made
/// for the other.
std::string processor_identity();
/// The length of the processor's longest vectors.
std::uint32_t processor_vector_bytes() noexcept;
bool processor_has_half_arithmetic() noexcept;
/// Whether kernels that use all of the processor's instructions round a * b + c once.
bool processor_adds_products_once() noexcept;

/// Tells the processor that the thread is waiting for another thread.
inline void pause_processor() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  // `yield` does nothing on most processors. `isb` empties the pipeline, which takes some ten nanoseconds.
  __asm__ volatile("isb" ::: "memory");
#endif
}

}  // namespace sinter
