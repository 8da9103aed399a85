#!/usr/bin/env python3
"""Random programs with aspects, required sizes and attributes in odd places, compiled with the capture plugin.

usage: aspect_fuzz.py CLANG PLUGIN SOURCE_ROOT [FIRST_SEED [COUNT]]

Programs of the first kind are legal. A model in plain Python computes the aspects that each kernel's image must
require, the warnings that clang must print, and the lines that each warning may name. Programs of the second kind have
attributes anywhere, with any arguments, and the plugin gets malformed options: clang must not crash. TEST_LONG=1
compiles many more programs.
"""
import os
import random
import re
import sys
import tempfile
from pathlib import Path

import compiled as tools

ASPECTS = {name: int(number) for name, number in
           re.findall(r"^  (\w+) = (\d+),", (tools.root / "include/sycl/aspects.hpp").read_text(), re.M)}
NAMES = {number: name for name, number in ASPECTS.items()}


def targets_of(text):
    """Returns {name: (aspects, sizes of sub-groups)} for a file of devices in the format of devices.yaml."""
    return {name: ({ASPECTS[each] for each in re.findall(r"\w+", aspects)}, set(map(int, re.findall(r"\d+", sizes))))
            for name, aspects, sizes in re.findall(r"^(\w+):\n  aspects: \[(.*?)\]\n  sub-group-sizes: \[(.*?)\]", text, re.M | re.S)}


DEVICES = targets_of((tools.root / "src/abi/devices.yaml").read_text())


class Function:
    """A function of a random program: the aspects that it uses itself (aspect: lines), the functions that it calls
    (function: line), and its attributes."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind
        self.own, self.calls = {}, {}
        self.declared = None
        self.sub_group = 0
        self.line = 0

    def use(self, aspects, line):
        for each in aspects:
            self.own.setdefault(each, []).append(line)

    def reached(self, known=None):
        known = {} if known is None else known
        known[self.name] = self
        for each in self.calls:
            if each.name not in known:
                each.reached(known)
        return known.values()

    def used(self):
        aspects = set(self.own)
        for each in self.calls:
            aspects |= each.required()
        return aspects

    def required(self):
        return self.used() | (self.declared or set())

    def places(self, aspect):
        """Returns the lines that a warning about the aspect may name."""
        lines = set()
        for each in self.reached():
            lines.update(each.own.get(aspect, ()))
            lines.update(line for callee, line in each.calls.items() if aspect in callee.required())
            if aspect in (each.declared or ()):
                lines.add(each.line)
        return lines | {self.line}


class Program:
    def __init__(self, seed):
        self.random = random.Random(seed)
        self.lines = []
        self.tags, self.functions, self.kernels = [], [], []
        self.add('#include "mini_launch.hpp"')
        self.add("namespace sycl { enum class aspect : unsigned { " +
                 ", ".join(f"{name} = {number}" for name, number in ASPECTS.items()) + " }; }")
        self.add("using sycl::aspect;")
        for i in range(self.random.randint(1, 4)):
            self.make_tag(i)
        for i in range(self.random.randint(1, 8)):
            self.make_function(i)
        self.add("void kernels(int* p) {")
        bodies = self.lines
        for i in range(self.random.randint(1, 5)):
            self.make_kernel(i)
        self.lines = bodies + ["}"]

    def add(self, text):
        self.lines.append(text)
        return len(self.lines)

    def some(self, most=3):
        return set(self.random.sample(sorted(ASPECTS.values()), self.random.randint(0, most)))

    @staticmethod
    def listed(aspects):
        return ", ".join("aspect::" + NAMES[each] for each in sorted(aspects))

    def make_tag(self, i):
        aspects = self.some() or {ASPECTS["image"]}
        tag = f"[[__sycl_detail__::__uses_aspects__({self.listed(aspects)})]]"
        form = self.random.choice(["class", "namespace", "template", "member", "base", "alias"])
        name = f"tagged_{i}"
        if form == "class":
            self.add(f"struct {tag} {name} {{ int v; }};")
        elif form == "namespace":
            self.add(f"namespace inner_{i} {{ inline namespace deeper {{ struct {tag} {name} {{ int v; }}; }} }}")
            name = f"inner_{i}::{name}"
        elif form == "template":
            self.add(f"template <class T, unsigned Size = sizeof(T)> struct {name} {{ int v; }};")
            self.add(f"template <class T> struct {tag} {name}<T, 8> {{ int v; }};")
            name += "<long>"
        elif form == "member":
            self.add(f"struct {tag} part_{i} {{ int v; }}; struct {name} {{ int v; part_{i} parts[2]; }};")
        elif form == "base":
            self.add(f"struct {tag} part_{i} {{ int v; }}; struct {name} : part_{i} {{ {name}(int x) : part_{i}{{x}} {{}} }};")
        else:
            self.add(f"struct {tag} part_{i} {{ int v; }}; using {name} = part_{i};")
        self.tags.append((name, aspects))

    def attributes(self, function, sizes=True):
        text = []
        if self.random.random() < 0.4:
            function.declared = self.some(4)
            text.append(f"[[sycl::device_has({self.listed(function.declared)})]]")
        if sizes and self.random.random() < 0.25:
            function.sub_group = self.random.choice([1, 4, 8, 16, 32, 64])
            text.append(f"[[{self.random.choice(['sycl', 'intel'])}::reqd_sub_group_size({function.sub_group})]]")
        self.random.shuffle(text)
        return " ".join(text)

    def statements(self, function):
        """Adds some statements that change x, each in its own line."""
        fp64, fp16, atomic64 = {ASPECTS["fp64"]}, {ASPECTS["fp16"]}, {ASPECTS["atomic64"]}
        for i in range(self.random.randint(0, 4)):
            tag, aspects = self.random.choice(self.tags)
            forms = [
                (f"double d{i} = x; x += int(d{i} * 2);", fp64), (f"double a{i}[3] = {{1.0, 2.0, double(x)}}; x += int(a{i}[x & 1]);", fp64),
                (f"double unused{i};", fp64), ("x = int(x * 0.1);", fp64), (f"_Float16 h{i} = x; x += int(h{i});", fp16),
                (f"long w{i} = x; x += int(__atomic_fetch_add(&w{i}, 1, __ATOMIC_RELAXED));", atomic64),
                (f"{tag} t{i}{{x}}; x += t{i}.v;", aspects), (f"x += reinterpret_cast<{tag}*>(&x)->v;", aspects),
                ("x += int(sizeof(double));", set()), ("x += 1;", set()),
                (f"if (x > 3 && x < 2) {{ {tag} t{i}{{x}}; x += t{i}.v; }}", aspects)]
            if function.kind == "template":
                forms.append((f"if constexpr (sizeof(T) == 8) {{ {tag} t{i}{{x}}; x += t{i}.v; }}", set()))
            text, used = self.random.choice(forms)
            function.use(used, self.add("  " + text))
            # Without -g, the position of an unused variable is unknown, so the warning may name the position of the
            # function instead.
            if "unused" in text:
                function.use(used, function.line + (function.kind == "lambda"))
        for callee in self.random.sample(self.functions, min(len(self.functions), self.random.randint(0, 2))):
            call = {"method": "method_{0}{{}}.call_{0}(x)", "static": "static_{0}::call_{0}(x)", "template": "call_{0}<int>(x)",
                    "namespace": "space_{0}::call_{0}(x)"}.get(callee.kind, "call_{0}(x)").format(callee.name)
            function.calls[callee] = self.add(f"  x += {call};")

    def make_function(self, i):
        kind = self.random.choice(["free", "method", "static", "template", "namespace", "exported", "exported", "tagged", "lambda"])
        function = Function(str(i), kind)
        attributes = self.attributes(function)
        before, after = {"method": (f"struct method_{i} {{", "};"), "static": (f"struct static_{i} {{", "};"),
                         "namespace": (f"namespace space_{i} {{", "}"), "template": ("template <class T>", "")}.get(kind, ("", ""))
        specifiers = {"method": "", "static": "static", "template": "", "exported": '__attribute__((annotate("sinter.external")))'}
        tag, aspects = "", set()
        if kind == "tagged":
            aspects = self.some() or {ASPECTS["gpu"]}
            tag = f"[[__sycl_detail__::__uses_aspects__({self.listed(aspects)})]] "
        self.add(before)
        # The attributes are before the declaration or after its name.
        in_front = self.random.random() < 0.7
        head = f"{attributes if in_front else ''} {tag}{specifiers.get(kind, 'inline')} int call_{i} {'' if in_front else attributes}(int x)"
        if kind in ("free", "exported", "namespace", "tagged") and self.random.random() < 0.3:
            self.add(head + ";")
            head = f"{specifiers.get(kind, 'inline')} int call_{i}(int x)" if self.random.random() < 0.5 else head
        function.line = self.add(head + " {")
        function.use(aspects, function.line)
        if kind == "lambda":
            self.add("  auto inner = [](int x) {")
            self.statements(function)
            self.add("  return x; };")
            self.add("  x = inner(x);")
        else:
            self.statements(function)
        self.add("  return x; }")
        self.add(after)
        self.functions.append(function)

    def make_kernel(self, i):
        kernel = Function(f"kernel_{i}", "lambda kernel")
        attributes = self.attributes(kernel)
        if self.random.random() < 0.6:
            kernel.line = self.add(f"  launch<class kernel_{i}>([=](std::size_t i) {attributes} {{ int x = p[i];")
            self.statements(kernel)
            self.add("  p[i] = x; });")
        else:
            kernel.line = self.add(f"  struct functor_{i} {{ int* p; {attributes} void operator()(std::size_t i) const {{ int x = p[i];")
            self.statements(kernel)
            self.add("  p[i] = x; } };")
            self.add(f"  launch<class kernel_{i}>(functor_{i}{{p}});")
        self.kernels.append(kernel)

    def check(self, warnings, image, chosen):
        for kernel in self.kernels:
            wanted = sum(1 << each for each in kernel.required())
            found = image[kernel.name][3]
            assert found == wanted, f"{kernel.name} requires {found:#x}, not {wanted:#x}"
        exported = [each for each in self.functions if each.kind == "exported"]
        reached = {each.name: each for kernel in self.kernels + exported for each in kernel.reached()}
        wanted = {(name, NAMES[aspect], "") for name, each in reached.items() if each.declared is not None
                  for aspect in each.used() - each.declared}
        for each in self.kernels + exported:
            for aspect in each.required():
                lacking = ",".join(name for name, device in chosen.items() if aspect not in device[0])
                if lacking:
                    wanted.add((each.name, NAMES[aspect], lacking))
        pattern = (r"(\S*):(\d+):(\d+): warning: function '(?:\w+::)*(?:call_(\d+)|(kernel_\d+))[^']*' uses aspect '(\w+)' "
                   r"(?:not listed in 'sycl::device_has'|that not all fixed targets have: not (\S+))\n")
        found = set()
        for path, line, column, function, kernel, aspect, lacking in re.findall(pattern, warnings):
            name = function or kernel
            found.add((name, aspect, lacking))
            assert path.endswith("fuzz.cpp") and int(column) > 0, f"{path}:{line}:{column}"
            allowed = reached[name].places(ASPECTS[aspect])
            assert int(line) in allowed, f"{name}, {aspect}: at line {line}, not at one of {sorted(allowed)}"
        assert found == wanted, f"missing: {sorted(wanted - found)}; too many: {sorted(found - wanted)}"
        assert len(re.findall("uses aspect", warnings)) == len(re.findall(pattern, warnings)), "a warning without a place"
        # Returns the expected warnings about required sizes that a target lacks.
        for kernel in self.kernels:
            if kernel.sub_group == 0:
                continue
            lacking = ",".join(name for name, device in chosen.items() if kernel.sub_group not in device[1])
            text = f"'{kernel.name}' has required sub-group size '{kernel.sub_group}' that not all fixed targets have: not {lacking}\n"
            assert (text.replace("\n", " [") in warnings) == bool(lacking), text


OWN_DEVICES = """small:
  aspects: [gpu, fp16, atomic64]
  sub-group-sizes: [8, 16]
x86_64:
  aspects: [cpu, fp64, image]
  sub-group-sizes: [4, 64]
"""


def options_of(chance):
    return [chance.choice(["-O0", "-O1", "-O2", "-O3"])] + chance.choice([[], ["-g"], ["-gline-tables-only"]])


def check_legal(seed, folder):
    chance = random.Random(seed)
    program = Program(seed)
    source = folder / "fuzz.cpp"
    source.write_text("\n".join(program.lines) + "\n")
    options, devices = options_of(chance), dict(DEVICES)
    if chance.random() < 0.4:
        (folder / "devices.yaml").write_text(OWN_DEVICES)
        options.append("-fplugin-arg-sinter-device-config-file=" + str(folder / "devices.yaml"))
        devices.update(targets_of(OWN_DEVICES))
    names = chance.sample(sorted(devices), chance.choice([0, 1, 1, 2]))
    if names:
        options.append("-fplugin-arg-sinter-fixed-targets=" + ",".join(names))
    result = tools.run(tools.clang, *tools.flags, *options, "-c", source, "-o", folder / "fuzz.o", cwd=folder)
    try:
        assert result.returncode == 0, f"clang said {result.returncode}"
        image = {}
        for each in tools.images(folder / "fuzz.o"):
            image.update(tools.tables(each))
        program.check(result.stderr, image, {name: devices[name] for name in names})
    except AssertionError as error:
        numbered = "\n".join(f"{i:3} {line}" for i, line in enumerate(program.lines, 1))
        raise AssertionError(f"seed {seed}, {' '.join(options)}: {error}\n{numbered}\n{result.stderr[-6000:]}")


#: Places where the standard allows an attribute, and some where it does not; @ stands for the attribute.
PLACES = [
    "@ int f(int x) { return x; }", "int f @ (int x) { return x; }", "int f(int x) @ { return x; }", "int f(@ int x) { return x; }",
    "int f(int x @) { return x; }", "@ int v = 1;", "int v @ = 1;", "int @ v = 1;", "struct @ s { int v; };", "struct s { @ int v; };",
    "struct s { int v @; };", "enum @ e { a, b };", "enum e { a @, b };", "namespace @ n { int v; }", "using t @ = int;", "using t = int @;",
    "typedef int t @;", "@ typedef int t;", "template <class T> @ T f(T x) { return x; } int g(int x) { return f(x); }",
    "template <class T> struct @ s { T v; }; s<int> v;", "template <int N> @ int f() { return N; } template int f<3>();",
    "template <> struct @ s<int> {};", "@;", "extern \"C\" @ int f(int x) { return x; }", "int f(int x) { @; return x; }",
    "int f(int x) { @ for (;;) break; return x; }", "int f(int x) { @ int y = x; return y; }", "int f(int x) { l @: return x; }",
    "int f(int x) { auto l = [] @ (int y) { return y; }; return l(x); }", "int f(int x) { auto l = [](int y) @ { return y; }; return l(x); }",
    "int f(int x) { auto l = [](int y) mutable @ -> int { return y; }; return l(x); }", "int f(int x) { auto l = [=](auto y) @ { return y + x; }; return l(x); }",
    "int f(int x) { struct s { @ int g(int y) const { return y; } }; return s{}.g(x); }", "struct s { @ s(); @ ~s(); @ operator int() const; @ static int f(); };",
    "struct s { @ friend int f(s); };", "@ int f(int x); int f(int x) { return x; }", "int f(int x); @ int f(int x) { return x; }",
    "@ int f(int x); @ int f(int x) { return x; }", "@ @ int f(int x) { return x; }", "@ int f(int x) @ { return x; }",
    "auto f @ (int x) -> int { return x; }", "int (*p @)(int);", "int (*p)(int) @;", "int a @ [3];", "int a[3] @;", "@ auto [u, w] = pair{1, 2};",
    "template <class T> concept c @ = true;", "template <class T> using t @ = T;", "void kernels(int* p) { launch<class k>([=](std::size_t i) @ { p[i] = 1; }); }",
    "void kernels(int* p) { launch<class k>([=] @ (std::size_t i) { p[i] = 1; }); }", "void kernels(int* p) { @ launch<class k>([=](std::size_t i) { p[i] = 1; }); }",
    "template <int N> void kernels(int* p) { launch<class k>([=](std::size_t i) @ { p[i] = N; }); } template void kernels<2>(int*);",
    "struct w { int* p; @ void operator()(std::size_t i) const; }; inline void w::operator()(std::size_t i) const { p[i] = 1; } void kernels(int* p) { launch<class k>(w{p}); }",
    "struct w { int* p; void operator()(std::size_t i) const; }; @ inline void w::operator()(std::size_t i) const { p[i] = 1; } void kernels(int* p) { launch<class k>(w{p}); }",
    "template <class T> struct w { int* p; @ void operator()(T i) const { p[i] = 1; } }; void kernels(int* p) { launch<class k>(w<std::size_t>{p}); }",
    "@ int f(int x) { return x ? f(x - 1) : 0; } void kernels(int* p) { launch<class k>([=](std::size_t i) @ { p[i] = f(p[i]); }); }",
    "__attribute__((annotate(\"sinter.external\"))) @ int f(int x) { return int(x * 0.5); }",
]
SCOPES = ["sycl::", "intel::", "cl::", "__sycl_detail__::", "sycl_detail::", "using sycl: ", "sycl::sycl::", ""]
ATTRIBUTES = ["reqd_work_group_size", "reqd_sub_group_size", "work_group_size_hint", "device_has", "intel_reqd_sub_group_size",
              "__uses_aspects__", "uses_aspects", "annotate"]
ARGUMENTS = ["", "1", "4", "4, 2", "2, 2, 2", "1, 2, 3, 4", "0", "-1", "1 << 30", "~0ull", "18446744073709551616", "1.5", "'a'", "\"text\"", "nullptr",
             "aspect::fp64", "aspect::cpu, aspect::gpu", "aspect(200)", "aspect(63), aspect(64)", "static_cast<aspect>(-1)", "int", "x", "N", "sizeof(int)", "undeclared",
             "[]{ return 8; }()", "1, \"two\"", "aspect", "{}", "{1, 2}", "1 +", "\"sycl_device_has\", 1", ",", "(((4)))", "true", "__int128(1) << 100"]


SENSIBLE = {"device_has": ["", "aspect::fp64", "aspect::cpu, aspect::gpu"], "__uses_aspects__": ["aspect::image"], "uses_aspects": ["aspect::fp64"]}


def wild_attribute(chance):
    name = chance.choice(ATTRIBUTES)
    if chance.random() < 0.6:
        return f"[[{chance.choice(SCOPES[:2])}{name}({chance.choice(SENSIBLE.get(name, ['1', '8', '32']))})]]"
    arguments = "" if chance.random() < 0.05 else f"({chance.choice(ARGUMENTS)})"
    if chance.random() < 0.1:
        return f"__attribute__(({name}{arguments}))"
    return f"[[{chance.choice(SCOPES)}{name}{arguments}]]"


def mutated(chance, text):
    text = list(text)
    for _ in range(chance.randint(0, 6)):
        at = chance.randrange(len(text) + 1)
        text[at:at + chance.randint(0, 3)] = chance.choice(["", ":", "[", "]", ",", "\n", "  ", "x86_64", "99999999999", "-1", "\t", "#", "{", "&a", "*a", "'", "\"", "é"])
    return "".join(text)


def check_wild(seed, folder):
    chance = random.Random(seed)
    source = folder / "fuzz.cpp"
    lines = ['#include "mini_launch.hpp"', "namespace sycl { enum class aspect : unsigned { cpu = 1, gpu = 2, fp64 = 6, image = 9 }; }",
             "using sycl::aspect;", "struct pair { int u, w; };"]
    for i in range(chance.randint(1, 3)):
        text = re.sub("@", lambda _: wild_attribute(chance), chance.choice(PLACES))
        lines.append(f"namespace wild_{i} {{\n{text}\n}}")
    source.write_text("\n".join(lines) + "\n")
    options = options_of(chance)
    if chance.random() < 0.6:
        options.append("-fplugin-arg-sinter-fixed-targets=" +
                       chance.choice(["x86_64", "nvptx64", "small", "x86_64,nvptx64", "", ",", "x86_64,", "x86_64,x86_64", "X86_64", "a\nb"]))
    if chance.random() < 0.3:
        (folder / "devices.yaml").write_text(mutated(chance, OWN_DEVICES))
        options.append("-fplugin-arg-sinter-device-config-file=" + str(folder / chance.choice(["devices.yaml", "devices.yaml", "none", "."])))
    if chance.random() < 0.1:
        options.append("-fplugin-arg-sinter-" + chance.choice(["device-code-split=", "device-code-split=7", "fixed-targets", "what", "device-config-file="]))
    result = tools.run(tools.clang, *tools.flags, *options, "-ferror-limit=0", "-c", source, "-o", folder / "fuzz.o", cwd=folder)
    text = "\n".join(lines) + "\n" + result.stderr[-6000:]
    assert result.returncode in (0, 1), f"seed {seed}, {' '.join(options)}: clang said {result.returncode}\n{text}"
    assert (result.returncode == 1) == ("error:" in result.stderr), f"seed {seed}: an exit code that does not fit\n{text}"
    assert "<unknown>" not in result.stderr, f"seed {seed}, {' '.join(options)}: a warning without a place\n{text}"
    return result.returncode == 0


def main():
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 1
    count = int(sys.argv[5]) if len(sys.argv) > 5 else 1000 if os.environ.get("TEST_LONG") == "1" else 12
    compiled = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + count):
            check_legal(seed, Path(folder))
            compiled += check_wild(seed, Path(folder))
    print(f"{count} legal programs, {count} wild ones of which clang took {compiled}")


main()
