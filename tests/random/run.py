#!/usr/bin/env python3
"""Random SYCL programs, run with Sinter in many modes and compared with a plain SYCL that shares nothing with Sinter.

  run.py --seconds 600            new programs for that long; what goes wrong is shrunk and kept in the work folder
  run.py --fixed                  the small set that always runs, and all of found/
  run.py --seed 17 --scene 3      one scene again; --mode "-O2 SINTER_TEST=lanes=4" says how
"""
import argparse
import concurrent.futures
import itertools
import os
import random
import sys
import tempfile
import threading
import time
import zlib

import builds
import lowering
import runs
import shrink
from program import make_scene, program_text, topic_of

FOUND = os.path.join(builds.HERE, "found")
LEVELS = ["-O2"] * 5 + ["-O1"] * 2 + ["-O3"] * 2 + ["-O0", "library"]
FIXED = [(1, "-O2"), (2, "-O1"), (3, "library"), (4, "-O2"), (5, "-O2"), (6, "-O2")]
FIXED_TOPICS = {2: "walks", 4: "tables", 5: "dealt", 6: "private"}
started = time.monotonic()
lock = threading.Lock()


def say(text):
    with lock:
        print(f"{time.monotonic() - started:7.1f} s  {text}", flush=True)


class Campaign:
    def __init__(self, options, builder):
        self.options, self.builder = options, builder
        self.end = started + options.seconds
        self.lowering = lowering.Lowering(options.build)
        self.counts = {"programs": 0, "scenes": 0, "runs": 0, "wrong": 0}
        self.failures = []

    def count(self, **more):
        with lock:
            for name, value in more.items():
                self.counts[name] += value

    def program(self, seed):
        """Runs one program in several modes, and shrinks it if its results are wrong."""
        options = self.options
        r = random.Random(seed)
        emulated = bool(options.emulate)
        level = r.choice([each for each in LEVELS if not emulated or each != "library"])
        topic = options.topic or topic_of(seed)
        scenes = [make_scene(seed, i, not options.no_rows, topic) for i in range(options.scenes)]
        try:
            program, plain = self.builder.compile(f"p{seed}", program_text(scenes, f"seed {seed}"), level)
        except runs.Failure as failure:
            say(f"seed {seed}: {failure}")
            self.note(seed, None, level, "compile")
            return
        self.count(programs=1, scenes=len(scenes))
        if level != "library" and not emulated:
            for problem in self.lowering.problems(program, r):
                say(f"seed {seed}: {level}: {problem}")
                self.note(seed, None, level, "lowering")
        for number in range(options.modes):
            mode = runs.Mode(level) if number == 0 and not emulated else runs.random_mode(r, level, emulated)
            if time.monotonic() > self.end:
                break
            self.judge(seed, scenes, program, plain, mode)
        say(f"seed {seed}: {len(scenes)} scenes, {level}, done")
        for path in (program, plain):
            os.unlink(path)

    def judge(self, seed, scenes, program, plain, mode):
        expected = self.builder.expected(plain, mode)
        result = self.builder.run(program, mode)
        self.count(runs=1)
        wrong = runs.verdict(expected, result)
        if wrong is None:
            return
        kind, names = wrong
        if self.builder.has_race(plain, mode):
            say(f"seed {seed}: the program has a race; mend the generator")
            self.note(seed, None, mode.text(), "race")
            return
        if not names:
            for scene in scenes:
                one = runs.verdict(self.builder.expected(plain, mode, [scene.name]),
                                     self.builder.run(program, mode, [scene.name], 120))
                if one:
                    kind = one[0]
                    names.append(scene.name)
        errors = result[2][-300:].strip() if result[0] else ""
        say(f"seed {seed}: {kind} in scenes {' '.join(names) or '(none alone)'}, {mode.text()} {errors}")
        for name in names or [None]:
            self.note(seed, name, mode.text(), kind)
        for name in names[:2] if self.options.shrink_seconds else []:
            self.shrink(seed, name, mode, kind)

    def note(self, seed, scene, mode, kind):
        self.count(wrong=1)
        with lock:
            self.failures.append((seed, scene, mode, kind))

    def shrink(self, seed, name, mode, kind):
        # This process needs a new tree, because other processes have changed their own trees.
        scene = make_scene(seed, int(name), not self.options.no_rows, self.options.topic or topic_of(seed))
        tag = f"{kind}_{seed}_{name}"
        shrinker = shrink.Shrinker(self.builder, scene, mode, kind, lambda text: say(f"  {tag}: {text}"),
                                   f"s{seed}_{name}")
        try:
            small = shrinker.shrink(self.options.shrink_seconds, time.monotonic)
        except runs.Failure as failure:
            say(f"  {tag}: {failure}")
            return
        if small is None:
            return
        path = os.path.join(self.builder.work, tag + ".cpp")
        with open(path, "w", encoding="utf-8") as file:
            file.write(program_text([small], f"mode: {mode.text()}\nseed {seed}, scene {name}: {kind}"))
        say(f"  {tag}: {path}")

    def run(self):
        r = random.Random(self.options.seed)
        numbers = itertools.count()
        start = (lambda: runs.take_two_processors(numbers)) if self.options.remote else None
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs, initializer=start) as pool:
            pending = set()
            while time.monotonic() < self.end and not (self.options.stop_at_first and self.failures):
                while len(pending) < self.options.jobs:
                    pending.add(pool.submit(self.program, r.randrange(1, 1 << 40)))
                done, pending = concurrent.futures.wait(pending, timeout=5,
                                                        return_when=concurrent.futures.FIRST_COMPLETED)
                for one in done:
                    one.result()
        say(", ".join(f"{value} {name}" for name, value in self.counts.items()) + "; " + self.lowering.text())
        return 1 if self.failures else 0


def run_fixed(options, builder):
    """Runs a few fixed programs and all programs in found/, each in a fixed set of modes."""
    jobs = []
    for name in sorted(os.listdir(FOUND)):
        if name.endswith(".cpp"):
            with open(os.path.join(FOUND, name), encoding="utf-8") as file:
                text = file.read()
            modes = [runs.Mode.parse(line[9:]) for line in text.splitlines() if line.startswith("// mode: ")]
            jobs.append((name[:-4], text, modes))
    for seed, level in FIXED:
        r = random.Random(zlib.crc32(str(seed).encode()))
        scenes = [make_scene(seed, i, not options.no_rows, FIXED_TOPICS.get(seed)) for i in range(options.scenes)]
        modes = [runs.Mode(level), runs.Mode(level, {"SINTER_TIERED": "1"})] + \
            [runs.random_mode(r, level) for _ in range(2)]
        jobs.append((f"fixed{seed}", program_text(scenes, f"seed {seed}"), modes[::2] if seed in FIXED_TOPICS else modes))

    devices = lowering.Lowering(options.build, 1 if os.environ.get("TEST_LONG") else 3)

    def one(job):
        name, text, modes = job
        bad = []
        is_lowered = name.startswith("fixed") or os.environ.get("TEST_LONG")
        by_level = {}
        for mode in modes:
            if mode.level not in by_level:
                by_level[mode.level] = builder.compile(name, text, mode.level)
                if is_lowered and mode.level != "library":
                    bad += devices.problems(by_level[mode.level][0], random.Random(len(text)))
            program, plain = by_level[mode.level]
            result = builder.run(program, mode)
            wrong = runs.verdict(builder.expected(plain, mode), result)
            if wrong:
                bad.append(f"{wrong[0]} {' '.join(wrong[1])} in mode {mode.text()} {result[2][-500:]}")
        say(f"{'FAILED' if bad else 'ok'}: {name}, {len(modes)} modes" + "".join("\n  " + text for text in bad))
        return bool(bad)
    for level in sorted({mode.level for _, _, modes in jobs for mode in modes if mode.level != "library"}):
        builder.header(level)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        is_bad = any(list(pool.map(one, jobs)))
    say(devices.text())
    return 1 if is_bad else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.environ.get("TEST_BUILD_ROOT",
                                                          os.path.join(builds.HERE, "..", "..", "build")))
    parser.add_argument("--work", help="folder for programs and what is found; a temporary one else")
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--scenes", type=int, default=20, help="of a program")
    parser.add_argument("--modes", type=int, default=5, help="each program is run in")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--shrink-seconds", type=float, default=300, help="for each scene that goes wrong; 0 for none")
    parser.add_argument("--no-rows", action="store_true", help="sub-groups in one dimension only")
    parser.add_argument("--tables", action="store_const", dest="topic", const="tables",
                        help="only scenes about tables and pointers to them")
    parser.add_argument("--walks", action="store_const", dest="topic", const="walks",
                        help="only scenes about loops from the own id by a common step and down columns")
    parser.add_argument("--dealt", action="store_const", dest="topic", const="dealt",
                        help="only scenes whose kernels deal the elements of one loop out")
    parser.add_argument("--private", action="store_const", dest="topic", const="private",
                        help="only scenes about private memory")
    parser.add_argument("--stop-at-first", action="store_true")
    parser.add_argument("--planted", help="a defect to put back for one scene; hunt.py looks for those that show it")
    parser.add_argument("--fixed", action="store_true")
    parser.add_argument("--scene", type=int)
    parser.add_argument("--mode", default="-O2")
    parser.add_argument("--emulate", metavar="ROOT", help="--build is for 64-bit Arm: qemu runs the programs, with the "
                        "packages in ROOT (tests/aarch64/sysroot.py)")
    parser.add_argument("--remote", metavar="FOLDER", help="with --emulate: a compiler that is not emulated, "
                        "BUILD/tests/aarch64/remote")
    parser.add_argument("--print", action="store_true", help="only print the program of --seed")
    options = parser.parse_args()
    if options.print:
        numbers = range(options.scenes) if options.scene is None else [options.scene]
        print(program_text([make_scene(options.seed, i, not options.no_rows, options.topic) for i in numbers],
                                   f"seed {options.seed}"))
        return 0
    with tempfile.TemporaryDirectory(prefix="sinter-random-") as folder:
        builder = builds.Builder(options.build, options.work or folder, root=options.emulate, remote=options.remote)
        builder.planted = options.planted
        if options.fixed:
            options.scenes = 12 if os.environ.get("TEST_LONG") else 6
            return run_fixed(options, builder)
        if options.scene is not None:
            mode = runs.Mode.parse(options.mode)
            scenes = [make_scene(options.seed, options.scene, not options.no_rows, options.topic)]
            program, plain = builder.compile("one", program_text(scenes, f"seed {options.seed}"), mode.level)
            campaign = Campaign(options, builder)
            campaign.judge(options.seed, scenes, program, plain, mode)
            return 1 if campaign.failures else 0
        if options.seed is None:
            options.seed = random.SystemRandom().randrange(1 << 30)
            say(f"--seed {options.seed}")
        return Campaign(options, builder).run()


if __name__ == "__main__":
    sys.exit(main())
