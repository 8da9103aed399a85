/// Lists the products of matrices that devices support (sycl_ext_oneapi_matrix): products of tensor cores, products of
/// matrix units that an OpenCL driver lists, and products that vectors and sub-groups compute on every device
/// (abi/matrix_layout.hpp).
#include <abi/matrix_layout.hpp>
#include <algorithm>
#include <runtime/device_impl.hpp>
#include <runtime/object_access.hpp>
#include <span>

#include <sycl/ext/oneapi/matrix/matrix.hpp>

namespace sycl::inline _V1 {
namespace detail {
namespace {

using matrices::matrix_type;

struct product {
  matrix_type a, b, c, d;
};

constexpr product byte_products[] = {
    {matrix_type::sint8, matrix_type::sint8, matrix_type::sint32, matrix_type::sint32},
    {matrix_type::uint8, matrix_type::uint8, matrix_type::sint32, matrix_type::sint32},
    {matrix_type::sint8, matrix_type::uint8, matrix_type::sint32, matrix_type::sint32},
    {matrix_type::uint8, matrix_type::sint8, matrix_type::sint32, matrix_type::sint32},
};
constexpr product half_products[] = {
    {matrix_type::fp16, matrix_type::fp16, matrix_type::fp32, matrix_type::fp32},
    {matrix_type::fp16, matrix_type::fp16, matrix_type::fp16, matrix_type::fp16},
    {matrix_type::fp16, matrix_type::fp16, matrix_type::fp32, matrix_type::fp16},
    {matrix_type::fp16, matrix_type::fp16, matrix_type::fp16, matrix_type::fp32},
};
constexpr product bfloat_products[] = {
    {matrix_type::bf16, matrix_type::bf16, matrix_type::fp32, matrix_type::fp32},
    {matrix_type::bf16, matrix_type::bf16, matrix_type::bf16, matrix_type::bf16},
    {matrix_type::bf16, matrix_type::bf16, matrix_type::fp32, matrix_type::bf16},
    {matrix_type::bf16, matrix_type::bf16, matrix_type::bf16, matrix_type::fp32},
};
constexpr product tf32_product{matrix_type::tf32, matrix_type::tf32, matrix_type::fp32, matrix_type::fp32};
constexpr product float_product{matrix_type::fp32, matrix_type::fp32, matrix_type::fp32, matrix_type::fp32};
constexpr product double_product{matrix_type::fp64, matrix_type::fp64, matrix_type::fp64, matrix_type::fp64};

class combination_list {
public:
  void add_sizes_to(const product& types, std::size_t m, std::size_t n, std::size_t k) {
    m_list.push_back({m, n, k, 0, 0, 0, types.a, types.b, types.c, types.d});
  }
  void add(const product& types, std::size_t m, std::size_t n, std::size_t k) {
    m_list.push_back({0, 0, 0, m, n, k, types.a, types.b, types.c, types.d});
  }
  /// Adds the shapes of matrix units with elements of 16 and 8 bits.
  void add_three_shapes(const product& types) {
    add(types, 16, 16, 16);
    add(types, 8, 32, 16);
    add(types, 32, 8, 16);
  }
  std::vector<matrices::combination> take() { return std::move(m_list); }

private:
  std::vector<matrices::combination> m_list;
};

/// Returns the combinations that every device supports if its sub-groups can hold a matrix. The combinations have the
/// sizes of the matrix units of CPUs and GPUs.
std::vector<matrices::combination> by_sub_groups() {
  combination_list list;
  const auto add = [&](std::span<const product> products, std::size_t k) {
    for (const product& each : products) {
      list.add_sizes_to(each, 16, 16, k);
      list.add(each, 8, 32, 16);
      list.add(each, 32, 8, 16);
    }
  };
  add(byte_products, 64);
  add(half_products, 32);
  add(bfloat_products, 32);
  list.add_sizes_to(tf32_product, 16, 16, 16);
  list.add_sizes_to(float_product, 16, 16, 16);
  list.add_sizes_to(double_product, 16, 16, 8);
  return list.take();
}

std::vector<matrices::combination> of_tensor_cores(ext::oneapi::experimental::architecture gpu) {
  using ext::oneapi::experimental::architecture;
  combination_list list;
  if (gpu < architecture::nvidia_gpu_sm_70) return {};
  for (const product& each : half_products) list.add_three_shapes(each);
  if (gpu >= architecture::nvidia_gpu_sm_72) {
    list.add_three_shapes(byte_products[0]);
    list.add_three_shapes(byte_products[1]);
  }
  if (gpu >= architecture::nvidia_gpu_sm_80) {
    list.add_three_shapes(bfloat_products[0]);
    list.add(tf32_product, 16, 16, 8);
    list.add(double_product, 8, 8, 4);
  }
  return list.take();
}

matrix_type type_of(sinter::abi::matrix_element element) {
  switch (element) {
    case sinter::abi::matrix_element::f16:
      return matrix_type::fp16;
    case sinter::abi::matrix_element::bf16:
      return matrix_type::bf16;
    case sinter::abi::matrix_element::tf32:
      return matrix_type::tf32;
    case sinter::abi::matrix_element::f64:
      return matrix_type::fp64;
    case sinter::abi::matrix_element::s8:
      return matrix_type::sint8;
    case sinter::abi::matrix_element::u8:
      return matrix_type::uint8;
    case sinter::abi::matrix_element::s32:
      return matrix_type::sint32;
    default:
      return matrix_type::fp32;
  }
}

/// Returns each product once, even if it is supported with several sizes of sub-groups.
std::vector<matrices::combination> of_units(const std::vector<sinter::abi::matrix_product>& products) {
  combination_list list;
  std::vector<sinter::abi::matrix_product> seen;
  for (sinter::abi::matrix_product each : products) {
    each.sub_group_size = 0;
    if (std::find(seen.begin(), seen.end(), each) != seen.end()) continue;
    seen.push_back(each);
    list.add({type_of(each.a), type_of(each.b), type_of(each.c), type_of(each.d)}, each.m, each.n, each.k);
  }
  return list.take();
}

}  // namespace
}  // namespace detail

template <>
SINTER_EXPORT std::vector<ext::oneapi::experimental::matrix::combination>
device::get_info<ext::oneapi::experimental::info::device::matrix_combinations>() const {
  using ext::oneapi::experimental::architecture;
  const auto kind = get_info<ext::oneapi::experimental::info::device::architecture>();
  if (kind >= architecture::nvidia_gpu_sm_50 && kind <= architecture::nvidia_gpu_sm_120a)
    return detail::of_tensor_cores(kind);
  const auto sizes = get_info<info::device::sub_group_sizes>();
  const bool fits = std::any_of(sizes.begin(), sizes.end(), [](std::size_t size) {
    return size >= sinter::abi::least_matrix_sub_group && size <= sinter::abi::most_matrix_sub_group;
  });
  // Units are faster, so their products come first.
  auto list = detail::of_units(detail::object_access::impl(*this)->facts().matrix_products);
  if (!fits) return list;
  const auto others = detail::by_sub_groups();
  list.insert(list.end(), others.begin(), others.end());
  return list;
}

}  // namespace sycl
