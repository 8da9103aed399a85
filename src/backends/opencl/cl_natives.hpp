#pragma once
/// Objects of OpenCL that user programs pass to SYCL or get from it.

#include <backends/device.hpp>
#include <backends/natives.hpp>
#include <string>

#include "cl_context.hpp"

namespace sinter::opencl {

class cl_natives final : public device_natives {
public:
  cl_natives(device_backend& owner, cl_device_context& device, const code_target& target)
      : m_owner(owner), m_device(device), m_target(target) {}

  void* platform() override { return m_device.shared().platform().id; }
  void* device() override { return m_device.id(); }
  void* context() override { return m_device.native(); }
  std::string extensions(bool of_platform) const override;
  device_backend* in_context(void* context) override;
  void retain(native_kind kind, void* object) override;
  void release(native_kind kind, void* object) override;
  std::unique_ptr<device_stream> adopt_stream(void* stream, bool measures) override;
  void wait_for(void* event) override;
  std::size_t bytes_of(void* object) override;
  void* object_of(void* memory, std::size_t bytes) override {
    return m_device.memory().object_of(m_device.native(), memory, bytes);
  }
  native_image image_of(void* object) override;
  void* make_image(const native_image& wanted) override;
  void copy(void* object, void* host, std::size_t bytes, bool to_object) override;
  bool builds(kernel_source::language) const override { return true; }
  std::unique_ptr<native_module> build(const kernel_source& source, std::string& log) override;
  std::unique_ptr<native_module> adopt_module(void* program, void* kernel) override;
  void* program_of(void* kernel, std::string& name) override;
  code code_of(abi::kernel_descriptor& kernel, const abi::specialization_table* constants) override;

private:
  device_backend& m_owner;
  cl_device_context& m_device;
  const code_target& m_target;
};

/// Returns whether the context has this device.
bool has_device(const cl_device_context& device, cl_context context);
/// Returns this device in a context that the program has created, or null if the context has other devices.
device_backend* device_in_context(cl_device_context& device, cl_context context);  // cl_device.cpp

}  // namespace sinter::opencl
