#pragma once
/// sycl_khr_static_addrspace_cast: casts a pointer to an address space. The caller guarantees that the pointer points
/// to this address space.

#include "../multi_ptr.hpp"

namespace sycl::inline _V1::khr {

template <access::address_space Space, class T>
constexpr multi_ptr<T, Space, access::decorated::no> static_addrspace_cast(T* pointer) noexcept {
  return address_space_cast<Space, access::decorated::no>(pointer);
}
template <access::address_space Space, class T, access::decorated Decorated>
constexpr multi_ptr<T, Space, Decorated> static_addrspace_cast(
    multi_ptr<T, access::address_space::generic_space, Decorated> pointer) noexcept {
  return address_space_cast<Space, Decorated>(pointer);
}

} // namespace sycl::khr
