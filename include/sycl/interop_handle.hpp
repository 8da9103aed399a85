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

/// The place for the work of a native command: the driver's stream, or the driver's graph if a command_graph is
/// finalized. It is empty for host tasks.
struct native_place {
  void *stream = nullptr, *graph = nullptr;
};

// Native objects of a host task's queue, like in backend.hpp.
SINTER_EXPORT backend backend_of(const queue_impl& queue) noexcept;
SINTER_EXPORT int native_device(const queue_impl& queue, backend wanted, const char* call);
SINTER_EXPORT _cl_device_id* cl_native_device(const queue_impl& queue, const char* call);
SINTER_EXPORT _ze_device_handle_t* ze_native_device(const queue_impl& queue, const char* call);
SINTER_EXPORT void* native_context(const queue_impl& queue, backend wanted, const char* call);
SINTER_EXPORT void* native_stream(const queue_impl& queue, backend wanted, const char* call);
SINTER_EXPORT void* native_stream(const queue_impl& queue, const native_place& place, backend wanted,
                                  const char* call);
SINTER_EXPORT void* native_graph(const queue_impl& queue, const native_place& place, backend wanted, const char* call);
/// The address of a buffer's memory on the device.
SINTER_EXPORT void* native_memory(const queue_impl& queue, buffer_record* record, const void* address, backend wanted,
                                  const char* call);
/// All memory objects of the buffer; empty if the buffer is empty.
SINTER_EXPORT std::vector<_cl_mem*> cl_native_memory(const queue_impl& queue, const buffer_record* record,
                                                     const char* call);

/// Makes an image object with the texels of an image's accessor. It exists as long as `kept`, whose destructor writes
/// the texels back.
SINTER_EXPORT std::vector<_cl_mem*> cl_native_image(const queue_impl& queue, const native_place& place,
                                                    const buffer_record* record, const image_layout& layout,
                                                    int dimensions, bool writes, shared<counted>& kept);

/// The type of OpenCL, HIP or CUDA, depending on the backend.
template <backend Backend, class OpenCl, class Hip, class Cuda>
using native_choice = std::conditional_t<Backend == backend::opencl, OpenCl,
                                         std::conditional_t<Backend == backend::ext_oneapi_hip, Hip, Cuda>>;

template <class Callable>
void call_host_task(void* object, const queue_impl& queue);
template <class Callable>
void call_native_command(void* object, const queue_impl& queue, const native_place& place);

}  // namespace detail

/// Access to native objects from a host task or a native command (backend.hpp). Accessors with target::device refer to
/// the device's memory. Work that a host task puts into the stream has to be complete when the host task ends.
class interop_handle {
public:
  backend get_backend() const noexcept { return detail::backend_of(m_queue); }

  /// Returns where the accessor begins: a pointer on the CPU and with HIP, a CUdeviceptr on NVIDIA GPUs. With OpenCL,
  /// returns a vector with one cl_mem of the whole buffer, or an empty vector for an empty buffer. The cl_mem is not
  /// retained. With Level Zero, returns a void pointer to the accessor's beginning.
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
  /// Returns a vector with one image object (cl_mem), which is not retained. It begins with the texels of the image.
  /// Written texels reach the image when the last copy of this handle is destroyed, after the host task. Throws
  /// errc::invalid in native commands.
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
  /// These functions return CUdevice, CUcontext and CUstream; hipDevice_t and hipStream_t; or cl_device_id, cl_context
  /// and cl_command_queue, which are not retained and exist as long as the host task. Level Zero's objects need
  /// <sycl/ext/oneapi/backend/level_zero.hpp>; the queue is a variant that holds an immediate command list.
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

  /// Whether native commands can add to a graph of the driver, which is so while a command_graph is finalized.
  bool ext_codeplay_has_graph() const noexcept { return m_place.graph != nullptr; }
  /// Returns a CUgraph or hipGraph_t, which becomes a child of the whole graph; or the cl_command_buffer_khr or Level
  /// Zero's command list that is being recorded. Throws errc::invalid outside of graphs.
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
