#pragma once
/// What queues and handlers know of sycl_ext_oneapi_graph (graph.hpp has the rest).

#include <cstddef>

#include "compiled_core.hpp"

namespace sycl::ext::oneapi::experimental {

enum class graph_state { modifiable, executable };
enum class queue_state { executing, recording };

template <graph_state State = graph_state::modifiable>
class command_graph;
template <class Value>
class dynamic_parameter;
template <class Value, int Dimensions = 1>
class dynamic_local_accessor;

}  // namespace sycl::ext::oneapi::experimental

namespace sycl::detail {

/// The memory of an accessor, and how a kernel uses it.
struct buffer_use {
  buffer_record* record;
  access_mode mode;
  bool no_init;
  access_region part;
};

/// A value that kernels of graphs take, by set_dynamic_argument; `use` is null unless it is an accessor.
SINTER_EXPORT shared<counted> make_dynamic_value(const void* value, std::size_t bytes);
SINTER_EXPORT void change_dynamic_value(const shared<counted>& value, const void* to, const buffer_use* use);
/// Of local accessors the extents.
SINTER_EXPORT shared<counted> make_dynamic_local(int dimensions, const std::size_t* extents, std::size_t element_bytes,
                                                 std::size_t alignment);
SINTER_EXPORT void change_dynamic_local(const shared<counted>& value, const std::size_t* extents);
/// errc::invalid unless the command group becomes a node by command_graph::add.
SINTER_EXPORT void set_dynamic_argument(handler_impl& handler, int index, const shared<counted>& value);
SINTER_EXPORT void require_dynamic(handler_impl& handler, const shared<counted>& value);
/// The command runs an executable graph. errc::invalid when its device or context is not the queue's.
SINTER_EXPORT void set_graph(handler_impl& handler, const shared<counted>& graph);

}  // namespace sycl::detail
