#include "code_object.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>

namespace sinter::hip {
namespace {

// Older versions of elf.h lack these two numbers.
constexpr unsigned amd_gpu = 224, abi_of_hsa = 64;

/// Returns whether the range lies in a file of `all` bytes. The computation cannot overflow.
bool is_inside(std::uint64_t begin, std::uint64_t bytes, std::uint64_t all) {
  return begin <= all && bytes <= all - begin;
}

template <class Header>
Header read(std::string_view bytes, std::uint64_t at) {
  Header header;
  std::memcpy(&header, bytes.data() + at, sizeof(header));
  return header;
}

/// Checks that a table of headers lies in the file, and calls `check` for each header.
template <class Header, class Check>
std::string check_table(std::string_view bytes, std::uint64_t begin, std::uint64_t count, std::uint64_t step,
                        const char* name, const Check& check) {
  if (count == 0) return {};
  if (step != sizeof(Header)) return std::string("has ") + name + " of another size";
  if (!is_inside(begin, count * step, bytes.size())) return std::string("ends before its ") + name;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto header = read<Header>(bytes, begin + i * step);
    if (!check(header)) return std::string("ends within what its ") + name + " describe";
  }
  return {};
}

}  // namespace

std::string code_object_fault(std::string_view bytes, std::string_view gpu) {
  const bool is_amd = gpu.starts_with("gfx");
  const bool is_elf = bytes.size() >= SELFMAG && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0;
  if (!is_elf) return is_amd ? "is no ELF file" : "";
  if (bytes.size() < sizeof(Elf64_Ehdr)) return "ends within its header";
  const auto header = read<Elf64_Ehdr>(bytes, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) return "is no file of 64 bits";
  if (is_amd && (header.e_machine != amd_gpu || header.e_ident[EI_OSABI] != abi_of_hsa)) {
    return "is for another kind of machine";
  }
  if (header.e_phnum == 0 || header.e_shnum == 0) return "has no contents";
  const auto has_segment = [&](const Elf64_Phdr& its) { return is_inside(its.p_offset, its.p_filesz, bytes.size()); };
  const auto has_section = [&](const Elf64_Shdr& its) {
    return its.sh_type == SHT_NOBITS || is_inside(its.sh_offset, its.sh_size, bytes.size());
  };
  std::string fault = check_table<Elf64_Phdr>(bytes, header.e_phoff, header.e_phnum, header.e_phentsize,
                                              "segments", has_segment);
  if (fault.empty()) {
    fault = check_table<Elf64_Shdr>(bytes, header.e_shoff, header.e_shnum, header.e_shentsize, "sections",
                                    has_section);
  }
  return fault;
}

}  // namespace sinter::hip
