#include <images/kernel_view.hpp>
#include <memory/buffer_record.hpp>
#include <runtime/handler_impl.hpp>
#include <runtime/native_objects.hpp>
#include <scheduler/device_channel.hpp>
#include <string>

#include <sycl/backend.hpp>
#include <sycl/interop_handle.hpp>

namespace sycl::inline _V1::detail {
namespace {

void check_backend(backend known, backend wanted, const char* call) {
  if (known == wanted) return;
  detail::throw_error(errc::backend_mismatch,
                      std::string(call) + ": the object is of another backend; ask get_backend() first");
}

[[noreturn]] void refuse_unknown(const char* what) {
  detail::throw_error(errc::invalid, std::string(what) + " belongs to no device that SYCL knows");
}

void* context_of(const device& device) {
  void* const native = natives_of(device).context();
  if (!native) detail::throw_error(errc::backend_mismatch, "the device has no native context");
  return native;
}

/// Returns the only device of a context. Throws errc::invalid if the context has several devices, because each device
/// has a native context of its own.
device only_device(const context& context) {
  const std::vector<device>& devices = object_access::impl(context)->devices();
  if (devices.size() == 1) return devices.front();
  detail::throw_error(errc::invalid,
                      "the context has " + std::to_string(devices.size()) +
                          " devices, each with a native context of its own; use a context of one device, or name the "
                          "device");
}

} // namespace

backend backend_of(const queue_impl& queue) noexcept { return queue.get_device().get_backend(); }

int native_device(const device& object, backend wanted, const char* call) {
  check_backend(object.get_backend(), wanted, call);
  return natives_of(object).number();
}

void* native_context(const context& object, backend wanted, const char* call) {
  check_backend(object.get_backend(), wanted, call);
  return context_of(only_device(object));
}

void* native_stream(const queue& object, backend wanted, const char* call) {
  return native_stream(*object_access::impl(object), wanted, call);
}

void* native_event(const event& object, backend wanted, const char* call) {
  check_backend(object.get_backend(), wanted, call);
  const dependency command = object_access::get_dependency(object);
  device_point point = command.handed_over();
  if (!point.channel) {
    // The driver has no event for a command that is host code or waits for host code. So this function waits for the
    // command. After the wait, any event of the queue's channel may represent the command.
    const shared<queue_impl> queue = object_access::queue_of(object);
    if (!queue) {
      detail::throw_error(errc::invalid, std::string(call) + ": the event was made without a queue, for example by its "
                                                             "default constructor, so no driver has an event for it");
    }
    wait_for(command);
    point = {queue->channel(), 0};
  }
  return point.channel->native_event();
}

int native_device(const queue_impl& queue, backend wanted, const char* call) {
  return native_device(queue.get_device(), wanted, call);
}

void* native_context(const queue_impl& queue, backend wanted, const char* call) {
  check_backend(backend_of(queue), wanted, call);
  return context_of(queue.get_device());
}

void* native_stream(const queue_impl& queue, backend wanted, const char* call) {
  check_backend(backend_of(queue), wanted, call);
  return queue.channel() ? queue.channel()->native() : nullptr;
}

void* native_stream(const queue_impl& queue, const native_place& place, backend wanted, const char* call) {
  if (!place.stream) return native_stream(queue, wanted, call);
  check_backend(backend_of(queue), wanted, call);
  return place.stream;
}

void* native_graph(const queue_impl& queue, const native_place& place, backend wanted, const char* call) {
  check_backend(backend_of(queue), wanted, call);
  if (place.graph) return place.graph;
  detail::throw_error(errc::invalid,
                      std::string(call) + ": there is no graph; ask ext_codeplay_has_graph() first");
}

void* native_memory(const queue_impl& queue, buffer_record* record, const void* address, backend wanted,
                    const char* call) {
  check_backend(backend_of(queue), wanted, call);
  return const_cast<void*>(record ? record->address_on(queue.backend(), address) : address);
}

device device_of_native(int number, backend wanted) {
  for (const device& each : near_devices()) {
    if (each.get_backend() != wanted) continue;
    sinter::device_natives* const natives = backend_for(each).natives();
    if (natives && natives->number() == number) return each;
  }
  refuse_unknown("make_device: the number");
}

context context_of_native(void* native, backend wanted, const async_handler& handler) {
  for (const device& each : near_devices()) {
    if (each.get_backend() != wanted) continue;
    sinter::device_natives* const natives = backend_for(each).natives();
    if (natives && natives->context() == native) {
      return context(each, handler);
    }
  }
  detail::throw_error(errc::feature_not_supported,
                      "make_context: only the primary contexts of GPUs are supported (cuDevicePrimaryCtxRetain)");
}

queue queue_of_native(void* native, backend wanted, const context& context, const device* chosen,
                      const async_handler& handler, const property_list& properties) {
  const device where = chosen ? *chosen : only_device(context);
  check_backend(where.get_backend(), wanted, "make_queue");
  return object_access::make_queue(context, where, handler, properties, native);
}

event event_of_native(void* native, backend wanted, const context& context) {
  const device where = object_access::impl(context)->devices().front();
  check_backend(where.get_backend(), wanted, "make_event");
  sinter::device_natives& natives = natives_of(where);
  queue waiting(context, where, property::queue::in_order());
  return waiting.submit([&](handler& group) {
    implementation(group).set(node_type::host_task, "native event", [&natives, native] { natives.wait_for(native); });
  });
}

const source_program::part& only_part(const source_program& program, const char* call) {
  if (program.parts.size() == 1) return program.parts.front();
  detail::throw_error(errc::invalid, std::string(call) +
                                         ": the bundle is built for several devices, which have programs of "
                                                         "their own; build it for one");
}

sinter::device_natives::code native_code(const kernel_identity* kernel, const device& on,
                                         const specialization_values& values) {
  const sinter::abi::kernel_descriptor* descriptor = find_descriptor(kernel);
  if (!descriptor || !sinter::kernel_view(*descriptor).has_image()) return {};
  specialization_values constants;
  constants.inherit(values);
  // The cast is right: descriptors are variables of the program, and these variables are not const. Only the result of
  // find_descriptor is const.
  return natives_of(on).code_of(const_cast<sinter::abi::kernel_descriptor&>(*descriptor),
                                        constants.empty() ? nullptr : constants.table());
}

std::size_t native_memory_bytes(sinter::device_natives& natives, void* native, std::size_t element_bytes,
                                event& available, const char* what, const char* remedy) {
  const std::string its = std::string("make_buffer: the ") + what;
  if (!native) detail::throw_error(errc::invalid, its + " is null");
  available.wait_and_throw();
  const std::size_t bytes = natives.bytes_of(native);
  if (bytes == 0) detail::throw_error(errc::invalid, its + " is no buffer of the context; " + remedy);
  if (bytes % element_bytes == 0) return bytes;
  detail::throw_error(errc::invalid, its + " has " + std::to_string(bytes) +
                                         " bytes, which are no whole number of elements of " +
                                         std::to_string(element_bytes));
}

void copy_native_memory(buffer_record* record, sinter::device_natives& natives, const std::shared_ptr<void>& held,
                        const context& context) {
  const auto access = acquire_host_access(record, access_mode::write, /*no_init=*/true);
  natives.copy(held.get(), record->data(), record->bytes(), /*to_object=*/false);
  record->set_write_back([&natives, held, context](const void* data, std::size_t bytes) {
    try {
      natives.copy(held.get(), const_cast<void*>(data), bytes, /*to_object=*/true);
    } catch (...) {
      // The contents are copied back in a buffer's destructor, which must not throw, so the context's handler gets the
      // error.
      queue failing(context, object_access::impl(context)->devices().front());
      object_access::impl(failing)->add_error(std::current_exception());
      failing.throw_asynchronous();
    }
  });
}

event event_of_natives(sinter::device_natives& natives, const std::vector<void*>& events, shared<counted> given,
                       const context& context) {
  queue waiting(context, object_access::impl(context)->devices().front(), property::queue::in_order());
  const event made = waiting.submit([&](handler& group) {
    implementation(group).set(node_type::host_task, "native event", [&natives, events, given] {
      for (void* each : events) natives.wait_for(each);
    });
  });
  if (const dependency command = object_access::get_dependency(made); command.node) command.node->given = given;
  return made;
}

} // namespace sycl::detail
