#!/usr/bin/env python3
"""Matrices as AMX tiles: the code for a CPU with AMX, and the same tiles emulated by vectors on any CPU."""
import os
import re

import common

LOWER = os.path.join(common.BUILD, "jitd", "sinter-lower")

PROGRAM = r"""#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/matrix/matrix.hpp>
#include <cstdio>
#include <cmath>
namespace matrix = sycl::ext::oneapi::experimental::matrix;
using matrix::layout, matrix::use, sycl::sub_group, sycl::ext::oneapi::bfloat16;
template <class T>
auto global(T* pointer) {
  return sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(pointer);
}
/// c = 3 + a * b, or c += a * b, by 2 x 2 matrices of M x N in each sub-group.
template <class A, class B, class C, int M, int N, int K, layout Layout, int Size, bool Adds>
bool multiply(sycl::queue& queue) {
  constexpr std::size_t rows = 4 * M, columns = 6 * N, depth = 3 * K, wide = depth + 5, gap = columns + 3;
  constexpr std::size_t pack = Layout == layout::ext_intel_packed ? 4 / sizeof(B) : 1;
  A* a = sycl::malloc_shared<A>(rows * wide, queue);
  B* b = sycl::malloc_shared<B>(depth * gap, queue);
  C* c = sycl::malloc_shared<C>(rows * gap, queue);
  unsigned state = 1;
  const auto next = [&] { return state = state * 1664525 + 1013904223, int(state >> 24); };
  for (std::size_t i = 0; i < rows * wide; ++i) a[i] = A(sizeof(A) == 1 ? float(next()) : float(next() % 9 - 4));
  for (std::size_t i = 0; i < depth * gap; ++i) b[i] = B(sizeof(B) == 1 ? float(next()) : float(next() % 9 - 4));
  for (std::size_t i = 0; i < rows * gap; ++i) c[i] = C(7);
  queue.parallel_for(sycl::nd_range<2>({2, 3 * Size}, {1, Size}), [=](sycl::nd_item<2> item)
                     [[sycl::reqd_sub_group_size(Size)]] {
    const sub_group group = item.get_sub_group();
    const std::size_t row = item.get_group(0) * 2 * M, column = item.get_group(1) * 2 * N;
    matrix::joint_matrix<sub_group, C, use::accumulator, M, N> sums[2][2];
    for (int i = 0; i < 2; ++i) {
      for (int j = 0; j < 2; ++j) {
        C* const from = c + (row + i * M) * gap + column + j * N;
        if (Adds) joint_matrix_load(group, sums[i][j], global(from), gap, layout::row_major);
        else joint_matrix_fill(group, sums[i][j], C(3));
      }
    }
    for (std::size_t k = 0; k < depth; k += K) {
      matrix::joint_matrix<sub_group, A, use::a, M, K, layout::row_major> left[2];
      matrix::joint_matrix<sub_group, B, use::b, K, N, Layout> right[2];
      for (int i = 0; i < 2; ++i) {
        joint_matrix_load(group, left[i], global(a + (row + i * M) * wide + k), wide);
        joint_matrix_load(group, right[i], global(b + k * gap + (column + i * N) * pack), gap * pack);
      }
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < 2; ++j) joint_matrix_mad(group, sums[i][j], left[i], right[j], sums[i][j]);
    }
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        joint_matrix_store(group, sums[i][j], global(c + (row + i * M) * gap + column + j * N), gap,
                           layout::row_major);
  }).wait_and_throw();
  int wrong = 0;
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < gap; ++j) {
      double sum = j >= columns || Adds ? 7 : 3;
      for (std::size_t k = 0; k < depth && j < columns; ++k)
        sum += double(float(a[i * wide + k])) * double(float(b[k / pack * gap * pack + j * pack + k % pack]));
      wrong += double(c[i * gap + j]) != sum;
    }
  }
  for (void* memory : {static_cast<void*>(a), static_cast<void*>(b), static_cast<void*>(c)}) sycl::free(memory, queue);
  std::printf("%d x %d x %d in %d: %d wrong\n", M, N, K, Size, wrong);
  return wrong == 0;
}
int main() {
  sycl::queue queue;
  constexpr layout rows = layout::row_major, packed = layout::ext_intel_packed;
  bool right = multiply<bfloat16, bfloat16, float, 16, 16, 32, rows, 16, false>(queue);
  right &= multiply<bfloat16, bfloat16, float, 16, 16, 32, packed, 8, true>(queue);
  right &= multiply<sycl::half, sycl::half, float, 16, 16, 32, rows, 16, false>(queue);
  right &= multiply<std::int8_t, std::int8_t, std::int32_t, 16, 16, 64, packed, 16, false>(queue);
  right &= multiply<std::int8_t, std::uint8_t, std::int32_t, 16, 16, 64, rows, 32, true>(queue);
  right &= multiply<std::uint8_t, std::int8_t, std::int32_t, 16, 16, 64, rows, 16, false>(queue);
  right &= multiply<std::uint8_t, std::uint8_t, std::int32_t, 16, 16, 64, packed, 16, true>(queue);
  if (right) std::printf("all right\n");
}
"""
#: The AMX instructions of the CPU that add up products. The CPU has no such instruction for half.
SUMS = ("tdpbf16ps", "tdpbssd", "tdpbsud", "tdpbusd", "tdpbuud")


def test_tiles():
    """tiles of all types give what scalar sums give, by vectors and by work-items one by one; a CPU with AMX
    keeps sums in tile registers across the loop"""
    common.not_sanitized()
    with common.Folder() as folder:
        program = folder / "tiles"
        common.compile_program(folder.write("tiles.cpp", PROGRAM), program, "-O2", reads_headers=True).expect()
        for more in ({}, {"SINTER_PASSES": "-vectors"}):
            common.run([program], SINTER_CACHE=0, SINTER_DEVICE="cpu", SINTER_STRICT=1, TEST_TILES="vectors",
                       **more).expect(contains=["all right"], lacks=["sinter"])
        text = common.run([LOWER, "--emit=asm", "--cpu=sapphirerapids", "--local=1,1,16", program]).expect().out
        for name in SUMS:
            sums = [i.start() for i in re.finditer(name, text)]
            # Each iteration has four sums, one after the other.
            turns = [text[first:last] for first, last in zip(sums, sums[3:])]
            common.check(any("tilestored" not in turn for turn in turns), f"no {name}, or sums go to memory:\n{text}")


common.main(globals())
