#include "jump_targets.hpp"

#include <dlfcn.h>
#include <link.h>

#include <cstring>

namespace sinter {
namespace {

bool lies_at_fixed_address(const void* address, link_map*& object) {
  Dl_info info;
  void* found = nullptr;
  if (!dladdr1(address, &info, &found, RTLD_DL_LINKMAP) || !info.dli_fbase) return false;
  object = static_cast<link_map*>(found);
  const auto* header = static_cast<const ElfW(Ehdr)*>(info.dli_fbase);
  return std::memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 && header->e_type == ET_EXEC;
}

/// A jump may lead to a function in another shared object. If such a jump is at the address, returns the function's
/// name; otherwise returns null.
const char* name_behind_jump(const void* address) {
  Dl_info info;
  void* found = nullptr;
  if (!dladdr1(address, &info, &found, RTLD_DL_SYMENT) || !found || info.dli_saddr != address) return nullptr;
  return static_cast<const ElfW(Sym)*>(found)->st_shndx == SHN_UNDEF ? info.dli_sname : nullptr;
}

/// Finds the first definition in the objects after the program, in the order in which the loader searches.
const void* find_definition(const char* name, const link_map& program) {
  for (const link_map* object = program.l_next; object; object = object->l_next) {
    void* handle = dlopen(object->l_name, RTLD_LAZY | RTLD_NOLOAD);
    if (!handle) continue;
    const void* address = dlsym(handle, name);
    dlclose(handle);
    Dl_info info;
    void* owner = nullptr;
    // dlsym with an object's handle also finds definitions in libraries on which the object depends, so the
    // definition's owner is compared.
    if (address && dladdr1(address, &info, &owner, RTLD_DL_LINKMAP) && owner == object) return address;
  }
  return nullptr;
}

}  // namespace

std::vector<const void*> resolved_imports(const abi::image_record& record) {
  const std::uint32_t count = record.image->import_count;
  std::vector<const void*> addresses(record.import_addresses, record.import_addresses + count);
  link_map* program = nullptr;
  if (count == 0 || !lies_at_fixed_address(&record, program)) return addresses;
  for (const void*& address : addresses) {
    const char* name = name_behind_jump(address);
    const void* definition = name ? find_definition(name, *program) : nullptr;
    if (definition) address = definition;
  }
  return addresses;
}

}  // namespace sinter
