#include "device_filter.hpp"

#include <algorithm>
#include <cctype>

namespace sinter {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

std::vector<std::string_view> split(std::string_view text, char divider) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(divider);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

/// Names that other implementations use as well. Empty: no backend.
std::string backend_of(const std::string& name) {
  if (name == "opencl") return "opencl";
  if (name == "cuda" || name == "ext_oneapi_cuda") return "cuda";
  if (name == "sinter" || name == "native_cpu" || name == "host") return "sinter";
  // Known, and none of ours has it.
  if (name == "level_zero" || name == "hip" || name == "ext_oneapi_level_zero" || name == "ext_oneapi_hip") return name;
  return name == "*" ? "*" : "";
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

device_filter::device_filter(std::string_view text) {
  for (std::string_view part : split(text, ';')) {
    if (part.empty()) continue;
    term made{part.front() == '!', {}, {}};
    if (made.excludes) part.remove_prefix(1);
    std::string whole = lower(part);
    // No device is called just that.
    if (whole == "opencl" || whole == "cuda") whole += ":*";
    const std::size_t colon = whole.find(':');
    // Names of devices have colons, too.
    if (colon != std::string::npos) made.backend = backend_of(whole.substr(0, colon));
    if (!made.backend.empty()) whole.erase(0, colon + 1);
    if (made.backend == "*") made.backend.clear();
    // A name may have commas; where a backend is named, they divide.
    if (made.backend.empty()) {
      made.devices = {whole};
    } else {
      for (std::string_view device : split(whole, ',')) made.devices.emplace_back(device);
    }
    m_terms.push_back(std::move(made));
  }
}

bool device_filter::matches(const term& term, const filtered_device& device) {
  if (!term.backend.empty() && term.backend != device.backend) return false;
  const std::size_t index = term.backend.empty() ? device.index : device.index_in_backend;
  return std::any_of(term.devices.begin(), term.devices.end(), [&](const std::string& wanted) {
    if (wanted == "*") return true;
    if (wanted == "cpu") return device.kind == "cpu" && (!term.backend.empty() || device.backend == "sinter");
    if (wanted == "gpu") return device.kind == "gpu";
    if (wanted == "accelerator" || wanted == "acc" || wanted == "fpga") return device.kind == "accelerator";
    if (is_number(wanted)) return wanted == std::to_string(index);
    return !wanted.empty() && lower(device.name).find(wanted) != std::string::npos;
  });
}

bool device_filter::lets_through(const filtered_device& device) const {
  bool chosen = std::all_of(m_terms.begin(), m_terms.end(), [](const term& each) { return each.excludes; });
  for (const term& each : m_terms) {
    if (matches(each, device)) chosen = !each.excludes;
  }
  return chosen;
}

bool device_filter::wants_backend(std::string_view backend) const {
  const auto may_be = [&](const term& each) {
    if (each.excludes) return true;
    if (!each.backend.empty()) return each.backend == backend;
    return std::any_of(each.devices.begin(), each.devices.end(),
                       [&](const std::string& wanted) { return wanted != "cpu" || backend == "sinter"; });
  };
  return m_terms.empty() || std::any_of(m_terms.begin(), m_terms.end(), may_be);
}

}  // namespace sinter
