#include "kernel_layout.hpp"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace sinter::capture {

std::string to_annotation(const kernel_layout& layout) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << layout_prefix << "name=" << layout.display_name << "\nat=" << layout.source_position
      << "\nid=" << layout.location_id << '\n';
  const auto& group = layout.required_work_group_size;
  if (group[2] != 0) {
    out << "group=" << group[0] << ',' << group[1] << ',' << group[2] << ',' << layout.group_dimensions << '\n';
  }
  if (layout.required_sub_group_size != 0) out << "subgroup=" << layout.required_sub_group_size << '\n';
  if (layout.own_groups) out << "owngroups=1\n";
  if (layout.sizes_for_cpu) out << "cpusizes=1\n";
  const auto& words = layout.required_aspects.words;
  if (layout.declares_aspects) out << "aspects=" << words[0] << ',' << words[1] << '\n';
  for (const device_configuration& each : layout.fixed_targets) out << "target=" << to_line(each) << '\n';
  if (layout.code_split != 0) out << "split=" << layout.code_split << '\n';
  for (const abi::image_leaf& leaf : layout.leaves) {
    out << "leaf=" << leaf.offset << ',' << leaf.size << ',' << static_cast<unsigned>(leaf.kind) << ','
        << static_cast<unsigned>(leaf.dimensions) << ',' << static_cast<unsigned>(leaf.access_mode) << ','
        << leaf.element_size << '\n';
  }
  for (const std::string& name : layout.captures) out << "capture=" << name << '\n';
  return text;
}

namespace {

template <std::size_t Count>
bool parse_numbers(llvm::StringRef text, std::uint32_t (&values)[Count]) {
  llvm::SmallVector<llvm::StringRef, Count> fields;
  text.split(fields, ',');
  if (fields.size() != Count) return false;
  for (std::size_t i = 0; i < Count; ++i) {
    if (fields[i].getAsInteger(10, values[i])) return false;
  }
  return true;
}

bool parse_leaf(llvm::StringRef text, abi::image_leaf& leaf) {
  std::uint32_t values[6];
  if (!parse_numbers(text, values)) return false;
  leaf = {values[0],
          values[1],
          static_cast<abi::leaf_kind>(values[2]),
          static_cast<std::uint8_t>(values[3]),
          static_cast<std::uint8_t>(values[4]),
          values[5]};
  return true;
}

} // namespace

std::optional<kernel_layout> from_annotation(llvm::StringRef text) {
  if (!text.consume_front(layout_prefix)) return std::nullopt;
  kernel_layout layout;
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    auto [key, value] = line.split('=');
    if (key == "name") {
      layout.display_name = value.str();
    } else if (key == "at") {
      layout.source_position = value.str();
    } else if (key == "id") {
      if (value.getAsInteger(10, layout.location_id)) return std::nullopt;
    } else if (key == "group") {
      std::uint32_t sizes[4];
      if (!parse_numbers(value, sizes)) return std::nullopt;
      std::copy_n(std::begin(sizes), 3, layout.required_work_group_size.begin());
      layout.group_dimensions = sizes[3];
    } else if (key == "subgroup") {
      if (value.getAsInteger(10, layout.required_sub_group_size)) return std::nullopt;
    } else if (key == "owngroups") {
      layout.own_groups = true;
    } else if (key == "cpusizes") {
      layout.sizes_for_cpu = true;
    } else if (key == "aspects") {
      const auto [low, high] = value.split(',');
      auto& words = layout.required_aspects.words;
      if (low.getAsInteger(10, words[0]) || high.getAsInteger(10, words[1])) return std::nullopt;
      layout.declares_aspects = true;
    } else if (key == "target") {
      const auto device = configuration_from_line(value);
      if (!device) return std::nullopt;
      layout.fixed_targets.push_back(*device);
    } else if (key == "split") {
      if (value.getAsInteger(10, layout.code_split)) return std::nullopt;
    } else if (key == "capture") {
      layout.captures.push_back(value.str());
    } else if (key == "leaf") {
      if (!parse_leaf(value, layout.leaves.emplace_back())) return std::nullopt;
    }
  }
  return layout;
}

} // namespace sinter::capture
