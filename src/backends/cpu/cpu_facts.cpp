#include "cpu_facts.hpp"

#include <cpuid.h>
#include <unistd.h>

#include <algorithm>
#include <backends/target_facts.hpp>
#include <base/environment.hpp>
#include <base/processors.hpp>
#include <cstdio>
#include <cstring>
#include <images/compile_options.hpp>
#include <images/kernel_name.hpp>

#include <sycl/backend_enum.hpp>

namespace sinter {
namespace {

std::string brand() {
  char text[49] = {};
  for (unsigned i = 0; i < 3; ++i) {
    unsigned words[4] = {};
    if (!__get_cpuid(0x80000002u + i, &words[0], &words[1], &words[2], &words[3])) return "x86-64 CPU";
    std::memcpy(text + 16 * i, words, 16);
  }
  std::string name = text;
  const std::size_t first = name.find_first_not_of(' ');
  name.erase(0, first == std::string::npos ? name.size() : first);
  while (!name.empty() && name.back() == ' ') name.pop_back();
  return name.empty() ? "x86-64 CPU" : name;
}

std::string vendor() {
  unsigned a = 0, words[3] = {};
  if (!__get_cpuid(0, &a, &words[0], &words[2], &words[1])) return "unknown";
  return std::string(reinterpret_cast<const char*>(words), 12);
}

unsigned usable_threads() {
  if (environment().threads != 0) return environment().threads;
  return static_cast<unsigned>(std::max<std::size_t>(usable_processors().size(), 1));
}

unsigned clock_mhz() {
  unsigned mhz = 0;
  if (std::FILE* file = std::fopen("/proc/cpuinfo", "r")) {
    char line[256];
    double value = 0;
    while (std::fgets(line, sizeof(line), file)) {
      if (std::sscanf(line, "cpu MHz : %lf", &value) == 1) break;
    }
    std::fclose(file);
    mhz = static_cast<unsigned>(value);
  }
  return mhz;
}

bool has_half_arithmetic() {
  constexpr unsigned avx512_fp16 = 1u << 23;
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __builtin_cpu_supports("avx512f") && __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & avx512_fp16) != 0;
}

/// Family, model and stepping.
unsigned cpu_signature() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid(1, &a, &b, &c, &d) != 0 ? a : 0;
}

} // namespace

device_facts read_cpu_facts() {
  device_facts facts;
  facts.device_id = cpu_signature();
  facts.name = brand();
  facts.vendor = vendor();
  facts.driver_version = SINTER_VERSION;
  facts.version = SINTER_VERSION;
  facts.platform_name = "Sinter CPU";
  facts.platform_vendor = "Sinter";
  facts.platform_version = SINTER_VERSION;
  facts.backend = static_cast<std::uint8_t>(sycl::backend::sinter_cpu);
  facts.fixed_targets = abi::flag_of_target("x86_64");
  facts.is_cpu = true;
  facts.compute_units = usable_threads();
  facts.is_divisible = facts.compute_units > 1;
  facts.clock_mhz = clock_mhz();
  facts.global_memory_bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  facts.max_allocation_bytes = facts.global_memory_bytes;
  // Local memory is ordinary memory that should stay in the second-level cache.
  facts.local_memory_bytes = 256u << 10;
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  facts.cache_bytes = cache > 0 ? static_cast<std::uint64_t>(cache) : 0;
  constexpr const abi::target_row& target = *abi::find_target("x86_64");
  facts.max_work_group_size = target.max_work_group_size;
  facts.sub_group_sizes = sub_group_sizes_of(target);
  facts.sub_group_size = usual_sub_group_size();
  facts.vector_bytes = floats_of_vectors() * sizeof(float);
  // Without instructions for half, it is computed as float.
  facts.half_vector_bytes = has_half_arithmetic() ? facts.vector_bytes : facts.vector_bytes / 2;
  facts.aspects = aspects_of(target);
  add_image_aspects(facts.aspects);
  return facts;
}

} // namespace sinter
