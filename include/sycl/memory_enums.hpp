#pragma once
/// Memory orders and scopes (SYCL 2020 3.8.3), with the values of abi/device_abi.hpp.

#include <cstdint>

namespace sycl::inline _V1 {

enum class memory_order : std::uint32_t { relaxed = 0, acquire = 1, release = 2, acq_rel = 3, seq_cst = 4 };
inline constexpr auto memory_order_relaxed = memory_order::relaxed;
inline constexpr auto memory_order_acquire = memory_order::acquire;
inline constexpr auto memory_order_release = memory_order::release;
inline constexpr auto memory_order_acq_rel = memory_order::acq_rel;
inline constexpr auto memory_order_seq_cst = memory_order::seq_cst;

enum class memory_scope : std::uint32_t { work_item = 0, sub_group = 1, work_group = 2, device = 3, system = 4 };
inline constexpr auto memory_scope_work_item = memory_scope::work_item;
inline constexpr auto memory_scope_sub_group = memory_scope::sub_group;
inline constexpr auto memory_scope_work_group = memory_scope::work_group;
inline constexpr auto memory_scope_device = memory_scope::device;
inline constexpr auto memory_scope_system = memory_scope::system;

} // namespace sycl
