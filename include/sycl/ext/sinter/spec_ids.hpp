#pragma once
/// Values for the specialization constants of a SPIR-V module. A constant is identified by its number in the module.

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "../../detail/export.hpp"

namespace sycl::inline _V1::ext::sinter {

/// A property for sycl::ext::oneapi::experimental::build. Constants that the property does not list keep the defaults
/// of the module. build throws errc::invalid if the module has no constant with one of the ids, or if a value has
/// another size than the constant. The type of a Boolean constant's value is `bool`.
struct spec_ids {
  using key_t = spec_ids;
  struct entry {
    std::uint32_t id;
    std::string bytes;
  };
  std::vector<entry> values;

  spec_ids() = default;
  template <class T>
  spec_ids(std::uint32_t id, const T& value) {
    set(id, value);
  }
  template <class T>
  spec_ids& set(std::uint32_t id, const T& value) {
    static_assert(std::is_arithmetic_v<T>, "specialization constants of SPIR-V are numbers and booleans");
    add(id, &value, sizeof(T));
    return *this;
  }

private:
  SINTER_EXPORT void add(std::uint32_t id, const void* value, std::size_t bytes);
};

}  // namespace sycl::ext::sinter
