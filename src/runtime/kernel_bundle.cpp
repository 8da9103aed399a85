#include "kernel_bundle.hpp"

#include <algorithm>
#include <runtime/kernel_needs.hpp>
#include <runtime/object_access.hpp>
#include <runtime/source_bundle.hpp>
#include <string>

namespace sycl::inline _V1 {
namespace detail {
namespace {

/// Returns the reason why there can't be a bundle for the devices, or null.
const char* bad_devices(bundle_state state, const context& in, const std::vector<device>& devices) {
  if (devices.empty()) return "the list of devices is empty";
  for (const device& each : devices) {
    if (!object_access::impl(in)->contains(each)) return "a device is not in the context";
    if (state == bundle_state::input && !each.has(aspect::online_compiler)) {
      return "a device lacks aspect::online_compiler, which bundles in the input state need";
    }
    if (state == bundle_state::object && !each.has(aspect::online_linker)) {
      return "a device lacks aspect::online_linker, which bundles in the object state need";
    }
  }
  return nullptr;
}

bool can_run(const kernel_identity* id, const device& on) {
  const auto* descriptor = find_descriptor(id);
  return !descriptor || why_not(sinter::kernel_view(*descriptor), object_access::impl(on)->facts()).empty();
}

bool can_run(const kernel_identity* id, const std::vector<device>& devices) {
  return std::any_of(devices.begin(), devices.end(), [&](const device& each) { return can_run(id, each); });
}

}  // namespace

kernel_bundle_impl::kernel_bundle_impl(bundle_state its_state, context in, std::vector<device> its_devices)
    : state(its_state),
      home(std::move(in)),
      devices(each_once(std::move(its_devices))),
      values(make_counted<specialization_values>()) {}
kernel_bundle_impl::~kernel_bundle_impl() = default;

void kernel_bundle_impl::add_images(const shared<kernel_bundle_impl>& part) {
  auto add = [this](const shared<kernel_bundle_impl>& image) {
    auto is_it = [&](const auto& each) { return each.get() == image.get(); };
    if (std::none_of(images.begin(), images.end(), is_it)) images.push_back(image);
  };
  if (!part->images.empty()) {
    for (const auto& each : part->images) add(each);
  } else if (!part->kernels.empty()) {
    add(part);
  }
}

bool kernel_bundle_impl::has(const kernel_identity* id) const noexcept {
  if (source) return source->find(id) >= 0;
  return (everything && can_run(id, devices)) || std::find(kernels.begin(), kernels.end(), id) != kernels.end();
}

shared<kernel_bundle_impl> make_bundle(bundle_state state, const context& in, const std::vector<device>* devices,
                                       const std::vector<kernel_id>* ids) {
  const std::vector<device> wanted = devices ? *devices : in.get_devices();
  if (const char* why = bad_devices(state, in, wanted)) {
    detail::throw_error(errc::invalid, std::string("get_kernel_bundle: ") + why);
  }
  auto result = make_counted<kernel_bundle_impl>(state, in, wanted);
  if (ids) {
    for (const kernel_id& id : *ids) {
      if (!can_run(object_access::identity(id), wanted)) {
        detail::throw_error(errc::invalid, std::string("get_kernel_bundle: kernel '") + id.get_name() +
                                                                "' can run on none of the devices; ask is_compatible");
      }
      result->kernels.push_back(object_access::identity(id));
    }
    std::sort(result->kernels.begin(), result->kernels.end());
    result->kernels.erase(std::unique(result->kernels.begin(), result->kernels.end()), result->kernels.end());
  } else {
    result->kernels = program_kernels();
    result->everything = true;
    std::erase_if(result->kernels, [&](const kernel_identity* each) { return !can_run(each, wanted); });
  }
  return result;
}

bool bundle_exists(bundle_state state, const context& in, const std::vector<device>* devices,
                   const std::vector<kernel_id>* ids) {
  const std::vector<device> wanted = devices ? *devices : in.get_devices();
  if (wanted.empty()) throw_invalid("has_kernel_bundle: the list of devices is empty");
  for (const device& each : wanted) {
    if (!object_access::impl(in)->contains(each)) throw_invalid("has_kernel_bundle: a device is not in the context");
  }
  // No further check is needed for the states, because every kernel that a device can run can also be compiled and
  // linked.
  if (bad_devices(state, in, wanted)) return false;
  if (!ids) {
    const auto kernels = program_kernels();
    return std::any_of(kernels.begin(), kernels.end(), [&](const auto* each) { return can_run(each, wanted); });
  }
  return std::all_of(ids->begin(), ids->end(),
                     [&](const kernel_id& each) { return can_run(object_access::identity(each), wanted); });
}

shared<kernel_bundle_impl> merge_bundles(bundle_state state, const std::vector<shared<kernel_bundle_impl>>& parts,
                                         const std::vector<device>* devices) {
  if (parts.empty()) throw_invalid("kernel bundles: the list of bundles is empty");
  const bool joins = !devices && state == parts.front()->state;
  const kernel_bundle_impl& first = *parts.front();
  const std::vector<device> wanted = devices ? *devices : first.devices;
  if (wanted.empty()) throw_invalid("kernel bundles: the list of devices is empty");
  auto result = make_counted<kernel_bundle_impl>(state, first.home, wanted);
  for (const auto& part : parts) {
    if (part->source) {
      detail::throw_error(errc::feature_not_supported,
                      "kernel bundles: those from source can't be joined or linked; launch their kernels each from its "
                      "own bundle");
    }
    if (part->home != first.home) throw_invalid("kernel bundles: the bundles have different contexts");
    for (const device& each : wanted) {
      if (std::find(part->devices.begin(), part->devices.end(), each) == part->devices.end()) {
        throw_invalid("kernel bundles: a device is not one of each bundle's");
      }
    }
    result->kernels.insert(result->kernels.end(), part->kernels.begin(), part->kernels.end());
    result->everything |= part->everything;
    result->values->inherit(*part->values);
    if (joins) result->add_images(part);
  }
  std::sort(result->kernels.begin(), result->kernels.end());
  result->kernels.erase(std::unique(result->kernels.begin(), result->kernels.end()), result->kernels.end());
  return result;
}

const shared<kernel_bundle_impl>& implementation(const bundle_base& bundle) noexcept { return bundle.m_impl; }

bundle_base::bundle_base(const shared<kernel_bundle_impl>& impl) noexcept : m_impl(impl) {}
bundle_base::bundle_base(const bundle_base&) noexcept = default;
bundle_base& bundle_base::operator=(const bundle_base&) noexcept = default;
bundle_base::~bundle_base() = default;

context bundle_base::get_context() const { return m_impl->home; }
std::vector<device> bundle_base::get_devices() const { return m_impl->devices; }
bool bundle_base::empty() const noexcept { return m_impl->kernels.empty() && !m_impl->source; }
std::size_t bundle_base::image_count() const noexcept {
  return m_impl->images.empty() ? (empty() ? 0 : 1) : m_impl->images.size();
}
const shared<kernel_bundle_impl>& bundle_base::image(std::size_t index) const noexcept {
  return m_impl->images.empty() ? m_impl : m_impl->images[index];
}
bool bundle_base::names_constant(const std::uint64_t* key) const noexcept {
  return std::any_of(m_impl->kernels.begin(), m_impl->kernels.end(),
                     [=](const kernel_identity* each) {
                       const auto* descriptor = find_descriptor(each);
                       return !descriptor || names_specialization_constant(*descriptor, key);
                     });
}
bool bundle_base::has_kernel(const kernel_id& id) const noexcept { return m_impl->has(object_access::identity(id)); }
bool bundle_base::has_kernel(const kernel_id& id, const device& on) const noexcept {
  return has_kernel(id) && std::find(m_impl->devices.begin(), m_impl->devices.end(), on) != m_impl->devices.end();
}
std::vector<kernel_id> bundle_base::get_kernel_ids() const {
  std::vector<kernel_id> result;
  for (const kernel_identity* each : m_impl->kernels) result.push_back(object_access::make_kernel_id(each));
  return result;
}
const void* bundle_base::find_value(std::uint64_t key) const noexcept { return m_impl->values->find(key); }
void bundle_base::set_value(std::uint64_t key, const void* value, std::size_t bytes, std::size_t alignment) {
  m_impl->values->set(key, value, bytes, alignment);
}
kernel bundle_base::find_kernel(const kernel_id& id) const {
  if (!has_kernel(id)) {
    detail::throw_error(errc::invalid, std::string("get_kernel: kernel '") + id.get_name() +
                                                            "' is not in the bundle; ask has_kernel first");
  }
  return object_access::make_kernel(id, bundle_access::wrap<bundle_state::executable>(m_impl));
}

}  // namespace detail

bool is_compatible(const std::vector<kernel_id>& ids, const device& on) {
  return std::all_of(ids.begin(), ids.end(), [&](const kernel_id& id) {
    return detail::can_run(detail::object_access::identity(id), on);
  });
}

namespace {

/// Joins bundles into one bundle in a later state. If `devices` is null, the new bundle has the devices of the first
/// bundle.
template <bundle_state To, bundle_state From>
kernel_bundle<To> advance(const std::vector<kernel_bundle<From>>& bundles, const std::vector<device>* devices) {
  std::vector<detail::shared<detail::kernel_bundle_impl>> parts;
  for (const auto& each : bundles) parts.push_back(detail::implementation(each));
  return detail::bundle_access::wrap<To>(detail::merge_bundles(To, parts, devices));
}

using input_bundle = kernel_bundle<bundle_state::input>;
using object_bundle = kernel_bundle<bundle_state::object>;
using executable_bundle = kernel_bundle<bundle_state::executable>;

}  // namespace

object_bundle compile(const input_bundle& source, const std::vector<device>& devices, const property_list&) {
  return advance<bundle_state::object>(std::vector{source}, &devices);
}
object_bundle compile(const input_bundle& source, const property_list&) {
  return advance<bundle_state::object>(std::vector{source}, nullptr);
}
executable_bundle link(const std::vector<object_bundle>& bundles, const std::vector<device>& devices,
                       const property_list&) {
  return advance<bundle_state::executable>(bundles, &devices);
}
executable_bundle link(const std::vector<object_bundle>& bundles, const property_list&) {
  return advance<bundle_state::executable>(bundles, nullptr);
}
executable_bundle link(const object_bundle& source, const std::vector<device>& devices, const property_list&) {
  return advance<bundle_state::executable>(std::vector{source}, &devices);
}
executable_bundle link(const object_bundle& source, const property_list&) {
  return advance<bundle_state::executable>(std::vector{source}, nullptr);
}
executable_bundle build(const input_bundle& source, const std::vector<device>& devices, const property_list&) {
  return advance<bundle_state::executable>(std::vector{source}, &devices);
}
executable_bundle build(const input_bundle& source, const property_list&) {
  return advance<bundle_state::executable>(std::vector{source}, nullptr);
}

}  // namespace sycl
