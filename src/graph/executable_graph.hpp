#pragma once
/// A finalized graph: a list of steps, in an order in which they can run. Each step has a list of the steps for which
/// it waits.
///
/// On a device whose commands are run by threads of the scheduler, such as the CPU, the whole graph is one command: a
/// thread runs its steps one after the other, without a lock, an allocation or a node of the DAG. Several threads run
/// the steps if one thread alone would need clearly longer than the longest chain of dependent steps takes. In this
/// case, each step counts the steps for which it still waits. Devices that work by themselves get the graph in
/// partitions (partitions.hpp).

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <scheduler/submission_queue.hpp>
#include <span>
#include <string>
#include <vector>

#include "fused_steps.hpp"
#include "graph_memory.hpp"
#include "modifiable_graph.hpp"
#include "partitions.hpp"
#include "step_runner.hpp"
#include "temporaries.hpp"

namespace sycl::inline _V1::detail {

class executable_graph : public counted {
public:
  struct options {
    bool updatable = false, profiles = false, fuses = false;
    constant_source constants = nullptr;  ///< gives the arguments that don't change, as constants for the code
  };
  /// Makes an executable graph, and compiles its kernels.
  executable_graph(const modifiable_graph& graph, options its_options);
  ~executable_graph() override;

  /// The queue of the modifiable graph, with its context and device.
  const shared<submission_queue>& home() const noexcept { return m_home; }
  std::span<const graph_step> steps() const noexcept { return m_steps; }
  std::vector<requirement> requirements() const;
  /// The number of bytes that the graph's nodes allocate.
  std::size_t own_memory() const noexcept { return m_memory.bytes(); }

  /// Submits the graph. The graph runs after `before` and after the graph's previous submission. The queue gets the
  /// errors. `simple` says that the queue has no list that collects commands.
  dependency submit(const shared<submission_queue>& queue, std::vector<dependency> before, bool simple);
  void update(std::span<const shared<graph_node>> changed);
  void update_as(const modifiable_graph& as);

private:
  void add_steps(const graph_node& node, std::vector<std::uint32_t>& entries, std::vector<std::uint32_t>& exits);
  void connect(std::uint32_t before, std::uint32_t after);
  void prepare(graph_step& step);
  shared<node_work> placed(shared<node_work> work) const;
  void place_steps();
  void fuse();
  void report() const;
  void collect_requirements();
  dependency submit_whole(const shared<submission_queue>& queue, std::span<const dependency> before, bool simple);
  dependency submit_partitions(const shared<submission_queue>& queue, std::span<const dependency> before);
  void make_programs(graph_partition& part);
  std::unique_ptr<sinter::device_program> make_program(const graph_partition& part, bool apart, std::string& why);
  std::unique_ptr<measured_replay> measures(const graph_partition& part);
  void change_program(std::uint32_t at);
  command_ptr make_command(const graph_partition& part) const;
  bool is_alone(const graph_partition& part, std::uint32_t step, bool apart) const;
  bool change(std::uint32_t at, shared<node_work> work);
  void fuse_again(fusion_group& group);
  std::uint32_t step_to_update(const graph_node& node, const node_work& work) const;

  const shared<end_of_graph> m_end;  // destroyed last
  const std::uint64_t m_graph;
  const shared<submission_queue> m_home;
  std::uint32_t m_replays = 0;  ///< the track of the replays in the timeline; 0: no track
  const options m_options;
  const graph_memory_use m_memory;
  std::vector<graph_step> m_steps;
  std::vector<fusion_group> m_groups;
  std::vector<std::uint32_t> m_dropped;  ///< steps whose results nobody reads
  temporary_memory m_temporaries;
  std::vector<std::uint32_t> m_step_of;  ///< the first step of each node, by the node's index
  // The state of the modifiable graph at finalize:
  std::vector<shared<graph_node>> m_nodes;
  std::vector<std::vector<std::size_t>> m_predecessors;

  mutable std::mutex m_mutex;  // protects what follows; held while the graph is submitted or updated
  dependency m_last;
  std::vector<requirement> m_requirements;
  step_runner m_runner;
  std::vector<graph_partition> m_partitions;  ///< for devices that work by themselves
};

}  // namespace sycl::detail
