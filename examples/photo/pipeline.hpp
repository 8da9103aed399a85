#pragma once
/// Develops a photograph: a chain of SYCL kernels over planes of linear light.

#include <sycl/sycl.hpp>

#include <string>
#include <vector>

#include "image.hpp"

namespace photo {

struct settings {
  float temperature = 0;  ///< -100 (blue) to 100 (amber)
  float tint = 0;         ///< -100 (green) to 100 (magenta)
  float exposure = 0;     ///< stops, -8 to 8
  float contrast = 0.5f;  ///< 0: no tone curve, 1: the whole filmic curve
  float saturation = 1;   ///< 0 to 4; 0: grey, 1: unchanged
  float vignette = 0;     ///< 0 to 1; 0: none, 1: black corners
  float sharpen = 0;      ///< 0 to 4; 0: none
  int output_bits = 8;    ///< 8 or 16
  bool fuse = false;      ///< join all kernels into one
};

/// The time of one kernel, and the bytes that it had to move.
struct stage_time {
  std::string name;
  double milliseconds = 0;
  double bytes_per_pixel = 0;
};

/// A picture on the device, and the tables that its kernels read; several runs of the chain can use it.
struct device_picture {
  sycl::range<2> size;
  sycl::buffer<rgba16, 2> source, target;
  sycl::buffer<float, 1> decode, encode;

  /// Reads the picture, and writes nothing back to it.
  explicit device_picture(const image& picture);
};
/// Submits the chain to the queue, or to the graph that the queue records to. Does not wait. Only the chain's own
/// kernels use the memory for intermediate results.
void submit_chain(sycl::queue& queue, device_picture& picture, const settings& how);

/// Runs the whole chain once on `queue` and returns the result. If `times` is not null, it gets one entry for each
/// kernel, in order of submission; the queue then needs property::queue::enable_profiling. A picture may have any size
/// from 1 x 1 on.
image develop(sycl::queue& queue, const image& picture, const settings& how, std::vector<stage_time>* times = nullptr);

} // namespace photo
