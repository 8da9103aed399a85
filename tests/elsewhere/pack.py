#!/usr/bin/env python3
"""Packs tests for a machine with another device, such as a GPU: random kernels, random graphs, end-to-end programs, and
programs that are named.

usage: pack.py ARCHIVE --build BUILD [--random PROGRAMS] [--seed SEED] [--sub-group SIZE] [PROGRAM.cpp[,FLAG...] ...]

A named program is compiled with Sinter (`cases.cpp,-DV=2,-g`: with these flags); it says by its exit code whether it
went well. In the unpacked folder,
`./with ./judge` runs all on the device that SINTER_DEVICE names and prints a table (judge.py); it needs Python 3.
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
# The first tests only the CPU, the second opens libraries of the build folder, the third asks for Level Zero.
NOT_ELSEWHERE = ("e2e_tiered", "e2e_opened_library", "e2e_level_zero_interop")
# The name of a random program ends in the level with which it was compiled.
LEVELS = ["-O2", "-O2", "-O1", "-O3"]


def random_programs(builder, options):
    """Programs compiled with Sinter and with plain SYCL, and a file of the scenes whose lists may not be trusted."""
    r = random.Random(options.seed)
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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive")
    parser.add_argument("--build", required=True)
    parser.add_argument("--random", type=int, default=30, help="how many random programs, of 20 scenes each")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sub-group", type=int, default=32, help="how many work-items a sub-group of the device has")
    parser.add_argument("--end-to-end", action="append", help="name of an end-to-end program; all if none is given")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("programs", nargs="*")
    options = parser.parse_intermixed_args()
    with tempfile.TemporaryDirectory(prefix="sinter-elsewhere-") as work:
        try:
            builder = builds.Builder(options.build, work)
            programs = bundle.programs_of(options.build)
            if options.end_to_end is not None:
                programs = [path for path in programs if os.path.basename(path) in options.end_to_end]
            programs = [path for path in programs if os.path.basename(path) not in NOT_ELSEWHERE]
            programs.append(os.path.join(options.build, "tests", "devices", "graph_stress"))
            programs += named_programs(builder, options)
            made = random_programs(builder, options)
            judge = os.path.join(work, "judge")
            shutil.copy(os.path.join(HERE, "judge.py"), judge)
            os.chmod(judge, 0o755)
            files = [judge, os.path.join(ROOT, "tests/random/runs.py"),
                     os.path.join(ROOT, "tests/e2e/run_cold_warm.py")]
            bundle.make(options.archive, programs + made, files=files)
        except (bundle.Problem, runs.Failure) as problem:
            sys.exit(f"pack.py: {problem}")


if __name__ == "__main__":
    main()
