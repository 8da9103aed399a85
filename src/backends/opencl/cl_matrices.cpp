#include "cl_matrices.hpp"

#include <algorithm>
#include <bit>
#include <optional>

namespace sinter::opencl {
namespace {

// The numbers are those of the extension's revision 1.0.0 of January 2026.
constexpr cl_uint variants_of_sub_group = 0x1079;
constexpr cl_device_info pointer_alignment = 0x107A, stride_multiple = 0x107B;

/// The extension's cl_device_cooperative_matrix_variant_khr.
struct matrix_variant {
  cl_uint m, n, k;
  cl_uint a, b, c, result;
  cl_bool saturates;
};

using ask_for_variants = cl_int(CL_API_CALL*)(cl_device_id, cl_uint what, std::size_t input_bytes, const void* input,
                                              std::size_t bytes, void* variants, std::size_t* written);

/// Returns the element type for the number that the extension gives it. Matrices of SYCL have no other elements.
std::optional<abi::matrix_element> element_of(cl_uint type) {
  switch (type) {
    case 0:
      return abi::matrix_element::f16;
    case 1:
      return abi::matrix_element::f32;
    case 2:
      return abi::matrix_element::f64;
    case 3:
      return abi::matrix_element::s8;
    case 5:
      return abi::matrix_element::s32;
    case 7:
      return abi::matrix_element::u8;
    default:
      return std::nullopt;
  }
}

std::vector<matrix_variant> variants_of(cl_device_id device, ask_for_variants ask, std::size_t sub_group_size) {
  const auto size = static_cast<cl_uint>(sub_group_size);
  std::size_t bytes = 0;
  if (ask(device, variants_of_sub_group, sizeof(size), &size, 0, nullptr, &bytes) != CL_SUCCESS) return {};
  std::vector<matrix_variant> variants(bytes / sizeof(matrix_variant));
  const std::size_t room = variants.size() * sizeof(matrix_variant);
  if (room == 0 || room != bytes ||
      ask(device, variants_of_sub_group, sizeof(size), &size, room, variants.data(), nullptr) != CL_SUCCESS) {
    return {};
  }
  return variants;
}

}  // namespace

cl_matrices::cl_matrices(const cl_device_context& device, const std::vector<std::size_t>& sub_group_sizes) {
  const std::string extensions = " " + device.text(CL_DEVICE_EXTENSIONS) + " ";
  if (extensions.find(" cl_khr_cooperative_matrix ") == std::string::npos) return;
  const auto ask = reinterpret_cast<ask_for_variants>(device.functions().clGetExtensionFunctionAddressForPlatform(
      device.shared().platform().id, "clGetDeviceCooperativeMatrixInfoKHR"));
  if (!ask) return;
  constexpr std::uint32_t most_elements = 128;
  for (const std::size_t size : sub_group_sizes) {
    if (size < abi::least_matrix_sub_group || size > abi::most_matrix_sub_group) continue;
    for (const matrix_variant& each : variants_of(device.id(), ask, size)) {
      const auto a = element_of(each.a), b = element_of(each.b), c = element_of(each.c), d = element_of(each.result);
      const bool is_known = a && b && c && d && each.saturates == CL_FALSE;
      if (!is_known || std::min({each.m, each.n, each.k}) == 0 || std::max({each.m, each.n, each.k}) > most_elements)
        continue;
      const abi::matrix_product made{each.m, each.n, each.k, *a, *b, *c, *d, static_cast<std::uint32_t>(size)};
      if (std::find(m_products.begin(), m_products.end(), made) == m_products.end()) m_products.push_back(made);
    }
  }
  m_units = {m_products.data(), static_cast<std::uint32_t>(m_products.size()),
             std::max(device.info<cl_uint>(pointer_alignment), 1u),
             std::max(device.info<cl_uint>(stride_multiple), 1u)};
  // Kernels test the alignment of addresses and strides by masks, so the alignments have to be powers of two.
  if (!std::has_single_bit(m_units.pointer_bytes) || !std::has_single_bit(m_units.stride_bytes)) m_products.clear();
}

std::string cl_matrices::identity() const {
  if (m_products.empty()) return {};
  std::string text = " matrices " + std::to_string(m_units.pointer_bytes) + " " + std::to_string(m_units.stride_bytes);
  for (const abi::matrix_product& each : m_products) {
    text += "," + std::to_string(each.m) + "x" + std::to_string(each.n) + "x" + std::to_string(each.k);
    for (const abi::matrix_element element : {each.a, each.b, each.c, each.d})
      text += " " + std::to_string(static_cast<std::uint32_t>(element));
    text += "/" + std::to_string(each.sub_group_size);
  }
  return text;
}

}  // namespace sinter::opencl
