#pragma once
/// Declares the parts of the compiled library that the headers use. src/ implements everything that is declared here.

#include <cstddef>
#include <cstdint>
#include <sinter/abi/byte_count.hpp>
#include <sinter/abi/launch_abi.hpp>
#include <sinter/abi/strided_copy.hpp>

#include "../access.hpp"
#include "export.hpp"
#include "shared.hpp"
#include "standard.hpp"

namespace sycl::inline _V1 {

class handler;
class property_list;
class queue;

namespace detail {

class command;
class buffer_record;
class buffer_owner;
class kernel_bundle_impl;
struct object_access;

/// Counts the running commands that use code of one shared library, which the program may close (library_guard.hpp).
struct library_count;
SINTER_EXPORT void enter_library(library_count& library) noexcept;
SINTER_EXPORT void leave_library(library_count& library) noexcept;

/// Owns a function object of unknown type, such as a kernel or a host task. A function_object can be moved but not
/// copied. Small trivially copyable function objects are stored in the function_object itself, so that launching them
/// allocates no memory. Compared with std::function, the class compiles quickly.
class function_object {
public:
  function_object() = default;
  template <class Function>
  explicit function_object(const Function& function, library_count* library = nullptr) : m_library(library) {
    if (library) enter_library(*library);
    if constexpr (std::is_trivially_copyable_v<Function> && sizeof(Function) <= capacity &&
                  alignof(Function) <= alignof(std::max_align_t)) {
      new (m_bytes) Function(function);
      m_size = sizeof(Function);
    } else {
      m_object = new Function(function);
      m_destroy = [](void* object) { delete static_cast<Function*>(object); };
    }
  }
  /// Takes ownership of the function object at `object`; `destroy` frees it.
  function_object(void* object, void (*destroy)(void*)) noexcept : m_object(object), m_destroy(destroy) {}
  function_object(function_object&& other) noexcept { take(other); }
  function_object& operator=(function_object&& other) noexcept {
    destroy();
    take(other);
    return *this;
  }
  ~function_object() { destroy(); }
  /// The address of the function object; valid until this object is moved.
  void* get() noexcept { return m_object ? m_object : m_bytes; }

private:
  static constexpr std::size_t piece = 16, capacity = 7 * piece;

  void destroy() noexcept {
    if (m_object) m_destroy(m_object);
    // leave_library is called last, because the destructor of the function object is code of that library.
    if (m_library) leave_library(*m_library);
  }
  void take(function_object& other) noexcept {
    m_library = other.m_library;
    m_object = other.m_object;
    other.m_library = nullptr;
    other.m_object = nullptr;
    m_destroy = other.m_destroy;
    m_size = other.m_size;
    // Most function objects have only a few bytes, so the bytes are copied by a loop, which compilers inline.
    for (std::size_t at = 0; at < m_size; at += piece) __builtin_memcpy(m_bytes + at, other.m_bytes + at, piece);
  }

  void* m_object = nullptr;  ///< null if the function object lies in m_bytes
  void (*m_destroy)(void*) = nullptr;
  std::size_t m_size = 0;    ///< the number of bytes of m_bytes that are used
  library_count* m_library = nullptr;
  alignas(std::max_align_t) unsigned char m_bytes[capacity];
};

/// The index space of a launch, padded to three dimensions in SYCL's order (abi/device_abi.hpp).
using launch_geometry = sinter::abi::launch_geometry;

/// A null `local` means that work-groups have one work-item.
SINTER_EXPORT launch_geometry padded_geometry(int dimensions, const std::size_t* global, const std::size_t* local,
                                              const std::size_t* offset) noexcept;

/// The values of specialization constants, in the form that kernels read.
using specialization_table = sinter::abi::specialization_table;
struct specialization_access;
struct kernel_handler_access;

/// A command group under construction; defined in src/runtime.
class handler_impl;

SINTER_EXPORT void set_kernel(handler_impl& handler, sinter::abi::kernel_descriptor& kernel,
                              const launch_geometry& geometry, function_object&& function);
/// Chooses the local range of a launch for the handler's device, in SYCL's order.
SINTER_EXPORT void choose_local_range(const handler_impl& handler, int dimensions, const std::size_t* global,
                                      std::size_t* local);
class queue_impl;
/// `call` receives function.get() and runs on one of the threads for host tasks. `uses_natives` says whether `call`
/// accesses memory of the device.
SINTER_EXPORT void set_host_task(handler_impl& handler, function_object&& function,
                                 void (*call)(void* function, const queue_impl& queue), bool uses_natives);
struct native_place;
SINTER_EXPORT void set_native_command(handler_impl& handler, function_object&& function,
                                      void (*call)(void* function, const queue_impl& queue, const native_place& place));
SINTER_EXPORT void set_copy(handler_impl& handler, const char* name, void* destination, const void* source,
                            std::size_t bytes);
using strided_copy = sinter::abi::strided_copy;
SINTER_EXPORT void set_strided_copy(handler_impl& handler, const char* name, const strided_copy& copy,
                                    sinter::abi::pointer_end pointer);
/// Copies rows of `width` bytes. Consecutive rows begin a pitch apart. Throws errc::invalid if a pointer is null, or if
/// there are more bytes than memory can have.
SINTER_EXPORT void set_rectangle_copy(handler_impl& handler, void* destination, std::size_t destination_pitch,
                                      const void* source, std::size_t source_pitch, std::size_t width,
                                      std::size_t height);
SINTER_EXPORT void set_memset(handler_impl& handler, void* destination, unsigned char value, std::size_t bytes);
SINTER_EXPORT void set_fill(handler_impl& handler, void* destination, const void* pattern, std::size_t pattern_bytes,
                            std::size_t count);
/// Copies the contents back to the memory that the buffer was made from, if the buffer now uses other memory. The
/// caller sets only the members of `part` that describe the source.
SINTER_EXPORT void set_update_host(handler_impl& handler, strided_copy part);
/// Passes advice on the memory to the device. If `advice` is null, moves the memory to where the queue's kernels run.
SINTER_EXPORT void set_hint(handler_impl& handler, const void* pointer, std::size_t bytes, const int* advice);
/// Adds a barrier, for which all later commands of the queue wait. If `of_all`, the barrier waits for all earlier
/// commands; otherwise only for the command group's dependencies.
SINTER_EXPORT void set_barrier(handler_impl& handler, bool of_all);
/// Throws errc::invalid if the command group has already called use_kernel_bundle.
SINTER_EXPORT void set_specialization(handler_impl& handler, std::uint64_t key, const void* value, std::size_t bytes,
                                      std::size_t alignment);
/// Returns the value that was set in the command group, or null. Throws errc::invalid if the command group has already
/// called use_kernel_bundle.
SINTER_EXPORT const void* get_specialization(handler_impl& handler, std::uint64_t key);
/// Returns the current values, or null if none are set. The values exist as long as the command.
SINTER_EXPORT const specialization_table* specialization_values_of(handler_impl& handler);
/// Lets the command group launch kernels of the bundle only. Throws errc::invalid if the bundle's context is not the
/// queue's, or if the command group has set a specialization constant.
SINTER_EXPORT void use_bundle(handler_impl& handler, const shared<kernel_bundle_impl>& bundle);
/// Throws errc::nd_range if the work-groups of a hierarchical kernel are too large.
SINTER_EXPORT void check_hierarchical_group(std::size_t work_items);
/// Returns its argument. Throws errc::nd_range if there are more work-items than can be counted.
SINTER_EXPORT std::size_t checked_reduction_items(std::size_t work_items);
/// Keeps the object alive as long as the command.
SINTER_EXPORT void keep_alive(handler_impl& handler, shared<counted> object);
/// Throws errc::kernel_argument if the command has local accessors. Called for a kernel over a range (without groups)
/// that the library launches in work-groups.
SINTER_EXPORT void refuse_local_memory(const handler_impl& handler);
/// Returns device memory that no other command uses while this command runs. If `cleared`, the memory is filled with
/// zeros. Throws errc::memory_allocation if the device has no memory left.
SINTER_EXPORT void* add_temporary(handler_impl& handler, std::size_t bytes, std::size_t alignment, bool cleared);
/// Whether the host can finish the command's reduction by set_finish: the host has to be able to read the device's
/// memory, and the kernel must not be fused.
SINTER_EXPORT bool finishes_on_host(const handler_impl& handler) noexcept;
/// Describes the counters of a kernel that finishes its reduction without the host. By these counters, a work-group
/// learns whether it is the last one to finish.
struct kernel_counters {
  std::size_t place;  ///< byte offset, in the function object, of a pointer that the runtime sets to the counters
  std::size_t bytes;  ///< size of the counters in bytes; they are initially zero
};
/// The host calls finish with the kernel's function object when all work-items have run. Nodes of graphs receive
/// counters too, because a fused kernel has to finish its reduction itself.
SINTER_EXPORT void set_finish(handler_impl& handler, void (*finish)(const void* function),
                              const kernel_counters& counters);
/// Adds bytes of local memory to the command. Returns the byte offset of these bytes in the local memory of a
/// work-group.
SINTER_EXPORT std::size_t add_local_memory(handler_impl& handler, std::size_t bytes, std::size_t alignment);
/// The elements that an accessor reaches: a box within a view of the buffer's memory. A null view means all memory of
/// the buffer.
struct access_region {
  const void* view = nullptr;
  std::size_t element_bytes = 0;
  int dimensions = 0;
  const std::size_t *memory = nullptr, *range = nullptr, *offset = nullptr;
  bool of_host = false;  ///< the memory belongs to the host, even if the command runs on another device
};
/// Adds an accessor to the command. Throws errc::invalid if the record is null, which means that the accessor has no
/// buffer.
SINTER_EXPORT void add_requirement(handler_impl& handler, buffer_record* record, access_mode mode, bool no_init,
                                   const access_region& part = {});

// ------------------------------------------------------------------------------------------------- buffer memory

struct buffer_source {
  std::size_t bytes = 0;
  std::size_t alignment = 1;
  const void* initial = nullptr;                 ///< the initial contents, copied or used in place; null: uninitialised
  void* write_back = nullptr;                    ///< where the destructor writes the contents, or null
  bool in_place = false;                         ///< `initial` may be used as the buffer's memory
  bool wait_at_end = true;                       ///< the destructor waits for commands that use the buffer
  shared<counted> keep = nullptr;                ///< owns the memory at `initial`
};
/// The size of a buffer in elements.
struct buffer_shape {
  const std::size_t* extents;
  int dimensions;
};
/// Throws errc::memory_allocation if the range has more bytes than memory can have. Buffers that share memory own it
/// jointly; the last of these buffers to be destroyed writes the contents back.
SINTER_EXPORT shared<buffer_owner> make_buffer(buffer_shape shape, std::size_t element_bytes, buffer_source&& source,
                                               const property_list& properties);
SINTER_EXPORT buffer_record* record_of(const shared<buffer_owner>& owner) noexcept;
SINTER_EXPORT void* buffer_data(const shared<buffer_owner>& owner) noexcept;
/// Returns how many elements of the parent precede the sub-buffer. Throws errc::invalid if the sub-buffer does not lie
/// inside its parent or is not contiguous.
SINTER_EXPORT std::size_t sub_buffer_offset(buffer_shape parent, const std::size_t* base, const std::size_t* extents,
                                            bool of_sub_buffer);
/// Called when the program makes a placeholder accessor. Before the first call, launches do not check whether
/// placeholders are bound.
SINTER_EXPORT void note_placeholder() noexcept;
/// Replaces the destination of the final write-back: `write` copies `bytes` from `data`. If `write` is null, nothing is
/// written back.
SINTER_EXPORT void set_write_back(const shared<buffer_owner>& owner,
                                  std::function<void(const void* data, std::size_t bytes)> write);
SINTER_EXPORT void enable_write_back(const shared<buffer_owner>& owner, bool enabled);

/// Throws errc::invalid if part of the access lies outside the buffer, or if an accessor that only reads has no_init.
SINTER_EXPORT void check_access(const char* kind, buffer_shape memory, const std::size_t* extents,
                                const std::size_t* offset, access_mode mode, bool no_init);
/// Waits until the host may access the buffer. Commands that conflict with the access wait until the returned object is
/// destroyed.
SINTER_EXPORT shared<counted> acquire_host_access(buffer_record* record, access_mode mode, bool no_init,
                                                  const access_region& part = {});

/// A friend of accessors. Through this friend, src/memory checks at compile time that accessors have the layout that
/// src/memory expects in argument blocks.
struct accessor_layout_check;
/// Describes the memory that an accessor uses, for graphs (ext/oneapi/experimental/graph.hpp).
struct accessor_use;
/// Describes the location of an accessor's memory, for copies (accessor_copies.hpp).
struct accessor_memory;

/// The kind of memory to which kernel fusion may move an argument (ext/codeplay/experimental/fusion_properties.hpp).
using promotion = sinter::abi::promotion;
/// Combines the promotion property of the buffer with the accessor's promotion property. Throws errc::invalid if the
/// two promotions contradict each other.
SINTER_EXPORT promotion combine_promotion(const buffer_record* record, promotion of_accessor);

[[noreturn]] SINTER_EXPORT void throw_invalid(const char* message);

} // namespace detail
} // namespace sycl
