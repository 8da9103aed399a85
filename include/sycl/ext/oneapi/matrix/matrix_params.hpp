#pragma once
/// The queries of sycl_ext_oneapi_matrix, which say which products of matrices a device supports: at run time
/// (info::device::matrix_combinations) and at compile time (matrix_params).

#include <vector>

#include "../experimental/device_architecture.hpp"
#include "joint_matrix.hpp"

namespace sycl::inline _V1 {
namespace ext::oneapi::experimental::matrix {

/// A product that a device supports. If max_msize, max_nsize and max_ksize are not 0, the device supports all sizes
/// from 1 up to these numbers (K must fill whole words of 4 bytes), and msize, nsize and ksize are 0. Otherwise msize,
/// nsize and ksize are the only sizes.
struct combination {
  std::size_t max_msize, max_nsize, max_ksize;
  std::size_t msize, nsize, ksize;
  matrix_type atype, btype, ctype, dtype;
};

}  // namespace ext::oneapi::experimental::matrix

namespace ext::oneapi::experimental::info::device {
/// The products that the device supports. The list is empty if the device's sub-groups can't hold a matrix.
struct matrix_combinations {
  using return_type = std::vector<matrix::combination>;
};
}  // namespace ext::oneapi::experimental::info::device

template <>
SINTER_EXPORT std::vector<ext::oneapi::experimental::matrix::combination>
device::get_info<ext::oneapi::experimental::info::device::matrix_combinations>() const;

namespace detail {

template <class T>
constexpr matrices::matrix_type matrix_type_of() {
  using matrices::matrix_type;
  switch (matrix_element_of<T>()) {
    case matrix_element::f16: return matrix_type::fp16;
    case matrix_element::bf16: return matrix_type::bf16;
    case matrix_element::tf32: return matrix_type::tf32;
    case matrix_element::f64: return matrix_type::fp64;
    case matrix_element::s8: return matrix_type::sint8;
    case matrix_element::u8: return matrix_type::uint8;
    case matrix_element::s32: return matrix_type::sint32;
    default: return matrix_type::fp32;
  }
}

template <class T>
constexpr bool is_matrix_byte = std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>;

/// Whether any device supports products of these types.
template <class Ta, class Tb, class Tc, class Td>
constexpr bool can_be_multiplied() {
  constexpr auto is_sum = [](matrix_element each) {
    return each == matrix_element::f32 || each == matrix_element::f16 || each == matrix_element::bf16;
  };
  if (is_matrix_byte<Ta> && is_matrix_byte<Tb>) return std::is_same_v<Tc, std::int32_t> && std::is_same_v<Td, Tc>;
  if (!std::is_same_v<Ta, Tb> || is_matrix_byte<Ta> || std::is_same_v<Ta, std::int32_t>) return false;
  if (std::is_same_v<Ta, double>) return std::is_same_v<Tc, double> && std::is_same_v<Td, double>;
  return is_sum(matrix_element_of<Tc>()) && is_sum(matrix_element_of<Td>());
}

}  // namespace detail

namespace ext::oneapi::experimental::matrix {

/// The matrix types for products on one architecture. The compiler checks that the architecture supports the sizes and
/// types. If M, N and K are 0, matrix_params chooses sizes that suit the architecture.
template <architecture Arch, typename Ta, typename Tb, typename Tc, typename Td = Tc, std::size_t sM = 0,
          std::size_t sN = 0, std::size_t sK = 0>
struct matrix_params {
  static_assert(sycl::detail::can_be_multiplied<Ta, Tb, Tc, Td>(),
                "matrix_params: no device has a product of these types");

private:
  static constexpr bool is_nvidia =
      Arch >= architecture::nvidia_gpu_sm_70 && Arch <= architecture::nvidia_gpu_sm_120a;
  static constexpr bool is_cpu = Arch == architecture::x86_64 || Arch == architecture::intel_cpu_spr ||
                                 Arch == architecture::intel_cpu_gnr || Arch == architecture::intel_cpu_dmr;
  static_assert(is_nvidia || is_cpu, "matrix_params: nothing is known of this architecture's matrix units");
  static constexpr std::size_t bytes = sizeof(sycl::detail::matrix_storage<Ta>);
  static constexpr bool is_tf32 = std::is_same_v<Ta, precision::tf32>, is_double = bytes == 8;
  static_assert(!is_nvidia || !std::is_same_v<Ta, float>,
                "matrix_params: tensor cores multiply floats as precision::tf32");
  static_assert(is_nvidia || ((sM <= 16 || sM == 32) && (sN <= 16 || sN == 32) && sK <= 64 / bytes),
                "matrix_params: on CPUs M and N are 16 at most, or 32, and a row of K elements has 64 bytes at most");

public:
  static constexpr std::size_t M = sM != 0 ? sM : is_nvidia && is_double ? 8 : 16;
  static constexpr std::size_t N = sN != 0 ? sN : is_nvidia && is_double ? 8 : 16;
  static constexpr std::size_t K = sK != 0      ? sK
                                   : !is_nvidia ? 64 / bytes
                                   : is_double  ? 4
                                   : is_tf32    ? 8
                                                : 16;

private:
  static constexpr bool is_one_of_three =
      (M == 16 && N == 16 && K == 16) || (M == 8 && N == 32 && K == 16) || (M == 32 && N == 8 && K == 16);
  static_assert(!is_nvidia || (is_double ? M == 8 && N == 8 && K == 4
                               : is_tf32 ? M == 16 && N == 16 && K == 8
                                         : is_one_of_three),
                "matrix_params: M x N x K is 8 x 8 x 4 for double on NVIDIA's GPUs, 16 x 16 x 8 for tf32, and else "
                "16 x 16 x 16, 8 x 32 x 16 or 32 x 8 x 16");

public:
  template <typename Group, layout Layout>
  using joint_matrix_a = joint_matrix<Group, Ta, use::a, M, K, Layout>;
  template <typename Group, layout Layout>
  using joint_matrix_b = joint_matrix<Group, Tb, use::b, K, N, Layout>;
  template <typename Group>
  using joint_matrix_c = joint_matrix<Group, Tc, use::accumulator, M, N>;
  template <typename Group>
  using joint_matrix_d = joint_matrix<Group, Td, use::accumulator, M, N>;
};

}  // namespace ext::oneapi::experimental::matrix
}  // namespace sycl
