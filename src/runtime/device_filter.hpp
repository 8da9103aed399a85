#pragma once
/// Decides which devices the environment allows, by SINTER_DEVICE or by ONEAPI_DEVICE_SELECTOR, the variable of other
/// implementations.

#include <backends/backend_row.hpp>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

/// The properties of a device that a filter reads.
struct filtered_device {
  std::string_view backend;  ///< backend_row::name
  std::string_view kind;     ///< "cpu", "gpu" or "accelerator"
  std::string_view name;
  std::size_t index, index_in_backend;
};

/// A filter is a text of one or more entries `[backend:]devices`, separated by `;`. `devices` are separated by commas:
/// a kind, an index, `*`, or a part of a name. An entry with `!` in front excludes devices. An index is a device's
/// number among all devices or, behind a backend's name, among the backend's devices. `cpu` without a backend is
/// Sinter's own CPU device.
class device_filter {
public:
  /// An empty text allows all devices. The rows describe all backends; the first row is Sinter's own CPU.
  device_filter(std::string_view text, std::span<const backend_row> backends);

  bool lets_through(const filtered_device& device) const;
  /// Returns whether devices of this backend could match. If not, the backend's driver need not be asked.
  bool wants_backend(std::string_view backend) const;

private:
  struct term {
    bool excludes;
    std::string backend;  ///< name of the backend; empty: any backend
    std::vector<std::string> devices;
  };
  bool matches(const term& term, const filtered_device& device) const;

  std::string m_own_backend;
  std::vector<term> m_terms;
};

}  // namespace sinter
