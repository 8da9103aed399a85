#pragma once
/// Graphs. The nodes of a graph run in any order that the edges allow.

#include <backends/hip/hip_abi.hpp>

#include <functional>
#include <memory>
#include <vector>

#include "modules.hpp"
#include "streams.hpp"

namespace judge {

struct graph_node {
  std::function<bool()> work;
  std::vector<use> uses;
  const void* module = nullptr;
  std::vector<std::size_t> before;
};
struct graph;
struct executable;

graph_node node_of(bound_launch bound);
graph_node node_of(graph& child);

graph* make_graph();
graph& graph_of(sinter::hip::hipGraph_t handle);
void destroy(graph& gone);
sinter::hip::hipError_t add_node(sinter::hip::hipGraph_t handle, const sinter::hip::hipGraphNode_t* before,
                                 std::size_t count, graph_node added, sinter::hip::hipGraphNode_t* made);
executable* make_executable(graph& from);
executable& executable_of(sinter::hip::hipGraphExec_t handle);
void destroy(executable& gone);
sinter::hip::hipError_t change(executable& its, sinter::hip::hipGraphNode_t node, bound_launch bound);
void launch(executable& its, stream& to);

}  // namespace judge
