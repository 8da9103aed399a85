#!/usr/bin/env python3
"""Functions of other files (SYCL_EXTERNAL) that require something that the calling kernels do not declare."""
import re

import common

CALLER = """#include <sycl/sycl.hpp>
#include <cstdio>
using namespace sycl;
SYCL_EXTERNAL int counts(int x);
SYCL_EXTERNAL int halves(int x);
SYCL_EXTERNAL [[sycl::device_has(aspect::fp64)]] int promised(int x);
SYCL_EXTERNAL int sized(int x);
SYCL_EXTERNAL int through(int x);
int main() {
  queue q;
  int* p = malloc_shared<int>(8, q);
  for (int i = 0; i < 8; ++i) p[i] = i;
  KERNEL
  q.wait();
  std::printf("result %d\\n", p[7]);
  free(p, q);
}
"""
CALLEE = """#include <sycl/sycl.hpp>
using namespace sycl;
SYCL_EXTERNAL int counts(int x) { return x + 1; }
static double half_of(int x) { return x * 0.5; }
SYCL_EXTERNAL int halves(int x) { return static_cast<int>(half_of(x) + 1); }
SYCL_EXTERNAL [[sycl::device_has(aspect::fp64)]] int promised(int x) { return halves(x); }
SYCL_EXTERNAL [[sycl::reqd_sub_group_size(8)]] int sized(int x) { return x + 1; }
SYCL_EXTERNAL int through(int x) { return counts(x) + halves(x); }
"""
HEAD = "sinter: kernel 'user' calls functions of other files:\n"
ASPECT = ("warning: function '{}' uses aspect 'fp64' not expected by its calling kernel.\n"
          "Missing [[sycl::device_has()]] on SYCL_EXTERNAL function?\n")
SIZE = ("warning: function 'sized' has required sub-group size '8' that does not match\n"
        "its calling kernel.  Missing [[sycl::reqd_sub_group_size()]] attribute on\nSYCL_EXTERNAL function?\n")
TARGETS = "warning: function '{}' compiled with a different `-fsycl-fixed-targets` switch\nthan its calling kernel.\n"


def kernel(call, attribute=""):
    return f"""q.parallel_for<class user>(nd_range<1>(8, 8), [=](nd_item<1> item) {attribute} {{
      const size_t i = item.get_global_id(0);
      p[i] = {call};
    }});"""


class Program:
    """A program of two files. Each file is compiled with its own flags, and both are linked."""

    def __init__(self, folder):
        self.folder, self.callees = folder, {}

    def run(self, text, caller=(), callee=(), **environment):
        if callee not in self.callees:
            self.callees[callee] = self.compile(f"callee{len(self.callees)}", CALLEE, callee)
        user = self.compile("caller", CALLER.replace("KERNEL", text), caller)
        common.run([common.CLANGXX, user, self.callees[callee], "-o", self.folder / "program", *common.link_flags()]).expect()
        settings = {"SINTER_CACHE": "0", "SINTER_DEVICE": "sinter:cpu", **environment}
        return common.run([self.folder / "program"], **settings).expect(contains=["result "]).err

    def compile(self, name, text, flags):
        source = self.folder.write(name + ".cpp", text)
        known = common.read_headers("-std=c++20", "-O1", "-DSINTER_LEAN_HEADERS", *flags, *common.plugin_flags())
        # Warnings about fixed targets have their own test.
        told = common.run([common.CLANGXX, *known, "-c", source, "-o", self.folder / (name + ".o")]).expect().err
        common.check("warning:" not in re.sub(r".* that not all fixed targets have: ", "", told), told)
        return self.folder / (name + ".o")


def expect(found, *wanted):
    text = HEAD + "".join(wanted) if wanted else ""
    common.check(found == text, f"expected\n{text}--- found\n{found}")


def test_aspects():
    """if a function of another file uses an aspect that its caller does not expect, the warning has the wording
    of DPC++'s design document"""
    common.not_sanitized()
    with common.Folder() as folder:
        program = Program(folder)
        expect(program.run(kernel("counts(p[i])")))
        expect(program.run(kernel("halves(p[i])")), ASPECT.format("halves"))
        expect(program.run(kernel("through(p[i])")), ASPECT.format("through"))
        # There is no warning about declared aspects, or about aspects that the kernel itself uses or declares.
        expect(program.run(kernel("promised(p[i])")))
        expect(program.run(kernel("halves(p[i])", "[[sycl::device_has(aspect::fp64)]]")))
        expect(program.run(kernel("halves(p[i]) + int(double(p[i]) * 0.5)")))
        expect(program.run(kernel("halves(p[i])"), SYCL_RT_WARNING_LEVEL=0))


def test_once():
    """the warning appears once, when the kernel is compiled, and not when code comes from the cache"""
    common.not_sanitized()
    with common.Folder() as folder:
        program = Program(folder)
        loop = """const auto run = [&](nd_range<1> r) {
            q.parallel_for<class user>(r, [=](nd_item<1> item) { p[item.get_global_id(0)] = halves(3); }).wait();
          };
          run({8, 8});
          run({8, 4});"""
        cache = {"SINTER_CACHE": "1", "SINTER_CACHE_DIR": folder / "cache"}
        expect(program.run(loop, **cache), ASPECT.format("halves"))
        common.run([folder / "program"], SINTER_DEVICE="sinter:cpu", **cache).expect(lacks=["warning:"])


def test_fused():
    """fused kernels lead to the same warning"""
    common.not_sanitized()
    with common.Folder() as folder:
        text = """{ queue f{ext::codeplay::experimental::property::queue::enable_fusion{}};
          ext::codeplay::experimental::fusion_wrapper w(f);
          w.start_fusion();
          f.parallel_for<class user>(range<1>(8), [=](id<1> i) { p[i] = halves(p[i]); });
          f.parallel_for<class next>(range<1>(8), [=](id<1> i) { p[i] += 1; });
          w.complete_fusion();
          f.wait(); }"""
        expect(Program(folder).run(text), ASPECT.format("halves"))


def test_sizes():
    """if a function of another file requires another sub-group size than its caller, there is a warning"""
    common.not_sanitized()
    with common.Folder() as folder:
        program = Program(folder)
        expect(program.run(kernel("sized(p[i])")), SIZE)
        expect(program.run(kernel("sized(p[i])", "[[sycl::reqd_sub_group_size(4)]]")), SIZE)
        expect(program.run(kernel("sized(p[i])", "[[sycl::reqd_sub_group_size(8)]]")))


def test_inherited_size():
    """a kernel gets the sub-group size that a function of its own file requires"""
    common.not_sanitized()
    with common.Folder() as folder:
        text = CALLER.replace("int main", """[[sycl::reqd_sub_group_size(4)]] inline int of_four(int x) { return x; }
        int main""").replace("KERNEL", kernel("of_four(int(item.get_sub_group().get_max_local_range()[0]))"))
        source = folder.write("inherits.cpp", text)
        common.compile_program(source, folder / "inherits", "-O1").expect(lacks=["warning:"])
        common.run([folder / "inherits"], SINTER_CACHE="0", SINTER_DEVICE="sinter:cpu").expect(contains=["result 4"])


def test_targets():
    """a function that was compiled for other fixed targets than its caller leads to a warning"""
    common.not_sanitized()
    with common.Folder() as folder:
        program = Program(folder)
        one, both = ("-fplugin-arg-sinter-fixed-targets=x86_64",), ("-fplugin-arg-sinter-fixed-targets=x86_64,nvptx64",)
        call = kernel("counts(p[i])")
        expect(program.run(call, one, one))
        expect(program.run(call, both, both))
        expect(program.run(call, one, ()))
        expect(program.run(call, one, both), TARGETS.format("counts"))
        expect(program.run(call, both, one), TARGETS.format("counts"))
        expect(program.run(call, (), one), TARGETS.format("counts"))


REFUSED = """bool thrown = false;
  try {
    KERNEL
  } catch (const exception& error) {
    thrown = error.code() == errc::kernel_not_supported;
    std::printf("refused: %s\\n", error.what());
  }
  std::printf("compatible %d, in bundles %d\\n", int(is_compatible<class user>(q.get_device())),
              int(get_kernel_bundle<bundle_state::executable>(q.get_context()).has_kernel<class user>()));"""
FAR = """#include <sycl/sycl.hpp>
SYCL_EXTERNAL int halves(int x) { return x; }
SYCL_EXTERNAL [[sycl::reqd_sub_group_size(4099)]] int sized(int x) { return x; }
SYCL_EXTERNAL [[sycl::device_has(sycl::aspect::custom)]] int pictured(int x) { return x; }
SYCL_EXTERNAL int promised(int x);
SYCL_EXTERNAL int through(int x);
"""
NEAR = """#include <sycl/sycl.hpp>
SYCL_EXTERNAL int pictured(int x);
SYCL_EXTERNAL int counts(int x) { return x + 1; }
SYCL_EXTERNAL int through(int x) { return pictured(x) + 1; }
SYCL_EXTERNAL int promised(int x) { return x; }
"""


def test_refused():
    """if the device lacks a feature that functions of other files need, also indirectly, the kernel is refused when
    it is submitted"""
    common.not_sanitized()
    with common.Folder() as folder:
        program = Program(folder)
        nvptx = ("-fplugin-arg-sinter-fixed-targets=nvptx64",)
        far = {(): program.compile("far", FAR, ()), nvptx: program.compile("far_nvptx", FAR, nvptx)}
        near = program.compile("near", NEAR, ())

        def run(call, flags=()):
            text = REFUSED.replace("KERNEL", kernel(call))
            source = CALLER.replace("int main", "class user;\nint main").replace("KERNEL", text)
            user = program.compile("refused", source, ())
            common.run([common.CLANGXX, user, near, far[flags], "-o", folder / "refused", *common.link_flags()]).expect()
            return common.run([folder / "refused"], SINTER_CACHE="0", SINTER_DEVICE="sinter:cpu",
                              SYCL_RT_WARNING_LEVEL="0")

        allowed, refused = "compatible 1, in bundles 1", "compatible 0, in bundles 0"
        run("counts(p[i])").expect(contains=[allowed, "result 8"], lacks=["refused"])
        run("halves(p[i])").expect(contains=[allowed, "result 7"], lacks=["refused"])
        run("through(p[i])").expect(contains=[
            "Kernel uses optional feature corresponding to 'aspect::custom' but device does not support this aspect. "
            "It calls 'pictured(int)' of another file", refused])
        run("sized(p[i])").expect(contains=[
            "Kernel has a required sub-group size of '4099' but device does not support this sub-group size. "
            "It calls 'sized(int)' of another file", refused])
        run("halves(p[i])", nvptx).expect(contains=[
            "Kernel was compiled with '-fsycl-fixed-targets=nvptx64' but was submitted to a different device. "
            "It calls 'halves(int)' of another file", refused])
        run("counts(p[i])", nvptx).expect(contains=[allowed], lacks=["refused"])


common.main(globals())
