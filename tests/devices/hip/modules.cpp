#include "modules.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <set>

#include "judge.hpp"

namespace judge {

using namespace sinter::hip;

struct module {
  void* library = nullptr;
  const sinter::abi::simulated_facts* facts = nullptr;
  std::deque<function> functions;
};

namespace {

std::mutex guarding;  // guards the variables below
std::set<module*>& modules() {
  static auto& made = *new std::set<module*>;
  return made;
}
std::set<function*>& functions() {
  static auto& made = *new std::set<function*>;
  return made;
}

module& module_of(hipModule_t handle) {
  auto* const known = reinterpret_cast<module*>(handle);
  std::lock_guard lock(guarding);
  if (!modules().contains(known)) refuse("a module is used that is none, or is gone");
  return *known;
}

/// The size of a shared object's image, which ends with the table of sections.
std::size_t bytes_of(const Elf64_Ehdr& header) {
  return header.e_shoff + std::size_t{header.e_shentsize} * header.e_shnum;
}

}  // namespace

std::string architecture() {
  const char* name = std::getenv("TEST_HIP_ARCH");
  return name && *name != '\0' ? name : "simulated-wave64";
}
unsigned wave_of(const std::string& name) { return name.find("wave32") == std::string::npos ? 64 : 32; }

hipError_t load(const void* image, hipModule_t* made) {
  Elf64_Ehdr header;
  std::memcpy(&header, image, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return hipErrorInvalidImage;
  if (header.e_machine != EM_X86_64) return hipErrorNoBinaryForGpu;
  // The loader identifies libraries by their paths, so each module is written to a file of its own.
  const char* folder = std::getenv("TMPDIR");
  std::string path = std::string(folder ? folder : "/tmp") + "/hip-judge-XXXXXX";
  const int file = mkstemp(path.data());
  const std::size_t bytes = bytes_of(header);
  if (file < 0 || write(file, image, bytes) != static_cast<ssize_t>(bytes)) refuse("a module can't be written");
  auto* const loaded = new module;
  loaded->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  close(file);
  unlink(path.c_str());
  if (!loaded->library) refuse(dlerror());
  loaded->facts = static_cast<const sinter::abi::simulated_facts*>(
      dlsym(loaded->library, sinter::abi::simulated_facts_symbol));
  if (!loaded->facts) return hipErrorInvalidImage;
  std::lock_guard lock(guarding);
  modules().insert(loaded);
  *made = reinterpret_cast<hipModule_t>(loaded);
  return hipSuccess;
}

void unload(hipModule_t handle) {
  module& gone = module_of(handle);
  if (module_is_used(&gone)) refuse("a module is unloaded while its kernel runs");
  std::lock_guard lock(guarding);
  for (function& each : gone.functions) functions().erase(&each);
  modules().erase(&gone);
  dlclose(gone.library);
  delete &gone;
}

hipError_t find_function(hipModule_t handle, const char* name, hipFunction_t* found) {
  module& its = module_of(handle);
  void* const entry = dlsym(its.library, name);
  if (!entry) return hipErrorNotFound;
  std::lock_guard lock(guarding);
  function& made = its.functions.emplace_back(&its, reinterpret_cast<kernel_function>(entry));
  functions().insert(&made);
  *found = reinterpret_cast<hipFunction_t>(&made);
  return hipSuccess;
}

hipError_t find_variable(hipModule_t handle, const char* name, void** place, std::size_t* bytes) {
  *place = dlsym(module_of(handle).library, name);
  if (!*place) return hipErrorNotFound;
  Dl_info where;
  void* symbol = nullptr;
  if (dladdr1(*place, &where, &symbol, RTLD_DL_SYMENT) == 0 || !symbol) refuse("a variable has no size");
  *bytes = static_cast<const Elf64_Sym*>(symbol)->st_size;
  return hipSuccess;
}

function& function_of(hipFunction_t handle) {
  auto* const known = reinterpret_cast<function*>(handle);
  std::lock_guard lock(guarding);
  if (!functions().contains(known)) refuse("a kernel is used that is none, or whose module is gone");
  return *known;
}

hipError_t bind(hipFunction_t handle, const hipKernelNodeParams& how, int device, bound_launch& bound) {
  const function& its = function_of(handle);
  const sinter::abi::simulated_facts& facts = *its.of->facts;
  kernel_launch& made = bound.launch;
  made.function = its.entry;
  made.facts = &facts;
  made.wave = wave_of(architecture());
  const std::uint32_t blocks[] = {how.gridDim.x, how.gridDim.y, how.gridDim.z};
  const std::uint32_t threads[] = {how.blockDim.x, how.blockDim.y, how.blockDim.z};
  std::uint64_t items = 1;
  for (std::size_t d = 0; d < 3; ++d) {
    if (blocks[d] == 0 || threads[d] == 0) refuse("a kernel is launched in no blocks, or in empty ones");
    if (std::uint64_t{blocks[d]} * threads[d] > 0xffffffffu) refuse("a grid has more work-items than HIP counts");
    if (d != 0 && blocks[d] > 65535) return hipErrorInvalidValue;
    items *= threads[d];
    made.blocks[d] = blocks[d];
    made.threads[d] = threads[d];
  }
  if (items > most_items) return hipErrorInvalidValue;
  if (facts.block[2] != 0 &&
      (facts.block[2] != threads[0] || facts.block[1] != threads[1] || facts.block[0] != threads[2])) {
    refuse("a kernel is launched in blocks of another size than its code is made for");
  }
  if (how.sharedMemBytes > most_local_bytes) return hipErrorInvalidValue;
  made.local_bytes = how.sharedMemBytes;
  if (!how.kernelParams || !how.kernelParams[0] || !how.kernelParams[1]) refuse("a kernel lacks parameters");
  if (facts.geometry_bytes != sizeof(made.geometry)) refuse("a kernel takes another geometry");
  std::memcpy(&made.geometry, how.kernelParams[1], sizeof(made.geometry));
  for (std::size_t d = 0; d < 3; ++d) {
    if (made.geometry.block_size[2 - d] != threads[d] || made.geometry.grid_size[2 - d] != blocks[d]) {
      refuse("the geometry says another size of the grid than the launch");
    }
  }
  made.block.assign(static_cast<const char*>(how.kernelParams[0]), facts.block_bytes);
  find_uses(made.block, device, bound.uses);
  bound.of = its.of;
  return hipSuccess;
}

hipError_t launch(hipFunction_t handle, const hipKernelNodeParams& how, stream& to, bool together) {
  auto bound = std::make_shared<bound_launch>();
  if (const hipError_t error = bind(handle, how, to.device, *bound); error != hipSuccess) return error;
  bound->launch.together = together;
  append(to, [bound] { return run(bound->launch); }, bound->uses, bound->of);
  return hipSuccess;
}

bool check_copy(void* to, const void* from, std::size_t bytes, std::vector<use>& uses) {
  for (const void* each : {static_cast<const void*>(to), from}) {
    const allocation found = allocation_of(each);
    if (found.bytes == 0) continue;
    if (static_cast<const char*>(each) + bytes > found.begin + found.bytes) return false;
    uses.push_back({found.begin, true});
  }
  return true;
}

}  // namespace judge
