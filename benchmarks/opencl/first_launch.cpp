/// A process that launches one kernel from the driver's binary. With SYCL the binary is in the cache; with OpenCL alone
/// it is in a file, which the program makes if it is missing. usage: opencl_first_launch sycl | bare FILE

#include <sycl/sycl.hpp>

#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "bare.hpp"

namespace {

constexpr std::size_t count = 1000;

constexpr const char* source = R"(
kernel void axpy(float factor, global const float* x, global float* y) {
  size_t i = get_global_id(0);
  y[i] += factor * x[i];
}
)";

bool is_right(const float* y) {
  for (std::size_t i = 0; i < count; ++i) {
    if (y[i] != 2 * static_cast<float>(i) + 1) return false;
  }
  return true;
}

bool by_sycl() {
  sycl::queue queue{sycl::property::queue::in_order{}};
  if (queue.get_backend() != sycl::backend::opencl) return false;
  float *x = sycl::malloc_host<float>(count, queue), *y = sycl::malloc_host<float>(count, queue);
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i), y[i] = 1;
  const float factor = 2;
  queue.parallel_for(sycl::range(count), [=](sycl::id<1> i) { y[i] += factor * x[i]; }).wait();
  return is_right(y);
}

cl_program from_file(cl_context context, cl_device_id device, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<unsigned char> binary((std::istreambuf_iterator<char>(file)), {});
  cl_int result = CL_SUCCESS, of_device = CL_SUCCESS;
  const unsigned char* place = binary.data();
  const std::size_t bytes = binary.size();
  const cl_program program =
      clCreateProgramWithBinary(context, 1, &device, &bytes, &place, &of_device, &result);
  bare::check(result, "clCreateProgramWithBinary");
  bare::check(clBuildProgram(program, 1, &device, bare::build_options, nullptr, nullptr), "clBuildProgram");
  return program;
}

void write_binary(cl_program program, const std::string& path) {
  std::size_t bytes = 0;
  bare::check(clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof(bytes), &bytes, nullptr), "clGetProgramInfo");
  std::string binary(bytes, '\0');
  char* place = binary.data();
  bare::check(clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof(place), &place, nullptr), "clGetProgramInfo");
  std::ofstream(path, std::ios::binary) << binary;
}

bool by_opencl(const std::string& path) {
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_int result = CL_SUCCESS;
  bare::check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
  bare::check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
  const cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &result);
  bare::check(result, "clCreateContext");
  const cl_command_queue queue = clCreateCommandQueueWithProperties(context, device, nullptr, &result);
  bare::check(result, "clCreateCommandQueueWithProperties");
  if (!std::ifstream(path)) write_binary(bare::build(context, device, source), path);
  const cl_program program = from_file(context, device, path);
  const auto allocate = reinterpret_cast<clHostMemAllocINTEL_fn>(
      clGetExtensionFunctionAddressForPlatform(platform, "clHostMemAllocINTEL"));
  auto* x = static_cast<float*>(allocate(context, nullptr, count * sizeof(float), 64, &result));
  auto* y = static_cast<float*>(allocate(context, nullptr, count * sizeof(float), 64, &result));
  bare::check(result, "clHostMemAllocINTEL");
  for (std::size_t i = 0; i < count; ++i) x[i] = static_cast<float>(i), y[i] = 1;
  bare::kernel(platform, program, "axpy").set(2.0f, static_cast<const float*>(x), y).launch(queue, {count});
  bare::check(clFinish(queue), "clFinish");
  return is_right(y);
}

}  // namespace

int main(int word_count, char** words) {
  const bool is_bare = word_count == 3 && std::strcmp(words[1], "bare") == 0;
  const bool is_right = is_bare ? by_opencl(words[2]) : by_sycl();
  return is_right ? 0 : 1;
}
