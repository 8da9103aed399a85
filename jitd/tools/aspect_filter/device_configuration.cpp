#include "device_configuration.hpp"

#include <base/aspect_names.hpp>
#include <optional>

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/YAMLParser.h"

namespace sinter::tools {
namespace {

std::optional<std::uint32_t> number_in(llvm::StringRef text) {
  std::uint32_t value = 0;
  return text.getAsInteger(10, value) ? std::nullopt : std::optional(value);
}

std::optional<std::uint32_t> aspect_in(llvm::StringRef text) {
  for (const auto& known : aspect_names) {
    if (text == known.name) return static_cast<std::uint32_t>(known.which);
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

  /// Empty, and an error, when the node is none.
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
      } else {
        if (!name.empty()) fail(*each.getKey(), "'" + name + "' is neither 'aspects' nor 'sub-group-sizes'");
        each.skip();
      }
    }
    m_found.push_back(std::move(result));
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

}  // namespace sinter::tools
