#pragma once
/// Enumerators by their names, for output streams of the standard library.

#include <iosfwd>

#include "../aspects.hpp"
#include "../backend_enum.hpp"
#include "../info.hpp"
#include "../usm.hpp"

namespace sycl {
namespace detail {

#define SINTER_NAME(type, name) \
  case type::name:              \
    return #name;
constexpr const char* name_of(backend value) noexcept {
  switch (value) {
    SINTER_NAME(backend, sinter_cpu)
    SINTER_NAME(backend, opencl)
    SINTER_NAME(backend, ext_oneapi_level_zero)
    SINTER_NAME(backend, ext_oneapi_cuda)
    SINTER_NAME(backend, ext_oneapi_hip)
    SINTER_NAME(backend, ext_oneapi_native_cpu)
    SINTER_NAME(backend, level_zero)
    SINTER_NAME(backend, cuda)
    SINTER_NAME(backend, hip)
    SINTER_NAME(backend, omp)
    SINTER_NAME(backend, all)
    SINTER_NAME(backend, ext_intel_esimd_emulator)
  }
  return "unknown";
}
constexpr const char* name_of(info::device_type value) noexcept {
  switch (value) {
    SINTER_NAME(info::device_type, cpu)
    SINTER_NAME(info::device_type, gpu)
    SINTER_NAME(info::device_type, accelerator)
    SINTER_NAME(info::device_type, custom)
    SINTER_NAME(info::device_type, automatic)
    SINTER_NAME(info::device_type, host)
    SINTER_NAME(info::device_type, all)
  }
  return "unknown";
}
constexpr const char* name_of(usm::alloc value) noexcept {
  switch (value) {
    SINTER_NAME(usm::alloc, host)
    SINTER_NAME(usm::alloc, device)
    SINTER_NAME(usm::alloc, shared)
    SINTER_NAME(usm::alloc, unknown)
  }
  return "unknown";
}
constexpr const char* name_of(aspect value) noexcept {
  switch (value) {
#define __SYCL_ASPECT(name, number) SINTER_NAME(aspect, name)
#include "../info/aspects.def"
#undef __SYCL_ASPECT
  }
  return "unknown";
}
#undef SINTER_NAME

}  // namespace detail

template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, backend value) {
  return out << detail::name_of(value);
}
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, aspect value) {
  return out << detail::name_of(value);
}
namespace info {
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, device_type value) {
  return out << detail::name_of(value);
}
}  // namespace info
namespace usm {
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, alloc value) {
  return out << detail::name_of(value);
}
}  // namespace usm

}  // namespace sycl
