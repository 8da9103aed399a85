#include "fusion_list.hpp"

#include <algorithm>
#include <cstdio>
#include <images/kernel_name.hpp>
#include <runtime/environment.hpp>
#include <runtime/objects.hpp>

#include "fused_hold.hpp"
#include "fused_launch.hpp"

namespace sycl::detail {
namespace {

const char* text_of(fusion_end cause) {
  if (cause == fusion_end::event_of_other_fusion) return "Aborting fusion because of event dependency from a different fusion";
  if (cause == fusion_end::memory_of_other_fusion) return "Aborting fusion because of requirement from a different fusion";
  return "Aborting fusion because synchronization with one of the kernels in the fusion list was requested";
}

// As the runtime that first had this extension says it.
constexpr const char* empty_list = "Fusion list is empty";
constexpr const char* circle = "Aborting fusion because it would create a circular dependency";

std::string refusal_text(const std::string& why) {
  if (why == empty_list || why == circle) return why;
  if (!why.starts_with("Cannot fuse kernels")) return "kernels run one by one: " + why;
  return "kernels run one by one: ERROR: JIT compilation for kernel fusion failed with message:\nIllegal ND-range "
         "combination\nDetailed information:\n\t" + why;
}

// Longer lists gain little and take long to compile.
constexpr std::size_t longest_window = 16;

std::string names_of(std::span<const command_ptr> members) {
  std::string names;
  for (const command_ptr& member : members) {
    names += (names.empty() ? "'" : ", '") + sinter::kernel_display_name(*member->kernel->launch.kernel) + "'";
  }
  return names;
}

/// Lists that collect, for the end of the program. Never destroyed.
struct list_registry {
  std::mutex mutex;  // protects lists
  std::vector<fusion_list*> lists;
  static list_registry& instance() {
    static auto* registry = new list_registry;
    return *registry;
  }
};

} // namespace

std::atomic<unsigned> fusion_list::active_lists{0};

void warn_fusion(const std::string& text) {
  if (sinter::environment().warning_level == 0) return;
  // Behind what the program has printed before: both are often read as one.
  std::fflush(stdout);
  std::fprintf(stderr, "sinter: WARNING: %s\n", text.c_str());
}

void warn_not_fused(const std::string& kind) {
  warn_fusion("Not fusing '" + kind + "' command group. Can only fuse device kernel command groups.");
}

fusion_list::fusion_list(shared<queue_impl> queue, bool automatic)
    : m_queue(std::move(queue)), m_automatic(automatic), m_placeholder(make_counted<command>()) {
  m_placeholder->name = "fusion";
  m_placeholder->queue = m_queue;
  m_placeholder->hold();
  m_members.reserve(longest_window / 2);
}

shared<fusion_list> fusion_list::start(shared<queue_impl> queue, bool automatic) {
  // Other threads may end the list as soon as they can find it: it has an owner before that.
  const auto list = make_counted<fusion_list>(std::move(queue), automatic);
  list->m_placeholder->fusion = list.get();
  active_lists.fetch_add(1);
  {
    list_registry& registry = list_registry::instance();
    std::lock_guard lock(registry.mutex);
    registry.lists.push_back(list.get());
  }
  submit_command(list->m_placeholder, {}, {}, {});
  if (automatic) hold_list(list);
  return list;
}

bool fusion_list::fits(const command& kernel) {
  std::lock_guard lock(m_mutex);
  // Whoever has ended it works on the members; collect will say so.
  if (!is_active() || m_members.empty()) return true;
  if (m_members.size() >= longest_window) return false;
  const sinter::kernel_launch& first = m_members.front()->kernel->launch;
  const sinter::kernel_launch& next = kernel.kernel->launch;
  return first.kernel->shape == next.kernel->shape && first.kernel->dimensions == next.kernel->dimensions &&
         std::equal(first.global_range, first.global_range + 3, next.global_range) &&
         std::equal(first.local_range, first.local_range + 3, next.local_range) &&
         std::equal(first.global_offset, first.global_offset + 3, next.global_offset);
}

command_ptr fusion_list::collect(const command_ptr& kernel, std::vector<dependency>& dependencies,
                                 std::span<const requirement> requirements) {
  {
    std::lock_guard lock(m_mutex);
    if (!is_active()) return nullptr;
    // The order inside the list is that of submission: whoever names the list's event means the kernels so far.
    if (std::erase(dependencies, dependency(m_placeholder)) > 0) {
      dependencies.insert(dependencies.end(), m_members.begin(), m_members.end());
    }
    kernel->hold();
    kernel->fusion = this;
    m_members.push_back(kernel);
    m_queue->submit(kernel, dependencies, requirements);
  }
  end_fusions_for(kernel, dependencies, true);
  return m_placeholder;
}

void fusion_list::leave() {
  m_state = state::ended;
  active_lists.fetch_sub(1);
  list_registry& registry = list_registry::instance();
  std::lock_guard lock(registry.mutex);
  std::erase(registry.lists, this);
}

void fusion_list::end_early(fusion_end cause) {
  const shared<fusion_list> keep(this);
  {
    std::lock_guard lock(m_mutex);
    if (!is_active()) return;
    leave();
  }
  if (m_automatic) {
    run_fused({.automatic = true});
    return;
  }
  if (cause != fusion_end::cancelled) warn_fusion(text_of(cause));
  release_commands(m_members, m_placeholder);
  m_members.clear();
}

command_ptr fusion_list::complete(const fusion_options& options) {
  {
    std::lock_guard lock(m_mutex);
    if (!is_active()) return m_placeholder;
    leave();
  }
  return run_fused(options);
}

command_ptr fusion_list::run_fused(const fusion_options& options) {
  std::string why;
  command_ptr fused;
  try {
    // One kernel alone is nothing to fuse, unless the user says so.
    if (m_members.size() > (options.automatic ? 1 : 0)) fused = make_fused_command(m_queue, m_members, options, why);
  } catch (...) {
    release_commands(m_members, m_placeholder);
    m_members.clear();
    throw;
  }
  if (fused && replace_commands(m_members, fused, m_placeholder)) {
    hold_fused(fused);
    m_members.clear();
    return fused;
  }
  if (fused) why = circle;
  const bool strict = sinter::environment().strict && !options.automatic && !m_members.empty();
  const std::string names = strict ? names_of(m_members) : std::string();
  if (m_members.empty()) why = empty_list;
  if (!options.automatic) warn_fusion(refusal_text(why));
  release_commands(m_members, m_placeholder);
  m_members.clear();
  if (strict) {
    throw exception(make_error_code(errc::kernel_not_supported),
                    "complete_fusion: the kernels " + names + " run one by one: " + why);
  }
  return m_placeholder;
}

void fusion_list::end_all() {
  list_registry& registry = list_registry::instance();
  std::vector<shared<fusion_list>> lists;
  {
    std::lock_guard lock(registry.mutex);
    for (fusion_list* list : registry.lists) lists.emplace_back(list);
  }
  for (const shared<fusion_list>& list : lists) list->end_early(fusion_end::synchronization);
}

} // namespace sycl::detail
