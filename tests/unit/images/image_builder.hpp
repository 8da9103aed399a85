#pragma once
/// Device images made by hand (abi/image_format.hpp), so that a test can break a single rule.

#include <abi/device_abi.hpp>
#include <abi/image_format.hpp>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace test {

/// A test first adds rows and then calls `build`. After a test has damaged the blob, `seal` updates the checksum.
class image_builder {
public:
  std::vector<sinter::abi::image_kernel> kernels;
  std::vector<sinter::abi::image_leaf> leaves;
  std::vector<sinter::abi::image_import> imports;
  std::vector<sinter::abi::image_export> exports;
  std::vector<sinter::abi::image_constant> constants;
  std::vector<sinter::abi::image_call> calls;
  std::string strings = std::string(1, '\0');
  std::string bitcode = "BC not looked at here";

  std::uint32_t add_string(std::string_view text) {
    const auto offset = static_cast<std::uint32_t>(strings.size());
    strings.append(text).push_back('\0');
    return offset;
  }

  /// Returns an image with two kernels, an export, an import and a specialization constant. The kernels have arguments.
  /// One kernel calls the import, and so does the export.
  static image_builder example() {
    using namespace sinter::abi;
    image_builder builder;
    builder.leaves = {{0, 8, leaf_kind::global_pointer, 0, 0, 0},
                      {8, 4, leaf_kind::scalar, 0, 0, 0},
                      {0, 72, leaf_kind::accessor, 1, 2, 4}};
    image_kernel first{};
    first.symbol = builder.add_string("kernel_0");
    first.display_name = builder.add_string("first kernel");
    first.source_position = builder.add_string("program.cpp:3:5");
    first.shape = kernel_shape::range;
    first.dimensions = 1;
    first.block_size = 16;
    first.block_alignment = 8;
    first.leaf_count = 2;
    image_kernel second = first;
    second.symbol = builder.add_string("kernel_1");
    second.display_name = builder.add_string("second kernel");
    second.source_position = 0;
    second.flags = kernel_not_portable;
    second.shape = kernel_shape::nd_range;
    second.dimensions = 3;
    second.block_size = 72;
    second.first_leaf = 2;
    second.leaf_count = 1;
    second.required_aspects = aspect_bit(1);
    second.constant_count = 1;
    second.call_count = 1;
    builder.kernels = {first, second};
    builder.imports = {{builder.add_string("puts"), 0, 0}};
    image_export helper{};
    helper.symbol = builder.add_string("helper");
    helper.required_aspects = aspect_bit(2);
    helper.first_call = helper.call_count = 1;
    builder.exports = {helper};
    builder.calls = {{0}, {0}};
    builder.constants = {{0x1234567890abcdef}};
    return builder;
  }

  std::string build() const {
    using namespace sinter::abi;
    std::string blob(sizeof(image_header), '\0');
    image_header header{};
    std::memcpy(header.magic, image_magic, sizeof(image_magic));
    header.version = image_format_version;
    header.device_abi = device_abi_version;
    header.kernel_count = static_cast<std::uint32_t>(kernels.size());
    header.leaf_count = static_cast<std::uint32_t>(leaves.size());
    header.import_count = static_cast<std::uint32_t>(imports.size());
    header.export_count = static_cast<std::uint32_t>(exports.size());
    header.constant_count = static_cast<std::uint32_t>(constants.size());
    header.call_count = static_cast<std::uint32_t>(calls.size());
    header.kernels_offset = append(blob, kernels);
    header.leaves_offset = append(blob, leaves);
    header.imports_offset = append(blob, imports);
    header.exports_offset = append(blob, exports);
    header.constants_offset = append(blob, constants);
    header.calls_offset = append(blob, calls);
    header.strings_offset = append(blob, strings);
    header.strings_size = strings.size();
    header.bitcode_offset = append(blob, bitcode);
    header.bitcode_size = header.bitcode_raw_size = bitcode.size();
    header.total_size = blob.size();
    std::memcpy(blob.data(), &header, sizeof(header));
    seal(blob);
    return blob;
  }

  /// Writes the correct checksum into the blob.
  static void seal(std::string& blob) {
    sinter::abi::image_header header;
    std::memcpy(&header, blob.data(), sizeof(header));
    const XXH128_hash_t hash = XXH3_128bits(blob.data() + sizeof(header), blob.size() - sizeof(header));
    header.hash_low = hash.low64;
    header.hash_high = hash.high64;
    std::memcpy(blob.data(), &header, sizeof(header));
  }

private:
  template <class Rows>
  static std::uint64_t append(std::string& blob, const Rows& rows) {
    blob.resize((blob.size() + 7) / 8 * 8);
    const std::uint64_t offset = blob.size();
    blob.append(reinterpret_cast<const char*>(rows.data()), rows.size() * sizeof(rows[0]));
    return offset;
  }
};

} // namespace test
