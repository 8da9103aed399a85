#include "command_list.hpp"

#include <base/race_notes.hpp>
#include <mutex>
#include <vector>

namespace sycl::inline _V1::detail {
namespace {

/// All lists that still collect commands. The end of the program ends these lists. The object is never destroyed.
struct list_registry {
  std::mutex mutex;  // protects lists
  std::vector<command_list*> lists;

  static list_registry& instance() {
    static auto* registry = new (sinter::lasting) list_registry;
    return *registry;
  }
};

}  // namespace

std::atomic<unsigned> command_list::active_lists{0};

void command_list::note_start() {
  active_lists.fetch_add(1);
  list_registry& registry = list_registry::instance();
  std::lock_guard lock(registry.mutex);
  registry.lists.push_back(this);
}

void command_list::note_end() {
  m_active = false;
  active_lists.fetch_sub(1);
  list_registry& registry = list_registry::instance();
  std::lock_guard lock(registry.mutex);
  std::erase(registry.lists, this);
}

void command_list::end_all() {
  list_registry& registry = list_registry::instance();
  std::vector<shared<command_list>> lists;
  {
    std::lock_guard lock(registry.mutex);
    for (command_list* list : registry.lists) lists.emplace_back(list);
  }
  for (const shared<command_list>& list : lists) list->end_early(list_end::synchronization);
}

}  // namespace sycl::detail
