#include "measured_launch.hpp"

#include <base/panic.hpp>
#include <scheduler/scheduler.hpp>
#include <vector>

namespace sycl::inline _V1::detail {
namespace {

using form = sinter::fusion_choice::form;

class measured_launch final : public sinter::ready_launch {
public:
  measured_launch(const fused_kernels& fused, sinter::device_backend& backend)
      : m_choice(*fused.choice), m_joined(backend.make_ready(fused.launch)) {
    for (const command_ptr& member : fused.members) m_apart.push_back(backend.make_ready(member->kernel->launch));
  }

  void run() override {
    const bool is_measured = !m_choice.is_kept();
    const form its = m_choice.next();
    const std::uint64_t start = is_measured ? now_nanoseconds() : 0;
    if (its == form::joined) {
      m_joined->run();
    } else {
      for (const auto& each : m_apart) each->run();
    }
    if (is_measured) m_choice.note(its, now_nanoseconds() - start);
  }

  void change(const sinter::kernel_launch&) override { sinter::panic("a measured launch is made anew"); }

  std::uint64_t parts() const noexcept override { return m_joined->parts(); }

private:
  sinter::fusion_choice& m_choice;
  const std::unique_ptr<sinter::ready_launch> m_joined;
  std::vector<std::unique_ptr<sinter::ready_launch>> m_apart;
};

}  // namespace

std::unique_ptr<sinter::ready_launch> make_measured_launch(const fused_kernels& fused,
                                                           sinter::device_backend& backend) {
  return std::make_unique<measured_launch>(fused, backend);
}

}  // namespace sycl::detail
