#include "work_item_failure.hpp"

#include <abi/device_abi.hpp>
#include <cstring>
#include <new>

#include <sycl/exception.hpp>
#include <sycl/exception_classes.hpp>

namespace sinter {
namespace {

std::string text_of(const abi::gpu_failure& failure, const std::string& kernel, const std::string& device) {
  const char* const first = failure.text;
  std::string text = "kernel '" + kernel + "' on device '" + device + "': ";
  if (failure.line != 0) {
    const char* const file = first + std::strlen(first) + 1;
    const char* const function = file + std::strlen(file) + 1;
    return text + assertion_text(first, file, failure.line, function, failure.ids);
  }
  text += first;
  text += "; first in work-item (";
  for (int d = 0; d < 3; ++d) text += (d == 0 ? "" : ", ") + std::to_string(failure.thread[d]);
  text += ") of block (";
  for (int d = 0; d < 3; ++d) text += (d == 0 ? "" : ", ") + std::to_string(failure.block[d]);
  return text + ")";
}

std::string id_text(const char* what, const std::uint64_t* id) {
  return std::string(what) + " id: [" + std::to_string(id[2]) + "," + std::to_string(id[1]) + "," +
         std::to_string(id[0]) + "]";
}

}  // namespace

std::string assertion_text(const char* expression, const char* file, unsigned line, const char* function,
                           const std::uint64_t (&ids)[6]) {
  std::string text = std::string(file) + ":" + std::to_string(line) + ": ";
  if (function && *function != 0) text += std::string(function) + ": ";
  if (ids[2] != abi::unknown_work_item) text += id_text("global", ids) + ", " + id_text("local", ids + 3) + " ";
  return text + "Assertion `" + expression + "` failed.";
}

abi::gpu_failure* make_failure_record(void* memory) {
  if (!memory) sycl::detail::throw_error(sycl::errc::memory_allocation, "no memory for messages");
  return new (memory) abi::gpu_failure{};
}

std::exception_ptr take_failure(abi::gpu_failure& failure, const std::string& kernel, const std::string& device) {
  // Several streams may look at the record at the same time. The stream that changes the state from 2 to 3 reports the
  // failure. Work-items write to the record only while its state is 0.
  std::uint32_t written = 2;
  if (!__atomic_compare_exchange_n(&failure.state, &written, 3, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    return nullptr;
  }
  failure.text[sizeof(failure.text) - 1] = 0;
  std::exception_ptr error = std::make_exception_ptr(
      sycl::runtime_error(sycl::make_error_code(sycl::errc::runtime), text_of(failure, kernel, device)));
  __atomic_store_n(&failure.state, 0, __ATOMIC_RELEASE);
  return error;
}

}  // namespace sinter
