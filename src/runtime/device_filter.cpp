#include "device_filter.hpp"

#include <algorithm>
#include <cctype>
#include <iterator>

#include "backend_table.hpp"

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

bool has_word(std::string_view words, const std::string& wanted) {
  const std::vector<std::string_view> all = split(words, ' ');
  return std::find(all.begin(), all.end(), wanted) != all.end();
}

/// Returns the backend that a word names, possibly by its name in other implementations. Returns an empty text if the
/// word names no backend.
std::string backend_of(const std::string& word, std::span<const backend_row> backends) {
  for (const backend_row& each : backends) {
    if (word == each.name || has_word(each.other_names, word)) return each.name;
  }
  return word == "*" ? "*" : "";
}

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
}

}  // namespace

device_filter::device_filter(std::string_view text, std::span<const backend_row> backends)
    : m_own_backend(backends.front().name) {
  for (std::string_view part : split(text, ';')) {
    if (part.empty()) continue;
    term made{part.front() == '!', {}, {}};
    if (made.excludes) part.remove_prefix(1);
    std::string whole = lower(part);
    // A backend's name alone means all its devices; it can't mean a single device, because no device has such a name.
    const auto is_it = [&](const backend_row& each) { return whole == each.name; };
    if (std::any_of(backends.begin() + 1, backends.end(), is_it)) whole += ":*";
    const std::size_t colon = whole.find(':');
    // Names of devices may contain colons, too.
    if (colon != std::string::npos) made.backend = backend_of(whole.substr(0, colon), backends);
    if (!made.backend.empty()) whole.erase(0, colon + 1);
    if (made.backend == "*") made.backend.clear();
    // The name of a device may contain commas. Commas separate devices only behind a backend's name.
    if (made.backend.empty()) {
      made.devices = {whole};
    } else {
      for (std::string_view device : split(whole, ',')) made.devices.emplace_back(device);
    }
    m_terms.push_back(std::move(made));
  }
}

bool device_filter::matches(const term& term, const filtered_device& device) const {
  if (!term.backend.empty() && term.backend != device.backend) return false;
  const std::size_t index = term.backend.empty() ? device.index : device.index_in_backend;
  return std::any_of(term.devices.begin(), term.devices.end(), [&](const std::string& wanted) {
    if (wanted == "*") return true;
    if (wanted == "cpu") return device.kind == "cpu" && (!term.backend.empty() || device.backend == m_own_backend);
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
                       [&](const std::string& wanted) { return wanted != "cpu" || backend == m_own_backend; });
  };
  return m_terms.empty() || std::any_of(m_terms.begin(), m_terms.end(), may_be);
}

}  // namespace sinter
