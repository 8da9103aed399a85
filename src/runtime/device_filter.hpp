#pragma once
/// Which devices SINTER_DEVICE, and ONEAPI_DEVICE_SELECTOR as other implementations know it, let through.

#include <backends/backend_row.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

/// The properties of a device that a filter looks at.
struct filtered_device {
  std::string_view backend;  ///< backend_row::name
  std::string_view kind;     ///< "cpu", "gpu", "accelerator"
  std::string_view name;
  std::size_t index, index_in_backend;
};

/// A text of one or more `[backend:]devices`, separated by `;`, where `devices` are separated by commas: a kind, an
/// index, `*`, or a part of a name. An entry with `!` in front excludes devices. Indices count all devices, or those of
/// the backend that is named. `cpu` alone is Sinter's own.
class device_filter {
public:
  /// Empty text lets all through. The rows are of all backends; the first is Sinter's own CPU.
  device_filter(std::string_view text, std::span<const backend_row> backends);

  bool lets_through(const filtered_device& device) const;
  /// Whether devices of this backend could match; if not, its driver need not be asked.
  bool wants_backend(std::string_view backend) const;

private:
  struct term {
    bool excludes;
    std::string backend;  ///< empty: any
    std::vector<std::string> devices;
  };
  bool matches(const term& term, const filtered_device& device) const;

  std::string m_own_backend;
  std::vector<term> m_terms;
};

}  // namespace sinter
