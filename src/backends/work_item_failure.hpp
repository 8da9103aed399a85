#pragma once
/// Reads the record of a work-item that has failed (abi::gpu_failure).

#include <abi/gpu_launch.hpp>
#include <cstdint>
#include <exception>
#include <mutex>
#include <string>
#include <utility>

namespace sinter {

/// Returns the text of a failed assertion, in the format of DPC++: "file:line: function: global id: [x,y,z], local id:
/// [x,y,z] Assertion `expression` failed." `ids` has the order of the parameters of __sinter_assert_fail.
std::string assertion_text(const char* expression, const char* file, unsigned line, const char* function,
                           const std::uint64_t (&ids)[6]);

/// Returns null if no work-item has failed since the last call. Otherwise returns a sycl::exception that names kernel,
/// device, source position and work-item, and clears the record for the next work-item that fails.
std::exception_ptr take_failure(abi::gpu_failure& failure, const std::string& kernel, const std::string& device);

/// Makes an empty record in this memory, which the host can access. Throws errc::memory_allocation if `memory` is null.
abi::gpu_failure* make_failure_record(void* memory);

/// The failure record of a loaded program. Streams in which the program ran keep this object, because they may outlive
/// the program.
class failing_program {
public:
  /// `where` is a record in memory that the host can access, or null if each launch has its own record.
  failing_program(std::string kernel, abi::gpu_failure* where) : m_kernel(std::move(kernel)), m_where(where) {}
  failing_program(const failing_program&) = delete;

  const std::string& kernel() const noexcept { return m_kernel; }
  std::exception_ptr take(const std::string& device) {
    std::lock_guard lock(m_mutex);
    return m_where ? take_failure(*m_where, m_kernel, device) : nullptr;
  }
  /// Called before the record's memory is freed.
  void close() noexcept {
    std::lock_guard lock(m_mutex);
    m_where = nullptr;
  }
  bool is_closed() noexcept {
    std::lock_guard lock(m_mutex);
    return !m_where;
  }

private:
  const std::string m_kernel;
  std::mutex m_mutex;  // protects the members below
  abi::gpu_failure* m_where;
};

}  // namespace sinter
