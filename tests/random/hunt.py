#!/usr/bin/env python3
"""Checks whether random programs find defects that are put back on purpose. Each program first runs without a defect,
and the library prints which scenes a defect would affect; then these scenes run with the defect.

  hunt.py --seconds 1200 [NAME...]     the build needs -Dplanted_errors=true; without names it looks for all of them
  hunt.py --jobs 16 --seed 7 [NAME...]

Prints after how many programs and seconds of processor time each defect was found. The time is a sum: the time of the
runs with this defect, and the time of all runs without a defect so far, of all programs.
"""
import argparse
import concurrent.futures
import os
import random
import re
import resource
import sys
import tempfile
import time

import builds
import runs
from program import make_scene, program_text

ROOT = os.path.join(builds.HERE, "..", "..")
LEVELS = ["-O2", "-O2", "-O3", "-O1"]


def planted_names():
    """The names of all planted errors in the sources."""
    names = set()
    for folder, _, files in [one for top in ("jitd", "src") for one in os.walk(os.path.join(ROOT, top))]:
        for name in files:
            if name.endswith((".cpp", ".hpp")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    names.update(re.findall(r'is_planted\("(\w+)"\)', file.read()))
    return sorted(names)


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--build", default=os.path.join(ROOT, "build"))
    parser.add_argument("--seconds", type=float, default=1200)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument("--scenes", type=int, default=20)
    parser.add_argument("--modes", type=int, default=3, help="each program is run in: compiling takes longer")
    parser.add_argument("--jobs", type=int, default=1, help="programs at a time")
    parser.add_argument("--verbose", action="store_true", help="what each program reached")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sinter-hunt-") as work:
        builder = builds.Builder(options.build, work)
        for level in ["plain", *LEVELS]:
            builder.header(level)
        return Hunt(options, builder).run()


class Tried:
    """The results of one program. A separate process tries each program, so that the processor time of its children can
    be measured."""

    def __init__(self):
        self.shared, self.own, self.reached, self.found, self.lines = 0.0, {}, {}, {}, []


def have_builder(builder):
    """Initialises a process that tries programs."""
    try_program.builder = builder


def try_program(seed, number, scenes, modes, names):
    """Runs one program in some modes: without a planted error, and with those errors of `names` that would affect
    it."""
    builder, tried, before = try_program.builder, Tried(), processor_time()
    scenes = [make_scene(seed, i) for i in range(scenes)]
    programs = ()
    try:
        programs = builder.compile(f"hunted{seed}", program_text(scenes, f"seed {seed}"), modes[0].level)
        tried.shared += processor_time() - before
        for mode in modes:
            left = [name for name in names if name not in tried.found]
            try_mode(builder, programs, mode, left, tried, f"seed {seed}, {mode.text()}; program {number}")
    except runs.Failure as failure:
        tried.lines.append(f"seed {seed}: {failure}")
    for path in programs:
        os.unlink(path)
    return tried


def try_mode(builder, programs, mode, names, tried, where):
    (program, plain), before = programs, processor_time()
    # Code from the cache would not contain the planted error, so the program must be compiled anew.
    builder.planted, cold = "?", runs.Mode(mode.level, mode.variables)
    result = builder.run(program, cold)
    wrong = runs.verdict(builder.expected(plain, mode), result)
    tried.shared += processor_time() - before
    if wrong:
        tried.lines.append(f"{where}: {wrong[0]} in {' '.join(wrong[1])} without anything planted")
        return
    reached, scene = {}, None
    for line in result[2].splitlines():
        if line.startswith("scene "):
            scene = line.split()[1]
        elif line.startswith("planted "):
            reached.setdefault(line.split()[1], {})[scene] = True
    for name in [one for one in names if one in reached]:
        words = list(reached[name])
        tried.reached[name] = tried.reached.get(name, 0) + len(words)
        before, builder.planted = processor_time(), name
        wrong = runs.verdict(builder.expected(plain, mode, words), builder.run(program, mode, words))
        tried.own[name] = tried.own.get(name, 0.0) + processor_time() - before
        if wrong:
            tried.found[name] = f"{wrong[0]} in scene {' '.join(wrong[1])} of {where}"


class Hunt:
    def __init__(self, options, builder):
        self.options, self.builder = options, builder
        self.left = options.names or planted_names()
        self.shared, self.own = 0.0, {name: 0.0 for name in self.left}
        self.reached = {name: 0 for name in self.left}

    def run(self):
        options = self.options
        r, end, programs = random.Random(options.seed), time.monotonic() + options.seconds, 0
        print(f"--seed {options.seed}: {' '.join(self.left)}", flush=True)
        with concurrent.futures.ProcessPoolExecutor(options.jobs, initializer=have_builder,
                                                    initargs=(self.builder,)) as pool:
            pending = set()
            while self.left and time.monotonic() < end:
                while len(pending) < options.jobs:
                    programs += 1
                    seed, level = r.randrange(1, 1 << 40), r.choice(LEVELS)
                    modes = [runs.random_mode(r, level) for _ in range(options.modes)]
                    modes[-1].variables["PROGRAM_FUSION"] = "list"  # otherwise errors of lists would rarely show
                    pending.add(pool.submit(try_program, seed, programs, options.scenes, modes, list(self.left)))
                done, pending = concurrent.futures.wait(pending, return_when=concurrent.futures.FIRST_COMPLETED)
                for one in done:
                    self.add(one.result())
            for one in pending:
                if not one.cancel():
                    self.add(one.result())
        words = [f"{name} ({self.reached[name]} scenes reached it, {self.shared + self.own[name]:.0f} s)"
                 for name in self.left]
        print(f"{programs} programs of {options.scenes} scenes, {self.shared:.0f} s without anything planted; "
              f"not found: {', '.join(words) or 'none'}", flush=True)
        return 1 if self.left else 0

    def add(self, tried):
        for line in tried.lines:
            print(line, flush=True)
        self.shared += tried.shared
        for name in list(self.left):
            self.reached[name] += tried.reached.get(name, 0)
            self.own[name] += tried.own.get(name, 0.0)
            if name in tried.found:
                self.left.remove(name)
                print(f"{name}: {tried.found[name]}, {self.reached[name]} scenes reached it, "
                      f"{self.shared + self.own[name]:.0f} s of processor time, {self.own[name]:.0f} s of that with it",
                      flush=True)
        if self.options.verbose:
            words = [f"{name} {self.reached[name]} scenes {self.own[name]:.0f} s" for name in self.left]
            print(f"  {self.shared:.0f} s: {', '.join(words)}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
