/// Turns a picture by a small angle, with linear interpolation. Sinter's CPU device uses a sampled image, and OpenCL's
/// driver for the same processor uses an image object. The two run in turns. usage: opencl_images [PAIRS [N]]; with 0
/// pairs results are only checked. Prints a line of JSON for each pair: {"name": case, "sinter": ms, "opencl": ms}.

#include <sycl/sycl.hpp>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "bare.hpp"

namespace {

constexpr float cosine = 0.99862953f, sine = 0.05233596f;
constexpr const char* source = R"(
  constant sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
  kernel void turn(read_only image2d_t in, global float4* out, int n, float middle) {
    const int x = get_global_id(0), y = get_global_id(1);
    const float from_x = x + 0.5f - middle, from_y = y + 0.5f - middle;
    const float2 place = (float2)(0.99862953f * from_x + 0.05233596f * from_y + middle,
                                  0.99862953f * from_y - 0.05233596f * from_x + middle);
    out[y * n + x] = read_imagef(in, linear, place);
  })";

template <class Run>
double milliseconds(const Run& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

struct opencl {
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
  cl_kernel turn = nullptr;

  opencl() {
    cl_platform_id platform = nullptr;
    cl_int result = CL_SUCCESS;
    bare::check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    bare::check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "clGetDeviceIDs");
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &result);
    bare::check(result, "clCreateContext");
    queue = clCreateCommandQueueWithProperties(context, device, nullptr, &result);
    bare::check(result, "clCreateCommandQueueWithProperties");
    turn = clCreateKernel(bare::build(context, device, source), "turn", &result);
    bare::check(result, "clCreateKernel");
  }
};

bool compare(int pairs, std::size_t n, const opencl& driver, const char* name, sycl::image_format format,
             cl_channel_type type, std::vector<unsigned char> texels) {
  sycl::queue queue{sycl::cpu_selector_v};
  auto* ours = sycl::malloc_shared<sycl::float4>(n * n, queue);
  const float middle = 0.5f * static_cast<float>(n);
  const cl_image_format layout{CL_RGBA, type};
  cl_image_desc shape{};
  shape.image_type = CL_MEM_OBJECT_IMAGE2D;
  shape.image_width = shape.image_height = n;
  cl_int result = CL_SUCCESS;
  const cl_mem picture =
      clCreateImage(driver.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &layout, &shape, texels.data(), &result);
  bare::check(result, "clCreateImage");
  const cl_mem theirs =
      clCreateBuffer(driver.context, CL_MEM_WRITE_ONLY, n * n * sizeof(sycl::float4), nullptr, &result);
  bare::check(result, "clCreateBuffer");
  const int side = static_cast<int>(n);
  bare::check(clSetKernelArg(driver.turn, 0, sizeof(picture), &picture), "clSetKernelArg");
  bare::check(clSetKernelArg(driver.turn, 1, sizeof(theirs), &theirs), "clSetKernelArg");
  bare::check(clSetKernelArg(driver.turn, 2, sizeof(side), &side), "clSetKernelArg");
  bare::check(clSetKernelArg(driver.turn, 3, sizeof(middle), &middle), "clSetKernelArg");
  sycl::sampled_image<2> image(texels.data(), format,
                               {sycl::addressing_mode::clamp_to_edge, sycl::coordinate_normalization_mode::unnormalized,
                                sycl::filtering_mode::linear},
                               sycl::range<2>(n, n));
  const auto by_sinter = [&] {
    queue.submit([&](sycl::handler& group) {
      auto in = image.get_access<sycl::float4>(group);
      group.parallel_for(sycl::range<2>(n, n), [=](sycl::id<2> i) {
        const float x = static_cast<float>(i[1]) + 0.5f - middle, y = static_cast<float>(i[0]) + 0.5f - middle;
        ours[i[0] * n + i[1]] = in.read(sycl::float2(cosine * x + sine * y + middle, cosine * y - sine * x + middle));
      });
    }).wait();
  };
  const auto by_driver = [&] {
    const std::size_t range[] = {n, n};
    bare::check(clEnqueueNDRangeKernel(driver.queue, driver.turn, 2, nullptr, range, nullptr, 0, nullptr, nullptr),
                "clEnqueueNDRangeKernel");
    bare::check(clFinish(driver.queue), "clFinish");
  };
  by_sinter(), by_driver();
  std::vector<sycl::float4> copy(n * n);
  bare::check(clEnqueueReadBuffer(driver.queue, theirs, CL_TRUE, 0, n * n * sizeof(sycl::float4), copy.data(), 0,
                                  nullptr, nullptr),
              "clEnqueueReadBuffer");
  bool is_right = true;
  for (std::size_t i = 0; i < n * n; ++i) {
    for (int c = 0; c < 4; ++c) is_right &= std::fabs(copy[i][c] - ours[i][c]) <= 1e-3f;
  }
  if (!is_right) std::fprintf(stderr, "%s: the results differ\n", name);
  for (int pair = 0; pair < pairs && is_right; ++pair) {
    const double a = milliseconds(by_sinter), b = milliseconds(by_driver);
    std::printf(R"({"name": "%s", "sinter": %.6f, "opencl": %.6f})" "\n", name, a, b);
  }
  clReleaseMemObject(picture), clReleaseMemObject(theirs);
  sycl::free(ours, queue);
  return is_right;
}

}  // namespace

int main(int count, char** words) {
  const int pairs = count > 1 ? std::atoi(words[1]) : 9;
  const std::size_t n = count > 2 ? static_cast<std::size_t>(std::atoi(words[2])) : 4096;
  const opencl driver;
  std::vector<unsigned char> bytes(4 * n * n), floats(16 * n * n);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i * 2654435761u >> 24);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    const float value = static_cast<float>(bytes[i]) / 255;
    std::memcpy(floats.data() + 4 * i, &value, sizeof(value));
  }
  bool is_right = compare(pairs, n, driver, "images, rgba8", sycl::image_format::r8g8b8a8_unorm, CL_UNORM_INT8, bytes);
  is_right &= compare(pairs, n, driver, "images, rgba32f", sycl::image_format::r32g32b32a32_sfloat, CL_FLOAT, floats);
  return is_right ? 0 : 1;
}
