#include "image_view.hpp"

#include <abi/device_abi.hpp>
#include <cstdint>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace sinter {
namespace {

// No compiler makes an image with more entries than this. The limit ensures that sums and products of counts don't
// overflow.
constexpr std::uint64_t max_entries = 1u << 20;
constexpr std::uint64_t max_bitcode = std::uint64_t{1} << 31, max_global = std::uint64_t{1} << 46;

class validator {
public:
  validator(const char* data, std::size_t size) : m_data(data), m_size(size) {}

  std::string run() {
    if (m_size < sizeof(abi::image_header)) return "it is shorter than a header";
    std::memcpy(&m_header, m_data, sizeof(m_header));
    if (std::memcmp(m_header.magic, abi::image_magic, sizeof(m_header.magic)) != 0) return "it has no image magic";
    if (m_header.version != abi::image_format_version || m_header.device_abi != abi::device_abi_version) {
      return "it was made by another version of Sinter (image format " + std::to_string(m_header.version) +
             ", device ABI " + std::to_string(m_header.device_abi) + "); recompile the program";
    }
    if (m_header.total_size != m_size) return "its size is wrong";
    if (!table(m_header.kernels_offset, m_header.kernel_count, sizeof(abi::image_kernel)) ||
        !table(m_header.leaves_offset, m_header.leaf_count, sizeof(abi::image_leaf)) ||
        !table(m_header.imports_offset, m_header.import_count, sizeof(abi::image_import)) ||
        !table(m_header.exports_offset, m_header.export_count, sizeof(abi::image_export)) ||
        !table(m_header.constants_offset, m_header.constant_count, sizeof(abi::image_constant)) ||
        !table(m_header.calls_offset, m_header.call_count, sizeof(abi::image_call)) ||
        !area(m_header.strings_offset, m_header.strings_size) ||
        !area(m_header.bitcode_offset, m_header.bitcode_size)) {
      return "a table lies outside of it";
    }
    if (m_header.bitcode_raw_size > max_bitcode) return "its bitcode is too large";
    if ((m_header.flags & abi::image_bitcode_zstd) == 0 && m_header.bitcode_raw_size != m_header.bitcode_size) {
      return "its bitcode has two sizes";
    }
    if ((m_header.flags & ~(abi::image_bitcode_zstd | abi::image_full_debug)) != 0) return "it has unknown flags";
    if (m_header.strings_size == 0 || m_data[m_header.strings_offset + m_header.strings_size - 1] != '\0') {
      return "its strings have no end";
    }
    // The hash is checked before any row is used. An image that fails a later check is therefore not just damaged:
    // Sinter's compiler has not made it.
    const XXH128_hash_t hash = XXH3_128bits(m_data + sizeof(m_header), m_size - sizeof(m_header));
    if (hash.low64 != m_header.hash_low || hash.high64 != m_header.hash_high) return "its checksum is wrong";
    return rows();
  }

private:
  bool area(std::uint64_t offset, std::uint64_t size) const {
    return offset >= sizeof(m_header) && offset <= m_size && size <= m_size - offset;
  }
  bool table(std::uint64_t offset, std::uint64_t count, std::uint64_t row) const {
    return offset % 8 == 0 && count <= max_entries && area(offset, count * row);
  }
  bool text(std::uint32_t offset) const { return offset < m_header.strings_size; }

  template <class Row>
  bool calls(const Row& of) const {
    return of.first_call <= m_header.call_count && of.call_count <= m_header.call_count - of.first_call;
  }

  template <class Row>
  Row row(std::uint64_t offset, std::uint64_t index) const {
    Row result;
    std::memcpy(&result, m_data + offset + index * sizeof(Row), sizeof(Row));
    return result;
  }

  std::string rows() const {
    for (std::uint32_t i = 0; i < m_header.kernel_count; ++i) {
      const auto kernel = row<abi::image_kernel>(m_header.kernels_offset, i);
      if (!text(kernel.symbol) || !text(kernel.display_name) || !text(kernel.source_position)) {
        return "a kernel's name lies outside of it";
      }
      if (kernel.shape > abi::kernel_shape::nd_range || kernel.dimensions < 1 || kernel.dimensions > 3) {
        return "a kernel has an impossible shape";
      }
      if (kernel.first_leaf > m_header.leaf_count || kernel.leaf_count > m_header.leaf_count - kernel.first_leaf) {
        return "a kernel's arguments lie outside of it";
      }
      if (kernel.first_constant > m_header.constant_count ||
          kernel.constant_count > m_header.constant_count - kernel.first_constant) {
        return "a kernel's constants lie outside of it";
      }
      if (!calls(kernel)) return "a kernel's calls lie outside of it";
      for (std::uint32_t j = 0; j < kernel.leaf_count; ++j) {
        const auto leaf = row<abi::image_leaf>(m_header.leaves_offset, kernel.first_leaf + j);
        if (leaf.kind > abi::leaf_kind::specialized || leaf.dimensions > 3) return "an argument is of no known kind";
        if (leaf.offset > kernel.block_size || leaf.size > kernel.block_size - leaf.offset) {
          return "an argument lies outside of its block";
        }
      }
    }
    for (std::uint32_t i = 0; i < m_header.import_count; ++i) {
      const auto import = row<abi::image_import>(m_header.imports_offset, i);
      if (!text(import.symbol)) return "an import has no name";
      if (import.device_global_bytes > max_global) return "a device_global is larger than any memory";
    }
    for (std::uint32_t i = 0; i < m_header.export_count; ++i) {
      const auto exported = row<abi::image_export>(m_header.exports_offset, i);
      if (!text(exported.symbol)) return "an export has no name";
      if (!calls(exported)) return "an export's calls lie outside of it";
    }
    for (std::uint32_t i = 0; i < m_header.call_count; ++i) {
      if (row<abi::image_call>(m_header.calls_offset, i).import >= m_header.import_count) {
        return "a call is of no import";
      }
    }
    return {};
  }

  const char* m_data;
  std::size_t m_size;
  abi::image_header m_header;
};

} // namespace

std::string validate_image(const void* blob, std::size_t size) {
  return validator(static_cast<const char*>(blob), size).run();
}

} // namespace sinter
