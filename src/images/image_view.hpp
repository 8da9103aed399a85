#pragma once
/// Reads device images (abi/image_format.hpp). An image may be damaged or forged until `validate_image` has accepted
/// it.

#include <abi/image_format.hpp>
#include <cstddef>
#include <span>
#include <string>

namespace sinter {

/// Checks every offset, count and string, and the hash of a blob. Returns an empty text if the image is valid,
/// otherwise a sentence about the fault.
std::string validate_image(const void* blob, std::size_t size);

/// A validated image.
class image_view {
public:
  explicit image_view(const abi::image_header* header) : m_header(header) {}
  const abi::image_header& header() const noexcept { return *m_header; }
  const abi::image_kernel& kernel(std::uint32_t index) const noexcept {
    return reinterpret_cast<const abi::image_kernel*>(base() + m_header->kernels_offset)[index];
  }
  std::span<const abi::image_leaf> leaves(std::uint32_t index) const noexcept {
    const auto* first = reinterpret_cast<const abi::image_leaf*>(base() + m_header->leaves_offset);
    return {first + kernel(index).first_leaf, kernel(index).leaf_count};
  }
  std::span<const abi::image_constant> constants(std::uint32_t index) const noexcept {
    const auto* first = reinterpret_cast<const abi::image_constant*>(base() + m_header->constants_offset);
    return {first + kernel(index).first_constant, kernel(index).constant_count};
  }
  /// Returns the calls in a kernel or in an exported function.
  template <class Row>
  std::span<const abi::image_call> calls(const Row& row) const noexcept {
    return {reinterpret_cast<const abi::image_call*>(base() + m_header->calls_offset) + row.first_call, row.call_count};
  }
  const abi::image_import& imported(std::uint32_t index) const noexcept {
    return reinterpret_cast<const abi::image_import*>(base() + m_header->imports_offset)[index];
  }
  const abi::image_export& exported(std::uint32_t index) const noexcept {
    return reinterpret_cast<const abi::image_export*>(base() + m_header->exports_offset)[index];
  }
  const char* string(std::uint32_t offset) const noexcept { return base() + m_header->strings_offset + offset; }

private:
  const char* base() const noexcept { return reinterpret_cast<const char*>(m_header); }
  const abi::image_header* m_header;
};

} // namespace sinter
