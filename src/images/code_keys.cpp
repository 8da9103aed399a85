#include "code_keys.hpp"

#include <abi/chosen_cpu.hpp>
#include <abi/device_abi.hpp>
#include <algorithm>
#include <base/processor.hpp>
#include <base/race_notes.hpp>
#include <span>
#include <vector>

#include "cache.hpp"
#include "jit_library.hpp"
#include "registry.hpp"

namespace sinter {
namespace {

std::string hex(const void* bytes, std::uint64_t size) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (std::uint64_t at = 0; at < size; ++at) {
    const unsigned char byte = static_cast<const unsigned char*>(bytes)[at];
    text += digits[byte >> 4];
    text += digits[byte & 15];
  }
  return text;
}

/// Returns a part of the key: the hashes of images whose functions become part of the kernel's code.
std::string key_of_links(const abi::kernel_descriptor& kernel) {
  std::string text;
  for (const abi::image_header* image : links_of(kernel).externals) {
    text += "external " + std::to_string(image->hash_high) + "." + std::to_string(image->hash_low) + "\n";
  }
  return text;
}

/// Returns the part of the key that is the same for all code of this process.
const std::string& common_key() {
  static const auto* key = note_made(new std::string("contract " + std::to_string(abi::contract_version) + "\njit " +
                                                     file_stamp(jit_path()) + "\n"));
  note_acquire(key);
  return *key;
}

std::string text_of(const group_layout& layout) {
  const abi::known_groups known = layout.known();
  if (layout.is_any()) return "any";
  return hex(known.range.data(), sizeof(known.range)) + " " + hex(known.local_accessors, known.local_accessor_bytes);
}

}  // namespace

std::vector<abi::specialization_table::entry> constants_read(const abi::kernel_descriptor& kernel,
                                                             const abi::specialization_table& constants) {
  if (constants.count == 0) return {};
  const std::span<const abi::image_constant> named = image_view(kernel.image->image).constants(kernel.index);
  // If the kernel calls functions of other files, these may read any constant.
  const bool names_any = !links_of(kernel).externals.empty();
  std::vector<abi::specialization_table::entry> read;
  for (std::uint32_t i = 0; i < constants.count; ++i) {
    const abi::specialization_table::entry& entry = constants.entries[i];
    const bool is_argument = (entry.key & abi::specialization_of_argument) == abi::specialization_of_argument;
    const bool is_named =
        std::any_of(named.begin(), named.end(), [&](const auto& each) { return each.key == entry.key; });
    if (is_argument || is_named || names_any) read.push_back(entry);
  }
  std::sort(read.begin(), read.end(), [](const auto& a, const auto& b) { return a.key < b.key; });
  return read;
}

std::string describe(const abi::specialization_table& constants) {
  std::vector<std::string> lines;
  for (std::uint32_t i = 0; i < constants.count; ++i) {
    const auto& [key, value, size] = constants.entries[i];
    lines.push_back(std::to_string(key) + "=" + hex(value, size));
  }
  std::sort(lines.begin(), lines.end());
  std::string text;
  for (const std::string& line : lines) text += line + " ";
  return text;
}

const std::string& cpu_identity() {
  static const auto* identity = [] {
    auto* text = new std::string(processor_identity());
    if (const char* chosen = abi::chosen_cpu()) *text += std::string(" as ") + chosen;
    return text;
  }();
  return *identity;
}

std::string key_of_kernel(const abi::kernel_descriptor& kernel, const variant_key& variant,
                          const abi::compile_options& options) {
  const abi::image_header& image = image_of(kernel)->header();
  return common_key() + "target " + variant.target->identity + variant.launches.text() + "\nimage " +
         std::to_string(image.hash_high) + "." + std::to_string(image.hash_low) + "\n" + key_of_links(kernel) +
         "kernel " + std::to_string(kernel.index) + "\noptions " + hex(&options, sizeof(options)) + "\ngroups " +
         text_of(variant.layout) + "\nconstants " + variant.constants + "\n";
}

std::string key_of_fusion(const code_target& target, launch_class launches, const abi::kernel_descriptor& first,
                          const std::string& form, unsigned slot) {
  return common_key() + "target " + target.identity + launches.text() + "\nfusion " + std::to_string(slot) + "\n" +
         key_of_links(first) + form;
}

const code_target& cpu_code_target() {
  static const auto* target = note_made(new code_target{"cpu " + cpu_identity()});
  note_acquire(target);
  return *target;
}

}  // namespace sinter
