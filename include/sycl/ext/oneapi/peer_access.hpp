#pragma once
/// sycl_ext_oneapi_peer_access: whether kernels of one device may use device memory of another device. Sub-devices of
/// the CPU can always use each other's memory. Other devices in Sinter can't.

#include "../../device.hpp"

#define SYCL_EXT_ONEAPI_PEER_ACCESS 1

namespace sycl::inline _V1 {

namespace ext::oneapi {
enum class peer_access : int { access_supported, atomics_supported };
}

inline bool device::ext_oneapi_can_access_peer(const device& peer) const {
  return peer != *this && get_backend() == backend::sinter_cpu && peer.get_backend() == backend::sinter_cpu;
}
inline bool device::ext_oneapi_can_access_peer(const device& peer, ext::oneapi::peer_access) const {
  return ext_oneapi_can_access_peer(peer);
}
inline void device::ext_oneapi_enable_peer_access(const device& peer) const {
  if (ext_oneapi_can_access_peer(peer)) return;
  detail::throw_error(errc::invalid,
                      "ext_oneapi_enable_peer_access: device '" + get_info<info::device::name>() +
                          "' can't use memory of device '" + peer.get_info<info::device::name>() +
                          "'; copy through the host, or ask ext_oneapi_can_access_peer first");
}
inline void device::ext_oneapi_disable_peer_access(const device& peer) const {
  if (ext_oneapi_can_access_peer(peer)) return;
  detail::throw_error(errc::invalid, "ext_oneapi_disable_peer_access: access to memory of device '" +
                                         peer.get_info<info::device::name>() + "' was not enabled");
}

}  // namespace sycl
