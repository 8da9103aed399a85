#include "fused_launch.hpp"

#include <algorithm>
#include <cstdio>
#include <images/kernel_name.hpp>
#include <images/registry.hpp>
#include <runtime/environment.hpp>
#include <runtime/objects.hpp>

#include "fused_cache.hpp"
#include "member_arguments.hpp"

namespace sycl::detail {
namespace {

/// Everything a fused launch needs while it runs.
struct fused_work : counted {
  std::vector<shared<kernel_work>> kernels;
  std::vector<const void*> blocks;
  const sinter::fused_code* code = nullptr;
  sinter::kernel_launch launch{};
};

std::uint64_t size_of(const std::uint64_t (&range)[3]) { return range[0] * range[1] * range[2]; }

std::string names_of(std::span<const command_ptr> members) {
  std::string names;
  for (const command_ptr& member : members) {
    names += (names.empty() ? "" : ", ") + sinter::kernel_display_name(*member->kernel->launch.kernel);
  }
  return names;
}

void report(std::span<const command_ptr> members, const sinter::kernel_launch& launch, const std::string& text) {
  if (!sinter::environment().report_fusion) return;
  std::fprintf(stderr, "sinter: fusion: %zu kernels -> 1 launch, %llu work-items\n  members     %s\n%s", members.size(),
               static_cast<unsigned long long>(size_of(launch.global_range)), names_of(members).c_str(), text.c_str());
}

} // namespace

command_ptr make_fused_command(const shared<queue_impl>& queue, std::span<const command_ptr> members,
                               const fusion_options& options, std::string& why) {
  auto work = make_counted<fused_work>();
  for (const command_ptr& member : members) {
    const sinter::kernel_launch& launch = member->kernel->launch;
    if (!sinter::image_of(*launch.kernel) || sinter::environment().force_host_entry) {
      why = "No suitable IR available for fusion: kernel '" + sinter::kernel_display_name(*launch.kernel) +
            "' was compiled without the capture plugin";
      return nullptr;
    }
    if (size_of(launch.global_range) == 0) {
      why = "kernel '" + sinter::kernel_display_name(*launch.kernel) + "' has an empty range";
      return nullptr;
    }
    work->kernels.push_back(member->kernel);
    work->blocks.push_back(launch.block);
    if (size_of(launch.global_range) > size_of(work->launch.global_range)) work->launch = launch;
  }
  member_arguments arguments(members);
  work->code = find_fused_code(arguments, options, why);
  if (!work->code) {
    if (sinter::environment().report_fusion) {
      std::fprintf(stderr, "sinter: fusion refused: %s\n  members     %s\n", why.c_str(), names_of(members).c_str());
    }
    if (sinter::environment().strict) {
      throw exception(make_error_code(errc::kernel_not_supported), "complete_fusion: kernels " + names_of(members) +
                                                                        " can't be fused: " + why);
    }
    return nullptr;
  }
  report(members, work->launch, work->code->report);
  // Ranges of members with groups are equal where it matters: the groups of one are the groups of all.
  for (const shared<kernel_work>& kernel : work->kernels) {
    if (kernel->launch.kernel->shape == sinter::abi::kernel_shape::nd_range) {
      std::copy(kernel->launch.local_range, kernel->launch.local_range + 3, work->launch.local_range);
    }
  }
  work->launch.kernel = work->kernels.front()->launch.kernel;
  work->launch.blocks = work->blocks.data();
  work->launch.code = &work->code->tier;
  work->launch.local_memory_bytes = work->code->local_memory_bytes;
  auto fused = make_counted<command>();
  fused->name = "fused kernel";
  fused->queue = queue;
  if (queue->profiling()) fused->submit_time = now_nanoseconds();
  for (const command_ptr& member : members) {
    for (const shared<counted>& kept : member->keep) fused->keep.push_back(kept);
  }
  fused->work = [device = object_access::impl(queue->get_device()), work] { device->backend().run(work->launch); };
  return fused;
}

} // namespace sycl::detail
