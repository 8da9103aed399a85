#include "gpu_facts.hpp"

#include <abi/gpu_launch.hpp>
#include <sstream>
#include <utility>

namespace sinter {
namespace {

constexpr const char* facts_magic = "gpu-5";
constexpr std::size_t most_pointers = abi::most_spirv_parameters, most_globals = 1 << 16;
// No device allows more work-items or more bytes than these limits.
constexpr std::uint64_t most_items = 1 << 16, most_scratch = 1 << 16, most_variables = 1 << 30;

bool is_block(const abi::local_range& block, bool has_groups) {
  if (has_groups && block == abi::local_range{}) return true;
  if (!has_groups && block[0] == 0 && block[1] == 0) return block[2] >= abi::least_block && block[2] <= most_items;
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
       << program.linear_groups << ' ' << program.can_fail << ' ' << program.groups_meet << ' '
       << program.block_in_memory;
  for (const std::vector<std::uint32_t>* list : {&program.pointers, &program.globals}) {
    text << ' ' << list->size();
    for (const std::uint32_t each : *list) text << ' ' << each;
  }
  return text.str();
}

bool read_gpu_facts(const std::string& facts, bool has_groups, gpu_program& program) {
  std::istringstream text(facts);
  std::string first, surplus;
  text >> first >> program.entry >> program.block[0] >> program.block[1] >> program.block[2] >>
      program.scratch_bytes_per_item >> program.variable_bytes >> program.linear_groups >> program.can_fail >>
      program.groups_meet >> program.block_in_memory;
  if (first != facts_magic) return false;
  for (auto [list, most] : {std::pair(&program.pointers, most_pointers), std::pair(&program.globals, most_globals)}) {
    std::size_t count = 0;
    text >> count;
    if (!text || count > most) return false;
    list->resize(count);
    for (std::uint32_t& each : *list) text >> each;
  }
  if (!text || text >> surplus) return false;
  return is_block(program.block, has_groups) && program.scratch_bytes_per_item <= most_scratch &&
         program.variable_bytes <= most_variables;
}

}  // namespace sinter
