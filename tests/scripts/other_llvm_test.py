#!/usr/bin/env python3
"""Sinter works in a process with another LLVM: PoCL's OpenCL, opened before or after Sinter, and a program that is
linked to LLVM itself."""
import common

OPENCL = r"""
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <sycl/ext/sinter/counters.hpp>
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>
#include <vector>

static bool opencl_works() {
  cl_platform_id platforms[8];
  cl_uint count = 0;
  if (clGetPlatformIDs(8, platforms, &count) != CL_SUCCESS || count == 0) return std::puts("no OpenCL platform"), false;
  cl_device_id device = nullptr;
  for (cl_uint i = 0; i < count && !device; ++i) clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr);
  if (!device) return std::puts("no OpenCL CPU device"), false;
  cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, nullptr);
  cl_command_queue queue = clCreateCommandQueue(context, device, 0, nullptr);
  const char* source = "kernel void triple(global int* data) { data[get_global_id(0)] *= 3; }";
  cl_program program = clCreateProgramWithSource(context, 1, &source, nullptr, nullptr);
  if (clBuildProgram(program, 1, &device, "", nullptr, nullptr) != CL_SUCCESS) return std::puts("OpenCL build failed"), false;
  cl_kernel kernel = clCreateKernel(program, "triple", nullptr);
  std::vector<int> data(64, 7);
  cl_mem memory = clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, data.size() * 4, data.data(), nullptr);
  clSetKernelArg(kernel, 0, sizeof memory, &memory);
  const size_t size = data.size();
  clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr);
  clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, data.size() * 4, data.data(), 0, nullptr, nullptr);
  for (int value : data) {
    if (value != 21) return std::puts("OpenCL computed the wrong result"), false;
  }
  return true;
}

static bool sinter_works() {
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(64, queue);
  queue.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]) * 5; }).wait();
  bool right = true;
  for (int i = 0; i < 64; ++i) right = right && data[i] == i * 5;
  sycl::free(data, queue);
  if (!right) std::puts("Sinter computed the wrong result");
  return right && sycl::ext::sinter::launch_counters().host_entry == 0;
}

int main(int, char** words) {
  if (std::strcmp(words[1], "opencl-alone") == 0) return opencl_works() ? 0 : 1;
  const bool opencl_first = std::strcmp(words[1], "opencl-first") == 0;
  bool right = opencl_first ? opencl_works() && sinter_works() : sinter_works() && opencl_works();
  right = right && opencl_works() && sinter_works();
  std::puts(right ? "both right" : "WRONG");
  return right ? 0 : 1;
}
"""

HOST_LLVM = r"""
#include <llvm-c/Core.h>
#include <sycl/ext/sinter/counters.hpp>
#include <sycl/sycl.hpp>
#include <cstdio>

int main() {
  LLVMContextRef context = LLVMContextCreate();
  LLVMModuleRef module = LLVMModuleCreateWithNameInContext("mine", context);
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(10, queue);
  queue.parallel_for(sycl::range<1>(10), [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]) + 1; }).wait();
  LLVMAddFunction(module, "after", LLVMFunctionType(LLVMVoidTypeInContext(context), nullptr, 0, 0));
  char* text = LLVMPrintModuleToString(module);
  std::printf("%d %s\n", data[9], text);
  LLVMDisposeMessage(text);
  LLVMDisposeModule(module);
  LLVMContextDispose(context);
  sycl::free(data, queue);
  return sycl::ext::sinter::launch_counters().jit == 1 ? 0 : 1;
}
"""


def test_opencl():
    """PoCL and Sinter work in one process, in both orders, cold and warm"""
    common.not_sanitized()
    with common.Folder() as folder:
        source = folder.write("both.cpp", OPENCL)
        built = common.compile_program(source, folder / "both", "-O1", "-lOpenCL")
        if "CL/cl.h' file not found" in built.err:
            raise common.Skip("no OpenCL headers")
        built.expect()
        alone = common.run([folder / "both", "opencl-alone"], POCL_CACHE_DIR=folder / "pocl")
        if alone.code != 0:
            raise common.Skip("OpenCL does not work on this machine, even alone: " + alone.text.strip()[-200:])
        for order in ("opencl-first", "sinter-first"):
            for _ in range(2):
                result = common.run([folder / "both", order], SINTER_CACHE_DIR=folder / order,
                                    POCL_CACHE_DIR=folder / "pocl")
                result.expect(contains=["both right"])


def test_host_with_llvm():
    """a program that links LLVM itself keeps using its own LLVM, and kernels are compiled"""
    common.not_sanitized()
    config = common.run(["llvm-config-" + common.LLVM, "--includedir", "--libdir"]).expect().out.split()
    with common.Folder() as folder:
        source = folder.write("host.cpp", HOST_LLVM)
        common.compile_program(source, folder / "host", "-O1", "-isystem" + config[0], "-L" + config[1],
                               "-lLLVM-" + common.LLVM).expect()
        common.run([folder / "host"], SINTER_CACHE_DIR=folder / "cache").expect(contains=["10", "declare void @after()"])


common.main(globals())
