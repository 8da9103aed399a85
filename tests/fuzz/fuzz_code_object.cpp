/// Tests the check of code objects for AMD's GPUs: the check comes to an end for any bytes, and an accepted object lies
/// completely inside the file.

#include <elf.h>

#include <backends/hip/code_object.hpp>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  // The copy has its own allocation, so the sanitizer sees reads behind its end.
  const std::string image(reinterpret_cast<const char*>(bytes), size);
  for (const char* gpu : {"gfx942", "another-gpu"}) {
    if (!sinter::hip::code_object_fault(image, gpu).empty() || size < sizeof(Elf64_Ehdr)) continue;
    Elf64_Ehdr header;
    std::memcpy(&header, bytes, sizeof(header));
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) continue;
    // HIP computes the file's length in this way.
    const unsigned __int128 end = static_cast<unsigned __int128>(header.e_shoff) + header.e_shnum * header.e_shentsize;
    if (end > size) std::abort();
    for (unsigned i = 0; i < header.e_shnum; ++i) {
      Elf64_Shdr section;
      std::memcpy(&section, bytes + header.e_shoff + i * sizeof(section), sizeof(section));
      const unsigned __int128 its_end = static_cast<unsigned __int128>(section.sh_offset) + section.sh_size;
      if (section.sh_type != SHT_NOBITS && its_end > size) std::abort();
    }
  }
  return 0;
}
