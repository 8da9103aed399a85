#!/usr/bin/env python3
"""The code blocks of README.md compile and run as printed, and the README names exactly two set-up commands."""
import os
import re

import common

with open(os.path.join(common.SOURCE, "README.md"), encoding="utf-8") as readme:
    README = readme.read()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def blocks(language):
    return [text for kind, text in BLOCKS if kind == language]


def test_commands():
    """the set-up commands are ./run demo and ./run test"""
    commands = re.findall(r"^\./run \w+", "\n".join(blocks("sh")), re.MULTILINE)
    common.check(sorted(commands) == ["./run demo", "./run test"], f"the shell blocks name {commands}")


def test_programs():
    """each C++ block, saved as app.cpp, compiles and runs with the README's own commands"""
    common.not_sanitized()
    commands = [block for block in blocks("sh") if "app.cpp" in block]
    common.check(len(commands) == 3, f"expected clang++, a precompiled header and g++: {commands}")
    common.check(blocks("cpp"), "there is no C++ block")
    search = os.path.join(common.BUILD, "meson-uninstalled")
    common.check(len(blocks("cpp")[0].splitlines()) <= 24, "the first example is too long for a first one")
    for program in blocks("cpp"):
        for command in commands:
            with common.Folder() as folder:
                folder.write("app.cpp", program)
                command = command.replace("clang++-22", common.CLANGXX)
                common.run(["sh", "-ec", command], cwd=folder.path, PKG_CONFIG_PATH=search).expect()
                common.run([folder / "a.out"], SINTER_CACHE_DIR=folder / "cache").expect()


def test_same_as_example():
    """the README's vector addition is the program examples/vector_add"""
    with open(os.path.join(common.SOURCE, "examples/vector_add/vector_add.cpp"), encoding="utf-8") as file:
        example = "".join(line for line in file if not line.startswith("///")).strip()
    common.check(example in (text.strip() for text in blocks("cpp")), "README.md and examples/vector_add differ")


def test_links():
    """every file that the README names exists"""
    prose = re.sub(r"^```.*?^```$", "", README, flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)#]+)\)", prose):
        if "://" not in target:
            common.check(os.path.exists(os.path.join(common.SOURCE, target)), f"{target} does not exist")


common.main(globals())
