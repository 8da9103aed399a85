#include "fusion_list.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <images/kernel_name.hpp>
#include <base/environment.hpp>
#include <scheduler/fused_hold.hpp>

#include <sycl/exception.hpp>

#include "fused_cache.hpp"
#include "fused_launch.hpp"

namespace sycl::inline _V1::detail {
namespace {

const char* text_of(list_end cause) {
  if (cause == list_end::cancelled) return "the fusion was cancelled";
  if (cause == list_end::event_of_other_fusion)
    return "Aborting fusion because of event dependency from a different fusion";
  if (cause == list_end::memory_of_other_fusion)
    return "Aborting fusion because of requirement from a different fusion";
  if (cause == list_end::circle) return "Aborting fusion because it would create a circular dependency";
  return "Aborting fusion because synchronization with one of the kernels in the fusion list was requested";
}

// Programs may expect this text, because the first implementation of the extension uses it.
constexpr const char* empty_list = "Fusion list is empty";

std::string refusal_text(const std::string& why) {
  if (why == empty_list) return why;
  if (!why.starts_with("Cannot fuse kernels")) return "kernels run one by one: " + why;
  return "kernels run one by one: ERROR: JIT compilation for kernel fusion failed with message:\nIllegal ND-range "
         "combination\nDetailed information:\n\t" + why;
}

/// Returns the number of kernels of this size that make a list long enough. If these kernels become one launch, a
/// longer list gains nothing more. On an H200, some longer lists even took more time than their kernels took one by one
/// (benchmarks/stencils).
std::size_t enough_kernels(std::uint64_t work_items) {
  constexpr std::uint64_t small = 1 << 18, large = 1 << 21;
  return work_items < small ? 6 : work_items < large ? 4 : 2;
}

/// Returns whether a reduction over a range can also do the work of `kernel`. For this, `kernel` must have one
/// work-item for each element that the reduction visits.
bool has_elements(const sinter::kernel_launch& kernel, const sinter::kernel_launch& reduction) {
  return kernel.kernel->shape == sinter::abi::kernel_shape::range &&
         kernel.kernel->dimensions == reduction.element_dimensions &&
         std::equal(kernel.global_range, kernel.global_range + 3, reduction.element_range) &&
         std::all_of(kernel.global_offset, kernel.global_offset + 3, [](std::uint64_t each) { return each == 0; });
}

/// Returns whether one of the kernels has a work-item for each row, and the other kernel a work-item for each element
/// of these rows. Such kernels may become one kernel whose groups process whole rows.
bool have_common_rows(const sinter::kernel_launch& a, const sinter::kernel_launch& b) {
  const auto rows_of = [](const sinter::kernel_launch& launch) {
    return launch.global_range[3 - launch.kernel->dimensions];
  };
  return a.kernel->shape == sinter::abi::kernel_shape::range && rows_of(a) == rows_of(b);
}

/// Compiles the kernel for its device. Called when it is known that the kernel will not be fused.
void prepare_alone(command& kernel) {
  if (!kernel.works_by_itself()) return;
  try {
    kernel.queue->backend().prepare(kernel.kernel->launch);
  } catch (...) {
    kernel.add_error(std::current_exception());
    kernel.kernel.reset();
  }
}

std::string names_of(std::span<const command_ptr> members) {
  std::string names;
  for (const command_ptr& member : members) {
    names += (names.empty() ? "'" : ", '") + sinter::kernel_display_name(*member->kernel->launch.kernel) + "'";
  }
  return names;
}

} // namespace

void warn_fusion(const std::string& text) {
  if (sinter::environment().warning_level == 0) return;
  // The program's own output is flushed first, because it is often read together with the report.
  std::fflush(stdout);
  std::fprintf(stderr, "sinter: WARNING: %s\n", text.c_str());
}

void warn_not_fused(const std::string& kind) {
  warn_fusion("Not fusing '" + kind + "' command group. Can only fuse device kernel command groups.");
}

fusion_list::fusion_list(shared<submission_queue> queue, bool automatic)
    : command_list(automatic), m_queue(std::move(queue)), m_command(make_counted<command>()) {
  m_command->name = "fused kernel";
  m_command->queue = m_queue;
  m_command->fusion = this;
  m_command->hold();
  m_kernels.members.reserve(longest_list / 2);
  m_kernels.details.reserve(longest_list / 2);
}

shared<fusion_list> fusion_list::start(shared<submission_queue> queue, bool automatic) {
  // note_start makes the list visible to other threads, which may end the list at once. So a shared pointer to the list
  // is made before note_start.
  const auto list = make_counted<fusion_list>(std::move(queue), automatic);
  list->note_start();
  if (automatic) hold_list(list);
  return list;
}

bool fusion_list::fits(const command& kernel, std::span<const requirement> requirements) {
  std::lock_guard lock(m_mutex);
  // If another thread has ended the list, only that thread may access the members. In this case, the result does not
  // matter, because collect() will notice that the list has ended.
  if (!is_active() || m_kernels.members.empty()) return true;
  if (m_kernels.members.size() >= longest_list) return false;
  const sinter::abi::kernel_descriptor* const first = m_kernels.members.front()->kernel->launch.kernel;
  if (m_kernels.begin_again_with(kernel, requirements, first)) {
    m_queue->set_sequence_begin(first);
    return false;
  }
  const sinter::abi::kernel_descriptor* const begin = m_queue->sequence_begin();
  if (begin != first && m_kernels.begin_again_with(kernel, requirements, begin)) {
    m_is_rest = true;
    return false;
  }
  std::array<const sinter::kernel_launch*, longest_list> launches;
  const auto end = std::ranges::transform(m_kernels.members, launches.begin(), [](const command_ptr& member) {
                     return &member->kernel->launch;
                   }).out;
  return goes_on({launches.begin(), end}, kernel.kernel->launch);
}

/// Returns whether the program begins its sequence of kernels again with this kernel, for example to process the next
/// picture: the kernel is the sequence's first kernel `begin`, and reads no buffer that this list writes. Two pictures
/// share no data, so fusing their kernels only saves launches. Saving launches is worthwhile only if the sequence
/// consists of few small kernels.
bool fusion_list::kernels::begin_again_with(const command& kernel, std::span<const requirement> requirements,
                                            const sinter::abi::kernel_descriptor* begin) const {
  const sinter::kernel_launch& launch = kernel.kernel->launch;
  if (launch.kernel != begin || requirements.empty()) return false;
  if (members.size() < enough_kernels(launch.work_items())) return false;
  return std::ranges::none_of(requirements, [&](const requirement& needed) {
    return mode_reads(needed.mode) && std::ranges::any_of(details, [&](const collected_kernel& earlier) {
      return std::ranges::any_of(earlier.requirements, [&](const requirement& used) {
        return used.memory == needed.memory && mode_writes(used.mode);
      });
    });
  });
}

bool goes_on(std::span<const sinter::kernel_launch* const> list, const sinter::kernel_launch& next) {
  const sinter::kernel_launch &first = *list.front(), &last = *list.back();
  // A reduction ends an automatic list, because the kernel behind a reduction usually needs the reduction's result.
  // With such a kernel, the whole list would be refused.
  if (last.visits_elements()) return false;
  if (next.visits_elements()) {
    if (!has_elements(first, next)) return false;
    std::array<sinter::abi::kernel_descriptor*, longest_list + 1> kernels;
    const auto end = std::ranges::transform(list, kernels.begin(), &sinter::kernel_launch::kernel).out;
    *end = next.kernel;
    return !was_refused({kernels.begin(), end + 1}, first);
  }
  if (first.kernel->shape != next.kernel->shape ||
      !std::equal(first.global_offset, first.global_offset + 3, next.global_offset))
    return false;
  if (have_common_rows(first, next)) return true;
  return first.kernel->dimensions == next.kernel->dimensions &&
         std::equal(first.global_range, first.global_range + 3, next.global_range) &&
         std::equal(first.local_range, first.local_range + 3, next.local_range);
}

command_ptr fusion_list::collect(const command_ptr& kernel, collected_kernel& details) {
  for (;;) {
    list_end cause = list_end::event_of_other_fusion;
    obstacle in_the_way;
    {
      std::lock_guard lock(m_mutex);
      if (!is_active()) return nullptr;
      in_the_way.list = collecting_list(details.before, this);
      if (!in_the_way.list) {
        in_the_way = add(kernel, details);
        cause = in_the_way.is_circle ? list_end::circle : list_end::memory_of_other_fusion;
      }
    }
    if (!in_the_way.list) break;
    // This thread must not hold the mutex of this list during the call. Another thread may be ending the other list; it
    // also ends this list and needs the mutex for this.
    in_the_way.list->end_early(cause);
  }
  release_before(m_command);
  if (is_automatic()) m_queue->after_submit();
  return is_automatic() ? kernel : m_command;
}

/// Adds a kernel. If the kernel can't be added, returns the obstacle and does nothing. Called under the mutex.
obstacle fusion_list::add(const command_ptr& kernel, collected_kernel& details) {
  const bool first = m_kernels.members.empty();
  obstacle other = first ? obstacle{m_queue->try_submit(m_command, details.before, details.requirements)}
                         : extend_command(m_command, details);
  if (other.list) return other;
  if (first) {
    const auto before = m_command->dependencies();
    details.before.clear();
    for (std::size_t i = 0; i < before.size(); ++i) details.before.push_back(before[i]);
  }
  if (is_automatic()) {
    // In an automatic list, the kernel's event stays an event of the kernel itself, because the user does not know that
    // the kernel may become part of another command.
    kernel->fusion = this;
    if (m_queue->profiling()) kernel->submit_time = now_nanoseconds();
  }
  m_kernels.members.push_back(kernel);
  m_kernels.details.push_back(std::move(details));
  return {};
}

/// Returns false and a reason if the list can't be fused. Called under the mutex.
bool fusion_list::try_to_fuse(const fusion_options& options, std::string& why) {
  if (m_kernels.members.empty()) why = empty_list;
  // A list of one kernel is not fused, unless the user asks for it.
  if (m_kernels.members.size() <= (options.automatic ? 1 : 0)) return false;
  if (!make_fused(*m_command, m_kernels.members, options, why)) return false;
  submit_fused(is_automatic() ? std::span<const command_ptr>(m_kernels.members) : std::span<const command_ptr>(),
               m_command);
  return true;
}

/// Called under the mutex.
void fusion_list::submit_one_by_one() {
  for (const command_ptr& each : m_kernels.members) prepare_alone(*each);
  // If the list is empty, its command is not submitted yet. The command does not have to wait for anything.
  if (m_kernels.members.empty()) (void)submit_command(m_command, {}, {}, {});
  submit_collected(m_kernels.members, m_kernels.details, m_command, m_queue->in_order());
}

/// Tells the queue how an automatic list ended. Called under the mutex.
void fusion_list::note_automatic(const ending& how) {
  m_queue->note_rest(m_is_rest);
  // If a pause ended in the middle of a sequence, the list with the rest of the sequence is not counted.
  if (m_is_rest || sinter::environment().fuse_small) return;
  if (how.why == not_compiled_yet) {
    m_queue->pause().note_not_compiled();
  } else {
    m_queue->pause().note_list(how.fused);
  }
}

/// Ends the list. If `options` is null, the kernels run one by one. Called under the mutex.
fusion_list::ending fusion_list::end(const fusion_options* options, const char* cause) {
  ending result;
  result.why = cause;
  const bool strict = sinter::environment().strict && options && !options->automatic;
  if (strict) result.names = names_of(m_kernels.members);
  try {
    result.fused = options && try_to_fuse(*options, result.why);
  } catch (...) {
    result.failure = std::current_exception();
  }
  // On a slow host, the next kernel may come when a list has already ended, so lists of one kernel are not counted.
  if (is_automatic() && m_kernels.members.size() > 1) note_automatic(result);
  if (!result.fused) {
    if (!is_automatic() || m_kernels.members.size() > 1) report_one_by_one(m_kernels.members, result.why);
    submit_one_by_one();
  }
  std::swap(result.left, m_kernels);
  note_end();
  return result;
}

void fusion_list::end_early(list_end cause) {
  const shared<fusion_list> keep(this);
  ending how;
  {
    std::lock_guard lock(m_mutex);
    if (!is_active()) return;
    if (!is_automatic() && cause != list_end::cancelled) warn_fusion(text_of(cause));
    const fusion_options automatic{
        .automatic = true, .must_pay = !sinter::environment().fuse_small, .tiles = true};
    how = end(is_automatic() ? &automatic : nullptr, is_automatic() ? "" : text_of(cause));
  }
  if (how.fused) hold_fused(m_command);
  if (how.failure) std::rethrow_exception(how.failure);
}

command_ptr fusion_list::complete(const fusion_options& options) {
  ending how;
  {
    std::lock_guard lock(m_mutex);
    if (!is_active()) return m_command;
    how = end(&options);
  }
  if (how.fused) hold_fused(m_command);
  if (how.fused && how.why.empty()) return m_command;
  if (how.failure) std::rethrow_exception(how.failure);
  warn_fusion(how.fused ? how.why : refusal_text(how.why));
  if (!how.names.empty()) {
    detail::throw_error(errc::kernel_not_supported, "complete_fusion: the kernels " + how.names +
                                                        (how.fused ? ": " : " run one by one: ") + how.why);
  }
  return m_command;
}

} // namespace sycl::detail
