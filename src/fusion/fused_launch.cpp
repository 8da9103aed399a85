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
  std::vector<command_ptr> members;  ///< complete after this command, so they keep their kernels
  std::vector<const void*> blocks;
  fusion_options options;
  std::string outlook_key;
  const sinter::fused_code* code = nullptr;  ///< null: depends on what is forgotten before the launch

  ~fused_work() override {
    // What the kernels captured goes with the command that ran them, not with the last event.
    for (const command_ptr& member : members) member->kernel.reset();
  }
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

void check_member(const sinter::kernel_launch& launch, std::string& why) {
  // Names are for messages: a launch that goes well makes none.
  auto name = [&] { return sinter::kernel_display_name(*launch.kernel); };
  if (!sinter::image_of(*launch.kernel) || sinter::environment().force_host_entry) {
    why = "No suitable IR available for fusion: kernel '" + name() + "' was compiled without the capture plugin";
  } else if (size_of(launch.global_range) == 0) {
    why = "kernel '" + name() + "' has an empty range";
  }
}

/// Runs the code for what is known now: temporaries may have been forgotten since the fusion was completed.
void run_fused(fused_work& work, sinter::device_backend& backend) {
  std::string why;
  const sinter::fused_code* code = work.code;
  if (!code) {
    member_arguments arguments(work.members);
    remember_outlook(work.outlook_key, arguments.has_candidates() ? member_arguments::outlook::as_it_is
                                                                  : member_arguments::outlook::forgotten);
    code = find_fused_code(std::move(arguments), work.options, why);
  }
  if (!code) {
    // Refused only in this form: the members are right in any case.
    for (const command_ptr& member : work.members) backend.run(member->kernel->launch);
    return;
  }
  sinter::kernel_launch launch = work.members[code->facts.range_member]->kernel->launch;
  const sinter::kernel_launch& groups = work.members[code->facts.local_member]->kernel->launch;
  std::copy(groups.local_range, groups.local_range + 3, launch.local_range);
  launch.kernel = work.members.front()->kernel->launch.kernel;
  launch.blocks = work.blocks.data();
  launch.code = &code->tier;
  launch.local_memory_bytes = code->facts.local_memory_bytes;
  if (!code->reported.exchange(true)) report(work.members, launch, code->facts.report);
  backend.run(launch);
}

} // namespace

command_ptr make_fused_command(const shared<queue_impl>& queue, std::span<const command_ptr> members,
                               const fusion_options& options, std::string& why) {
  auto work = make_counted<fused_work>();
  work->options = options;
  for (const command_ptr& member : members) {
    const sinter::kernel_launch& launch = member->kernel->launch;
    check_member(launch, why);
    if (!why.empty()) return nullptr;
    work->blocks.push_back(launch.block);
  }
  member_arguments arguments(members);
  for (const char* text : arguments.warnings()) warn_fusion(text);
  const bool may_change = arguments.has_candidates();
  if (options.automatic && !arguments.share_memory()) {
    why = "the kernels have no memory in common";
    return nullptr;
  }
  if (may_change) {
    work->outlook_key = arguments.key();
    const member_arguments::outlook expected = expected_outlook(work->outlook_key);
    if (expected == member_arguments::outlook::forgotten) arguments = member_arguments(members, expected);
  }
  const sinter::fused_code* code = find_fused_code(std::move(arguments), options, why);
  if (!code) {
    if (options.automatic) return nullptr;
    if (sinter::environment().report_fusion) {
      std::fprintf(stderr, "sinter: fusion refused: %s\n  members     %s\n", why.c_str(), names_of(members).c_str());
    }
    if (sinter::environment().strict) {
      throw exception(make_error_code(errc::kernel_not_supported),
                      "complete_fusion: kernels " + names_of(members) + " can't be fused: " + why);
    }
    return nullptr;
  }
  // Only now: what is refused leaves the members as they are.
  work->members.assign(members.begin(), members.end());
  auto fused = make_counted<command>();
  fused->name = "fused kernel";
  fused->queue = queue;
  if (queue->profiling()) fused->submit_time = now_nanoseconds();
  if (!may_change) work->code = code;
  fused->work = [device = object_access::impl(queue->get_device()), work] { run_fused(*work, device->backend()); };
  return fused;
}

} // namespace sycl::detail
