#!/usr/bin/env python3
"""Kernels require features of devices. The compiler finds these requirements, sinter-info prints them, and
sinter-aspect-filter selects rows of a table by them."""
import base64
import os
import re
import struct

import common

INFO = os.path.join(common.BUILD, "jitd", "tools", "sinter_info", "sinter-info")
FILTER = os.path.join(common.BUILD, "jitd", "tools", "aspect_filter", "sinter-aspect-filter")
DEVICES = os.path.join(common.SOURCE, "src", "abi", "devices.yaml")

PROGRAM = """#include <sycl/sycl.hpp>
using namespace sycl;
void kernels(queue& q, float* f, double* d, half* h, long* l, vec<double, 2>* v) {
  q.parallel_for<class floats>(range(8), [=](id<1> i) { f[i] = sin(f[i]) + powr(f[i], 2.0f) + float(int(i)); });
  q.parallel_for<class doubles>(range(8), [=](id<1> i) { f[i] = float(sqrt(d[i])); });
  q.parallel_for<class vectors>(range(8), [=](id<1> i) { v[i] = v[i] + v[i]; });
  q.parallel_for<class halves>(range(8), [=](id<1> i) { h[i] = h[i] + half(1.0f); });
  q.parallel_for<class wide>(range(8), [=](id<1>) { atomic_ref<long, memory_order::relaxed, memory_scope::device>(*l).fetch_add(1); });
  q.parallel_for<class sums>(range(8), reduction(l, plus<long>()), [=](id<1> i, auto& sum) { sum += long(i); });
  q.parallel_for<class sized>(nd_range<2>({8, 8}, {4, 2}),
                              [=](nd_item<2>) [[sycl::reqd_work_group_size(4, 2)]] [[sycl::reqd_sub_group_size(8)]] {});
  q.single_task<class task>([=]() [[sycl::reqd_work_group_size(1, 1, 1)]] {});
}
"""


def compile_object(folder, text, *flags):
    source = folder.write("user.cpp", text)
    return common.compile_object(source, folder / "user.o", *flags)


def property_set(aspects=(), sizes=(), targets=None, name="aspect"):
    """A file of properties, as DPC++ writes it."""
    lines = ["[SYCL/misc properties]", "other=1|7", "[SYCL/device requirements]"]
    for key, values in ((name, aspects), ("reqd_sub_group_size", sizes), ("fixed_target", targets)):
        if values:
            data = struct.pack(f"<Q{len(values)}I", 32 * len(values), *values)
            lines.append(f"{key}=2|{base64.b64encode(data).decode()}")
    return "\n".join(lines) + "\n"


def test_info():
    """sinter-info --image prints the aspects that kernels use, required sizes and the property set"""
    common.not_sanitized()
    with common.Folder() as folder:
        compile_object(folder, PROGRAM).expect(lacks=["warning:"])
        text = common.run([INFO, "--image", folder / "user.o"]).expect().out
        kernels = {part.split("'")[0]: part for part in text.split("  kernel '")[1:]}
        wanted = {"floats": None, "doubles": "fp64", "vectors": "fp64", "halves": "fp16", "wide": "atomic64", "sums": None,
                  "sized": None, "task": None}
        for name, aspects in wanted.items():
            found = re.search(r"requires (.*)", kernels[name])
            common.check((found and found[1]) == aspects, f"{name} requires {found and found[1]}, not {aspects}")
        common.check("work-groups of 1 x 4 x 2" in kernels["sized"] and "sub-groups of 8" in kernels["sized"], kernels["sized"])
        bits = re.search(r"aspect=2\|(\S+)", kernels["doubles"])[1]
        common.check(base64.b64decode(bits) == struct.pack("<QI", 32, 6), bits)
        sizes = re.search(r"reqd_work_group_size=2\|(\S+)", kernels["sized"])[1]
        common.check(base64.b64decode(sizes) == struct.pack("<QIII", 96, 2, 4, 2), sizes)
        # The property has all sizes that the attribute names. The attribute of a single task may name any number of
        # sizes.
        sizes = re.search(r"reqd_work_group_size=2\|(\S+)", kernels["task"])[1]
        common.check(base64.b64decode(sizes) == struct.pack("<QIIII", 128, 3, 1, 1, 1), sizes)
        common.check("fixed_target" not in text, text)
        # The second target has only sub-groups of 32.
        warnings = compile_object(folder, PROGRAM, "-fplugin-arg-sinter-fixed-targets=x86_64,nvptx64").expect().err
        common.check(warnings.count("warning:") == 1 and "'sized' has required sub-group size '8' that not all fixed targets "
                     "have: not nvptx64" in warnings, warnings)
        text = common.run([INFO, "--image", folder / "user.o"]).expect().out
        targets = {base64.b64decode(bytes) for bytes in re.findall(r"fixed_target=2\|(\S+)", text)}
        common.check(targets == {struct.pack("<QII", 64, 1, 2)}, f"fixed targets: {targets}")
        cut = folder.write("cut.o", "")
        data = open(folder / "user.o", "rb").read()
        for size in (0, 3, 64, len(data) // 2):
            with open(cut, "wb") as file:
                file.write(data[:size])
            result = common.run([INFO, "--image", cut])
            common.check(result.code == 1 and result.err.startswith("sinter-info: "), f"{size} bytes: {result.text}")


CALLER = """#include <sycl/sycl.hpp>
SYCL_EXTERNAL int near(int x);
SYCL_EXTERNAL int absent(int x);
void kernels(sycl::queue& q, int* p) {
  q.single_task<class calls>([=] { *p = near(*p) + int(double(*p)); });
  q.single_task<class calls_nobody>([=] { *p = 7; });
  q.single_task<class calls_absent>([=] { *p = absent(*p); });
}
"""
CALLEE = """#include <sycl/sycl.hpp>
SYCL_EXTERNAL int far(int x);
SYCL_EXTERNAL [[sycl::reqd_sub_group_size(8)]] int near(int x) { return far(x); }
"""
BEHIND = """#include <sycl/sycl.hpp>
SYCL_EXTERNAL [[sycl::device_has(sycl::aspect::custom)]] int far(int x) { return x + 1; }
int absent(int x) { return x; }
"""


def test_linked():
    """sinter-info adds the needs of functions in other files to the kernels' requirements, if the files are given"""
    common.not_sanitized()
    with common.Folder() as folder:
        objects = []
        for name, text in {"caller": CALLER, "callee": CALLEE, "behind": BEHIND}.items():
            compile_object(folder, text, *(["-fPIC"])).expect()
            os.rename(folder / "user.o", folder / (name + ".o"))
            objects.append(folder / (name + ".o"))
        common.run([common.CLANGXX, "-shared", *objects, "-o", folder / "all.so", *common.link_flags()]).expect()

        def printed(name):
            text = common.run([INFO, "--image", folder / name]).expect().out
            return {part.split("'")[0]: part for part in re.split("  (?:kernel|function) '", text)[1:]}

        def property_of(part, key):
            found = re.search(key + r"=2\|(\S+)", part)
            return found and struct.unpack("<%dI" % (len(base64.b64decode(found[1])) // 4), base64.b64decode(found[1]))[2:]

        linked, alone = printed("all.so"), printed("caller.o")
        common.check(property_of(alone["calls"], "aspect") == (6,), alone["calls"])
        common.check("calls '_Z4neari' (not here) of other files" in alone["calls"], alone["calls"])
        common.check(property_of(linked["calls"], "aspect") == (4, 6), linked["calls"])
        common.check(property_of(linked["calls"], "reqd_sub_group_size") == (8,), linked["calls"])
        common.check("calls '_Z4neari' of other files" in linked["calls"], linked["calls"])
        common.check(property_of(linked["_Z4neari"], "aspect") == (4,), linked["_Z4neari"])
        for name in ("calls_nobody", "calls_absent"):
            common.check(property_of(linked[name], "aspect") is None, linked[name])
        common.check("calls '_Z6absenti' (not here)" in linked["calls_absent"], linked["calls_absent"])


def test_filter():
    """sinter-aspect-filter keeps the table's rows whose requirements the target fulfils"""
    with common.Folder() as folder:
        files = {"plain": "[SYCL/misc properties]\n", "double": property_set([6]), "custom": property_set([6, 4]),
                 "old": property_set([4], name="aspects"), "sized": property_set(sizes=[32]), "odd": property_set(sizes=[32, 5]),
                 "fixed": property_set(targets=[1, 2]), "other": property_set(targets=[3])}
        rows = [f"{name}.bc|{folder.write(name + '.prop', text)}|{name}.sym" for name, text in files.items()]
        table = folder.write("table", "[Code|Properties|Symbols]\n" + "\n".join(rows) + "\n")

        def kept(target, devices=DEVICES):
            file = ["-device-config-file=" + str(devices)] if devices else []
            result = common.run([FILTER, "-target=" + target, *file, table]).expect()
            lines = result.out.splitlines()
            common.check(lines[0] == "[Code|Properties|Symbols]", result.out)
            return [line.split(".bc")[0] for line in lines[1:]]

        common.check(kept("x86_64") == ["plain", "double", "sized", "fixed"], kept("x86_64"))
        common.check(kept("x86_64", None) == kept("x86_64") and kept("nvptx64", None) == kept("nvptx64"), "the table built in differs")
        common.run([FILTER, "-target=gpu", table]).expect(code=1, contains=["built in has no target 'gpu'; it has x86_64, aarch64, nvptx64"])
        common.check(kept("nvptx64") == ["plain", "double", "sized", "fixed"], kept("nvptx64"))
        mine = folder.write("mine.yaml", "all: {aspects: [custom, 6, 3], sub-group-sizes: [5, 32]}\nnone:\n  aspects: []\n  sub-group-sizes: []\n")
        common.check(kept("all", mine) == ["plain", "double", "custom", "old", "sized", "odd", "other"], kept("all", mine))
        common.check(kept("none", mine) == ["plain"], kept("none", mine))
        bare = folder.write("bare", "[Code]\na.bc\n")
        common.run([FILTER, "-target=unknown", "-device-config-file=nowhere", bare]).expect(contains=["[Code]\na.bc"])
        common.run([FILTER, "-target=gpu", "-device-config-file=" + DEVICES, table]).expect(
            code=1, contains=["has no target 'gpu'; it has x86_64, aarch64, nvptx64"])


def test_malformed():
    """malformed configurations and properties are errors that name their position"""
    with common.Folder() as folder:
        good = folder.write("good.prop", property_set([6]))
        table = folder.write("table", f"[Code|Properties]\na.bc|{good}\n")
        cases = {"a: [1]\n": "1:1: error: target 'a' needs 'aspects' and 'sub-group-sizes'",
                 "a:\n  aspects: [fp64, fp65]\n": "2:19: error: 'fp65' is neither an aspect nor a number",
                 "a:\n  sub-group-sizes: [8, x]\n": "2:24: error: 'x' is no number",
                 "a:\n  sizes: [8]\n": "2:3: error: 'sizes' is neither 'aspects' nor 'sub-group-sizes'",
                 "a:\n  aspects: 7\n": "2:3: error: a list in brackets has to follow",
                 "a: {aspects: []}\na: {aspects: []}\n": "2:1: error: target 'a' is there already",
                 "a:\n  max-work-group-size: many\n": "2:24: error: 'many' is no number",
                 "a:\n  max-work-group-size: [8]\n": "2:25: error: a value is missing",
                 "a:\n  max-work-item-sizes: [8, 8]\n": "2:3: error: three numbers in brackets have to follow",
                 "a:\n  max-work-item-sizes: 8\n": "2:3: error: three numbers in brackets have to follow",
                 "a: {aspects: [}\n": "error:", "- a\n": "1:1: error: a device configuration is a mapping"}
        for text, words in cases.items():
            path = folder.write("bad.yaml", text)
            common.run([FILTER, "-target=a", "-device-config-file=" + str(path), table]).expect(code=1, contains=[words, "bad.yaml"])
        for text, words in {"[SYCL/device requirements]\naspect=2|???\n": "line 2:", "[SYCL/device requirements\n": "line 1: a section",
                            "[SYCL/device requirements]\naspect=1|7\n": "line 2: the value has to be bytes",
                            "[SYCL/device requirements]\naspect=2|AAA=\n": "line 2: its bytes are no numbers",
                            "[SYCL/device requirements]\n\nnothing\n": "line 3: a property is KEY=TYPE|VALUE"}.items():
            path = folder.write("bad.prop", text)
            bad = folder.write("bad_table", f"[Code|Properties]\na.bc|{path}\n")
            common.run([FILTER, "-target=x86_64", "-device-config-file=" + DEVICES, bad]).expect(code=1, contains=[words, "bad.prop"])
        short = folder.write("short", "[Code|Properties]\na.bc\n")
        common.run([FILTER, "-target=x86_64", "-device-config-file=" + DEVICES, short]).expect(
            code=1, contains=["line 2: 1 columns instead of 2"])


common.main(globals())
