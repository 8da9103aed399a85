#!/usr/bin/env python3
"""gdb stops at a line in a kernel compiled with -O0 -g, with a cold and a warm cache, and shows variables and Sinter's
objects."""
import glob
import os
import shutil

import common
import shown_objects

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


def show(program, cache, trusted, **variables):
    """Returns the program's objects as gdb shows them at all stops. `trusted` is a folder that gdb trusts, or None."""
    trust = ["-iex", "add-auto-load-safe-path " + trusted] if trusted else []
    return common.run(["gdb", "--batch", "-nx", *trust, *shown_objects.commands("run"), program],
                      SINTER_CACHE_DIR=cache, SINTER_THREADS=1, timeout=120, **variables)


def build_shown(folder):
    source = folder.write("shown.cpp", shown_objects.PROGRAM)
    common.compile_program(source, folder / "shown", "-O0", "-g").expect()
    return folder / "shown"


def test_printers():
    """buffers, accessors, ids, vectors and captured values are shown in readable form, from the build folder"""
    common.not_sanitized()
    common.need("gdb")
    with common.Folder() as folder:
        program = build_shown(folder)
        shown_objects.check(show(program, folder / "cache", os.path.join(common.BUILD, "src")))
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
        shown_objects.check(show(program, folder / "cache", folder / "moved", LD_LIBRARY_PATH=folder / "moved"))


common.main(globals())
