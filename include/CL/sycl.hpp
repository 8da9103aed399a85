#pragma once
/// The SYCL 1.2.1 header and namespace, deprecated in SYCL 2020.
#include "../sycl/sycl.hpp"
namespace cl {
namespace sycl = ::sycl;
}
