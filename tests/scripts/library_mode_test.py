#!/usr/bin/env python3
"""Library mode: the end-to-end programs built with g++ and without the plugin give the same results on the host."""
import concurrent.futures
import os

import common

E2E = os.path.join(common.SOURCE, "tests", "e2e")
PHOTO = os.path.join(common.SOURCE, "examples", "photo")
PROGRAMS = {name: [name + ".cpp"] for name in (
    "usm_basic", "ranges", "nd_ranges", "barriers", "buffers", "queues", "exceptions", "atomics", "group_algorithms",
    "reductions", "accessors", "kernel_bundles", "hierarchical", "misuse", "fusion_basic", "ported", "extensions")}
# g++ takes minutes for these programs, and they behave the same with and without the plugin.
if common.LONG:
    PROGRAMS |= {name: [name + ".cpp"] for name in (
        "large_groups", "templates", "macros", "captures", "concurrent", "sub_groups", "programs", "fusion_sync",
        "math", "vec", "marray", "math_functions", "math_specials", "math_integer", "math_pairs",
        "math_relational",
        "fusion_shapes", "fusion_pointers", "fusion_legality")}
    PROGRAMS["surface"] = ["surface.cpp", "surface_names.cpp"]
PROGRAMS["shared_header"] = ["shared_header.cpp", "shared_header_second.cpp"]
PROGRAMS["external"] = ["external.cpp", "external_second.cpp"]
PROGRAMS["linked_library"] = ["linked_library.cpp", "library_kernels.cpp"]


def build_and_run(name, sources, folder, compiler, extra=()):
    flags = common.pkg_config("sinter-library", "--libs")
    sources = [source if os.path.isabs(source) else os.path.join(E2E, source) for source in sources]
    words = ["-std=c++20", "-O0", "-Wall", "-Wextra", "-DSINTER_E2E_LIBRARY_MODE", "-DSINTER_LEAN_HEADERS",
             "-DSINTER_E2E_AMOUNT=100", "-pthread", *common.pkg_config("sinter-library", "--cflags")]
    # This program defines macros that change the headers, so it can't use precompiled headers.
    if name != "ported":
        words = common.read_headers(*words, compiler=compiler)
    common.run([compiler, *words, *sources, "-o", folder / name, *flags, *extra,
                *common.runtime_path(os.path.join(common.BUILD, "src"))]).expect()
    common.run([folder / name], SINTER_CACHE_DIR=folder / "cache").expect(contains=["jit=0 cache=0"])


def all_programs(compiler):
    common.not_sanitized()
    common.need(compiler)
    with common.Folder() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = {name: pool.submit(build_and_run, name, sources, folder, compiler) for name, sources in PROGRAMS.items()}
        photo = [os.path.join(E2E, "photo_test.cpp"), os.path.join(PHOTO, "pipeline.cpp")]
        jobs["photo"] = pool.submit(build_and_run, "photo", photo, folder, compiler, ["-I" + PHOTO])
        failures = []
        for name, job in jobs.items():
            try:
                job.result()
            except AssertionError as error:
                failures.append(f"{name}: {error}")
        common.check(not failures, "\n".join(failures))


def test_gcc():
    """the programs give the same results when compiled with g++"""
    all_programs(common.GXX)


def test_closed_library():
    """closing a library waits for its kernels and host tasks, which are host code here"""
    common.not_sanitized()
    flags = common.pkg_config("sinter-library", "--cflags", "--libs")
    # g++ makes unique symbols for inline variables, and a library with unique symbols stays loaded when it is closed.
    for compiler, extra in ((common.CLANGXX, []), (common.GXX, ["-fno-gnu-unique"])):
        common.need(compiler)
        with common.Folder() as folder:
            command = [compiler, "-std=c++20", "-O0", "-DSINTER_E2E_LIBRARY_MODE", "-fPIC", *extra]
            path = common.runtime_path(os.path.join(common.BUILD, "src"))
            for name, amount in (("a", 100), ("b", 7000)):
                common.run([*command, f"-DSINTER_E2E_AMOUNT={amount}", "-shared", os.path.join(E2E, "library_kernels.cpp"),
                            "-o", folder / f"{name}.so", *flags, "-pthread", *path]).expect()
            common.run([*command, os.path.join(E2E, "opened_library.cpp"), "-o", folder / "opened", *flags, "-pthread",
                        "-ldl", *path]).expect()
            common.run([folder / "opened"], E2E_LIBRARY_A=folder / "a.so", E2E_LIBRARY_B=folder / "b.so",
                       SINTER_CACHE_DIR=folder / "cache").expect(contains=["jit=0 cache=0"])


def test_clang_without_plugin():
    """a program gives the same result with clang and without the plugin"""
    common.not_sanitized()
    with common.Folder() as folder:
        build_and_run("barriers", PROGRAMS["barriers"], folder, common.CLANGXX)


common.main(globals())
