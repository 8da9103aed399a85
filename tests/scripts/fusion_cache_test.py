#!/usr/bin/env python3
"""Fused kernels in the cache: other processes and other sizes compile nothing, and damaged entries are noticed."""
import glob
import os
import re

import common

PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>
namespace cx = sycl::ext::codeplay::experimental;

// usage: program SIZE FACTOR DISTANCE [--map]; values i * 3 + 1, then value[i + DISTANCE] * FACTOR.
int main(int, char** words) {
  const std::size_t size = std::strtoull(words[1], nullptr, 10), distance = std::strtoull(words[3], nullptr, 10);
  const int factor = std::atoi(words[2]);
  sycl::queue queue{cx::property::queue::enable_fusion{}};
  std::vector<int> out(size, -1);
  {
    sycl::buffer<int> middle{sycl::range<1>(size + distance), {cx::property::promote_private{}}}, last(out.data(), sycl::range<1>(size));
    cx::fusion_wrapper fusion(queue);
    fusion.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(middle, handler, sycl::write_only);
      handler.parallel_for<class first>(sycl::range<1>(size), [=](sycl::id<1> i) { to[i[0] + distance] = static_cast<int>(i[0]) * 3 + 1; });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor from(middle, handler, sycl::read_only);
      sycl::accessor to(last, handler, sycl::write_only);
      handler.parallel_for<class second>(sycl::range<1>(size), [=](sycl::id<1> i) { to[i] = from[i[0] + distance] * factor; });
    });
    if (std::getenv("STENCIL")) {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor from(last, handler, sycl::read_write);
        handler.parallel_for<class third>(sycl::range<1>(size / 2), [=](sycl::id<1> i) { from[i] -= from[i[0] + size / 2]; });
      });
    }
    fusion.complete_fusion();
  }
  long sum = 0;
  for (int value : out) sum += value;
  std::printf("sum %ld\n", sum);
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find("libLLVM") != line.npos) return std::puts("LLVM is mapped"), 0;
  }
}
"""
FOLDER = common.Folder()
BUILT = []


def program():
    if not BUILT:
        source = FOLDER.write("fused.cpp", PROGRAM)
        common.compile_program(source, FOLDER / "fused", "-O2").expect()
        BUILT.append(FOLDER / "fused")
    return BUILT[0]


def run(cache, size, factor, distance=0, **variables):
    """The number of kernels the process compiled; its result is checked."""
    result = common.run([program(), str(size), str(factor), str(distance)], SINTER_CACHE_DIR=cache, SINTER_REPORT="summary",
                        **variables)
    expected = [(i * 3 + 1) * factor for i in range(size)]
    if "STENCIL" in variables:
        for i in range(size // 2):
            expected[i] -= expected[i + size // 2]
    result.expect(contains=[f"sum {sum(expected)}\n"])
    compiled = int(re.search(r"(\d+) kernels compiled", result.err)[1])
    return compiled, "LLVM is mapped" in result.out, result.err


def test_other_processes():
    """a process whose list is already in the cache compiles nothing and does not load LLVM"""
    common.not_sanitized()
    with common.Folder() as folder:
        cache = folder / "cache"
        common.check(run(cache, 1000, 5)[:2] == (1, True), "the first process should have compiled one kernel")
        common.check(run(cache, 1000, 5)[:2] == (0, False), "the second process should have compiled nothing")


def test_other_numbers():
    """other sizes and scalars use the same code; numbers that change addresses need other code"""
    common.not_sanitized()
    with common.Folder() as folder:
        cache = folder / "cache"
        common.check(run(cache, 1000, 5)[0] == 1, "nothing was compiled")
        for size, factor in ((1001, 5), (1, 5), (100000, 5), (1000, 6), (77, -3)):
            common.check(run(cache, size, factor)[:2] == (0, False), f"size {size}, factor {factor} was compiled again")
        common.check(run(cache, 1000, 5, 3)[0] == 1, "code for another distance was taken")
        common.check(run(cache, 1000, 5, 3)[0] == 0, "two distances do not lie side by side")
        common.check(run(cache, 1000, 5)[0] == 0, "the first code was lost")


def test_refusals():
    """a list that was refused is refused again without loading LLVM"""
    common.not_sanitized()
    with common.Folder() as folder:
        cache = folder / "cache"
        common.check(run(cache, 1000, 5, STENCIL="1", SYCL_RT_WARNING_LEVEL="1")[1], "LLVM should have been asked")
        _, mapped, errors = run(cache, 1000, 5, STENCIL="1", SYCL_RT_WARNING_LEVEL="1")
        common.check(not mapped, "LLVM was asked again")
        common.check("end the fusion before 'third'" in errors, f"the reason got lost: {errors}")


def test_damage():
    """damaged entries are reported and compiled again"""
    common.not_sanitized()
    with common.Folder() as folder:
        cache = folder / "cache"
        run(cache, 1000, 5)
        for damage in (lambda d: d[:len(d) // 2], lambda d: d[:-60] + bytes([d[-60] ^ 1]) + d[-59:], lambda d: b""):
            for path in glob.glob(os.path.join(cache, "*.so")):
                with open(path, "rb") as file:
                    data = file.read()
                with open(path, "wb") as file:
                    file.write(damage(data))
            compiled, _, errors = run(cache, 1000, 5)
            common.check(compiled == 1 and "damaged" in errors, f"damage went unnoticed: {errors}")
            common.check(run(cache, 1000, 5)[0] == 0, "the damaged entry was not replaced")


def test_other_kernels():
    """another program's code, which differs only in a constant, is not used"""
    common.not_sanitized()
    with common.Folder() as folder:
        cache = folder / "cache"
        run(cache, 1000, 5)
        source = folder.write("other.cpp", PROGRAM.replace("* 3 + 1", "* 4 + 1"))
        common.compile_program(source, folder / "other", "-O2").expect()
        expected = sum((i * 4 + 1) * 5 for i in range(1000))
        common.run([folder / "other", "1000", "5", "0"], SINTER_CACHE_DIR=cache).expect(contains=[f"sum {expected}\n"])


common.main(globals())
