#pragma once
/// The driver's functions for command buffers: cl_khr_command_buffer 1.0, and cl_khr_command_buffer_mutable_dispatch
/// since 0.9.3. They are declared here, because most versions of OpenCL's headers have provisional declarations with
/// other parameters.

#include <string>

#include "cl_context.hpp"

namespace sinter::opencl {

using command_buffer = struct command_buffer_object*;
using recorded_command = struct recorded_command_object*;
using sync_point = cl_uint;

/// Changes to a recorded launch. If a pointer is null, this part of the launch does not change.
struct launch_update {
  struct argument {
    cl_uint index;
    std::size_t bytes;
    const void* value;
  };
  recorded_command command = nullptr;
  cl_uint argument_count = 0, pointer_count = 0, info_count = 0, dimensions = 0;
  const argument *arguments = nullptr, *pointers = nullptr;
  const void* infos = nullptr;
  const std::size_t *offset = nullptr, *global = nullptr, *local = nullptr;
};

class command_buffers {
public:
  explicit command_buffers(const cl_device_context& device);
  /// Returns the reason why command buffers can't be used, or an empty text if they can.
  const std::string& problem() const noexcept { return m_problem; }

  /// Returns whether commands that don't wait for each other can run at the same time.
  bool are_concurrent() const noexcept { return m_concurrent; }
  /// Returns whether launches can be changed.
  bool are_mutable() const noexcept { return update != nullptr; }
  /// Returns whether copies and fills of any memory can be recorded.
  bool take_memory() const noexcept { return copy != nullptr; }

  static constexpr cl_properties flags = 0x1293, can_overlap = 1 << 0, can_change = 1 << 1;
  static constexpr cl_properties changes = 0x12B1, all_changes = 0xF;

#define SINTER_WAIT_LIST cl_uint, const sync_point*, sync_point*, recorded_command*
  command_buffer (*create)(cl_uint, const cl_command_queue*, const cl_properties*, cl_int*) = nullptr;
  cl_int (*finalize)(command_buffer) = nullptr;
  cl_int (*release)(command_buffer) = nullptr;
  cl_int (*enqueue)(cl_uint, cl_command_queue*, command_buffer, cl_uint, const cl_event*, cl_event*) = nullptr;
  cl_int (*launch)(command_buffer, cl_command_queue, const cl_properties*, cl_kernel, cl_uint,
                   const std::size_t* offset, const std::size_t* global, const std::size_t* local,
                   SINTER_WAIT_LIST) = nullptr;
  cl_int (*copy)(command_buffer, cl_command_queue, const cl_properties*, void*, const void*, std::size_t,
                 SINTER_WAIT_LIST) = nullptr;
  cl_int (*fill)(command_buffer, cl_command_queue, const cl_properties*, void*, const void*, std::size_t, std::size_t,
                 SINTER_WAIT_LIST) = nullptr;
  /// Changes recorded launches. `kinds` has one number for each update; 0 is the only kind.
  cl_int (*update)(command_buffer, cl_uint, const cl_uint* kinds, const void** updates) = nullptr;
#undef SINTER_WAIT_LIST

private:
  std::string find(const cl_device_context& device);

  std::string m_problem;
  bool m_concurrent = false;
};

}  // namespace sinter::opencl
