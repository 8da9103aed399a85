#pragma once
/// sycl::interop_handle (SYCL 2020 4.10.2).

#include <type_traits>
#include <vector>

#include "accessor.hpp"
#include "backend_enum.hpp"

struct CUctx_st;
struct CUgraph_st;
struct CUstream_st;
struct _cl_command_buffer_khr;
struct _cl_command_queue;
struct _cl_context;
struct _cl_device_id;
struct _cl_mem;
struct _ze_command_list_handle_t;
struct _ze_context_handle_t;
struct _ze_device_handle_t;
struct ihipGraph;
struct ihipStream_t;

#define SYCL_EXT_ONEAPI_ENQUEUE_NATIVE_COMMAND 2
#define SYCL_EXT_CODEPLAY_ENQUEUE_NATIVE_COMMAND 2

namespace sycl::inline _V1 {

class interop_handle;
enum class image_target : unsigned int;
template <class T, int Dimensions, access_mode Mode, image_target Target>
class unsampled_image_accessor;
template <class T, int Dimensions, image_target Target>
class sampled_image_accessor;

namespace detail {

struct image_layout;

template <backend Backend, class Object>
struct native_object;  // defined in backend.hpp

/// Where a native command puts its work: the driver's stream or, while a command_graph is finalized, the driver's
/// graph. Both members are null for host tasks.
struct native_place {
  void *stream = nullptr, *graph = nullptr;
};

// These functions return native objects of the queue to which a host task was submitted, like the functions in
// backend.hpp.
SINTER_EXPORT backend backend_of(const queue_impl& queue) noexcept;
SINTER_EXPORT int native_device(const queue_impl& queue, backend wanted, const char* call);
SINTER_EXPORT _cl_device_id* cl_native_device(const queue_impl& queue, const char* call);
SINTER_EXPORT _ze_device_handle_t* ze_native_device(const queue_impl& queue, const char* call);
SINTER_EXPORT void* native_context(const queue_impl& queue, backend wanted, const char* call);
SINTER_EXPORT void* native_stream(const queue_impl& queue, backend wanted, const char* call);
SINTER_EXPORT void* native_stream(const queue_impl& queue, const native_place& place, backend wanted,
                                  const char* call);
SINTER_EXPORT void* native_graph(const queue_impl& queue, const native_place& place, backend wanted, const char* call);
/// Returns the address of a buffer's memory on the device.
SINTER_EXPORT void* native_memory(const queue_impl& queue, buffer_record* record, const void* address, backend wanted,
                                  const char* call);
/// Returns all memory objects of the buffer, or an empty vector if the buffer is empty.
SINTER_EXPORT std::vector<_cl_mem*> cl_native_memory(const queue_impl& queue, const buffer_record* record,
                                                     const char* call);

/// Makes an image object with the texels that the image accessor reaches. The object exists as long as `kept`, whose
/// destructor writes the texels back.
SINTER_EXPORT std::vector<_cl_mem*> cl_native_image(const queue_impl& queue, const native_place& place,
                                                    const buffer_record* record, const image_layout& layout,
                                                    int dimensions, bool writes, shared<counted>& kept);

/// Selects one of the three types by the backend.
template <backend Backend, class OpenCl, class Hip, class Cuda>
using native_choice = std::conditional_t<Backend == backend::opencl, OpenCl,
                                         std::conditional_t<Backend == backend::ext_oneapi_hip, Hip, Cuda>>;

template <class Callable>
void call_host_task(void* object, const queue_impl& queue);
template <class Callable>
void call_native_command(void* object, const queue_impl& queue, const native_place& place);

}  // namespace detail

/// Gives a host task or a native command access to native objects (backend.hpp). Accessors with target::device refer to
/// the device's memory. If a host task puts work into the stream, the work has to be complete when the host task ends.
class interop_handle {
public:
  backend get_backend() const noexcept { return detail::backend_of(m_queue); }

  /// Returns the address at which the accessor begins: a pointer on the CPU and with HIP, and a CUdeviceptr on NVIDIA
  /// GPUs. With OpenCL, returns a vector with one cl_mem, which is the whole buffer. For an empty buffer, the vector is
  /// empty. The runtime does not retain the cl_mem for the caller. With Level Zero, returns the address as a void
  /// pointer.
  template <backend Backend = backend::sinter_cpu, class T, int Dimensions, access_mode Mode, target Target,
            access::placeholder IsPlaceholder>
  auto get_native_mem(const accessor<T, Dimensions, Mode, Target, IsPlaceholder>& memory) const {
    constexpr const char* call = "interop_handle::get_native_mem";
    if constexpr (Backend == backend::opencl) {
      return detail::cl_native_memory(m_queue, memory.m_record, call);
    } else {
      void* const native = detail::native_memory(m_queue, memory.m_record, memory.start(), Backend, call);
      if constexpr (Backend == backend::sinter_cpu) return static_cast<std::remove_const_t<T>*>(native);
      else if constexpr (Backend == backend::ext_oneapi_hip || Backend == backend::ext_oneapi_level_zero) return native;
      else return reinterpret_cast<unsigned long long>(native);
    }
  }
  /// Returns a vector with one image object (cl_mem), which the runtime does not retain for the caller. Initially, the
  /// object has the texels of the image. Texels that the host task writes are copied back to the image after the host
  /// task, when the last copy of this handle is destroyed. Throws errc::invalid in native commands.
  template <backend Backend, class T, int Dimensions, access_mode Mode, image_target Target>
    requires(Backend == backend::opencl)
  std::vector<_cl_mem*> get_native_mem(const unsampled_image_accessor<T, Dimensions, Mode, Target>& memory) const {
    return detail::cl_native_image(m_queue, m_place, memory.m_texels.m_record, memory.m_layout, Dimensions,
                                   Mode != access_mode::read, m_kept);
  }
  template <backend Backend, class T, int Dimensions, image_target Target>
    requires(Backend == backend::opencl)
  std::vector<_cl_mem*> get_native_mem(const sampled_image_accessor<T, Dimensions, Target>& memory) const {
    return detail::cl_native_image(m_queue, m_place, memory.m_texels.m_record, memory.m_layout, Dimensions, false,
                                   m_kept);
  }
  /// These functions return the backend's objects: CUdevice, CUcontext and CUstream; or hipDevice_t and hipStream_t; or
  /// cl_device_id, cl_context and cl_command_queue. OpenCL's objects are not retained for the caller and exist as long
  /// as the host task. For Level Zero's objects, programs need <sycl/ext/oneapi/backend/level_zero.hpp>.
  /// With this header, get_native_queue returns a variant that holds an immediate command list.
  template <backend Backend>
  auto get_native_device() const {
    if constexpr (Backend == backend::opencl) {
      return detail::cl_native_device(m_queue, "interop_handle::get_native_device");
    } else if constexpr (Backend == backend::ext_oneapi_level_zero) {
      return detail::ze_native_device(m_queue, "interop_handle::get_native_device");
    } else {
      return detail::native_device(m_queue, Backend, "interop_handle::get_native_device");
    }
  }
  template <backend Backend>
  auto get_native_context() const {
    using native = std::conditional_t<
        Backend == backend::opencl, _cl_context*,
        std::conditional_t<Backend == backend::ext_oneapi_level_zero, _ze_context_handle_t*, CUctx_st*>>;
    return static_cast<native>(detail::native_context(m_queue, Backend, "interop_handle::get_native_context"));
  }
  template <backend Backend>
  auto get_native_queue() const {
    constexpr const char* call = "interop_handle::get_native_queue";
    if constexpr (Backend == backend::ext_oneapi_level_zero) {
      using either = typename detail::native_object<Backend, queue>::type;
      return either(static_cast<_ze_command_list_handle_t*>(detail::native_stream(m_queue, m_place, Backend, call)));
    } else {
      using native = detail::native_choice<Backend, _cl_command_queue*, ihipStream_t*, CUstream_st*>;
      return static_cast<native>(detail::native_stream(m_queue, m_place, Backend, call));
    }
  }

  /// Whether native commands can add work to a graph of the driver. Returns true while a command_graph is finalized.
  bool ext_codeplay_has_graph() const noexcept { return m_place.graph != nullptr; }
  /// Returns a CUgraph or hipGraph_t, which becomes a child graph in the driver's graph; or the cl_command_buffer_khr
  /// or Level Zero command list that the runtime records. Throws errc::invalid while no graph is finalized.
  template <backend Backend>
  auto ext_codeplay_get_native_graph() const {
    using other = detail::native_choice<Backend, _cl_command_buffer_khr*, ihipGraph*, CUgraph_st*>;
    using native = std::conditional_t<Backend == backend::ext_oneapi_level_zero, _ze_command_list_handle_t*, other>;
    return static_cast<native>(
        detail::native_graph(m_queue, m_place, Backend, "interop_handle::ext_codeplay_get_native_graph"));
  }

private:
  template <class Callable>
  friend void detail::call_host_task(void* object, const detail::queue_impl& queue);
  template <class Callable>
  friend void detail::call_native_command(void* object, const detail::queue_impl& queue,
                                          const detail::native_place& place);
  explicit interop_handle(const detail::queue_impl& queue, const detail::native_place& place = {}) noexcept
      : m_queue(queue), m_place(place) {}

  const detail::queue_impl& m_queue;
  detail::native_place m_place;
  mutable detail::shared<detail::counted> m_kept;
};

namespace detail {

template <class Callable>
void call_host_task(void* object, const queue_impl& queue) {
  auto& call = *static_cast<Callable*>(object);
  if constexpr (std::is_invocable_v<Callable&, interop_handle>) {
    call(interop_handle(queue));
  } else {
    call();
  }
}

template <class Callable>
void call_native_command(void* object, const queue_impl& queue, const native_place& place) {
  (*static_cast<Callable*>(object))(interop_handle(queue, place));
}

}  // namespace detail
} // namespace sycl
