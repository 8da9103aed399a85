#include "loader.hpp"

#include <dlfcn.h>

#include <base/foreign_variables.hpp>

namespace sinter::opencl {
namespace {

constexpr const char* library = "libOpenCL.so.1";

std::string& left_out_because() {
  static std::string& problem = *new std::string;
  return problem;
}

template <class Function>
void close(Function& function) {
  close_at_end(reinterpret_cast<void**>(&function), reinterpret_cast<void*>(detail::closed_function<Function>::call));
}

struct opened {
  loader functions{};
  void* handle = nullptr;
  bool usable = false;
  std::string problem;

  opened() {
    problem = left_out_because();
    if (!problem.empty()) return;
    // Through these environment variables, the user could make a loader open any library with the program's rights.
    if (const char* variable =
            find_strangers_variable({"OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH", "OPENCL_LAYERS",
                                     "OPENCL_LAYER_PATH", "OCL_ICD_ENABLE_TRACE"})) {
      problem = std::string("OpenCL is left out: the program has more rights than the user who set ") + variable;
      return;
    }
    handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
      problem = std::string("no OpenCL loader (") + library + ")";
      return;
    }
#define SINTER_OPENCL_FIND(name)                                                     \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(handle, #name)); \
  if (!functions.name) {                                                             \
    problem = std::string("the OpenCL loader is too old: it has no ") + #name;       \
    return;                                                                          \
  }                                                                                  \
  close(functions.name);
    SINTER_OPENCL_FUNCTIONS(SINTER_OPENCL_FIND)
#undef SINTER_OPENCL_FIND
#define SINTER_OPENCL_TRY(name)                                                      \
  functions.name = reinterpret_cast<decltype(functions.name)>(dlsym(handle, #name)); \
  if (functions.name) close(functions.name);
    SINTER_OPENCL_OPTIONAL_FUNCTIONS(SINTER_OPENCL_TRY)
#undef SINTER_OPENCL_TRY
    usable = true;
  }
};

/// Returns the loader, which is never destroyed, because other threads may use it while the program ends.
opened& the_loader() {
  static opened& made = *new opened;
  return made;
}

}  // namespace

const loader* find_loader() {
  opened& found = the_loader();
  return found.usable ? &found.functions : nullptr;
}

const std::string& loader_problem() { return the_loader().problem; }

void leave_loader_out(const std::string& problem) { left_out_because() = problem; }

std::string loader_version() {
  const opened& found = the_loader();
  if (!found.usable) return {};
  using address_function = void* (*)(const char* name);
  using info_function = cl_int (*)(cl_uint name, std::size_t bytes, void* value, std::size_t* needed);
  const auto address = reinterpret_cast<address_function>(dlsym(found.handle, "clGetExtensionFunctionAddress"));
  const auto info = address ? reinterpret_cast<info_function>(address("clGetICDLoaderInfoOCLICD")) : nullptr;
  if (!info) return {};
  const auto text = [&](cl_uint name) {
    char value[64] = "";
    return info(name, sizeof(value), value, nullptr) == CL_SUCCESS ? std::string(value) : std::string();
  };
  // These numbers are CL_ICDL_NAME and CL_ICDL_VERSION. The header that defines these numbers is not one of OpenCL's
  // headers.
  return text(3) + " " + text(2);
}

std::string text_of(cl_int result) {
  switch (result) {
#define SINTER_CL_NAME(name) \
  case name:                 \
    return #name;
    SINTER_CL_NAME(CL_DEVICE_NOT_AVAILABLE)
    SINTER_CL_NAME(CL_COMPILER_NOT_AVAILABLE)
    SINTER_CL_NAME(CL_MEM_OBJECT_ALLOCATION_FAILURE)
    SINTER_CL_NAME(CL_OUT_OF_RESOURCES)
    SINTER_CL_NAME(CL_OUT_OF_HOST_MEMORY)
    SINTER_CL_NAME(CL_BUILD_PROGRAM_FAILURE)
    SINTER_CL_NAME(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
    SINTER_CL_NAME(CL_LINK_PROGRAM_FAILURE)
    SINTER_CL_NAME(CL_INVALID_VALUE)
    SINTER_CL_NAME(CL_INVALID_BINARY)
    SINTER_CL_NAME(CL_INVALID_KERNEL_NAME)
    SINTER_CL_NAME(CL_INVALID_ARG_INDEX)
    SINTER_CL_NAME(CL_INVALID_ARG_VALUE)
    SINTER_CL_NAME(CL_INVALID_ARG_SIZE)
    SINTER_CL_NAME(CL_INVALID_KERNEL_ARGS)
    SINTER_CL_NAME(CL_INVALID_WORK_GROUP_SIZE)
    SINTER_CL_NAME(CL_INVALID_GLOBAL_WORK_SIZE)
    SINTER_CL_NAME(CL_INVALID_BUFFER_SIZE)
    SINTER_CL_NAME(CL_INVALID_OPERATION)
    SINTER_CL_NAME(CL_INVALID_MEM_OBJECT)
    SINTER_CL_NAME(CL_INVALID_DEVICE_PARTITION_COUNT)
    SINTER_CL_NAME(CL_DEVICE_PARTITION_FAILED)
    SINTER_CL_NAME(CL_INVALID_BUILD_OPTIONS)
    SINTER_CL_NAME(CL_INVALID_PROGRAM)
    SINTER_CL_NAME(CL_INVALID_PROGRAM_EXECUTABLE)
    SINTER_CL_NAME(CL_INVALID_CONTEXT)
    SINTER_CL_NAME(CL_INVALID_SPEC_ID)
    SINTER_CL_NAME(CL_MAX_SIZE_RESTRICTION_EXCEEDED)
    case driver_has_ended:
      return driver_end_text;
    default:
      return "error " + std::to_string(result);
#undef SINTER_CL_NAME
  }
}

}  // namespace sinter::opencl
