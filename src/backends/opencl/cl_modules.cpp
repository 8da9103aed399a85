#include "cl_modules.hpp"

#include <images/code_variant.hpp>
#include <sstream>
#include <vector>

#include <sycl/exception.hpp>

#include "cl_programs.hpp"

namespace sinter::opencl {
namespace {

[[noreturn]] void refuse(const cl_device_context& device, sycl::errc code, const std::string& why) {
  sycl::detail::throw_error(code, "device '" + device.name() + "': " + why);
}

class cl_module final : public native_module {
public:
  /// From now on, the module owns the program.
  cl_module(cl_device_context& device, cl_program program) : m_device(device), m_program(program) {}
  ~cl_module() override {
    for (const auto& each : m_codes) unload(*each->gpu);
    m_device.functions().clReleaseProgram(m_program);
  }

  cl_program program() const noexcept { return m_program; }

  /// Finds the program's kernels. Called after the program was built. `kernel` is a kernel object that exists already,
  /// or null.
  void find_kernels(const code_target& target, cl_kernel kernel = nullptr) {
    const loader& functions = m_device.functions();
    const std::string names = text_info(functions.clGetProgramInfo, m_program, CL_PROGRAM_KERNEL_NAMES);
    const std::string known = kernel ? text_info(functions.clGetKernelInfo, kernel, CL_KERNEL_FUNCTION_NAME) : "";
    std::istringstream list(names);
    for (std::string name; std::getline(list, name, ';');) add_kernel(target, name, name == known ? kernel : nullptr);
  }

  const std::vector<std::string>& kernels() const override { return m_names; }
  std::uint32_t argument_count(std::size_t kernel) const override {
    cl_uint count = 0;
    m_device.functions().clGetKernelInfo(loaded(kernel).function, CL_KERNEL_NUM_ARGS, sizeof(count), &count, nullptr);
    return count;
  }
  const code_variant& code(std::size_t kernel) const override { return *m_codes[kernel]; }
  void* native() const override { return m_program; }
  void* native(std::size_t kernel) const override { return loaded(kernel).function; }

private:
  loaded_program& loaded(std::size_t kernel) const {
    return *static_cast<loaded_program*>(m_codes[kernel]->gpu->loaded[0].load());
  }

  void add_kernel(const code_target& target, const std::string& name, cl_kernel known) {
    const loader& functions = m_device.functions();
    auto made = std::make_unique<loaded_program>(m_device);
    made->kernel = name;
    cl_int result = CL_SUCCESS;
    if (known) functions.clRetainKernel(known);
    made->function = known ? known : functions.clCreateKernel(m_program, name.c_str(), &result);
    m_device.check(result, [&] { return "loading kernel '" + name + "'"; });
    describe(*made);
    auto code = std::make_unique<code_variant>();
    code->made_for.target = &target;
    code->origin = code_origin::jit;
    code->name = name;
    code->gpu = std::make_unique<gpu_program>();
    code->gpu->entry = name;
    code->gpu->loaded[0] = made.release();
    m_codes.push_back(std::move(code));
    m_names.push_back(name);
  }

  cl_device_context& m_device;
  cl_program m_program;
  std::vector<std::string> m_names;
  std::vector<std::unique_ptr<code_variant>> m_codes;
};

cl_program create(cl_device_context& device, const kernel_source& source) {
  const loader& functions = device.functions();
  const bool is_spirv = source.written_in == kernel_source::language::spirv;
  const char* text = source.text.data();
  const std::size_t bytes = source.text.size();
  cl_int result = CL_SUCCESS;
  cl_program made = is_spirv ? create_with_il(device, source.text, result)
                             : functions.clCreateProgramWithSource(device.native(), 1, &text, &bytes, &result);
  if (result == CL_SUCCESS) return made;
  refuse(
      device, sycl::errc::build,
      std::string("the driver does not take the ") + (is_spirv ? "SPIR-V module" : "source") + ": " + text_of(result));
}

void set_constants(cl_device_context& device, cl_program program, const kernel_source& source) {
  const auto set = device.functions().clSetProgramSpecializationConstant;
  if (!source.constants.empty() && !set) {
    refuse(device, sycl::errc::feature_not_supported,
           "OpenCL's loader has no clSetProgramSpecializationConstant (OpenCL 2.2)");
  }
  for (const kernel_source::constant& each : source.constants) {
    const cl_int result = set(program, each.id, each.bytes.size(), each.bytes.data());
    if (result == CL_SUCCESS) continue;
    refuse(device, sycl::errc::invalid,
           "specialization constant " + std::to_string(each.id) + " can't have a value of " +
               std::to_string(each.bytes.size()) + " bytes: " + text_of(result));
  }
}

}  // namespace

std::unique_ptr<native_module> build_module(cl_device_context& device, const code_target& target,
                                            const kernel_source& source, std::string& log) {
  const driver_use use;
  auto made = std::make_unique<cl_module>(device, create(device, source));
  set_constants(device, made->program(), source);
  const cl_device_id id = device.id();
  const cl_int result =
      device.functions().clBuildProgram(made->program(), 1, &id, source.options.c_str(), nullptr, nullptr);
  log = build_log(device, made->program());
  if (result != CL_SUCCESS) {
    const std::string options = source.options.empty() ? "" : " with options '" + source.options + "'";
    refuse(device, sycl::errc::build,
           "building kernels from source" + options + " failed: " + text_of(result) + (log.empty() ? "" : "\n" + log));
  }
  made->find_kernels(target);
  return made;
}

std::unique_ptr<native_module> adopt_program(cl_device_context& device, const code_target& target, cl_program program,
                                             cl_kernel kernel) {
  const loader& functions = device.functions();
  cl_context of = nullptr;
  functions.clGetProgramInfo(program, CL_PROGRAM_CONTEXT, sizeof(of), &of, nullptr);
  if (of != device.native()) refuse(device, sycl::errc::invalid, "the program is of another cl_context");
  cl_build_status status = CL_BUILD_NONE;
  functions.clGetProgramBuildInfo(program, device.id(), CL_PROGRAM_BUILD_STATUS, sizeof(status), &status, nullptr);
  if (status != CL_BUILD_SUCCESS) {
    refuse(device, sycl::errc::invalid, "the program is not built for the device (clBuildProgram)");
  }
  functions.clRetainProgram(program);
  auto made = std::make_unique<cl_module>(device, program);
  made->find_kernels(target, kernel);
  return made;
}

}  // namespace sinter::opencl
