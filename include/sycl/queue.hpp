#pragma once
/// sycl::queue, to which a program submits commands (SYCL 2020 4.6.5).

#include <type_traits>
#include <vector>

#include "context.hpp"
#include "detail/device_global_copies.hpp"
#include "detail/image_copies.hpp"
#include "detail/mistake.hpp"
#include "detail/queue_launches.hpp"
#include "detail/shared.hpp"
#include "device.hpp"
#include "event.hpp"
#include "handler.hpp"
#include "is_device_copyable.hpp"  // declares std::optional without its header
#include "property_list.hpp"
#include "usm.hpp"

#define SYCL_EXT_ONEAPI_ENQUEUE_BARRIER 1
#define SYCL_EXT_ONEAPI_IN_ORDER_QUEUE_EVENTS 1
#define SYCL_EXT_ONEAPI_QUEUE_EMPTY 1
// Feature-test macros of AdaptiveCpp.
#define ACPP_EXT_CG_PROPERTY_PREFER_EXECUTION_LANE 1
#define ACPP_EXT_CG_PROPERTY_PREFER_GROUP_SIZE 1
#define ACPP_EXT_COARSE_GRAINED_EVENTS 1
#define ACPP_EXT_ENQUEUE_CUSTOM_OPERATION 1
#define SYCL_EXT_ACPP_ENQUEUE_CUSTOM_OPERATION 1

namespace sycl::inline _V1 {

namespace detail {
class queue_impl;  // defined in src/runtime

/// The first member of a queue. This member is in the first base class, so that the queue begins with this pointer,
/// which is never null. oneDPL considers a queue that begins with zero bytes to be missing.
class queue_handle {
protected:
  shared<queue_impl> m_impl;
};

} // namespace detail

/// A queue is out-of-order, unless it is made with property::queue::in_order. The destructor does not wait for
/// commands; they still run.
class SINTER_EXPORT queue : detail::queue_handle,
                            public detail::with_properties,
                            public detail::range_launches<queue, 1>,
                            public detail::range_launches<queue, 2>,
                            public detail::range_launches<queue, 3>,
                            public detail::nd_range_launches<queue>,
                            public detail::image_copy_commands<queue>,
                            public detail::device_global_copies<queue>,
                            public detail::rectangle_shortcuts<queue> {
public:
  explicit queue(const property_list& properties = {});
  explicit queue(const async_handler& handler, const property_list& properties = {});
  /// A selector of a class derived from device_selector converts implicitly to a queue, as in SYCL 1.2.1's
  /// implementations.
  template <class Selector>
    requires(detail::device_selector<Selector>)
  explicit(!std::is_base_of_v<device_selector, Selector>)
      queue(const Selector& selector, const property_list& properties = {})
      : queue(device(selector), properties) {}
  template <class Selector>
    requires(detail::device_selector<Selector>)
  explicit queue(const Selector& selector, const async_handler& handler, const property_list& properties = {})
      : queue(device(selector), handler, properties) {}
  explicit queue(const device& device, const property_list& properties = {});
  explicit queue(const device& device, const async_handler& handler, const property_list& properties = {});
  template <class Selector>
    requires(detail::device_selector<Selector>)
  explicit queue(const context& context, const Selector& selector, const property_list& properties = {})
      : queue(context, device(selector), properties) {}
  template <class Selector>
    requires(detail::device_selector<Selector>)
  explicit queue(const context& context, const Selector& selector, const async_handler& handler,
                 const property_list& properties = {})
      : queue(context, device(selector), handler, properties) {}
  explicit queue(const context& context, const device& device, const property_list& properties = {});
  /// Throws errc::invalid if the device is not in the context.
  explicit queue(const context& context, const device& device, const async_handler& handler,
                 const property_list& properties = {});

  template <class Text, class... Rest>
    requires(std::is_convertible_v<const Text&, const char*> && !std::is_null_pointer_v<Text>)
  SINTER_MISTAKE_OF_CONSTRUCTOR(
      "a queue is made from a selector, such as sycl::gpu_selector_v, or from a device, not from a name")
  explicit queue(const Text&, const Rest&...) {}

  queue(const queue&) noexcept;
  queue(queue&&) noexcept;
  queue& operator=(queue) noexcept;
  ~queue();

  backend get_backend() const noexcept;
  context get_context() const;
  device get_device() const;
  bool is_in_order() const noexcept;
  template <class Descriptor>
  typename Descriptor::return_type get_info() const;

  /// Calls the command group function at once. The command that this function makes runs asynchronously.
  template <class CommandGroup>
  event submit(CommandGroup&& group) {
    using function = std::remove_reference_t<CommandGroup>;
    if constexpr (std::is_function_v<function>) {
      function* its_address = group;  // the address, because a function can't be passed by value
      return submit(its_address);
    } else if constexpr (std::is_invocable_v<function&, handler&>) {
      return submit_group([](void* call, handler& target) { (*static_cast<function*>(call))(target); },
                          const_cast<void*>(static_cast<const void*>(&group)));
    } else {
      static_assert(std::is_invocable_v<std::remove_const_t<function>&, handler&>,
                    "submit takes a function of a handler: [&](sycl::handler& group) { ... }");
      if constexpr (std::is_const_v<function>) {
        std::remove_const_t<function> changing = group;  // a copy, because operator() is not const
        return submit(changing);
      }
    }
  }
  /// In the specification, the second queue is for commands that the device of the first queue can't run. Sinter does
  /// not use the second queue, because the CPU device can run every command.
  template <class CommandGroup>
  event submit(CommandGroup&& group, const queue&) {
    return submit(group);
  }
  /// An overload that AdaptiveCpp has. The properties (property::command_group) are hints, which have no effect.
  template <class CommandGroup>
    requires(std::is_invocable_v<std::decay_t<CommandGroup>&, handler&>)
  event submit(const property_list&, CommandGroup&& group) {
    return submit(static_cast<CommandGroup&&>(group));
  }
  template <class... Arguments>
    requires(sizeof...(Arguments) != 1)
  SINTER_MISTAKE("submit takes a function of a handler: [&](sycl::handler& group) { ... }")
  event submit(const Arguments&...) {
    return {};
  }

  void wait();
  void wait_and_throw();
  void throw_asynchronous();
  /// Returns whether all commands of the queue are complete (SYCL_KHR_QUEUE_EMPTY_QUERY).
  bool khr_empty() const;
  /// Makes sure that all commands submitted so far will run, even if no thread waits for them (SYCL_KHR_QUEUE_FLUSH).
  /// If the queue is collecting kernels for a fusion, ends the fusion early.
  void khr_flush() const;

  /// These functions submit a barrier of sycl_ext_oneapi_enqueue_barrier, like handler::ext_oneapi_barrier.
  event ext_oneapi_submit_barrier() {
    return submit([](handler& group) { group.ext_oneapi_barrier(); });
  }
  event ext_oneapi_submit_barrier(const std::vector<event>& events) {
    return submit([&](handler& group) { group.ext_oneapi_barrier(events); });
  }
  /// Submits the command that handler::AdaptiveCpp_enqueue_custom_operation makes.
  template <class Function>
  event AdaptiveCpp_enqueue_custom_operation(const Function& function) {
    return submit([&](handler& group) { group.AdaptiveCpp_enqueue_custom_operation(function); });
  }
  template <class Function>
  event AdaptiveCpp_enqueue_custom_operation(const Function& function, const event& dependency) {
    return after(dependency, [&](handler& group) { group.AdaptiveCpp_enqueue_custom_operation(function); });
  }
  template <class Function>
  event AdaptiveCpp_enqueue_custom_operation(const Function& function, const std::vector<event>& dependencies) {
    return after(dependencies, [&](handler& group) { group.AdaptiveCpp_enqueue_custom_operation(function); });
  }
  /// The name that khr_empty has in sycl_ext_oneapi_queue_empty.
  bool ext_oneapi_empty() const { return khr_empty(); }
  /// Functions of sycl_ext_oneapi_in_order_queue_events. The first returns the event of the latest command, or nothing
  /// before the first command. The second sets an event for which the next command has to wait. Both throw
  /// errc::invalid for out-of-order queues.
  std::optional<event> ext_oneapi_get_last_event() const;
  void ext_oneapi_set_external_event(const event& external);

  // Functions for graphs (ext/oneapi/experimental/graph.hpp). While a queue records, the commands that the program
  // submits to it become nodes.
  ext::oneapi::experimental::queue_state ext_oneapi_get_state() const;
  /// Returns the graph to which the queue records. Throws errc::invalid if the queue does not record.
  ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::modifiable> ext_oneapi_get_graph()
      const;
  /// Runs the graph as one command.
  event ext_oneapi_graph(
      const ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>& graph);
  event ext_oneapi_graph(
      const ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>& graph,
      const event& dependency);
  event ext_oneapi_graph(
      const ext::oneapi::experimental::command_graph<ext::oneapi::experimental::graph_state::executable>& graph,
      const std::vector<event>& dependencies);

  // Functions for kernel fusion, which ext/codeplay/experimental/fusion_wrapper.hpp describes.
  bool ext_codeplay_supports_fusion() const noexcept;
  bool ext_codeplay_is_in_fusion_mode() const noexcept;
  void ext_codeplay_start_fusion();
  void ext_codeplay_cancel_fusion();
  event ext_codeplay_complete_fusion(const property_list& properties = {});

  // Shortcuts (SYCL 2020 4.6.5.2): each call submits one command. Most shortcuts also take events for which the command
  // waits.
  template <class KernelName = void, class Function>
  event single_task(const Function& function) {
    if constexpr (detail::is_launch<detail::single_task_shape, Function>) {
      return submit([&](handler& group) { group.single_task<KernelName>(function); });
    } else {
      return detail::explain_launch<detail::single_task_shape, Function>(), event();
    }
  }
  template <class KernelName = void, class Function>
  event single_task(const event& dependency, const Function& function) {
    if constexpr (detail::is_launch<detail::single_task_shape, Function>) {
      return after(dependency, [&](handler& group) { group.single_task<KernelName>(function); });
    } else {
      return detail::explain_launch<detail::single_task_shape, Function>(), event();
    }
  }
  template <class KernelName = void, class Function>
  event single_task(const std::vector<event>& dependencies, const Function& function) {
    if constexpr (detail::is_launch<detail::single_task_shape, Function>) {
      return after(dependencies, [&](handler& group) { group.single_task<KernelName>(function); });
    } else {
      return detail::explain_launch<detail::single_task_shape, Function>(), event();
    }
  }
  /// An overload of sycl_ext_oneapi_kernel_properties.
  template <class KernelName = void, class Properties, class Function>
    requires(detail::is_properties<Properties>)
  event single_task(const Properties& properties, const Function& function) {
    return submit([&](handler& group) { group.single_task<KernelName>(properties, function); });
  }
  template <class KernelName = void, class Dependency, class Properties, class Function>
    requires(detail::is_properties<Properties> && detail::is_dependency<Dependency>)
  event single_task(const Dependency& dependency, const Properties& properties, const Function& function) {
    return after(dependency, [&](handler& group) { group.single_task<KernelName>(properties, function); });
  }

  template <class KernelName = void, class... Arguments>
    requires(detail::is_no_single_task<Arguments...>)
  SINTER_MISTAKE("single_task takes events, then the kernel function, and nothing else: it runs once; parallel_for "
                 "takes ranges and reductions")
  event single_task(const Arguments&...) {
    return {};
  }

  using detail::range_launches<queue, 1>::parallel_for, detail::range_launches<queue, 2>::parallel_for;
  using detail::range_launches<queue, 3>::parallel_for, detail::nd_range_launches<queue>::parallel_for;

  using device_global_copies::copy, device_global_copies::memcpy;
  event memcpy(void* destination, const void* source, std::size_t bytes);
  event memcpy(void* destination, const void* source, std::size_t bytes, const event& dependency);
  event memcpy(void* destination, const void* source, std::size_t bytes, const std::vector<event>& dependencies);
  SINTER_MISTAKE("memcpy takes where to, where from, and how many bytes, both as pointers: accessors are for copy")
  event memcpy(...) { return {}; }
  SINTER_MISTAKE("memset takes a pointer, the value of each byte, and how many bytes")
  event memset(...) { return {}; }
  template <class = void>
  SINTER_MISTAKE("copy takes where from, where to, and how many elements, of one type: pointers, or accessors and no "
                 "number; buffers are reached by accessors")
  event copy(...) {
    return {};
  }
  template <class = void>
  SINTER_MISTAKE("fill takes a pointer, a value, and how many elements; or an accessor and a value")
  event fill(...) {
    return {};
  }
  template <class T>
  event copy(const T* source, T* destination, std::size_t count) {
    return submit([&](handler& group) { group.copy(source, destination, count); });
  }
  template <class T>
  event copy(const T* source, T* destination, std::size_t count, const event& dependency) {
    return after(dependency, [&](handler& group) { group.copy(source, destination, count); });
  }
  template <class T>
  event copy(const T* source, T* destination, std::size_t count, const std::vector<event>& dependencies) {
    return after(dependencies, [&](handler& group) { group.copy(source, destination, count); });
  }
  event memset(void* pointer, int value, std::size_t bytes);
  event memset(void* pointer, int value, std::size_t bytes, const event& dependency);
  event memset(void* pointer, int value, std::size_t bytes, const std::vector<event>& dependencies);
  template <class T>
  event fill(void* pointer, const T& pattern, std::size_t count) {
    return submit([&](handler& group) { group.fill(pointer, pattern, count); });
  }
  template <class T>
  event fill(void* pointer, const T& pattern, std::size_t count, const event& dependency) {
    return after(dependency, [&](handler& group) { group.fill(pointer, pattern, count); });
  }
  template <class T>
  event fill(void* pointer, const T& pattern, std::size_t count, const std::vector<event>& dependencies) {
    return after(dependencies, [&](handler& group) { group.fill(pointer, pattern, count); });
  }
  event prefetch(const void* pointer, std::size_t bytes);
  event prefetch(const void* pointer, std::size_t bytes, const event& dependency);
  event prefetch(const void* pointer, std::size_t bytes, const std::vector<event>& dependencies);
  event mem_advise(const void* pointer, std::size_t bytes, int advice);
  event mem_advise(const void* pointer, std::size_t bytes, int advice, const event& dependency);
  event mem_advise(const void* pointer, std::size_t bytes, int advice, const std::vector<event>& dependencies);

  // Copies from and to accessors. Accessors that are placeholders are bound to the command.
  template <class T, int D, access_mode M, target G, access::placeholder P, class Destination>
  event copy(const accessor<T, D, M, G, P>& source, Destination destination) {
    return submit([&](handler& group) { group.copy(source, destination); });
  }
  template <class Source, class T, int D, access_mode M, target G, access::placeholder P>
    requires(std::is_pointer_v<Source> || detail::shared_pointer<Source>)
  event copy(Source source, const accessor<T, D, M, G, P>& destination) {
    return submit([&](handler& group) { group.copy(source, destination); });
  }
  template <class T, int D, access_mode M, target G, access::placeholder P>
  event fill(const accessor<T, D, M, G, P>& destination, const std::type_identity_t<T>& value) {
    return submit([&](handler& group) { group.fill(destination, value); });
  }
  template <class T, int D, access_mode M, target G, access::placeholder P>
  event update_host(const accessor<T, D, M, G, P>& source) {
    return submit([&](handler& group) { group.update_host(source); });
  }

  friend bool operator==(const queue& a, const queue& b) noexcept { return a.m_impl == b.m_impl; }
  friend bool operator!=(const queue& a, const queue& b) noexcept { return a.m_impl != b.m_impl; }

private:
  friend struct detail::object_access;
  /// Makes a queue that uses the driver's stream `native` (backend.hpp). If `native` is null, the queue makes a stream
  /// of its own.
  queue(const context& context, const device& device, const async_handler& handler, const property_list& properties,
        void* native);
  template <class Dependencies, class CommandGroup>
  event after(const Dependencies& dependencies, const CommandGroup& fill_group) {
    return submit([&](handler& group) {
      group.depends_on(dependencies);
      fill_group(group);
    });
  }
  event submit_group(void (*call)(void* function, handler& group), void* function);
};

} // namespace sycl

template <>
struct std::hash<sycl::queue> {
  SINTER_EXPORT std::size_t operator()(const sycl::queue& object) const noexcept;
};
