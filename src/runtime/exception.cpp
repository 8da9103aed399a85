#include <optional>

#include <sycl/context.hpp>
#include <sycl/exception_classes.hpp>

namespace sycl::inline _V1 {
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
  // The object is never destroyed, because errors may outlive static objects.
  static const auto* instance = new category;
  return *instance;
}

namespace detail {

struct exception_facts : counted {
  explicit exception_facts(std::string text) : message(std::move(text)) {}
  exception_facts(std::string text, const context& place) : message(std::move(text)), where(place) {}
  std::string message;
  std::optional<context> where;
  int cl_code = 0;
};

void throw_error(errc code, const std::string& message) {
  const std::error_code its = make_error_code(code);
  switch (code) {
    case errc::runtime: throw runtime_error(its, message);
    case errc::kernel: throw kernel_error(its, message);
    case errc::accessor: throw accessor_error(its, message);
    case errc::nd_range: throw nd_range_error(its, message);
    case errc::event: throw event_error(its, message);
    case errc::kernel_argument:
    case errc::invalid: throw invalid_parameter_error(its, message);
    case errc::build: throw compile_program_error(its, message);
    case errc::memory_allocation: throw memory_allocation_error(its, message);
    case errc::platform: throw platform_error(its, message);
    case errc::profiling: throw profiling_error(its, message);
    case errc::feature_not_supported:
    case errc::kernel_not_supported: throw sycl::feature_not_supported(its, message);
    case errc::success:
    case errc::backend_mismatch: break;
  }
  throw exception(its, message);
}

void throw_no_property() {
  detail::throw_error(errc::invalid, "get_property: the object has no such property");
}

} // namespace detail

namespace {

std::string text_or_default(const std::string& message, std::error_code code) {
  return message.empty() ? code.message() : message;
}

} // namespace

exception::exception(std::error_code code, const std::string& message)
    : m_code(code), m_facts(detail::make_counted<detail::exception_facts>(text_or_default(message, code))) {}
exception::exception(std::error_code code, const char* message) : exception(code, std::string(message)) {}
exception::exception(std::error_code code) : exception(code, std::string()) {}
exception::exception(int value, const std::error_category& category, const std::string& message)
    : exception(std::error_code(value, category), message) {}
exception::exception(int value, const std::error_category& category, const char* message)
    : exception(std::error_code(value, category), std::string(message)) {}
exception::exception(int value, const std::error_category& category)
    : exception(std::error_code(value, category), std::string()) {}

exception::exception(const context& where, std::error_code code, const std::string& message)
    : m_code(code), m_facts(detail::make_counted<detail::exception_facts>(text_or_default(message, code), where)) {}
exception::exception(const context& where, std::error_code code, const char* message)
    : exception(where, code, std::string(message)) {}
exception::exception(const context& where, std::error_code code) : exception(where, code, std::string()) {}
exception::exception(const context& where, int value, const std::error_category& category, const std::string& message)
    : exception(where, std::error_code(value, category), message) {}
exception::exception(const context& where, int value, const std::error_category& category, const char* message)
    : exception(where, std::error_code(value, category), std::string(message)) {}
exception::exception(const context& where, int value, const std::error_category& category)
    : exception(where, std::error_code(value, category), std::string()) {}

exception::exception(std::error_code code, const std::string& message, int cl_code) : exception(code, message) {
  m_facts->cl_code = cl_code;
}

exception::exception(const exception&) noexcept = default;
exception& exception::operator=(const exception&) noexcept = default;
exception::~exception() = default;

runtime_error::~runtime_error() = default;
kernel_error::~kernel_error() = default;
accessor_error::~accessor_error() = default;
nd_range_error::~nd_range_error() = default;
event_error::~event_error() = default;
invalid_parameter_error::~invalid_parameter_error() = default;
device_error::~device_error() = default;
compile_program_error::~compile_program_error() = default;
link_program_error::~link_program_error() = default;
invalid_object_error::~invalid_object_error() = default;
memory_allocation_error::~memory_allocation_error() = default;
platform_error::~platform_error() = default;
profiling_error::~profiling_error() = default;
feature_not_supported::~feature_not_supported() = default;

const char* exception::what() const noexcept { return m_facts->message.c_str(); }
int exception::get_cl_code() const noexcept { return m_facts->cl_code; }
bool exception::has_context() const noexcept { return m_facts->where.has_value(); }

context exception::get_context() const {
  if (!has_context()) {
    detail::throw_error(errc::invalid, "exception::get_context: the exception has no context");
  }
  return *m_facts->where;
}

exception_list::exception_list() = default;
exception_list::exception_list(std::vector<std::exception_ptr>&& list) : m_list(std::move(list)) {}
exception_list::exception_list(const exception_list&) = default;
exception_list::exception_list(exception_list&&) noexcept = default;
exception_list& exception_list::operator=(exception_list other) {
  m_list.swap(other.m_list);
  return *this;
}
exception_list::~exception_list() = default;
exception_list::size_type exception_list::size() const { return m_list.size(); }
exception_list::iterator exception_list::begin() const { return m_list.begin(); }
exception_list::iterator exception_list::end() const { return m_list.end(); }

} // namespace sycl
