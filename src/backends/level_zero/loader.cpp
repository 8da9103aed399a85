#include "loader.hpp"

#include <dlfcn.h>

#include <base/foreign_variables.hpp>
#include <cstdio>

namespace sinter::level_zero {
namespace {

constexpr const char* loader_library = "libze_loader.so.1";

std::string& left_out_because() {
  static std::string& problem = *new std::string;
  return problem;
}

template <class Function>
struct closed_call;
template <class... Parameters>
struct closed_call<ze_result_t (*)(Parameters...)> {
  static ze_result_t call(Parameters...) { return driver_has_ended; }
};

/// Registers a function pointer. When drivers end, the pointer is set to a function that returns an error.
template <class Function>
void close(Function& function) {
  close_at_end(reinterpret_cast<void**>(&function), reinterpret_cast<void*>(closed_call<Function>::call));
}

struct opened_loader {
  loader functions;
  void* handle = nullptr;
  bool usable = false;
  std::string problem;

  opened_loader() {
    problem = left_out_because();
    if (!problem.empty()) return;
    // Through these environment variables, the user could make the loader open any library with the program's rights.
    if (const char* variable = find_strangers_variable({"ZE_ENABLE_ALT_DRIVERS", "ZE_ENABLE_VALIDATION_LAYER",
                                                        "ZE_ENABLE_TRACING_LAYER", "ZEL_LIBRARY_PATH"})) {
      problem = std::string("Level Zero is left out: the program has more rights than the user who set ") + variable;
      return;
    }
    handle = dlopen(loader_library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      problem = std::string("no Level Zero loader (") + loader_library + ")";
      return;
    }
#define SINTER_ZE_FIND(name, parameters)                                                  \
  functions.name = reinterpret_cast<ze_result_t(*) parameters>(dlsym(handle, #name));     \
  if (!functions.name) {                                                                  \
    problem = std::string("the Level Zero loader is too old: it has no ") + #name;        \
    return;                                                                               \
  }                                                                                       \
  close(functions.name);
    SINTER_ZE_FUNCTIONS(SINTER_ZE_FIND)
#undef SINTER_ZE_FIND
#define SINTER_ZE_TRY(name, parameters) \
  functions.name = reinterpret_cast<ze_result_t(*) parameters>(dlsym(handle, #name)); \
  if (functions.name) close(functions.name);
    SINTER_ZE_OPTIONAL_FUNCTIONS(SINTER_ZE_TRY)
#undef SINTER_ZE_TRY
    const ze_result_t result = functions.zeInit(0);
    if (result == ZE_RESULT_ERROR_UNINITIALIZED) {
      problem = "a loader, and no driver that can be used";
    } else if (result != ZE_RESULT_SUCCESS) {
      problem = "Level Zero's drivers can't be used: " + text_of(result);
    } else {
      usable = true;
      note_driver_use();
    }
  }
};

/// Returns the loader, which is never destroyed, because other threads may use it while the program ends.
opened_loader& the_loader() {
  static opened_loader& made = *new opened_loader;
  return made;
}

}  // namespace

const loader* find_loader() {
  opened_loader& found = the_loader();
  return found.usable ? &found.functions : nullptr;
}

const std::string& loader_problem() { return the_loader().problem; }

void find_newer(newer_functions& into, const loader& functions, ze_driver_handle_t driver) {
  void* const handle = the_loader().handle;
  bool are_loaders = true;
#define SINTER_ZE_ASK(name, parameters) are_loaders = are_loaders && dlsym(handle, #name);
  SINTER_ZE_NEWER_FUNCTIONS(SINTER_ZE_ASK)
#undef SINTER_ZE_ASK
  const auto find = [&](const char* name) {
    void* address = are_loaders ? dlsym(handle, name) : nullptr;
    const auto ask = functions.zeDriverGetExtensionFunctionAddress;
    if (!address && ask && ask(driver, name, &address) != ZE_RESULT_SUCCESS) address = nullptr;
    return address;
  };
#define SINTER_ZE_FIND(name, parameters)                                    \
  into.name = reinterpret_cast<ze_result_t(*) parameters>(find(#name));     \
  if (into.name) close(into.name);
  SINTER_ZE_NEWER_FUNCTIONS(SINTER_ZE_FIND)
#undef SINTER_ZE_FIND
  if (are_loaders) return;
  into.translate =
      reinterpret_cast<ze_result_t (*)(handle_kind, void*, void**)>(dlsym(handle, "zelLoaderTranslateHandle"));
}

void leave_loader_out(const std::string& problem) { left_out_because() = problem; }

std::string text_of(ze_result_t result) {
  switch (result) {
#define SINTER_ZE_NAME(name) \
  case name:                 \
    return #name;
    SINTER_ZE_NAME(ZE_RESULT_SUCCESS)
    SINTER_ZE_NAME(ZE_RESULT_NOT_READY)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_DEVICE_LOST)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_MODULE_BUILD_FAILURE)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_MODULE_LINK_FAILURE)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INSUFFICIENT_PERMISSIONS)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_NOT_AVAILABLE)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_UNINITIALIZED)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_UNSUPPORTED_VERSION)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INVALID_ARGUMENT)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INVALID_NULL_HANDLE)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INVALID_NULL_POINTER)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INVALID_SIZE)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_UNSUPPORTED_SIZE)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INVALID_NATIVE_BINARY)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INVALID_KERNEL_NAME)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INVALID_GLOBAL_WIDTH_DIMENSION)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED)
    SINTER_ZE_NAME(ZE_RESULT_ERROR_UNKNOWN)
#undef SINTER_ZE_NAME
  }
  if (result == driver_has_ended) return driver_end_text;
  char number[16];
  std::snprintf(number, sizeof(number), "0x%x", static_cast<unsigned>(result));
  return std::string("error ") + number;
}

}  // namespace sinter::level_zero
