#pragma once
/// Converts the handles of the public headers to the objects behind them, and back.

#include <cstdint>
#include <functional>
#include <scheduler/command.hpp>

#include <sycl/context.hpp>
#include <sycl/device.hpp>
#include <sycl/event.hpp>
#include <sycl/kernel_bundle.hpp>
#include <sycl/queue.hpp>

#include "context_impl.hpp"
#include "device_impl.hpp"
#include "queue_impl.hpp"

namespace sycl::inline _V1::detail {

struct object_access {
  template <class Object>
  static const auto& impl(const Object& object) noexcept {
    return object.m_impl;
  }
  static dependency get_dependency(const event& event) noexcept {
    counted* source = event.m_source.get();
    if (!source || event.m_ticket == 0) return command_ptr(static_cast<command*>(source));
    return {shared<command_stream>(static_cast<command_stream*>(source)), event.m_ticket};
  }
  /// Returns whether the event's command was recorded to a graph.
  static bool is_recorded(const event& event) noexcept {
    const counted* source = event.m_ticket == 0 ? event.m_source.get() : nullptr;
    return source && static_cast<const command*>(source)->recorded;
  }
  /// Returns the queue of the event's command, or null for default events.
  static shared<queue_impl> queue_of(const event& event) noexcept {
    counted* source = event.m_source.get();
    if (event.m_ticket != 0) return shared<queue_impl>(static_cast<queue_impl*>(source));
    if (!source) return nullptr;
    return shared<queue_impl>(static_cast<queue_impl*>(static_cast<command*>(source)->queue.get()));
  }
  /// Returns whether the event is complete. Does not copy the dependency, because counting references costs time.
  static bool is_complete(const event& event) noexcept {
    const counted* source = event.m_source.get();
    if (event.m_ticket != 0) return !source || static_cast<const command_stream*>(source)->is_complete(event.m_ticket);
    return !source || static_cast<const command*>(source)->is_complete();
  }
  static event make_event(dependency completion) noexcept {
    if (!completion.node && !completion.order) return {};
    event result(nullptr);
    if (completion.node) {
      result.m_source = std::move(completion.node);
    } else {
      result.m_source = std::move(completion.order);
      result.m_ticket = completion.ticket;
    }
    return result;
  }
  template <class Object>
  static Object make(shared<counted> impl) {
    return Object(std::move(impl));
  }
  static std::size_t hash(const event& event) noexcept {
    return std::hash<const void*>()(event.m_source.address()) ^ static_cast<std::size_t>(event.m_ticket);
  }
  static platform make_platform(int id) noexcept { return platform(id); }
  static int id(const platform& object) noexcept { return object.m_id; }
  static device make_device(shared<device_impl> impl) noexcept { return device(std::move(impl)); }
  static kernel_id make_kernel_id(const kernel_identity* identity) noexcept { return kernel_id(identity); }
  static const kernel_identity* identity(const kernel_id& id) noexcept { return id.m_identity; }
  static const kernel_id& kernel_id_of(const kernel& object) noexcept { return object.m_id; }
  static kernel make_kernel(const kernel_id& id, const kernel_bundle<bundle_state::executable>& bundle) {
    return kernel(id, bundle);
  }
  static queue make_queue(const context& context, const device& device, const async_handler& handler,
                          const property_list& properties, void* native) {
    return queue(context, device, handler, properties, native);
  }
  static handler make_handler(handler_impl& impl) noexcept { return handler(impl); }
};

inline sinter::device_backend& backend_for(const device& device) { return object_access::impl(device)->backend(); }

}  // namespace sycl::detail
