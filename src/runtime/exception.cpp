#include <sycl/context.hpp>
#include <sycl/exception.hpp>

namespace sycl {
namespace {

const char* text_of(errc code) noexcept {
  switch (code) {
    case errc::success: return "success";
    case errc::runtime: return "runtime error";
    case errc::kernel: return "kernel error";
    case errc::accessor: return "accessor error";
    case errc::nd_range: return "invalid nd_range";
    case errc::event: return "event error";
    case errc::kernel_argument: return "invalid kernel argument";
    case errc::build: return "a kernel could not be built";
    case errc::invalid: return "invalid use";
    case errc::memory_allocation: return "out of memory";
    case errc::platform: return "platform error";
    case errc::profiling: return "profiling error";
    case errc::feature_not_supported: return "feature not supported";
    case errc::kernel_not_supported: return "kernel not supported by the device";
    case errc::backend_mismatch: return "wrong backend";
  }
  return "unknown SYCL error";
}

class category : public std::error_category {
public:
  const char* name() const noexcept override { return "sycl"; }
  std::string message(int value) const override { return text_of(static_cast<errc>(value)); }
};

} // namespace

const std::error_category& sycl_category() noexcept {
  // Leaked: errors may outlive static destruction.
  static const auto* instance = new category;
  return *instance;
}

exception::exception(std::error_code code, const std::string& message)
    : m_code(code), m_message(std::make_shared<const std::string>(message.empty() ? code.message() : message)) {}

exception::exception(const context& where, std::error_code code, const std::string& message)
    : exception(code, message) {
  m_context = std::make_shared<const context>(where);
}

exception::~exception() = default;

context exception::get_context() const {
  if (!m_context) throw exception(make_error_code(errc::invalid), "exception::get_context: the exception has no context");
  return *m_context;
}

} // namespace sycl
