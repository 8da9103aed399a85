#!/usr/bin/env python3
"""One program is compiled in every way in which users compile. Each time, its kernel must come from the JIT in the
first run, and from the cache in the second."""
import os

import common

MODES = {
    "debug": ["-O0", "-g"],
    "unoptimised": ["-O0"],
    "size": ["-Os"],
    "optimised": ["-O2"],
    "optimised with line tables": ["-O3", "-gline-tables-only"],
    "fast math and native": ["-O3", "-march=native", "-ffast-math", "-Wall", "-Wextra", "-Werror"],
    "position independent": ["-O2", "-fPIC"],
    "temporary files kept": ["-O2", "-save-temps=obj"],
    "full LTO": ["-O2", "-flto", "-fuse-ld=lld"],
    "thin LTO": ["-O2", "-flto=thin", "-fuse-ld=lld"],
    "without exceptions in the language mode": ["-O2", "-fno-rtti"],
    "hidden symbols": ["-O2", "-fvisibility=hidden"],
    "coverage": ["-O1", "-fprofile-instr-generate", "-fcoverage-mapping"],
    "stack protector": ["-O2", "-fstack-protector-all"],
    "warnings are errors": ["-O2", "-Wall", "-Wextra", "-Werror"],
    "separate compilation": None,
}


def check_mode(flags):
    with common.Folder() as folder:
        if flags is None:
            source = folder.write("hello.cpp", common.HELLO)
            common.run([common.CLANGXX, "-std=c++20", "-c", source, "-o", folder / "hello.o", *common.plugin_flags()]).expect()
            common.run([common.CLANGXX, folder / "hello.o", "-o", folder / "hello", *common.link_flags()]).expect()
            program = folder / "hello"
        else:
            program = common.build_hello(folder, *flags, reads_headers=True)
        cache = {"SINTER_CACHE_DIR": folder / "cache", "LLVM_PROFILE_FILE": folder / "profile"}
        common.run([program], **cache).expect(contains=["sum 14850", common.COLD])
        common.run([program], **cache).expect(contains=["sum 14850", common.WARM])


def make(name, flags):
    def test():
        common.not_sanitized()
        check_mode(flags)

    test.__doc__ = f"{name}: {' '.join(flags or ['-c, then link'])}"
    return test


for number, (mode, words) in enumerate(MODES.items()):
    globals()[f"test_{number}"] = make(mode, words)


def test_sanitizers():
    """address and undefined-behaviour sanitizers, which do not change kernels"""
    common.not_sanitized()
    with common.Folder() as folder:
        program = common.build_hello(folder, "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                                     reads_headers=True)
        cache = {"SINTER_CACHE_DIR": folder / "cache", "ASAN_OPTIONS": "detect_leaks=0"}
        common.run([program], **cache).expect(contains=["sum 14850", common.COLD], lacks=["ERROR", "runtime error"])
        common.run([program], **cache).expect(contains=["sum 14850", common.WARM], lacks=["ERROR", "runtime error"])


def check_precompiled(*flags, once=()):
    with common.Folder() as folder:
        header = os.path.join(common.SOURCE, "include/sycl/sycl.hpp")
        common.run([common.CLANGXX, "-std=c++20", "-DSINTER_LEAN_HEADERS", *flags, *once, "-x", "c++-header", header,
                    "-o", folder / "sycl.pch", *common.plugin_flags()]).expect()
        program = common.build_hello(folder, *flags, "-include-pch", folder / "sycl.pch")
        common.run([program], SINTER_CACHE_DIR=folder / "cache").expect(contains=["sum 14850", common.COLD])


def test_precompiled_header():
    """the precompiled umbrella header, optimised"""
    common.not_sanitized()
    check_precompiled("-O2")
    check_precompiled("-O2", once=["-fpch-instantiate-templates"])


def test_precompiled_header_debug():
    """the precompiled umbrella header, with debug information"""
    common.not_sanitized()
    check_precompiled("-O0", "-g")


def test_bitcode_input():
    """kernels are kept if one step makes bitcode and another step compiles the bitcode"""
    common.not_sanitized()
    with common.Folder() as folder:
        source = folder.write("hello.cpp", common.HELLO)
        common.run([common.CLANGXX, "-std=c++20", "-O2", "-emit-llvm", "-c", source, "-o", folder / "hello.bc",
                    *common.plugin_flags()]).expect()
        common.run([common.CLANGXX, folder / "hello.bc", "-o", folder / "hello", *common.link_flags()]).expect()
        common.run([folder / "hello"], SINTER_CACHE_DIR=folder / "cache").expect(contains=["sum 14850", common.COLD])


common.main(globals())
