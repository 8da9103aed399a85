#pragma once
/// sycl_ext_oneapi_enqueue_functions: the queue's shortcuts as functions, without events unless asked for. Launch
/// properties are those of kernels (kernel_properties/properties.hpp).

#include <type_traits>
#include <utility>
#include <vector>

#include "../../../queue.hpp"
#include "../kernel_properties/properties.hpp"

#define SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS 1

namespace sycl::ext::oneapi::experimental {

/// A range or nd_range with launch properties.
template <class Range, class Properties = empty_properties_t>
class launch_config {
public:
  launch_config(Range range, Properties properties = {}) : m_range(range), m_properties(properties) {}
  const Range& get_range() const noexcept { return m_range; }
  const Properties& get_properties() const noexcept { return m_properties; }

private:
  Range m_range;
  [[no_unique_address]] Properties m_properties;
};

template <class CommandGroup>
void submit(queue target, CommandGroup&& group) {
  target.submit(std::forward<CommandGroup>(group));
}
template <class CommandGroup>
event submit_with_event(queue target, CommandGroup&& group) {
  return target.submit(std::forward<CommandGroup>(group));
}

template <class KernelName = void, class Function>
void single_task(handler& group, const Function& function) {
  group.single_task<KernelName>(function);
}
template <class KernelName = void, class Function>
void single_task(queue target, const Function& function) {
  target.single_task<KernelName>(function);
}

// The kernel function comes first, then reductions.
template <class KernelName = void, int Dimensions, class Function, class... Reductions>
void parallel_for(handler& group, range<Dimensions> size, const Function& function, Reductions&&... reductions) {
  group.parallel_for<KernelName>(size, reductions..., function);
}
template <class KernelName = void, int Dimensions, class Function, class... Reductions>
void parallel_for(queue target, range<Dimensions> size, const Function& function, Reductions&&... reductions) {
  target.submit([&](handler& group) { parallel_for<KernelName>(group, size, function, reductions...); });
}
template <class KernelName = void, int Dimensions, class Properties, class Function, class... Reductions>
void parallel_for(handler& group, launch_config<range<Dimensions>, Properties> size, const Function& function,
                  Reductions&&... reductions) {
  group.parallel_for<KernelName>(size.get_range(), size.get_properties(), reductions..., function);
}
template <class KernelName = void, int Dimensions, class Properties, class Function, class... Reductions>
void parallel_for(queue target, launch_config<range<Dimensions>, Properties> size, const Function& function,
                  Reductions&&... reductions) {
  target.submit([&](handler& group) { parallel_for<KernelName>(group, size, function, reductions...); });
}

template <class KernelName = void, int Dimensions, class Function, class... Reductions>
void nd_launch(handler& group, nd_range<Dimensions> size, const Function& function, Reductions&&... reductions) {
  group.parallel_for<KernelName>(size, reductions..., function);
}
template <class KernelName = void, int Dimensions, class Function, class... Reductions>
void nd_launch(queue target, nd_range<Dimensions> size, const Function& function, Reductions&&... reductions) {
  target.submit([&](handler& group) { nd_launch<KernelName>(group, size, function, reductions...); });
}
template <class KernelName = void, int Dimensions, class Properties, class Function, class... Reductions>
void nd_launch(handler& group, launch_config<nd_range<Dimensions>, Properties> size, const Function& function,
               Reductions&&... reductions) {
  group.parallel_for<KernelName>(size.get_range(), size.get_properties(), reductions..., function);
}
template <class KernelName = void, int Dimensions, class Properties, class Function, class... Reductions>
void nd_launch(queue target, launch_config<nd_range<Dimensions>, Properties> size, const Function& function,
               Reductions&&... reductions) {
  target.submit([&](handler& group) { nd_launch<KernelName>(group, size, function, reductions...); });
}

inline void memcpy(handler& group, void* destination, const void* source, std::size_t bytes) {
  group.memcpy(destination, source, bytes);
}
inline void memcpy(queue target, void* destination, const void* source, std::size_t bytes) {
  target.memcpy(destination, source, bytes);
}
template <class T>
void copy(handler& group, const T* source, T* destination, std::size_t count) {
  group.copy(source, destination, count);
}
template <class T>
void copy(queue target, const T* source, T* destination, std::size_t count) {
  target.copy(source, destination, count);
}
inline void memset(handler& group, void* pointer, int value, std::size_t bytes) { group.memset(pointer, value, bytes); }
inline void memset(queue target, void* pointer, int value, std::size_t bytes) { target.memset(pointer, value, bytes); }
template <class T>
void fill(handler& group, T* pointer, const T& pattern, std::size_t count) {
  group.fill(pointer, pattern, count);
}
template <class T>
void fill(queue target, T* pointer, const T& pattern, std::size_t count) {
  target.fill(pointer, pattern, count);
}
inline void prefetch(handler& group, void* pointer, std::size_t bytes) { group.prefetch(pointer, bytes); }
inline void prefetch(queue target, void* pointer, std::size_t bytes) { target.prefetch(pointer, bytes); }
inline void mem_advise(handler& group, void* pointer, std::size_t bytes, int advice) {
  group.mem_advise(pointer, bytes, advice);
}
inline void mem_advise(queue target, void* pointer, std::size_t bytes, int advice) {
  target.mem_advise(pointer, bytes, advice);
}

/// All earlier commands of the queue, then all later ones; or these events.
inline void barrier(handler& group) { group.ext_oneapi_barrier(); }
inline void barrier(queue target) { target.ext_oneapi_submit_barrier(); }
inline void partial_barrier(handler& group, const std::vector<event>& events) { group.ext_oneapi_barrier(events); }
inline void partial_barrier(queue target, const std::vector<event>& events) {
  target.ext_oneapi_submit_barrier(events);
}

}  // namespace sycl::ext::oneapi::experimental
