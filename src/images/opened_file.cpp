#include "opened_file.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sinter {

bool has_code_of(void* library, std::string_view object) noexcept {
  link_map* map = nullptr;
  if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) return false;
  const auto* const loaded = reinterpret_cast<const char*>(map->l_addr);
  ElfW(Ehdr) header;
  if (object.size() < sizeof(header)) return false;
  std::memcpy(&header, object.data(), sizeof(header));
  const std::size_t headers_end = header.e_phoff + std::size_t{header.e_phnum} * sizeof(ElfW(Phdr));
  // The headers are at the beginning of the first segment, and fill at most a page of it. If the headers are equal, the
  // segments have equal sizes.
  constexpr std::size_t least_page = 4096;
  if (headers_end > least_page || headers_end > object.size()) return false;
  if (std::memcmp(loaded, object.data(), sizeof(header)) != 0) return false;
  if (std::memcmp(loaded + header.e_phoff, object.data() + header.e_phoff, headers_end - header.e_phoff) != 0) {
    return false;
  }
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    ElfW(Phdr) segment;
    std::memcpy(&segment, object.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
    // The loader changes segments that can be written.
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_W) != 0) continue;
    if (segment.p_offset > object.size() || segment.p_filesz > object.size() - segment.p_offset) return false;
    if (std::memcmp(loaded + segment.p_vaddr, object.data() + segment.p_offset, segment.p_filesz) != 0) return false;
  }
  return true;
}

}  // namespace sinter
