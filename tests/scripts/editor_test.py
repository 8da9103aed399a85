#!/usr/bin/env python3
"""clangd, which loads no plugins, parses user code without complaint."""
import json
import os

import common

SOURCES = [("examples/vector_add", "vector_add.cpp"), ("examples/local_memory", "local_memory.cpp"),
           ("tests/e2e", "barriers.cpp"), ("tests/e2e", "captures.cpp")]


def test_clangd():
    """clangd --check finds no errors in user code, with the flags of sinter-library and of sinter"""
    common.not_sanitized()
    clangd = "clangd-" + common.LLVM
    common.need(clangd)
    for package, sources in (("sinter-library", SOURCES[:1]), ("sinter", SOURCES)):
        for folder_name, name in sources:
            with common.Folder() as folder:
                source = os.path.join(common.SOURCE, folder_name, name)
                command = [common.CLANGXX, "-std=c++20", *common.pkg_config(package, "--cflags"), "-c", source]
                database = [{"directory": folder.path, "file": source, "arguments": command}]
                folder.write("compile_commands.json", json.dumps(database))
                result = common.run([clangd, "--check=" + source, "--compile-commands-dir=" + folder.path,
                                     "--background-index=false", "--check-locations=false", "--log=error"], timeout=300)
                errors = [line for line in result.err.splitlines() if line.startswith("E[") and "tweak" not in line]
                common.check(result.code == 0 and not errors, f"{package}, {name}: {errors or result.err[-2000:]}")


common.main(globals())
