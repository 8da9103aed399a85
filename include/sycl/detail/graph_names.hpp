#pragma once
/// The part of sycl_ext_oneapi_graph that queues and handlers need; the rest is in graph.hpp.

#include <sinter/abi/device_abi.hpp>

#include <cstddef>

#include "compiled_core.hpp"

namespace sycl::inline _V1::ext::oneapi::experimental {

enum class graph_state { modifiable, executable };
enum class queue_state { executing, recording };

template <graph_state State = graph_state::modifiable>
class command_graph;
template <class Value>
class dynamic_parameter;
template <class Value, int Dimensions = 1>
class dynamic_local_accessor;

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::inline _V1::detail {

/// The memory of an accessor, and how a kernel uses it.
struct buffer_use {
  buffer_record* record;
  access_mode mode;
  bool no_init;
  access_region part;
};

struct argument_value;
/// Makes a value that set_dynamic_argument can pass to kernels of graphs. If the value is an accessor, the value's
/// `use` describes the accessor's memory; otherwise `use` is null.
SINTER_EXPORT shared<counted> make_dynamic_value(const argument_value& value);
SINTER_EXPORT void change_dynamic_value(const shared<counted>& value, const argument_value& to, const buffer_use* use);
/// Makes a dynamic local accessor, whose extents can change later.
SINTER_EXPORT shared<counted> make_dynamic_local(int dimensions, const std::size_t* extents, std::size_t element_bytes,
                                                 std::size_t alignment);
SINTER_EXPORT void change_dynamic_local(const shared<counted>& value, const std::size_t* extents);
/// If the memory of a local_accessor is a dynamic argument, the local_accessor stores an address in which this bit is
/// set, instead of an offset. In ordinary addresses, this bit is never set.
inline constexpr std::size_t dynamic_memory_mark = std::size_t{1} << 63;

/// Owns an object jointly, like `shared`. Kernels may capture it, because devices only copy its bytes.
class captured_owner {
public:
  explicit captured_owner(const shared<counted>& object) noexcept : m_object{retain(object.get())} {}
  captured_owner(const captured_owner& other) noexcept : m_object(other.m_object) {
    if (!__sinter_on_device()) retain(m_object.address);
  }
  captured_owner& operator=(const captured_owner& other) noexcept {
    counted* const mine = m_object.address;
    if (!__sinter_on_device()) retain(other.m_object.address);
    m_object = other.m_object;
    if (!__sinter_on_device()) release(mine);
    return *this;
  }
  ~captured_owner() {
    if (!__sinter_on_device()) release(m_object.address);
  }
  operator shared<counted>() const noexcept { return shared<counted>(m_object.address); }
  const void* address() const noexcept { return m_object.address; }
  friend bool operator==(const captured_owner& a, const captured_owner& b) noexcept {
    return a.address() == b.address();
  }

private:
  /// This member is part of a kernel's argument block. Because of the union, the runtime sees only an array of bytes.
  /// If the member were a pointer, the runtime would treat it as a memory argument of the kernel.
  union owned {
    counted* address;
    unsigned char bytes[sizeof(counted*)];
  } m_object;
};

/// Throws errc::invalid if the command group is submitted to a queue. Only command_graph::add may take such a command
/// group.
SINTER_EXPORT void set_dynamic_argument(handler_impl& handler, int index, const shared<counted>& value);
SINTER_EXPORT void require_dynamic(handler_impl& handler, const shared<counted>& value);
/// Makes the command run an executable graph. Throws errc::invalid if the graph's device or context is not the queue's.
SINTER_EXPORT void set_graph(handler_impl& handler, const shared<counted>& graph);

}  // namespace sycl::detail
