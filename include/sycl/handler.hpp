#pragma once
/// sycl::handler, which builds the command of a command group (SYCL 2020 4.9.4).
///
/// The functions for kernel bundles, specialization constants and arguments of kernel objects are in
/// kernel_settings.hpp. A function that adds a command throws errc::invalid if the command group already has a command.
/// The command contains copies of the user's function objects, which their copy constructors have made. When the
/// command is complete, it destroys these copies.

#include <cstddef>
#include <type_traits>
#include <vector>

#include "accessor.hpp"
#include "detail/accessor_copies.hpp"
#include "detail/compiled_core.hpp"
#include "detail/device_global_copies.hpp"
#include "detail/graph_names.hpp"
#include "detail/image_copies.hpp"
#include "detail/kernel_entry.hpp"
#include "detail/kernel_launches.hpp"
#include "detail/kernel_properties.hpp"
#include "detail/launch_mistakes.hpp"
#include "detail/library_guard.hpp"
#include "detail/mistake.hpp"
#include "detail/rectangle_copies.hpp"
#include "detail/shared.hpp"
#include "event.hpp"
#include "hierarchical.hpp"
#include "interop_handle.hpp"
#include "is_device_copyable.hpp"
#include "kernel_settings.hpp"
#include "nd_range.hpp"
#include "range.hpp"

namespace sycl::inline _V1 {

class handler : public detail::kernel_launches,
                public detail::property_launches<handler>,
                public detail::device_global_copies<handler>,
                public detail::accessor_copies<handler>,
                public detail::image_copies<handler>,
                public detail::rectangle_copies<handler> {
public:
  handler(const handler&) = delete;
  handler& operator=(const handler&) = delete;

  /// If the accessor is a placeholder, binds it to this command group. Otherwise does nothing.
  template <class T, int Dimensions, access_mode Mode, target Target, access::placeholder IsPlaceholder>
  void require(const accessor<T, Dimensions, Mode, Target, IsPlaceholder>& placeholder) {
    if (placeholder.is_placeholder()) {
      detail::add_requirement(m_impl, placeholder.m_record, Mode, placeholder.m_no_init, placeholder.region());
    }
  }
  SINTER_EXPORT void depends_on(const event& dependency);
  SINTER_EXPORT void depends_on(const std::vector<event>& dependencies);

  /// Later commands of the queue wait for this command. In the first overload, this command waits for all earlier
  /// commands. In the second overload, it waits only for the events.
  void ext_oneapi_barrier() { detail::set_barrier(m_impl, true); }
  void ext_oneapi_barrier(const std::vector<event>& events) { depends_on(events), detail::set_barrier(m_impl, false); }

  /// Runs a graph (sycl_ext_oneapi_graph). Throws errc::invalid if the graph was finalized for another device or
  /// context.
  template <class Graph>
  void ext_oneapi_graph(const Graph& graph) {
    detail::set_graph(m_impl, graph.m_impl);
  }
  using kernel_settings::set_arg;
  /// Replaces the kernel function's capture with the number `index`: the kernel uses a dynamic_parameter or another
  /// dynamic_... object instead. Throws errc::invalid outside of command_graph::add. If a dynamic_parameter contains an
  /// accessor, the kernel uses the accessor's buffer.
  template <class Dynamic>
    requires(requires(Dynamic& argument) { argument.ext_sinter_is_dynamic(); })
  void set_arg(int index, Dynamic& argument) {
    detail::set_dynamic_argument(m_impl, index, argument.m_impl);
  }
  template <class Accessor>
  void require(ext::oneapi::experimental::dynamic_parameter<Accessor> parameter) {
    detail::require_dynamic(m_impl, parameter.m_impl);
  }

  // ----------------------------------------------------------------------------------------------- kernels
  using kernel_settings::parallel_for, property_launches::parallel_for;
  using kernel_settings::single_task, property_launches::single_task;
  template <class KernelName = void, class Function>
  void single_task(const Function& function) {
    if constexpr (detail::is_launch<detail::single_task_shape, Function>) {
      launch<KernelName, detail::single_task_shape>({}, function);
    } else {
      detail::explain_launch<detail::single_task_shape, Function>();
    }
  }
  template <class KernelName = void, class... Arguments>
    requires(sizeof...(Arguments) != 1)
  SINTER_MISTAKE("single_task takes the kernel function and nothing else: it runs once; parallel_for takes ranges and "
                 "reductions, handler.depends_on takes events")
  void single_task(const Arguments&...) {}

  /// Behind the size come the reductions, if there are any, and the function object. The function object receives a
  /// reducer for each reduction. An id before the function object is the offset of all ids, which is deprecated in SYCL
  /// 2020. There are three overloads instead of a template, so that integers and brace lists convert to a range (SYCL
  /// 2020 4.9.4.2.2).
  template <class KernelName = void, class... Arguments>
  void parallel_for(range<1> size, const Arguments&... arguments) {
    if constexpr (detail::is_launch<detail::range_shape<1>, Arguments...>) {
      launch_all<KernelName>(size, arguments...);
    } else {
      detail::explain_launch<detail::range_shape<1>, Arguments...>();
    }
  }
  template <class KernelName = void, class... Arguments>
  void parallel_for(range<2> size, const Arguments&... arguments) {
    if constexpr (detail::is_launch<detail::range_shape<2>, Arguments...>) {
      launch_all<KernelName>(size, arguments...);
    } else {
      detail::explain_launch<detail::range_shape<2>, Arguments...>();
    }
  }
  template <class KernelName = void, class... Arguments>
  void parallel_for(range<3> size, const Arguments&... arguments) {
    if constexpr (detail::is_launch<detail::range_shape<3>, Arguments...>) {
      launch_all<KernelName>(size, arguments...);
    } else {
      detail::explain_launch<detail::range_shape<3>, Arguments...>();
    }
  }
  /// Throws errc::nd_range if the local range does not divide the global range or is too large for the device.
  template <class KernelName = void, int Dimensions, class... Arguments>
  void parallel_for(nd_range<Dimensions> size, const Arguments&... arguments) {
    if constexpr (detail::is_launch<detail::nd_range_shape<Dimensions>, Arguments...>) {
      launch_all<KernelName>(size, arguments...);
    } else {
      detail::explain_launch<detail::nd_range_shape<Dimensions>, Arguments...>();
    }
  }
  template <class KernelName = void, class... Arguments>
    requires(detail::begins_without_size<Arguments...>)
  SINTER_MISTAKE(SINTER_LAUNCH_ORDER)
  void parallel_for(const Arguments&...) {}

  /// An overload of SYCL 1.2.1. `function` has to be the function of the kernel `built`. The launched kernel reads the
  /// specialization constants of `built`. Throws errc::invalid if `function` belongs to another kernel, if the command
  /// group uses another bundle, or if the command group sets specialization constants itself.
  template <class KernelName = void, class Function>
  void single_task(const kernel& built, const Function& function) {
    use_kernel<KernelName, Function>(built);
    single_task<KernelName>(function);
  }
  template <class KernelName = void, class Size, class Function>
    requires(detail::is_size<Size>)
  void parallel_for(const kernel& built, const Size& size, const Function& function) {
    use_kernel<KernelName, Function>(built);
    parallel_for<KernelName>(size, function);
  }
  template <class KernelName = void, int Dimensions, class Function>
  void parallel_for(const kernel& built, range<Dimensions> size, id<Dimensions> offset, const Function& function) {
    use_kernel<KernelName, Function>(built);
    parallel_for<KernelName>(size, offset, function);
  }

  /// Launches a hierarchical kernel, which is deprecated in SYCL 2020: the function object runs once per work-group
  /// (hierarchical.hpp). Without `group_size`, work-groups have one work-item.
  template <class KernelName = void, int Dimensions, class Function>
  void parallel_for_work_group(range<Dimensions> groups, const Function& function) {
    parallel_for_work_group<KernelName>(groups, detail::ones<Dimensions>(), function);
  }
  template <class KernelName = void, int Dimensions, class Function>
  void parallel_for_work_group(range<Dimensions> groups, range<Dimensions> group_size, const Function& function) {
    if constexpr (detail::callable<const Function&, const sycl::group<Dimensions>&> ||
                  detail::callable<const Function&, const sycl::group<Dimensions>&, kernel_handler>) {
      const range<Dimensions> one = detail::ones<Dimensions>();
      launch<detail::kernel_name_t<KernelName, Function>, detail::nd_range_shape<Dimensions>>(
          detail::padded_geometry(Dimensions, detail::extents_of(groups), detail::extents_of(one),
                                  detail::extents_of(id<Dimensions>())),
          detail::hierarchical_kernel<Dimensions, Function>{function, group_size,
                                                            detail::specialization_values_of(m_impl)});
      // This check comes last. So if a kernel can't run on the device, the error about this has precedence.
      detail::check_hierarchical_group(detail::count_of(group_size));
    } else {
      static_assert(detail::never<Function>,
                    "parallel_for_work_group gives its function a group of as many dimensions");
    }
  }

  /// Calls the callable on a host thread, in order with the other commands. The callable takes no argument, or an
  /// interop_handle.
  template <class Function>
  void host_task(const Function& function) {
    using callable = std::decay_t<Function>;
    constexpr bool natives = std::is_invocable_v<callable&, interop_handle>;
    if constexpr (std::is_invocable_v<callable&> || natives) {
      detail::function_object its(static_cast<const callable&>(function), detail::own_library());
      detail::set_host_task(m_impl, static_cast<detail::function_object&&>(its), &detail::call_host_task<callable>,
                            natives);
    } else {
      static_assert(detail::never<callable>, "a host task's function takes nothing, or an interop_handle");
    }
  }

  /// sycl_ext_codeplay_enqueue_native_command: the runtime calls the function once, with an interop_handle. The
  /// function puts work into the native queue of the handle, and does not wait for this work. The command is complete
  /// when the native work is complete. In a graph, finalize calls the function, which puts work into the native graph.
  /// The CPU has no native queue, so the command is a host task on the CPU, and it can't be in a graph.
  template <class Function>
  void ext_codeplay_enqueue_native_command(const Function& function) {
    using callable = std::decay_t<Function>;
    static_assert(std::is_invocable_v<callable&, interop_handle>,
                  "a native command's function takes an interop_handle");
    detail::function_object its(static_cast<const callable&>(function), detail::own_library());
    detail::set_native_command(m_impl, static_cast<detail::function_object&&>(its),
                               &detail::call_native_command<callable>);
  }

  /// This is AdaptiveCpp's name for ext_codeplay_enqueue_native_command. Here, `function` may take the interop_handle
  /// by reference. On the CPU, `function` runs when all dependencies of the command are complete.
  template <class Function>
  void AdaptiveCpp_enqueue_custom_operation(const Function& function) {
    using callable = std::decay_t<Function>;
    static_assert(std::is_invocable_v<callable&, interop_handle&>,
                  "a custom operation's function takes an interop_handle");
    ext_codeplay_enqueue_native_command([function](interop_handle handle) mutable { function(handle); });
  }

  // ----------------------------------------------------------------------------------------------- USM memory
  using device_global_copies::copy, device_global_copies::memcpy;
  void memcpy(void* destination, const void* source, std::size_t bytes) {
    detail::set_copy(m_impl, "memcpy", destination, source, bytes);
  }
  template <class T>
  void copy(const T* source, T* destination, std::size_t count) {
    detail::set_copy(m_impl, "copy", destination, source, sinter::abi::multiply_bytes(count, sizeof(T)));
  }
  SINTER_MISTAKE("memcpy takes where to, where from, and how many bytes, both as pointers: accessors are for copy")
  void memcpy(...) {}
  void memset(void* pointer, int value, std::size_t bytes) {
    detail::set_memset(m_impl, pointer, static_cast<unsigned char>(value), bytes);
  }
  template <class T>
  void fill(void* pointer, const T& pattern, std::size_t count) {
    if constexpr (is_device_copyable_v<T>) {
      detail::set_fill(m_impl, pointer, &pattern, sizeof(T), count);
    } else {
      static_assert(detail::never<T>, "fill needs a device copyable pattern");
    }
  }
  SINTER_MISTAKE("memset takes a pointer, the value of each byte, and how many bytes")
  void memset(...) {}
  template <class = void>
  SINTER_MISTAKE("copy takes where from, where to, and how many elements, of one type: pointers, or accessors and no "
                 "number")
  void copy(...) {}
  template <class = void>
  SINTER_MISTAKE("fill takes a pointer, a value, and how many elements; or an accessor and a value")
  void fill(...) {}
  /// These functions give hints about shared memory. If all memory of the device is host memory, the functions do
  /// nothing. The meaning of `advice` depends on the device (docs/devices.md).
  void prefetch(const void* pointer, std::size_t bytes) { detail::set_hint(m_impl, pointer, bytes, nullptr); }
  void mem_advise(const void* pointer, std::size_t bytes, int advice) {
    detail::set_hint(m_impl, pointer, bytes, &advice);
  }

  using accessor_copies::copy, accessor_copies::fill, accessor_copies::update_host;

private:
  friend class queue;
  friend detail::handler_impl& detail::implementation(handler& group) noexcept;
  friend struct detail::object_access;
  explicit handler(detail::handler_impl& impl) noexcept : kernel_launches(impl) {}

  template <class KernelName, class Function>
  void use_kernel(const kernel& built) {
    detail::use_kernel(m_impl, built, detail::kernel_type_name<detail::kernel_name_t<KernelName, Function>>());
  }
};

} // namespace sycl
