#include "compile_options.hpp"

#include <dlfcn.h>

#include <abi/chosen_cpu.hpp>
#include <base/environment.hpp>
#include <base/processor.hpp>
#include <cstdio>

namespace sinter {

namespace {

bool has_address_sanitizer() {
  static const bool found = [] {
    if (dlsym(RTLD_DEFAULT, "__asan_init")) return true;
    std::fputs("sinter: SINTER_CHECK=addresses is for programs linked with -fsanitize=address; here it does nothing\n",
               stderr);
    return false;
  }();
  return found;
}

abi::access_check access_check_wanted(const environment_values& values) {
  if (values.checks_accesses()) return abi::access_check::reported;
  const bool sanitized = values.check_addresses && has_address_sanitizer();
  return sanitized ? abi::access_check::sanitized : abi::access_check::none;
}

}  // namespace

abi::compile_options compile_options_for(abi::id_width ids) {
  const environment_values& values = environment();
  return {ids,          values.check_barriers ? 1u : 0u, access_check_wanted(values),
          values.lanes, usual_sub_group_size(),          values.block};
}

abi::compile_options gpu_options_for(abi::id_width ids, std::uint32_t sub_group_size) {
  return {ids, 0, abi::access_check::none, 0, sub_group_size, 0};
}

std::uint32_t floats_of_vectors() noexcept {
  const abi::cpu_level* chosen = abi::chosen_level();
  return (chosen ? chosen->vector_bytes : processor_vector_bytes()) / std::uint32_t{sizeof(float)};
}

std::uint32_t usual_sub_group_size() noexcept {
  const unsigned wanted = environment().sub_group_size;
  return wanted != 0 ? wanted : floats_of_vectors();
}

}  // namespace sinter
