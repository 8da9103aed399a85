#pragma once
/// The matrix units of a device by cl_khr_cooperative_matrix: the products that they compute, and where matrices may
/// begin in memory. The extension is declared in the source file because no header has it yet.

#include <abi/matrix_layout.hpp>
#include <string>
#include <vector>

#include "cl_context.hpp"

namespace sinter::opencl {

class cl_matrices {
public:
  /// Queries the products that the units support for each of these sub-group sizes.
  cl_matrices(const cl_device_context& device, const std::vector<std::size_t>& sub_group_sizes);

  /// Returns null if the device has no units, or none for matrices of sycl_ext_oneapi_matrix.
  const abi::matrix_units* units() const noexcept { return m_products.empty() ? nullptr : &m_units; }
  const std::vector<abi::matrix_product>& products() const noexcept { return m_products; }
  /// Returns a text for keys of the cache, empty without units.
  std::string identity() const;

private:
  std::vector<abi::matrix_product> m_products;
  abi::matrix_units m_units{};
};

}  // namespace sinter::opencl
