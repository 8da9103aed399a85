// Gives programs OpenCL's objects behind SYCL's objects (sycl/backend.hpp).
#include <algorithm>
#include <images/kernel_view.hpp>
#include <memory/buffer_record.hpp>
#include <runtime/handler_impl.hpp>
#include <runtime/native_objects.hpp>
#include <runtime/source_bundle.hpp>
#include <runtime/texel_types.hpp>
#include <memory>
#include <string>

#include <sycl/backend.hpp>
#include <sycl/detail/image_sampling.hpp>
#include <sycl/interop_handle.hpp>

namespace sycl::inline _V1::detail {
namespace {

using sinter::device_natives;
using sinter::native_kind;

/// The retained events that were passed to make_event.
struct given_events : counted {
  given_events(device_natives& its_device, const std::vector<_cl_event*>& events)
      : hardware(its_device), natives(events) {
    for (_cl_event* each : natives) hardware.retain(native_kind::event, each);
  }
  ~given_events() override {
    for (_cl_event* each : natives) hardware.release(native_kind::event, each);
  }
  device_natives& hardware;
  const std::vector<_cl_event*> natives;
};

[[noreturn]] void refuse(errc code, const std::string& why) { detail::throw_error(code, why); }

void check_backend(backend known, const char* call) {
  if (known == backend::opencl) return;
  refuse(errc::backend_mismatch, std::string(call) + ": the object is of another backend; ask get_backend() first");
}

/// Returns the native objects of the context's first device; any device would do, because all devices of a context have
/// the same driver.
device_natives& first_of(const context& context, const char* call) {
  check_backend(context.get_backend(), call);
  return natives_of(object_access::impl(context)->devices().front());
}

std::vector<device> all_of_opencl() {
  std::vector<device> result;
  for (const device& each : all_devices()) {
    if (each.get_backend() == backend::opencl) result.push_back(each);
  }
  return result;
}

/// Returns whether the name is in the list, which is separated by spaces.
bool is_named(const std::string& name, const std::string& names) {
  return (" " + names + " ").find(" " + name + " ") != std::string::npos;
}

/// An image object of OpenCL with a copy of a SYCL image's texels. The destructor copies the texels back to the SYCL
/// image.
struct lent_image : counted {
  lent_image(const queue_impl& its_queue, void* its_memory, const image_layout& its_layout, int dimensions,
             bool is_written, shared<counted>&& others)
      : queue(its_queue), memory(static_cast<char*>(its_memory)), layout(its_layout), writes(is_written),
        before(std::move(others)) {
    const auto extent = [&](int d) { return static_cast<std::size_t>(layout.extent[d]); };
    object = hardware.make_image(
        {static_cast<unsigned>(dimensions), {extent(0), extent(1), extent(2)}, layout.traits});
    texels.resize(extent(0) * layout.traits.texel_bytes() * extent(1) * extent(2));
    try {
      queue.backend().copy(rows(/*to_image=*/true));
      hardware.copy(object, texels.data(), texels.size(), /*to_object=*/true);
    } catch (...) {
      hardware.release(native_kind::memory, object);
      throw;
    }
  }
  ~lent_image() override {
    try {
      if (writes) {
        hardware.copy(object, texels.data(), texels.size(), /*to_object=*/false);
        queue.backend().copy(rows(/*to_image=*/false));
      }
    } catch (...) {
      const_cast<queue_impl&>(queue).add_error(std::current_exception());
    }
    hardware.release(native_kind::memory, object);
  }
  /// Describes a copy of all rows from or to the SYCL image. The texels on the host have no gaps between rows.
  sinter::abi::strided_copy rows(bool to_image) {
    const std::size_t row = static_cast<std::size_t>(layout.extent[0]) * layout.traits.texel_bytes();
    const auto count = static_cast<std::size_t>(layout.extent[1]), planes = static_cast<std::size_t>(layout.extent[2]);
    if (to_image) {
      return {texels.data(), memory, row, count, planes, row, row * count, layout.row_pitch, layout.slice_pitch};
    }
    return {memory, texels.data(), row, count, planes, layout.row_pitch, layout.slice_pitch, row, row * count};
  }

  const queue_impl& queue;
  device_natives& hardware = natives_of(queue.backend());
  void* object = nullptr;
  char* const memory;
  const image_layout layout;
  const bool writes;
  std::vector<char> texels;
  const shared<counted> before;
};

}  // namespace

_cl_platform_id* cl_native(const platform& object, const char* call) {
  check_backend(object.get_backend(), call);
  return static_cast<_cl_platform_id*>(natives_of(object.get_devices().front()).platform());
}

_cl_device_id* cl_native(const device& object, const char* call) {
  check_backend(object.get_backend(), call);
  device_natives& hardware = natives_of(object);
  hardware.retain(native_kind::device, hardware.device());
  return static_cast<_cl_device_id*>(hardware.device());
}

_cl_context* cl_native(const context& object, const char* call) {
  device_natives& hardware = first_of(object, call);
  void* const native = hardware.context();
  hardware.retain(native_kind::context, native);
  return static_cast<_cl_context*>(native);
}

_cl_command_queue* cl_native(const queue& object, const char* call) {
  const queue_impl& queue = *object_access::impl(object);
  void* const native = native_stream(queue, backend::opencl, call);
  natives_of(queue.backend()).retain(native_kind::queue, native);
  return static_cast<_cl_command_queue*>(native);
}

std::vector<_cl_event*> cl_native(const event& object, const char* call) {
  const dependency command = object_access::get_dependency(object);
  if (command.node && command.node->given) {
    const auto& given = static_cast<const given_events&>(*command.node->given);
    for (_cl_event* each : given.natives) given.hardware.retain(native_kind::event, each);
    return given.natives;
  }
  return {static_cast<_cl_event*>(native_event(object, backend::opencl, call))};
}

std::vector<_cl_program*> cl_native(const bundle_base& object, const char* call) {
  check_backend(object.get_backend(), call);
  const shared<kernel_bundle_impl> bundle = implementation(object);
  if (bundle->source) {
    const source_program::part& part = only_part(*bundle->source, call);
    natives_of(*part.device).retain(native_kind::program, part.module->native());
    return {static_cast<_cl_program*>(part.module->native())};
  }
  // There is one program for each kernel and device.
  std::vector<_cl_program*> programs;
  for (const device& each : bundle->devices) {
    for (const kernel_identity* kernel : bundle->kernels) {
      const device_natives::code code = native_code(kernel, each, *bundle->values);
      if (code.kernel) natives_of(each).release(native_kind::kernel, code.kernel);
      if (code.program) programs.push_back(static_cast<_cl_program*>(code.program));
    }
  }
  return programs;
}

_cl_kernel* cl_native(const kernel& object, const char* call) {
  check_backend(object.get_backend(), call);
  const shared<kernel_bundle_impl> bundle = implementation(object.get_kernel_bundle());
  const kernel_identity* const identity = object_access::identity(object_access::kernel_id_of(object));
  if (!bundle->source) {
    const device& on = bundle->devices.front();
    const device_natives::code code = native_code(identity, on, *bundle->values);
    if (!code.kernel) {
      refuse(errc::invalid, std::string(call) + ": kernel '" + identity->display_name +
                                "' was compiled without the capture plugin, and has no code for devices");
    }
    natives_of(on).release(native_kind::program, code.program);
    return static_cast<_cl_kernel*>(code.kernel);
  }
  const source_program::part& part = only_part(*bundle->source, call);
  const int found = bundle->source->find(identity);
  void* const native = part.module->native(part.places[static_cast<std::size_t>(found)]);
  natives_of(*part.device).retain(native_kind::kernel, native);
  return static_cast<_cl_kernel*>(native);
}

_cl_device_id* cl_native_device(const queue_impl& queue, const char* call) {
  check_backend(queue.get_device().get_backend(), call);
  return static_cast<_cl_device_id*>(natives_of(queue.backend()).device());
}

platform platform_of_cl(_cl_platform_id* native) {
  for (const device& each : all_of_opencl()) {
    if (natives_of(each).platform() == native) return each.get_platform();
  }
  refuse(errc::invalid, "make_platform: the cl_platform_id is none whose devices SYCL uses; sinter-info says why");
}

device device_of_cl(_cl_device_id* native) {
  for (const device& each : all_of_opencl()) {
    if (natives_of(each).device() == native) return each;
  }
  refuse(errc::invalid, "make_device: the cl_device_id is none that SYCL uses; sinter-info says why");
}

context context_of_cl(_cl_context* native, const async_handler& handler) {
  std::vector<device> devices;
  for (const device& each : all_of_opencl()) {
    if (native && natives_of(each).context() == native) devices.push_back(each);
  }
  if (!devices.empty()) return context(devices, handler);
  for (const device& each : all_of_opencl()) {
    sinter::device_backend* const own = native ? natives_of(each).in_context(native) : nullptr;
    if (own) devices.push_back(object_access::make_device(make_counted<device_impl>(*own, each)));
  }
  if (!devices.empty()) return context(devices, handler);
  refuse(errc::invalid, "make_context: the cl_context has no device that SYCL uses; sinter-info says why");
}

queue queue_of_cl(_cl_command_queue* native, const context& context, const device* wanted, const async_handler& handler,
                  const property_list& properties) {
  check_backend(context.get_backend(), "make_queue");
  const std::vector<device>& devices = object_access::impl(context)->devices();
  if (!wanted && devices.size() != 1) {
    refuse(errc::invalid, "make_queue: the context has several devices; name the queue's");
  }
  return object_access::make_queue(context, wanted ? *wanted : devices.front(), handler, properties, native);
}

event event_of_cl(const std::vector<_cl_event*>& natives, const context& context) {
  device_natives& hardware = first_of(context, "make_event");
  if (natives.empty()) refuse(errc::invalid, "make_event: there is no cl_event");
  for (_cl_event* each : natives) {
    if (!each) refuse(errc::invalid, "make_event: a cl_event is null");
  }
  const auto given = make_counted<given_events>(hardware, natives);
  return event_of_natives(hardware, {natives.begin(), natives.end()}, given, context);
}

shared<kernel_bundle_impl> bundle_of_cl(_cl_program* native, const context& context) {
  device_natives& hardware = first_of(context, "make_kernel_bundle");
  if (!native) refuse(errc::invalid, "make_kernel_bundle: the cl_program is null");
  return make_native_bundle(context, object_access::impl(context)->devices().front(),
                            hardware.adopt_module(native, nullptr));
}

kernel kernel_of_cl(_cl_kernel* native, const context& context) {
  device_natives& hardware = first_of(context, "make_kernel");
  if (!native) refuse(errc::invalid, "make_kernel: the cl_kernel is null");
  std::string name;
  void* const program = hardware.program_of(native, name);
  const auto bundle = bundle_access::wrap<bundle_state::executable>(make_native_bundle(
      context, object_access::impl(context)->devices().front(), hardware.adopt_module(program, native)));
  return bundle.ext_oneapi_get_kernel(name);
}

std::size_t cl_memory_bytes(_cl_mem* native, const context& context, std::size_t element_bytes, event& available) {
  device_natives& hardware = first_of(context, "make_buffer");
  return native_memory_bytes(hardware, native, element_bytes, available, "cl_mem",
                             "make it by clCreateBuffer in the one that get_native gives");
}

image_format cl_image_facts(_cl_mem* native, const context& context, int dimensions, std::size_t* extents,
                            event& available, const char* call) {
  device_natives& hardware = first_of(context, call);
  const sinter::native_image image = native ? hardware.image_of(native) : sinter::native_image();
  const auto invalid = [&](const std::string& why) { refuse(errc::invalid, std::string(call) + ": " + why); };
  if (image.dimensions == 0) {
    invalid("the cl_mem is no image of the context; make it by clCreateImage in the one that get_native gives");
  }
  if (image.dimensions != static_cast<unsigned>(dimensions)) {
    invalid("the cl_mem has " + std::to_string(image.dimensions) + " dimensions, the image is to have " +
            std::to_string(dimensions));
  }
  for (int format = 0; format <= static_cast<int>(image_format::b8g8r8a8_unorm); ++format) {
    if (traits_of_format(static_cast<image_format>(format)).word != image.traits.word) continue;
    std::copy(image.extent, image.extent + dimensions, extents);
    available.wait();
    return static_cast<image_format>(format);
  }
  invalid("the format of the cl_mem is none of image_format: these have channels RGBA, or BGRA of CL_UNORM_INT8");
  return {};
}

void copy_cl_memory(buffer_record* record, _cl_mem* native, const context& context) {
  device_natives& hardware = first_of(context, "make_buffer");
  hardware.retain(native_kind::memory, native);
  const std::shared_ptr<_cl_mem> held(
      native, [&hardware](_cl_mem* memory) { hardware.release(native_kind::memory, memory); });
  copy_native_memory(record, hardware, held, context);
}

std::vector<_cl_mem*> cl_native(const buffer_record& record) {
  std::vector<_cl_mem*> result;
  for (const residency::place& each : record.device_memory()) {
    if (each.where->facts().backend != static_cast<std::uint8_t>(backend::opencl)) continue;
    device_natives& hardware = natives_of(*each.where);
    void* const native = hardware.object_of(each.memory, record.bytes());
    hardware.retain(native_kind::memory, native);
    result.push_back(static_cast<_cl_mem*>(native));
  }
  return result;
}

std::vector<_cl_mem*> cl_native_memory(const queue_impl& queue, const buffer_record* record, const char* call) {
  check_backend(queue.get_device().get_backend(), call);
  if (!record || record->bytes() == 0) return {};
  void* const memory = const_cast<void*>(record->address_on(queue.backend(), record->data()));
  return {static_cast<_cl_mem*>(natives_of(queue.backend()).object_of(memory, record->bytes()))};
}

std::vector<_cl_mem*> cl_native_image(const queue_impl& queue, const native_place& place, const buffer_record* record,
                                      const image_layout& layout, int dimensions, bool writes,
                                      shared<counted>& kept) {
  constexpr const char* call = "interop_handle::get_native_mem";
  check_backend(queue.get_device().get_backend(), call);
  if (place.stream || place.graph) {
    refuse(errc::invalid, std::string(call) + ": a native command ends before its work does, so that texels could not "
                                              "come back; use a host task");
  }
  void* const memory = const_cast<void*>(record->address_on(queue.backend(), record->data()));
  auto lent = make_counted<lent_image>(queue, memory, layout, dimensions, writes, std::move(kept));
  auto* const object = static_cast<_cl_mem*>(lent->object);
  kept = lent;
  return {object};
}

}  // namespace sycl::detail

namespace sycl::inline _V1::opencl {

bool has_extension(const platform& object, const std::string& extension) {
  detail::check_backend(object.get_backend(), "has_extension");
  return detail::is_named(extension,
                          detail::natives_of(object.get_devices().front()).extensions(/*of_platform=*/true));
}
bool has_extension(const device& object, const std::string& extension) {
  detail::check_backend(object.get_backend(), "has_extension");
  return detail::is_named(extension, detail::natives_of(object).extensions(/*of_platform=*/false));
}

}  // namespace sycl::opencl
