#!/usr/bin/env python3
"""Sinter works around defects of Intel's OpenCL driver for CPUs (docs/opencl_defects.md). This test reports which of
these defects still exist.

Each .cl file in docs/opencl_defects has a kernel. For each work-item, the kernel stores whether the work-item's results
are right. The driver compiles this source itself, so that no code of Sinter's is involved.
"""
import os

import common

FOLDER = os.path.join(common.SOURCE, "docs", "opencl_defects")
PROGRAM = r"""
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/kernel_compiler.hpp>
namespace from = sycl::ext::oneapi::experimental;
int main(int, char** words) {
  std::ifstream file(words[1]);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  sycl::queue queue;
  auto bundle = from::build(
      from::create_kernel_bundle_from_source(queue.get_context(), from::source_language::opencl, text));
  sycl::kernel kernel = bundle.ext_oneapi_get_kernel("is_right");
  long wrong = 0;
  for (const std::size_t size : {1, 2, 8, 17, 24}) {
    const std::size_t count = size * 3;
    int* right = sycl::malloc_shared<int>(count, queue);
    for (std::size_t i = 0; i < count; ++i) right[i] = 1;
    queue.submit([&](sycl::handler& handler) {
      sycl::local_accessor<float, 1> shared(sycl::range<1>(16), handler);
      handler.set_args(right, shared);
      handler.parallel_for(sycl::nd_range<1>(count, size), kernel);
    }).wait();
    for (std::size_t i = 0; i < count; ++i) wrong += right[i] == 0;
    sycl::free(right, queue);
  }
  std::printf("%ld wrong\n", wrong);
}
"""


def test_driver_still_has_the_defects():
    """the driver still has the defects of docs/opencl_defects.md (skipped once it does not)"""
    common.not_sanitized()
    driver = os.path.join(common.BUILD, "opencl-driver")
    if not os.path.exists(os.path.join(driver, "intel.icd")):
        raise common.Skip("no OpenCL driver")
    with common.Folder() as folder:
        program = folder / "program"
        common.run([common.CLANGXX, "-std=c++20", "-O1", "-w", folder.write("program.cpp", PROGRAM), "-o", program,
                    *common.plugin_flags(), *common.link_flags()]).expect()
        mended = []
        for name in sorted(os.listdir(FOLDER)):
            result = common.run([program, os.path.join(FOLDER, name)], timeout=60, OCL_ICD_VENDORS=driver,
                                LD_LIBRARY_PATH=driver, SINTER_DEVICE="opencl:0", SINTER_CACHE=0)
            # If the driver crashes, a signal ends the program.
            common.check(result.code <= 0 and (result.code < 0 or "wrong" in result.out), name + ": " + result.text)
            if result.code == 0 and result.out == "0 wrong\n":
                mended.append(name)
    if mended:
        raise common.Skip("the driver has mended " + ", ".join(mended) + ": its guard may go (docs/opencl_defects.md)")


common.main(globals(), needs_device_code=True)
