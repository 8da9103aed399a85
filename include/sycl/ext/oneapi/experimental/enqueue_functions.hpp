#pragma once
/// sycl_ext_oneapi_enqueue_functions: the queue's shortcut functions as free functions. Only functions with _with_event
/// in their names return events. The launch properties here are the same as kernel properties
/// (kernel_properties/properties.hpp).

#include <type_traits>
#include <utility>
#include <vector>

#include "../../../queue.hpp"
#include "../kernel_properties/properties.hpp"
#include "graph.hpp"

#define SYCL_EXT_ONEAPI_ENQUEUE_FUNCTIONS 1

namespace sycl::inline _V1::ext::oneapi::experimental {

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
/// Submits a command group with a property list. Sinter has no properties for this function, so the call compiles only
/// with an empty property list.
template <class Properties, class CommandGroup>
  requires(is_property_list_v<Properties>)
void submit(queue target, Properties, CommandGroup&& group) {
  static_assert(std::is_same_v<Properties, empty_properties_t>, "no property applies to submit");
  target.submit(std::forward<CommandGroup>(group));
}
template <class Properties, class CommandGroup>
  requires(is_property_list_v<Properties>)
event submit_with_event(queue target, Properties, CommandGroup&& group) {
  static_assert(std::is_same_v<Properties, empty_properties_t>, "no property applies to submit_with_event");
  return target.submit(std::forward<CommandGroup>(group));
}
/// Adds the command group as a node to the given graph (graph.hpp).
template <class CommandGroup>
void submit(command_graph<graph_state::modifiable> target, CommandGroup&& group) {
  target.add(std::forward<CommandGroup>(group));
}

template <class KernelName = void, class Function>
void single_task(handler& group, const Function& function) {
  group.single_task<KernelName>(function);
}
template <class KernelName = void, class Function>
void single_task(queue target, const Function& function) {
  target.single_task<KernelName>(function);
}
/// Launches a kernel object of a kernel bundle. The arguments after the kernel are the kernel's arguments in their
/// order (handler::set_args).
template <class... Arguments>
void single_task(handler& group, const kernel& built, Arguments&&... arguments) {
  group.set_args(std::forward<Arguments>(arguments)...);
  group.single_task(built);
}
template <class... Arguments>
void single_task(queue target, const kernel& built, Arguments&&... arguments) {
  target.submit([&](handler& group) { single_task(group, built, std::forward<Arguments>(arguments)...); });
}

// The kernel function comes before the reductions, unlike in handler::parallel_for.
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
template <class KernelName = void, int Dimensions, class... Arguments>
void parallel_for(handler& group, range<Dimensions> size, const kernel& built, Arguments&&... arguments) {
  group.set_args(std::forward<Arguments>(arguments)...);
  group.parallel_for(size, built);
}
template <class KernelName = void, int Dimensions, class... Arguments>
void parallel_for(queue target, range<Dimensions> size, const kernel& built, Arguments&&... arguments) {
  target.submit([&](handler& group) { parallel_for(group, size, built, std::forward<Arguments>(arguments)...); });
}
template <class KernelName = void, int Dimensions, class Properties, class... Arguments>
void parallel_for(handler& group, launch_config<range<Dimensions>, Properties> size, const kernel& built,
                  Arguments&&... arguments) {
  static_assert(std::is_same_v<Properties, empty_properties_t>, "launches of kernel objects take no properties");
  parallel_for(group, size.get_range(), built, std::forward<Arguments>(arguments)...);
}
template <class KernelName = void, int Dimensions, class Properties, class... Arguments>
void parallel_for(queue target, launch_config<range<Dimensions>, Properties> size, const kernel& built,
                  Arguments&&... arguments) {
  target.submit([&](handler& group) { parallel_for(group, size, built, std::forward<Arguments>(arguments)...); });
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
template <class KernelName = void, int Dimensions, class... Arguments>
void nd_launch(handler& group, nd_range<Dimensions> size, const kernel& built, Arguments&&... arguments) {
  group.set_args(std::forward<Arguments>(arguments)...);
  group.parallel_for(size, built);
}
template <class KernelName = void, int Dimensions, class... Arguments>
void nd_launch(queue target, nd_range<Dimensions> size, const kernel& built, Arguments&&... arguments) {
  target.submit([&](handler& group) { nd_launch(group, size, built, std::forward<Arguments>(arguments)...); });
}
template <class KernelName = void, int Dimensions, class Properties, class... Arguments>
void nd_launch(handler& group, launch_config<nd_range<Dimensions>, Properties> size, const kernel& built,
               Arguments&&... arguments) {
  static_assert(std::is_same_v<Properties, empty_properties_t>, "launches of kernel objects take no properties");
  nd_launch(group, size.get_range(), built, std::forward<Arguments>(arguments)...);
}
template <class KernelName = void, int Dimensions, class Properties, class... Arguments>
void nd_launch(queue target, launch_config<nd_range<Dimensions>, Properties> size, const kernel& built,
               Arguments&&... arguments) {
  target.submit([&](handler& group) { nd_launch(group, size, built, std::forward<Arguments>(arguments)...); });
}

/// Runs the callable on a thread of the host, in order with the queue's other commands. The callable takes no argument,
/// or an interop_handle.
template <class Function>
void host_task(handler& group, const Function& function) {
  group.host_task(function);
}
template <class Function>
void host_task(queue target, const Function& function) {
  target.submit([&](handler& group) { group.host_task(function); });
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
/// Says where the memory will be used next. With `host`, the command moves nothing, because pages move when the host
/// accesses them.
enum class prefetch_type { device, host };
inline void prefetch(handler& group, void* pointer, std::size_t bytes, prefetch_type type = prefetch_type::device) {
  if (type == prefetch_type::device) return group.prefetch(pointer, bytes);
  group.prefetch(nullptr, 0);
}
inline void prefetch(queue target, void* pointer, std::size_t bytes, prefetch_type type = prefetch_type::device) {
  target.submit([&](handler& group) { prefetch(group, pointer, bytes, type); });
}
inline void mem_advise(handler& group, void* pointer, std::size_t bytes, int advice) {
  group.mem_advise(pointer, bytes, advice);
}
inline void mem_advise(queue target, void* pointer, std::size_t bytes, int advice) {
  target.mem_advise(pointer, bytes, advice);
}

/// barrier makes all later commands of the queue wait for all earlier commands; partial_barrier makes them wait only
/// for the given events.
inline void barrier(handler& group) { group.ext_oneapi_barrier(); }
inline void barrier(queue target) { target.ext_oneapi_submit_barrier(); }
inline void partial_barrier(handler& group, const std::vector<event>& events) { group.ext_oneapi_barrier(events); }
inline void partial_barrier(queue target, const std::vector<event>& events) {
  target.ext_oneapi_submit_barrier(events);
}

}  // namespace sycl::ext::oneapi::experimental
