#include "launch_memory.hpp"

#include <abi/byte_count.hpp>
#include <images/kernel_name.hpp>
#include <images/code_variant.hpp>
#include <base/count_text.hpp>
#include <string>

#include <sycl/exception.hpp>

namespace sinter {
namespace {

[[noreturn]] void refuse(const kernel_launch& launch, const launch_memory& memory, const std::string& why) {
  std::string parts;
  const auto add = [&](std::uint64_t bytes, const char* what) {
    if (bytes != 0) parts += (parts.empty() ? "" : ", ") + count_text(bytes) + " for " + what;
  };
  add(memory.arrays, "private arrays");
  add(memory.context, "what its work-items keep across barriers, private arrays included");
  add(memory.scratch, "group functions");
  add(memory.local, "local accessors and group_local_memory");
  const std::string name = launch.is_fused() ? launch.code->name : "'" + kernel_display_name(*launch.kernel) + "'";
  sycl::detail::throw_error(sycl::errc::memory_allocation,
                            "kernel " + name + " on the CPU device: each thread that runs it needs " +
                                count_text(memory.sum()) + " bytes of memory (" + parts + "), " + why +
                                "; make private arrays or work-groups smaller, or keep the data in a buffer or USM");
}

}  // namespace

launch_memory::launch_memory(const kernel_launch& launch, const code_variant* code, std::uint64_t group_items) noexcept
    : local(launch.local_memory_bytes) {
  if (!code) return;
  context = abi::multiply_bytes(code->context_bytes_per_item, group_items);
  scratch = abi::multiply_bytes(code->scratch_bytes_per_item, abi::add_bytes(group_items, 1));
  arrays = code->private_bytes;
  local = abi::add_bytes(local, code->variable_bytes);
}

std::uint64_t launch_memory::sum() const noexcept {
  return abi::add_bytes(abi::add_bytes(local, context), abi::add_bytes(scratch, arrays));
}

void check_launch_memory(const kernel_launch& launch, const launch_memory& memory, std::uint64_t threads,
                         const device_facts& device) {
  if (abi::multiply_bytes(memory.sum(), threads) <= device.global_memory_bytes) return;
  refuse(launch, memory,
         "which is too much for " + std::to_string(threads) + (threads == 1 ? " thread" : " threads") +
             " and the device's " + std::to_string(device.global_memory_bytes) + " (info::device::global_mem_size)");
}

void refuse_launch_memory(const kernel_launch& launch, const launch_memory& memory) {
  refuse(launch, memory, "and the system has no more to give");
}

}  // namespace sinter
