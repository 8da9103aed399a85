/// Device images: validation ends for any bytes, and everything that an accepted image names can be read.

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <images/image_view.hpp>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace {

void check(const char* data, std::size_t size) {
  using namespace sinter;
  if (!validate_image(data, size).empty()) return;
  const image_view image(reinterpret_cast<const abi::image_header*>(data));
  std::size_t read = 0;
  for (std::uint32_t i = 0; i < image.header().kernel_count; ++i) {
    const abi::image_kernel& kernel = image.kernel(i);
    for (std::uint32_t text : {kernel.symbol, kernel.display_name, kernel.source_position}) {
      read += std::strlen(image.string(text));
    }
    const auto* leaves = reinterpret_cast<const abi::image_leaf*>(data + image.header().leaves_offset);
    for (std::uint32_t j = 0; j < kernel.leaf_count; ++j) {
      const abi::image_leaf& leaf = leaves[kernel.first_leaf + j];
      if (std::uint64_t{leaf.offset} + leaf.size > kernel.block_size) std::abort();
    }
    for (const abi::image_constant& constant : image.constants(i)) read += constant.key & 1;
    for (const abi::image_call& call : image.calls(kernel)) {
      read += std::strlen(image.string(image.imported(call.import).symbol));
    }
  }
  for (std::uint32_t i = 0; i < image.header().export_count; ++i) {
    const abi::image_export& exported = image.exported(i);
    read += std::strlen(image.string(exported.symbol));
    for (const abi::image_call& call : image.calls(exported)) read += call.import;
  }
  // The program does not use the sum. It only matters that all reads stay inside the blob.
  volatile std::size_t sink = read;
  (void)sink;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  using sinter::abi::image_header;
  // Images are aligned in their section, so the copy has to be aligned, too.
  std::vector<std::uint64_t> aligned((size + 7) / 8);
  if (size != 0) std::memcpy(aligned.data(), bytes, size);
  char* data = reinterpret_cast<char*>(aligned.data());
  check(data, size);
  if (size < sizeof(image_header)) return 0;
  // Validates the bytes again with correct size and checksum, because random mutations would never produce these.
  image_header header;
  std::memcpy(&header, data, sizeof(header));
  const XXH128_hash_t hash = XXH3_128bits(data + sizeof(header), size - sizeof(header));
  header.total_size = size;
  header.hash_low = hash.low64;
  header.hash_high = hash.high64;
  std::memcpy(data, &header, sizeof(header));
  check(data, size);
  return 0;
}
