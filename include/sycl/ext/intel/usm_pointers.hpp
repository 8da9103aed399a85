#pragma once
/// sycl_ext_intel_usm_address_spaces: pointers to USM memory of one kind (device or host). In Sinter, all USM memory is
/// in the global space, so these types are other names for global pointers.

#include "../../multi_ptr.hpp"

#define SYCL_EXT_INTEL_USM_ADDRESS_SPACES 2

namespace sycl::inline _V1::ext::intel {

template <class T, access::decorated Decorated = access::decorated::legacy>
using device_ptr = multi_ptr<T, access::address_space::ext_intel_global_device_space, Decorated>;
template <class T>
using raw_device_ptr = device_ptr<T, access::decorated::no>;
template <class T>
using decorated_device_ptr = device_ptr<T, access::decorated::yes>;

template <class T, access::decorated Decorated = access::decorated::legacy>
using host_ptr = multi_ptr<T, access::address_space::ext_intel_global_host_space, Decorated>;
template <class T>
using raw_host_ptr = host_ptr<T, access::decorated::no>;
template <class T>
using decorated_host_ptr = host_ptr<T, access::decorated::yes>;

}  // namespace sycl::ext::intel
