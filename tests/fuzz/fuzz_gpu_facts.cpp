/// Tests the reader of facts about a driver's binary in the cache. The reader must return for any text. Facts that it
/// accepts must describe a valid grid, and must not change if they are written and read again.

#include <cstdint>
#include <cstdlib>
#include <images/gpu_facts.hpp>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(bytes), size);
  for (const bool has_groups : {false, true}) {
    sinter::gpu_program program, again;
    if (!sinter::read_gpu_facts(text, has_groups, program)) continue;
    if (!sinter::read_gpu_facts(sinter::gpu_facts(program), has_groups, again)) std::abort();
    std::uint64_t items = 1;
    for (const auto each : program.block) items *= each;
    if (items == 0 && !has_groups) std::abort();
    if (program.entry.empty() || again.entry != program.entry || again.block != program.block ||
        again.scratch_bytes_per_item != program.scratch_bytes_per_item ||
        again.variable_bytes != program.variable_bytes || again.pointers != program.pointers ||
        again.globals != program.globals || again.can_fail != program.can_fail) {
      std::abort();
    }
  }
  return 0;
}
