#include "device_configuration.hpp"

#include <abi/device_targets.hpp>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

namespace sinter::capture {
namespace {

std::optional<std::uint32_t> number_in(llvm::StringRef text) {
  std::uint32_t value = 0;
  return text.getAsInteger(10, value) ? std::nullopt : std::optional(value);
}

std::optional<std::uint32_t> aspect_in(llvm::StringRef text) {
  for (const abi::aspect_row& known : abi::aspect_table) {
    if (text == known.name) return known.number;
  }
  return number_in(text);
}

class reader {
public:
  explicit reader(llvm::MemoryBufferRef text) : m_stream(text, m_manager, /*ShowColors=*/false) {}

  std::vector<device_configuration> read() {
    for (llvm::yaml::Document& document : m_stream) {
      llvm::yaml::Node* root = document.getRoot();
      auto* targets = llvm::dyn_cast_or_null<llvm::yaml::MappingNode>(root);
      if (!targets) {
        if (root && !m_stream.failed())
          fail(*root, "a device configuration is a mapping from targets to what they offer");
        break;
      }
      for (llvm::yaml::KeyValueNode& each : *targets) read_target(each);
    }
    return m_good && !m_stream.failed() ? std::move(m_found) : std::vector<device_configuration>();
  }

private:
  void fail(llvm::yaml::Node& at, const llvm::Twine& why) {
    m_stream.printError(&at, why);
    m_good = false;
  }

  /// Returns an empty text and reports an error if the node is not a scalar.
  std::string scalar(llvm::yaml::Node* node, llvm::yaml::Node& around, const char* what) {
    llvm::SmallString<32> storage;
    if (auto* text = llvm::dyn_cast_or_null<llvm::yaml::ScalarNode>(node)) {
      llvm::StringRef value = text->getValue(storage);
      if (!value.empty()) return value.str();
    }
    fail(node ? *node : around, llvm::Twine(what) + " is missing");
    return {};
  }

  void read_target(llvm::yaml::KeyValueNode& entry) {
    device_configuration result;
    result.target = scalar(entry.getKey(), entry, "the name of a target");
    llvm::yaml::Node* key = entry.getKey();
    if (result.target.empty()) return entry.skip();
    for (const device_configuration& known : m_found) {
      if (known.target == result.target) fail(*key, "target '" + result.target + "' is there already");
    }
    auto* offers = llvm::dyn_cast_or_null<llvm::yaml::MappingNode>(entry.getValue());
    if (!offers) return fail(*key, "target '" + result.target + "' needs 'aspects' and 'sub-group-sizes'");
    for (llvm::yaml::KeyValueNode& each : *offers) {
      const std::string name = scalar(each.getKey(), each, "a key");
      if (name == "aspects") {
        read_list(each, result.aspects, aspect_in, "neither an aspect nor a number");
      } else if (name == "sub-group-sizes") {
        read_list(each, result.sub_group_sizes, number_in, "no number");
      } else if (name == "max-work-group-size") {
        result.max_work_group_size = read_number(each.getValue(), each);
      } else if (name == "max-work-item-sizes") {
        read_sides(each, result.max_work_item_sizes);
      } else {
        if (!name.empty()) {
          fail(*each.getKey(), "'" + name + "' is neither 'aspects' nor 'sub-group-sizes', 'max-work-group-size' or "
                               "'max-work-item-sizes'");
        }
        each.skip();
      }
    }
    m_found.push_back(std::move(result));
  }

  /// Returns 0 and reports an error if the node is not a number.
  std::uint32_t read_number(llvm::yaml::Node* node, llvm::yaml::Node& around) {
    const std::string text = scalar(node, around, "a value");
    const auto value = number_in(text);
    if (!text.empty() && !value) fail(*node, "'" + text + "' is no number");
    return value.value_or(0);
  }

  void read_sides(llvm::yaml::KeyValueNode& entry, std::array<std::uint32_t, 3>& values) {
    auto* list = llvm::dyn_cast_or_null<llvm::yaml::SequenceNode>(entry.getValue());
    std::size_t count = 0;
    if (list) {
      for (llvm::yaml::Node& each : *list) {
        const std::uint32_t value = read_number(&each, each);
        if (count < values.size()) values[count] = value;
        ++count;
      }
    }
    if (count != values.size()) fail(*entry.getKey(), "three numbers in brackets have to follow");
  }

  template <class Convert>
  void read_list(llvm::yaml::KeyValueNode& entry, std::set<std::uint32_t>& values, const Convert& convert,
                 const char* why_not) {
    auto* list = llvm::dyn_cast_or_null<llvm::yaml::SequenceNode>(entry.getValue());
    if (!list) return fail(*entry.getKey(), "a list in brackets has to follow");
    for (llvm::yaml::Node& each : *list) {
      const std::string text = scalar(&each, each, "a value");
      if (text.empty()) continue;
      if (const auto value = convert(text)) {
        values.insert(*value);
      } else {
        fail(each, "'" + text + "' is " + why_not);
      }
    }
  }

  llvm::SourceMgr m_manager;
  llvm::yaml::Stream m_stream;
  bool m_good = true;
  std::vector<device_configuration> m_found;
};

}  // namespace

std::vector<device_configuration> read_device_configurations(llvm::MemoryBufferRef text) { return reader(text).read(); }

std::vector<device_configuration> known_device_configurations() {
  std::vector<device_configuration> result;
  for (const abi::target_row& row : abi::target_table) {
    device_configuration& device = result.emplace_back();
    device.target = row.name;
    for (const abi::aspect_row& each : abi::aspect_table) {
      if (row.aspects.has(each.number)) device.aspects.insert(each.number);
    }
    for (const std::uint32_t each : row.sub_group_sizes) {
      if (each != 0) device.sub_group_sizes.insert(each);
    }
    device.max_work_group_size = row.max_work_group_size;
    std::copy(std::begin(row.max_work_item_sizes), std::end(row.max_work_item_sizes),
              device.max_work_item_sizes.begin());
  }
  return result;
}

std::string to_line(const device_configuration& device) {
  std::string text;
  const auto add = [&](const auto& numbers) {
    for (const std::uint32_t each : numbers) text += std::to_string(each) + ",";
    text += ';';
  };
  add(device.aspects);
  add(device.sub_group_sizes);
  add(std::array{device.max_work_group_size});
  add(device.max_work_item_sizes);
  return text + device.target;
}

std::optional<device_configuration> configuration_from_line(llvm::StringRef line) {
  device_configuration result;
  bool good = true;
  const auto take = [&](const auto& store) {
    auto [numbers, rest] = line.split(';');
    line = rest;
    llvm::SmallVector<llvm::StringRef, 32> words;
    numbers.split(words, ',', -1, /*KeepEmpty=*/false);
    for (llvm::StringRef word : words) {
      const auto number = number_in(word);
      good &= number.has_value();
      store(number.value_or(0));
    }
  };
  std::size_t side = 0;
  take([&](std::uint32_t number) { result.aspects.insert(number); });
  take([&](std::uint32_t number) { result.sub_group_sizes.insert(number); });
  take([&](std::uint32_t number) { result.max_work_group_size = number; });
  take([&](std::uint32_t number) {
    if (side < result.max_work_item_sizes.size()) result.max_work_item_sizes[side++] = number;
  });
  result.target = line.str();
  if (!good || result.target.empty()) return std::nullopt;
  return result;
}

}  // namespace sinter::capture
