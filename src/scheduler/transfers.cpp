#include "transfers.hpp"

#include <base/race_notes.hpp>
#include <base/trace.hpp>
#include <map>
#include <mutex>
#include <utility>

#include "edges.hpp"
#include "submission_queue.hpp"
#include "transfer_counts.hpp"

namespace sycl::inline _V1::detail {
namespace {

/// A queue for transfers. Each device has two such queues: one queue for copies to the device, and one queue for copies
/// from the device. So copies in the two directions need not wait for each other. Transfers overlap with commands of
/// the user's queues.
class transfer_queue final : public submission_queue {
public:
  transfer_queue(sinter::device_backend& backend, bool to_device)
      : submission_queue(backend, /*in_order=*/false, /*profiling=*/false, /*native=*/nullptr, /*only_copies=*/true) {
    keep_order_of_free();
    if (!sinter::traces()) return;
    sinter::trace_track(number(), (to_device ? "transfers to " : "transfers from ") + backend.facts().name, false);
  }
  void add_error(std::exception_ptr) override {}  // errors of transfers go to command::on_behalf
};

struct queue_list {
  std::mutex mutex;  // protects the members below
  std::map<std::pair<sinter::device_backend*, bool>, shared<submission_queue>> queues;

  static queue_list& instance() {
    static auto* list = new (sinter::lasting) queue_list;
    return *list;
  }
};

const shared<submission_queue>& queue_of(const transfer& wanted) {
  const bool to_device = wanted.to != nullptr;
  sinter::device_backend& backend = *(to_device ? wanted.to : wanted.from);
  queue_list& list = queue_list::instance();
  std::lock_guard lock(list.mutex);
  shared<submission_queue>& found = list.queues[{&backend, to_device}];
  if (!found) found = make_counted<transfer_queue>(backend, to_device);
  return found;
}

}  // namespace

std::vector<shared<submission_queue>> transfer_queues() {
  std::vector<shared<submission_queue>> all;
  queue_list& list = queue_list::instance();
  std::lock_guard lock(list.mutex);
  for (const auto& [key, queue] : list.queues) all.push_back(queue);
  return all;
}

void transfers_for::bring(std::span<const requirement> requirements) {
  for (const requirement& each : requirements) {
    if (!each.place && each.memory->is_on_host_only()) continue;
    for (const needed_transfer& wanted : each.memory->bring(each.part, each.place, each.mode, each.no_init)) {
      if (wanted.what) submit(wanted, *each.memory);
      m_needed.push_back(wanted.command);
      add_edge(wanted.command, m_needing);
    }
  }
}

void transfers_for::submit(const needed_transfer& wanted, memory_users& memory) {
  const command_ptr& node = wanted.command;
  const transfer& what = *wanted.what;
  node->name = "transfer";
  node->is_transfer = true;
  node->queue = queue_of(what);
  node->on_behalf = m_needing->is_transfer || m_needing->on_behalf ? m_needing->on_behalf : m_needing->queue;
  node->memory = what.copy;
  node->keep.push_back(shared<counted>(&memory));
  count_transfer(what);
  enter(*node);
  if (wanted.source) add_edge(wanted.source, node);
  short_list<command_ptr, 4> before;
  memory.find_users_at(what.to, what.part, before);
  memory.add_user(node, what.part, access_mode::read, what.from, before);
  memory.add_user(node, what.part, access_mode::read, what.to, before);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i] == m_needing) continue;
    note_wait_for_list(*before[i]);
    add_edge(before[i], node);
  }
  m_made.push_back(node);
}

}  // namespace sycl::detail
