#pragma once
/// All environment variables that Sinter reads: one table, read once.

#include <atomic>
#include <span>
#include <string>

namespace sinter {

struct environment_variable {
  const char* name;
  const char* values;   ///< the values that the variable may have, as text for people
  const char* standard; ///< the value if the variable is not set
  const char* meaning;
};

/// The table, in the order in which sinter-info prints it.
std::span<const environment_variable> environment_table() noexcept;

struct environment_values {
  std::string device;           ///< SINTER_DEVICE
  std::string device_selector;  ///< ONEAPI_DEVICE_SELECTOR
  bool cache = true;            ///< SINTER_CACHE
  std::string cache_directory;  ///< SINTER_CACHE_DIR, else XDG; empty when neither is known
  unsigned cache_mebibytes = 1024;  ///< SINTER_CACHE_SIZE
  unsigned cache_wait_seconds = 30;  ///< SINTER_CACHE_WAIT
  bool report_summary = false;  ///< SINTER_REPORT contains summary
  bool report_launches = false; ///< SINTER_REPORT contains launches
  bool report_transfers = false;  ///< SINTER_REPORT contains transfers
  bool report_fusion = false;   ///< SINTER_REPORT contains fusion
  bool report_fused_code = false;  ///< SINTER_REPORT contains fused-code; this sets report_fusion, too
  bool report_graph = false;    ///< SINTER_REPORT contains graph
  bool report_vectorize = false;///< SINTER_REPORT contains vectorize
  bool report_json = false;     ///< SINTER_REPORT contains json: reports are in a format for programs
  bool strict = false;          ///< SINTER_STRICT
  bool tiered = false;          ///< SINTER_TIERED
  bool fuse_small = false;      ///< SINTER_TEST contains fuse-small
  bool joined_wins = false;     ///< SINTER_TEST contains joined-wins
  bool apart_wins = false;      ///< SINTER_TEST contains apart-wins
  bool measure_fusion = true;   ///< false: SINTER_FUSION=estimate
  bool measure_again = false;   ///< SINTER_FUSION=again
  bool check_barriers = false;  ///< SINTER_CHECK=barriers
  bool check_memory = false;    ///< SINTER_CHECK=memory
  bool check_races = false;     ///< SINTER_CHECK=races
  bool check_addresses = false; ///< SINTER_CHECK=addresses
  /// Whether kernels report each access of memory.
  bool checks_accesses() const noexcept { return check_memory || check_races; }
  bool force_host_entry = false;///< SINTER_HOST_ENTRY
  unsigned threads = 0;         ///< SINTER_THREADS; 0: all
  bool affinity = false;        ///< SINTER_AFFINITY
  bool textures = true;         ///< SINTER_TEXTURES
  unsigned lanes = 0;           ///< SINTER_TEST=lanes=; 0: as many as fit
  unsigned sub_group_size = 0;  ///< SINTER_SUB_GROUP_SIZE; 0: the length of vectors
  unsigned block = 0;           ///< SINTER_TEST=block=; 0: the cost model decides
  std::string trace;            ///< SINTER_TRACE; empty: none
  unsigned warning_level = 1;   ///< SYCL_RT_WARNING_LEVEL
};

/// The values of this process; null until the first query.
extern constinit std::atomic<const environment_values*> read_environment;
const environment_values& environment_of_process();
/// The values of this process. The first call prints complaints about unknown SINTER_* names and unusable values to
/// stderr.
inline const environment_values& environment() {
  const environment_values* known = read_environment.load(std::memory_order_acquire);
  return known ? *known : environment_of_process();
}

/// Parses one list of "NAME=value" strings; complaints are appended to `complaints`, one line each.
environment_values parse_environment(char** variables, std::string& complaints);

} // namespace sinter
