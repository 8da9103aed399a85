#pragma once
/// NVIDIA GPUs as a compilation target.

#include <abi/image_format.hpp>
#include <abi/launch_abi.hpp>
#include <array>
#include <string>

#include "llvm/Support/Error.h"
#include "passes/known_arguments.hpp"

namespace sinter::jit {

/// Padded SYCL order; zeros: any.
using block_extent = std::array<std::uint64_t, 3>;

struct ptx_request {
  std::string gpu = "sm_90";
  block_extent local_range{};  ///< of nd_range kernels; zeros: the code is for any
  bool narrow_ids = false;     ///< every offset + global range + 1024 is below 2^31
  bool no_offset = false;      ///< launches have no global offset
  /// Groups beyond 65535 in y or z: all of them are in x, what does not fit there in y.
  bool folded = false;
  llvm::ArrayRef<passes::known_bytes> known_arguments;
  abi::specialization_table constants{};
};

struct ptx_code {
  std::string text;
  std::string entry;  ///< takes its argument block and an abi::gpu_geometry (abi/gpu_launch.hpp)
  /// What a block of the grid has to be, padded SYCL order; zeros: any. Grids of range kernels may be larger than the
  /// range.
  block_extent local_range;
  /// Dynamic shared memory begins with as many bytes for each work-item of a group and once more, rounded up to 128;
  /// then come local accessors.
  std::uint64_t scratch_bytes_per_item;
};

/// Refuses kernels that can run on the host only, naming what they need.
llvm::Expected<ptx_code> lower_to_ptx(const abi::image_header& image, std::uint32_t kernel, const ptx_request& request);

}  // namespace sinter::jit
