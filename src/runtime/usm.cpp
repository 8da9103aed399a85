#include <algorithm>
#include <cstdint>
#include <memory/usm.hpp>
#include <optional>
#include <runtime/object_access.hpp>
#include <runtime/queue_registry.hpp>
#include <scheduler/device_memory.hpp>
#include <scheduler/scheduler.hpp>
#include <utility>

#include <sycl/usm.hpp>

namespace sycl::inline _V1 {
namespace {

/// USM memory that the program has freed while commands might still use it.
struct freed_memory : detail::counted {
  freed_memory(device its_owner, void* its_data) : owner(std::move(its_owner)), data(its_data) {}
  ~freed_memory() override { detail::give_back(detail::object_access::impl(owner)->backend(), data); }

  const device owner;
  void* const data;
};

} // namespace

namespace detail {
namespace {

sinter::memory_kind memory_kind_of(usm::alloc kind) noexcept {
  if (kind == usm::alloc::device) return sinter::memory_kind::device;
  return kind == usm::alloc::host ? sinter::memory_kind::host : sinter::memory_kind::shared;
}

/// Throws if the device lacks this kind of USM (SYCL 2020 4.8.3).
void require_usm(const device& home, usm::alloc kind) {
  const auto [needed, name] = kind == usm::alloc::device ? std::pair(aspect::usm_device_allocations, "device")
                              : kind == usm::alloc::host ? std::pair(aspect::usm_host_allocations, "host")
                                                         : std::pair(aspect::usm_shared_allocations, "shared");
  if (home.has(needed)) return;
  detail::throw_error(errc::feature_not_supported,
                  "USM allocation: device '" + home.get_info<info::device::name>() + "' has no memory of kind " + name +
                      " (aspect::usm_" + name + "_allocations); use buffers there, or another device");
}

}  // namespace

void* allocate_usm(std::size_t bytes, std::size_t alignment, usm::alloc kind, const context& context,
                   const device* device) {
  if (device && !object_access::impl(context)->contains(*device)) {
    detail::throw_error(errc::invalid, "USM allocation: the device is not in the context");
  }
  if (kind == usm::alloc::unknown) {
    detail::throw_error(errc::invalid, "USM allocation: usm::alloc::unknown is no kind of memory");
  }
  const sycl::device home = device ? object_access::impl(context)->own(*device) : context.get_devices().front();
  require_usm(home, kind);
  if (bytes == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
  sinter::device_backend& backend = object_access::impl(home)->backend();
  // Programs rely on an alignment of 256 bytes, because drivers of GPUs give this alignment in other implementations.
  constexpr std::size_t least = 256;
  void* const pointer = allocate_memory(backend, memory_kind_of(kind), bytes, std::max(alignment, least));
  if (!pointer) return nullptr;
  if (reinterpret_cast<std::uintptr_t>(pointer) % std::max<std::size_t>(alignment, 1) != 0) {
    // Drivers need not support large alignments: OpenCL only requires 128 bytes.
    give_back(backend, pointer);
    return nullptr;
  }
  note_usm_allocation(pointer, {bytes, kind, home, context});
  return pointer;
}

context context_of(const queue& queue) { return queue.get_context(); }
device device_of(const queue& queue) { return queue.get_device(); }

} // namespace detail

void free(void* pointer, const context&) {
  if (!pointer) return;
  const std::optional<detail::usm_allocation> freed = detail::forget_usm_allocation(pointer);
  if (!freed) {
    detail::throw_error(errc::invalid,
                        "sycl::free: the pointer is not the start of a USM allocation (freed twice, or from malloc?)");
  }
  // The specification forbids freeing memory that commands use, but many programs do it. So the memory is freed later.
  // A wait for the commands could last for ever here: the caller may be one of these commands, or one of them may need
  // an action of this thread.
  const auto users = detail::queue_registry::instance().commands_of(freed->home);
  const auto memory = detail::make_counted<freed_memory>(*freed->owner, pointer);
  if (!users.empty()) detail::keep_until_complete(memory, users);
}

void free(void* pointer, const queue& queue) { free(pointer, queue.get_context()); }

usm::alloc get_pointer_type(const void* pointer, const context& context) {
  const std::optional<detail::usm_allocation> found = detail::usm_allocation_of(pointer);
  return found && found->home == context ? found->kind : usm::alloc::unknown;
}

device get_pointer_device(const void* pointer, const context& context) {
  const std::optional<detail::usm_allocation> found = detail::usm_allocation_of(pointer);
  if (!found || found->home != context) {
    detail::throw_error(errc::invalid, "get_pointer_device: no USM allocation of this context");
  }
  return *found->owner;
}

} // namespace sycl
