#pragma once
/// Which devices SINTER_DEVICE, and ONEAPI_DEVICE_SELECTOR as other implementations know it, let through.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

/// What a filter asks of a device.
struct filtered_device {
  std::string_view backend;  ///< "sinter", "cuda", "opencl"
  std::string_view kind;     ///< "cpu", "gpu", "accelerator"
  std::string_view name;
  std::size_t index, index_in_backend;
};

/// One or more of `[backend:]devices`, divided by `;`, where `devices` are divided by commas: a kind, an index, `*`, or
/// a part of a name; with `!` in front, what is left out. Indices are those of all devices, or of the backend that is
/// named. `cpu` alone is Sinter's own.
class device_filter {
public:
  /// Empty text lets all through.
  explicit device_filter(std::string_view text);

  bool lets_through(const filtered_device& device) const;
  /// Whether devices of this backend could get through: its driver need not be asked else.
  bool wants_backend(std::string_view backend) const;

private:
  struct term {
    bool excludes;
    std::string backend;  ///< empty: any
    std::vector<std::string> devices;
  };
  static bool matches(const term& term, const filtered_device& device);

  std::vector<term> m_terms;
};

}  // namespace sinter
