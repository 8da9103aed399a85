#!/usr/bin/env python3
"""gdb stops at a line in a kernel compiled with -O0 -g, with a cold and a warm cache, and shows variables and Sinter's
objects."""
import glob
import os
import shutil

import common

PROGRAM = r"""
#include <sycl/ext/sinter/counters.hpp>
#include <sycl/sycl.hpp>
#include <cstdio>
int main() {
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(4, queue);
  queue.parallel_for(sycl::range<1>(4), [=](sycl::id<1> i) {
    int doubled = static_cast<int>(i[0]) * 2;
    int result = doubled + 40;
    data[i] = result;
  }).wait();
  std::printf("last %d, host entry %d times\n", data[3], (int)sycl::ext::sinter::launch_counters().host_entry);
  sycl::free(data, queue);
}
""".lstrip("\n")
LINE = next(number for number, text in enumerate(PROGRAM.splitlines(), 1) if "int result" in text)


def session(program, cache):
    return common.run(["gdb", "--batch", "-nx", "-ex", "set confirm off", "-ex", "set breakpoint pending on",
                       "-ex", "set debuginfod enabled off", "-ex", f"break kernel.cpp:{LINE}", "-ex", "run",
                       "-ex", "info source", "-ex", "print doubled", "-ex", "backtrace 3", "-ex", "delete",
                       "-ex", "continue", program], SINTER_CACHE_DIR=cache, timeout=120)


def check_stop(folder, program):
    # The host's copy of the kernel has the same line, but the copy never ran, so the stop was in compiled code.
    result = session(program, folder / "cache")
    result.expect(code=None, contains=["kernel.cpp", "last 46, host entry 0 times"])
    stops = [line for line in result.out.splitlines() if line.startswith("Thread") and "hit Breakpoint" in line
             or line.startswith("Breakpoint") and "kernel.cpp" in line]
    common.check(stops, "no stop inside the kernel:\n" + result.text[-4000:])
    common.check("$1 = " in result.out, "the variable is not visible:\n" + result.text[-4000:])


def test_breakpoint():
    """a breakpoint in a kernel is hit, cold and warm"""
    common.not_sanitized()
    common.need("gdb")
    with common.Folder() as folder:
        source = folder.write("kernel.cpp", PROGRAM)
        common.compile_program(source, folder / "kernel", "-O0", "-g").expect()
        check_stop(folder, folder / "kernel")
        check_stop(folder, folder / "kernel")


SHOWN = r"""
#include <sycl/sycl.hpp>
#include <vector>
int main() {
  std::vector<int> values{10, 11, 12, 13, 14, 15};
  sycl::queue queue;
  sycl::buffer<int, 2> grid(values.data(), {2, 3});
  sycl::buffer<int> line(values.data(), 6);
  sycl::buffer<int> piece(line, 2, 3);
  sycl::vec<float, 3> three{1.5f, 2.5f, 3.5f};
  sycl::marray<int, 4> four{1, 2, 3, 4};
  sycl::vec<sycl::half, 2> halves{1.0f, 2.5f};
  sycl::nd_range<2> launch({8, 4}, {4, 2});
  {
    sycl::host_accessor host(grid, sycl::range<2>(1, 2), sycl::id<2>(1, 1));
    host[{0, 0}] = 14;  // stop on the host
  }
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(grid, handler, sycl::read_write);
    sycl::accessor some(line, handler, sycl::range<1>(2), sycl::id<1>(3), sycl::read_only);
    sycl::local_accessor<double> local(16, handler);
    handler.parallel_for(launch, [=](sycl::nd_item<2> item) {
      sycl::id<2> where = item.get_global_id();
      auto group = item.get_group();
      local[item.get_local_linear_id()] = out[where[0] % 2][where[1] % 3] + some[0];  // stop in the kernel
    });
  });
  int* shared = sycl::malloc_shared<int>(2, queue);
  queue.wait();
  shared[0] = 5;
  queue.parallel_for(sycl::range<1>(2), [=](sycl::item<1> one) {
    shared[one] = 7;  // stop in an item
  }).wait();
  sycl::free(shared, queue);
}
""".lstrip("\n")
#: The places at which the debugger stops, and the expected output there.
STOPS = [
    ("on the host", {
        "grid":
            "buffer of {2, 3} int = {[0, 0] = 10, [0, 1] = 11, [0, 2] = 12, [1, 0] = 13, [1, 1] = 14, [1, 2] = 15}",
        "line": "buffer of {6} int = {[0] = 10, [1] = 11, [2] = 12, [3] = 13, [4] = 14, [5] = 15}",
        "piece": "buffer of {3} int, part of another = {[0] = 12, [1] = 13, [2] = 14}",
        "three": "{1.5, 2.5, 3.5}", "four": "{1, 2, 3, 4}", "halves": "{1, 2.5}",
        "launch": "{8, 4} in groups of {4, 2}",
        "host": "host_accessor of {1, 2} int from {1, 1} of {2, 3} = {[0, 0] = 14, [0, 1] = 15}"}),
    ("in the kernel", {
        "where": "{0, 0}", "item": "{0, 0} of {8, 4}, {0, 0} of {4, 2} in group {0, 0} of {2, 2}",
        "group": "group {0, 0} of {2, 2}, with {4, 2} work-items",
        "out":
            "accessor of {2, 3} int = {[0, 0] = 10, [0, 1] = 11, [0, 2] = 12, [1, 0] = 13, [1, 1] = 14, [1, 2] = 15}",
        "some": "accessor of {2} int from {3} of {6} = {[0] = 13, [1] = 14}",
        "local": "local_accessor of {16} double, 0 bytes into the group's local memory"}),
    ("in an item", {"one": "{0} of {2}", "shared[0]": "5"}),
]


def show(program, cache, trusted, **variables):
    """Returns the program's objects as gdb shows them at all stops. `trusted` is a folder that gdb trusts, or None."""
    commands = [word for mark, _ in STOPS for word in ("-ex", f"tbreak shown.cpp:{line_of(mark)}")] + ["-ex", "run"]
    for _, values in STOPS:
        commands += [word for name in values for word in ("-ex", f"print {name}")]
        commands += ["-ex", "continue"]
    trust = ["-iex", "add-auto-load-safe-path " + trusted] if trusted else []
    return common.run(["gdb", "--batch", "-nx", *trust, "-ex", "set confirm off", "-ex", "set breakpoint pending on",
                       "-ex", "set debuginfod enabled off", *commands, program],
                      SINTER_CACHE_DIR=cache, SINTER_THREADS=1, timeout=120, **variables)


def line_of(mark):
    return next(number for number, text in enumerate(SHOWN.splitlines(), 1) if "stop " + mark in text)


def check_shown(result):
    for mark, values in STOPS:
        for name, text in values.items():
            common.check(f" = {text}\n" in result.out, f"{mark}, {name} is not {text}:\n{result.text[-6000:]}")


def build_shown(folder):
    source = folder.write("shown.cpp", SHOWN)
    common.compile_program(source, folder / "shown", "-O0", "-g").expect()
    return folder / "shown"


def test_printers():
    """buffers, accessors, ids, vectors and captured values are shown in readable form, from the build folder"""
    common.not_sanitized()
    common.need("gdb")
    with common.Folder() as folder:
        program = build_shown(folder)
        check_shown(show(program, folder / "cache", os.path.join(common.BUILD, "src")))
        refused = show(program, folder / "cache", None)
        common.check("add-auto-load-safe-path" in refused.text, "gdb does not say what to do:\n" + refused.text[-4000:])


def test_installed_printers():
    """the printers are installed where gdb finds them, and need no file of the build"""
    common.not_sanitized()
    common.need("gdb")
    with common.Folder() as folder:
        install = ["meson", "install", "-C", common.BUILD, "--no-rebuild", "--quiet"]
        common.run(install, DESTDIR=folder / "root").expect()
        library = os.path.dirname(glob.glob(folder / "root/**/libsinter.so", recursive=True)[0])
        printers = glob.glob(folder / "root/**/libsinter.so.*-gdb.py", recursive=True)
        common.check(len(printers) == 1, f"installed printers: {printers}")
        program = build_shown(folder)
        common.run(["strip", "-g", *glob.glob(library + "/*.so")]).expect()
        # The system's gdb finds the printers by their folder, which is the installed file's folder without DESTDIR.
        if os.path.dirname(printers[0]) != library:
            shutil.copy(printers[0], library)
        shutil.move(library, folder / "moved")
        check_shown(show(program, folder / "cache", folder / "moved", LD_LIBRARY_PATH=folder / "moved"))


common.main(globals())
