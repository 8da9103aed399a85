#include "cpu_facts.hpp"

#include <unistd.h>

#include <algorithm>
#include <backends/target_facts.hpp>
#include <base/environment.hpp>
#include <base/processor.hpp>
#include <base/processors.hpp>
#include <cstdio>
#include <images/compile_options.hpp>
#include <images/kernel_name.hpp>

#include <sycl/backend_enum.hpp>

namespace sinter {
namespace {

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

} // namespace

device_facts read_cpu_facts() {
  device_facts facts;
  facts.device_id = processor_signature();
  facts.name = processor_name();
  facts.vendor = processor_vendor();
  facts.driver_version = SINTER_VERSION;
  facts.version = SINTER_VERSION;
  facts.platform_name = "Sinter CPU";
  facts.platform_vendor = "Sinter";
  facts.platform_version = SINTER_VERSION;
  facts.backend = static_cast<std::uint8_t>(sycl::backend::sinter_cpu);
  facts.fixed_targets = abi::flag_of_target(processor_target);
  facts.is_cpu = true;
  facts.compute_units = usable_threads();
  facts.is_divisible = facts.compute_units > 1;
  facts.clock_mhz = clock_mhz();
  facts.global_memory_bytes =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  facts.max_allocation_bytes = facts.global_memory_bytes;
  // Local memory is ordinary memory of the host. The limit is small enough for the second-level cache.
  facts.local_memory_bytes = 256u << 10;
  const long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  facts.cache_bytes = cache > 0 ? static_cast<std::uint64_t>(cache) : 0;
  constexpr const abi::target_row& target = *abi::find_target(processor_target);
  facts.max_work_group_size = target.max_work_group_size;
  facts.sub_group_sizes = sub_group_sizes_of(target);
  facts.sub_group_size = usual_sub_group_size();
  facts.vector_bytes = floats_of_vectors() * sizeof(float);
  // If the processor has no instructions for half, the arithmetic is done in float.
  facts.half_vector_bytes = processor_has_half_arithmetic() ? facts.vector_bytes : facts.vector_bytes / 2;
  facts.aspects = aspects_of(target);
  add_image_aspects(facts.aspects);
  return facts;
}

} // namespace sinter
