#!/usr/bin/env python3
"""The output of SINTER_REPORT=vectorize. Kernels that were vectorized when the test was written still are, in machine
code, too."""
import os
import re

import common

PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <cstdio>

int main() {
  sycl::queue queue;
  constexpr std::size_t count = 1000;
  float* data = sycl::malloc_shared<float>(count, queue);
  int* steps = sycl::malloc_shared<int>(count, queue);
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<float>(i % 17);
  queue.parallel_for<class plain>(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = data[i] * 2 + 1; }).wait();
  queue.parallel_for<class divergent>(sycl::range<1>(count), [=](sycl::id<1> i) {
    float x = data[i];
    int k = 0;
    for (; k < 50 && x * x < 1e6f; ++k) x = x * x - 1.5f;
    steps[i] = k;
  }).wait();
  queue.parallel_for<class gathering>(sycl::range<1>(count), [=](sycl::id<1> i) {
    int at = steps[i];
    float sum = 0;
    for (int k = steps[i] & 15; k > 0; --k) {
      for (int part = 0; part < 6; ++part) sum = sum * 0.5f + sycl::sqrt(sum * sum + data[at]);
      at = (at * 7 + 3) & 511;
    }
    data[i] = sum;
  }).wait();
  queue.parallel_for<class structures>(sycl::range<1>(count), [=](sycl::id<1> i) {
    sycl::float3 position(data[i], 1, 2), direction = sycl::normalize(sycl::float3(1, data[i], 3));
    float way = 0;
    for (int k = 0; k < 30; ++k) {
      const float step = sycl::length(position + direction * way) - 1;
      if (step < 1e-3f) break;
      way += step;
    }
    data[i] = way;
  }).wait();
  queue.parallel_for<class exponential>(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = sycl::exp(data[i]); }).wait();
  queue.parallel_for<class sines>(sycl::range<1>(count), [=](sycl::id<1> i) { data[i] = sycl::sin(data[i]); }).wait();
  queue.parallel_for<class sub_groups>(sycl::nd_range<1>(count, 100), [=](sycl::nd_item<1> item) {
    const float sum = sycl::reduce_over_group(item.get_sub_group(), data[item.get_global_id(0)], sycl::plus<float>());
    data[item.get_global_id(0)] = sum;
  }).wait();
  queue.parallel_for<class stopped>(sycl::range<1>(count), [=](sycl::id<1> i) {
    if (i[0] % 3 == 0) asm volatile("" ::: "memory");  // HERE
    data[i] += 1;
  }).wait();
  std::printf("done\n");
}
"""

#: Transposes tiles of a matrix in local memory several times. Each transposition adds two regions, which
#: neighbouring rows share.
TURNS = r"""
#include <sycl/sycl.hpp>
#include <cstdio>

constexpr std::size_t tile = 16, size = 64;
template <int Rounds> class turns;

template <int Rounds> bool turn(sycl::queue& queue) {
  float* from = sycl::malloc_shared<float>(size * size, queue);
  float* to = sycl::malloc_shared<float>(size * size, queue);
  for (std::size_t i = 0; i < size * size; ++i) from[i] = static_cast<float>(i % 101);
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<float, 2> near(sycl::range<2>(tile, tile + 1), handler);
    handler.parallel_for<turns<Rounds>>(sycl::nd_range<2>({size, size}, {tile, tile}), [=](sycl::nd_item<2> item) {
      const std::size_t i = item.get_local_id(0), j = item.get_local_id(1), at = item.get_global_linear_id();
      float value = from[at];
#pragma unroll
      for (int k = 0; k < Rounds; ++k) {
        near[i][j] = value + k;
        sycl::group_barrier(item.get_group());
        value = near[j][i] * 0.5f;
        sycl::group_barrier(item.get_group());
      }
      to[at] = value;
    });
  }).wait();
  bool right = true;
  for (std::size_t y = 0; y < size; ++y) {
    for (std::size_t x = 0; x < size; ++x) {
      const std::size_t i = y % tile, j = x % tile;
      float value = Rounds % 2 ? from[(y - i + j) * size + x - j + i] : from[y * size + x];
      for (int k = 0; k < Rounds; ++k) value = (value + k) * 0.5f;
      right &= value == to[y * size + x];
    }
  }
  return right;
}

class sums;

/// Atomic additions of floats in memory become a loop over the lanes.
bool add_up(sycl::queue& queue) {
  float* to = sycl::malloc_shared<float>(64, queue);
  for (int i = 0; i < 64; ++i) to[i] = 0;
  queue.parallel_for<sums>(sycl::nd_range<1>(64, 64), [=](sycl::nd_item<1> item) [[sycl::reqd_sub_group_size(32)]] {
    const std::size_t i = item.get_global_id(0);
    const float value = sycl::select_from_group(item.get_sub_group(), static_cast<float>(i), 3);
#pragma unroll
    for (std::size_t k = 0; k < 80; ++k) {
      sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device>(to[i * k % 64]) += value + k;
    }
  }).wait();
  float expected[64] = {};
  for (std::size_t i = 0; i < 64; ++i) {
    for (std::size_t k = 0; k < 80; ++k) expected[i * k % 64] += static_cast<float>(i / 32 * 32 + 3 + k);
  }
  bool right = true;
  for (std::size_t i = 0; i < 64; ++i) right &= to[i] == expected[i];
  return right;
}

int main() {
  sycl::queue queue;
  std::puts(turn<1>(queue) && turn<15>(queue) && turn<40>(queue) && add_up(queue) ? "done" : "wrong");
}
"""

#: Arithmetic of several floats at once.
PACKED = re.compile(r"\bv?(add|sub|mul|div|fn?m(add|sub)\w*)ps\b")


def compiled(folder, *flags):
    common.not_sanitized()
    source, program = folder.write("program.cpp", PROGRAM), folder / "program"
    common.compile_program(source, program, *flags).expect()
    return program


def report_of(program, **environment):
    """The report about each kernel, by name."""
    text = common.run([program], SINTER_CACHE="0", SINTER_REPORT="vectorize", **environment).expect(contains=["done"]).err
    return dict(re.findall(r"^sinter: vectorize: kernel '(\w+)'.*\n((?:  .*\n)+)", text, re.MULTILINE))


def test_report():
    """Kernels known to be vectorized still are. The report gives the kernel's vector width and accesses, or the
    obstacle to vectors and the obstacle's line."""
    with common.Folder() as folder:
        said = report_of(compiled(folder, "-O2", "-g"))
        for name in ("divergent", "gathering", "structures", "sines", "sub_groups"):
            common.check(re.search(r"\b\d+ lanes", said[name]), f"{name}: {said[name]}")
            common.check("consecutive" in said[name] or name == "sub_groups", f"{name}: {said[name]}")
        common.check(re.search(r"\d+ gathered", said["gathering"]), said["gathering"])
        common.check("vector math" in said["sines"], said["sines"])
        for name in ("plain", "exponential"):
            common.check("left to the loop vectorizer" in said[name], said[name])
        line = PROGRAM.split("// HERE")[0].count("\n") + 1
        common.check("scalar: a call that lanes make together" in said["stopped"], said["stopped"])
        common.check(f"program.cpp:{line}" in said["stopped"], said["stopped"])
        alone = report_of(folder / "program", SINTER_TEST="lanes=1")
        common.check(not any("lanes" in text for text in alone.values()), str(alone))


def test_machine_code():
    """The machine code of these kernels has vector instructions. The code of plain loops has vector instructions,
    too."""
    with common.Folder() as folder:
        program = compiled(folder, "-O2")
        names = common.run([os.path.join(common.BUILD, "jitd", "sinter-lower"), "--list", program]).expect().out
        for number, name in enumerate(["plain", "divergent", "gathering", "structures", "exponential"]):
            common.check(name in names, names)
            code = common.run([os.path.join(common.BUILD, "jitd", "sinter-lower"), "--emit=asm", f"--kernel={number}",
                               "--lanes=0", program]).expect().out
            common.check(len(PACKED.findall(code)) >= 1, f"{name}: no packed arithmetic in\n{code[:3000]}")


def test_budget():
    """If the vectorized versions of a kernel would be much longer than its scalar code, the JIT makes simpler versions,
    and the report says so."""
    common.not_sanitized()
    with common.Folder() as folder:
        source, program = folder.write("turns.cpp", TURNS), folder / "turns"
        common.compile_program(source, program, "-O2").expect()
        result = common.run([program], SINTER_CACHE="0", SINTER_REPORT="vectorize").expect(contains=["done"])
        once, often, most, sums = re.split("kernel '(?:turns<(?:15|40)>|sums)'", result.err)
        common.check("would be" not in once, once)
        # A long loop with barriers is not unrolled.
        common.check("would be" not in most and "region 3" not in most, most)
        common.check(re.search(r"(?:rows|vectors) together; without neighbours \(would be \d+ times the scalar code\)", often), often)
        common.check(re.search(r"scalar after all: sub-groups as lanes \(would be \d+ times", sums), sums)
        # If the test requests neighbours, the report must not say that there is too much code.
        result = common.run([program], SINTER_CACHE="0", SINTER_REPORT="vectorize", SINTER_TEST="block=4").expect(contains=["done"])
        common.check("would be" not in result.err, result.err)


common.main(globals())
