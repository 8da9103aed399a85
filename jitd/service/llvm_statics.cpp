/// Keeps static objects of LLVM's library from being destroyed. Kernels may be compiled even while the program ends:
/// the program's static objects may launch them, and so may threads for which the program does not wait. exit() would
/// destroy LLVM's static objects before the program's, because LLVM's were constructed later.
///
/// LLVM's library calls __cxa_atexit of the C library even if our libraries define this function, so the code below
/// replaces the function's address in LLVM's table of addresses. This has to happen before LLVM's constructors run,
/// because thousands of them register destructors. Therefore this is a library of its own, which is initialised first
/// (-z initfirst) and must depend only on the C library. When this library is initialised, all libraries that are
/// opened together with it are already in memory.

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

// The kinds of table entries that hold addresses of functions.
#if defined(__aarch64__)
constexpr std::uint64_t kinds_of_entries[] = {R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT};
#else
constexpr std::uint64_t kinds_of_entries[] = {R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT};
#endif

int never_destroyed(void (*)(void*), void*, void*) { return 0; }

bool all_stay = false;

struct search {
  bool compiler_seen = false;  ///< libsinter-jit.so was found; libraries that were opened for it are listed behind it
  bool is_linked_in = true;    ///< LLVM is part of libsinter-jit.so: no library of LLVM was found
};

bool is_named(const dl_phdr_info& object, const char* part) {
  const char* const slash = std::strrchr(object.dlpi_name, '/');
  return std::strstr(slash ? slash : object.dlpi_name, part) != nullptr;
}

/// Returns the pointer for a value. The value is an offset or an address, because the C library has replaced most
/// offsets by addresses.
template <class T>
const T* address_of(const dl_phdr_info& object, std::uint64_t value) {
  return reinterpret_cast<const T*>(value < object.dlpi_addr ? object.dlpi_addr + value : value);
}

/// Writes even where the loader has made memory read-only.
bool store(const dl_phdr_info& object, std::uint64_t offset) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  const std::uint64_t place = object.dlpi_addr + offset, start = place & ~(page - 1);
  bool is_read_only = false;
  for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    is_read_only |= part.p_type == PT_GNU_RELRO && offset >= part.p_vaddr && offset < part.p_vaddr + part.p_memsz;
  }
  const auto protect = [&](int rights) { return mprotect(reinterpret_cast<void*>(start), page, rights) == 0; };
  if (is_read_only && !protect(PROT_READ | PROT_WRITE)) return false;
  *reinterpret_cast<void**>(place) = reinterpret_cast<void*>(never_destroyed);
  if (is_read_only) protect(PROT_READ);
  return true;
}

/// Returns how many entries were changed.
int change_entries(const dl_phdr_info& object) {
  const ElfW(Dyn)* entry = nullptr;
  for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    if (part.p_type == PT_DYNAMIC) entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + part.p_vaddr);
  }
  const ElfW(Sym)* symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela)* lists[2] = {};
  std::size_t bytes[2] = {};
  for (; entry && entry->d_tag != DT_NULL; ++entry) {
    const std::uint64_t value = entry->d_un.d_val;
    if (entry->d_tag == DT_SYMTAB) symbols = address_of<ElfW(Sym)>(object, value);
    if (entry->d_tag == DT_STRTAB) names = address_of<char>(object, value);
    if (entry->d_tag == DT_JMPREL) lists[0] = address_of<ElfW(Rela)>(object, value);
    if (entry->d_tag == DT_PLTRELSZ) bytes[0] = value;
    if (entry->d_tag == DT_RELA) lists[1] = address_of<ElfW(Rela)>(object, value);
    if (entry->d_tag == DT_RELASZ) bytes[1] = value;
  }
  int changed = 0;
  if (!symbols || !names) return changed;
  for (int list = 0; list < 2; ++list) {
    for (std::size_t i = 0; lists[list] && i < bytes[list] / sizeof(ElfW(Rela)); ++i) {
      const ElfW(Rela)& each = lists[list][i];
      const std::uint64_t kind = ELF64_R_TYPE(each.r_info);
      if (kind != kinds_of_entries[0] && kind != kinds_of_entries[1]) continue;
      if (std::strcmp(names + symbols[ELF64_R_SYM(each.r_info)].st_name, "__cxa_atexit") != 0) continue;
      if (!store(object, each.r_offset)) return 0;
      ++changed;
    }
  }
  return changed;
}

int look_at(dl_phdr_info* object, std::size_t, void* data) {
  search& known = *static_cast<search*>(data);
  known.compiler_seen |= is_named(*object, "libsinter-jit.so");
  if (!is_named(*object, "libLLVM")) return 0;
  known.is_linked_in = false;
  // A program may list another LLVM before libsinter-jit.so. That LLVM was loaded earlier and has registered its
  // objects already.
  all_stay = known.compiler_seen && change_entries(*object) > 0;
  return all_stay ? 1 : 0;
}

[[gnu::constructor]] void keep_statics() {
  search known;
  dl_iterate_phdr(look_at, &known);
  // If LLVM is a part of libsinter-jit.so, no_exit_destructors.cpp keeps its objects.
  all_stay |= known.is_linked_in;
}

}  // namespace

/// Whether LLVM's static objects are kept, so that kernels can be compiled until the process has ended.
extern "C" [[gnu::visibility("default")]] bool sinter_llvm_stays() { return all_stay; }
