#!/usr/bin/env python3
"""Tests joint_matrix on devices whose OpenCL drivers have matrix units: which kernels use cooperative matrices, and how
the module declares and uses these. A layer of OpenCL's loader replaces cooperative matrices by ordinary instructions,
so that the tests can check values. Other tests check which matrices devices report, and what happens if matrix units do
not support an address."""
import collections
import functools
import os
import re
import struct

import common

LOWER = os.path.join(common.BUILD, "jitd", "sinter-lower")
DRIVER = os.path.join(common.BUILD, "opencl-driver")
LAYER = os.path.join(common.BUILD, "tests", "devices", "libsinter-opencl-layer.so")
CAPABILITY = 6022
# Numbers of instructions.
EXTENSION, ACCESS_CHAIN, CONSTRUCT, POINTER, FUNCTION_CALL = 10, 66, 80, 32, 57
MATRIX, LOAD, STORE, MULTIPLY, LENGTH = 4456, 4457, 4458, 4459, 4460
LOCAL, GLOBAL, PRIVATE = 4, 5, 7

PROGRAM = r"""#include <sycl/sycl.hpp>
#include <sycl/ext/intel/experimental/matrix.hpp>
#include <sycl/ext/oneapi/matrix/matrix.hpp>
#include <cstdio>
#include <cstdlib>
namespace matrix = sycl::ext::oneapi::experimental::matrix;
namespace intel = sycl::ext::intel::experimental::matrix;
using matrix::layout, matrix::use, matrix::joint_matrix, sycl::sub_group, sycl::half;
template <class T>
auto global(T* pointer) {
  return sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(pointer);
}
template <class T>
auto generic(T* pointer) {
  return sycl::address_space_cast<sycl::access::address_space::generic_space, sycl::access::decorated::no>(pointer);
}
/// d = 1 + a * b, of 8 x 64 and 64 x 16 elements.
template <class Name, class T, class S, int K, int Size, class Pointer, class Function>
void multiply(sycl::queue& queue, T* a, T* b, S* d, std::size_t stride, Pointer pointer, Function function) {
  const sycl::nd_range<1> range(Size, Size);
  queue.parallel_for<Name>(range, [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(Size)]] {
    const sub_group group = item.get_sub_group();
    joint_matrix<sub_group, T, use::a, 8, K, layout::row_major> left;
    joint_matrix<sub_group, T, use::b, K, 16, layout::col_major> right;
    joint_matrix<sub_group, S, use::accumulator, 8, 16> sum;
    joint_matrix_fill(group, sum, S(1));
    for (std::size_t k = 0; k < stride / K; ++k) {
      joint_matrix_load(group, left, pointer(a + k * K), stride);
      joint_matrix_load(group, right, pointer(b + k * K), stride);
      joint_matrix_mad(group, sum, left, right, sum);
    }
    function(group, sum);
    joint_matrix_store(group, sum, pointer(d), 16, layout::row_major);
  });
}
template <class T>
void print(const sycl::queue& queue, const T* a, const T* b, const float* d, std::size_t stride) {
  int wrong = 0;
  for (std::size_t i = 0; i < 8 * 16; ++i) {
    float sum = 1;
    for (std::size_t k = 0; k < stride; ++k) sum += float(a[i / 16 * stride + k]) * float(b[i % 16 * stride + k]);
    wrong += d[i] != sum;
  }
  std::printf("%d wrong\n", wrong);
  const auto all = queue.get_device().get_info<sycl::ext::oneapi::experimental::info::device::matrix_combinations>();
  std::printf("first %zu x %zu x %zu, %zu in all\n", all[0].msize, all[0].nsize, all[0].ksize, all.size());
}
int main(int, char** words) try {
  sycl::queue queue([](sycl::exception_list errors) {
    for (const std::exception_ptr& each : errors) std::rethrow_exception(each);
  });
  const std::size_t stride = std::strtoul(words[1], nullptr, 10), moved = std::strtoul(words[2], nullptr, 10);
  half* const memory = sycl::malloc_shared<half>(8 * stride + 8, queue);
  half *const a = memory + moved, *const b = sycl::malloc_shared<half>(16 * stride, queue);
  float* const d = sycl::malloc_shared<float>(8 * 16, queue);
  for (std::size_t i = 0; i < 8 * stride; ++i) a[i] = float(i % 7) - 3;
  for (std::size_t i = 0; i < 16 * stride; ++i) b[i] = float(i % 5) - 2;
  const auto by_global = [](auto* pointer) { return global(pointer); };
  const auto none = [](sub_group, auto&) {};
  if (words[3][0] == 'g') {
    multiply<class known, half, float, 16, 16>(queue, a, b, d, stride, by_global, none);
  } else if (words[3][0] == 'u') {
    char** const origin = sycl::malloc_shared<char*>(1, queue);
    char* const same = *origin = reinterpret_cast<char*>(a);
    multiply<class unknown, half, float, 16, 16>(queue, a, b, d, stride, [=](auto* pointer) {
      return generic(reinterpret_cast<decltype(pointer)>(*origin + (reinterpret_cast<char*>(pointer) - same)));
    }, none);
  } else if (words[3][0] == 'e') {
    multiply<class elements, half, float, 16, 16>(queue, a, b, d, stride, by_global, [](sub_group group, auto& sum) {
      joint_matrix_apply(group, sum, [](float& x) { x += 1; });
      joint_matrix_apply(group, sum, [](float& x) { x -= 1; });
    });
  } else if (words[3][0] == 'p') {
    multiply<class places, half, float, 16, 16>(queue, a, b, d, stride, by_global, [](sub_group group, auto& sum) {
      intel::joint_matrix_apply(group, sum, [](float& x, std::size_t row, std::size_t column) {
        if (row > 7 || column > 15) x = -1;
      });
    });
  } else if (words[3][0] == '8') {
    multiply<class eight, half, float, 16, 8>(queue, a, b, d, stride, by_global, none);
  } else {
    multiply<class bytes, std::int8_t, std::int32_t, 32, 16>(queue, (std::int8_t*)a, (std::int8_t*)b, (std::int32_t*)d,
                                                             64, by_global, none);
  }
  queue.wait_and_throw();
  print(queue, a, b, d, stride);
} catch (const sycl::exception& error) {
  std::printf("%s\n", error.what());
}
"""
_folder = common.Folder()


@functools.cache
def program():
    path = _folder / "matrices"
    common.compile_program(_folder.write("matrices.cpp", PROGRAM), path, "-O2", reads_headers=True).expect()
    return path


@functools.cache
def kernels():
    """The kernels' names and numbers."""
    listed = common.run([LOWER, "--list", program()]).expect().out
    return {name: int(number) for number, name in re.findall(r"^kernel (\d+) '(?:main::)?([^']*)'", listed, re.M)}


def module(name, *flags):
    """The instructions of a kernel's module: number and operands of each."""
    kernel = kernels()[name]
    command = [LOWER, "--emit=spirv", f"--kernel={kernel}", *flags, program()]
    result = common.subprocess.run(command, stdout=common.subprocess.PIPE, check=True, timeout=300).stdout
    end = result.index(b"\n")
    words = struct.unpack(f"<{int(result[:end]) // 4}I", result[end + 1:end + 1 + int(result[:end])])
    found, at = [], 5
    while at < len(words):
        count = words[at] >> 16
        found.append((words[at] & 0xffff, words[at + 1:at + count]))
        at += count
    return found


def counts(instructions):
    return collections.Counter(code for code, _ in instructions)


def has_units(instructions):
    return any(code == 17 and operands[0] == CAPABILITY for code, operands in instructions)


HALFS = "--matrices=8x16x16:f16,f16,f32,f32"


def test_words():
    """matrices become cooperative matrices, which are loaded by pointers to their elements in global memory; sums stay
    values"""
    found = module("known", HALFS)
    common.check(has_units(found), "no capability")
    number = counts(found)
    common.check(number[MATRIX] == 3 and number[MULTIPLY] >= 1 and number[STORE] == 1, f"{number}")
    common.check(number[LOAD] == 2 * number[MULTIPLY], f"{number}")
    common.check(number[CONSTRUCT] == 1 and number[FUNCTION_CALL] == number[ACCESS_CHAIN] == 0, f"{number}")
    components = {operands[0]: operands[1] for code, operands in found if code == MATRIX}
    pointers = {operands[0]: operands[1:] for code, operands in found if code == POINTER}
    with_types = {55, 59, 61, 65, 66, 67, 70, 80, 83, 121, 122, 124, 245, LOAD, MULTIPLY}
    types = {operands[1]: operands[0] for code, operands in found if code in with_types}
    for code, operands in found:
        if code not in (LOAD, STORE):
            continue
        matrix = operands[0] if code == LOAD else types[operands[1]]
        pointer = operands[2] if code == LOAD else operands[0]
        common.check(pointers[types[pointer]] == (GLOBAL, components[matrix]), f"{code} {operands}")


def test_unknown_space():
    """the kernel tests when it runs which memory a generic pointer refers to, because no instruction loads matrices by
    such pointers"""
    number = counts(module("unknown", HALFS))
    common.check(number[STORE] == 2 and number[LOAD] == 4 * number[MULTIPLY], f"{number}")


def test_elements():
    """functions of a matrix's elements access a private variable that holds the elements; the driver reports their
    number"""
    found = module("elements", HALFS)
    number = counts(found)
    common.check(number[ACCESS_CHAIN] >= 1 and number[LENGTH] >= 1 and number[FUNCTION_CALL] == 0, f"{number}")
    words = b"".join(struct.pack(f"<{len(operands)}I", *operands) for _, operands in found)
    common.check(b"sinter.matrix" not in words, "a function for elements is left")


def test_signs():
    """products of signed bytes mark all their matrices as signed"""
    found = module("bytes", "--matrices=8x16x32:s8,s8,s32,s32")
    common.check(has_units(found), "no capability")
    signs = {operands[5] for code, operands in found if code == MULTIPLY}
    common.check(signs == {1 | 2 | 4 | 8}, f"{signs}")


def test_by_sub_groups():
    """without matrix units, the work-items of a sub-group multiply: this is so for sizes and types that units lack, for
    positions of elements, and for parts of sub-groups"""
    for kernel, flags in (("known", ["--matrices=8x16x8:f16,f16,f32,f32"]), ("places", [HALFS]), ("known", []),
                          ("known", ["--matrices=8x16x16:f16,f16,f32,f16"]),
                          ("bytes", ["--matrices=8x16x32:u8,u8,s32,s32"]),
                          ("known", [HALFS, "--matrix-bytes=3"]), ("known", [HALFS, "--local=1,1,24"])):
        common.check(not has_units(module(kernel, *flags)), f"kernel {kernel} with {flags}")


def on_layer(*words, matrices="8x16x16:f16,f16,f32,f32", align="", keep=""):
    if not os.path.exists(os.path.join(DRIVER, "intel.icd")):
        raise common.Skip("there is no OpenCL driver")
    runner = os.path.join(common.SOURCE, "tests", "devices", "opencl_driver.py")
    return common.run(["python3", runner, "run", DRIVER, program(), *words], SINTER_CACHE=0, OPENCL_LAYERS=LAYER,
                      TEST_CL_MATRICES=matrices, TEST_CL_MATRIX_BYTES=align, TEST_CL_KEEP=keep)


def test_values():
    """cooperative matrices have the right values, and the device lists the products of its units first"""
    for kind in "gue":
        kept = _folder / f"kept_{kind}"
        os.mkdir(kept)
        on_layer("64", "0", kind, keep=kept).expect(contains=["0 wrong", "first 8 x 16 x 16, "], lacks=["sinter"])
        common.check(len([name for name in os.listdir(kept) if name.endswith(".cl")]) == 1, f"{kind}: no unit is used")
    # These two kernels don't use the units: one needs positions of elements, the other one has sub-groups of 8.
    on_layer("64", "0", "p").expect(contains=["0 wrong"], lacks=["sinter"])
    on_layer("64", "0", "8").expect(contains=["0 wrong"], lacks=["sinter"])
    on_layer("64", "0", "g", matrices="").expect(contains=["0 wrong", "first 0 x 0 x 0, "], lacks=["sinter"])


def test_addresses():
    """if units can't use an address or a stride, the kernel ends with a message"""
    on_layer("64", "0", "g", align="16").expect(contains=["0 wrong"], lacks=["sinter"])
    for words in (("64", "2", "g"), ("68", "0", "g")):
        on_layer(*words, align="16").expect(code=None, contains=[
            "kernel 'known'", "at an address or with a stride that the device's matrix units can't take",
            "multiples of 16 bytes"], lacks=["wrong"])


common.main(globals(), needs_device_code=True)
