#pragma once
// Replaces the headers with the minimum that the plugin needs: kernel functions and descriptors as the headers make
// them.
#include <abi/device_abi.hpp>
#include <abi/launch_abi.hpp>
#include <cstddef>
#include <typeinfo>

namespace sycl::detail {
template <int Dimensions>
struct range_shape {
  static constexpr auto value = sinter::abi::kernel_shape::range;
  static constexpr int dimensions = Dimensions;
};
template <class Name>
struct tag;
template <class Name>
const char* type_name() noexcept {
  return typeid(tag<Name>*).name();
}
template <class Name, class Function, class Shape>
__attribute__((annotate("sinter.kernel"))) static void kernel_body(const void* block) {
  (*static_cast<const Function*>(block))(__sinter_global_id(2));
}
template <class Name, class Function, class Shape>
__attribute__((annotate("sinter.descriptor"))) static constinit sinter::abi::kernel_descriptor kernel_descriptor_of = {
    .host = &kernel_body<Name, Function, Shape>,
    .type_name = &type_name<Name>,
    .block_size = sizeof(Function),
    .block_alignment = alignof(Function),
    .shape = Shape::value,
    .dimensions = Shape::dimensions,
    .image = nullptr,
    .index = 0,
    .flags = 0,
    .variants = nullptr,
};
} // namespace sycl::detail

inline sinter::abi::kernel_descriptor* volatile launched;

template <class Name = void, int Dimensions = 1, class Function>
void launch(const Function&) {
  launched = &sycl::detail::kernel_descriptor_of<Name, Function, sycl::detail::range_shape<Dimensions>>;
}
