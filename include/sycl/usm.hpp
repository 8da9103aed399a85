#pragma once
/// Unified shared memory (SYCL 2020 4.8). On the CPU device, USM memory of all kinds is host memory.

#include <cstddef>
#include <new>

#include "context.hpp"
#include "detail/mistake.hpp"
#include "property_list.hpp"

namespace sycl::inline _V1 {

class queue;

namespace usm {
enum class alloc { host, device, shared, unknown };
} // namespace usm

namespace detail {
/// Returns null if the memory is exhausted, if the alignment is not supported, or if `bytes` is 0. Throws errc::invalid
/// if the device is not in the context.
SINTER_EXPORT void* allocate_usm(std::size_t bytes, std::size_t alignment, usm::alloc kind, const context& context,
                                 const device* device);
/// Returns the number of bytes of an array with `count` elements. If the product overflows, returns a number that is
/// too large for any allocation.
template <class T>
constexpr std::size_t array_bytes(std::size_t count) noexcept {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(count, sizeof(T), &bytes) ? ~std::size_t{0} : bytes;
}
SINTER_EXPORT context context_of(const queue& queue);
SINTER_EXPORT device device_of(const queue& queue);
} // namespace detail

SINTER_EXPORT void free(void* pointer, const context& context);
SINTER_EXPORT void free(void* pointer, const queue& queue);
template <class = void>
SINTER_MISTAKE("sycl::free takes the pointer, then a queue or context")
void free(...) {}
/// Returns usm::alloc::unknown if the memory is not a USM allocation in the context.
SINTER_EXPORT usm::alloc get_pointer_type(const void* pointer, const context& context);
/// Throws errc::invalid if the memory is not a USM allocation in the context.
SINTER_EXPORT device get_pointer_device(const void* pointer, const context& context);

inline void* aligned_alloc(std::size_t alignment, std::size_t bytes, const device& device, const context& context,
                           usm::alloc kind, const property_list& = {}) {
  return detail::allocate_usm(bytes, alignment, kind, context, &device);
}
inline void* aligned_alloc(std::size_t alignment, std::size_t bytes, const queue& queue, usm::alloc kind,
                           const property_list& = {}) {
  return aligned_alloc(alignment, bytes, detail::device_of(queue), detail::context_of(queue), kind);
}
inline void* malloc(std::size_t bytes, const device& device, const context& context, usm::alloc kind,
                    const property_list& = {}) {
  return aligned_alloc(0, bytes, device, context, kind);
}
inline void* malloc(std::size_t bytes, const queue& queue, usm::alloc kind, const property_list& = {}) {
  return aligned_alloc(0, bytes, queue, kind);
}
template <class T>
T* aligned_alloc(std::size_t alignment, std::size_t count, const device& device, const context& context,
                 usm::alloc kind, const property_list& = {}) {
  return static_cast<T*>(aligned_alloc(alignment < alignof(T) ? alignof(T) : alignment, detail::array_bytes<T>(count),
                                       device, context, kind));
}
template <class T>
T* aligned_alloc(std::size_t alignment, std::size_t count, const queue& queue, usm::alloc kind,
                 const property_list& = {}) {
  return aligned_alloc<T>(alignment, count, detail::device_of(queue), detail::context_of(queue), kind);
}
template <class T>
T* malloc(std::size_t count, const device& device, const context& context, usm::alloc kind, const property_list& = {}) {
  return aligned_alloc<T>(alignof(T), count, device, context, kind);
}
template <class T>
T* malloc(std::size_t count, const queue& queue, usm::alloc kind, const property_list& = {}) {
  return aligned_alloc<T>(alignof(T), count, queue, kind);
}

#define SINTER_USM_KIND(kind)                                                                                          \
  inline void* malloc_##kind(std::size_t bytes, const device& device, const context& context,                          \
                             const property_list& = {}) {                                                              \
    return malloc(bytes, device, context, usm::alloc::kind);                                                           \
  }                                                                                                                    \
  inline void* malloc_##kind(std::size_t bytes, const queue& queue, const property_list& = {}) {                       \
    return malloc(bytes, queue, usm::alloc::kind);                                                                     \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  T* malloc_##kind(std::size_t count, const device& device, const context& context, const property_list& = {}) {       \
    return malloc<T>(count, device, context, usm::alloc::kind);                                                        \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  T* malloc_##kind(std::size_t count, const queue& queue, const property_list& = {}) {                                 \
    return malloc<T>(count, queue, usm::alloc::kind);                                                                  \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  SINTER_MISTAKE("malloc_" #kind "<T> takes how many elements, then a queue, or a device and a context")               \
  T* malloc_##kind(...) {                                                                                              \
    return nullptr;                                                                                                    \
  }                                                                                                                    \
  inline void* aligned_alloc_##kind(std::size_t alignment, std::size_t bytes, const device& device,                    \
                                    const context& context, const property_list& = {}) {                               \
    return aligned_alloc(alignment, bytes, device, context, usm::alloc::kind);                                         \
  }                                                                                                                    \
  inline void* aligned_alloc_##kind(std::size_t alignment, std::size_t bytes, const queue& queue,                      \
                                    const property_list& = {}) {                                                       \
    return aligned_alloc(alignment, bytes, queue, usm::alloc::kind);                                                   \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  T* aligned_alloc_##kind(std::size_t alignment, std::size_t count, const device& device, const context& context,      \
                          const property_list& = {}) {                                                                 \
    return aligned_alloc<T>(alignment, count, device, context, usm::alloc::kind);                                      \
  }                                                                                                                    \
  template <class T>                                                                                                   \
  T* aligned_alloc_##kind(std::size_t alignment, std::size_t count, const queue& queue, const property_list& = {}) {   \
    return aligned_alloc<T>(alignment, count, queue, usm::alloc::kind);                                                \
  }
SINTER_USM_KIND(device)
SINTER_USM_KIND(shared)
#undef SINTER_USM_KIND

// A host allocation belongs to a context and not to a device.
inline void* aligned_alloc_host(std::size_t alignment, std::size_t bytes, const context& context,
                                const property_list& = {}) {
  return detail::allocate_usm(bytes, alignment, usm::alloc::host, context, nullptr);
}
inline void* aligned_alloc_host(std::size_t alignment, std::size_t bytes, const queue& queue,
                                const property_list& = {}) {
  return aligned_alloc_host(alignment, bytes, detail::context_of(queue));
}
inline void* malloc_host(std::size_t bytes, const context& context, const property_list& = {}) {
  return aligned_alloc_host(0, bytes, context);
}
inline void* malloc_host(std::size_t bytes, const queue& queue, const property_list& = {}) {
  return aligned_alloc_host(0, bytes, queue);
}
template <class T>
T* aligned_alloc_host(std::size_t alignment, std::size_t count, const context& context, const property_list& = {}) {
  return static_cast<T*>(
      aligned_alloc_host(alignment < alignof(T) ? alignof(T) : alignment, detail::array_bytes<T>(count), context));
}
template <class T>
T* aligned_alloc_host(std::size_t alignment, std::size_t count, const queue& queue, const property_list& = {}) {
  return aligned_alloc_host<T>(alignment, count, detail::context_of(queue));
}
template <class T>
T* malloc_host(std::size_t count, const context& context, const property_list& = {}) {
  return aligned_alloc_host<T>(alignof(T), count, context);
}
template <class T>
T* malloc_host(std::size_t count, const queue& queue, const property_list& = {}) {
  return aligned_alloc_host<T>(alignof(T), count, queue);
}
template <class T>
SINTER_MISTAKE("malloc_host<T> takes how many elements, then a queue or a context")
T* malloc_host(...) {
  return nullptr;
}

/// An allocator for standard containers, which allocates host or shared USM memory (SYCL 2020 4.8.3.5).
template <class T, usm::alloc Kind, std::size_t Alignment = 0>
class usm_allocator : public detail::with_properties {
  static_assert(Kind == usm::alloc::host || Kind == usm::alloc::shared, "usm_allocator needs memory the host can use");

public:
  using value_type = T;
  // A container's allocator is copied, moved or swapped together with the container's memory.
  using propagate_on_container_copy_assignment = std::true_type;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;
  template <class U>
  struct rebind {
    using other = usm_allocator<U, Kind, Alignment>;
  };
  usm_allocator(const context& context, const device& device, const property_list& properties = {})
      : with_properties(properties), m_context(context), m_device(device) {}
  usm_allocator(const queue& queue, const property_list& properties = {})
      : usm_allocator(detail::context_of(queue), detail::device_of(queue), properties) {}
  template <class U>
  usm_allocator(const usm_allocator<U, Kind, Alignment>& other) noexcept
      : with_properties(other), m_context(other.m_context), m_device(other.m_device) {}

  T* allocate(std::size_t count) {
    T* result = aligned_alloc<T>(Alignment == 0 ? alignof(T) : Alignment, count, m_device, m_context, Kind);
    if (!result && count != 0) throw std::bad_alloc();
    return result;
  }
  void deallocate(T* pointer, std::size_t) { sycl::free(pointer, m_context); }

  template <class T1, usm::alloc Kind1, std::size_t Alignment1, class T2, usm::alloc Kind2, std::size_t Alignment2>
  friend bool operator==(const usm_allocator<T1, Kind1, Alignment1>& a,
                         const usm_allocator<T2, Kind2, Alignment2>& b) noexcept;

private:
  template <class, usm::alloc, std::size_t>
  friend class usm_allocator;
  context m_context;
  device m_device;
};

/// Equal allocators can free each other's memory.
template <class T1, usm::alloc Kind1, std::size_t Alignment1, class T2, usm::alloc Kind2, std::size_t Alignment2>
bool operator==(const usm_allocator<T1, Kind1, Alignment1>& a, const usm_allocator<T2, Kind2, Alignment2>& b) noexcept {
  return Kind1 == Kind2 && Alignment1 == Alignment2 && a.m_context == b.m_context && a.m_device == b.m_device;
}

} // namespace sycl
