#!/usr/bin/env python3
"""Four times as many barriers give four times as much code to compile, not sixteen times as much, and no single
function has all of it.

The test counts instructions, because times depend on the machine. It compares the instructions per barrier, and the
largest share of all instructions that one function has."""
import os
import re

import common

STAGES = 40
PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <utility>
using item = sycl::nd_item<1>;
struct values {
  template <int N>
  static void run(float& x, float* local, const float*, const item& it) {
    const int here = static_cast<int>(it.get_local_id(0)), size = static_cast<int>(it.get_local_range(0));
    local[here] = x;
    sycl::group_barrier(it.get_group());
    x = local[(here + N) % size] * 0.5f + x * 0.25f;
    sycl::group_barrier(it.get_group());
  }
};
struct arrays {
  template <int N>
  static void run(float& x, float* local, const float*, const item& it) {
    float own[8];
    for (int i = 0; i < 8; ++i) own[i] = x * static_cast<float>(i);
    sycl::group_barrier(it.get_group());
    x += own[static_cast<int>(local[N]) & 7];
    sycl::group_barrier(it.get_group());
  }
};
struct branches {
  template <int N>
  static void run(float& x, float* local, const float* in, const item& it) {
    if (in[N] < 0) return;
    local[it.get_local_id(0)] = x;
    sycl::group_barrier(it.get_group());
    x += local[0];
    sycl::group_barrier(it.get_group());
  }
};
struct sub_groups {
  template <int N>
  static void run(float& x, float* local, const float*, const item& it) {
    local[it.get_local_id(0)] = x;
    sycl::group_barrier(it.get_sub_group());
    x += local[it.get_local_id(0) ^ 1] * static_cast<float>(N);
    sycl::group_barrier(it.get_group());
  }
};
template <class Stage, int... N>
void run_all(float& x, float* local, const float* in, const item& it, std::integer_sequence<int, N...>) {
  (Stage::template run<N>(x, local, in, it), ...);
}
template <class Stage, int Stages>
void launch(sycl::queue& queue, float* out) {
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<float> local(64, handler);
    handler.parallel_for(sycl::nd_range<1>(64, 64), [=](item it) {
      float x = static_cast<float>(it.get_local_id(0));
      run_all<Stage>(x, &local[0], out, it, std::make_integer_sequence<int, Stages>());
      out[it.get_global_id(0)] = x;
    });
  });
}
int main() {
  sycl::queue queue;
  float* out = sycl::malloc_shared<float>(64, queue);
  launch<values, STAGES>(queue, out), launch<values, 4 * STAGES>(queue, out);
  launch<arrays, STAGES>(queue, out), launch<arrays, 4 * STAGES>(queue, out);
  launch<branches, STAGES>(queue, out), launch<branches, 4 * STAGES>(queue, out);
  // Barriers of sub-groups do not make a region each.
  launch<sub_groups, 2 * STAGES>(queue, out), launch<sub_groups, 8 * STAGES>(queue, out);
}
"""
SHAPES = ("values", "arrays", "branches", "sub_groups")
# The largest allowed growth of the code if there are four times as many barriers, and the largest allowed share of one
# function in the finished code.
MOST_GROWTH, LARGEST_SHARE = 5, 0.25
FOLDER = common.Folder()


def functions(text):
    """Instructions of each function of a module."""
    return [sum(line.startswith("  ") for line in body.split("\n"))
            for body in re.findall(r"^define [^\n]*\{\n(.*?)^\}", text, re.M | re.S)]


def problems_of(shape, small, large, finished):
    """Lists the functions that grow too fast. Each argument is a list of functions' sizes: of the small
    and of the large kernel after lowering, and of the large kernel's finished code."""
    found = []
    growth = sum(large) / sum(small)
    if growth > MOST_GROWTH:
        found.append(f"{shape}: {sum(large)} instructions with 4 times the barriers are {growth:.1f} times {sum(small)}")
    share = max(finished) / sum(finished)
    if share > LARGEST_SHARE:
        found.append(f"{shape}: {max(finished)} of {sum(finished)} instructions are in one function")
    return found


def lowered(program, kernel, emit):
    lower = os.path.join(common.BUILD, "jitd", "sinter-lower")
    return functions(common.run([lower, "--emit=" + emit, "--local=64", f"--kernel={kernel}", program]).expect().out)


def test_growth():
    """the code of kernels grows in proportion to their barriers"""
    common.not_sanitized()
    source = FOLDER.write("growth.cpp", PROGRAM.replace("STAGES", str(STAGES)))
    program = FOLDER / "growth"
    common.compile_program(source, program, "-O1").expect()
    found = []
    for number, shape in enumerate(SHAPES):
        small, large = (lowered(program, 2 * number + k, "lowered") for k in (0, 1))
        found += problems_of(shape, small, large, lowered(program, 2 * number + 1, "opt"))
    common.check(not found, "\n".join(found))


def test_counters():
    """the test finds quadratic growth, and a function that holds all code"""
    text = "define void @a() {\nentry:\n  ret void\n}\ndefine void @b() {\n  %a = x\n  ret void\n}\n"
    common.check(functions(text) == [1, 2], "instructions are miscounted")
    common.check(problems_of("square", [10] * 10, [40] * 40, [10] * 10), "growth by the square is not found")
    common.check(problems_of("one", [10] * 10, [10] * 40, [400]), "one function of all is not found")
    common.check(not problems_of("good", [10] * 10, [10] * 40, [10] * 40), "linear growth is refused")


common.main(globals())
