#include "gpu_facts.hpp"

#include <abi/gpu_launch.hpp>
#include <sstream>

namespace sinter {
namespace {

constexpr const char* facts_magic = "gpu-4";
// No device has more.
constexpr std::uint64_t most_items = 1 << 16, most_scratch = 1 << 16, most_variables = 1 << 30;

bool is_block(const abi::local_range& block, bool has_groups) {
  if (has_groups && block == abi::local_range{}) return true;
  std::uint64_t items = 1;
  for (const auto size : block) {
    if (size == 0 || size > most_items) return false;
    items *= size;
  }
  return items <= most_items;
}

}  // namespace

std::string gpu_facts(const gpu_program& program) {
  std::ostringstream text;
  text << facts_magic << ' ' << program.entry << ' ' << program.block[0] << ' ' << program.block[1] << ' '
       << program.block[2] << ' ' << program.scratch_bytes_per_item << ' ' << program.variable_bytes << ' '
       << program.linear_groups << ' ' << program.can_fail << ' ' << program.block_in_memory << ' '
       << program.pointers.size();
  for (const std::uint32_t each : program.pointers) text << ' ' << each;
  return text.str();
}

bool read_gpu_facts(const std::string& facts, bool has_groups, gpu_program& program) {
  std::istringstream text(facts);
  std::string first, surplus;
  std::size_t pointers = 0;
  text >> first >> program.entry >> program.block[0] >> program.block[1] >> program.block[2] >>
      program.scratch_bytes_per_item >> program.variable_bytes >> program.linear_groups >> program.can_fail >>
      program.block_in_memory >> pointers;
  if (!text || first != facts_magic || pointers > abi::most_spirv_parameters) return false;
  program.pointers.resize(pointers);
  for (std::uint32_t& each : program.pointers) text >> each;
  if (!text || text >> surplus) return false;
  return is_block(program.block, has_groups) && program.scratch_bytes_per_item <= most_scratch &&
         program.variable_bytes <= most_variables;
}

}  // namespace sinter
