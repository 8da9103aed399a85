#!/usr/bin/env python3
"""Mistakes with joint_matrix: sub-groups that are too small, strides that leave the memory, branches that
divide a sub-group. Each message names the kernel, the cause and the remedy."""
import functools
import os

import common

DRIVER = os.path.join(common.BUILD, "opencl-driver")

PROGRAM = r"""#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/matrix/matrix.hpp>
#include <cstdio>
#include <cstdlib>
namespace matrix = sycl::ext::oneapi::experimental::matrix;
template <class T>
auto global(T* pointer) {
  return sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(pointer);
}
template <int Size>
void multiply(sycl::queue& queue, const float* a, float* c, std::size_t stride, unsigned few, unsigned few_load) {
  queue.parallel_for(sycl::nd_range<1>(Size, Size), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
    const sycl::sub_group group = item.get_sub_group();
    matrix::joint_matrix<sycl::sub_group, float, matrix::use::a, 4, 4, matrix::layout::row_major> left;
    matrix::joint_matrix<sycl::sub_group, float, matrix::use::b, 4, 8, matrix::layout::row_major> right;
    matrix::joint_matrix<sycl::sub_group, float, matrix::use::accumulator, 4, 8> sum;
    joint_matrix_fill(group, sum, 0);
    joint_matrix_load(group, left, global(a), 4);
    if (item.get_local_id(0) < few_load) joint_matrix_load(group, right, global(a), stride);
    joint_matrix_apply(group, left, [](float& x) { x += 1; });
    if (item.get_local_id(0) < few) joint_matrix_mad(group, sum, left, right, sum);
    joint_matrix_store(group, sum, global(c), 8, matrix::layout::row_major);
  });
}
void print(const sycl::exception& error, const char* when) {
  const bool expected = error.code() == sycl::errc::kernel_not_supported;
  std::printf("%s, %s: %s\n", expected ? "kernel_not_supported" : "another error", when, error.what());
}
int main(int, char** words) try {
  sycl::queue queue(sycl::default_selector_v, [](sycl::exception_list errors) {
    for (const std::exception_ptr& each : errors) {
      try {
        std::rethrow_exception(each);
      } catch (const sycl::exception& error) {
        print(error, "while it ran");
      }
    }
  });
  float* a = sycl::malloc_shared<float>(32, queue);
  float* c = sycl::malloc_shared<float>(32, queue);
  for (int i = 0; i < 32; ++i) a[i] = float(i);
  const std::size_t stride = std::strtoul(words[2], nullptr, 10);
  const unsigned few = unsigned(std::atoi(words[3])), few_load = unsigned(std::atoi(words[4]));
  if (words[1][0] == '4') multiply<4>(queue, a, c, stride, few, few_load);
  if (words[1][0] == '8') multiply<8>(queue, a, c, stride, few, few_load);
  queue.wait_and_throw();
  // 1 * 0 + 2 * 8 + 3 * 16 + 4 * 24
  if (words[1][0] == '8' && c[0] == 160) std::printf("right\n");
} catch (const sycl::exception& error) {
  print(error, "when it was submitted");
}
"""
_folder = common.Folder()


@functools.cache
def program():
    path = _folder / "matrix_errors"
    common.compile_program(_folder.write("matrix_errors.cpp", PROGRAM), path, "-O2", "-g", reads_headers=True).expect()
    return path


def run(words, check=""):
    return common.run([program(), *words], SINTER_CACHE=0, SINTER_CHECK=check, SINTER_STRICT=1, SINTER_DEVICE="cpu")


def test_right_program():
    """a right program is right under each check"""
    for check in ("", "memory", "barriers"):
        run(["8", "8", "8", "8"], check).expect(contains=["right"], lacks=["sinter"])


def test_sub_groups():
    """sub-groups that are too small lead to kernel_not_supported, with a message that names the right sizes and
    types"""
    run(["4", "8", "4", "4"]).expect(contains=[
        "kernel_not_supported, while it ran: kernel 'lambda", "for the CPU device", "its sub-groups have 4",
        "sub-groups of 8 to 64 work-items", "reqd_sub_group_size", "f16, bf16, tf32, f32, f64, s8 and u8",
        "matrix_combinations"])


def test_opencl():
    """on OpenCL devices, sub-groups multiply matrices; a kernel whose sub-groups are too small is refused when it is
    submitted"""
    if not os.path.exists(os.path.join(DRIVER, "intel.icd")) or int(common.LLVM) < 22:
        raise common.Skip("there is no OpenCL driver")

    runner = os.path.join(common.SOURCE, "tests", "devices", "opencl_driver.py")

    def on_opencl(*words):
        return common.run(["python3", runner, "run", DRIVER, program(), *words], SINTER_CACHE=0)
    on_opencl("8", "8", "8", "8").expect(contains=["right"], lacks=["sinter"])
    on_opencl("4", "8", "4", "4").expect(contains=[
        "kernel_not_supported, when it was submitted: kernel 'lambda", "its sub-groups have 4",
        "sub-groups of 8 to 64 work-items", "f16, bf16, tf32, f32, f64, s8 and u8", "matrix_combinations"])


def test_strides():
    """SINTER_CHECK=memory reports an access outside of the memory because of a wrong stride, with its line"""
    result = run(["8", "16", "8", "8"], "memory")
    line = 1 + PROGRAM[:PROGRAM.index("joint_matrix_load(group, right")].count("\n")
    result.expect(code=None, contains=["kernel 'lambda", "an allocation of 128 bytes", "reads 4 bytes", f":{line}:"])
    common.check(result.code != 0, "the program goes on")


def test_branches():
    """SINTER_CHECK=barriers ends a program if only a part of a sub-group reaches a product or a load"""
    for product, load in (("5", "8"), ("8", "5")):
        result = run(["8", "8", product, load], "barriers")
        result.expect(code=None, contains=["kernel 'lambda", "those of a sub-group by all of that, or by none"])
        common.check(result.code != 0, "the program goes on")


common.main(globals())
