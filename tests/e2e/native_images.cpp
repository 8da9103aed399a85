/// Images made from OpenCL image objects. At the end, the texels are written back to these objects. Host tasks get
/// image objects from accessors.
#include <string>
#include <vector>

#include "check.hpp"
#include "cl_calls.hpp"
#include "sycl/backend.hpp"

namespace {

using e2e::call;
using e2e::loader_function;
constexpr sycl::backend opencl = sycl::backend::opencl;

// Numbers and structures that <CL/cl.h> declares.
constexpr unsigned rgba = 0x10B5, only_red = 0x10B0, unorm8 = 0x10D2, uint32 = 0x10DC, fp32 = 0x10DE;
constexpr unsigned kinds[] = {0x10F4, 0x10F1, 0x10F2};  // types of images with one to three dimensions
struct format {
  unsigned order, type;
};
struct shape {
  unsigned kind;
  std::size_t width, height, depth, layers = 0, row = 0, slice = 0;
  unsigned levels = 0, samples = 0;
  void* memory = nullptr;
};

bool is_opencl() {
  const bool is = e2e::make_queue().get_backend() == opencl;
  if (!is) std::printf("skipped: the device is not OpenCL's\n");
  return is;
}

_cl_mem* make_image(_cl_context* context, int dimensions, const format& how, const sycl::range<3>& size,
                    const void* texels) {
  const shape its_shape{kinds[dimensions - 1], size[0], dimensions > 1 ? size[1] : 0, dimensions > 2 ? size[2] : 0};
  int result = 0;
  constexpr unsigned long read_write = 1, copies = 1 << 5;
  _cl_mem* const made =
      loader_function<_cl_mem*, _cl_context*, unsigned long, const format*, const shape*, const void*, int*>(
          "clCreateImage")(context, read_write | copies, &how, &its_shape, texels, &result);
  CHECK_EQUAL(result, 0);
  return made;
}

/// Reads or writes all texels of an image object.
void move(bool reads, _cl_command_queue* queue, _cl_mem* image, const sycl::range<3>& size, void* texels) {
  const std::size_t origin[3] = {}, extent[3] = {size[0], size[1], size[2]};
  CHECK_EQUAL((call<_cl_command_queue*, _cl_mem*, unsigned, const std::size_t*, const std::size_t*, std::size_t,
                    std::size_t, void*, unsigned, void*, void*>(reads ? "clEnqueueReadImage" : "clEnqueueWriteImage",
                                                                queue, image, 1, origin, extent, 0, 0, texels, 0,
                                                                nullptr, nullptr)),
              0);
  CHECK_EQUAL(call("clFinish", queue), 0);  // the blocking call of Intel's driver returns too early
}

template <class Act>
bool refuses(const char* word, const Act& act) {
  try {
    act();
  } catch (const sycl::exception& error) {
    if (error.code() == sycl::errc::invalid && std::strstr(error.what(), word)) return true;
    std::printf("%s\n", error.what());
  }
  return false;
}

/// The coordinates of texel i: one number for each dimension of the image.
template <int Dimensions>
auto place_of(std::size_t i, const sycl::range<3>& size) {
  const int x = static_cast<int>(i % size[0]), y = static_cast<int>(i / size[0] % size[1]),
            z = static_cast<int>(i / (size[0] * size[1]));
  if constexpr (Dimensions == 1) return x;
  else if constexpr (Dimensions == 2) return sycl::int2(x, y);
  else return sycl::int4(x, y, z, 0);
}

/// A kernel doubles the numbers in an image object. After the SYCL image has been destroyed, the program reads them
/// from the image object.
template <int Dimensions>
void double_numbers(sycl::queue& queue, const sycl::range<3>& size) {
  _cl_context* const context = sycl::get_native<opencl>(queue.get_context());
  _cl_command_queue* const native_queue = sycl::get_native<opencl>(queue);
  std::vector<sycl::uint4> texels(size.size());
  for (unsigned i = 0; i < texels.size(); ++i) texels[i] = sycl::uint4(i, i + 1, 7, 1u << 30);
  _cl_mem* const native = make_image(context, Dimensions, {rgba, uint32}, size, texels.data());
  {
    auto image = sycl::make_unsampled_image<opencl, Dimensions>(native, queue.get_context());
    CHECK_EQUAL(image.size(), size.size());
    sycl::unsampled_image<Dimensions> copy(sycl::image_format::r32g32b32a32_uint, image.get_range());
    queue.submit([&](sycl::handler& group) {
      auto from = image.template get_access<sycl::uint4, sycl::access_mode::read>(group);
      auto to = copy.template get_access<sycl::uint4, sycl::access_mode::write>(group);
      group.parallel_for(sycl::range<1>(size.size()), [=](sycl::id<1> i) {
        to.write(place_of<Dimensions>(i, size), from.read(place_of<Dimensions>(i, size)) * 2u);
      });
    });
    queue.submit([&](sycl::handler& group) {
      auto from = copy.template get_access<sycl::uint4, sycl::access_mode::read>(group);
      auto to = image.template get_access<sycl::uint4, sycl::access_mode::write>(group);
      group.parallel_for(sycl::range<1>(size.size()), [=](sycl::id<1> i) {
        to.write(place_of<Dimensions>(i, size), from.read(place_of<Dimensions>(i, size)));
      });
    });
  }
  std::vector<sycl::uint4> read(size.size());
  move(/*reads=*/true, native_queue, native, size, read.data());
  for (unsigned i = 0; i < read.size(); ++i) {
    for (int c = 0; c < 4; ++c) CHECK_EQUAL(read[i][c], 2 * texels[i][c]);
  }
  call("clReleaseMemObject", native);
  call("clReleaseCommandQueue", native_queue);
  call("clReleaseContext", context);
}

}  // namespace

TEST("images are made of image objects, which get the texels at the end") {
  if (!is_opencl()) return;
  sycl::queue queue = e2e::make_queue();
  double_numbers<1>(queue, {13, 1, 1});
  double_numbers<2>(queue, {7, 5, 1});
  double_numbers<2>(queue, {1, 1, 1});
  double_numbers<3>(queue, {3, 4, 5});
}

TEST("sampled images are made of image objects, and filtered by their sampler") {
  if (!is_opencl()) return;
  sycl::queue queue = e2e::make_queue();
  _cl_context* const context = sycl::get_native<opencl>(queue.get_context());
  const unsigned char texels[8] = {0, 10, 20, 30, 100, 110, 120, 130};
  _cl_mem* const native = make_image(context, 2, {rgba, unorm8}, {2, 1, 1}, texels);
  auto image = sycl::make_sampled_image<opencl, 2>(
      native, queue.get_context(),
      sycl::image_sampler{sycl::addressing_mode::clamp_to_edge, sycl::coordinate_normalization_mode::unnormalized,
                          sycl::filtering_mode::linear});
  auto* result = sycl::malloc_shared<sycl::float4>(1, queue);
  queue.submit([&](sycl::handler& group) {
    auto from = image.get_access<sycl::float4>(group);
    group.single_task([=] { *result = from.read(sycl::float2(1, 0.5f)); });
  }).wait();
  for (int c = 0; c < 4; ++c) CHECK(std::fabs((*result)[c] - static_cast<float>(50 + 10 * c) / 255) < 1e-6f);
  sycl::free(result, queue);
  call("clReleaseMemObject", native);
  call("clReleaseContext", context);
}

TEST("host tasks get image objects of accessors, with pitches, and what they write comes back") {
  if (!is_opencl()) return;
  sycl::queue queue = e2e::make_queue();
  const sycl::range<3> size(5, 3, 1);
  std::vector<sycl::float4> texels(7 * 3, sycl::float4(-1.0f));
  for (int i = 0; i < 15; ++i) {
    texels[static_cast<std::size_t>(i / 5 * 7 + i % 5)] = sycl::float4(static_cast<float>(i));
  }
  {
    sycl::unsampled_image<2> image(texels.data(), sycl::image_format::r32g32b32a32_sfloat, {5, 3},
                                   sycl::range<1>(7 * 16));
    queue.submit([&](sycl::handler& group) {
      auto from = image.get_access<sycl::float4, sycl::access_mode::read>(group);
      group.host_task([=](const sycl::interop_handle& natives) {
        std::vector<sycl::float4> read(15);
        const std::vector<_cl_mem*> objects = natives.get_native_mem<opencl>(from);
        CHECK_EQUAL(objects.size(), std::size_t(1));
        move(/*reads=*/true, natives.get_native_queue<opencl>(), objects[0], size, read.data());
        for (std::size_t i = 0; i < 15; ++i) CHECK_EQUAL(read[i][2], static_cast<float>(i));
      });
    });
    queue.submit([&](sycl::handler& group) {
      auto to = image.get_access<sycl::float4, sycl::access_mode::write>(group);
      group.host_task([=](sycl::interop_handle natives) {
        std::vector<sycl::float4> written(15, sycl::float4(0.5f));
        move(/*reads=*/false, natives.get_native_queue<opencl>(), natives.get_native_mem<opencl>(to)[0], size,
             written.data());
      });
    });
  }
  for (std::size_t i = 0; i < 21; ++i) CHECK_EQUAL(texels[i][0], i % 7 < 5 ? 0.5f : -1.0f);
}

TEST("other objects are refused by a sentence") {
  if (!is_opencl()) return;
  sycl::queue queue = e2e::make_queue();
  _cl_context* const context = sycl::get_native<opencl>(queue.get_context());
  const float texels[4] = {};
  _cl_mem* const plane = make_image(context, 2, {rgba, fp32}, {1, 1, 1}, texels);
  _cl_mem* const red = make_image(context, 2, {only_red, fp32}, {1, 1, 1}, texels);
  const auto make = [&]<int Dimensions>(_cl_mem* native) {
    return [&, native] { (void)sycl::make_unsampled_image<opencl, Dimensions>(native, queue.get_context()); };
  };
  CHECK(refuses("2 dimensions", make.operator()<3>(plane)));
  CHECK(refuses("format", make.operator()<2>(red)));
  CHECK(refuses("no image", make.operator()<2>(nullptr)));
  call("clReleaseMemObject", plane);
  call("clReleaseMemObject", red);
  call("clReleaseContext", context);
}

E2E_MAIN
