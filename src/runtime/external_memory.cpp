/// Imports memory and semaphores of graphics interfaces (sycl_ext_oneapi_bindless_images).
#include <backends/device.hpp>
#include <backends/textures.hpp>
#include <base/race_notes.hpp>
#include <map>
#include <memory/usm.hpp>
#include <mutex>
#include <runtime/object_access.hpp>
#include <scheduler/native_work.hpp>
#include <string>

#include <sycl/exception.hpp>
#include <sycl/ext/oneapi/bindless_images_interop.hpp>

#include "handler_impl.hpp"
#include "image_memory.hpp"

namespace sycl::inline _V1::detail {
namespace {

namespace oneapi = ext::oneapi::experimental;

struct external_object {
  sinter::device_textures* units = nullptr;
  std::size_t bytes = 0;
  bool counts = false;
};
using object_table = std::map<std::uint64_t, external_object>;
/// All objects that were imported and not released, and the addresses of mapped memory.
struct external_objects {
  std::mutex mutex;
  object_table memory, semaphores, addresses;
};
external_objects& all() {
  static auto* instance = new (sinter::lasting) external_objects;
  return *instance;
}

external_object found(object_table external_objects::*table, std::uint64_t number, const char* call, bool forget) {
  const std::lock_guard lock(all().mutex);
  const auto place = (all().*table).find(number);
  if (place == (all().*table).end()) {
    throw_error(errc::invalid, std::string(call) + ": nothing was imported by this number (released, or never made?)");
  }
  const external_object result = place->second;
  if (forget) (all().*table).erase(place);
  return result;
}
void keep(object_table external_objects::*table, std::uint64_t number, const external_object& object) {
  const std::lock_guard lock(all().mutex);
  (all().*table)[number] = object;
}

sinter::device_textures& units_of(const device& device, const context& context, const char* call) {
  sinter::device_backend& backend = object_access::impl(object_access::impl(context)->own(device))->backend();
  if (sinter::device_textures* const units = backend.textures()) return *units;
  throw_error(errc::feature_not_supported,
              std::string(call) + ": device '" + backend.facts().name +
                  "' shares no memory and no semaphores with graphics interfaces "
                  "(aspect::ext_oneapi_external_memory_import, ext_oneapi_external_semaphore_import); copy by "
                  "ext_oneapi_copy, through memory of the program");
}

[[noreturn]] void refuse_kind(const char* call, const char* known) {
  throw_error(errc::feature_not_supported,
              std::string(call) + ": it takes a file descriptor of type " + known +
                  "; other types are of other systems");
}

/// A command in which the driver's stream waits for a semaphore or signals it.
struct semaphore_use : native_work {
  semaphore_use(const external_object& its_object, std::uint64_t its_number, std::uint64_t its_value, bool it_waits)
      : object(its_object), number(its_number), value(its_value), waits(it_waits) {}
  void give_to(void* stream, void*) override { object.units->use_semaphore(number, value, waits, stream); }

  const external_object object;
  const std::uint64_t number, value;
  const bool waits;
};

}  // namespace

std::uint64_t import_external(int descriptor, int kind, std::size_t bytes, const device& device,
                              const context& context) {
  constexpr const char* call = "import_external_memory";
  sinter::device_textures& units = units_of(device, context, call);
  if (descriptor < 0 || kind != static_cast<int>(oneapi::external_mem_handle_type::opaque_fd)) {
    refuse_kind(call, "opaque_fd");
  }
  if (bytes == 0) throw_invalid("import_external_memory: the memory has no bytes");
  const std::uint64_t memory = units.import_memory(descriptor, bytes);
  keep(&external_objects::memory, memory, {&units, bytes});
  return memory;
}

image_mem_handle map_external(std::uint64_t memory, const image_descriptor& shape, const device&, const context&) {
  constexpr const char* call = "map_external_image_memory";
  shape.verify();
  const external_object object = found(&external_objects::memory, memory, call, false);
  const image_sizes sizes(shape);
  if (sizes.bytes > object.bytes) {
    throw_error(errc::invalid, std::string(call) + ": the image has " + std::to_string(sizes.bytes) +
                                   " bytes, the memory " + std::to_string(object.bytes));
  }
  void* const texels = object.units->map_texels(memory, texture_shape_of(shape, sizes.layout.traits));
  if (!texels) {
    throw_error(errc::feature_not_supported,
                std::string(call) + ": texture units have no images of three channels; map the memory by "
                                    "map_external_linear_memory");
  }
  return add_image_memory(shape, sizes, object.units, texels);
}

void* map_external(std::uint64_t memory, std::uint64_t offset, std::uint64_t bytes, const device& device,
                   const context& context) {
  constexpr const char* call = "map_external_linear_memory";
  const external_object object = found(&external_objects::memory, memory, call, false);
  if (bytes == 0 || offset > object.bytes || bytes > object.bytes - offset) {
    throw_error(errc::invalid, std::string(call) + ": " + std::to_string(bytes) + " bytes at " +
                                   std::to_string(offset) + " do not lie inside the memory of " +
                                   std::to_string(object.bytes));
  }
  void* const address = object.units->map(memory, offset, bytes);
  keep(&external_objects::addresses, reinterpret_cast<std::uint64_t>(address), {object.units, bytes});
  note_usm_allocation(address, {bytes, usm::alloc::device, device, context});
  return address;
}

void unmap_external(void* memory) {
  const external_object object = found(&external_objects::addresses, reinterpret_cast<std::uint64_t>(memory),
                                       "unmap_external_linear_memory", true);
  static_cast<void>(forget_usm_allocation(memory));
  object.units->unmap(memory);
}

void release_external(std::uint64_t memory) {
  found(&external_objects::memory, memory, "release_external_memory", true).units->release_memory(memory);
}

std::uint64_t import_semaphore(int descriptor, int kind, const device& device, const context& context) {
  constexpr const char* call = "import_external_semaphore";
  sinter::device_textures& units = units_of(device, context, call);
  const bool counts = kind == static_cast<int>(oneapi::external_semaphore_handle_type::timeline_fd);
  if (descriptor < 0 || (!counts && kind != static_cast<int>(oneapi::external_semaphore_handle_type::opaque_fd))) {
    refuse_kind(call, "opaque_fd or timeline_fd");
  }
  const std::uint64_t semaphore = units.import_semaphore(descriptor, counts);
  keep(&external_objects::semaphores, semaphore, {&units, 0, counts});
  return semaphore;
}

void release_semaphore(std::uint64_t semaphore) {
  found(&external_objects::semaphores, semaphore, "release_external_semaphore", true)
      .units->release_semaphore(semaphore);
}

void use_semaphore(handler_impl& command, const external_semaphore& semaphore, const std::uint64_t* value,
                   bool waits) {
  const char* const call = waits ? "ext_oneapi_wait_external_semaphore" : "ext_oneapi_signal_external_semaphore";
  sinter::device_backend& backend = command.queue().backend();
  if (!backend.textures() || command.is_recorded()) {
    throw_error(errc::feature_not_supported,
                std::string(call) + (command.is_recorded()
                                         ? ": graphs have no nodes for semaphores; use the semaphore beside the graph"
                                         : ": device '" + backend.facts().name +
                                               "' shares no semaphores with graphics interfaces "
                                               "(aspect::ext_oneapi_external_semaphore_import)"));
  }
  const external_object object = found(&external_objects::semaphores, semaphore.raw_handle, call, false);
  if (object.units != backend.textures()) {
    throw_error(errc::invalid, std::string(call) + ": the semaphore was imported for another device");
  }
  if (object.counts != (value != nullptr)) {
    throw_error(errc::invalid,
                std::string(call) + (object.counts ? ": a semaphore of type timeline_fd needs a value"
                                                   : ": only semaphores of type timeline_fd have values"));
  }
  command.set_native(make_counted<semaphore_use>(object, semaphore.raw_handle, value ? *value : 0, waits));
}

}  // namespace sycl::detail
