#include "kernel_bundle.hpp"

#include <base/race_notes.hpp>
#include <algorithm>
#include <array>
#include <cstring>
#include <images/kernel_name.hpp>
#include <images/kernel_view.hpp>
#include <images/registry.hpp>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <runtime/handler_impl.hpp>
#include <runtime/kernel_needs.hpp>
#include <runtime/object_access.hpp>
#include <runtime/source_bundle.hpp>
#include <sycl/ext/oneapi/experimental/root_group.hpp>

namespace sycl::inline _V1 {
namespace detail {

const kernel_identity* intern_kernel(const char* type_name) {
  static auto* mutex = new (sinter::lasting) std::mutex;
  static auto* known = new std::map<std::string, std::unique_ptr<kernel_identity>, std::less<>>;
  std::lock_guard lock(*mutex);
  auto found = known->find(std::string_view(type_name));
  if (found == known->end()) {
    auto made = std::make_unique<kernel_identity>(kernel_identity{type_name, sinter::kernel_display_name(type_name)});
    found = known->emplace(type_name, std::move(made)).first;
  }
  return found->second.get();
}

kernel_id kernel_id_of(const char* type_name) { return object_access::make_kernel_id(intern_kernel(type_name)); }

// ------------------------------------------------------------------------------------------- specialization constants

specialization_values::~specialization_values() {
  for (std::size_t i = 0; i < m_entries.size(); ++i) {
    ::operator delete(const_cast<void*>(m_entries[i].value), std::align_val_t(m_alignments[i]));
  }
}

void specialization_values::set(std::uint64_t key, const void* value, std::size_t bytes, std::size_t alignment) {
  auto found = std::find_if(m_entries.begin(), m_entries.end(), [=](const auto& each) { return each.key == key; });
  if (found != m_entries.end()) {
    std::memcpy(const_cast<void*>(found->value), value, bytes);
    return;
  }
  m_entries.reserve(m_entries.size() + 1);
  m_alignments.reserve(m_alignments.size() + 1);
  void* copy = ::operator new(bytes, std::align_val_t(alignment));
  std::memcpy(copy, value, bytes);
  m_entries.push_back({key, copy, bytes});
  m_alignments.push_back(alignment);
}

const void* specialization_values::find(std::uint64_t key) const noexcept {
  for (const auto& each : m_entries) {
    if (each.key == key) return each.value;
  }
  return nullptr;
}

void specialization_values::inherit(const specialization_values& others) {
  for (std::size_t i = 0; i < others.m_entries.size(); ++i) {
    const auto& other = others.m_entries[i];
    if (!find(other.key)) set(other.key, other.value, other.size, others.m_alignments[i]);
  }
}

const specialization_table* specialization_values::table() noexcept {
  m_table = {static_cast<std::uint32_t>(m_entries.size()), m_entries.data()};
  return &m_table;
}

specialization_values& handler_impl::own_values(const char* what) {
  optional_parts& mine = make_optional();
  if (mine.bundle) {
    detail::throw_error(errc::invalid,
                        std::string(what) +
                            ": the command group uses a kernel bundle, which has the values; set them there, in "
                            "its input state");
  }
  if (!mine.values) mine.values = make_counted<specialization_values>();
  return *mine.values;
}

const specialization_table* handler_impl::visible_values() {
  // Makes a copy, because the kernel sees the values that are set now.
  const optional_parts& its = optional();
  const shared<specialization_values>& source = its.bundle ? its.bundle->values : its.values;
  if (!source || source->empty()) return nullptr;
  auto copy = make_counted<specialization_values>();
  copy->inherit(*source);
  keep(copy);
  return make_optional().constants = copy->table();
}

const specialization_table* handler_impl::named_constants(const sinter::abi::kernel_descriptor& kernel) {
  const optional_parts& its = *m_optional;
  if (its.constants || (!its.values && (!its.bundle || its.bundle->values->empty()))) return its.constants;
  const sinter::image_use keep_image(kernel);
  const bool has_image = sinter::image_of(kernel) != nullptr;
  // Functions of other files may read any.
  const bool calls_others = has_image && !sinter::links_of(kernel).externals.empty();
  return calls_others || names_specialization_constant(kernel, nullptr) ? visible_values() : nullptr;
}

const void* handler_impl::find_value(std::uint64_t key) const noexcept {
  const optional_parts& its = optional();
  const shared<specialization_values>& source = its.bundle ? its.bundle->values : its.values;
  return source ? source->find(key) : nullptr;
}

void handler_impl::use_bundle(const shared<kernel_bundle_impl>& bundle) {
  if (bundle->home != m_queue->get_context()) {
    detail::throw_error(
        errc::invalid,
        "use_kernel_bundle: the bundle's context is not the queue's; make the bundle in queue::get_context()");
  }
  optional_parts& mine = make_optional();
  if (mine.values) {
    detail::throw_error(
        errc::invalid,
        "use_kernel_bundle: the command group has set specialization constants itself; do one or the other");
  }
  mine.bundle = bundle;
}

void set_specialization(handler_impl& handler, std::uint64_t key, const void* value, std::size_t bytes,
                        std::size_t alignment) {
  handler.own_values("set_specialization_constant").set(key, value, bytes, alignment);
}

const void* get_specialization(handler_impl& handler, std::uint64_t key) {
  return handler.own_values("get_specialization_constant").find(key);
}

const void* visible_specialization(handler_impl& handler, std::uint64_t key) { return handler.find_value(key); }

const specialization_table* specialization_values_of(handler_impl& handler) { return handler.visible_values(); }

void use_bundle(handler_impl& handler, const shared<kernel_bundle_impl>& bundle) { handler.use_bundle(bundle); }

// ------------------------------------------------------------------------------------------- bundles

namespace {

using descriptors_by_identity = std::map<const kernel_identity*, const sinter::abi::kernel_descriptor*>;

/// The kernels of the program's images, the first one of each identity. Programs have thousands, and names are long:
/// made anew only when images have come or gone.
std::shared_ptr<const descriptors_by_identity> all_descriptors() {
  static auto* mutex = new (sinter::lasting) std::mutex;
  static auto* known = new std::shared_ptr<const descriptors_by_identity>;
  static std::uint64_t made_at = 0;
  std::lock_guard lock(*mutex);
  const std::uint64_t now = sinter::registry_changes();
  if (!*known || made_at != now) {
    auto made = std::make_shared<descriptors_by_identity>();
    for (const auto* kernel : sinter::registered_kernels()) made->emplace(intern_kernel(kernel->type_name()), kernel);
    *known = std::move(made);
    made_at = now;
  }
  return *known;
}

/// The identities of the kernels in the program's images, each once.
std::vector<const kernel_identity*> program_kernels() {
  std::vector<const kernel_identity*> result;
  for (const auto& [identity, descriptor] : *all_descriptors()) result.push_back(identity);
  return result;
}

/// Why there can't be a bundle for the devices; null when there can.
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

}  // namespace

const sinter::abi::kernel_descriptor* find_descriptor(const kernel_identity* id) {
  const auto all = all_descriptors();
  const auto found = all->find(id);
  return found == all->end() ? nullptr : found->second;
}

bool names_specialization_constant(const sinter::abi::kernel_descriptor& descriptor, const std::uint64_t* key) {
  const sinter::image_use keep_image(descriptor);
  const sinter::kernel_view kernel(descriptor);
  if (!kernel.has_image()) return true;
  const auto constants = kernel.constants();
  return key ? std::any_of(constants.begin(), constants.end(), [=](const auto& each) { return each.key == *key; })
             : !constants.empty();
}

namespace {

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
  // Whatever a device can run can be compiled and linked.
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

const char* kernel_id::get_name() const noexcept { return m_identity->display_name.c_str(); }

std::vector<kernel_id> get_kernel_ids() {
  std::vector<kernel_id> result;
  for (const auto* each : detail::program_kernels()) result.push_back(detail::object_access::make_kernel_id(each));
  return result;
}

bool is_compatible(const std::vector<kernel_id>& ids, const device& on) {
  return std::all_of(ids.begin(), ids.end(), [&](const kernel_id& id) {
    return detail::can_run(detail::object_access::identity(id), on);
  });
}

namespace {

/// Joins the bundles into one in a later state, for `devices` or those of the first (null).
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

// ------------------------------------------------------------------------------------------- kernel queries

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
