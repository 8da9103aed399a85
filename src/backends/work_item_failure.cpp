#include "work_item_failure.hpp"

#include <cstring>

#include <sycl/exception_classes.hpp>

namespace sinter {
namespace {

std::string text_of(const abi::gpu_failure& failure, const std::string& kernel, const std::string& device) {
  const char* const first = failure.text;
  std::string text = "kernel '" + kernel + "' on device '" + device + "': ";
  if (failure.line == 0) {
    text += first;
  } else {
    const char* const file = first + std::strlen(first) + 1;
    const char* const function = file + std::strlen(file) + 1;
    text += std::string("assertion '") + first + "' failed in " + function + ", " + file + ":" +
            std::to_string(failure.line);
  }
  text += "; first in work-item (";
  for (int d = 0; d < 3; ++d) text += (d == 0 ? "" : ", ") + std::to_string(failure.thread[d]);
  text += ") of block (";
  for (int d = 0; d < 3; ++d) text += (d == 0 ? "" : ", ") + std::to_string(failure.block[d]);
  return text + ")";
}

}  // namespace

std::exception_ptr take_failure(abi::gpu_failure& failure, const std::string& kernel, const std::string& device) {
  // Several streams may look at once; to work-items the place stays taken.
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
