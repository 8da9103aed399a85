#!/usr/bin/env python3
"""gdb stops at a line inside a kernel compiled with -O0 -g, cold and warm, and shows its variables."""
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
    # The host's copy of the kernel has the same line; that it never ran shows that the stop was in compiled code.
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


common.main(globals())
