#pragma once
/// Counts the calls to the fake driver, and sets its answers.

#include <atomic>
#include <cstdint>
#include <vector>

struct fake_launch {
  unsigned blocks[3], threads[3], shared_bytes;
};

struct fake_driver_counts {
  std::vector<fake_launch> launches;  ///< only one thread may launch at a time
  long launches_together = 0;         ///< number of launches whose blocks wait for each other
  int blocks_together = 2;            ///< number of blocks per multiprocessor that the driver reports for such launches
  std::atomic<long> events{0}, stream_waits{0}, copies{0}, waiting_copies{0}, allocations{0}, modules{0}, assembled{0};
  std::atomic<long> graph_nodes{0}, graph_edges{0}, graph_changes{0}, graph_launches{0};
  std::atomic<long> prefetches{0}, advices{0}, contexts{0}, event_waits{0};
  std::atomic<long> arrays{0}, textures{0}, surfaces{0};  ///< numbers of objects that exist now
  std::atomic<long> imports{0};  ///< number of imported memories and semaphores that exist
  std::vector<long long> semaphore_uses;  ///< values of signals, and negated values of waits, in order
  int dynamic_memory = 0;  ///< the last size that was set for a kernel's shared memory

  int version = 13000, init_result = 0, launch_result = 0, record_result = 0, surface_result = 0, private_bytes = 0;
  /// The backend may ask the driver to limit registers, so that a certain number of blocks fits on a multiprocessor.
  /// `blocks_asked` has this number for each assembled program, and `blocks_loaded` has it for the program loaded last.
  /// 0 means that the backend asked for no limit. Code that is limited for more than `blocks_without_spills` blocks
  /// needs more private memory.
  std::vector<unsigned> blocks_asked;
  unsigned blocks_loaded = 0, blocks_without_spills = ~0u;
  int registers = 16, registers_of_text = 0;  ///< used by all code; by code loaded as PTX (0: `registers`)
  bool loaded_text = false;
  bool prints = false;  ///< modules that are loaded while this is true have kernels that print
  std::atomic<int> query_result{0};
  std::atomic<int> questions_until_ready{3};
};

[[gnu::visibility("default")]] extern fake_driver_counts fake_driver_calls;
/// The parameters with which a texture was created.
struct fake_texture {
  unsigned resource, flags;
  int address_mode, filter, level_filter;
  float most_level;
  int other_modes[2];  ///< addressing modes along y and z
};
[[gnu::visibility("default")]] fake_texture fake_texture_of(std::uint64_t number);
/// The number of times that the calling thread has asked whether work is complete. Threads of the runtime don't count,
/// because they ask at any time.
[[gnu::visibility("default")]] long queries_of_this_thread();
