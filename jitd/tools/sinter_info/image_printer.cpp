#include "image_printer.hpp"

#include <elf.h>

#include <abi/device_targets.hpp>
#include <base/aspect_names.hpp>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <images/image_view.hpp>
#include <iterator>
#include <list>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace sinter;

/// Reads numbers from a file that may be cut off or damaged.
class bytes_of_file {
public:
  explicit bytes_of_file(std::vector<char> bytes) : m_bytes(std::move(bytes)) {}
  template <class T>
  std::optional<T> at(std::uint64_t offset) const {
    T value;
    if (offset > m_bytes.size() || m_bytes.size() - offset < sizeof(T)) return std::nullopt;
    std::memcpy(&value, m_bytes.data() + offset, sizeof(T));
    return value;
  }
  std::string text(std::uint64_t offset) const {
    std::string result;
    for (; offset < m_bytes.size() && m_bytes[offset] != '\0'; ++offset) result += m_bytes[offset];
    return result;
  }
  bool holds(std::uint64_t offset, std::uint64_t size) const {
    return offset <= m_bytes.size() && size <= m_bytes.size() - offset;
  }
  const char* data() const { return m_bytes.data(); }

private:
  std::vector<char> m_bytes;
};

/// The section of the images, or nothing if the file has none.
std::optional<Elf64_Shdr> find_images(const bytes_of_file& file) {
  const auto header = file.at<Elf64_Ehdr>(0);
  const auto names = file.at<Elf64_Shdr>(header->e_shoff + std::uint64_t{header->e_shstrndx} * sizeof(Elf64_Shdr));
  for (unsigned i = 0; names && i < header->e_shnum; ++i) {
    const auto section = file.at<Elf64_Shdr>(header->e_shoff + i * sizeof(Elf64_Shdr));
    if (section && file.text(names->sh_offset + section->sh_name) == abi::image_section) return section;
  }
  return std::nullopt;
}

std::string base64(const std::string& bytes) {
  static constexpr char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    unsigned group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
    }
    for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? digits[group >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// Writes bytes in DPC++'s form, in which their number of bits comes first.
void print_property(const char* key, const std::vector<std::uint32_t>& numbers, bool also_empty = false) {
  if (numbers.empty() && !also_empty) return;
  const std::uint64_t bits = numbers.size() * 32;
  std::string bytes(reinterpret_cast<const char*>(&bits), sizeof(bits));
  bytes.append(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(std::uint32_t));
  std::printf("    %s=2|%s\n", key, base64(bytes).c_str());
}

std::string name_of(std::uint32_t aspect) {
  for (const auto& known : aspect_names) {
    if (static_cast<std::uint32_t>(known.which) == aspect) return known.name;
  }
  return aspect == abi::aspect_limit ? "unknown" : std::to_string(aspect);
}

/// The note on whether SINTER_TIERED may start the kernel as host code.
const char* text_of_host_copy(std::uint32_t flags) {
  if ((flags & abi::kernel_host_copy) == 0) return "";
  if ((flags & abi::kernel_host_adds_products_once) != 0) return ", may start as host code where there is an FMA";
  return ", may start as host code";
}

/// The requirements of a kernel or function, together with those of the functions it calls.
struct requirements {
  abi::aspect_set aspects;
  std::set<std::uint32_t> sub_group_sizes;
  std::optional<std::uint32_t> targets;  ///< the fixed targets that all of them allow; nothing: any device

  template <class Row>
  void add(const Row& row) {
    aspects |= row.required_aspects;
    if (row.required_sub_group_size != 0) sub_group_sizes.insert(row.required_sub_group_size);
    if ((row.flags & abi::kernel_fixed_targets) != 0) targets = targets.value_or(abi::kernel_fixed_targets) & row.flags;
  }
  std::vector<std::uint32_t> numbers_of_aspects() const {
    std::vector<std::uint32_t> numbers;
    abi::for_each_aspect(aspects, [&](std::uint32_t aspect) { numbers.push_back(aspect); });
    return numbers;
  }
};

/// The images of a file.
class images_of_file {
public:
  /// Returns the fault of the image, or an empty text if it has none.
  std::string add(std::vector<std::uint64_t> blob, std::uint64_t size) {
    if (std::string why = validate_image(blob.data(), size); !why.empty()) return "a device image is damaged: " + why;
    m_blobs.push_back(std::move(blob));
    const image_view& image = m_images.emplace_back(reinterpret_cast<const abi::image_header*>(m_blobs.back().data()));
    for (std::uint32_t i = 0; i < image.header().export_count; ++i) {
      const abi::image_export& row = image.exported(i);
      m_exports.try_emplace(image.string(row.symbol), exported{m_images.size() - 1, &row});
    }
    return {};
  }
  void print() const {
    for (const image_view& image : m_images) {
      const abi::image_header& header = image.header();
      std::printf("image %016llx%016llx: %u kernels, %u exported functions, %llu bytes\n",
                  static_cast<unsigned long long>(header.hash_high), static_cast<unsigned long long>(header.hash_low),
                  header.kernel_count, header.export_count, static_cast<unsigned long long>(header.total_size));
      for (std::uint32_t i = 0; i < header.kernel_count; ++i) print_kernel(image, image.kernel(i));
      for (std::uint32_t i = 0; i < header.export_count; ++i) {
        std::printf("  function '%s'\n", image.string(image.exported(i).symbol));
        print_calls(image, image.exported(i));
        print_requirements(with_calls(image, image.exported(i)), {});
      }
    }
  }

private:
  struct exported {
    std::size_t image;
    const abi::image_export* row;
  };

  template <class Row>
  requirements with_calls(const image_view& image, const Row& row) const {
    requirements all;
    all.add(row);
    std::set<std::string> known;
    std::vector<exported> reached;
    const auto add = [&](const image_view& from, std::span<const abi::image_call> calls) {
      for (const abi::image_call& each : calls) {
        const char* symbol = from.string(from.imported(each.import).symbol);
        const auto found = m_exports.find(symbol);
        if (found != m_exports.end() && known.insert(symbol).second) reached.push_back(found->second);
      }
    };
    add(image, image.calls(row));
    for (std::size_t at = 0; at < reached.size(); ++at) {
      const exported function = reached[at];
      all.add(*function.row);
      add(m_images[function.image], m_images[function.image].calls(*function.row));
    }
    return all;
  }

  template <class Row>
  void print_calls(const image_view& image, const Row& row) const {
    std::string names;
    for (const abi::image_call& each : image.calls(row)) {
      const char* symbol = image.string(image.imported(each.import).symbol);
      names += (names.empty() ? "'" : ", '") + std::string(symbol) + "'";
      if (!m_exports.contains(symbol)) names += " (not here)";
    }
    if (!names.empty()) std::printf("    calls %s of other files\n", names.c_str());
  }

  void print_requirements(const requirements& wanted, const std::vector<std::uint32_t>& group) const {
    std::string names, sizes;
    for (const std::uint32_t each : wanted.numbers_of_aspects()) names += (names.empty() ? "" : ", ") + name_of(each);
    for (const std::uint32_t each : wanted.sub_group_sizes) {
      sizes += (sizes.empty() ? "" : " and of ") + std::to_string(each);
    }
    if (!names.empty()) std::printf("    requires %s\n", names.c_str());
    if (!sizes.empty()) std::printf("    sub-groups of %s\n", sizes.c_str());
    std::printf("    [SYCL/device requirements]\n");
    print_property("aspect", wanted.numbers_of_aspects());
    print_property("reqd_sub_group_size", {wanted.sub_group_sizes.begin(), wanted.sub_group_sizes.end()});
    print_property("reqd_work_group_size", group);
    if (!wanted.targets) return;
    std::vector<std::uint32_t> targets;
    for (const abi::known_target& each : abi::known_targets) {
      const bool is_new = targets.empty() || targets.back() != each.aspect;
      if ((*wanted.targets & each.flag) != 0 && is_new) targets.push_back(each.aspect);
    }
    print_property("fixed_target", targets, true);
  }

  void print_kernel(const image_view& image, const abi::image_kernel& kernel) const {
    static constexpr const char* shapes[] = {"single_task", "range", "nd_range"};
    std::printf("  kernel '%s'\n", image.string(kernel.display_name));
    std::printf("    %s of %u, %u arguments, %u specialization constants%s%s\n",
                shapes[static_cast<unsigned>(kernel.shape)], kernel.dimensions, kernel.leaf_count,
                kernel.constant_count, kernel.flags & abi::kernel_not_portable ? ", host CPU only" : "",
                text_of_host_copy(kernel.flags));
    print_calls(image, kernel);
    std::vector<std::uint32_t> group;
    const std::uint32_t* sizes = kernel.required_work_group_size;
    if (sizes[2] != 0) {
      // For imported kernels, it is unknown how many sizes the source specified.
      const std::uint32_t given = abi::dimensions_of_group(kernel.flags);
      const std::uint32_t dimensions = given != 0 ? given : kernel.dimensions;
      group = {dimensions};
      group.insert(group.end(), sizes + 3 - dimensions, sizes + 3);
      std::printf("    work-groups of %u x %u x %u\n", sizes[0], sizes[1], sizes[2]);
    }
    print_requirements(with_calls(image, kernel), group);
  }

  std::list<std::vector<std::uint64_t>> m_blobs;
  std::vector<image_view> m_images;
  std::map<std::string, exported> m_exports;
};

}  // namespace

std::string print_images_of(const char* path) {
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return std::string("can't read '") + path + "'";
  const bytes_of_file file(std::vector<char>(std::istreambuf_iterator<char>(stream), {}));
  const auto header = file.at<Elf64_Ehdr>(0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64) {
    return std::string("'") + path + "' is no ELF file of 64 bits";
  }
  const auto section = find_images(file);
  if (!section)
    return std::string("'") + path + "' has no device images: was it compiled with the plugin, has it kernels?";
  if (!file.holds(section->sh_offset, section->sh_size)) return std::string("'") + path + "' is cut off";
  // The blobs follow each other, and each tells its length.
  images_of_file images;
  for (std::uint64_t at = 0; at + sizeof(abi::image_header) <= section->sh_size;) {
    const auto size = file.at<abi::image_header>(section->sh_offset + at)->total_size;
    if (size > section->sh_size - at) return "a device image is longer than its section";
    std::vector<std::uint64_t> blob((size + 7) / 8);
    std::memcpy(blob.data(), file.data() + section->sh_offset + at, size);
    if (std::string why = images.add(std::move(blob), size); !why.empty()) return why;
    at += (size + 7) / 8 * 8;
  }
  images.print();
  return {};
}
