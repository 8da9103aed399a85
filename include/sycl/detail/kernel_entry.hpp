#pragma once
/// Makes the device entry point and the descriptor for a kernel function object.
///
/// `kernel_body` is the kernel for the device. `kernel_body` runs one work-item, and gets the work-item's position by
/// functions of the device ABI. The kernel's argument block is the function object. The capture plugin finds
/// kernel_body by its annotation and copies it out of the host IR. In library mode (without the plugin), the host calls
/// kernel_body. kernel_body and the descriptor have internal linkage, so that two translation units (or a shared
/// library that is closed and loaded again) never share them.

#include <cstdint>
#include <sinter/abi/device_abi.hpp>
#include <sinter/abi/launch_abi.hpp>
#include <type_traits>
#include <utility>

#ifdef __cpp_rtti
#include <typeinfo>
#endif

#include "../item.hpp"
#include "../nd_item.hpp"
#include "../specialization.hpp"

#if defined(__clang__)
#define SINTER_ANNOTATE(text) __attribute__((annotate(text)))
#else
#define SINTER_ANNOTATE(text)
#endif

namespace sycl::inline _V1::detail {

/// The kernel name of a launch. A launch without a name uses the type of the function object.
template <class KernelName, class Function>
using kernel_name_t = std::conditional_t<std::is_void_v<KernelName>, Function, KernelName>;

/// Wraps a kernel name: typeid needs a complete type, but kernel names may be incomplete types.
template <class KernelName>
struct kernel_name_tag;

template <class KernelName>
const char* kernel_type_name() noexcept {
#ifdef __cpp_rtti
  return typeid(kernel_name_tag<KernelName>*).name();
#else
  return __PRETTY_FUNCTION__;
#endif
}

/// The shapes that a launch may have, as template arguments of kernel_body.
struct single_task_shape {
  static constexpr auto value = sinter::abi::kernel_shape::single_task;
  static constexpr int dimensions = 1;
};
template <int Dimensions>
struct range_shape {
  static constexpr auto value = sinter::abi::kernel_shape::range;
  static constexpr int dimensions = Dimensions;
};
template <int Dimensions>
struct nd_range_shape {
  static constexpr auto value = sinter::abi::kernel_shape::nd_range;
  static constexpr int dimensions = Dimensions;
};

/// Like std::is_invocable, but only for calls in the form function(arguments), and with shorter error messages. If the
/// body of a generic lambda has an error, the compiler lists the templates that led to it. This concept adds one line
/// to the list, but std::is_invocable would add dozens.
template <class Function, class... Arguments>
concept callable = requires { std::declval<Function>()(std::declval<Arguments>()...); };

/// The type of a position that an nd_range kernel may take instead of an nd_item. SYCL 2020 4.9.4.2.2 allows only
/// nd_item, so a kernel that takes integers is an error. Items and ids are accepted nevertheless, because DPC++ allows
/// them, and programs written for sycl_ext_codeplay_kernel_fusion use them in nd_range kernels.
template <int Dimensions>
struct plain_position {
  operator item<Dimensions, true>() const;
  operator item<Dimensions, false>() const;
  operator id<Dimensions>() const;
};

/// Calls the function object for the current work-item (SYCL 2020 4.9.4.2.2). The function object's argument is an
/// nd_item, an item or a type to which an item converts.
template <class Shape, class Function>
inline __attribute__((always_inline)) void invoke_kernel(const Function& function) {
  if constexpr (Shape::value == sinter::abi::kernel_shape::single_task) {
    function();
  } else if constexpr (Shape::value == sinter::abi::kernel_shape::range) {
    const auto position = item_access::current_item<Shape::dimensions>();
    if constexpr (callable<const Function&, decltype(position)>) {
      function(position);
    } else {
      function(item_access::make_plain_item(position.get_id(), position.get_range()));
    }
  } else {
    const auto position = item_access::current_nd_item<Shape::dimensions>();
    if constexpr (callable<const Function&, decltype(position)>) {
      function(position);
    } else {
      function(item_access::make_plain_item(position.get_global_id(), position.get_global_range()));
    }
  }
}

/// Whether the function object takes a kernel_handler as the argument after the position.
template <class Shape, class Function>
inline constexpr bool takes_kernel_handler = [] {
  if constexpr (Shape::value == sinter::abi::kernel_shape::single_task) {
    return callable<const Function&, kernel_handler>;
  } else if constexpr (Shape::value == sinter::abi::kernel_shape::range) {
    return callable<const Function&, const item<Shape::dimensions>, kernel_handler>;
  } else {
    return callable<const Function&, const nd_item<Shape::dimensions>, kernel_handler>;
  }
}();

/// Whether a kernel of this shape can call the function object. `Callable` says whether the object is const.
template <class Shape, class Callable>
constexpr bool is_kernel_function() noexcept {
  constexpr int dimensions = Shape::dimensions;
  if constexpr (Shape::value == sinter::abi::kernel_shape::single_task) {
    if constexpr (callable<Callable>) {
      return true;
    } else {
      return callable<Callable, kernel_handler>;
    }
  } else {
    constexpr bool has_groups = Shape::value == sinter::abi::kernel_shape::nd_range;
    // The position is const, because invoke_kernel passes a const position. So a kernel's parameter may be `auto&`, but
    // not `item&`, through which the kernel could change the position.
    using position = std::conditional_t<has_groups, const nd_item<dimensions>, const item<dimensions>>;
    using plain = std::conditional_t<has_groups, plain_position<dimensions>, item<dimensions, false>>;
    // Tests one type of position after the other and stops at the first that fits: each test instantiates the body of a
    // generic lambda, which may compile for the first type only.
    if constexpr (callable<Callable, position>) {
      return true;
    } else if constexpr (callable<Callable, position, kernel_handler>) {
      return true;
    } else {
      return callable<Callable, plain>;
    }
  }
}

/// Whether the function object comes from this library and not from the user; queries for kernels don't list such
/// kernels.
template <class Function>
inline constexpr bool is_helper_kernel = false;

/// The device entry point. KernelName and Shape make each instantiation unique, and capture reads them.
template <class KernelName, class Function, class Shape>
SINTER_ANNOTATE("sinter.kernel")
static void kernel_body(const void* block) {
  invoke_kernel<Shape>(*static_cast<const Function*>(block));
}

template <class KernelName, class Function, class Shape>
SINTER_ANNOTATE("sinter.descriptor")
static constinit sinter::abi::kernel_descriptor kernel_descriptor_of = {
    .host = &kernel_body<KernelName, Function, Shape>,
    .type_name = &kernel_type_name<KernelName>,
    .block_size = sizeof(Function),
    .block_alignment = alignof(Function),
    .shape = Shape::value,
    .dimensions = Shape::dimensions,
    .image = nullptr,
    .index = 0,
    .flags = is_helper_kernel<Function> ? sinter::abi::descriptor_is_helper : 0u,
    .variants = nullptr,
};

} // namespace sycl::detail
