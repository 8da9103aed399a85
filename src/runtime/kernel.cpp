// The queries of sycl::kernel about a kernel, alone or on a device.
#include <array>
#include <images/kernel_view.hpp>
#include <images/registry.hpp>
#include <runtime/kernel_bundle.hpp>
#include <runtime/object_access.hpp>
#include <runtime/source_bundle.hpp>
#include <string>
#include <sycl/ext/oneapi/experimental/root_group.hpp>

namespace sycl::inline _V1 {
namespace detail {

std::size_t root_groups_together(const kernel& which, const queue& on, const range<3>& work_group,
                                 std::size_t local_memory) {
  const device where = on.get_device();
  const sinter::device_facts& facts = object_access::impl(where)->facts();
  if (work_group.size() > facts.max_work_group_size || local_memory > facts.local_memory_bytes) return 0;
  const auto* descriptor = find_descriptor(object_access::identity(object_access::kernel_id_of(which)));
  if (!facts.groups_meet || !descriptor) return 1;
  const sinter::image_use keep_image(*descriptor);
  sinter::kernel_launch launch{};
  launch.kernel = const_cast<sinter::abi::kernel_descriptor*>(descriptor);
  for (int d = 0; d < 3; ++d) {
    const auto at = static_cast<std::size_t>(d);
    launch.global_range[at] = launch.local_range[at] = work_group[d];
  }
  launch.local_memory_bytes = local_memory;
  return object_access::impl(where)->backend().groups_together(launch);
}

}  // namespace detail

namespace {

std::array<std::size_t, 3> required_group(const kernel_id& id) {
  const auto* kernel = detail::find_descriptor(detail::object_access::identity(id));
  const std::uint32_t* required = kernel ? sinter::kernel_view(*kernel).required_work_group_size() : nullptr;
  if (!required) return {0, 0, 0};
  return {required[0], required[1], required[2]};
}

std::uint32_t required_sub_group(const kernel_id& id) {
  const auto* kernel = detail::find_descriptor(detail::object_access::identity(id));
  return kernel ? sinter::kernel_view(*kernel).required_sub_group_size() : 0;
}

std::uint32_t sub_group_size(const kernel_id& id, const device& on) {
  const std::uint32_t required = required_sub_group(id);
  return required != 0 ? required : detail::object_access::impl(on)->facts().sub_group_size;
}

}  // namespace

kernel::kernel(const kernel_id& id, const kernel_bundle<bundle_state::executable>& bundle)
    : m_id(id), m_bundle(bundle) {}
kernel_bundle<bundle_state::executable> kernel::get_kernel_bundle() const { return m_bundle; }

template <>
SINTER_EXPORT std::uint32_t kernel::get_info<info::kernel::num_args>() const {
  const detail::shared<detail::source_program>& source = detail::implementation(m_bundle)->source;
  if (source) {
    return source->argument_count(static_cast<std::size_t>(source->find(detail::object_access::identity(m_id))));
  }
  detail::throw_error(errc::invalid, std::string("info::kernel::num_args: kernel '") + m_id.get_name() +
                                                          "' is a function object; only built-in "
                                                          "kernels have numbered arguments");
}
template <>
SINTER_EXPORT std::string kernel::get_info<info::kernel::attributes>() const {
  std::string text;
  const auto group = required_group(m_id);
  if (group[2] != 0) {
    text = "reqd_work_group_size(" + std::to_string(group[0]) + "," + std::to_string(group[1]) + "," +
           std::to_string(group[2]) + ")";
  }
  if (const std::uint32_t size = required_sub_group(m_id)) {
    text += (text.empty() ? "" : " ") + std::string("reqd_sub_group_size(") + std::to_string(size) + ")";
  }
  return text;
}

#define SINTER_KERNEL_INFO(descriptor, ...)                                                             \
  template <>                                                                                           \
  SINTER_EXPORT info::kernel_device_specific::descriptor::return_type                                   \
  kernel::get_info<info::kernel_device_specific::descriptor>([[maybe_unused]] const device& on) const { \
    return __VA_ARGS__;                                                                                 \
  }
SINTER_KERNEL_INFO(work_group_size, on.get_info<info::device::max_work_group_size>())
SINTER_KERNEL_INFO(compile_work_group_size, [&] {
  const auto group = required_group(m_id);
  return range<3>(group[0], group[1], group[2]);
}())
SINTER_KERNEL_INFO(preferred_work_group_size_multiple, sub_group_size(m_id, on))
SINTER_KERNEL_INFO(private_mem_size, 0)
SINTER_KERNEL_INFO(max_num_sub_groups, [&] {
  const std::size_t size = sub_group_size(m_id, on);
  return static_cast<std::uint32_t>((on.get_info<info::device::max_work_group_size>() + size - 1) / size);
}())
SINTER_KERNEL_INFO(compile_num_sub_groups, 0)
SINTER_KERNEL_INFO(max_sub_group_size, sub_group_size(m_id, on))
SINTER_KERNEL_INFO(compile_sub_group_size, required_sub_group(m_id))
#undef SINTER_KERNEL_INFO

template <>
SINTER_EXPORT range<3> kernel::get_info<info::kernel_device_specific::global_work_size>(const device&) const {
  detail::throw_error(errc::invalid,
                      std::string("info::kernel_device_specific::global_work_size: kernel '") + m_id.get_name() +
                          "' is no built-in kernel and the device not of type custom");
}

}  // namespace sycl
