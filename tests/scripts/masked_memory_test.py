#!/usr/bin/env python3
"""LLVM's masked memory operations with known masks, next to truncations and extensions, must be right after the JIT's
last pass, on all x86 levels that this machine supports (docs/llvm_defects.md).

Each function of a generated module loads, stores, gathers, scatters, compresses or expands with one mask. A program
compares memory and results with plain code, at both ends of a page, where an access to one byte too many causes a
fault.
"""
import itertools
import os
import re

import common

PASSES = os.path.join(common.BUILD, "jitd", "sinter-passes.so")
BIN = "/usr/lib/llvm-" + common.LLVM + "/bin"

# For each level: LLVM's name of the CPU, attributes, and the flag that /proc/cpuinfo has to list. Only the last
# levels have separate registers for masks.
LEVELS = [("x86-64-v2", "", "sse4_2"), ("x86-64-v3", "", "avx2"), ("x86-64-v4", "", "avx512vl"),
          ("knl", "", "avx512cd"), ("skylake-avx512", "-avx512vl", "avx512bw"), ("icelake-server", "", "avx512_vbmi2")]
OPERATIONS = ["store", "compress", "scatter", "load", "expand", "gather"]

DRIVER = r"""
#include <sys/mman.h>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
struct test {
  void (*run)(const void*, void*, void*);
  const char* name;
  int operation, wide, narrow, lanes;
  bool is_signed;
  std::uint64_t mask;
};
extern "C" {
int lane_numbers[64];
@DECLARATIONS@
}
static const test tests[] = {
@TESTS@
};
static sigjmp_buf back;
static void on_fault(int) { siglongjmp(back, 1); }
static std::int64_t read(const unsigned char* from, int bytes) {
  std::int64_t value = 0;
  std::memcpy(&value, from, static_cast<std::size_t>(bytes));
  const int rest = 64 - 8 * bytes;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << rest) >> rest;
}
static void write(unsigned char* to, int bytes, std::int64_t value) {
  std::memcpy(to, &value, static_cast<std::size_t>(bytes));
}

constexpr int page = 4096;
static unsigned char* pages;  // two pages, with two inaccessible pages on each side

/// `place`: 0: accesses the middle of the pages; 1: the last active lane ends at their end; 2: the first begins there.
static const char* wrong(const test& what, int place) {
  static unsigned char in[1024], out[1024], expected_out[1024], expected[2 * page];
  int on = 0, first = -1, last = -1;
  for (int i = 0; i < what.lanes; ++i) {
    if (!(what.mask >> i & 1)) continue;
    if (first < 0) first = i;
    last = i;
    ++on;
  }
  if (place != 0 && on == 0) return nullptr;
  const bool packed = what.operation % 3 == 1, stores = what.operation < 3;
  const int step = what.operation % 3 == 2 ? 2 * what.narrow : what.narrow;
  if (packed) {
    first = 0;
    last = on - 1;
  }
  for (unsigned char& each : in) each = static_cast<unsigned char>(std::rand() >> 7);
  for (int i = 0; i < 2 * page; ++i) expected[i] = pages[i] = static_cast<unsigned char>(std::rand() >> 7);
  std::memset(out, 0x5a, sizeof out);
  std::memcpy(expected_out, out, sizeof out);
  int at = page;
  if (place == 1) at = 2 * page - (last * step + what.narrow);
  if (place == 2) at = -first * step;
  int lane = 0;
  for (int i = 0; i < what.lanes; ++i) {
    const bool is_on = what.mask >> i & 1;
    unsigned char* element = expected + at + (packed ? lane : i) * step;
    if (is_on) ++lane;
    if (stores) {
      if (is_on) write(element, what.narrow, read(in + i * what.wide, what.wide));
      continue;
    }
    std::int64_t value = read(is_on ? element : in + i * what.narrow, what.narrow);
    if (!what.is_signed && what.narrow < 8) value &= (std::int64_t{1} << 8 * what.narrow) - 1;
    write(expected_out + i * what.wide, what.wide, value);
  }
  if (sigsetjmp(back, 1) != 0) return "faults";
  what.run(in, pages + at, out);
  if (std::memcmp(pages, expected, sizeof expected) != 0) return "writes other memory than it should";
  return std::memcmp(out, expected_out, sizeof out) != 0 ? "has a wrong result" : nullptr;
}

int main() {
  void* all = mmap(nullptr, 6 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  pages = static_cast<unsigned char*>(all) + 2 * page;
  mprotect(all, 2 * page, PROT_NONE);
  mprotect(pages + 2 * page, 2 * page, PROT_NONE);
  for (int i = 0; i < 64; ++i) lane_numbers[i] = 2 * i;
  struct sigaction action {};
  action.sa_handler = on_fault;
  action.sa_flags = SA_NODEFER;
  sigaction(SIGSEGV, &action, nullptr);
  sigaction(SIGBUS, &action, nullptr);
  int count = 0;
  for (const test& each : tests) {
    const char* what = nullptr;
    for (int place = 0; place < 3 && !what; ++place) what = wrong(each, place);
    if (what) std::printf("%s: %s\n", each.name, what);
    ++count;
  }
  std::printf("%d operations\n", count);
}
"""


def masks(lanes):
    every = (1 << lanes) - 1
    middle = 1 << lanes // 2
    return sorted({0, every, 1, middle << lanes // 2 - 1, 1 | middle, every ^ 1, every >> lanes // 2})


def aligned(pointer):
    """Memory of a masked access: before LLVM 22 the alignment was an argument."""
    kind, name = pointer.rsplit(" ", 1)
    return f"{kind} align 1 {name}" if int(common.LLVM) >= 22 else f"{pointer}, i32 1"


def function(number, operation, extension, wide, narrow, lanes, mask):
    """The text of one of the module's functions."""
    big, small, suffix = f"<{lanes} x i{wide}>", f"<{lanes} x i{narrow}>", f"v{lanes}i{narrow}"
    lane_masks = f"<{lanes} x i1> <" + ", ".join(f"i1 {mask >> i & 1}" for i in range(lanes)) + ">"
    memory, places = aligned("ptr %memory"), aligned(f"<{lanes} x ptr> %p")
    reached = f"  %n = load <{lanes} x i32>, ptr @lane_numbers, align 4\n" \
              f"  %p = getelementptr i{narrow}, ptr %memory, <{lanes} x i32> %n\n"
    lines = [f"define void @operation_{number}(ptr %in, ptr %memory, ptr %out) {{\n"]
    if operation in ("scatter", "gather"):
        lines.append(reached)
    if operation in ("store", "compress", "scatter"):
        lines.append(f"  %w = load {big}, ptr %in, align 1\n")
        lines.append(f"  %v = trunc {big} %w to {small}\n" if wide != narrow else f"  %v = freeze {big} %w\n")
        lines.append({
            "store": f"  call void @llvm.masked.store.{suffix}.p0({small} %v, {memory}, {lane_masks})\n",
            "compress": f"  call void @llvm.masked.compressstore.{suffix}({small} %v, ptr align 1 %memory, {lane_masks})\n",
            "scatter": f"  call void @llvm.masked.scatter.{suffix}.v{lanes}p0({small} %v, {places}, "
                       f"{lane_masks})\n",
        }[operation])
    else:
        lines.append(f"  %o = load {small}, ptr %in, align 1\n")
        lines.append({
            "load": f"  %v = call {small} @llvm.masked.load.{suffix}.p0({memory}, {lane_masks}, {small} %o)\n",
            "expand": f"  %v = call {small} @llvm.masked.expandload.{suffix}(ptr align 1 %memory, {lane_masks}, {small} %o)\n",
            "gather": f"  %v = call {small} @llvm.masked.gather.{suffix}.v{lanes}p0({places}, "
                      f"{lane_masks}, {small} %o)\n",
        }[operation])
        lines.append(f"  %e = {extension} {small} %v to {big}\n" if wide != narrow else f"  %e = freeze {big} %v\n")
        lines.append(f"  store {big} %e, ptr %out, align 1\n")
    return "".join(lines) + "  ret void\n}\n"


def write_all(folder):
    """The texts of the module and of the program."""
    functions, declarations, tests = ["@lane_numbers = external global [64 x i32]\n"], [], []
    for wide, narrow, lanes, operation in itertools.product((8, 16, 32, 64), (8, 16, 32, 64), (4, 8, 16), OPERATIONS):
        if narrow > wide:
            continue
        extensions = ("zext", "sext") if operation in ("load", "gather") and wide != narrow else ("zext",)
        for extension, mask in itertools.product(extensions, masks(lanes)):
            number = len(tests)
            functions.append(function(number, operation, extension, wide, narrow, lanes, mask))
            declarations.append(f"void operation_{number}(const void*, void*, void*);")
            name = f"{operation} of {lanes} i{narrow} beside i{wide}, {extension}, mask {mask:#x}"
            tests.append(f'  {{operation_{number}, "{name}", {OPERATIONS.index(operation)}, {wide // 8}, {narrow // 8}, '
                         f'{lanes}, {str(extension == "sext").lower()}, {mask}ull}},')
    source = DRIVER.replace("@DECLARATIONS@", "\n".join(declarations)).replace("@TESTS@", "\n".join(tests))
    return folder.write("operations.ll", "".join(functions)), folder.write("driver.cpp", source)


def wrong_operations(folder, module, driver, cpu, attributes):
    """Returns the names of the wrong cases, or None if the machine can't run the code."""
    program = folder / "program"
    common.run([BIN + "/llc", "-O2", "-mcpu=" + cpu, "-mattr=" + attributes, "-relocation-model=pic", "-filetype=obj",
                module, "-o", folder / "operations.o"]).expect()
    common.run([common.CLANGXX, driver, folder / "operations.o", "-o", program]).expect()
    lines = common.run([program]).expect(contains=["operations"]).out.splitlines()
    return lines[:-1]


def levels():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        features = file.read().split()
    return [(cpu, attributes) for cpu, attributes, feature in LEVELS if feature in features]


def test_masked_operations_are_right():
    """after the last pass, masked operations with known masks are right on all levels"""
    common.not_sanitized()
    with common.Folder() as folder:
        module, source = write_all(folder)
        driver = folder / "driver.o"
        common.run([common.CLANGXX, "-std=c++20", "-O1", "-c", source, "-o", driver]).expect()
        guarded = folder / "guarded.ll"
        common.run([BIN + "/opt", "-load-pass-plugin=" + PASSES, "-passes=sinter-known-lanes", "-S", module, "-o",
                    guarded]).expect()
        common.check(levels(), "this machine is no x86-64-v2")
        for cpu, attributes in levels():
            wrong = wrong_operations(folder, guarded, driver, cpu, attributes)
            common.check(not wrong, f"{cpu}{attributes}: {len(wrong)} wrong:\n" + "\n".join(wrong[:20]))


def test_llvm_still_has_the_defects():
    """LLVM still has the defects of docs/llvm_defects.md (the test is skipped when LLVM has been fixed)"""
    folder = os.path.join(common.SOURCE, "docs", "llvm_defects")
    mended = []
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        with open(path, encoding="utf-8") as file:
            lines = re.findall(r"^; RUN: (.*)$", file.read(), re.MULTILINE)
        common.check(lines, name + " has no RUN line")
        tools = BIN + os.pathsep + os.environ["PATH"]
        commands = [["bash", "-o", "pipefail", "-c", line.replace("%s", path)] for line in lines]
        results = [common.run(command, PATH=tools) for command in commands]
        # These are the exit codes of FileCheck (2 if it gets no input), and of a compiler that a signal has ended.
        common.check(all(result.code in (0, 1, 2, 134, 139) for result in results), name + ": " + results[0].text[-2000:])
        if all(result.code == 0 for result in results):
            mended.append(name)
    if mended:
        raise common.Skip("LLVM has mended " + ", ".join(mended) + ": its guard may go (docs/llvm_defects.md)")


common.main(globals())
