#include <doctest/doctest.h>

#include <functional>
#include <images/image_view.hpp>
#include <memory>

#include "image_builder.hpp"

namespace {

using namespace sinter;
using test::image_builder;

/// Validates a copy on the heap whose allocation ends with the data, so that the address sanitizer sees reads past the
/// end.
std::string validate(const std::string& blob) {
  const std::unique_ptr<char[]> copy(new char[blob.size()]);
  std::memcpy(copy.get(), blob.data(), blob.size());
  return validate_image(copy.get(), blob.size());
}

/// Validates the example image with one change in its header.
std::string with_header(const std::function<void(abi::image_header&)>& change) {
  std::string blob = image_builder::example().build();
  abi::image_header header;
  std::memcpy(&header, blob.data(), sizeof(header));
  change(header);
  std::memcpy(blob.data(), &header, sizeof(header));
  return validate(blob);
}

/// Validates the example image with one change in its rows and a correct checksum.
std::string with_rows(const std::function<void(image_builder&)>& change) {
  image_builder builder = image_builder::example();
  change(builder);
  return validate(builder.build());
}

/// Reads everything that a validated image refers to, as the runtime and the JIT do.
std::size_t read_all(const std::string& blob) {
  std::vector<std::uint64_t> aligned((blob.size() + 7) / 8);
  std::memcpy(aligned.data(), blob.data(), blob.size());
  const image_view image(reinterpret_cast<const abi::image_header*>(aligned.data()));
  std::size_t read = 0;
  for (std::uint32_t i = 0; i < image.header().kernel_count; ++i) {
    const abi::image_kernel& kernel = image.kernel(i);
    for (std::uint32_t text : {kernel.symbol, kernel.display_name, kernel.source_position}) {
      read += std::strlen(image.string(text));
    }
  }
  for (std::uint32_t i = 0; i < image.header().kernel_count; ++i) {
    for (const abi::image_constant& constant : image.constants(i)) read += constant.key & 1;
  }
  return read;
}

} // namespace

TEST_CASE("an image as the format describes it is accepted") {
  CHECK(validate(image_builder::example().build()) == "");
  CHECK(validate(image_builder().build()) == "");
}

TEST_CASE("the view of an accepted image shows its kernels") {
  const std::string blob = image_builder::example().build();
  REQUIRE(validate(blob) == "");
  std::vector<std::uint64_t> aligned((blob.size() + 7) / 8);
  std::memcpy(aligned.data(), blob.data(), blob.size());
  const image_view image(reinterpret_cast<const abi::image_header*>(aligned.data()));
  CHECK(image.header().kernel_count == 2);
  CHECK(std::string(image.string(image.kernel(0).display_name)) == "first kernel");
  CHECK(std::string(image.string(image.kernel(1).symbol)) == "kernel_1");
  CHECK(std::string(image.string(image.kernel(1).source_position)) == "");
  CHECK(image.kernel(1).shape == abi::kernel_shape::nd_range);
  CHECK(image.constants(0).empty());
  REQUIRE(image.constants(1).size() == 1);
  CHECK(image.constants(1)[0].key == 0x1234567890abcdef);
}

TEST_CASE("an image that is cut off anywhere is refused") {
  const std::string blob = image_builder::example().build();
  for (std::size_t size = 0; size < blob.size(); ++size) {
    CAPTURE(size);
    CHECK(validate(blob.substr(0, size)) != "");
  }
}

TEST_CASE("bytes after the end are refused") { CHECK(validate(image_builder::example().build() + '\0') != ""); }

TEST_CASE("a changed byte after the header is refused") {
  const std::string blob = image_builder::example().build();
  for (std::size_t at = sizeof(abi::image_header); at < blob.size(); ++at) {
    std::string changed = blob;
    changed[at] ^= 0x20;
    CAPTURE(at);
    CHECK(validate(changed) != "");
  }
}

TEST_CASE("a changed byte of the header is refused or leaves an image that can be read") {
  const std::string blob = image_builder::example().build();
  for (std::size_t at = 0; at < sizeof(abi::image_header); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = blob;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      if (validate(changed).empty()) CHECK(read_all(changed) < blob.size() * 8);
    }
  }
}

TEST_CASE("a changed byte under a correct checksum is refused or leaves an image that can be read") {
  const std::string blob = image_builder::example().build();
  for (std::size_t at = sizeof(abi::image_header); at < blob.size(); ++at) {
    for (unsigned value : {0x01u, 0x80u, 0xffu}) {
      std::string changed = blob;
      changed[at] = static_cast<char>(static_cast<unsigned char>(changed[at]) ^ value);
      image_builder::seal(changed);
      if (validate(changed).empty()) CHECK(read_all(changed) < blob.size() * 8);
    }
  }
}

TEST_CASE("magic and versions have to be ours, and another version says to recompile") {
  CHECK(with_header([](auto& header) { header.magic[7] = 'X'; }).find("magic") != std::string::npos);
  CHECK(with_header([](auto& header) { ++header.version; }).find("recompile") != std::string::npos);
  CHECK(with_header([](auto& header) { ++header.device_abi; }).find("recompile") != std::string::npos);
  CHECK(with_header([](auto& header) { header.flags = 1u << 31; }).find("flags") != std::string::npos);
}

TEST_CASE("a wrong checksum is named") {
  CHECK(with_header([](auto& header) { header.hash_low ^= 1; }).find("checksum") != std::string::npos);
  CHECK(with_header([](auto& header) { header.hash_high ^= 1; }).find("checksum") != std::string::npos);
}

TEST_CASE("offsets and counts that leave the image are refused, also where adding them would overflow") {
  using header = abi::image_header;
  constexpr std::uint64_t offsets[] = {0, 8, 1u << 20, ~std::uint64_t{0}, ~std::uint64_t{7}, std::uint64_t{1} << 63};
  for (auto field : {&header::kernels_offset, &header::leaves_offset, &header::imports_offset,
                     &header::exports_offset, &header::constants_offset, &header::calls_offset,
                     &header::strings_offset, &header::bitcode_offset}) {
    for (std::uint64_t value : offsets) {
      CAPTURE(value);
      CHECK(with_header([&](header& changed) { changed.*field = value; }) != "");
    }
  }
  for (auto field : {&header::kernel_count, &header::leaf_count, &header::import_count, &header::export_count,
                     &header::constant_count, &header::call_count}) {
    for (std::uint32_t value : {1000u, 1u << 20, (1u << 20) + 1, ~0u}) {
      CAPTURE(value);
      CHECK(with_header([&](header& changed) { changed.*field = value; }) != "");
    }
  }
  for (auto field : {&header::strings_size, &header::bitcode_size, &header::total_size, &header::bitcode_raw_size}) {
    for (std::uint64_t value : {std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
      CAPTURE(value);
      CHECK(with_header([&](header& changed) { changed.*field = value; }) != "");
    }
  }
}

TEST_CASE("tables are aligned") {
  CHECK(with_header([](auto& header) { header.kernels_offset += 4; }) != "");
  CHECK(with_header([](auto& header) { header.leaves_offset += 1; }) != "");
}

TEST_CASE("strings end and names lie inside") {
  CHECK(with_header([](auto& header) { header.strings_size = 0; }) != "");
  CHECK(with_header([](auto& header) { --header.strings_size; }) != "");
  CHECK(with_rows([](auto& builder) { builder.strings.back() = 'x'; }).find("strings") != std::string::npos);
  CHECK(with_rows([](auto& builder) { builder.kernels[0].symbol = 100000; }).find("name") != std::string::npos);
  CHECK(with_rows([](auto& builder) { builder.kernels[1].display_name = ~0u; }).find("name") != std::string::npos);
  CHECK(with_rows([](auto& builder) {
          builder.kernels[1].source_position = static_cast<std::uint32_t>(builder.strings.size());
        }).find("name") != std::string::npos);
  CHECK(with_rows([](auto& builder) { builder.imports[0].symbol = ~0u; }).find("import") != std::string::npos);
  const std::string too_large = with_rows([](auto& builder) { builder.imports[0].device_global_bytes = ~0ull; });
  CHECK(too_large.find("device_global") != std::string::npos);
  CHECK(with_rows([](auto& builder) { builder.exports[0].symbol = ~0u; }).find("export") != std::string::npos);
}

TEST_CASE("kernels have a shape and one to three dimensions") {
  CHECK(with_rows([](auto& builder) { builder.kernels[0].shape = static_cast<abi::kernel_shape>(3); }) != "");
  CHECK(with_rows([](auto& builder) { builder.kernels[0].dimensions = 0; }) != "");
  CHECK(with_rows([](auto& builder) { builder.kernels[0].dimensions = 4; }) != "");
}

TEST_CASE("a kernel's constants lie inside the table") {
  auto refused = [](const std::string& why) { return why.find("constants") != std::string::npos; };
  CHECK(refused(with_rows([](auto& builder) { builder.kernels[1].first_constant = 1; })));
  CHECK(refused(with_rows([](auto& builder) { builder.kernels[0].first_constant = ~0u; })));
  CHECK(refused(with_rows([](auto& builder) { builder.kernels[1].constant_count = ~0u; })));
}

TEST_CASE("calls of kernels and exported functions lie inside the table, and are of imports") {
  auto refused = [](const std::string& why) { return why.find("call") != std::string::npos; };
  CHECK(refused(with_rows([](auto& builder) { builder.kernels[1].first_call = 2; })));
  CHECK(refused(with_rows([](auto& builder) { builder.kernels[0].first_call = ~0u; })));
  CHECK(refused(with_rows([](auto& builder) { builder.kernels[1].call_count = ~0u; })));
  CHECK(refused(with_rows([](auto& builder) { builder.exports[0].first_call = 2; })));
  CHECK(refused(with_rows([](auto& builder) { builder.exports[0].call_count = ~0u; })));
  CHECK(refused(with_rows([](auto& builder) { builder.calls[1].import = 1; })));
}

TEST_CASE("a kernel's leaves lie inside the table and inside its block") {
  CHECK(with_rows([](auto& builder) { builder.kernels[0].first_leaf = 2; }) != "");
  CHECK(with_rows([](auto& builder) { builder.kernels[0].first_leaf = ~0u; }) != "");
  CHECK(with_rows([](auto& builder) { builder.kernels[0].leaf_count = ~0u; }) != "");
  CHECK(with_rows([](auto& builder) { builder.leaves[1].offset = 16; }) != "");
  CHECK(with_rows([](auto& builder) { builder.leaves[1].offset = ~0u; }) != "");
  CHECK(with_rows([](auto& builder) { builder.leaves[1].size = ~0u; }) != "");
  CHECK(with_rows([](auto& builder) { builder.kernels[0].block_size = 11; }) != "");
  CHECK(with_rows([](auto& builder) { builder.kernels[0].block_size = 12; }) == "");
}
