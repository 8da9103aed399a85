#pragma once
/// sycl_khr_free_function_commands: free functions that submit commands. Each function takes a handler, to which it
/// adds the command, or a queue, to which it submits the command. Only submit_tracked returns an event. All functions
/// throw the same errors as the member functions of handler.

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "../queue.hpp"

#define SYCL_KHR_FREE_FUNCTION_COMMANDS 1

namespace sycl::inline _V1::khr {

template <class CommandGroup>
void submit(const queue& target, CommandGroup&& group) {
  queue(target).submit(std::forward<CommandGroup>(group));
}
template <class CommandGroup>
event submit_tracked(const queue& target, CommandGroup&& group) {
  return queue(target).submit(std::forward<CommandGroup>(group));
}

namespace detail {

template <class Command>
void run(handler& group, const Command& command) {
  command(group);
}
template <class Command>
void run(const queue& target, const Command& command) {
  khr::submit(target, [&](handler& group) { command(group); });
}
/// The type of the first argument of these functions: a handler, or a queue that may be const.
template <class Target>
concept command_target = std::is_same_v<Target, handler> || std::is_same_v<std::remove_const_t<Target>, queue>;

/// Launches a kernel object or a kernel function. The last parameters are the arguments for the kernel object, or the
/// reductions for the kernel function.
template <class Size, class Function, class... Reductions>
void launch_kernel(handler& group, const Size& size, const Function& function, const Reductions&... reductions) {
  group.parallel_for(size, reductions..., function);
}
template <class Size, class... Arguments>
void launch_kernel(handler& group, const Size& size, const kernel& built, const Arguments&... arguments) {
  group.set_args(arguments...);
  group.parallel_for(size, built);
}

}  // namespace detail

// Each function has three overloads, so that integers and brace lists convert to ranges of one to three dimensions.
#define SINTER_KHR_LAUNCH(D)                                                                                         \
  template <detail::command_target Target, class Kernel, class... Arguments>                                        \
  void launch(Target& target, range<D> size, const Kernel& function, const Arguments&... arguments) {               \
    static_assert(std::is_same_v<Kernel, kernel> || sizeof...(Arguments) == 0,                                      \
                  "arguments are for kernel objects; reductions go to launch_reduce");                              \
    detail::run(target, [&](handler& group) { detail::launch_kernel(group, size, function, arguments...); });       \
  }                                                                                                                 \
  template <detail::command_target Target, class Function, class... Reductions>                                     \
  void launch_reduce(Target& target, range<D> size, const Function& function, const Reductions&... reductions) {    \
    detail::run(target, [&](handler& group) { group.parallel_for(size, reductions..., function); });                \
  }                                                                                                                 \
  template <detail::command_target Target, class Kernel, class... Arguments>                                        \
  void launch_grouped(Target& target, range<D> size, range<D> group_size, const Kernel& function,                   \
                      const Arguments&... arguments) {                                                              \
    detail::run(target, [&](handler& group) {                                                                       \
      detail::launch_kernel(group, nd_range<D>(size, group_size), function, arguments...);                          \
    });                                                                                                             \
  }                                                                                                                 \
  template <detail::command_target Target, class Function, class... Reductions>                                     \
  void launch_grouped_reduce(Target& target, range<D> size, range<D> group_size, const Function& function,          \
                             const Reductions&... reductions) {                                                     \
    detail::run(target, [&](handler& group) {                                                                       \
      group.parallel_for(nd_range<D>(size, group_size), reductions..., function);                                   \
    });                                                                                                             \
  }
SINTER_KHR_LAUNCH(1)
SINTER_KHR_LAUNCH(2)
SINTER_KHR_LAUNCH(3)
#undef SINTER_KHR_LAUNCH

template <detail::command_target Target, class Function>
void launch_task(Target& target, const Function& function) {
  detail::run(target, [&](handler& group) { group.single_task(function); });
}
template <detail::command_target Target, class... Arguments>
void launch_task(Target& target, const kernel& built, const Arguments&... arguments) {
  detail::run(target, [&](handler& group) {
    group.set_args(arguments...);
    group.single_task(built);
  });
}

template <detail::command_target Target>
void memcpy(Target& target, void* destination, const void* source, std::size_t bytes) {
  detail::run(target, [&](handler& group) { group.memcpy(destination, source, bytes); });
}
/// Copies between pointers.
template <detail::command_target Target, class T>
void copy(Target& target, const T* source, T* destination, std::size_t count) {
  detail::run(target, [&](handler& group) { group.copy(source, destination, count); });
}
/// Copies from an accessor, to an accessor, or between two accessors. Accessors that are placeholders are bound to the
/// command. If only one argument is an accessor, the other one is a pointer or std::shared_ptr.
template <detail::command_target Target, class Source, class Destination>
void copy(Target& target, const Source& source, const Destination& destination) {
  detail::run(target, [&](handler& group) {
    if constexpr (requires { group.require(source); }) group.require(source);
    if constexpr (requires { group.require(destination); }) group.require(destination);
    group.copy(source, destination);
  });
}
template <detail::command_target Target>
void memset(Target& target, void* pointer, int value, std::size_t bytes) {
  detail::run(target, [&](handler& group) { group.memset(pointer, value, bytes); });
}
template <detail::command_target Target, class T>
void fill(Target& target, T* pointer, const T& pattern, std::size_t count) {
  detail::run(target, [&](handler& group) { group.fill(pointer, pattern, count); });
}
template <detail::command_target Target, class T, int Dimensions, access_mode Mode, access::placeholder Placeholder>
void fill(Target& target, const accessor<T, Dimensions, Mode, sycl::target::device, Placeholder>& destination,
          const std::type_identity_t<T>& pattern) {
  detail::run(target, [&](handler& group) {
    group.require(destination);
    group.fill(destination, pattern);
  });
}
template <detail::command_target Target, class T, int Dimensions, access_mode Mode, access::placeholder Placeholder>
void update_host(Target& target, const accessor<T, Dimensions, Mode, sycl::target::device, Placeholder>& source) {
  detail::run(target, [&](handler& group) {
    group.require(source);
    group.update_host(source);
  });
}
template <detail::command_target Target>
void prefetch(Target& target, const void* pointer, std::size_t bytes) {
  detail::run(target, [&](handler& group) { group.prefetch(pointer, bytes); });
}
template <detail::command_target Target>
void mem_advise(Target& target, const void* pointer, std::size_t bytes, int advice) {
  detail::run(target, [&](handler& group) { group.mem_advise(pointer, bytes, advice); });
}
/// Makes later commands wait for all earlier commands.
template <detail::command_target Target>
void command_barrier(Target& target) {
  detail::run(target, [](handler& group) { group.ext_oneapi_barrier(); });
}
/// Makes later commands wait for the events.
template <detail::command_target Target>
void event_barrier(Target& target, const std::vector<event>& events) {
  detail::run(target, [&](handler& group) { group.ext_oneapi_barrier(events); });
}

}  // namespace sycl::khr
