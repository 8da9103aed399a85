#!/usr/bin/env python3
"""Packs tests for a machine with another device, such as a GPU: random kernels, random graphs, end-to-end programs, and
the programs that the command line names.

usage: pack.py ARCHIVE --build BUILD [--random PROGRAMS] [--seed SEED] [--sub-group SIZE] [PROGRAM.cpp[,FLAG...] ...]
       pack.py ARCHIVE --build BUILD --emulate ROOT --remote FOLDER [--random PROGRAMS] [--seed SEED]

A named program is compiled with Sinter (`cases.cpp,-DV=2,-g` adds the flags -DV=2 and -g). The program's exit code says
whether the test succeeded. In the unpacked folder, `./with ./judge` runs all tests on the device that SINTER_DEVICE
names and prints a table (judge.py). `./judge` needs Python 3. --emulate: BUILD is for 64-bit Arm. `./judge` then runs
all programs, unit tests and random programs under qemu, which is in the archive. Each of them runs with NEON, and with
SVE vectors of three lengths. tests/random/run.py describes ROOT and FOLDER.
"""
import argparse
import concurrent.futures
import os
import random
import shutil
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")
for folder in ("tests/random", "packaging"):
    sys.path.insert(0, os.path.join(ROOT, folder))

import builds  # noqa: E402
import bundle  # noqa: E402
import limits  # noqa: E402
import runs  # noqa: E402
from program import make_scene, program_text, topic_of  # noqa: E402

SCENES = 20
# Unit tests of the JIT are not packed, because they need LLVM in the program itself.
EMULATED_UNITS = ("unit_cpu", "unit_images", "unit_promotions", "unit_runtime", "unit_scheduler")
# The first program tests only the CPU. The second one opens libraries of the build folder. The third one needs Level
# Zero.
NOT_ELSEWHERE = ("e2e_tiered", "e2e_opened_library", "e2e_level_zero_interop")
# The name of a random program ends in the optimisation level with which it was compiled.
LEVELS = ["-O2", "-O2", "-O1", "-O3"]


def random_programs(builder, options):
    """Compiles random programs with Sinter and with plain SYCL. Also writes a file with the names of those scenes whose
    fusion lists no mode may trust."""
    r = random.Random(options.seed)
    if not options.emulate:
        limits.sub_group, limits.private_bytes = options.sub_group, 1 << 14
    chosen = [(r.randrange(1, 1 << 40), r.choice(LEVELS)) for _ in range(options.random)]
    for level in {level for _, level in chosen}:
        builder.header(level)

    def make(seed, level):
        scenes = [make_scene(seed, i, topic=topic_of(seed)) for i in range(SCENES)]
        try:
            made = builder.compile(f"random_{seed}", program_text(scenes, f"seed {seed}"), level)
        except runs.Failure as failure:
            sys.exit(f"seed {seed}: {failure}")
        return made
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        results = list(pool.map(lambda one: make(*one), chosen))
    return [path for made in results for path in made]


def named_programs(builder, options):
    def make(words):
        source, *flags = words.split(",")
        name = "_".join(["named", os.path.splitext(os.path.basename(source))[0], *(flag.lstrip("-") for flag in flags)])
        program = os.path.join(builder.work, name)
        code, _, errors = runs.call([builder.compiler, "-std=c++20", "-O2", "-w", *flags, *builder.flags, source, "-o",
                                     program, *builder.libraries], 600)
        if code != 0:
            print(f"{words} does not compile: {errors[:1000]}")
            return []
        return [program]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        return [path for made in pool.map(make, options.programs) for path in made]


def add_libraries(programs, folder):
    """Copies the libraries that the programs' loader opens, except those of the C library, which must be the target
    machine's own."""
    for program in programs:
        for name, path in bundle.needed_by(program).items():
            target = os.path.join(folder, name)
            is_own = not bundle.other_root and bundle.FROM_SYSTEM.search(path)
            if not os.path.exists(target) and not name.startswith("libsinter") and not is_own:
                bundle.copy(path, target, strip=False)


COMPILER = """#!/bin/sh
here=$(cd "$(dirname "$0")/../native" && pwd)
LD_LIBRARY_PATH=$here:$NATIVE_LIBRARIES exec "$here/remote-compiler" "$@"
"""


def make_emulated(options, programs, made, files):
    """root: files that the emulated machine needs; native: programs that run on the real machine; lib: Sinter,
    and a script that starts its compiler."""
    with tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, "sinter")
        places = {name: os.path.join(tree, name) for name in ("bin", "lib", "native", "root")}
        for path in places.values():
            os.makedirs(path)
        libraries = os.path.join(places["root"], "lib", "aarch64-linux-gnu")
        qemu = shutil.which("qemu-aarch64-static")
        add_libraries([os.path.join(options.remote, "remote-compiler")], places["native"])
        bundle.copy(os.path.join(options.remote, "remote-compiler"), os.path.join(places["native"], "remote-compiler"))
        shutil.copy(qemu, places["native"])
        bundle.write(os.path.join(places["lib"], "remote-compiler"), COMPILER)
        bundle.other_root = os.path.abspath(options.emulate)
        inside = os.path.join(bundle.other_root, "lib", "aarch64-linux-gnu")
        others = [os.path.join(inside, name) for name in ("libsleefgnuabi.so.3", "libgcc_s.so.1")]
        own = [os.path.join(options.remote, name) for name in ("libsinter.so.0", "libsinter-jit.so")]
        os.makedirs(libraries)
        add_libraries([*programs, *own, *others], libraries)
        for path in others:
            bundle.copy(path, os.path.join(libraries, os.path.basename(path)), strip=False)
        bundle.copy(os.path.join(bundle.other_root, "lib", "ld-linux-aarch64.so.1"),
                    os.path.join(places["root"], "lib", "ld-linux-aarch64.so.1"), strip=False)
        for path in own:
            bundle.copy(path, os.path.join(places["lib"], os.path.basename(path)))
        for path in programs + [path for path in made if not path.endswith(".plain")]:
            bundle.copy(path, os.path.join(places["bin"], os.path.basename(path)))
        bundle.other_root = None
        for path in made:
            if path.endswith(".plain"):
                bundle.copy(path, os.path.join(places["bin"], os.path.basename(path)))
        for path in files:
            shutil.copy(path, tree)
        bundle.packed(options.archive, tree)
    print(f"{options.archive}: {len(programs) + len(made) // 2} programs, {os.path.getsize(options.archive) / 1e6:.0f} MB")


def unit_programs(build):
    found = []
    for folder, _, names in os.walk(os.path.join(build, "tests", "unit")):
        found += [os.path.join(folder, name) for name in names if name in EMULATED_UNITS]
    return sorted(found)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive")
    parser.add_argument("--build", required=True)
    parser.add_argument("--random", type=int, default=30, help="how many random programs, of 20 scenes each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sub-group", type=int, default=32, help="how many work-items a sub-group of the device has")
    parser.add_argument("--end-to-end", action="append", help="name of an end-to-end program; all if none is given")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--emulate", metavar="ROOT")
    parser.add_argument("--remote", metavar="FOLDER")
    parser.add_argument("programs", nargs="*")
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory(prefix="sinter-elsewhere-") as work:
        try:
            builder = builds.Builder(options.build, work, root=options.emulate, remote=options.remote)
            programs = bundle.programs_of(options.build)
            if options.end_to_end is not None:
                programs = [path for path in programs if os.path.basename(path) in options.end_to_end]
            programs = [path for path in programs if os.path.basename(path) not in NOT_ELSEWHERE]
            if options.emulate:
                programs = [path for path in programs if "e2e_" in path] + unit_programs(options.build)
            else:
                programs.append(os.path.join(options.build, "tests", "devices", "graph_stress"))
            programs += named_programs(builder, options)
            made = random_programs(builder, options)
            judge = os.path.join(work, "judge")
            shutil.copy(os.path.join(HERE, "judge.py"), judge)
            os.chmod(judge, 0o755)
            files = [judge, os.path.join(ROOT, "tests/random/runs.py"),
                     os.path.join(ROOT, "tests/e2e/run_cold_warm.py")]
            if options.emulate:
                make_emulated(options, programs, made, files)
            else:
                bundle.make(options.archive, programs + made, files=files)
        except (bundle.Problem, runs.Failure) as problem:
            sys.exit(f"pack.py: {problem}")


if __name__ == "__main__":
    main()
