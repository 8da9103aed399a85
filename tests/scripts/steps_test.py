#!/usr/bin/env python3
"""SINTER_PASSES skips steps, and SINTER_BISECT runs only the first steps. Results stay the same, and the output names
the steps."""
import os
import re

import common

PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstdlib>

constexpr std::size_t count = 1 << 14;

int main(int arguments, char**) {
  sycl::queue queue;
  float* in = sycl::malloc_shared<float>(count, queue);
  float* out = sycl::malloc_shared<float>(count, queue);
  unsigned* bins = sycl::malloc_shared<unsigned>(64, queue);
  const auto print = [&](const char* name) {
    queue.wait();
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += out[i] * static_cast<double>(i % 13 + 1), out[i] = 0;
    std::printf("%s %a\n", name, sum);
  };
  for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<float>((i * 37) % 1009) / 64, out[i] = 0;
  const unsigned width = 128u * arguments, height = 128u;

  queue.parallel_for<class flat>(sycl::range<1>(count), [=](sycl::id<1> id) {
    const std::size_t i = id[0] % width, j = id[0] / width;
    if (i > 0 && i + 1 < width && j > 0 && j + 1 < height) out[id] = in[id - 1] + in[id + 1] - in[id - width] * in[id + width];
  });
  print("flat");
  queue.parallel_for<class usual>(sycl::range<2>(height, width), [=](sycl::id<2> id) {
    const unsigned i = id[0], j = id[1];
    float sum = 0;
    for (unsigned k = 0; k < width; ++k) sum += in[i * width + k] * in[k * width + j];
    out[i * width + j] = sum;
  });
  print("usual");
  queue.parallel_for<class border>(sycl::range<2>(height, width), [=](sycl::id<2> id) {
    float sum = 0;
    for (int y = -2; y <= 2; ++y)
      for (int x = -2; x <= 2; ++x) {
        const int r = sycl::clamp(int(id[0]) + y, 0, int(height) - 1), c = sycl::clamp(int(id[1]) + x, 0, int(width) - 1);
        sum += in[r * int(width) + c] * float(x - y + 5);
      }
    out[id[0] * width + id[1]] = sum;
  });
  print("border");
  queue.parallel_for<class escape>(sycl::range<1>(count), [=](sycl::id<1> id) {
    float x = 0, y = 0;
    int k = 0;
    for (; k < 60 && x * x + y * y < 4; ++k) {
      const float next = x * x - y * y + in[id] / 8 - 1.5f;
      y = 2 * x * y + 0.25f;
      x = next;
    }
    out[id] = float(k);
  });
  print("escape");
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<unsigned, 1> mine(64, handler);
    handler.parallel_for<class counting>(sycl::nd_range<1>(count, 256), [=](sycl::nd_item<1> item) {
      const std::size_t l = item.get_local_id(0), g = item.get_group(0);
      if (l < 64) mine[l] = 0;
      sycl::group_barrier(item.get_group());
      for (std::size_t i = l; i < 1024; i += 256) {
        sycl::atomic_ref<unsigned, sycl::memory_order::relaxed, sycl::memory_scope::work_group> bin(
            mine[static_cast<unsigned>(in[(g * 256 + i) % count]) & 63]);
        bin += 1;
      }
      sycl::group_barrier(item.get_group());
      out[item.get_global_id(0)] = float(mine[l & 63]);
    });
  });
  print("counting");
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<float, 1> part(256, handler);
    handler.parallel_for<class sorting>(sycl::nd_range<1>(count, 128), [=](sycl::nd_item<1> item) {
      const unsigned l = item.get_local_id(0), first = item.get_group(0) * 128;
      part[l] = in[first + l];
      sycl::group_barrier(item.get_group());
      for (unsigned size = 2; size <= 128; size *= 2)
        for (unsigned step = size / 2; step > 0; step /= 2) {
          const unsigned other = l ^ step;
          if (other > l) {
            const float a = part[l], b = part[other];
            if ((a > b) == ((l & size) == 0)) part[l] = b, part[other] = a;
          }
          sycl::group_barrier(item.get_group());
        }
      out[first + l] = part[l];
    });
  });
  print("sorting");
  queue.submit([&](sycl::handler& handler) {
    sycl::local_accessor<float, 2> a(sycl::range<2>(16, 16), handler), b(sycl::range<2>(16, 16), handler);
    handler.parallel_for<class tiled>(sycl::nd_range<2>({height, width}, {16, 16}), [=](sycl::nd_item<2> item) {
      const std::size_t y = item.get_local_id(0), x = item.get_local_id(1);
      float sum = 0;
      for (std::size_t k = 0; k < width; k += 16) {
        a[y][x] = in[item.get_global_id(0) * width + k + x];
        b[y][x] = in[(k + y) * width + item.get_global_id(1)];
        sycl::group_barrier(item.get_group());
        for (int t = 0; t < 16; ++t) sum += a[y][t] * b[t][x];
        sycl::group_barrier(item.get_group());
      }
      out[item.get_global_id(0) * width + item.get_global_id(1)] = sum;
    });
  });
  print("tiled");
  queue.parallel_for<class rows>(sycl::range<1>(count / 64), [=](sycl::id<1> id) {
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += in[id[0] * 64 + k] * float(k);
    out[id] = sum;
  });
  print("rows");
  queue.parallel_for<class sub_groups>(sycl::nd_range<1>(count, 96 * 2 / 3), [=](sycl::nd_item<1> item) {
    const auto mine = item.get_sub_group();
    const float other = sycl::permute_group_by_xor(mine, in[item.get_global_id(0)], 1);
    if (mine.get_local_linear_id() == 0) out[item.get_global_id(0)] = other;
  });
  print("sub_groups");
  float* sum = sycl::malloc_shared<float>(1, queue);
  *sum = 0;
  queue.parallel_for<class visited>(sycl::range<1>(count), sycl::reduction(sum, sycl::plus<float>()),
                                    [=](sycl::id<1> id, auto& total) {
                                      const std::size_t i = id[0] % width, j = id[0] / width;
                                      total += in[j * width + i] * float(i < j ? 1 : -1);
                                    });
  queue.wait();
  out[0] = *sum;
  print("visited");
}
"""

FUSED = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
#include <vector>

namespace cx = sycl::ext::codeplay::experimental;

int main() {
  const sycl::range<1> size(1000);
  std::vector<float> values(size.size());
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = float(i % 31) / 8;
  sycl::queue queue{cx::property::queue::enable_fusion{}};
  cx::fusion_wrapper fusion(queue);
  {
    sycl::buffer buffer_values(values);
    {
      sycl::buffer<float> temporary(size);
      fusion.start_fusion();
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor in(buffer_values, handler, sycl::read_only);
        sycl::accessor out(temporary, handler, sycl::write_only);
        handler.parallel_for(size, [=](sycl::id<1> i) { out[i] = in[i] * in[i]; });
      });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor in(temporary, handler, sycl::read_only);
        sycl::accessor out(buffer_values, handler, sycl::write_only);
        handler.parallel_for(size, [=](sycl::id<1> i) { out[i] = in[i] + 1.0f; });
      });
      fusion.complete_fusion();
    }
    queue.wait();
  }
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) sum += values[i] * double(i % 7 + 1);
  std::printf("%a\n", sum);
}
"""

STEP = re.compile(r"sinter: bisect: kernel '([^']*)' step (\d+) (takes|leaves out) ([a-z-]+)")


def steps():
    """The steps' names, as the complaint about a wrong name lists them."""
    with common.Folder() as folder:
        program = build(folder, common.HELLO)
        said = common.run([program], SINTER_PASSES="-none-such", SINTER_DEVICE="cpu", SINTER_CACHE="0").expect().err
    names = re.search(r"'-none-such' leaves nothing out; it can be: -all (.*)", said)
    common.check(names, "no complaint about a wrong name:\n" + said)
    return [word.lstrip("-") for word in names.group(1).split()]


def build(folder, text):
    program = folder / "program"
    common.compile_program(folder.write("program.cpp", text), program, "-O2", "-Wno-deprecated-declarations").expect()
    return program


def results(program, **environment):
    return common.run([program], SINTER_DEVICE="cpu", **environment).expect()


def test_left_out():
    """every step can be skipped, alone and together with all others, and results have the same bits"""
    names = steps()
    common.check(len(names) > 15 and "vectors" in names, f"steps: {names}")
    with common.Folder() as folder:
        program = build(folder, PROGRAM)
        wanted = results(program, SINTER_CACHE="0").out
        common.check(wanted.count("\n") == 10, wanted)
        chosen = names if common.LONG else ["vectors", "loops-in-step,-interior", "llvm"]
        for name in ["all", *chosen]:
            got = results(program, SINTER_PASSES="-" + name).out
            common.check(got == wanted, f"without {name}:\n{got}instead of\n{wanted}")


def test_report():
    """with the step for vectors skipped, the report shows no vectors"""
    with common.Folder() as folder:
        program = build(folder, PROGRAM)
        common.check(" lanes" in results(program, SINTER_CACHE="0", SINTER_REPORT="vectorize").err, "no lanes at all")
        without = results(program, SINTER_PASSES="-vectors", SINTER_REPORT="vectorize").err
        common.check(" lanes" not in without, without)


def test_bisect():
    """each kernel numbers its steps from 1, equally in every run, and steps beyond the limit are skipped"""
    with common.Folder() as folder:
        program = build(folder, PROGRAM)
        wanted = results(program, SINTER_CACHE="0").out
        first = results(program, SINTER_BISECT="4")
        common.check(first.out == wanted, first.out)
        rows = STEP.findall(first.err)
        kernels = {kernel for kernel, _, _, _ in rows}
        common.check(len(kernels) >= 10, f"kernels: {kernels}")
        for kernel in kernels:
            mine = [(int(number), word) for name, number, word, _ in rows if name == kernel]
            starts = [i for i, (number, _) in enumerate(mine) if number == 1]
            for begin, end in zip(starts, starts[1:] + [len(mine)]):
                common.check([number for number, _ in mine[begin:end]] == list(range(1, end - begin + 1)), f"{kernel}: {mine}")
            common.check(all((word == "takes") == (number <= 4) for number, word in mine), f"{kernel}: {mine}")
        again = STEP.findall(results(program, SINTER_BISECT="4").err)
        common.check(sorted(rows) == sorted(again), "another run counts otherwise")
        some = STEP.findall(results(program, SINTER_BISECT="0:tiled").err)
        common.check({kernel for kernel, _, _, _ in some} == {"tiled"}, f"{some}")
        wrong = results(program, SINTER_BISECT="many")
        common.check("SINTER_BISECT='many' is not understood" in wrong.err and wrong.out == wanted, wrong.text)


def test_fusion():
    """steps of a fusion are numbered before the steps of its kernel, and can be skipped without changing results"""
    with common.Folder() as folder:
        program = build(folder, FUSED)
        right = results(program, SINTER_CACHE="0", SINTER_REPORT="fusion")
        common.check("promoted " in right.err, right.err)
        for name in ("all", "promotion", "fused-constants,-disjoint-memory"):
            got = results(program, SINTER_PASSES="-" + name, SINTER_REPORT="fusion")
            common.check(got.out == right.out, f"without {name}: {got.text}")
            common.check(("in memory" in got.err) == (name in ("all", "promotion")), got.err)
        for most in (0, 2):
            got = results(program, SINTER_BISECT=str(most))
            rows = [(int(number), word, name) for _, number, word, name in STEP.findall(got.err)]
            names = [name for _, _, name in rows]
            common.check(names[:3] == ["fused-constants", "promotion", "disjoint-memory"] and "vectors" in names, got.err)
            common.check(got.out == right.out and all((word == "takes") == (number <= most) for number, word, _ in rows),
                         got.text)


def test_cache():
    """code with skipped steps is not stored in the cache, and stored code is not used in its place"""
    with common.Folder() as folder:
        program = build(folder, common.HELLO)
        cache = folder / "cache"
        os.mkdir(cache, 0o700)
        for _ in range(2):
            common.run([program], SINTER_PASSES="-all", SINTER_CACHE_DIR=cache).expect(contains=["cache=0"])
        common.run([program], SINTER_PASSES=None, SINTER_CACHE_DIR=cache).expect(contains=["cache=0"])
        common.run([program], SINTER_PASSES=None, SINTER_CACHE_DIR=cache).expect(contains=["cache=1"])
        common.run([program], SINTER_BISECT="2", SINTER_CACHE_DIR=cache).expect(contains=["cache=0"])


common.main(globals())
