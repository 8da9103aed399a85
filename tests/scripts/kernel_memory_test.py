#!/usr/bin/env python3
"""Private arrays that are too large for the stack, with any stack size: optimised, compiled for the debugger, one
work-item at a time, and as host code."""
import shlex

import common

ARRAYS = r"""
#include <sycl/sycl.hpp>
#include <cstdio>

constexpr int size = 131072;

float fold(const float* array, float seed) {
  float sum = 0;
  for (int k = static_cast<int>(seed); k < size; k += 1001) sum += array[k];
  return sum;
}

int main() {
  sycl::queue queue;
  constexpr std::size_t count = 96;
  float* data = sycl::malloc_shared<float>(2 * count, queue);
  for (std::size_t i = 0; i < 2 * count; ++i) data[i] = static_cast<float>(i);
  queue.parallel_for<class alone>(sycl::range<1>(count), [=](sycl::id<1> i) {
    float array[size];
    for (int k = 0; k < size; ++k) array[k] = data[i] + static_cast<float>(k % 5);
    data[i] = fold(array, data[i]);
  });
  queue.parallel_for<class together>(sycl::nd_range<1>(count, 32), [=](sycl::nd_item<1> item) {
    float array[size];
    const std::size_t i = count + item.get_global_id(0);
    for (int k = 0; k < size; ++k) array[k] = data[i] + static_cast<float>(k % 5);
    sycl::group_barrier(item.get_group());
    data[i] = fold(array, data[i]);
  });
  queue.wait();
  int wrong = 0;
  for (std::size_t i = 0; i < 2 * count; ++i) {
    float sum = 0;
    for (std::size_t k = i; k < size; k += 1001) sum += static_cast<float>(i) + static_cast<float>(k % 5);
    wrong += data[i] != sum;
  }
  std::printf("%d wrong\n", wrong);
}
"""

BOUND = r"""
#include <sycl/sycl.hpp>
int main() {
  sycl::queue queue;
  float* data = sycl::malloc_shared<float>(1024, queue);
  int* lengths = sycl::malloc_shared<int>(1024, queue);
  for (int i = 0; i < 1024; ++i) lengths[i] = i % 60, data[i] = 0.001f * static_cast<float>(i);
  queue.parallel_for<class bound>(sycl::range<1>(1024), [=](sycl::id<1> i) {
    float array[16384];
    float x = data[i];
    int k = 0;
    for (; k < 60 && x * x < 1e6f; ++k) x = sycl::sqrt(x * x * x + 1.5f) * 1.01f;
    array[lengths[i]] = x;
    array[lengths[i] ^ 1] = x + 1;
    data[i] = array[lengths[(i[0] + 1) % 1024] % 2 ? lengths[i] : lengths[i] ^ 1];
  }).wait();
}
"""

TOO_LONG = r"""
#include <sycl/sycl.hpp>
#include <alloca.h>
#include <cstdio>
#include <cstdlib>
int main(int, char** words) {
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(65, queue);
  const int length = std::atoi(words[1]), rounds = std::atoi(words[2]);
  data[64] = 1;
  queue.parallel_for<class too_long>(sycl::range<1>(64), [=](sycl::id<1> i) {
    int sum = 0;
    for (int k = 0; k < rounds; ++k) {
      int numbers[length];  // HERE
      for (int j = 0; j < 8; ++j) numbers[j * data[64]] = k + j;
      sum += numbers[3] + numbers[7 * data[64]];
    }
    data[i] = sum;
  }).wait();
  queue.parallel_for<class never_freed>(sycl::nd_range<1>(64, 32), [=](sycl::nd_item<1> item) {
    const std::size_t i = item.get_global_id(0);
    sycl::group_barrier(item.get_group());
    int sum = data[i];
    for (int k = 0; k < rounds; ++k) {
      int* numbers = static_cast<int*>(alloca(sizeof(int) * (length / 4 + 8)));
      numbers[1] = k;
      sum += numbers[data[64]];
    }
    data[i] = sum;
  });
  queue.wait();
  int expected = 0;
  for (int k = 0; k < rounds; ++k) expected += k + 3 + k + 7 + k;
  for (int i = 0; i < 64; ++i) {
    if (data[i] != expected) return std::printf("%d is %d\n", i, data[i]), 1;
  }
  std::puts("right");
}
"""

ACROSS = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
int main(int argc, char**) {
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(64, queue);
  const int length = 15 + argc;
  queue.parallel_for<class across>(sycl::nd_range<1>(64, 16), [=](sycl::nd_item<1> item) {
    const int i = static_cast<int>(item.get_global_id(0)), n = length;
    int numbers[n];  // HERE
    for (int k = 0; k < n; ++k) numbers[k] = k + i;
    sycl::group_barrier(item.get_group());
    int sum = 0;
    for (int k = 0; k < n; ++k) sum += numbers[k];
    data[i] = sum;
  }).wait_and_throw();
  int wrong = 0;
  for (int i = 0; i < 64; ++i) wrong += data[i] != 120 + 16 * i;
  std::printf("%d wrong\n", wrong);
}
"""

BY_VALUE = r"""
#include <sycl/sycl.hpp>
#include <cstdio>

struct table {
  int values[200000];
};
[[gnu::noinline]] inline int at(table copy, int i) {
  copy.values[i % 100] += i;
  return copy.values[i % 30000] + copy.values[i * 7 % 200000];
}
SYCL_EXTERNAL int elsewhere(table copy, int i);

#ifdef OTHER_FILE
int elsewhere(table copy, int i) { return at(copy, i + 1); }
#else
int main() {
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(200, queue);
  table* values = sycl::malloc_shared<table>(1, queue);
  for (int i = 0; i < 200000; ++i) values->values[i] = i;
  queue.parallel_for<class here>(sycl::range<1>(100), [=](sycl::id<1> i) { data[i] = at(*values, static_cast<int>(i[0])); });
  queue.parallel_for<class there>(sycl::range<1>(100), [=](sycl::id<1> i) {
    data[100 + i[0]] = elsewhere(*values, static_cast<int>(i[0]));
  });
  queue.wait();
  int wrong = 0;
  for (int i = 0; i < 100; ++i) {
    wrong += data[i] != 9 * i;
    wrong += data[100 + i] != (i == 99 ? 800 : 9 * (i + 1));
  }
  std::printf("%d wrong\n", wrong);
}
#endif
"""


def run_with_stacks_of(kilobytes, program, **environment):
    """Runs the program with stacks of this size, for its main thread and all other threads."""
    return common.run(["bash", "-c", f"ulimit -s {kilobytes}; exec {shlex.quote(str(program))}"], **environment)


def test_stacks():
    """Small stacks suffice for arrays of 512 KiB per work-item: in vectors, one by one, and for the debugger."""
    common.not_sanitized()
    with common.Folder() as folder:
        source = folder.write("arrays.cpp", ARRAYS)
        for name, flags in {"optimised": ["-O2"], "debugged": ["-O0", "-g"]}.items():
            program = folder / name
            common.compile_program(source, program, *flags).expect()
            for settings in ({}, {"SINTER_TEST": "lanes=1"}, {"SINTER_TEST": "lanes=8"}):
                common.run([program], SINTER_CACHE="0", SINTER_STRICT="1", **settings).expect(contains=["0 wrong"])
            run_with_stacks_of(192, program, SINTER_CACHE="0", SINTER_STRICT="1").expect(contains=["0 wrong"])


def test_by_value():
    """Structures that functions take by value may be larger than the stack, also in functions of other files."""
    common.not_sanitized()
    with common.Folder() as folder:
        source, program, other = folder.write("by_value.cpp", BY_VALUE), folder / "program", folder / "other.o"
        common.run([common.CLANGXX, "-std=c++20", "-O2", "-DOTHER_FILE", *common.plugin_flags(), "-c", source, "-o",
                    other]).expect()
        common.compile_program(source, program, "-O2", other).expect()
        run_with_stacks_of(192, program, SINTER_CACHE="0", SINTER_STRICT="1").expect(contains=["0 wrong"])


def test_library_mode():
    """In library mode, kernels with such arrays run as host code."""
    common.not_sanitized()
    with common.Folder() as folder:
        source, program = folder.write("arrays.cpp", ARRAYS), folder / "program"
        common.run([common.GXX, "-std=c++20", "-O1", source, *common.pkg_config("sinter-library", "--cflags"),
                    *common.link_flags(), "-o", program]).expect()
        common.run([program]).expect(contains=["0 wrong"])
        run_with_stacks_of(192, program).expect(contains=["0 wrong"])


def test_report():
    """SINTER_REPORT=vectorize says if private memory limits the number of lanes."""
    common.not_sanitized()
    with common.Folder() as folder:
        source, program = folder.write("bound.cpp", BOUND), folder / "program"
        common.compile_program(source, program, "-O2").expect()
        common.run([program], SINTER_CACHE="0", SINTER_REPORT="vectorize").expect(
            contains=["4 lanes", "no more: private arrays of 64 KiB each"])


def test_variable_length():
    """A kernel with an array of variable length across a barrier runs as host code, with a warning and right
    results. In strict mode it is an error."""
    common.not_sanitized()
    with common.Folder() as folder:
        source, program = folder.write("across.cpp", ACROSS), folder / "program"
        line = 1 + ACROSS[:ACROSS.index("// HERE")].count("\n")
        said = ["kernel 'across' could not be compiled", "of variable length", f"across.cpp:{line})", "lives across a barrier"]
        common.compile_program(source, program, "-O2", "-g").expect()
        common.run([program], SINTER_CACHE="0").expect(contains=["0 wrong", *said])
        # The plugin keeps variable names for the debugger.
        common.compile_program(source, program, "-O0", "-g").expect()
        common.run([program], SINTER_CACHE="0").expect(contains=["0 wrong", "the array 'numbers' of variable length", *said])
        strict = common.run([program], SINTER_CACHE="0", SINTER_STRICT="1")
        common.check(strict.code != 0, "SINTER_STRICT=1 runs it")
        strict.expect(code=None, contains=said, lacks=["0 wrong"])


def test_dynamic_arrays_beyond_the_stack():
    """Arrays of variable length that fit no stack end the program with a message; smaller arrays work."""
    common.not_sanitized()
    with common.Folder() as folder:
        source, program = folder.write("long.cpp", TOO_LONG), folder / "long"
        line = 1 + TOO_LONG.splitlines().index(next(line for line in TOO_LONG.splitlines() if "HERE" in line))
        common.compile_program(source, program, "-O2", "-gline-tables-only", "-Wno-vla-cxx-extension").expect()
        said = ["variable length", "2097152 bytes", "local memory or USM"]
        for length, rounds in (("8", "1"), ("1000", "200"), ("520000", "1"), ("520000", "3")):
            common.run([program, length, rounds], SINTER_CACHE="0").expect(contains=["right"])
        for length in ("600000", "2000000000", "-1"):
            result = common.run([program, length, "1"], SINTER_CACHE="0").expect(code=None, contains=said)
            common.check(f"long.cpp:{line})" in result.err and "kernel 'too_long'" in result.err, result.err)
        # alloca frees its memory only at the end of the function.
        result = common.run([program, "520000", "5"], SINTER_CACHE="0").expect(code=None, contains=said)
        common.check("kernel 'never_freed'" in result.err, result.err)


common.main(globals())
