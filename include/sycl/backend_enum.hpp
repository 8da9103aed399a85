#pragma once
/// sycl::backend (SYCL 2020 4.1): which lower layer an object belongs to.

namespace sycl {

enum class backend : char { sinter_cpu = 1 };

} // namespace sycl
