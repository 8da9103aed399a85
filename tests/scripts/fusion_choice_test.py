#!/usr/bin/env python3
"""If the estimate does not decide, graphs and automatic queues measure one fused kernel against several kernels, and
remember the choice."""
import os

import common

PROGRAM = r"""
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/sinter/auto_fusion.hpp>
#include <sycl/sycl.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
namespace ex = sycl::ext::oneapi::experimental;

int main(int, char** words) {
  using auto_fusion = sycl::ext::sinter::property::queue::auto_fusion;
  const bool automatic = std::string(words[1]) == "queue";
  const int runs = std::atoi(words[2]);
  const sycl::property::queue::in_order in_order;
  sycl::queue queue(automatic ? sycl::property_list{in_order, auto_fusion()} : sycl::property_list{in_order});
  // The data fit the last-level cache but not a core's own cache, so the estimate does not decide what is faster.
  const std::size_t cache = queue.get_device().get_info<sycl::info::device::global_mem_cache_size>();
  constexpr std::size_t width = 256;
  const std::size_t height = cache / 8 / (2 * width * sizeof(int)) / 64 * 64;
  int* const in = sycl::malloc_shared<int>(height * width, queue);
  int* const out = sycl::malloc_shared<int>(height * width, queue);
  int* const sums = sycl::malloc_shared<int>(height, queue);
  for (std::size_t i = 0; i < height * width; ++i) in[i] = static_cast<int>(i * 31 % 1009);
  const auto submit = [&] {
    queue.parallel_for<class row_sums>(sycl::range<1>(height), [=](sycl::id<1> y) {
      int sum = 0;
      for (std::size_t x = 0; x < width; ++x) sum += in[y * width + x];
      sums[y] = sum;
    });
    queue.parallel_for<class differences>(sycl::range<2>(height, width), [=](sycl::id<2> at) {
      out[at[0] * width + at[1]] = in[at[0] * width + at[1]] - sums[at[0]];
    });
  };
  ex::command_graph graph(queue);
  if (!automatic) {
    graph.begin_recording(queue);
    submit();
    graph.end_recording();
  }
  auto fused = graph.finalize({sycl::ext::sinter::property::graph::fuse()});
  bool right = true;
  for (int run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < height * width; ++i) out[i] = -1;
    if (automatic) submit();
    else queue.ext_oneapi_graph(fused);
    queue.wait();
    // The list is compiled in the background.
    if (automatic && run < 20) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (std::size_t y = 0; y < height; ++y) {
      int sum = 0;
      for (std::size_t x = 0; x < width; ++x) sum += in[y * width + x];
      for (std::size_t x = 0; x < width; ++x) right &= out[y * width + x] == in[y * width + x] - sum;
    }
  }
  std::puts(right ? "right" : "wrong");
  for (int* each : {in, out, sums}) sycl::free(each, queue);
}
"""

# A graph has two pairs of kernels, a copy between them, and one more kernel. Each replay adds another number.
STENCILS = r"""
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
namespace ex = sycl::ext::oneapi::experimental;

int main(int, char** words) {
  const bool updates = std::string(words[1]) == "updates", waits = std::string(words[1]) != "in a row";
  const int runs = std::atoi(words[2]);
  constexpr int height = 37, width = 41, all = height * width;
  sycl::queue queue{sycl::property::queue::in_order()};
  int *in = sycl::malloc_shared<int>(all, queue), *rows = sycl::malloc_shared<int>(all, queue);
  int *smooth = sycl::malloc_shared<int>(all, queue), *copied = sycl::malloc_shared<int>(all, queue);
  int *more = sycl::malloc_shared<int>(all, queue), *out = sycl::malloc_shared<int>(all, queue);
  int* count = sycl::malloc_shared<int>(1, queue);
  for (int i = 0; i < all; ++i) in[i] = i * 31 % 1009;
  *count = 0;
  const sycl::range<2> size(height, width);
  ex::command_graph graph(queue);
  ex::dynamic_parameter<int> added(graph, 0);
  std::vector<ex::node> nodes;
  const auto add = [&](const auto& group) {
    nodes.push_back(nodes.empty() ? graph.add(group)
                                  : graph.add(group, {ex::property::node::depends_on(nodes.back())}));
  };
  const auto along_x = [](const int* a, std::size_t y, std::size_t x) {
    return a[y * width + (x == 0 ? 0 : x - 1)] + a[y * width + (x + 1 < width ? x + 1 : width - 1)];
  };
  const auto along_y = [](const int* a, std::size_t y, std::size_t x) {
    return a[(y == 0 ? 0 : y - 1) * width + x] - a[(y + 1 < height ? y + 1 : height - 1) * width + x];
  };
  int value = 0;
  add([&](sycl::handler& h) {
    h.set_arg(0, added);
    h.parallel_for(size, [value, in, rows, along_x](sycl::id<2> at) {
      rows[at[0] * width + at[1]] = along_x(in, at[0], at[1]) + value;
    });
  });
  const ex::node changed = nodes.back();
  add([&](sycl::handler& h) {
    h.parallel_for(size, [=](sycl::id<2> at) { smooth[at[0] * width + at[1]] = along_y(rows, at[0], at[1]); });
  });
  add([&](sycl::handler& h) { h.memcpy(copied, smooth, all * sizeof(int)); });
  add([&](sycl::handler& h) {
    h.parallel_for(size, [=](sycl::id<2> at) { more[at[0] * width + at[1]] = along_x(copied, at[0], at[1]); });
  });
  add([&](sycl::handler& h) {
    h.parallel_for(size, [=](sycl::id<2> at) { out[at[0] * width + at[1]] = along_y(more, at[0], at[1]); });
  });
  graph.add([&](sycl::handler& h) { h.single_task([=] { ++*count; }); });
  using fuse = sycl::ext::sinter::property::graph::fuse;
  auto fused = updates ? graph.finalize({fuse(), ex::property::graph::updatable()}) : graph.finalize({fuse()});
  bool right = true;
  for (int run = 0; run < runs; ++run) {
    if (updates && run % 3 == 2) {
      added.update(value = run);
      fused.update(changed);
    }
    if (waits) {
      for (int i = 0; i < all; ++i) rows[i] = smooth[i] = copied[i] = more[i] = out[i] = -1;
    }
    queue.ext_oneapi_graph(fused);
    if (!waits && run + 1 < runs && run % 4 != 0) continue;
    queue.wait();
    std::vector<int> a(all), b(all), c(all), d(all);
    const auto compute = [&](std::vector<int>& to, const std::vector<int>& from, const auto& stage, int plus) {
      for (std::size_t i = 0; i < all; ++i) to[i] = stage(from.data(), i / width, i % width) + plus;
    };
    compute(a, std::vector<int>(in, in + all), along_x, value);
    compute(b, a, along_y, 0);
    compute(c, b, along_x, 0);
    compute(d, c, along_y, 0);
    for (int i = 0; i < all; ++i) {
      right &= rows[i] == a[i] && smooth[i] == b[i] && copied[i] == b[i] && more[i] == c[i] && out[i] == d[i];
    }
  }
  right &= *count == runs;
  std::puts(right ? "right" : "wrong");
  for (int* each : {in, rows, smooth, copied, more, out, count}) sycl::free(each, queue);
}
"""
FOLDER = common.Folder()
BUILT = []
MEASURED = "fusion measured: one kernel takes "


def run(cache, door, runs, **variables):
    if not BUILT:
        source = FOLDER.write("rows.cpp", PROGRAM)
        common.compile_program(source, FOLDER / "rows", "-O2").expect()
        BUILT.append(FOLDER / "rows")
    variables = {"SINTER_CACHE_DIR": FOLDER / cache, "SINTER_REPORT": "fusion,graph", **variables}
    return common.run([BUILT[0], door, runs], **variables).expect(contains=["right\n"])


def test_choice():
    """both forms run in turns until one is chosen; later processes find the choice in the cache, until they forget it"""
    common.not_sanitized()
    for door, runs in (("graph", 40), ("queue", 120)):
        for wins, text in (("joined-wins", "so they run as one\n"), ("apart-wins", "so they run one by one\n")):
            cache = door + wins
            first = run(cache, door, runs, SINTER_TEST=wins).expect(contains=[MEASURED, text])
            common.check(first.err.count(MEASURED) == 1, "it was measured again")
            if door == "graph":
                first.expect(contains=["measured    both forms run in turns until one is known to be faster"])
            later = run(cache, door, runs).expect(lacks=[MEASURED, "both forms run in turns"])
            if wins == "apart-wins":
                later.expect(contains=["one kernel takes ", text.strip()])
            elif door == "graph":
                later.expect(contains=["fused       kernel 'row_sums'"], lacks=["not fused"])
            run(cache, door, runs, SINTER_FUSION="again").expect(contains=[MEASURED])


def test_devices():
    """parts of graphs are also measured on devices that run commands without the host; results are right with each
    choice"""
    common.not_sanitized()
    judge = common.BUILD + "/tests/devices/hip"
    if not os.path.exists(judge + "/libamdhip64.so.7"):
        raise common.Skip("there is no driver for simulated GPUs")
    source = FOLDER.write("stencils.cpp", STENCILS)
    common.compile_program(source, FOLDER / "stencils", "-O2").expect()
    for kind in ("waits", "in a row", "updates"):
        for wins, text in (("joined-wins", "so they run as one\n"), ("apart-wins", "so they run one by one\n")):
            variables = {"SINTER_DEVICE": "hip:0", "LD_LIBRARY_PATH": judge, "SINTER_REPORT": "fusion,graph",
                         "SINTER_CACHE_DIR": FOLDER / f"device {kind} {wins}"}
            first = common.run([FOLDER / "stencils", kind, 240], SINTER_TEST=wins, **variables)
            first.expect(contains=["right\n", MEASURED, text, "measured    both forms run in turns"])
            later = common.run([FOLDER / "stencils", kind, 3], **variables).expect(contains=["right\n"],
                                                                                   lacks=[MEASURED])
            if wins == "apart-wins" and kind != "updates":
                later.expect(contains=["one kernel takes ", text.strip()])


def test_estimate():
    """with SINTER_FUSION=estimate, nothing is measured"""
    common.not_sanitized()
    run("estimate", "graph", 40, SINTER_FUSION="estimate").expect(lacks=[MEASURED, "both forms run in turns"])


common.main(globals())
