#pragma once
/// sycl_ext_oneapi_kernel_compiler, sycl_ext_oneapi_kernel_compiler_opencl and _spirv: kernels that programs build from
/// OpenCL C or SPIR-V at run time.
///
///   auto source = create_kernel_bundle_from_source(queue.get_context(), source_language::opencl, text);
///   auto bundle = build(source, properties{build_options{"-cl-fast-relaxed-math"}, save_log{&log}});
///   handler.set_args(2.0f, in, out);
///   handler.parallel_for(range, bundle.ext_oneapi_get_kernel("scale"));
///
/// Devices of OpenCL drivers accept both languages, other devices accept only SPIR-V (docs/specialization.md). The
/// arguments' numbers are the numbers of the kernel's parameters. For a parameter that is not a pointer, the argument
/// is a value or structure of the parameter's size. For a pointer to global memory, the argument is a USM pointer or an
/// accessor. If it is an accessor, the kernel receives the address of the accessor's first element. For a pointer to
/// local memory, the argument is a local_accessor. Dimensions have the opposite order: the last dimension of a SYCL
/// range is dimension 0 in the kernel. If the program launches a kernel over a range without a local range, the runtime
/// chooses the size of work-groups.

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "../../../backend_enum.hpp"
#include "../../../kernel_bundle.hpp"
#include "../../sinter/spec_ids.hpp"
#include "../properties/properties.hpp"

#define SYCL_EXT_ONEAPI_KERNEL_COMPILER 1
#define SYCL_EXT_ONEAPI_KERNEL_COMPILER_OPENCL 1
#define SYCL_EXT_ONEAPI_KERNEL_COMPILER_SPIRV 1

namespace sycl::inline _V1::ext::oneapi::experimental {

/// The language of a kernel's source. `sycl` is not supported: functions throw errc::feature_not_supported for it.
enum class source_language : int { opencl, spirv, sycl };

// ------------------------------------------------------------------------------------------- properties

/// Options for the driver's compiler, in the syntax of clBuildProgram.
struct build_options {
  using key_t = build_options;
  std::vector<std::string> opts;
  // Functions that take vectors of strings are not inline, because every file that includes <sycl/sycl.hpp> would have
  // to compile them.
  SINTER_EXPORT build_options(const std::string& option);
  SINTER_EXPORT build_options(const char* option);
  SINTER_EXPORT build_options(const std::vector<std::string>& options);
};
/// The build writes the compiler's messages, including warnings, to the string, even if it fails.
struct save_log {
  using key_t = save_log;
  std::string* log;
  explicit save_log(std::string* to) : log(to) {}
};

template <>
struct is_property_value<build_options> : std::true_type {};
template <>
struct is_property_value<save_log> : std::true_type {};
template <>
struct is_property_value<sinter::spec_ids> : std::true_type {};

}  // namespace sycl::ext::oneapi::experimental

// ------------------------------------------------------------------------------------------- implementation

namespace sycl::inline _V1::detail {

struct build_settings {
  std::vector<std::string> options;
  std::string* log = nullptr;
  ext::sinter::spec_ids constants;
};
SINTER_EXPORT void apply(build_settings& to, const ext::oneapi::experimental::build_options& property);
SINTER_EXPORT void apply(build_settings& to, const ext::oneapi::experimental::save_log& property);
SINTER_EXPORT void apply(build_settings& to, const ext::sinter::spec_ids& property);
template <class... Properties>
build_settings settings_of(const ext::oneapi::experimental::properties<Properties...>& all) {
  build_settings result;
  (apply(result, property_access::of<Properties>(all)), ...);
  return result;
}

SINTER_EXPORT shared<kernel_bundle_impl> make_source_bundle(const context& in,
                                                            ext::oneapi::experimental::source_language language,
                                                            const void* source, std::size_t bytes);
/// Builds for the devices in `devices`. If `devices` is null, builds for all devices of the bundle.
SINTER_EXPORT shared<kernel_bundle_impl> build_source_bundle(const bundle_base& source,
                                                             const std::vector<device>* devices,
                                                             const build_settings& settings);

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

// ------------------------------------------------------------------------------------------- functions

/// Whether any device of the backend or context accepts the language.
SINTER_EXPORT bool is_source_kernel_bundle_supported(backend of, source_language language);
SINTER_EXPORT bool is_source_kernel_bundle_supported(const context& in, source_language language);

/// Throws errc::feature_not_supported if no device of the context accepts the language. Throws errc::invalid if the
/// bytes are not valid SPIR-V; the message tells the position of the error.
template <class... Properties>
kernel_bundle<bundle_state::ext_oneapi_source> create_kernel_bundle_from_source(const context& in,
                                                                                source_language language,
                                                                                const std::string& source,
                                                                                const properties<Properties...>& = {}) {
  return detail::bundle_access::wrap<bundle_state::ext_oneapi_source>(
      detail::make_source_bundle(in, language, source.data(), source.size()));
}
template <class... Properties>
kernel_bundle<bundle_state::ext_oneapi_source> create_kernel_bundle_from_source(const context& in,
                                                                                source_language language,
                                                                                const std::vector<std::byte>& source,
                                                                                const properties<Properties...>& = {}) {
  return detail::bundle_access::wrap<bundle_state::ext_oneapi_source>(
      detail::make_source_bundle(in, language, source.data(), source.size()));
}

/// Throws errc::build, with the compiler's messages, if the source has errors. Throws errc::invalid if a device is not
/// one of the bundle's devices, and errc::feature_not_supported if a device does not accept the language.
template <class... Properties>
kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::ext_oneapi_source>& source,
                                              const std::vector<device>& devices,
                                              const properties<Properties...>& wanted = {}) {
  return detail::bundle_access::wrap<bundle_state::executable>(
      detail::build_source_bundle(source, &devices, detail::settings_of(wanted)));
}
template <class... Properties>
kernel_bundle<bundle_state::executable> build(const kernel_bundle<bundle_state::ext_oneapi_source>& source,
                                              const properties<Properties...>& wanted = {}) {
  return detail::bundle_access::wrap<bundle_state::executable>(
      detail::build_source_bundle(source, nullptr, detail::settings_of(wanted)));
}

}  // namespace sycl::ext::oneapi::experimental
