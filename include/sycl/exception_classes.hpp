#pragma once
/// The exception classes of SYCL 1.2.1 (section 4.9.2). SYCL 2020 has error codes instead. The runtime throws the class
/// that belongs to the error code, so that programs written for 1.2.1 can catch these classes. All classes derive from
/// sycl::exception.

#include <string>

#include "exception.hpp"

namespace sycl::inline _V1 {

/// Defines an exception class. An object that is constructed from a text has the error code `its_code`; get_cl_code()
/// returns the `cl_code` that was passed.
#define SINTER_EXCEPTION_CLASS(name, base, its_code)                                                          \
  class SINTER_EXPORT name : public base {                                                                    \
  public:                                                                                                     \
    explicit name(const std::string& message = {}, int cl_code = 0)                                           \
        : base(sycl::make_error_code(errc::its_code), message, cl_code) {}                                    \
    name(std::error_code code, const std::string& message, int cl_code = 0) : base(code, message, cl_code) {} \
    name(const name&) noexcept = default;                                                                     \
    ~name() override;                                                                                         \
  };

// Errors that are caused by the program's calls.
SINTER_EXCEPTION_CLASS(runtime_error, exception, runtime)
SINTER_EXCEPTION_CLASS(kernel_error, runtime_error, kernel)
SINTER_EXCEPTION_CLASS(accessor_error, runtime_error, accessor)
SINTER_EXCEPTION_CLASS(nd_range_error, runtime_error, nd_range)
SINTER_EXCEPTION_CLASS(event_error, runtime_error, event)
SINTER_EXCEPTION_CLASS(invalid_parameter_error, runtime_error, invalid)
// Errors that are caused by devices.
SINTER_EXCEPTION_CLASS(device_error, exception, runtime)
SINTER_EXCEPTION_CLASS(compile_program_error, device_error, build)
SINTER_EXCEPTION_CLASS(link_program_error, device_error, build)
SINTER_EXCEPTION_CLASS(invalid_object_error, device_error, invalid)
SINTER_EXCEPTION_CLASS(memory_allocation_error, device_error, memory_allocation)
SINTER_EXCEPTION_CLASS(platform_error, device_error, platform)
SINTER_EXCEPTION_CLASS(profiling_error, device_error, profiling)
SINTER_EXCEPTION_CLASS(feature_not_supported, device_error, feature_not_supported)

#undef SINTER_EXCEPTION_CLASS

}  // namespace sycl
