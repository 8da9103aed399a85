#include "driver.hpp"

#include <dlfcn.h>

#include <base/foreign_variables.hpp>
#include <base/program_end.hpp>
#include <cstdlib>
#include <images/cache.hpp>

#include <sycl/exception.hpp>

namespace sinter::cuda {
namespace {

constexpr const char* library = "libcuda.so.1";
// The oldest version with all functions that are used. The newest of these functions are the functions for graphs.
constexpr int least_version = 12000;

std::string version_text(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

constexpr CUresult misaligned_address = 716;

void note_driver_use() { std::atexit(settle_before_driver_ends); }

std::string text_of(CUresult result) {
  const driver* functions = find_driver();
  const char *name = nullptr, *text = nullptr;
  if (functions) {
    functions->cuGetErrorName(result, &name);
    functions->cuGetErrorString(result, &text);
  }
  std::string said = name ? std::string(name) + " (" + (text ? text : "") + ")" : "error " + std::to_string(result);
  if (result == misaligned_address) {
    said += ": a kernel has reached a number, a vec or a row of a joint_matrix at an address that is no multiple of "
            "its size. Rows of a joint_matrix begin at multiples of 16 bytes: strides are multiples of 8 for half and "
            "bfloat16, of 16 for 8 bits, of 4 for float, tf32 and int, of 2 for double";
  }
  return said;
}

struct opened {
  driver functions;
  bool usable = false;
  std::string problem;

  opened() {
    // Through these environment variables, the user could make the driver load any library with the program's rights.
    if (const char* variable = find_strangers_variable({"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH"})) {
      problem = std::string("the NVIDIA driver is left out: the program has more rights than the user who set ") +
                variable;
      return;
    }
    void* handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      problem = std::string("no NVIDIA driver (") + library + ")";
      return;
    }
    // Drivers of all versions have this function.
    const auto get_version = reinterpret_cast<CUresult (*)(int*)>(dlsym(handle, "cuDriverGetVersion"));
    if (get_version) get_version(&functions.version);
    if (functions.version < least_version) {
      problem = "the NVIDIA driver is too old: it has CUDA " + version_text(functions.version) + ", " +
                version_text(least_version) + " is needed";
      return;
    }
#define SINTER_CUDA_FIND(name, symbol, parameters)                                   \
  functions.name = reinterpret_cast<CUresult(*) parameters>(dlsym(handle, #symbol)); \
  if (!functions.name) {                                                             \
    problem = std::string("the NVIDIA driver has no function ") + #symbol;           \
    return;                                                                          \
  }
    SINTER_CUDA_FUNCTIONS(SINTER_CUDA_FIND)
#undef SINTER_CUDA_FIND
    const CUresult result = functions.cuInit(0);
    if (result != gpu::success) {
      const char* text = nullptr;
      functions.cuGetErrorString(result, &text);
      problem = std::string("the NVIDIA driver can't be used: ") + (text ? text : "unknown error");
      return;
    }
    functions.text_of = text_of;
    functions.note_use = note_driver_use;
    usable = true;
    note_driver_use();
    Dl_info place;
    if (dladdr(dlsym(handle, "cuInit"), &place) && place.dli_fname) functions.file = file_stamp(place.dli_fname);
  }
};

/// Returns the driver, which is never destroyed, because other threads may use it while the program ends.
opened& the_driver() {
  static opened& made = *new opened;
  return made;
}

}  // namespace

const driver* find_driver() {
  opened& found = the_driver();
  return found.usable ? &found.functions : nullptr;
}

const std::string& driver_problem() { return the_driver().problem; }

}  // namespace sinter::cuda
