#pragma once
/// Objects of Level Zero that user programs pass to SYCL or get from SYCL.

#include <backends/device.hpp>
#include <backends/natives.hpp>
#include <mutex>
#include <set>
#include <string>

#include "ze_context.hpp"
#include "ze_stream.hpp"

namespace sinter::level_zero {

/// Level Zero's objects have no reference counts. `retain` says that the program passes the ownership of an object to
/// the runtime, and `release` destroys an object.
class ze_natives final : public device_natives {
public:
  ze_natives(device_backend& owner, ze_device_context& device, stream_keeper& keeper, const code_target& target)
      : m_owner(owner), m_device(device), m_keeper(keeper), m_target(target) {}

  void* platform() override { return m_device.shared().driver(); }
  void* device() override { return m_device.device(); }
  void* context() override { return m_device.context(); }
  device_backend* in_context(void* context) override;
  /// Has an effect on command lists only: the stream that is made from a retained list destroys the list later.
  void retain(native_kind kind, void* object) override;
  void release(native_kind kind, void* object) override;
  std::unique_ptr<device_stream> adopt_stream(void* stream, bool measures) override;
  void wait_for(void* event) override;
  std::size_t bytes_of(void* object) override;
  void copy(void* object, void* host, std::size_t bytes, bool to_object) override;
  bool builds(kernel_source::language written_in) const override {
    return written_in == kernel_source::language::spirv;
  }
  std::unique_ptr<native_module> build(const kernel_source& source, std::string& log) override;
  /// The caller still owns the module and the kernel. If `kernel` is not null, the result has only this kernel.
  std::unique_ptr<native_module> adopt_module(void* program, void* kernel) override;
  void* program_of(void* kernel, std::string& name) override;
  code code_of(abi::kernel_descriptor& kernel, const abi::specialization_table* constants) override;

private:
  device_backend& m_owner;
  ze_device_context& m_device;
  stream_keeper& m_keeper;
  const code_target& m_target;
  std::mutex m_mutex;            // protects the members below
  std::set<void*> m_given_lists;
};

/// Returns this device in a context that the program has created.
device_backend* device_in_context(ze_device_context& device, ze_context_handle_t context);  // ze_device.cpp

}  // namespace sinter::level_zero
