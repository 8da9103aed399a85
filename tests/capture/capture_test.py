#!/usr/bin/env python3
"""Compiles small sources with the capture plugin and looks at the images and warnings that come out.

usage: capture_test.py CLANG PLUGIN SOURCE_ROOT LOWER_TOOL     (SINTER_CXXFLAGS adds compile flags)
"""
import re
import sys
import tempfile
from pathlib import Path

from compiled import clang, compile_object, flags, here, images, objcopy, plugin, root, run, tables, version

lower = sys.argv[4]


def test_layouts(tmp):
    program = tmp / "layouts"
    result = run(clang, "-std=c++20", f"-I{root}/src", "-include", here / "no_runtime.hpp", here / "layouts.cpp", "-o", program)
    assert result.returncode == 0, result.stderr
    expected = {}
    for line in run(program).stdout.splitlines():
        name, _, leaves = line.partition(" ")
        expected[name] = leaves
    assert len(expected) == 5
    for options in (["-O0"], ["-O0", "-g"], ["-O2"], ["-O2", "-g", "-fPIC"], ["-O3"], ["-O2", "-save-temps"],
                    ["-O1", "-fsanitize=address,undefined"]):
        obj = tmp / "layouts.o"
        compile_object(here / "layouts.cpp", obj, *options)
        found = images(obj)
        assert len(found) == 1, f"{options}: {len(found)} images"
        actual = {name: leaves for name, (leaves, *_) in tables(found[0]).items()}
        assert actual == expected, f"{options}:\n{actual}\nexpected\n{expected}"


def test_diagnostics(tmp):
    source = here / "diagnosed.cpp"
    lines = source.read_text().splitlines()
    for options in (["-O0"], ["-O2"], ["-O2", "-g"], ["-O0", "-g"], ["-O0", "-fsanitize=address"]):
        warnings = compile_object(source, tmp / "diagnosed.o", *options)
        for number, line in enumerate(lines, 1):
            kernel = re.search(r"launch<class (\w+)>", line)
            if not kernel:
                continue
            name, expected = kernel.group(1), line.partition("// ")[2]
            found = [w for w in warnings.splitlines() if f"kernel '{name}'" in w]
            if not expected:
                assert not found, f"{options}: {name} was diagnosed: {found}"
                continue
            match = [w for w in found if re.search(expected, w)]
            assert match, f"{options}: {name}: expected /{expected}/ in {found}"
            # The warning is at the statement. If the kernel is on another line, a note is at the kernel.
            at = int(re.search(r"diagnosed\.cpp:(\d+):", match[0])[1])
            note = warnings[warnings.index(match[0]):].partition("note: in this kernel")[0].splitlines()[-1]
            assert at == number or f"diagnosed.cpp:{number}:" in note, f"{options}: not at line {number}: {match[0]}"
            assert (at == number) == (name not in ("throwing", "recursive")), f"{options}: not at its statement: {match[0]}"
            assert re.search(r"; at \S*diagnosed\.cpp:\d+", match[0]), match[0]
        kernels = tables(images(tmp / "diagnosed.o")[0])
        assert "local_to_thread" not in kernels and kernels["fine"][1] & 1 == 0 and kernels["undefined"][1] & 1
    assert "kernel '" not in compile_object(source, tmp / "d.o", "-Wno-backend-plugin")
    assert "error: kernel 'throwing'" in compile_object(source, tmp / "d.o", "-Werror", expect=1)
    # With -save-temps, the plugin has no AST, so the warning's text contains the position.
    assert "diagnosed.cpp:" in compile_object(source, tmp / "d.o", "-save-temps")


def test_attributes(tmp):
    assert "attribute" not in compile_object(here / "attributes.cpp", tmp / "a.o", "-Wall")
    kernels = tables(images(tmp / "a.o")[0])
    assert len(kernels) == (13 if version >= 22 else 12)
    for name, (_, _, sizes, aspects) in kernels.items():
        bits = "".join(f"_a{i}" for i in range(128) if aspects >> i & 1)
        assert name == "s" + "_".join(str(s) for s in sizes) + bits, f"{name}: {sizes}{bits}"


def test_aspects(tmp):
    source = here / "aspects.cpp"
    lines = source.read_text().splitlines()
    wanted = sorted((i, name) for i, line in enumerate(lines, 1) for name in line.partition("// warns: ")[2].split())
    no_aspects = {"partial_4", "inherits_8", "has_8", "has_4", "nearest_16"}
    for options in (["-O0"], ["-O2"], ["-O2", "-g"], ["-O0", "-g"], ["-O0", "-fsanitize=address"]):
        warnings = compile_object(source, tmp / "aspects.o", *options)
        kernels = tables(images(tmp / "aspects.o")[0])
        assert len(kernels) == 29
        for name, (_, _, _, aspects) in kernels.items():
            expected = sum(1 << int(number) for number in name.split("_")[1:] if number.isdigit() and name not in no_aspects)
            assert aspects == expected, f"{options}: {name} requires {[i for i in range(128) if aspects >> i & 1]}"
        # The plugin must warn about each of the lines above, and about no other line.
        found = re.findall(r"warning: function '(\w+)' uses aspect '(\w+)' not listed in 'sycl::device_has'", warnings)
        functions = {"breaks_promise": "breaks_promise", "lacks_1_6": "lacks_1_6", "empty_6_9": "empty_6_9"}
        by_line = sorted((next(i for i, line in enumerate(lines, 1) if functions[f] in line), a) for f, a in found)
        assert by_line == wanted, f"{options}: {by_line}, not {wanted}\n{warnings}"
        # The warning names the position of the use, and the calls that lead to it.
        at = lambda text: next(i for i, line in enumerate(lines, 1) if text in line)
        use = rf"aspects\.cpp:{at('inline int doubled')}:\d+: warning: function 'lacks_1_6'"
        chain = (r"[^\n]*\nuse is from this call chain:\n  lacks_1_6\(\)(?:\n  [^\n]*operator\(\)[^\n]*)?"
                 rf"\n  calls_doubled\(\) \S*aspects\.cpp:{at('class lacks_1_6')}:\d+"
                 rf"\n  doubled\(\) \S*aspects\.cpp:{at('inline int calls_doubled')}:\d+ \[-W")
        assert re.search(use + chain, warnings), f"{options}: {warnings}"
    assert "uses aspect" not in compile_object(source, tmp / "a.o", "-Wno-backend-plugin")
    assert "error: function 'breaks_promise' uses aspect 'fp64'" in compile_object(source, tmp / "a.o", "-Werror", expect=1)
    compile_object(source, tmp / "aspects.o", "-O0")
    result = run(lower, "--emit=ir", tmp / "aspects.o")
    assert result.returncode == 0, result.stderr
    named = dict(re.findall(r"^!(sycl_\w+) = (!\{.*\})$", result.stdout, re.M))
    node = lambda text: re.search(rf"^{text} = (?:distinct )?!\{{(.*)\}}$", result.stdout, re.M)[1]
    rows = {name: [node(n) for n in re.findall(r"!\d+", row)] for name, row in named.items()}
    assert rows["sycl_aspects"] == ['!"cpu", i32 1', '!"gpu", i32 2', '!"fp16", i32 5', '!"fp64", i32 6', '!"image", i32 9',
                                    '!"atomic64", i32 28', '!"emulated", i32 40'], rows["sycl_aspects"]
    assert '!"class.picture", i32 9' in rows["sycl_types_that_use_aspects"]
    assert '!"struct.cell", i32 28, i32 40' in rows["sycl_types_that_use_aspects"]
    kernel = re.search(r"define .*kernel_body\S*empty_6_9.*", result.stdout)[0]
    assert node(re.search(r"!sycl_used_aspects (!\d+)", kernel)[1]) == "i32 6, i32 9", kernel
    assert node(re.search(r"!sycl_declared_aspects (!\d+)", kernel)[1]) == "", kernel


def test_sub_group_sizes(tmp):
    source = here / "aspects.cpp"
    lines = source.read_text().splitlines()
    at = lambda text: next(i for i, line in enumerate(lines, 1) if text in line)
    for options in (["-O0"], ["-O2"], ["-O2", "-g"]):
        warnings = compile_object(source, tmp / "sizes.o", *options)
        # A kernel that declares no sub-group size gets the size of the nearest called function that declares one.
        text = run(lower, "--emit=ir", tmp / "sizes.o").stdout
        node = lambda number: re.search(rf"^{number} = !\{{(.*)\}}$", text, re.M)[1]
        for name, size in {"inherits_8": 8, "has_8": 8, "has_4": 4, "nearest_16": 16}.items():
            kernel = re.search(rf"define .*kernel_body\S*{name}.*", text)[0]
            assert node(re.search(r"!intel_reqd_sub_group_size (!\d+)", kernel)[1]) == f"i32 {size}", kernel
        found = re.findall(r"aspects\.cpp:(\d+):\d+: warning: function '(\w+)' has required sub-group size '(\d+)' that does "
                           r"not match its calling kernel '(\w+)', which has '(\d+)'", warnings)
        wanted = [(str(at("// size: has_4")), "sized", "8", "has_4", "4"),
                  (str(at("int calls_sized")), "sized", "8", "nearest_16", "16")]
        assert sorted(found) == sorted(wanted), f"{options}: {found}\n{warnings}"
        found = re.findall(r"aspects\.cpp:(\d+):\d+: warning: function '(\w+)' has required work-group size '([\d,]+)' that does not "
                           r"match its calling kernel '(\w+)'; only that of the kernel has an effect", warnings)
        wanted = [(str(at(f"class {name}")), "in_groups", "2,4", name) for name in ("without_groups", "other_groups")]
        assert sorted(found) == sorted(wanted), f"{options}: {found}\n{warnings}"
        assert re.search(rf"aspects\.cpp:{at('int grouped')}:\d+: warning: function 'grouped' \(SYCL_EXTERNAL\) has a required "
                         "work-group size, which only kernels can have; it has no effect", warnings), f"{options}: {warnings}"


def test_positions(tmp):
    """If the first use is a local variable, whose instruction has no position in the source, the warning names the
    variable's line and column."""
    source = here / "positions.cpp"
    lines = source.read_text().splitlines()
    # If the source marks the use, the warning is at the mark. Otherwise it is at the beginning of the line's text.
    wanted = {}
    for i, line in enumerate(lines, 1):
        for name in re.findall(r"// at: (\w+)", line):
            wanted[name] = (i, line.index("/*here*/") + 10 if "/*here*/" in line else None)
    (tmp / "below").mkdir()
    copy = tmp / "below" / "positions.cpp"
    copy.write_text(source.read_text())
    # If the command line has the file's absolute path, debug information divides the path into folder and name
    # differently.
    for options in ([], ["-g"], ["-O2"], ["-O2", "-g"], ["-gline-tables-only"]):
        for path, folder in ((source, tmp), (copy, tmp), ("below/positions.cpp", tmp), (copy, tmp / "below"), (copy, here)):
            result = run(clang, *flags, *options, "-c", path, "-o", tmp / "p.o", cwd=folder)
            found = {name: (int(line), int(column)) for line, column, name in
                     re.findall(r"positions\.cpp:(\d+):(\d+): warning: function '(\w+)' uses aspect 'fp64'", result.stderr)}
            assert result.returncode == 0 and "<unknown>" not in result.stderr, result.stderr
            assert found.keys() == wanted.keys(), f"{options} {path}: {result.stderr}"
            for name, (line, column) in wanted.items():
                assert found[name][0] == line and column in (None, found[name][1]), f"{options} {path}: {name}: {found[name]}\n{result.stderr}"


def test_attribute_mistakes(tmp):
    """Attributes that SYCL 2020 5.8 forbids lead to warnings. The comment in the line gives a part of the warning."""
    source = here / "mistakes.cpp"
    for options in ([], ["-O2", "-g"]):
        warnings = compile_object(source, tmp / "m.o", *options)
        found = re.findall(r"mistakes\.cpp:(\d+):\d+: warning: (.*) \[-Wbackend-plugin\]", warnings)
        wanted = [(i, text) for i, line in enumerate(source.read_text().splitlines(), 1) for text in line.split("// says: ")[1:]]
        assert len(found) == len(wanted), f"{options}: {len(found)} of {len(wanted)}\n{warnings}"
        for i, text in wanted:
            assert any(int(line) == i and text.strip() in said for line, said in found), f"{options}: line {i}: {text}\n{warnings}"


def test_host_copies(tmp):
    flags_of = {"copy": 1 << 4, "once": 1 << 5, "loops": 1 << 6}
    for options in (["-O1"], ["-O2"], ["-O2", "-g"], ["-O3", "-mfma"], ["-O2", "-march=x86-64-v3"], ["-O2", "-save-temps"]):
        compile_object(here / "host_copies.cpp", tmp / "h.o", *options)
        kernels = tables(images(tmp / "h.o")[0])
        assert len(kernels) == 18
        for name, (_, flags, *_) in kernels.items():
            expected = sum(flags_of.get(word, 0) for word in name.split("_")[1:])
            assert flags & sum(flags_of.values()) == expected, f"{options}: {name} has the flags {flags:#x}"
    # Host copies ask the runtime whether to round a * b + c once. Host code that calls the same functions uses
    # unchanged copies of these functions.
    compile_object(here / "host_copies.cpp", tmp / "h.ll", "-O1", "-S", "-emit-llvm")
    text = (tmp / "h.ll").read_text()
    functions = {name: body for name, body in re.findall(r"^define [^\n]*?@\"?([\w.$]+)\"?\([^\n]*\n(.*?)^}$", text, re.M | re.S)}
    asking = {name for name, body in functions.items() if "@__sinter_multiply_add_f32" in body and "kernel_body" not in name}
    assert len(asking) == 1 and "squared_and" in [*asking][0] and [*asking][0].endswith(".sinter.host"), asking
    kernel = [name for name, body in functions.items() if "@__sinter_multiply_add_f64" in body]
    assert len(kernel) == 1 and "kernel_body" in kernel[0] and [*asking][0] in functions[kernel[0]], kernel
    shared = [name for name in functions if "squared_and" in name and not name.endswith(".sinter.host")]
    assert len(shared) == 1 and "llvm.fmuladd.f32" in functions[shared[0]], shared
    compile_object(here / "host_copies.cpp", tmp / "h.ll", "-O1", "-mfma", "-S", "-emit-llvm")
    assert "__sinter_multiply_add" not in (tmp / "h.ll").read_text()
    # Kernels don't start as host code if their host code is unoptimised, or if fast-math may change results.
    compile_object(here / "host_copies.cpp", tmp / "h.o", "-O0")
    assert all(flags & 1 << 4 == 0 for _, flags, *_ in tables(images(tmp / "h.o")[0]).values())
    compile_object(here / "host_copies.cpp", tmp / "h.o", "-O2", "-ffast-math")
    assert [name for name, (_, flags, *_) in tables(images(tmp / "h.o")[0]).items() if flags & 1 << 4] == [
        "plain_copy", "atomic_copy", "loop_copy_loops"]


def test_fixed_targets(tmp):
    # Each aspect is used by one function. For each target, there are warnings about aspects that its entry in
    # the file of devices lacks. Aspects from 127 on share one bit without a name.
    known = {name: number for name, number in re.findall(r"^  (\w+) = (\d+),", (root / "include/sycl/aspects.hpp").read_text(), re.M)
             if int(number) < 127}
    devices = (root / "src/abi/devices.yaml").read_text()
    targets = {name: set(re.findall(r"\w+", names)) for name, names in re.findall(r"^(\w+):\n  aspects: \[(.*?)\]", devices, re.M | re.S)}
    assert set(targets) == {"x86_64", "aarch64", "nvptx64"} and all(names <= set(known) for names in targets.values()), targets
    source = tmp / "targets.cpp"
    source.write_text('#include "mini_launch.hpp"\nnamespace sycl {\nenum class aspect : unsigned { ' +
                      ", ".join(f"{name} = {number}" for name, number in known.items()) + " };\n}\n" +
                      "\n".join(f"[[__sycl_detail__::__uses_aspects__(sycl::aspect::{name})]] inline int of_{name}(int x) {{ return x; }}"
                                for name in known) + "\nvoid kernels(int* p) {\n" +
                      "\n".join(f"  launch<class uses_{name}>([=](std::size_t i) {{ p[i] = of_{name}(p[i]); }});" for name in known) + "\n}\n")
    for chosen in (["x86_64"], ["aarch64"], ["nvptx64"], ["x86_64", "aarch64", "nvptx64"], []):
        words = [f"-fplugin-arg-sinter-fixed-targets={','.join(chosen)}"] if chosen else []
        warnings = compile_object(source, tmp / "t.o", "-O1", *words)
        found = dict(re.findall(r"warning: function 'uses_(\w+)' uses aspect '\w+' that not all fixed targets have: not (\S+)", warnings))
        wanted = {name: ",".join(t for t in chosen if name not in targets[t]) for name in known}
        assert found == {name: lacking for name, lacking in wanted.items() if lacking}, f"{chosen}: {warnings}"
        flags = sum({"x86_64": 1 << 8, "nvptx64": 1 << 9, "aarch64": 1 << 14}[t] for t in chosen)
        assert all(its & (3 << 8 | 1 << 14) == flags for _, its, *_ in tables(images(tmp / "t.o")[0]).values())
        text = run(lower, "--emit=ir", tmp / "t.o").stdout
        kernel = re.search(r"define .*kernel_body.*sycl_fixed_targets (!\d+)", text)[1]
        names = ", ".join(f'!"{t}"' for t in chosen)
        assert f"\n{kernel} = !{{{names}}}\n" in text, text[-2000:]
    assert re.search(r"use is from this call chain:\n  uses_custom\(\)\n  of_custom\(\)", compile_object(
        source, tmp / "t.o", "-fplugin-arg-sinter-fixed-targets=x86_64")), "no chain of calls"
    # Each required sub-group size must be in the table's entry of at least one of the targets.
    sizes = {name: set(map(int, re.findall(r"\d+", text)))
             for name, text in re.findall(r"^(\w+):\n.*?sub-group-sizes: \[(.*?)\]", devices, re.M | re.S)}
    tried = [1, 2, 3, 8, 32, 64, 128]
    sized = tmp / "sized.cpp"
    sized.write_text('#include "mini_launch.hpp"\nvoid kernels(int* p) {\n' + "\n".join(
        f"  launch<class size_{s}>([=](std::size_t i) [[sycl::reqd_sub_group_size({s})]] {{ p[i] = 1; }});" for s in tried) + "\n}\n")
    for chosen in (["x86_64"], ["aarch64"], ["nvptx64"], ["x86_64", "aarch64", "nvptx64"], []):
        words = [f"-fplugin-arg-sinter-fixed-targets={','.join(chosen)}"] if chosen else []
        warnings = compile_object(sized, tmp / "s.o", "-O1", *words)
        found = dict(re.findall(r"sized.cpp:\d+:\d+: warning: function 'size_\d+' has required sub-group size '(\d+)' that not all fixed "
                                r"targets have: not (\S+)", warnings))
        wanted = {str(s): ",".join(t for t in chosen if s not in sizes[t]) for s in tried}
        assert found == {size: lacking for size, lacking in wanted.items() if lacking}, f"{chosen}: {warnings}"
    # Tests required work-group sizes, and functions that other files' kernels may call (SYCL_EXTERNAL).
    grouped = tmp / "grouped.cpp"
    sizes = [(8192,), (8193,), (1024,), (1025,), (64, 16), (65, 8, 2), (64, 8, 2), (1024, 1, 1), (1, 2, 1024), (70000, 70000, 70000)]
    grouped.write_text('#include "mini_launch.hpp"\nvoid kernels(int* p) {\n' + "\n".join(
        f"  launch<class group_{'_'.join(map(str, s))}, {len(s)}>([=](std::size_t i) [[sycl::reqd_work_group_size({', '.join(map(str, s))})]] {{ p[i] = 1; }});"
        for s in sizes) + """
}
#define EXPORTED __attribute__((annotate("sinter.external")))
[[__sycl_detail__::__uses_aspects__(4)]] inline int textured(int x) { return x; }
EXPORTED int shows(int x) { return textured(x) + 1; }
EXPORTED [[sycl::reqd_sub_group_size(16)]] int rows(int x) { return x + 1; }
EXPORTED int adds(int x) { return x + 1; }
""")
    row = lambda name, key: [*map(int, re.findall(r"\d+", (re.search(rf"^{name}:\n(?:  .*\n)*?  {key}: (.*)", devices, re.M) or [0, "0"])[1]))]
    for chosen in (["x86_64"], ["aarch64"], ["nvptx64"], ["x86_64", "aarch64", "nvptx64"]):
        warnings = compile_object(grouped, tmp / "g.o", "-O1", f"-fplugin-arg-sinter-fixed-targets={','.join(chosen)}")
        found = dict(re.findall(r"grouped.cpp:\d+:\d+: warning: function '(\w+)' has required \w+-group size '[\d,]+' that not all fixed "
                                r"targets have: not (\S+)", warnings))

        def fits(size, target):
            padded, items = [1] * (3 - len(size)) + [*size], 1
            for each in size:
                items *= each
            limits = row(target, "max-work-item-sizes")
            return items <= row(target, "max-work-group-size")[0] and (limits == [0] or all(a <= b for a, b in zip(padded, limits)))

        wanted = {f"group_{'_'.join(map(str, s))}": ",".join(t for t in chosen if not fits(s, t)) for s in sizes}
        wanted["rows"] = ",".join(t for t in chosen if t == "nvptx64")
        assert found == {name: lacking for name, lacking in wanted.items() if lacking}, f"{chosen}: {warnings}"
        shown = re.findall(r"grouped.cpp:(\d+):\d+: warning: function '(\w+)' uses aspect 'custom' that not all fixed targets have: not (\S+)", warnings)
        line = next(i for i, text in enumerate(grouped.read_text().splitlines(), 1) if "int shows" in text)
        assert shown == [(str(line), "shows", ",".join(chosen))], f"{chosen}: {warnings}"
    # Tests an aspect that a lambda or a function object declares, but does not use.
    declares = tmp / "declares.cpp"
    declares.write_text("""#include "mini_launch.hpp"
struct functor { int* p; [[sycl::device_has(4)]] void operator()(std::size_t i) const { p[i] = 1; } };
__attribute__((annotate("sinter.external"))) [[sycl::device_has(4)]] int exported(int x) { return x; }
void kernels(int* p) {
  launch<class of_lambda>([=](std::size_t i) [[sycl::device_has(4)]] { p[i] = 1; });
  launch<class of_functor>(functor{p});
}
""")
    for options in ([], ["-g"], ["-O2"]):
        warnings = compile_object(declares, tmp / "d.o", "-fplugin-arg-sinter-fixed-targets=nvptx64", *options)
        found = re.findall(r"declares.cpp:(\d+):\d+: warning: function '(\w+)' uses aspect 'custom' that not all", warnings)
        assert sorted(found) == [("2", "of_functor"), ("3", "exported"), ("5", "of_lambda")], warnings
        assert "compile with '-g'" not in warnings, warnings
    # A file of devices adds targets and replaces existing targets, at any position of the option.
    (tmp / "mine.yaml").write_text("mine:\n  aspects: [gpu, custom]\nnvptx64: {aspects: [fp64, 4], sub-group-sizes: [16], max-work-group-size: 64}\n")
    file = "-fplugin-arg-sinter-device-config-file=mine.yaml"
    for words, lacking in ((["mine"], []), (["nvptx64"], []), (["x86_64"], ["x86_64"]), (["mine,x86_64", "nvptx64"], ["x86_64"])):
        for order in ([file], [file, "-fplugin-arg-sinter-device-config-file=mine.yaml"]):
            targets = [f"-fplugin-arg-sinter-fixed-targets={each}" for each in words]
            warnings = compile_object(declares, tmp / "d.o", *targets, *order)
            assert re.findall(r"'of_lambda' uses aspect 'custom' that not all fixed targets have: not (\S+)", warnings) == lacking, warnings
            # The runtime does not know the device that the file adds.
            flags_of = {its & 3 << 8 for _, its, *_ in tables(images(tmp / "d.o")[0]).values()}
            assert flags_of == {0 if "mine" in words[0] else 1 << 9 if words == ["nvptx64"] else 1 << 8}, flags_of
            names = [f'!"{each}"' for each in ",".join(words).split(",")]
            assert f"= !{{{', '.join(names)}}}\n" in run(lower, "--emit=ir", tmp / "d.o").stdout
    warnings = compile_object(grouped, tmp / "g.o", "-fplugin-arg-sinter-fixed-targets=mine,nvptx64", file)
    assert "size '64,16' that not all fixed targets have: not nvptx64\n" in warnings.replace(" [-W", "\n [-W"), warnings
    (tmp / "bad.yaml").write_text("mine: 7\n")
    for path, text in (("nowhere.yaml", "the file can't be read: No such file"), ("bad.yaml", "the file describes no target, or is malformed")):
        assert text in compile_object(declares, tmp / "d.o", f"-fplugin-arg-sinter-device-config-file={path}", expect=1)
    # With -save-temps, the parts of the plugin exchange facts through files.
    compile_object(source, tmp / "t.o", "-O1", "-save-temps", "-fplugin-arg-sinter-fixed-targets=nvptx64")
    assert all(its & 3 << 8 == 1 << 9 for _, its, *_ in tables(images(tmp / "t.o")[0]).values())
    for word, text in (("fixed-targets=x86_64,i386", "there is no target 'i386'; there are 'x86_64', 'aarch64', 'nvptx64'"),
                       ("fixed_targets=x86_64", "there are only 'fixed-targets=TARGET,TARGET', 'device-config-file=FILE', 'device-code-split=WAY' and 'device-macros=MACRO,MACRO'")):
        assert text in compile_object(source, tmp / "t.o", f"-fplugin-arg-sinter-{word}", expect=1)


def test_same_source_same_image(tmp):
    blobs = []
    for folder in ("a", "b"):
        (tmp / folder).mkdir()
        compile_object(here / "layouts.cpp", tmp / folder / "l.o", "-O2")
        blobs.append(images(tmp / folder / "l.o"))
    assert blobs[0] == blobs[1], "two compilations of one source give different images"


def test_bitcode_input_is_captured_once(tmp):
    compile_object(here / "layouts.cpp", tmp / "l.bc", "-O1", "-emit-llvm")
    compile_object(tmp / "l.bc", tmp / "l.o", "-O2", "-Wno-unused-command-line-argument")
    assert len(images(tmp / "l.o")) == 1


def test_images_hold_only_what_kernels_reach(tmp):
    for options in (["-O0"], ["-O2"], ["-O0", "-g"]):
        compile_object(here / "layouts.cpp", tmp / "l.o", *options)
        result = run(lower, "--emit=ir", tmp / "l.o")
        assert result.returncode == 0, result.stderr
        assert "kernel_body" in result.stdout
        for name in ("@main", "printf", "launched", "llvm.global_ctors", "type_name", "llvm.global.annotations"):
            assert name not in result.stdout, f"{options}: the image holds {name}"


def test_only_reciprocal_roots_may_be_inexact(tmp):
    for options in (["-O0"], ["-O2"], ["-O0", "-g"]):
        compile_object(here / "accuracy.cpp", tmp / "a.o", f"-I{root}/include", *options)
        result = run(lower, "--emit=ir", tmp / "a.o")
        assert result.returncode == 0, result.stderr
        quotients = re.findall(r"fdiv float .*", result.stdout)
        tags = [re.search(r"!fpmath (!\d+)", quotient) for quotient in quotients]
        found = [tag[1] for tag in tags if tag]
        assert len(quotients) == 3 and len(found) == 1, f"{options}: {quotients}"
        assert f"{found[0]} = !{{float 2.000000e+00}}" in result.stdout, result.stdout


def test_exported_functions_are_diagnosed(tmp):
    source = here / "exported.cpp"
    for options in (["-O0"], ["-O2", "-g"]):
        warnings = compile_object(source, tmp / "e.o", *options)
        expected = {}
        for number, line in enumerate(source.read_text().splitlines(), 1):
            text = line.partition("// ")[2]
            if number > 1 and text:
                expected[number] = text
        found = [w for w in warnings.splitlines() if "warning: " in w and "'" in w]
        assert len(found) == len(expected) == 4, f"{options}: {warnings}"
        for number, text in expected.items():
            match = [w for w in found if f"exported.cpp:{number}:" in w and re.search(text, w)]
            assert match, f"{options}: {text}: {warnings}"


def test_short_loops_are_unrolled(tmp):
    compile_object(here / "loops.cpp", tmp / "l.o", "-O2")
    listed = run(lower, "--list", tmp / "l.o").stdout
    text = run(lower, "--emit=ir", tmp / "l.o").stdout
    bodies = {m[1]: m[2] for m in re.finditer(r"^define [^\n]*@([^\n(]*)\(([^}]*)^}", text, re.M)}
    names = re.findall(r"kernel \d+ '(\w+)'", listed)
    assert len(names) == 7, listed
    for name in names:
        body = next(b for symbol, b in bodies.items() if name in symbol)
        turns = re.search(r"\bphi\b", body) is not None
        assert turns == name.startswith("loop"), f"{name}:\n{body}"
    short_one = next(b for symbol, b in bodies.items() if "loop_around" in symbol)
    assert short_one.count("fmul") == 16, short_one


def test_exchanged_words_may_be_undefined(tmp):
    for options in ("-O0", "-O2"):
        compile_object(here / "exchanges.cpp", tmp / "e.o", options)
        text = run(lower, "--emit=ir", tmp / "e.o").stdout
        lines = [line for line in text.splitlines() if "@__sinter_sub_group_shuffle_64(" in line]
        assert len(lines) >= 2, lines
        for line in lines:
            result, _, arguments = line.partition("@__sinter_sub_group_shuffle_64")
            assert "noundef" not in result and "noundef" not in arguments.partition(",")[0], line


def test_library_functions_are_device_code(tmp):
    source = here / "library.cpp"
    assert "warning:" not in compile_object(source, tmp / "l.o", "-O2")
    listed = run(lower, "--list", tmp / "l.o").stdout
    text = run(lower, "--emit=ir", tmp / "l.o").stdout
    bodies = {m[1]: m[2] for m in re.finditer(r"^define [^\n]*@([^\n(]*)\((.*?)^}", text, re.M | re.S)}
    wanted = dict(re.findall(r"launch<class (\w+)>.*// (\S+)$", source.read_text(), re.M))
    names = re.findall(r"kernel \d+ '(\w+)'", listed)
    assert sorted(names) == sorted(wanted), listed
    assert "x86_fp80" not in text, text
    for name in names:
        body = next(b for symbol, b in bodies.items() if name in symbol)
        called = re.search(r"call [^\n]*@\"?(library\.\w+|_ZSt16__introsort_loop)", body)
        assert (called[1] if called else "none") == wanted[name], f"{name}:\n{body}"


tests = [f for name, f in list(globals().items()) if name.startswith("test_")]
for test in tests:
    with tempfile.TemporaryDirectory() as folder:
        test(Path(folder))
    print("ok", test.__name__)
