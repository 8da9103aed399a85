#pragma once
/// The object behind kernel_bundle.

#include <algorithm>
#include <vector>

#include <runtime/kernel_identity.hpp>
#include <runtime/specialization_values.hpp>
#include <sycl/kernel_bundle.hpp>

namespace sycl::inline _V1::detail {

class source_program;  // source_bundle.hpp

/// The object is immutable, except for the values of input bundles.
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
  /// Adds the images of a bundle that is being joined with others. An image that is already here is not added again.
  void add_images(const shared<kernel_bundle_impl>& part);

  bundle_state state;
  context home;
  std::vector<device> devices;
  std::vector<const kernel_identity*> kernels;
  bool everything = false;  ///< the bundle was made without a list of kernels, so that all kernels belong to it
  shared<specialization_values> values;
  shared<source_program> source;  ///< kernels of a bundle that is built from source; otherwise null
  /// if the bundle was joined from other bundles: its images, each as a bundle; otherwise empty
  std::vector<shared<kernel_bundle_impl>> images;
};

}  // namespace sycl::detail
