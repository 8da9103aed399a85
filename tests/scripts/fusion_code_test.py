#!/usr/bin/env python3
"""The code of fused kernels, printed by SINTER_REPORT=fused-code: promoted temporaries are gone, and the code does not
depend on a CPU."""
import os
import re

import common

PROGRAM = os.path.join(common.BUILD, "tests", "e2e", "e2e_fusion_forms")
SOURCE = os.path.join(common.SOURCE, "tests", "e2e", "fusion_forms.cpp")
TOOLS = f"/usr/lib/llvm-{common.LLVM}/bin"
OF_THE_HOST = [r"@llvm\.x86\.", r"\"target-(cpu|features)\"", r"\basm (sideeffect )?\"", r"\bx86_(fp80|amx)"]
FOLDER = common.Folder()
OUTPUT = []


def output():
    """Returns the program's report about its lists. The program's own checks (one launch each, right values) have
    succeeded by then."""
    if not OUTPUT:
        result = common.run([PROGRAM], SINTER_REPORT="fused-code", SINTER_CACHE_DIR=FOLDER / "cache")
        OUTPUT.append(result.expect().err)
    return OUTPUT[0]


def tool(name):
    path = os.path.join(TOOLS, name)
    if not os.access(path, os.X_OK):
        raise common.Skip(f"{path} is missing")
    return path


def file_check(text, expectations=SOURCE):
    path = FOLDER.write("output.txt", text)
    return common.run([tool("FileCheck"), "--input-file", path, "--dump-input=fail", expectations])


def modules():
    """Yields a pair for each list: the name of the list's kind, and the portable module."""
    for part in re.split(r"^form: ", output(), flags=re.MULTILINE)[1:]:
        found = re.search(r"^; ModuleID.*?(?=^  compiled|^sinter: |\Z)", part, re.MULTILINE | re.DOTALL)
        common.check(found, "no code is shown for " + part[:200])
        yield part.splitlines()[0], found[0]


def test_promoted_memory_is_gone():
    """each kind of list is one launch whose code neither loads nor stores promoted memory"""
    common.not_sanitized()
    file_check(output()).expect()


def test_a_store_that_stays_is_noticed():
    """the test fails for code that stores a promoted value, and for a list that was not fused"""
    common.not_sanitized()
    for name, code in modules():
        if name in ("vectors", "local promotion"):
            continue
        spoilt = code.replace("ret void", "store double 0.0, ptr null\n  ret void")
        common.check(file_check(output().replace(code, spoilt)).code != 0, f"a store in '{name}' was not noticed")
    text = output().replace("2 kernels -> 1 launch", "2 kernels one by one", 1)
    common.check(file_check(text).code != 0, "a list that was not fused was not noticed")


def test_nothing_of_the_host():
    """fused modules contain nothing that depends on the host, and become PTX and SPIR-V like any kernel"""
    common.not_sanitized()
    names = [name for name, _ in modules()]
    common.check(len(names) >= 18, f"only {names}")
    for name, code in modules():
        for pattern in OF_THE_HOST:
            common.check(not re.search(pattern, code), f"{name}: {pattern} in\n{code}")
        # The target determines how work-items get their ids. The portable module has no target, so the functions
        # that return ids remain calls.
        portable = FOLDER.write("module.ll", re.sub(r"^target .*\n", "", code, flags=re.MULTILINE))
        signs = {"nvptx64-nvidia-cuda": "_ZN6sinter5fused|sinter.fused|fused", "spirv64-unknown-unknown": "OpFunctionEnd"}
        if int(common.LLVM) < 22:
            del signs["spirv64-unknown-unknown"]  # Debian's have no such target
        for target, sign in signs.items():
            result = common.run([tool("llc"), "-O2", "-mtriple=" + target, portable, "-o", "-"])
            result.expect()
            common.check(re.search(sign, result.out), f"{name}: no function for {target}:\n{result.out[:3000]}")


common.main(globals())
