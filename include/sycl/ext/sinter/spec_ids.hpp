#pragma once
/// Values for the specialization constants of a SPIR-V module, by the constants' numbers in the module.

#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "../../detail/export.hpp"

namespace sycl::inline _V1::ext::sinter {

/// A property of sycl::ext::oneapi::experimental::build. Constants that are not listed keep the module's defaults.
/// Throws errc::invalid if the module lacks an id, or if a value has another size. Booleans are `bool`.
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
