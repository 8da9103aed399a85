#include "compile_options.hpp"

#include <abi/chosen_cpu.hpp>
#include <base/environment.hpp>

namespace sinter {

abi::compile_options compile_options_for(abi::id_width ids) {
  const environment_values& values = environment();
  return {ids,          values.check_barriers ? 1u : 0u, values.checks_accesses() ? 1u : 0u,
          values.lanes, usual_sub_group_size(),          values.block};
}

abi::compile_options gpu_options_for(abi::id_width ids, std::uint32_t sub_group_size) {
  return {ids, 0, 0, 0, sub_group_size, 0};
}

std::uint32_t usual_sub_group_size() noexcept {
  if (const char* chosen = abi::chosen_cpu()) return chosen[8] == '4' ? 16 : chosen[8] == '3' ? 8 : 4;
  if (__builtin_cpu_supports("avx512f")) return 16;
  return __builtin_cpu_supports("avx2") ? 8 : 4;
}

}  // namespace sinter
