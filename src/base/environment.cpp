#include "environment.hpp"

#include <sys/auxv.h>
#include <unistd.h>

#include <abi/chosen_cpu.hpp>
#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdio>
#include <string_view>
#include <vector>

namespace sinter {
namespace {

constexpr environment_variable table[] = {
    {"SINTER_DEVICE", "cpu, gpu, accelerator, an index, a part of a name; also as backend:device", "all devices",
     "Only devices that match are offered to programs. Backends: sinter, cuda, hip, level_zero, opencl; several are "
     "divided by ;, and ! in front leaves out. cpu alone is Sinter's own."},
    {"ONEAPI_DEVICE_SELECTOR", "the same: backend:devices;backend:devices", "all devices",
     "As other implementations read it; SINTER_DEVICE has precedence."},
    {"SINTER_CACHE", "1, on, 0, off", "1", "Keep compiled kernels on disk between runs."},
    {"SINTER_CACHE_DIR", "a directory, from / on", "$XDG_CACHE_HOME/sinter or ~/.cache/sinter",
     "Where compiled kernels are kept, an absolute path; must belong to the user and, with the folders above it, be "
     "writable by nobody else."},
    {"SINTER_CACHE_SIZE", "MiB, 1 to 1048576", "1024",
     "How large the directory may grow; the least recently used kernels are removed first."},
    {"SINTER_CACHE_WAIT", "seconds, 0 to 3600", "30",
     "How long to wait, at most, for another process that compiles the same kernel into the same directory."},
    {"SINTER_REPORT", "summary, launches, transfers, fusion, fused-code, graph, vectorize, json (comma-separated)",
     "nothing", "What to say on stderr about kernels and commands; json: one JSON object a line (docs/reports.md)."},
    {"SINTER_STRICT", "1, on, 0, off", "0",
     "A kernel that can't be compiled is an error instead of running through its host entry."},
    {"SINTER_TIERED", "1, on, 0, off", "0",
     "Kernels that are not cached start as the compiler's host code, where results are the same, until the JIT's "
     "code is there; what runs for less than a millisecond is never compiled."},
    {"SINTER_CHECK", "barriers, memory, races, addresses (comma-separated)", "nothing",
     "End the program at the first skipped barrier, access outside or race within a group; slow. addresses: the "
     "program's address sanitizer looks at kernels as they run."},
    {"SINTER_HOST_ENTRY", "1, on, 0, off", "0", "Run all kernels through their host entries, without compiling."},
    {"SINTER_THREADS", "a positive number", "all hardware threads",
     "Threads the CPU device uses, its compute units, and kernels that run at a time; more than the hardware has take "
     "turns."},
    {"SINTER_AFFINITY", "1, on, 0, off", "0",
     "Keep each worker thread of the CPU device on one processor of those the process may use."},
    {"SINTER_SUB_GROUP_SIZE", "4, 8, 16, 32", "as many 4-byte values as a vector holds",
     "Work-items of sub-groups on the CPU, in kernels that don't say so themselves: 32 for programs that were written "
     "for warps."},
    {"SINTER_CPU", abi::cpu_level_names, "all that the machine has",
     "For tests: level of the architecture that kernels are compiled for, to see what they do on older machines."},
    {"SINTER_PASSES", "-name,-name, or -all", "nothing left out",
     "Leave out steps of compiling that kernels can do without; nothing is cached on disk then "
     "(docs/vectorizer.md)."},
    {"SINTER_BISECT", "a number, or number:part of a kernel's name", "all of them",
     "Only so many of these steps in each kernel, and say which; nothing is cached on disk then."},
    {"SINTER_VERIFY", "1, on, 0, off", "0",
     "For tests: check behind each step of compiling that the code is valid for LLVM."},
    {"SINTER_FUSION", "measure, estimate, again", "measure",
     "Where it is not clear whether one kernel is faster than several: measure both and keep the result in the cache, "
     "rely on the estimate, or measure again (docs/fusion.md)."},
    {"SINTER_TEST",
     "lanes=N (1, 2, 4, 8 or 16), block=N (1, 2, 4 or 8), fuse-small, joined-wins, apart-wins (comma-separated)",
     "as it is fastest",
     "For tests: work-items per vector in CPU code; vectors or rows of work-items at a time; automatic fusion of "
     "kernels too small to gain; the form that wins when fusion is measured."},
    {"SINTER_TEXTURES", "1, on, 0, off", "1",
     "Use texture units of NVIDIA GPUs for bindless images; without them, filters are as exact as on other devices."},
    {"SINTER_LIBDEVICE", "a file, or nothing for libclc", "that of a CUDA toolkit, else libclc",
     "Mathematics of code for NVIDIA GPUs (libdevice.10.bc)."},
    {"SINTER_OCML", "a file, or nothing for libclc", "that of ROCm's device libraries, else libclc",
     "Mathematics of code for AMD's GPUs (ocml.bc)."},
    {"SINTER_FLOAT_ATOMICS", "any, device", "any",
     "device: a promise that kernels add floats atomically to memory of buffers and malloc_device alone. AMD's GPUs "
     "have instructions for that, which may do nothing on other memory."},
    {"SINTER_TRACE", "a file; %p in it is the number of the process", "no trace",
     "Write what ran when to the file at exit, to be opened in Perfetto's UI (docs/profiling.md)."},
    {"SINTER_PERF", "1, on, 0, off", "0", "Write /tmp/perf-PID.map, so that perf can name compiled kernels."},
    {"SYCL_RT_WARNING_LEVEL", "0, 1, 2", "1", "How much to warn about: 0 nothing, 1 what costs speed or portability."},
};

bool is_on(std::string_view value) { return value == "1" || value == "on" || value == "true" || value == "yes"; }
bool is_off(std::string_view value) { return value == "0" || value == "off" || value == "false" || value == "no"; }

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

class parser {
public:
  explicit parser(std::string& complaints) : m_complaints(complaints) {}

  void read(std::string_view name, std::string_view value) {
    m_name = name;
    m_value = value;
    if (name == "SINTER_DEVICE") {
      m_result.device = value;
    } else if (name == "ONEAPI_DEVICE_SELECTOR") {
      m_result.device_selector = value;
    } else if (name == "SINTER_CACHE") {
      read_switch(m_result.cache);
    } else if (name == "SINTER_CACHE_DIR") {
      // A relative path would give each working directory a cache of its own, and nobody would ever clear these caches.
      if (value.empty() || value.starts_with('/')) {
        m_cache_directory = value;
      } else {
        complain_value();
      }
    } else if (name == "SINTER_CACHE_SIZE") {
      read_number(m_result.cache_mebibytes, 1, 1u << 20);
    } else if (name == "SINTER_CACHE_WAIT") {
      read_number(m_result.cache_wait_seconds, 0, 3600);
    } else if (name == "XDG_CACHE_HOME") {
      // By the XDG specification, relative paths are ignored.
      if (value.starts_with('/')) m_xdg = value;
    } else if (name == "HOME") {
      if (value.starts_with('/')) m_home = value;
    } else if (name == "SINTER_REPORT") {
      read_list({{"summary", &m_result.report_summary},
                 {"launches", &m_result.report_launches},
                 {"transfers", &m_result.report_transfers},
                 {"fusion", &m_result.report_fusion},
                 {"fused-code", &m_result.report_fused_code},
                 {"graph", &m_result.report_graph},
                 {"vectorize", &m_result.report_vectorize},
                 {"json", &m_result.report_json}});
      m_result.report_fusion |= m_result.report_fused_code;
    } else if (name == "SINTER_STRICT") {
      read_switch(m_result.strict);
    } else if (name == "SINTER_TIERED") {
      read_switch(m_result.tiered);
    } else if (name == "SINTER_TEXTURES") {
      read_switch(m_result.textures);
    } else if (name == "SINTER_CHECK") {
      read_list({{"barriers", &m_result.check_barriers},
                 {"memory", &m_result.check_memory},
                 {"races", &m_result.check_races},
                 {"addresses", &m_result.check_addresses}});
    } else if (name == "SINTER_HOST_ENTRY") {
      read_switch(m_result.force_host_entry);
    } else if (name == "SINTER_THREADS") {
      read_number(m_result.threads, 1, 4096);
    } else if (name == "SINTER_AFFINITY") {
      read_switch(m_result.affinity);
    } else if (name == "SINTER_SUB_GROUP_SIZE") {
      read_power_of_two(m_result.sub_group_size, 4, 32);
    } else if (name == "SINTER_CPU") {
      // abi::chosen_level() reads the variable, also in libsinter-jit.
      if (!abi::find_level(std::string(value).c_str())) complain_value();
    } else if (name == "SINTER_PASSES" || name == "SINTER_BISECT") {
      // libsinter-jit reads these variables.
      m_steps_left_out |= !value.empty();
    } else if (name == "SINTER_VERIFY") {
      bool ignored;  // libsinter-jit reads the variable
      read_switch(ignored);
    } else if (name == "SINTER_FUSION") {
      m_result.measure_fusion = value != "estimate";
      m_result.measure_again = value == "again";
      if (!value.empty() && value != "measure" && value != "estimate" && value != "again") complain_value();
    } else if (name == "SINTER_TEST") {
      read_test_settings();
    } else if (name == "SINTER_LIBDEVICE" || name == "SINTER_OCML") {
      // libsinter-jit reads the variable.
    } else if (name == "SINTER_FLOAT_ATOMICS") {
      // abi::float_atomics_stay_on_device() reads the variable, also in libsinter-jit.
      if (value != "any" && value != "device") complain_value();
    } else if (name == "SINTER_TRACE") {
      m_result.trace = value;
    } else if (name == "SINTER_PERF") {
      bool ignored;  // libsinter-jit reads the variable
      read_switch(ignored);
    } else if (name == "SYCL_RT_WARNING_LEVEL") {
      read_number(m_result.warning_level, 0, 2);
    } else if (name.starts_with("SINTER_")) {
      complain_unknown();
    }
  }

  environment_values finish() {
    if (m_steps_left_out) m_result.cache = false;
    if (!m_cache_directory.empty()) {
      m_result.cache_directory = m_cache_directory;
    } else if (!m_xdg.empty()) {
      m_result.cache_directory = m_xdg + "/sinter";
    } else if (!m_home.empty()) {
      m_result.cache_directory = m_home + "/.cache/sinter";
    }
    return std::move(m_result);
  }

private:
  struct list_entry {
    std::string_view word;
    bool* target;
  };

  void complain(const std::string& text) { m_complaints += "sinter: " + text + "\n"; }

  void complain_value() {
    for (const environment_variable& known : table) {
      if (known.name == m_name) {
        complain(std::string(m_name) + "='" + std::string(m_value) +
                 "' is not (all) understood; it can be: " + known.values);
      }
    }
  }

  void complain_unknown() {
    const environment_variable* nearest = &table[0];
    for (const environment_variable& known : table) {
      if (edit_distance(m_name, known.name) < edit_distance(m_name, nearest->name)) nearest = &known;
    }
    complain("there is no variable " + std::string(m_name) + "; did you mean " + nearest->name +
             "? (sinter-info --environment lists all)");
  }

  void read_switch(bool& target) {
    // An empty value counts as not set.
    if (m_value.empty()) return;
    if (is_on(m_value)) {
      target = true;
    } else if (is_off(m_value)) {
      target = false;
    } else {
      complain_value();
    }
  }

  void read_number(unsigned& target, unsigned low, unsigned high) {
    unsigned value = 0;
    auto [end, error] = std::from_chars(m_value.data(), m_value.data() + m_value.size(), value);
    if (error != std::errc() || end != m_value.data() + m_value.size() || value < low || value > high) {
      return complain_value();
    }
    target = value;
  }

  void read_power_of_two(unsigned& target, unsigned low, unsigned high) {
    unsigned value = target;
    read_number(value, low, high);
    if ((value & (value - 1)) == 0) {
      target = value;
    } else {
      complain_value();
    }
  }

  /// Calls `read` with each word between commas. `read` returns whether it knows the word.
  template <class Read>
  void read_words(const Read& read) {
    std::string_view rest = m_value;
    bool all_known = true;
    while (!rest.empty()) {
      const std::size_t comma = rest.find(',');
      const std::string_view word = rest.substr(0, comma);
      rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
      if (!word.empty()) all_known &= read(word);
    }
    if (!all_known) complain_value();
  }

  void read_list(std::initializer_list<list_entry> entries) {
    read_words([&](std::string_view word) {
      bool known = false;
      for (const list_entry& entry : entries) {
        if (entry.word == word) known = *entry.target = true;
      }
      return known;
    });
  }

  void read_test_settings() {
    read_words([&](std::string_view word) {
      if (word == "fuse-small") return m_result.fuse_small = true;
      if (word == "joined-wins") return m_result.joined_wins = true;
      if (word == "apart-wins") return m_result.apart_wins = true;
      return (word.starts_with("lanes=") && is_power_of_two(word.substr(6), m_result.lanes, 16)) ||
             (word.starts_with("block=") && is_power_of_two(word.substr(6), m_result.block, 8));
    });
  }

  /// If the text is a power of two up to `high`, writes this number to `target`. Otherwise returns false.
  static bool is_power_of_two(std::string_view text, unsigned& target, unsigned high) {
    unsigned value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::has_single_bit(value) || value > high) {
      return false;
    }
    target = value;
    return true;
  }

  std::string& m_complaints;
  environment_values m_result;
  std::string_view m_name, m_value;
  std::string m_cache_directory, m_xdg, m_home;
  bool m_steps_left_out = false;  ///< some passes are left out, so the cache must not be used
};

} // namespace

std::span<const environment_variable> environment_table() noexcept { return table; }

environment_values parse_environment(char** variables, std::string& complaints) {
  parser reader(complaints);
  for (char** variable = variables; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    const std::size_t equals = text.find('=');
    if (equals != std::string_view::npos) reader.read(text.substr(0, equals), text.substr(equals + 1));
  }
  return reader.finish();
}

constinit std::atomic<const environment_values*> read_environment{nullptr};

const environment_values& environment_of_process() {
  static const auto* values = [] {
    std::string complaints;
    // A program with more rights than its user ignores the user's variables.
    char* nothing[] = {nullptr};
    char** variables = getauxval(AT_SECURE) != 0 ? nothing : environ;
    auto* result = new environment_values(parse_environment(variables, complaints));
    std::fputs(complaints.c_str(), stderr);
    read_environment.store(result, std::memory_order_release);
    return result;
  }();
  return *values;
}

} // namespace sinter
