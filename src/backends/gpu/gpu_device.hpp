#pragma once
/// The base class of GPUs whose driver has the functions in driver.hpp. Each vendor's subclass adds facts and the
/// target of code.

#include <backends/driver_device.hpp>
#include <backends/natives.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu_context.hpp"
#include "gpu_programs.hpp"

namespace sinter::gpu {

class gpu_device : public driver_device {
public:
  gpu_device(const void* family, const driver& functions, int ordinal, gpu_description description)
      : driver_device(family), m_gpu(functions, ordinal, std::move(description)), m_natives(m_gpu) {}

  gpu_context& context() noexcept { return m_gpu; }
  launch_class class_of(std::span<const kernel_launch* const> together) const noexcept override;
  void check_memory(const kernel_launch& launch) const override;
  std::uint64_t groups_together(kernel_launch& launch) override;
  std::unique_ptr<device_stream> make_stream(const stream_use& use) override;
  std::unique_ptr<device_program> make_program(std::span<const program_step> steps, std::string& why) override;
  std::unique_ptr<device_timer> make_timer() override;
  device_natives* natives() noexcept override { return &m_natives; }
  bool reaches(const device_backend& other) const noexcept override;
  void* allocate(memory_kind kind, std::size_t bytes, std::size_t) override { return m_gpu.allocate(kind, bytes); }
  void deallocate(void* memory) noexcept override { m_gpu.deallocate(memory); }
  std::uint64_t free_memory() override { return m_gpu.free_memory(); }

protected:
  const gpu_context& context() const noexcept { return m_gpu; }

private:
  class natives_of final : public device_natives {
  public:
    explicit natives_of(gpu_context& gpu) : m_gpu(gpu) {}
    int number() const noexcept override { return m_gpu.device(); }
    void* context() override { return m_gpu.functions().has_contexts ? m_gpu.native() : nullptr; }
    std::unique_ptr<device_stream> adopt_stream(void* stream, bool measures) override;
    void wait_for(void* event) override;

  private:
    gpu_context& m_gpu;
  };

  grid shape_of(const kernel_launch& launch) const;
  void check_launch(const kernel_launch& launch) const override;
  void check_private_memory(const loaded_program& loaded) const;

  mutable gpu_context m_gpu;
  natives_of m_natives;
};

/// Tells each device of one family about the others. Called after all devices of the family have been made.
void introduce(const std::vector<device_backend*>& devices);
/// Unloads the program from these devices.
void unload_from(const std::vector<device_backend*>& devices, gpu_program& unused) noexcept;
/// Returns the context of one of the devices, preferably a context that is open already.
gpu_context& any_in_use(const std::vector<device_backend*>& devices);
/// Returns the PCI device id of the device at this PCI address, or 0 if the system does not know the device.
std::uint32_t pci_device_id(const std::string& address);
/// Returns the text of a PCI address, for example "0000:01:00.0".
std::string pci_address(int domain, int bus, int device);

}  // namespace sinter::gpu
