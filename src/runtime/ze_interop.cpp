// Gives programs Level Zero's objects behind SYCL's objects (sycl/ext/oneapi/backend/level_zero.hpp).
#include <memory/buffer_record.hpp>
#include <runtime/handler_impl.hpp>
#include <runtime/native_objects.hpp>
#include <algorithm>
#include <string>

#include <sycl/ext/oneapi/backend/level_zero.hpp>
#include <sycl/interop_handle.hpp>

namespace sycl::inline _V1::detail {
namespace {

using sinter::device_natives;
using sinter::native_kind;

constexpr backend ours = backend::ext_oneapi_level_zero;

[[noreturn]] void refuse_ze(errc code, const std::string& why) { throw_error(code, why); }

void check_ze(backend its, const char* call) {
  if (its == ours) return;
  refuse_ze(errc::backend_mismatch, std::string(call) + ": the object is of another backend; ask get_backend() first");
}

device_natives& ze_natives(const device& of, const char* call = "get_native") {
  check_ze(of.get_backend(), call);
  return natives_of(of);
}
/// Returns the native objects of the context's first device; any device would do, because all devices of a context have
/// the same driver.
device_natives& ze_natives(const context& of, const char* call = "get_native") {
  return ze_natives(object_access::impl(of)->devices().front(), call);
}

std::vector<device> all_of_level_zero() {
  std::vector<device> result;
  for (const device& each : all_devices()) {
    if (each.get_backend() == ours) result.push_back(each);
  }
  return result;
}

/// Keeps a native object. The last copy of the result destroys the object if the runtime owns it.
std::shared_ptr<void> hold_native(device_natives& natives, native_kind kind, void* object, bool transfer) {
  return {object, [&natives, kind, transfer](void* its) {
            if (transfer) natives.release(kind, its);
          }};
}

struct given_ze_event : counted {
  explicit given_ze_event(std::shared_ptr<void> event) : held(std::move(event)) {}
  const std::shared_ptr<void> held;
};

}  // namespace

_ze_driver_handle_t* ze_native(const platform& object) {
  return static_cast<_ze_driver_handle_t*>(ze_natives(object.get_devices().front()).platform());
}
_ze_device_handle_t* ze_native(const device& object) {
  return static_cast<_ze_device_handle_t*>(ze_natives(object).device());
}
_ze_context_handle_t* ze_native(const context& object) {
  return static_cast<_ze_context_handle_t*>(ze_natives(object).context());
}

_ze_device_handle_t* ze_native_device(const queue_impl& queue, const char* call) {
  check_ze(queue.get_device().get_backend(), call);
  return static_cast<_ze_device_handle_t*>(natives_of(queue.backend()).device());
}

_ze_event_handle_t* ze_native(const event& object) {
  check_ze(object.get_backend(), "get_native");
  const dependency command = object_access::get_dependency(object);
  if (command.node && command.node->given) {
    return static_cast<_ze_event_handle_t*>(static_cast<const given_ze_event&>(*command.node->given).held.get());
  }
  return static_cast<_ze_event_handle_t*>(native_event(object, ours, "get_native"));
}

std::vector<_ze_module_handle_t*> ze_native(const bundle_base& object) {
  check_ze(object.get_backend(), "get_native");
  const shared<kernel_bundle_impl> bundle = implementation(object);
  if (bundle->source) {
    return {static_cast<_ze_module_handle_t*>(only_part(*bundle->source, "get_native").module->native())};
  }
  // There is one module for each kernel and device.
  std::vector<_ze_module_handle_t*> modules;
  for (const device& each : bundle->devices) {
    for (const kernel_identity* kernel : bundle->kernels) {
      const device_natives::code code = native_code(kernel, each, *bundle->values);
      if (code.program) modules.push_back(static_cast<_ze_module_handle_t*>(code.program));
    }
  }
  return modules;
}

_ze_kernel_handle_t* ze_native(const kernel& object) {
  check_ze(object.get_backend(), "get_native");
  const shared<kernel_bundle_impl> bundle = implementation(object.get_kernel_bundle());
  const kernel_identity* const identity = object_access::identity(object_access::kernel_id_of(object));
  if (bundle->source) {
    const source_program::part& part = only_part(*bundle->source, "get_native");
    const int found = bundle->source->find(identity);
    return static_cast<_ze_kernel_handle_t*>(part.module->native(part.places[static_cast<std::size_t>(found)]));
  }
  const device_natives::code code = native_code(identity, bundle->devices.front(), *bundle->values);
  if (code.kernel) return static_cast<_ze_kernel_handle_t*>(code.kernel);
  refuse_ze(errc::invalid, "get_native: kernel '" + identity->display_name +
                               "' was compiled without the capture plugin, and has no code for devices");
}

void* ze_native(const buffer_record& record) {
  for (const residency::place& each : record.device_memory()) {
    if (each.where->facts().backend == static_cast<std::uint8_t>(ours)) return each.memory;
  }
  refuse_ze(errc::invalid,
            "get_native: no device of Level Zero's has memory for the buffer yet; ask behind the first command that "
            "uses it");
}

platform platform_of_ze(_ze_driver_handle_t* native) {
  for (const device& each : all_of_level_zero()) {
    if (natives_of(each).platform() == native) return each.get_platform();
  }
  refuse_ze(errc::invalid, "make_platform: the driver is none whose devices SYCL uses; sinter-info says why");
}

device device_of_ze(_ze_device_handle_t* native) {
  for (const device& each : all_of_level_zero()) {
    if (natives_of(each).device() == native) return each;
    if (each.get_info<info::device::partition_max_sub_devices>() == 0) continue;
    for (const device& tile : each.create_sub_devices<info::partition_property::partition_by_affinity_domain>(
             info::partition_affinity_domain::next_partitionable)) {
      if (natives_of(tile).device() == native) return tile;
    }
  }
  refuse_ze(errc::invalid, "make_device: the device is none that SYCL uses; sinter-info says why");
}

context context_of_ze(_ze_context_handle_t* native, const std::vector<device>& wanted, const async_handler& handler) {
  if (!native) refuse_ze(errc::invalid, "make_context: the ze_context_handle_t is null");
  if (wanted.empty()) refuse_ze(errc::invalid, "make_context: DeviceList is empty; name the context's devices");
  std::vector<device> devices;
  for (const device& each : wanted) {
    device_natives& natives = ze_natives(each, "make_context");
    if (natives.context() == native) {
      devices.push_back(each);
    } else {
      devices.push_back(object_access::make_device(make_counted<device_impl>(*natives.in_context(native), each)));
    }
  }
  return context(devices, handler);
}

queue queue_of_ze(_ze_command_list_handle_t* native, bool transfer, const device& wanted, const context& context,
                  const property_list& properties, const async_handler& handler) {
  if (!native) refuse_ze(errc::invalid, "make_queue: the ze_command_list_handle_t is null");
  check_ze(context.get_backend(), "make_queue");
  const std::vector<device>& devices = object_access::impl(context)->devices();
  const auto found = std::find(devices.begin(), devices.end(), wanted);
  if (found == devices.end()) refuse_ze(errc::invalid, "make_queue: the device is none of the context's");
  if (transfer) natives_of(*found).retain(native_kind::queue, native);
  return object_access::make_queue(context, *found, handler, properties, native);
}

void refuse_command_queue() {
  refuse_ze(errc::feature_not_supported,
            "make_queue: a ze_command_queue_handle_t can't take SYCL's commands one by one; give an immediate command "
            "list (zeCommandListCreateImmediate)");
}

event event_of_ze(_ze_event_handle_t* native, bool transfer, const context& context) {
  device_natives& natives = ze_natives(context, "make_event");
  if (!native) refuse_ze(errc::invalid, "make_event: the ze_event_handle_t is null");
  return event_of_natives(natives, {native},
                          make_counted<given_ze_event>(hold_native(natives, native_kind::event, native, transfer)),
                          context);
}

shared<kernel_bundle_impl> bundle_of_ze(_ze_module_handle_t* native, bool transfer, const context& context) {
  device_natives& natives = ze_natives(context, "make_kernel_bundle");
  if (!native) refuse_ze(errc::invalid, "make_kernel_bundle: the ze_module_handle_t is null");
  const auto bundle = make_native_bundle(context, object_access::impl(context)->devices().front(),
                                         natives.adopt_module(native, nullptr));
  bundle->source->given.push_back(hold_native(natives, native_kind::program, native, transfer));
  return bundle;
}

kernel kernel_of_ze(_ze_kernel_handle_t* native, bool transfer, const bundle_base& of, const context& context) {
  device_natives& natives = ze_natives(context, "make_kernel");
  if (!native) refuse_ze(errc::invalid, "make_kernel: the ze_kernel_handle_t is null");
  std::string name;
  natives.program_of(native, name);
  const shared<kernel_bundle_impl> modules = implementation(of);
  void* const module = modules->source ? only_part(*modules->source, "make_kernel").module->native() : nullptr;
  const auto made = make_native_bundle(context, object_access::impl(context)->devices().front(),
                                       natives.adopt_module(module, native));
  // The kernel is added first: elements of a vector are destroyed in this order, and the kernel has to end before its
  // module.
  made->source->given.push_back(hold_native(natives, native_kind::kernel, native, transfer));
  made->source->given.push_back(std::make_shared<shared<kernel_bundle_impl>>(modules));
  return bundle_access::wrap<bundle_state::executable>(made).ext_oneapi_get_kernel(name);
}

std::size_t ze_memory_bytes(void* native, const context& context, std::size_t element_bytes, event& available) {
  return native_memory_bytes(ze_natives(context, "make_buffer"), native, element_bytes, available, "memory",
                             "allocate it by zeMemAllocDevice, zeMemAllocHost or zeMemAllocShared in the context");
}

void copy_ze_memory(buffer_record* record, void* native, bool transfer, const context& context) {
  device_natives& natives = ze_natives(context, "make_buffer");
  copy_native_memory(record, natives, hold_native(natives, native_kind::memory, native, transfer), context);
}

}  // namespace sycl::detail
