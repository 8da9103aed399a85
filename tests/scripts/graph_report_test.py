#!/usr/bin/env python3
"""SINTER_REPORT=graph reports what finalize did with memory that only the graph uses. The results are the same."""
import os
import re
import shutil

import common

PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <cstdio>
#include <cstring>
#include <memory>
#include <vector>
namespace graphs = sycl::ext::oneapi::experimental;

constexpr std::size_t count = 1 << 18;
using plane = sycl::buffer<int, 1>;

/// Adds a node that computes out = in + 1. If not `keeps`, the old contents of `out` are discarded (no_init).
template <class Graph>
void step(Graph& graph, plane& in, plane& out, bool keeps) {
  graph.add([&](sycl::handler& handler) {
    sycl::accessor from(in, handler, sycl::read_only);
    if (keeps) {
      sycl::accessor to(out, handler, sycl::write_only);
      handler.parallel_for(count, [=](sycl::id<1> i) { to[i] = from[i] + 1; });
    } else {
      sycl::accessor to(out, handler, sycl::write_only, sycl::no_init);
      handler.parallel_for(count, [=](sycl::id<1> i) { to[i] = from[i] + 1; });
    }
  });
}

int main(int argc, char** words) {
  const auto is = [&](const char* word) { return argc > 1 && std::strcmp(words[1], word) == 0; };
  sycl::queue queue;
  plane first{sycl::range<1>(count)}, last{sycl::range<1>(count)};
  graphs::command_graph graph(queue, {graphs::property::graph::assume_buffer_outlives_graph()});
  auto between = std::make_unique<std::vector<plane>>(4, plane(count));
  for (plane& each : *between) each = plane(count);
  graph.add([&](sycl::handler& handler) {
    handler.fill(sycl::accessor(first, handler, sycl::write_only), 7);
  });
  step(graph, first, (*between)[0], is("keeps"));
  step(graph, (*between)[0], (*between)[1], false);
  step(graph, (*between)[1], (*between)[2], false);
  // Copies a result to a buffer that no kernel reads, and copies that buffer to another one.
  auto unread = std::make_unique<std::vector<plane>>(2, plane(count));
  for (plane& each : *unread) each = plane(count);
  for (int i = 0; i < 2; ++i) {
    graph.add([&](sycl::handler& handler) {
      sycl::accessor from(i == 0 ? (*between)[1] : (*unread)[0], handler, sycl::read_only);
      handler.copy(from, sycl::accessor((*unread)[i], handler, sycl::write_only));
    });
  }
  step(graph, (*between)[2], (*between)[3], false);
  step(graph, (*between)[3], last, false);
  if (!is("alive")) between.reset();
  if (!is("read")) unread.reset();
  auto executable = is("updatable") ? graph.finalize({graphs::property::graph::updatable()}) : graph.finalize();
  for (int i = 0; i < 3; ++i) queue.ext_oneapi_graph(executable).wait();
  sycl::host_accessor result(last, sycl::read_only);
  for (std::size_t i = 0; i < count; ++i) {
    if (result[i] != 12) return std::printf("element %zu is %d\n", i, result[i]), 1;
  }
  if (unread) {
    sycl::host_accessor copied((*unread)[1], sycl::read_only);
    if (copied[count - 1] != 9) return std::puts("the copy is wrong"), 1;
  }
  std::puts("right");
}
"""

#: A program that divides by known numbers: the compiler turns each division into a multiplication.
DIVIDING = r"""
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <cstdio>
namespace graphs = sycl::ext::oneapi::experimental;

// A test hook (src/scheduler/test_hooks.hpp): waits for all code that is being compiled in the background.
namespace sycl::inline _V1::detail { void finish_background_work(); }

int main(int argc, char**) {
  constexpr std::size_t count = 1 << 16;
  sycl::queue queue{sycl::property::queue::in_order{}};
  std::size_t* in = sycl::malloc_shared<std::size_t>(count, queue);
  std::size_t* out = sycl::malloc_shared<std::size_t>(count, queue);
  for (std::size_t i = 0; i < count; ++i) in[i] = i * 7;
  graphs::command_graph graph(queue);
  std::size_t stride = 3, columns = 96, length = count - 17;
  graph.add([&](sycl::handler& handler) {
    handler.parallel_for<class divide>(count, [=](sycl::id<1> i) {
      out[i] = in[i[0] * stride % length] + in[i[0] % columns] + in[i[0] / columns];
    });
  });
  auto executable = argc > 1 ? graph.finalize({graphs::property::graph::updatable()}) : graph.finalize();
  for (int i = 0; i < 600; ++i) {
    if (i % 50 == 0) sycl::detail::finish_background_work();
    queue.ext_oneapi_graph(executable).wait();
    for (std::size_t k = i % 7; k < count; k += 101) {
      const std::size_t wanted = in[k * stride % length] + in[k % columns] + in[k / columns];
      if (out[k] != wanted) return std::printf("element %zu is %zu\n", k, out[k]), 1;
      out[k] = 0;
    }
  }
  std::puts("right");
}
"""

MEBIBYTE = 1 << 20


def report(folder, *words):
    if not (folder.path in report.built):
        common.compile_program(folder.write("graph.cpp", PROGRAM), folder / "graph").expect()
        report.built.add(folder.path)
    return common.run([folder / "graph", *words], SINTER_REPORT="graph").expect(contains=["right"]).err


report.built = set()
folder = common.Folder()


def test_shared():
    """Buffers that only the graph sees share memory if they never live at the same time, and the report says the
    peak"""
    text = report(folder)
    # In a chain of commands, only two buffers are in use at a time.
    common.check(f"4 buffers that only the graph sees, {4 * MEBIBYTE} bytes; with shared memory {2 * MEBIBYTE} bytes" in text,
                 text)


def test_unread():
    """A copy is removed if no command reads it, or if only another removed copy reads it"""
    common.check("2 copies or fills of buffers that nobody reads" in report(folder), report(folder))
    common.check("copies or fills" not in report(folder, "read"), report(folder, "read"))


def test_not_shared():
    """Buffers do not share memory if the program still has them, if their contents may come from the previous
    run, or if the graph is updatable"""
    common.check("only the graph sees" not in report(folder, "alive"), report(folder, "alive"))
    common.check("3 buffers that only the graph sees" in report(folder, "keeps"), report(folder, "keeps"))
    common.check("only the graph sees" not in report(folder, "updatable"), report(folder, "updatable"))


def test_constants():
    """In graphs that don't change, scalar arguments of kernels become constants if measurements show a gain"""
    common.compile_program(folder.write("divide.cpp", DIVIDING), folder / "divide").expect()
    kept = common.run([folder / "divide"], SINTER_REPORT="graph").expect(contains=["right", "kernel 'divide'"]).err
    measured = re.search(r"(\d+) ns, with constants for its numbers (\d+) ns: (kept|not kept)", kept)
    common.check(measured, kept)
    # The machine determines which code is faster, so the test checks only the consequences.
    before, after = int(measured[1]), int(measured[2])
    common.check((measured[3] == "kept") == (after < before - before // 32), kept)
    common.run([folder / "divide", "updatable"], SINTER_REPORT="graph").expect(contains=["right"], lacks=["constants"])


def test_plain():
    """A part that can't be a native graph of the device is submitted step by step, and the report says why"""
    driver = os.path.join(common.BUILD, "opencl-driver")
    if common.SANITIZED or not os.path.exists(os.path.join(driver, "intel.icd")):
        raise common.Skip("no OpenCL driver")
    report(folder)
    common.run([folder / "graph"], SINTER_REPORT="graph", SINTER_DEVICE="opencl:0", OCL_ICD_VENDORS=driver,
               LD_LIBRARY_PATH=driver).expect(
        contains=["right", f"with shared memory {2 * MEBIBYTE} bytes",
                  "steps handed over one by one: OpenCL's drivers for CPUs take longer for command buffers"])


CHAIN = r"""
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <cstdio>
#include <memory>
namespace graphs = sycl::ext::oneapi::experimental;

int main(int argc, char** words) {
  constexpr std::size_t count = 1 << 20;
  sycl::queue queue;
  sycl::buffer<float> in{count}, out{count};
  auto inside = std::make_unique<sycl::buffer<float>>(count);
  sycl::host_accessor(in, sycl::write_only, sycl::no_init)[7] = 2;
  graphs::command_graph graph(queue, {graphs::property::graph::assume_buffer_outlives_graph()});
  graph.add([&](sycl::handler& handler) {
    sycl::accessor a(in, handler, sycl::read_only);
    sycl::accessor b(*inside, handler, sycl::write_only, sycl::no_init);
    handler.parallel_for<class squares>(count, [=](sycl::id<1> i) { b[i] = a[i] * a[i]; });
  });
  graph.add([&](sycl::handler& handler) {
    sycl::accessor a(*inside, handler, sycl::read_only);
    sycl::accessor b(out, handler, sycl::write_only, sycl::no_init);
    handler.parallel_for<class adds>(count, [=](sycl::id<1> i) { b[i] = a[i] + 1; });
  });
  if (argc == 2) graph.print_graph(words[1], true);
  inside.reset();
  auto executable = graph.finalize({sycl::ext::sinter::property::graph::fuse()});
  queue.ext_oneapi_graph(executable).wait();
  std::puts(sycl::host_accessor(out, sycl::read_only)[7] == 5 ? "right" : "wrong");
}
"""


def test_fused():
    """For fused kernels, the report says which memory became registers and how much traffic is saved"""
    common.not_sanitized()
    common.compile_program(folder.write("chain.cpp", CHAIN), folder / "chain").expect()
    text = common.run([folder / "chain"], SINTER_REPORT="graph", SINTER_DEVICE="sinter:cpu").expect(contains=["right"]).err
    group = text[text.index("  fused       kernel 'squares', kernel 'adds'"):]
    common.check(re.search(r"\n    promoted    argument \d of 'squares' to private memory, 4 bytes", group), text)
    # The buffer is promoted, so it needs no memory.
    common.check("\n  promoted    1 buffers that only the graph sees" in text and "temporaries" not in text, text)
    # Without the promotion, each element would be written once and read once, with four bytes each time.
    common.check(f"\n    saved       {8 * MEBIBYTE // 1000} kB of memory traffic in each run\n" in group, text)


def test_dot():
    """Graphviz's dot draws the output of print_graph, with all additions of `verbose`"""
    if not shutil.which("dot"):
        raise common.Skip("no graphviz")
    common.compile_program(folder.write("chain.cpp", CHAIN), folder / "chain").expect()
    common.run([folder / "chain", folder / "chain.dot"]).expect(contains=["right"])
    drawn = common.run(["dot", "-Tsvg", folder / "chain.dot"]).expect(lacks=["syntax error", "Warning"]).out
    texts = re.findall(r"<text [^>]*>([^<]*)</text>", drawn)
    common.check(drawn.count('class="node"') == 2 and drawn.count('class="edge"') == 1, drawn)
    common.check(any("squares" in each for each in texts) and "range {1048576}" in texts, str(texts))


with folder:
    common.main(globals())
