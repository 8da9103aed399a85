#pragma once
/// A table of functions of a GPU driver with streams, events, modules and graphs. Each vendor's folder fills the table.
/// Results, flags and structures have the numbers and layouts of NVIDIA's driver, which other vendors have adopted. If
/// a vendor's function differs from NVIDIA's, the vendor's folder supplies a wrapper.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::gpu {

using result_code = int;
using device_number = int;
using device_address = std::uint64_t;
using context_handle = struct context_object*;
using module_handle = struct module_object*;
using function_handle = struct function_object*;
using stream_handle = struct stream_object*;
using event_handle = struct event_object*;
using pool_handle = struct pool_object*;
using graph_handle = struct graph_object*;
using node_handle = struct node_object*;
using executable_handle = struct executable_object*;

enum : result_code {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  no_device = 100,
  not_ready = 600,
  peer_access_is_enabled = 704,
};

enum class function_attribute : int {
  local_bytes = 1,        ///< local memory of the kernel's own variables
  private_bytes = 3,      ///< private memory of a work-item, without registers
  registers = 4,
  most_local_bytes = 8,   ///< most local memory that a launch may use
};

enum memory_advice : int {
  set_read_mostly = 1,
  unset_read_mostly = 2,
  set_preferred_location = 3,
  unset_preferred_location = 4,
  set_accessed_by = 5,
  unset_accessed_by = 6,
};

enum class pointer_attribute : int { memory_type = 2 };
inline constexpr unsigned host_memory_type = 1, device_memory_type = 2;
enum class pool_attribute : int { release_threshold = 4 };

inline constexpr unsigned stream_non_blocking = 1, event_without_times = 2, host_portable = 1, host_mapped = 2,
                          attach_global = 1;

/// Allows a device to read and write memory of a pool.
struct pool_access {
  int location_type = 1;  // a device
  int location_id;
  int flags = 3;  // reads and writes
};

struct kernel_node {
  function_handle function;
  unsigned blocks[3], threads[3];
  unsigned shared_bytes;
  void** parameters;
  void** extra = nullptr;
  void* kernel = nullptr;
  context_handle context = nullptr;
};
struct fill_node {
  device_address destination;
  std::size_t pitch;
  unsigned value, element_bytes;
  std::size_t width, height;
};
/// A copy of bytes. Fields that a copy does not need keep their initial values.
struct copy_node {
  static constexpr int host_memory = 1, array_memory = 3;
  std::size_t source_x = 0, source_y = 0, source_z = 0, source_level = 0;
  int source_type = 4;  // any memory
  const void* source_host = nullptr;
  device_address source;
  void *source_array = nullptr, *reserved_source = nullptr;
  std::size_t source_pitch = 0, source_height = 0;
  std::size_t x = 0, y = 0, z = 0, level = 0;
  int type = 4;
  void* host = nullptr;
  device_address destination;
  void *array = nullptr, *reserved = nullptr;
  std::size_t pitch = 0, rows = 0;
  std::size_t bytes, height = 1, depth = 1;
};

// Each row has a function's name and its parameters.
#define SINTER_GPU_FUNCTIONS(X)                                                                                     \
  X(open_device, (device_number*, int))                                                                             \
  X(can_access_peer, (int*, device_number, device_number))                                                          \
  X(retain_context, (context_handle*, device_number))                                                               \
  X(set_context, (context_handle))                                                                                  \
  X(get_context, (context_handle*))                                                                                 \
  X(enable_peer_access, (context_handle, unsigned))                                                                 \
  X(load_module, (module_handle*, const void*))                                                                     \
  X(unload_module, (module_handle))                                                                                 \
  X(find_function, (function_handle*, module_handle, const char*))                                                  \
  X(find_variable, (device_address*, std::size_t*, module_handle, const char*))                                     \
  X(get_function_attribute, (int*, function_attribute, function_handle))                                            \
  X(launch, (function_handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, stream_handle,  \
             void**, void**))                                                                                       \
  X(count_blocks_together, (int*, function_handle, int, std::size_t))                                               \
  X(make_stream, (stream_handle*, unsigned))                                                                        \
  X(destroy_stream, (stream_handle))                                                                                \
  X(query_stream, (stream_handle))                                                                                  \
  X(finish_stream, (stream_handle))                                                                                 \
  X(wait_for_event, (stream_handle, event_handle, unsigned))                                                        \
  X(make_event, (event_handle*, unsigned))                                                                          \
  X(destroy_event, (event_handle))                                                                                  \
  X(record_event, (event_handle, stream_handle))                                                                    \
  X(query_event, (event_handle))                                                                                    \
  X(await_event, (event_handle))                                                                                    \
  X(measure_time, (float*, event_handle, event_handle))                                                             \
  X(free_memory, (device_address))                                                                                  \
  X(get_memory_info, (std::size_t*, std::size_t*))                                                                  \
  X(allocate_host, (void**, std::size_t, unsigned))                                                                 \
  X(free_host, (void*))                                                                                             \
  X(allocate_managed, (device_address*, std::size_t, unsigned))                                                     \
  X(prefetch, (device_address, std::size_t, device_number, stream_handle))                                          \
  X(advise, (device_address, std::size_t, memory_advice, device_number))                                            \
  X(copy, (device_address, device_address, std::size_t, stream_handle))                                             \
  X(copy_to_host, (void*, device_address, std::size_t))                                                             \
  X(get_pointer_attribute, (void*, pointer_attribute, device_address))                                              \
  X(fill_8, (device_address, unsigned char, std::size_t, stream_handle))                                            \
  X(fill_16, (device_address, unsigned short, std::size_t, stream_handle))                                          \
  X(fill_32, (device_address, unsigned, std::size_t, stream_handle))                                                \
  X(make_graph, (graph_handle*, unsigned))                                                                          \
  X(destroy_graph, (graph_handle))                                                                                  \
  X(add_kernel_node, (node_handle*, graph_handle, const node_handle*, std::size_t, const kernel_node*))             \
  X(add_copy_node, (node_handle*, graph_handle, const node_handle*, std::size_t, const copy_node*, context_handle)) \
  X(add_fill_node, (node_handle*, graph_handle, const node_handle*, std::size_t, const fill_node*, context_handle)) \
  X(add_empty_node, (node_handle*, graph_handle, const node_handle*, std::size_t))                                  \
  X(add_graph_node, (node_handle*, graph_handle, const node_handle*, std::size_t, graph_handle))                    \
  X(make_executable, (executable_handle*, graph_handle, unsigned long long))                                        \
  X(destroy_executable, (executable_handle))                                                                        \
  X(change_kernel_node, (executable_handle, node_handle, const kernel_node*))                                       \
  X(launch_graph, (executable_handle, stream_handle))

// These functions may be null. Without copy_texels, devices have no texture units. Without set_function_attribute,
// launches may use all local memory that the device has. Without launch_together, there are no barriers across
// work-groups. Without the last five functions, device memory is allocated and freed immediately (allocate), and not in
// the order of a stream.
#define SINTER_GPU_OPTIONAL_FUNCTIONS(X)                                                                            \
  X(copy_texels, (const copy_node*, stream_handle))                                                                 \
  X(set_function_attribute, (function_handle, function_attribute, int))                                             \
  X(launch_together, (function_handle, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,        \
                      stream_handle, void**))                                                                       \
  X(allocate, (device_address*, std::size_t))                                                                       \
  X(default_pool, (pool_handle*, device_number))                                                                    \
  X(set_pool_access, (pool_handle, const pool_access*, std::size_t))                                                \
  X(set_pool_attribute, (pool_handle, pool_attribute, void*))                                                       \
  X(allocate_in_order, (device_address*, std::size_t, stream_handle))                                               \
  X(free_in_order, (device_address, stream_handle))

struct driver {
#define SINTER_GPU_DECLARE(name, parameters) result_code(*name) parameters = nullptr;
  SINTER_GPU_FUNCTIONS(SINTER_GPU_DECLARE)
  SINTER_GPU_OPTIONAL_FUNCTIONS(SINTER_GPU_DECLARE)
#undef SINTER_GPU_DECLARE
  /// Returns the driver's message for a result.
  std::string (*text_of)(result_code) = nullptr;
  /// Checks a program's image for a GPU of this name, because load_module reads the image without knowing its length.
  /// Returns the fault, or an empty text if the image has none. The pointer is null if the driver itself checks images
  /// safely.
  std::string (*fault_of_image)(std::string_view image, std::string_view architecture) = nullptr;
  /// Called after each use of the driver, because the driver may have registered functions with exit(). If it has
  /// registered some, Sinter has to register its own function again, so that exit() calls Sinter's function before the
  /// driver's functions: contents of buffers must be copied back before the driver ends.
  void (*note_use)() = nullptr;
  /// Whether the driver's interface has contexts. If the interface has none, a context_handle encodes a device's number
  /// and is never given to programs.
  bool has_contexts = true;
};

/// Throws sycl::exception if the result is an error: throws errc::memory_allocation if memory ran out, otherwise
/// errc::runtime. `doing` names the operation ("copying 12 bytes").
void check(const driver& functions, result_code result, const std::string& doing);

}  // namespace sinter::gpu
