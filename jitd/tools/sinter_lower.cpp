/// sinter-lower shows the device images in a file, and the code that their kernels become.

#include <images/image_view.hpp>
#include <abi/device_abi.hpp>
#include <abi/device_targets.hpp>
#include <abi/gpu_launch.hpp>
#include <abi/local_range.hpp>
#include <abi/matrix_layout.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "service/compiler.hpp"
#include "input/kernel_image.hpp"
#include "targets/cpu_target.hpp"

namespace {

using namespace sinter;

constexpr const char* usage =
    "usage: sinter-lower [--list] [--emit=ir|lowered|opt|asm|ptx|amdgcn|spirv] [--kernel=N] [--wide] [--lanes=N]\n"
    "                    [--block=N] [--sub-group=N] [--local=N,N,N] [--gpu=sm_90] [--folded] [--turns] [--disjoint]\n"
    "                    [--pointers-apart] [--matrices=8x16x16:f16,f16,f32,f32] [--lacks=ASPECT] FILE\n"
    "FILE is an image, an object file, a library or a program with device images.\n"
    "  --list        kernels, shapes and arguments (the default)\n"
    "  --emit=ir     the device module of each image\n"
    "  --emit=lowered, opt, asm  each kernel lowered for this CPU, optimised, as assembly\n"
    "                    --cpu=aarch64:neoverse-v2[:BITS]  for another CPU of LLVM, with SVE of that length\n"
    "  --emit=ptx    each kernel as PTX;  --folded  for grids of more groups than dimensions y and z have\n"
    "                    --turns  for blocks that take several groups, of kernels that can (flag 80)\n"
    "                    --disjoint  for launches no two accessors of which reach the same memory\n"
    "  --emit=amdgcn each kernel as a code object for AMD's GPUs, in binary form, as many bytes as a line before it\n"
    "                    says;  --gpu=gfx942;  --folded, --turns, --disjoint as for PTX\n"
    "  --emit=spirv  each kernel as a SPIR-V module, in binary form, as many bytes as a line before it says;\n"
    "                    --gpu=spirv64v1.0  of an older version\n"
    "  --pointers-apart  for drivers whose memory has no addresses outside kernels\n"
    "                    --specialization-ids=BYTES  constants, each of that size, are the driver's to put in\n"
    "                    --matrices=MxNxK:A,B,C,D  a product of the device's matrix units, one of several\n"
    "                    --matrix-bytes=N  matrices in memory and their strides have multiples of N bytes\n"
    "  --lacks=ASPECT  only kernels that devices without the aspect take, such as fp64\n"
    "  --kernel=N    only kernel N of each image;  --wide  ids may exceed 31 bits;  --lanes=N  1: no vectors\n"
    "  --local=N,N,N local range, last dimension last: code for launches that have it\n"
    "  --local-accessors=BYTES  those of all launches, one behind the other, as hexadecimal digits\n"
    "  --image=HEX   numbers of 8 bytes are handles of images with these traits (sycl/detail/image_texels.hpp)\n"
    "  --sub-group=N size where the kernel requires none, 8 if not given;  --block=N neighbours at a time, 1: one\n";

struct options {
  std::string emit = "list", cpu, gpu, file;
  int kernel = -1;
  bool wide = false, folded = false, pointers_apart = false, turns = false, disjoint = false;
  unsigned lanes = 0, sub_group = 8, block = 0, constant_bytes = 0;
  std::uint32_t image_traits = 0, lacked_aspect = 0;
  abi::local_range local_range{};
  std::string local_accessors;
  std::vector<abi::matrix_product> matrices;
  std::uint32_t matrix_bytes = 1;
};

/// Reads a matrix product, and adds it for each size of sub-groups. Returns false if the text does not describe a
/// product.
bool read_product(const char* text, std::vector<abi::matrix_product>& products) {
  static constexpr const char* names[] = {"f16", "bf16", "f32", "tf32", "f64", "s8", "u8", "s32"};
  unsigned m = 0, n = 0, k = 0;
  char words[4][5] = {};
  if (std::sscanf(text, "%ux%ux%u:%4[^,],%4[^,],%4[^,],%4s", &m, &n, &k, words[0], words[1], words[2], words[3]) != 7)
    return false;
  abi::matrix_element elements[4] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto* found = std::find_if(std::begin(names), std::end(names),
                                     [&](const char* each) { return std::strcmp(each, words[i]) == 0; });
    if (found == std::end(names)) return false;
    elements[i] = static_cast<abi::matrix_element>(found - names);
  }
  for (std::uint32_t size = abi::least_matrix_sub_group; size <= abi::most_matrix_sub_group; size *= 2)
    products.push_back({m, n, k, elements[0], elements[1], elements[2], elements[3], size});
  return true;
}

/// Reads up to three numbers; missing leading numbers are 1.
abi::local_range read_local_range(const char* text) {
  abi::local_range range = {1, 1, 1};
  for (;;) {
    char* end = nullptr;
    range = {range[1], range[2], std::strtoull(text, &end, 10)};
    if (*end != ',') return range;
    text = end + 1;
  }
}

std::string bytes_of(const char* digits) {
  std::string bytes;
  for (; digits[0] && digits[1]; digits += 2) {
    const char pair[] = {digits[0], digits[1], 0};
    bytes += static_cast<char>(std::strtoul(pair, nullptr, 16));
  }
  return bytes;
}

bool parse(int count, char** words, options& result) {
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--list") {
      result.emit = "list";
    } else if (word.starts_with("--emit=")) {
      result.emit = word.substr(7);
    } else if (word.starts_with("--kernel=")) {
      result.kernel = std::atoi(word.c_str() + 9);
    } else if (word.starts_with("--cpu=")) {
      result.cpu = word.substr(6);
    } else if (word.starts_with("--gpu=")) {
      result.gpu = word.substr(6);
    } else if (word.starts_with("--sub-group=")) {
      result.sub_group = static_cast<unsigned>(std::atoi(word.c_str() + 12)) & 0xffu;
    } else if (word.starts_with("--lanes=")) {
      result.lanes = static_cast<unsigned>(std::atoi(word.c_str() + 8)) & 0xffu;
    } else if (word.starts_with("--block=")) {
      result.block = static_cast<unsigned>(std::atoi(word.c_str() + 8)) & 0xffu;
    } else if (word.starts_with("--local=")) {
      result.local_range = read_local_range(word.c_str() + 8);
    } else if (word == "--wide") {
      result.wide = true;
    } else if (word.starts_with("--local-accessors=")) {
      result.local_accessors = bytes_of(word.c_str() + 18);
    } else if (word.starts_with("--image=")) {
      result.image_traits = static_cast<std::uint32_t>(std::strtoul(word.c_str() + 8, nullptr, 16));
    } else if (word.starts_with("--specialization-ids=")) {
      result.constant_bytes = static_cast<unsigned>(std::atoi(word.c_str() + 21)) & 0xffu;
    } else if (word.starts_with("--matrices=") && read_product(word.c_str() + 11, result.matrices)) {
      continue;
    } else if (word.starts_with("--matrix-bytes=")) {
      result.matrix_bytes = static_cast<std::uint32_t>(std::strtoul(word.c_str() + 15, nullptr, 10));
    } else if (word.starts_with("--lacks=")) {
      result.lacked_aspect = abi::number_of_aspect(word.c_str() + 8);
      if (result.lacked_aspect == 0) {
        std::fprintf(stderr, "sinter-lower: there is no aspect '%s'\n", word.c_str() + 8);
        return false;
      }
    } else if (word == "--turns") {
      result.turns = true;
    } else if (word == "--disjoint") {
      result.disjoint = true;
    } else if (word == "--folded") {
      result.folded = true;
    } else if (word == "--pointers-apart") {
      result.pointers_apart = true;
    } else if (word.starts_with("-") || !result.file.empty()) {
      std::fprintf(stderr, "sinter-lower: unknown or surplus argument '%s'\n%s", word.c_str(), usage);
      return false;
    } else {
      result.file = word;
    }
  }
  for (const char* known : {"list", "ir", "lowered", "opt", "asm", "ptx", "amdgcn", "spirv"}) {
    if (result.emit == known && !result.file.empty()) return true;
  }
  std::fprintf(stderr, "%s", usage);
  return false;
}

/// Finds images by their magic number. Each image is copied, because it must be aligned.
std::vector<std::vector<std::uint64_t>> find_images(const std::string& bytes) {
  std::vector<std::vector<std::uint64_t>> images;
  const std::string magic(abi::image_magic, sizeof(abi::image_magic));
  for (std::size_t at = bytes.find(magic); at != std::string::npos; at = bytes.find(magic, at + 8)) {
    if (bytes.size() - at < sizeof(abi::image_header)) break;
    abi::image_header header;
    std::memcpy(&header, bytes.data() + at, sizeof(header));
    if (header.total_size > bytes.size() - at || header.total_size < sizeof(header)) continue;
    std::vector<std::uint64_t> copy((header.total_size + 7) / 8);
    std::memcpy(copy.data(), bytes.data() + at, header.total_size);
    if (validate_image(copy.data(), header.total_size).empty()) images.push_back(std::move(copy));
  }
  return images;
}

void list(const abi::image_header& image, std::uint32_t index) {
  static const char* const shapes[] = {"single_task", "range", "nd_range"};
  const jit::kernel_facts kernel = jit::read_kernel(image, index);
  std::printf("kernel %u '%s' %s<%u> at %s, block %u bytes, flags %x\n", index, kernel.display_name.c_str(),
              shapes[static_cast<unsigned>(kernel.row.shape)], kernel.row.dimensions, kernel.source_position.c_str(),
              kernel.row.block_size, kernel.row.flags);
  static const char* const kinds[] = {"scalar", "pointer",   "accessor", "local_accessor",
                                      "bytes",  "constants", "stream", "specialized"};
  for (const abi::image_leaf& leaf : kernel.leaves) {
    std::printf("  %4u %4u %s\n", leaf.offset, leaf.size,
                static_cast<unsigned>(leaf.kind) < std::size(kinds) ? kinds[static_cast<unsigned>(leaf.kind)] : "?");
  }
}

/// The device for which code is made, or null for the CPU.
const char* device_of(const options& options) {
  if (options.emit == "ptx") return options.gpu.empty() ? "sm_90" : options.gpu.c_str();
  if (options.emit == "amdgcn") return options.gpu.empty() ? "gfx942" : options.gpu.c_str();
  if (options.emit != "spirv") return nullptr;
  return options.gpu.empty() ? abi::spirv_target_name : options.gpu.c_str();
}

llvm::Expected<std::string> show(const options& options, const abi::image_header& image, std::uint32_t index) {
  abi::jit_request request{};
  request.contract = abi::contract_version;
  request.kernel_index = index;
  request.options = {options.wide ? abi::id_width::bits_64 : abi::id_width::bits_32,
                     0,
                     abi::access_check::none,
                     options.lanes,
                     options.sub_group,
                     options.block};
  request.groups = {options.local_range, options.local_accessors.data(), options.local_accessors.size()};
  request.image = &image;
  // If the group's size is known, the code also contains the other properties that all launches share.
  const abi::specialization_table none_set{};
  if (options.local_range[2] != 0) request.constants = &none_set;
  constexpr std::uint32_t place_of_traits = 12;
  std::vector<abi::specialization_table::entry> images;
  for (const abi::image_leaf& leaf : jit::read_kernel(image, index).leaves) {
    if (options.image_traits == 0 || leaf.kind != abi::leaf_kind::scalar || leaf.size != 8) continue;
    images.push_back({abi::specialization_of_memory(leaf.offset, place_of_traits), &options.image_traits, 4});
  }
  const abi::specialization_table of_images{static_cast<std::uint32_t>(images.size()), images.data()};
  if (!images.empty()) request.constants = &of_images;
  if (const char* name = device_of(options)) {
    const bool can_take_turns = (jit::read_kernel(image, index).row.flags & abi::kernel_takes_turns) != 0;
    const abi::matrix_units units{options.matrices.data(), static_cast<std::uint32_t>(options.matrices.size()),
                                  options.matrix_bytes, options.matrix_bytes};
    request.gpu = {name, options.wide ? 0u : 1u, options.folded ? 1u : 0u, 0, options.pointers_apart ? 1u : 0u,
                   options.turns && can_take_turns ? 1u : 0u,
                   options.disjoint ? 1u : 0u,
                   options.constant_bytes != 0 ? 1u : 0u,
                   options.matrices.empty() ? nullptr : &units};
    std::vector<abi::specialization_table::entry> entries;
    if (options.constant_bytes != 0) {
      for (const abi::image_constant& each : image_view(&image).constants(index)) {
        entries.push_back({each.key, nullptr, options.constant_bytes});
      }
    }
    const abi::specialization_table named{static_cast<std::uint32_t>(entries.size()), entries.data()};
    if (options.constant_bytes != 0) request.constants = &named;
    llvm::Expected<jit::device_code> code = jit::compile_for_gpu(request);
    if (!code) return code.takeError();
    return std::move(code->text);
  }
  const jit::stage stage = options.emit == "lowered" ? jit::stage::lowered_ir
                           : options.emit == "opt"   ? jit::stage::optimised_ir
                                                     : jit::stage::assembly;
  return jit::show_kernel(request, stage);
}

int run(const options& options) {
  std::ifstream file(options.file, std::ios::binary);
  if (!file) {
    std::fprintf(stderr, "sinter-lower: can't read '%s'\n", options.file.c_str());
    return 2;
  }
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto images = find_images(bytes);
  if (images.empty()) {
    std::fprintf(stderr, "sinter-lower: '%s' holds no device image (compiled without the capture plugin?)\n",
                 options.file.c_str());
    return 1;
  }
  int refused = 0;
  for (const auto& blob : images) {
    const auto& image = *reinterpret_cast<const abi::image_header*>(blob.data());
    if (options.emit == "ir") {
      llvm::LLVMContext context;
      auto module = jit::read_module(image, context);
      if (!module) {
        std::fprintf(stderr, "sinter-lower: %s\n", llvm::toString(module.takeError()).c_str());
        return 1;
      }
      (*module)->print(llvm::outs(), nullptr);
      continue;
    }
    for (std::uint32_t i = 0; i < image.kernel_count; ++i) {
      if (options.kernel >= 0 && static_cast<std::uint32_t>(options.kernel) != i) continue;
      if (options.lacked_aspect != 0 &&
          jit::read_kernel(image, i).row.required_aspects & abi::aspect_bit(options.lacked_aspect)) {
        continue;
      }
      if (options.emit == "list") {
        list(image, i);
        continue;
      }
      auto text = show(options, image, i);
      if (!text) {
        std::fprintf(stderr, "sinter-lower: kernel '%s': %s\n", jit::read_kernel(image, i).display_name.c_str(),
                     llvm::toString(text.takeError()).c_str());
        refused = 1;
        continue;
      }
      if (options.emit == "spirv" || options.emit == "amdgcn") std::printf("%zu\n", text->size());
      std::fwrite(text->data(), 1, text->size(), stdout);
      std::fputc('\n', stdout);
    }
  }
  return refused;
}

} // namespace

int main(int count, char** words) {
  options chosen;
  if (!parse(count, words, chosen)) return 2;
  if (!chosen.cpu.empty()) jit::compile_for(chosen.cpu.c_str());
  return run(chosen);
}
