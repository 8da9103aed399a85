#include "size_limits.hpp"

#include <algorithm>
#include <bit>
#include <string>

namespace sinter::jit::gpu {
namespace {

std::string in_words(const std::uint64_t (&sizes)[3]) {
  return std::to_string(sizes[0]) + " x " + std::to_string(sizes[1]) + " x " + std::to_string(sizes[2]);
}

}  // namespace

unsigned sub_group_size_of(const size_limits& limits, const abi::image_kernel& row) {
  const bool asks = (row.flags & abi::kernel_sizes_for_cpu) == 0 && row.required_sub_group_size != 0;
  return asks ? row.required_sub_group_size : limits.sub_group_size;
}

llvm::Error refuse_sizes(const size_limits& limits, const abi::image_kernel& row, const abi::local_range& block) {
  const unsigned size = sub_group_size_of(limits, row);
  const bool is_part = limits.has_parts && size < limits.sub_group_size && std::has_single_bit(size);
  if (size != limits.sub_group_size && !is_part) {
    return llvm::createStringError("it requires sub-groups of " + std::to_string(size) + " work-items, which are " +
                                   std::to_string(limits.sub_group_size) + " on " + limits.whose);
  }
  std::uint64_t items = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (block[d] > limits.most[d] || items * std::max<std::uint64_t>(block[d], 1) > limits.most_in_all) {
      return llvm::createStringError("its work-groups have " + in_words({block[0], block[1], block[2]}) +
                                     " work-items; " + limits.whose + " have room for " + in_words(limits.most) +
                                     ", " + std::to_string(limits.most_in_all) + " in all");
    }
    items *= std::max<std::uint64_t>(block[d], 1);
  }
  return llvm::Error::success();
}

}  // namespace sinter::jit::gpu
