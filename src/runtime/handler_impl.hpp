#pragma once
/// A command group while its function runs.

#include <runtime/objects.hpp>
#include <scheduler/command.hpp>
#include <scheduler/scheduler.hpp>
#include <vector>

namespace sycl::detail {

class handler_impl {
public:
  explicit handler_impl(shared<queue_impl> queue) : m_command(make_counted<command>()) {
    m_command->queue = std::move(queue);
  }

  /// errc::invalid when the group already has a command.
  void set(std::string name, std::function<void()> work);
  void set_kernel(shared<kernel_work> kernel);
  void depends_on(const command_ptr& dependency) {
    if (dependency) m_dependencies.push_back(dependency);
  }
  void require(const shared<buffer_record>& record, access_mode mode);
  void keep(shared<counted> object) { m_command->keep.push_back(std::move(object)); }
  std::size_t add_local_memory(std::size_t bytes, std::size_t alignment);
  std::size_t local_bytes() const noexcept { return m_local_bytes; }
  const queue_impl& queue() const noexcept { return *m_command->queue; }

  /// Submits what was asked for; a group without a command gives an event that waits for its dependencies.
  command_ptr finish();

private:
  command_ptr m_command;
  std::vector<command_ptr> m_dependencies;
  std::vector<requirement> m_requirements;
  std::size_t m_local_bytes = 0;
  bool m_has_command = false;
};

} // namespace sycl::detail
