#pragma once
/// sycl::ext::codeplay::experimental::fusion_wrapper (extension sycl_ext_codeplay_kernel_fusion): kernels submitted to
/// a queue between start_fusion and complete_fusion become one kernel.

#include "../../../queue.hpp"
#include "fusion_properties.hpp"

namespace sycl::inline _V1::ext::codeplay::experimental {

/// Controls the fusion mode of a queue. The queue holds the state, so that several wrappers may control one queue.
/// Programs have to synchronise threads that call these functions or submit to the queue.
class fusion_wrapper {
public:
  /// Throws errc::invalid if the queue was made without property::queue::enable_fusion.
  explicit fusion_wrapper(sycl::queue& queue) : m_queue(queue) {
    if (!queue.ext_codeplay_supports_fusion()) {
      sycl::detail::throw_invalid(
          "fusion_wrapper: Cannot wrap a queue for fusion which doesn't support fusion; make the queue with "
          "ext::codeplay::experimental::property::queue::enable_fusion");
    }
  }
  sycl::queue get_queue() const { return m_queue; }
  bool is_in_fusion_mode() const { return m_queue.ext_codeplay_is_in_fusion_mode(); }
  /// Throws errc::invalid if the queue is in fusion mode already.
  void start_fusion() { m_queue.ext_codeplay_start_fusion(); }
  /// Ends the fusion mode and runs the collected kernels one by one.
  void cancel_fusion() { m_queue.ext_codeplay_cancel_fusion(); }
  /// Ends the fusion mode and runs the collected kernels as one kernel. If the kernels can't be fused, they run one by
  /// one; the runtime then prints a warning and throws no exception. If something else has already ended the fusion,
  /// returns the event of the kernels that were collected. Throws errc::invalid if the program never started a fusion.
  event complete_fusion(const property_list& properties = {}) {
    return m_queue.ext_codeplay_complete_fusion(properties);
  }

private:
  sycl::queue m_queue;
};

namespace info::device {
/// Queries whether kernels can be fused on the device.
struct supports_fusion {
  using return_type = bool;
};
} // namespace info::device

} // namespace sycl::ext::codeplay::experimental
