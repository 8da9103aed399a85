#pragma once
/// Implementation of kernel_id, kernel_bundle and specialization constants.

#include <algorithm>
#include <abi/launch_abi.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <sycl/kernel_bundle.hpp>

namespace sycl::inline _V1::detail {

/// Each kernel-name type of the process has one, which is never destroyed: kernels of several translation units that
/// share a name share it, and it outlives libraries that are closed.
struct kernel_identity {
  std::string type_name;
  std::string display_name;
};
const kernel_identity* intern_kernel(const char* type_name);

/// The kernel's descriptor in the program's images, the first if there are several; null when there is none.
const sinter::abi::kernel_descriptor* find_descriptor(const kernel_identity* id);
/// Whether the kernel reads the constant, or any (null). Without an image it is unknown, so it may.
bool names_specialization_constant(const sinter::abi::kernel_descriptor& kernel, const std::uint64_t* key);

/// Values of specialization constants by key.
class specialization_values : public counted {
public:
  specialization_values() = default;
  ~specialization_values() override;

  void set(std::uint64_t key, const void* value, std::size_t bytes, std::size_t alignment);
  const void* find(std::uint64_t key) const noexcept;
  /// Adds the values of `others`; values that are set here already stay.
  void inherit(const specialization_values& others);
  /// Valid until the next change.
  const specialization_table* table() noexcept;
  bool empty() const noexcept { return m_entries.empty(); }

private:
  std::vector<specialization_table::entry> m_entries;
  std::vector<std::size_t> m_alignments;  ///< how each value is aligned, in the same order
  specialization_table m_table{};
};

class source_program;  // source_bundle.hpp

/// Immutable but for the values of input bundles.
class kernel_bundle_impl : public counted {
public:
  kernel_bundle_impl(bundle_state its_state, context in, std::vector<device> its_devices);
  ~kernel_bundle_impl() override;

  static std::vector<device> each_once(std::vector<device> devices) {
    auto end = devices.begin();
    for (device& each : devices) {
      if (std::find(devices.begin(), end, each) == end) *end++ = each;
    }
    devices.erase(end, devices.end());
    return devices;
  }
  bool has(const kernel_identity* id) const noexcept;
  /// Adds the images of a bundle that is joined with others, each once.
  void add_images(const shared<kernel_bundle_impl>& part);

  bundle_state state;
  context home;
  std::vector<device> devices;
  std::vector<const kernel_identity*> kernels;
  bool everything = false;  ///< made without a list of kernels: also those that nobody has named so far
  shared<specialization_values> values;
  shared<source_program> source;  ///< if the bundle is built from source, its kernels; else null
  std::vector<shared<kernel_bundle_impl>> images;  ///< if the bundle was joined, its parts; else empty
};

}  // namespace sycl::detail
