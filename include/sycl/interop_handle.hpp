#pragma once
/// sycl::interop_handle (SYCL 2020 4.10.2).

#include <type_traits>

#include "accessor.hpp"
#include "backend_enum.hpp"

namespace sycl {

/// Access to native objects from a host task (SYCL 2020 4.10.2); the CPU device has none to give beyond memory.
class interop_handle {
public:
  backend get_backend() const noexcept { return backend::sinter_cpu; }
  template <backend Backend = backend::sinter_cpu, class T, int Dimensions, access_mode Mode, target Target,
            access::placeholder IsPlaceholder>
  std::remove_const_t<T>* get_native_mem(const accessor<T, Dimensions, Mode, Target, IsPlaceholder>& memory) const {
    return const_cast<std::remove_const_t<T>*>(memory.start());
  }
};

namespace detail {

template <class Callable>
void call_host_task(void* object) {
  auto& call = *static_cast<Callable*>(object);
  if constexpr (std::is_invocable_v<Callable&, interop_handle>) {
    call(interop_handle());
  } else {
    call();
  }
}

}  // namespace detail
} // namespace sycl
