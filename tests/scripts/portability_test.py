#!/usr/bin/env python3
"""Device images hold nothing of the host: no vectors, no x87, no target attributes, no unknown externals; and every
kernel lowers to PTX with a real entry point."""
import glob
import os
import re
import shutil

import common

LOWER = os.path.join(common.BUILD, "jitd", "sinter-lower")
EXTERNAL = re.compile(r"^declare .*?@\"?([\w.$]+)\"?\(", re.MULTILINE)
ALLOWED_INTRINSICS = re.compile(
    r"llvm\.(lifetime|assume|dbg|experimental\.noalias|memcpy|memmove|memset|fma|fmuladd|sqrt|fabs|floor|ceil|trunc|rint|"
    r"nearbyint|round|roundeven|copysign|minnum|maxnum|minimum|maximum|exp|exp2|exp10|log|log2|log10|sin|cos|tan|asin|acos|"
    r"atan|atan2|sinh|cosh|tanh|sincos|sincospi|modf|pow|powi|ldexp|frexp|canonicalize|umin|umax|smin|smax|abs|ctpop|ctlz|cttz|bswap|bitreverse|fshl|fshr|"
    r"[us](add|sub|mul)\.(sat|with\.overflow)|is\.fpclass|expect|trap|unreachable|lrint|llrint|lround|llround|usub|uadd|"
    r"umul|stacksave|stackrestore|invariant|launder|strip|ptrmask|scmp|ucmp|fptosi\.sat|fptoui\.sat|vector\.reduce)")
#: What must not be in portable IR, and why.
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


def images():
    """Every built test program and library that carries images."""
    for path in sorted(glob.glob(os.path.join(common.BUILD, "tests", "e2e", "*")) +
                       glob.glob(os.path.join(common.BUILD, "examples", "*", "*")) +
                       glob.glob(os.path.join(common.BUILD, "examples", "*"))):
        if os.path.isfile(path) and os.access(path, os.X_OK):
            with open(path, "rb") as file:
                if b"SINTERIM" in file.read():
                    yield path


def lower(*words):
    if not os.path.exists(LOWER):
        raise AssertionError("sinter-lower was not built")
    return common.run([LOWER, *words])


def test_images_are_portable():
    """no image of the test programs is bound to the host"""
    problems, count = [], 0
    for path in images():
        text = lower("--emit=ir", path).expect().out
        count += 1
        name = os.path.basename(path)
        for pattern, reason in FORBIDDEN.items():
            found = re.search(pattern, text)
            if found:
                line = text[text.rfind("\n", 0, found.start()) + 1:text.find("\n", found.end())]
                problems.append(f"{name}: {reason}: {line.strip()[:160]}")
        for external in set(EXTERNAL.findall(text)):
            if not (external.startswith("__sinter_") or ALLOWED_INTRINSICS.match(external)):
                problems.append(f"{name}: unknown external {external}")
    common.check(count > 10, f"only {count} programs with images were found")
    common.check(not problems, "\n".join(problems))


def test_kernels_lower_to_ptx():
    """every kernel becomes PTX with an entry point, and ptxas accepts it where there is one"""
    problems, kernels = [], 0
    for path in images():
        result = lower("--emit=ptx", path)
        if result.code != 0:
            problems.append(f"{os.path.basename(path)}: {result.err[-500:]}")
            continue
        entries = re.findall(r"\.entry\s+(\w+)", result.out)
        kernels += len(entries)
        if not entries:
            problems.append(f"{os.path.basename(path)}: no entry point")
        externals = set(re.findall(r"^\.extern \.func[^;]*?(\w+)\s*(?:\(|;)\s*$", result.out, re.MULTILINE))
        unknown = {name for name in externals if name not in ("vprintf", "__assertfail", "malloc", "free")}
        if unknown:
            problems.append(f"{os.path.basename(path)}: unresolved externals {sorted(unknown)}")
        ptxas = shutil.which("ptxas")
        if ptxas:
            with common.Folder() as folder:
                source = folder.write("kernel.ptx", result.out)
                assembled = common.run([ptxas, "-arch=sm_90", source, "-o", folder / "kernel.cubin"])
                if assembled.code != 0:
                    problems.append(f"{os.path.basename(path)}: ptxas: {assembled.err[-500:]}")
    common.check(not problems, "\n".join(problems))
    common.check(kernels > 50, f"only {kernels} kernels were lowered")


common.main(globals())
