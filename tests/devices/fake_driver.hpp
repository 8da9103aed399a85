#pragma once
/// Counts the calls to the fake driver, and sets its answers.

#include <atomic>
#include <cstdint>
#include <vector>

struct fake_launch {
  unsigned blocks[3], threads[3], shared_bytes;
};

struct fake_driver_counts {
  std::vector<fake_launch> launches;  ///< by one thread at a time
  long launches_together = 0;         ///< of these launches, those whose blocks meet
  int blocks_together = 2;            ///< of a multiprocessor, as the driver says
  std::atomic<long> events{0}, stream_waits{0}, copies{0}, waiting_copies{0}, allocations{0}, modules{0}, assembled{0};
  std::atomic<long> graph_nodes{0}, graph_edges{0}, graph_changes{0}, graph_launches{0};
  std::atomic<long> prefetches{0}, advices{0}, contexts{0}, event_waits{0};
  std::atomic<long> arrays{0}, textures{0}, surfaces{0};  ///< that are there
  std::atomic<long> imports{0};  ///< memory and semaphores that were imported and are there
  std::vector<long long> semaphore_uses;  ///< values of signals, negative ones of waits, in their order
  int dynamic_memory = 0;  ///< the latest that a kernel was given

  int version = 13000, init_result = 0, launch_result = 0, record_result = 0, surface_result = 0, private_bytes = 0;
  /// The number of blocks for which code has to leave room on a multiprocessor, for all assembled programs and for the
  /// one loaded last; 0: none was given, and the code takes `registers`. Code for more than `blocks_without_spills`
  /// needs more private memory.
  std::vector<unsigned> blocks_asked;
  unsigned blocks_loaded = 0, blocks_without_spills = ~0u;
  int registers = 16, registers_of_text = 0;  ///< the latter: of PTX that was loaded last; 0: the same
  bool loaded_text = false;
  bool prints = false;  ///< modules loaded now have kernels that print
  std::atomic<int> query_result{0};
  std::atomic<int> questions_until_ready{3};
};

[[gnu::visibility("default")]] extern fake_driver_counts fake_driver_calls;
/// The parameters with which a texture was asked for.
struct fake_texture {
  unsigned resource, flags;
  int address_mode, filter, level_filter;
  float most_level;
  int other_modes[2];  ///< along y and z
};
[[gnu::visibility("default")]] fake_texture fake_texture_of(std::uint64_t number);
/// How often the calling thread has asked whether work is complete; the runtime's own threads are left out, because
/// they ask at any time.
[[gnu::visibility("default")]] long queries_of_this_thread();
