#include "kernel_needs.hpp"

#include <abi/byte_count.hpp>
#include <algorithm>
#include <base/aspect_names.hpp>
#include <images/kernel_name.hpp>
#include <vector>

#include <sycl/aspects.hpp>

namespace sycl::inline _V1::detail {
namespace {

std::string aspect_name(std::uint32_t value) {
  for (const auto& known : sinter::aspect_names) {
    if (static_cast<std::uint32_t>(known.which) == value) return std::string("aspect::") + known.name;
  }
  return "an unknown aspect";
}

// The messages of these functions have the wording that DPC++'s design document prescribes.
std::string compiled_for(const std::string& targets) {
  return "Kernel was compiled with '-fsycl-fixed-targets=" + targets + "' but was submitted to a different device";
}
std::string uses_feature(const std::string& quoted) {
  return "Kernel uses optional feature corresponding to " + quoted + " but device does not support this aspect. ";
}
std::string has_sub_group_size(std::uint32_t size) {
  return "Kernel has a required sub-group size of '" + std::to_string(size) +
         "' but device does not support this sub-group size. ";
}

/// Returns whether the device can provide the device_globals that the kernel accesses by address.
bool has_its_globals(const sinter::kernel_view& kernel, const sinter::device_facts& device) noexcept {
  constexpr sinter::abi::aspect_set by_address =
      sinter::abi::aspect_bit(static_cast<std::uint64_t>(aspect::usm_device_allocations));
  return !kernel.has_device_globals() || device.is_this_process ||
         sinter::missing_aspects(by_address, device.aspects).empty();
}

/// Returns whether the kernel's required sizes do not apply to `device`, because they are only for this process's CPU
/// device.
bool has_other_sizes(const sinter::kernel_view& kernel, const sinter::device_facts& device) noexcept {
  return kernel.has_sizes_for_cpu() && !device.is_this_process;
}

/// Describes the part of the required work-group that is too large for the device. Returns an empty text if the group
/// fits.
std::string too_large_group(const sinter::kernel_view& kernel, const sinter::device_facts& device) {
  const std::uint32_t* required = kernel.required_work_group_size();
  if (!required || has_other_sizes(kernel, device)) return {};
  std::uint64_t work_items = 1;
  for (int i = 0; i < 3; ++i) work_items = sinter::abi::multiply_bytes(work_items, required[i]);
  if (work_items > device.max_work_group_size) {
    return "larger than the device's limit of " + std::to_string(device.max_work_group_size) +
           " work-items (info::device::max_work_group_size)";
  }
  for (std::size_t d = 0; d < 3; ++d) {
    if (required[d] <= device.most_items(d)) continue;
    return "of " + std::to_string(required[d]) + " work-items in one dimension, where the device's limit is " +
           std::to_string(device.most_items(d)) + " (info::device::max_work_item_sizes)";
  }
  return {};
}

std::string missing_aspects(const sinter::kernel_view& kernel, const sinter::device_facts& device) {
  if (!kernel.requires_aspects()) return {};
  const std::vector<std::uint32_t> missing = kernel.missing_aspects(device.aspects);
  if (missing.empty()) return {};
  for (std::uint32_t each : missing) {
    if (each != static_cast<std::uint32_t>(aspect::ext_sinter_ptx)) continue;
    return "it has inline assembly of NVIDIA GPUs (PTX), which this device does not take (no aspect::ext_sinter_ptx). "
           "Launch it on such a GPU, or launch another kernel where device::has says that the aspect is not there";
  }
  std::string names;
  for (std::uint32_t each : missing) names += (names.empty() ? "'" : "', '") + aspect_name(each);
  return uses_feature(names + "'") + "Ask device::has first";
}

std::string unknown_sub_group(const sinter::kernel_view& kernel, const sinter::device_facts& device) {
  const std::uint32_t required = kernel.required_sub_group_size();
  if (required == 0 || has_other_sizes(kernel, device)) return {};
  std::string offered;
  for (std::size_t size : device.sub_group_sizes) {
    if (size == required) return {};
    offered += (offered.empty() ? "" : ", ") + std::to_string(size);
  }
  return has_sub_group_size(required) + "It offers " + offered + " (info::device::sub_group_sizes)";
}

/// Describes a called function of another file that requires more than the device has.
std::string unsuited_function(const sinter::kernel_view& kernel, const sinter::device_facts& device) {
  const auto functions = kernel.demanding_functions();
  if (!functions) return {};
  for (const sinter::called_function& each : *functions) {
    // The readable name is made only for messages, not for each launch.
    const auto what = [&] {
      return "It calls '" + sinter::kernel_display_name(each.symbol.c_str()) + "' of another file, which asks for that";
    };
    if (const std::string targets = sinter::other_targets(each.flags, device.fixed_targets); !targets.empty()) {
      return compiled_for(targets) + ". " + what();
    }
    for (const std::uint32_t aspect : sinter::missing_aspects(each.required_aspects, device.aspects)) {
      return uses_feature("'" + aspect_name(aspect) + "'") + what();
    }
    const std::uint32_t size = each.required_sub_group_size;
    const auto& offered = device.sub_group_sizes;
    if (size != 0 && std::find(offered.begin(), offered.end(), size) == offered.end()) {
      return has_sub_group_size(size) + what();
    }
  }
  return {};
}

}  // namespace

std::string why_not(const sinter::kernel_view& kernel, const sinter::device_facts& device) {
  if (kernel.is_unrestricted()) return {};
  if (const std::string targets = sinter::other_targets(kernel.flags(), device.fixed_targets); !targets.empty()) {
    return compiled_for(targets);
  }
  // Without this check, compiling would fail later with another error.
  if (!device.is_this_process && kernel.needs_this_process()) {
    return "it uses a function or variable that only the host has, which the compiler's warning (-Wbackend-plugin) "
           "names: it can run on the host CPU only (SINTER_DEVICE=cpu, or cpu_selector_v)";
  }
  if (!has_its_globals(kernel, device)) {
    return "it uses a device_global, and the device has no unified shared memory (no aspect::usm_device_allocations); "
           "use a buffer, or another device";
  }
  if (std::string missing = missing_aspects(kernel, device); !missing.empty()) return missing;
  // If the group is too large, no launch could fulfil reqd_work_group_size.
  if (const std::string large = too_large_group(kernel, device); !large.empty()) {
    return "it requires work-groups " + large;
  }
  if (std::string size = unknown_sub_group(kernel, device); !size.empty()) return size;
  return unsuited_function(kernel, device);
}

}  // namespace sycl::detail
