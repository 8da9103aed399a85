#pragma once
/// Errors (SYCL 2020 4.13): sycl::exception, errc, exception_list, async_handler.

#include <exception>
#include <string>
#include <system_error>
#include <vector>

#include "detail/export.hpp"
#include "detail/shared.hpp"
#include "detail/standard.hpp"

namespace sycl::inline _V1 {

class context;

namespace detail {
struct exception_facts;  // defined in src/runtime
}

enum class errc : int {
  success = 0,
  runtime,
  kernel,
  accessor,
  nd_range,
  event,
  kernel_argument,
  build,
  invalid,
  memory_allocation,
  platform,
  profiling,
  feature_not_supported,
  kernel_not_supported,
  backend_mismatch,
};

/// Returns the error category of sycl::errc. The name of the category is "sycl".
SINTER_EXPORT const std::error_category& sycl_category() noexcept;
inline std::error_code make_error_code(errc code) noexcept { return {static_cast<int>(code), sycl_category()}; }

class SINTER_EXPORT exception : public virtual std::exception {
public:
  exception(std::error_code code, const std::string& message);
  exception(std::error_code code, const char* message);
  explicit exception(std::error_code code);
  exception(int value, const std::error_category& category, const std::string& message);
  exception(int value, const std::error_category& category, const char* message);
  exception(int value, const std::error_category& category);
  exception(const context& where, std::error_code code, const std::string& message);
  exception(const context& where, std::error_code code, const char* message);
  exception(const context& where, std::error_code code);
  exception(const context& where, int value, const std::error_category& category, const std::string& message);
  exception(const context& where, int value, const std::error_category& category, const char* message);
  exception(const context& where, int value, const std::error_category& category);
  exception(const exception&) noexcept;
  exception& operator=(const exception&) noexcept;
  ~exception() override;

  const std::error_code& code() const noexcept { return m_code; }
  const std::error_category& category() const noexcept { return m_code.category(); }
  const char* what() const noexcept override;
  bool has_context() const noexcept;
  /// Throws errc::invalid if the exception has no context.
  context get_context() const;
  /// A function of SYCL 1.2.1. Returns the OpenCL error code with which the program made the exception
  /// (exception_classes.hpp), otherwise 0.
  int get_cl_code() const noexcept;

protected:
  exception(std::error_code code, const std::string& message, int cl_code);

private:
  std::error_code m_code;
  detail::shared<detail::exception_facts> m_facts;  // shared, because copying an exception must not throw
};

namespace detail {
/// Throws an exception of the class that SYCL 1.2.1 has for the code (exception_classes.hpp). SYCL 1.2.1 has no class
/// for errc::backend_mismatch, so the function throws sycl::exception for this code.
[[noreturn]] SINTER_EXPORT void throw_error(errc code, const std::string& message);
}  // namespace detail

class SINTER_EXPORT exception_list {
public:
  using value_type = std::exception_ptr;
  using reference = value_type&;
  using const_reference = const value_type&;
  using size_type = std::size_t;
  using const_iterator = std::vector<std::exception_ptr>::const_iterator;
  using iterator = const_iterator;

  exception_list();
  explicit exception_list(std::vector<std::exception_ptr>&& list);
  exception_list(const exception_list&);
  exception_list(exception_list&&) noexcept;
  exception_list& operator=(exception_list);
  ~exception_list();
  size_type size() const;
  iterator begin() const;
  iterator end() const;

private:
  std::vector<std::exception_ptr> m_list;
};

/// The function receives each asynchronous error of a queue or context once.
using async_handler = std::function<void(exception_list)>;

} // namespace sycl

template <>
struct std::is_error_code_enum<sycl::errc> : std::true_type {};
