#pragma once
/// A command group while its function runs.

#include <runtime/kernel_bundle.hpp>
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
  bool requires_record(const buffer_record* record) const noexcept;
  void keep(shared<counted> object) { m_command->keep.push_back(std::move(object)); }
  std::size_t add_local_memory(std::size_t bytes, std::size_t alignment);
  std::size_t local_bytes() const noexcept { return m_local_bytes; }
  void use_bundle(const shared<kernel_bundle_impl>& bundle);
  const shared<kernel_bundle_impl>& bundle() const noexcept { return m_bundle; }
  /// The values set in this command group. errc::invalid after use_bundle: they come from there.
  specialization_values& own_values(const char* what);
  /// What the kernel sees: of the bundle, or of the command group.
  const specialization_table* visible_values();
  const queue_impl& queue() const noexcept { return *m_command->queue; }

  /// Submits what was asked for; a group without a command gives an event that waits for its dependencies.
  command_ptr finish();

private:
  [[noreturn]] void refuse_second(const std::string& name) const;

  command_ptr m_command;
  std::vector<command_ptr> m_dependencies;
  std::vector<requirement> m_requirements;
  std::size_t m_local_bytes = 0;
  bool m_has_command = false;
  shared<kernel_bundle_impl> m_bundle;
  shared<specialization_values> m_values;
};

} // namespace sycl::detail
