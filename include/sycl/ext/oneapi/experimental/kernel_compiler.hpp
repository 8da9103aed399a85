#pragma once
/// sycl_ext_oneapi_kernel_compiler, _opencl and _spirv: kernels that are built from OpenCL C or SPIR-V at run
/// time.
///
///   auto source = create_kernel_bundle_from_source(queue.get_context(), source_language::opencl, text);
///   auto bundle = build(source, properties{build_options{"-cl-fast-relaxed-math"}, save_log{&log}});
///   handler.set_args(2.0f, in, out);
///   handler.parallel_for(range, bundle.ext_oneapi_get_kernel("scale"));
///
/// Devices of OpenCL's drivers take both languages, other devices take SPIR-V (docs/specialization.md). Arguments are
/// numbered like the kernel's parameters. For a parameter that is no pointer, the argument is a value or structure of
/// the parameter's size. For a pointer to global memory, the argument is a USM pointer, or an accessor, whose first
/// element is passed. For a pointer to local memory, the argument is a local_accessor. The last dimension of a range is
/// the kernel's dimension 0. A kernel that is launched over a range gets work-groups of any size.

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

/// The language of a source. `sycl` is not supported and throws errc::feature_not_supported.
enum class source_language : int { opencl, spirv, sycl };

// ------------------------------------------------------------------------------------------- properties

/// Options for the driver's compiler, in the form of clBuildProgram.
struct build_options {
  using key_t = build_options;
  std::vector<std::string> opts;
  // Functions with vectors of strings are not inline, because they would lengthen the compilation of every file that
  // includes <sycl/sycl.hpp>.
  SINTER_EXPORT build_options(const std::string& option);
  SINTER_EXPORT build_options(const char* option);
  SINTER_EXPORT build_options(const std::vector<std::string>& options);
};
/// The compiler's messages, warnings included, are written to the string, even if the build fails.
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
/// Builds for `devices`, or for all devices of the bundle if `devices` is null.
SINTER_EXPORT shared<kernel_bundle_impl> build_source_bundle(const bundle_base& source,
                                                             const std::vector<device>* devices,
                                                             const build_settings& settings);

}  // namespace sycl::detail

namespace sycl::inline _V1::ext::oneapi::experimental {

// ------------------------------------------------------------------------------------------- functions

/// Whether any device of the backend, or of the context, takes the language.
SINTER_EXPORT bool is_source_kernel_bundle_supported(backend of, source_language language);
SINTER_EXPORT bool is_source_kernel_bundle_supported(const context& in, source_language language);

/// Throws errc::feature_not_supported if no device of the context takes the language. Throws errc::invalid if the bytes
/// are no SPIR-V; the message tells where.
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

/// Throws errc::build, with the compiler's messages, if the source has errors; errc::invalid if a device is not one
/// of the bundle's devices; and errc::feature_not_supported if a device does not take the language.
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
