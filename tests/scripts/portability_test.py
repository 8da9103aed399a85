#!/usr/bin/env python3
"""Device images contain nothing that depends on the host: no vectors, no x87 types, no target attributes, no unknown
externals."""
import os
import re

import common

LOWER = os.path.join(common.BUILD, "jitd", "sinter-lower")
EXTERNAL = re.compile(r"^declare .*?@\"?([\w.$]+)\"?\(", re.MULTILINE)
ALLOWED_INTRINSICS = re.compile(
    r"llvm\.(lifetime|assume|dbg|experimental\.noalias|memcpy|memmove|memset|fma|fmuladd|sqrt|fabs|floor|ceil|trunc|rint|"
    r"nearbyint|round|roundeven|copysign|minnum|maxnum|minimum|maximum|exp|exp2|exp10|log|log2|log10|sin|cos|tan|asin|acos|"
    r"atan|atan2|sinh|cosh|tanh|sincos|sincospi|modf|pow|powi|ldexp|frexp|canonicalize|umin|umax|smin|smax|abs|ctpop|ctlz|cttz|bswap|bitreverse|prefetch|fshl|fshr|"
    r"[us](add|sub|mul)\.(sat|with\.overflow)|is\.(fpclass|constant)|expect|trap|unreachable|lrint|llrint|lround|llround|usub|uadd|"
    r"umul|stacksave|stackrestore|invariant|launder|strip|ptrmask|scmp|ucmp|fptosi\.sat|fptoui\.sat|readcyclecounter|vector\.reduce)")
#: Destructors in virtual tables, which no kernel calls.
ALLOWED = {"e2e_polymorphic": {"_ZdlPvm"}}
#: Constructs that portable IR must not contain, and the reasons.
FORBIDDEN = {
    r"@llvm\.x86\.": "x86 intrinsic",
    r"\bx86_fp80\b": "x87 type",
    r"\bx86_amx\b": "x86 type",
    r"\"target-cpu\"": "target attribute",
    r"\"target-features\"": "target attribute",
    r"\"tune-cpu\"": "target attribute",
    r"\boptnone\b": "optnone",
    r"\bsanitize_(address|thread|memory)\b": "sanitizer attribute",
    r"\bssp(strong|req)?\b(?=[^\n]*\})": "stack-protector attribute",
    r"\basm (sideeffect )?\"": "inline assembly",
}


def lower(*words):
    if not os.path.exists(LOWER):
        raise AssertionError("sinter-lower was not built")
    return common.run([LOWER, *words])


def lint(path):
    """Returns the faults of the images of one program."""
    text = lower("--emit=ir", path).expect().out
    name = os.path.basename(path)
    problems = []
    for pattern, reason in FORBIDDEN.items():
        found = re.search(pattern, text)
        if found:
            line = text[text.rfind("\n", 0, found.start()) + 1:text.find("\n", found.end())]
            problems.append(f"{name}: {reason}: {line.strip()[:160]}")
    for external in set(EXTERNAL.findall(text)):
        if not (external.startswith("__sinter_") or external == "printf" or ALLOWED_INTRINSICS.match(external) or
                external in ALLOWED.get(name, ())):
            problems.append(f"{name}: unknown external {external}")
    for entry in re.findall(r"^define .*kernel_body.*?\{$", text, re.MULTILINE):
        if not re.search(r"@\"?[^(]*\"?\(ptr[^,()]*\)", entry):
            problems.append(f"{name}: a kernel entry takes something else than its argument block: {entry[:160]}")
    return problems


def test_images_are_portable():
    """no image of the test programs depends on the host"""
    problems, count = [], 0
    # Sanitizers add attributes to every program, so a few programs are enough for this test.
    for path in list(common.images())[::8 if common.SANITIZED else 1]:
        problems += lint(path)
        count += 1
    common.check(count > (8 if common.SANITIZED else 10), f"only {count} programs with images were found")
    common.check(not problems, "\n".join(problems))


PLANTED = {
    "x86 intrinsic": ("#include <immintrin.h>", "data[i] = _mm_cvtss_si32(_mm_rcp_ss(_mm_set_ss(float(data[i]))));"),
    "x87 type": ("", "data[i] = int(static_cast<long double>(data[i]) * 1.1L);"),
    "inline assembly": ("", "int x; asm volatile(\"mov $1, %0\" : \"=r\"(x)); data[i] = x;"),
    "unknown external": ("extern \"C\" int elsewhere(int);", "data[i] = elsewhere(data[i]);"),
}


def test_planted_errors_are_found():
    """the test finds a planted fault"""
    common.not_sanitized()
    for reason, (head, body) in PLANTED.items():
        with common.Folder() as folder:
            source = folder.write("planted.cpp", f"#include <sycl/sycl.hpp>\n{head}\nint main() {{ sycl::queue queue; "
                                  "int* data = sycl::malloc_shared<int>(8, queue); queue.parallel_for("
                                  f"sycl::range<1>(8), [=](sycl::id<1> i) {{ {body} }}).wait(); }}\n")
            common.run([common.CLANGXX, "-std=c++20", "-O1", "-c", source, "-o", folder / "planted.o",
                        *common.plugin_flags()]).expect()
            problems = lint(folder / "planted.o")
            common.check(any(reason in problem for problem in problems), f"{reason} was not found: {problems}")


common.main(globals())
