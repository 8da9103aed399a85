#pragma once
/// Helps sycl::handler to launch function objects: turns the arguments of parallel_for into a geometry and a kernel.
/// With reductions, the kernel is a wrapper around the user's function object.

#include <cstddef>
#include <cstdint>

#include "../id.hpp"
#include "../kernel_settings.hpp"
#include "../nd_range.hpp"
#include "../range.hpp"
#include "compiled_core.hpp"
#include "kernel_entry.hpp"
#include "kernel_properties.hpp"
#include "library_guard.hpp"
#include "reduction_kernels.hpp"

namespace sycl::inline _V1::detail {

class kernel_launches : public kernel_settings {
protected:
  using kernel_settings::kernel_settings;
  ~kernel_launches() = default;

  template <class KernelName, int Dimensions, class Function>
  void launch_all(const range<Dimensions>& size, const Function& function) {
    launch_all<KernelName>(size, id<Dimensions>(), function);
  }
  template <class KernelName, int Dimensions, class Function>
  void launch_all(const range<Dimensions>& size, const id<Dimensions>& offset, const Function& function) {
    launch<KernelName, range_shape<Dimensions>>(
        padded_geometry(Dimensions, extents_of(size), nullptr, extents_of(offset)), function);
  }
  template <class KernelName, int Dimensions, class Function>
  void launch_all(const nd_range<Dimensions>& size, const Function& function) {
    if constexpr (has_embedded_properties<Function>) {
      respect_limits<kernel_name_t<KernelName, Function>, typename decltype(embedded_properties_of<Function>())::type>(
          size.get_local_range());
    }
    launch<KernelName, nd_range_shape<Dimensions>>(
        padded_geometry(Dimensions, extents_of(size.get_global_range()), extents_of(size.get_local_range()),
                        extents_of(size.get_offset())),
        function);
  }
  template <class KernelName, class Size, class Reduction, class... Rest>
    requires(is_reduction<Reduction>)
  void launch_all(const Size& size, const Reduction& first, const Rest&... rest) {
    take_reductions<KernelName>(size, reduction_list<>(), first, rest...);
  }

  template <class KernelName, class Shape, class Function>
  void launch(const launch_geometry& geometry, const Function& function) {
    if constexpr (has_embedded_properties<Function>) {
      respect_progress<kernel_name_t<KernelName, Function>, Shape::value != sinter::abi::kernel_shape::range>(
          m_impl, decltype(embedded_properties_of<Function>())());
    }
    launch_function<kernel_name_t<KernelName, Function>, Shape>(geometry, with_embedded_properties(function));
  }

private:
  template <class Name, class Shape, class Function>
  void launch_function(const launch_geometry& geometry, const Function& function) {
    if constexpr (takes_kernel_handler<Shape, Function>) {
      using with_handler = kernel_with_handler<Function>;
      auto& kernel = kernel_descriptor_of<Name, with_handler, Shape>;
      const with_handler whole{function, constants()};
      set_kernel(m_impl, kernel, geometry, function_object(whole, library_of(kernel)));
    } else {
      auto& kernel = kernel_descriptor_of<Name, Function, Shape>;
      set_kernel(m_impl, kernel, geometry, function_object(function, library_of(kernel)));
    }
  }
  const specialization_table* constants() { return specialization_values_of(m_impl); }

  // ----------------------------------------------------------------------------------------------- reductions
  template <class KernelName, class Space, class... Known, class Reduction, class... Rest>
    requires(is_reduction<Reduction>)
  void take_reductions(const Space& size, const reduction_list<Known...>& known, const Reduction& next,
                       const Rest&... rest) {
    take_reductions<KernelName>(size, reduction_list<Reduction, Known...>{next, known}, rest...);
  }
  template <class KernelName, int Dimensions, class... Known, class Function>
  void take_reductions(const range<Dimensions>& size, reduction_list<Known...> known, const Function& function)
    requires(!is_reduction<Function>)
  {
    refuse_local_memory(m_impl);
    const reduction_shape shape = reduction_shape_for(m_impl, checked_reduction_items(count_of(size)),
                                                      reduction_list<Known...>::bytes_of_each);
    const range<1> runs = shape.runs, sums = shape.sums;
    known.allocate(m_impl, runs.size());
    std::uint32_t* const counters = add_counters(runs.size());
    launch_geometry geometry =
        padded_geometry(1, extents_of(runs * sums), extents_of(sums), extents_of(range<1>(0)));
    for (int d = 0; d < Dimensions; ++d) geometry.element_range[3 - Dimensions + d] = size[d];
    geometry.element_dimensions = Dimensions;
    launch_reduction<kernel_name_t<KernelName, Function>, nd_range_shape<1>>(
        geometry, range_reduction<Dimensions, Function, reduction_list<Known...>>{function, known, counters, size,
                                                                                  constants()});
  }
  template <class KernelName, int Dimensions, class... Known, class Function>
  void take_reductions(const nd_range<Dimensions>& size, reduction_list<Known...> known, const Function& function)
    requires(!is_reduction<Function>)
  {
    const range<Dimensions> global = size.get_global_range();
    range<Dimensions> local = size.get_local_range();
    if (local[0] == sinter::abi::automatic_local_range) {
      choose_local_range(m_impl, Dimensions, extents_of(global), &local[0]);
    }
    const std::size_t items = checked_reduction_items(count_of(global));
    if (items == 0) return launch<void, single_task_shape>({}, empty_reduction<reduction_list<Known...>>{known});
    // If the local range does not divide the global range, this number is wrong, but launch() then throws an exception.
    const std::size_t groups = local.size() == 0 ? 1 : items / local.size();
    known.allocate(m_impl, groups);
    std::uint32_t* const counters = add_counters(groups);
    launch_reduction<kernel_name_t<KernelName, Function>, nd_range_shape<Dimensions>>(
        padded_geometry(Dimensions, extents_of(global), extents_of(local), extents_of(size.get_offset())),
        nd_range_reduction<Dimensions, Function, reduction_list<Known...>>{function, known, counters, groups,
                                                                           constants()});
  }
  template <class KernelName, class Shape, class Kernel>
  void launch_reduction(const launch_geometry& geometry, const Kernel& kernel) {
    launch<KernelName, Shape>(geometry, kernel);
    if (kernel.counters) return;
    const auto* begin = reinterpret_cast<const char*>(&kernel);
    const auto place = static_cast<std::size_t>(reinterpret_cast<const char*>(&kernel.counters) - begin);
    set_finish(
        m_impl,
        [](const void* function) {
          const Kernel& launched = *static_cast<const Kernel*>(function);
          finish_reduction(launched.list, launched.work_groups());
        },
        {place, reduction_counters(kernel.work_groups()) * sizeof(std::uint32_t)});
  }
  /// Adds the counters of a reduction to the command and returns their address. Returns null if the host finishes the
  /// reduction, which needs no counters.
  std::uint32_t* add_counters(std::size_t work_groups) {
    if (finishes_on_host(m_impl)) return nullptr;
    const std::size_t bytes = reduction_counters(work_groups) * sizeof(std::uint32_t);
    return static_cast<std::uint32_t*>(add_temporary(m_impl, bytes, alignof(std::uint32_t), true));
  }
};

}  // namespace sycl::detail
