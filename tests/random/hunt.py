#!/usr/bin/env python3
"""Are defects that were put back found? Programs run as they are first; the library says which scenes a defect would
make a difference to, and these run with it.

  hunt.py --seconds 1200 [NAME...]     the build needs -Dplanted_errors=true; without names it looks for all of them

Says after how many programs and seconds of processor time each was found: its own runs and what programs took before.
"""
import argparse
import os
import random
import re
import resource
import sys
import tempfile
import time

import builds
from program import make_scene, program_text

ROOT = os.path.join(builds.HERE, "..", "..")


def planted_names():
    """As the sources ask for them."""
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
    parser.add_argument("--verbose", action="store_true", help="what each program reached")
    options = parser.parse_args()
    hunt = Hunt(options)
    with tempfile.TemporaryDirectory(prefix="sinter-hunt-") as work:
        return hunt.run(builds.Builder(options.build, work))


class Hunt:
    def __init__(self, options):
        self.options = options
        self.left = options.names or planted_names()
        self.shared, self.own = 0.0, {name: 0.0 for name in self.left}
        self.reached = {name: 0 for name in self.left}

    def run(self, builder):
        options = self.options
        r, end, programs = random.Random(options.seed), time.monotonic() + options.seconds, 0
        print(f"--seed {options.seed}: {' '.join(self.left)}", flush=True)
        while self.left and time.monotonic() < end:
            seed, level = r.randrange(1, 1 << 40), r.choice(["-O2", "-O2", "-O3", "-O1"])
            programs += 1
            try:
                modes = [builds.random_mode(r, level) for _ in range(options.modes)]
                modes[-1].variables["PROGRAM_FUSION"] = "list"  # else few programs meet what lists can do wrong
                self.program(builder, seed, modes, programs)
            except builds.Failure as failure:
                print(f"seed {seed}: {failure}", flush=True)
        words = [f"{name} ({self.reached[name]} scenes reached it, {self.shared + self.own[name]:.0f} s)"
                 for name in self.left]
        print(f"{programs} programs of {options.scenes} scenes, {self.shared:.0f} s without anything planted; "
              f"not found: {', '.join(words) or 'none'}", flush=True)
        return 1 if self.left else 0

    def program(self, builder, seed, modes, number):
        before = processor_time()
        scenes = [make_scene(seed, i) for i in range(self.options.scenes)]
        programs = builder.compile("hunted", program_text(scenes, f"seed {seed}"), modes[0].level)
        self.shared += processor_time() - before
        for mode in modes:
            self.run_in(builder, programs, [one.name for one in scenes if one.is_known], mode,
                        f"seed {seed}, {mode.text()}; program {number}")
        if self.options.verbose:
            words = [f"{name} {self.reached[name]} scenes {self.own[name]:.0f} s" for name in self.left]
            print(f"  program {number}, {self.shared:.0f} s: {', '.join(words)}", flush=True)

    def run_in(self, builder, programs, known, mode, where):
        """One program in one mode, without and with what is looked for."""
        (program, plain), before = programs, processor_time()
        builder.planted = "?"
        result = builder.run(program, mode)
        wrong = builds.verdict(builder.expected(plain, mode), result, known)
        self.shared += processor_time() - before
        if wrong:
            names = " ".join(wrong[1])
            print(f"{where}: {wrong[0]} in {names} without anything planted", flush=True)
            return
        reached, scene = {}, None
        for line in result[2].splitlines():
            if line.startswith("scene "):
                scene = line.split()[1]
            elif line.startswith("planted "):
                reached.setdefault(line.split()[1], {})[scene] = True
        for name in [one for one in self.left if one in reached]:
            words = list(reached[name])
            self.reached[name] += len(words)
            before, builder.planted = processor_time(), name
            wrong = builds.verdict(builder.expected(plain, mode, words), builder.run(program, mode, words), known)
            self.own[name] += processor_time() - before
            if wrong:
                self.left.remove(name)
                print(f"{name}: {wrong[0]} in scene {' '.join(wrong[1])} of {where}, {self.reached[name]} scenes reached "
                      f"it, {self.shared + self.own[name]:.0f} s of processor time", flush=True)


if __name__ == "__main__":
    sys.exit(main())
