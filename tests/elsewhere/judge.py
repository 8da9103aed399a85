#!/usr/bin/env python3
"""Runs the tests that pack.py packed, on the device that SINTER_DEVICE names (gpu without it), and prints a table of
the failures.

If the archive has programs for 64-bit Arm (a folder `root`), the programs run under qemu, with NEON, and with SVE
vectors of three lengths.

usage: ./with ./judge [--sub-group SIZE] [--graphs SEEDS] [--jobs JOBS] [--seconds SECONDS] [--logs FOLDER] [--only WORD]
                      [--first WORD+...] [--start-within SECONDS] [--end-within SECONDS]
"""
import argparse
import collections
import concurrent.futures
import glob
import itertools
import os
import random
import sys
import tempfile
import threading
import time

import runs

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "bin")
ROOT = os.path.join(HERE, "root")
EMULATES = os.path.isdir(ROOT)
# Like tests/e2e/meson.build, this script sets SINTER_TEST=fuse-small for these tests, because fusion would not make
# their small kernels faster.
FUSES_SMALL = ("e2e_fusion_auto", "e2e_fusion_random", "e2e_fusion_rows", "e2e_fusion_stencils", "e2e_fusion_threads",
               "e2e_stencil_guards", "e2e_stencil_layouts", "e2e_stencil_shapes", "e2e_stencil_sums")
PLANTED = ["edges", "updates", "temporaries"]


def modes_of(name, level):
    """Chooses three modes, always the same ones for one name: one without fusion, which runs from the cache, and two
    with fusion."""
    r = random.Random(name)
    if EMULATES:
        modes = []
        for kind in runs.EMULATED:
            mode = runs.random_mode(r, level, emulated=True)
            mode.variables["QEMU_CPU"] = kind
            modes.append(mode)
        return modes
    others = [runs.Mode(level, {"PROGRAM_FUSION": fusion, **({"SINTER_TEST": "fuse-small"} if fusion == "auto" else {})})
              for fusion in sorted(set(runs.FUSIONS))]
    return [runs.Mode(level, warm=True), *r.sample(others, 2)]


class Judge:
    def __init__(self, options):
        self.options, self.runner = options, runs.Runner(16 if EMULATES else options.sub_group)
        if EMULATES:
            words = runs.emulator(ROOT, os.path.join(HERE, "lib"), os.path.join(HERE, "native", "qemu-aarch64-static"))
            # run_cold_warm.py runs two programs, and each of the two programs may take `options.seconds`.
            self.runner.emulator = ["timeout", "-k", "2", str(int(options.seconds)), *words]
        self.last_start = time.monotonic() + options.start_within
        self.counts, self.wrong = collections.Counter(), collections.defaultdict(list)
        self.running, self.counting = set(), threading.Lock()

    def log(self, name, text):
        if self.options.logs:
            with open(os.path.join(self.options.logs, name + ".log"), "w", encoding="utf-8") as file:
                file.write(text)

    def exit_code(self, kind, name, command, environment=None):
        """Runs a program whose exit code says whether it succeeded."""
        start = time.monotonic()
        code, text, errors = runs.call(command, 2 * self.options.seconds + 20, dict(os.environ, **(environment or {})))
        self.log(name.replace(" ", "_"), f"{time.monotonic() - start:.1f} s\n" + text + errors)
        reason = None if code == 0 else f"{name} ({code}): {(text + errors).strip()[-200:]}"
        return kind, reason

    def end_to_end(self, path, cpu=None):
        runner = [sys.executable, os.path.join(HERE, "run_cold_warm.py"), "--any-output", "--", *self.runner.emulator, path]
        name = os.path.basename(path)
        environment = {"SINTER_TEST": "fuse-small"} if name in FUSES_SMALL else {}
        if cpu:
            environment["QEMU_CPU"] = cpu
            name += " " + cpu
        return [self.exit_code("end-to-end programs, cold and warm", name, runner, environment)]

    def unit(self, path, cpu):
        with tempfile.TemporaryDirectory() as cache:
            return [self.exit_code("unit tests", os.path.basename(path) + " " + cpu, [*self.runner.emulator, path],
                                   {"QEMU_CPU": cpu, "SINTER_CACHE_DIR": cache})]

    def named(self, path):
        with tempfile.TemporaryDirectory() as cache:
            return [self.exit_code("named programs", os.path.basename(path), [path], {"SINTER_CACHE_DIR": cache})]

    def graphs(self, words):
        name, kind = "graph_stress_" + "_".join(words), "errors planted in graphs" if len(words) > 2 else "random graphs"
        found = self.exit_code(kind, name, [os.path.join(PROGRAMS, "graph_stress"), *words])
        # The program stops at the first wrong graph, so all failures of a run count as one.
        return [found] + ([(kind, None)] * (int(words[0]) - 1) if len(words) == 2 else [])

    def random(self, path, mode):
        """Runs a random program. Each scene counts as one case."""
        name = os.path.basename(path).rpartition("-")[0]
        plain = os.path.join(PROGRAMS, name + ".plain")
        found, start = [], time.monotonic()
        result = self.runner.run(path, mode)
        seconds = f"{time.monotonic() - start:.1f} s\n"
        self.log(f"{name} {mode.text()}".replace(" ", "_"), seconds + result[1] + result[2])
        expected = self.runner.expected(plain, mode)
        scenes = list(dict.fromkeys(line.split()[1] for line in expected.splitlines()))
        wrong = runs.verdict(expected, result)
        names = wrong[1] if wrong else []
        if wrong and not names:  # the program did not come to its end, so each scene runs alone
            for scene in scenes:
                one = runs.verdict(self.runner.expected(plain, mode, [scene]),
                                   self.runner.run(path, mode, [scene], 120))
                if one:
                    names.append(scene)
        if wrong and not names:
            names = ["together"]
        for scene in scenes:
            found.append(("random kernels, scenes in modes", f"{name} {scene} {mode.text()}: {wrong[0]}"
                          if scene in names else None))
        found += [("random kernels, scenes in modes", f"{name} {mode.text()}: {wrong[0]} {result[2][-200:]}")
                  for scene in names if scene not in scenes]
        return found

    def run(self):
        jobs = []  # names, and what to do

        def add(work, *words, label=""):
            jobs.append((label, lambda: work(*words)))
        for path in sorted(glob.glob(os.path.join(PROGRAMS, "*"))):
            name = os.path.basename(path)
            if name.startswith("random_") and not path.endswith(".plain"):
                program, _, level = name.rpartition("-")
                for mode in modes_of(program, "-" + level):
                    add(self.random, path, mode, label=f"{program} {mode.text()}")
            elif name.startswith("e2e_") and EMULATES:
                for cpu in runs.EMULATED:
                    add(self.end_to_end, path, cpu, label=f"{name} {cpu}")
            elif name.startswith("unit_"):
                for cpu in runs.EMULATED:
                    add(self.unit, path, cpu, label=f"{name} {cpu}")
            elif name.startswith("e2e_"):
                add(self.end_to_end, path, label=name)
            elif name.startswith("named_"):
                add(self.named, path, label=name)
        # The seeds are divided among several processes, so that all processors have work.
        seeds, part = 0 if EMULATES else self.options.graphs, 100
        graphs = [[str(min(part, seeds - first)), str(first + 1)] for first in range(0, seeds, part)]
        graphs += [["150", "1", planted] for planted in ([] if EMULATES else PLANTED)]
        for words in graphs:
            add(self.graphs, words, label=" ".join(["graph_stress", *words]))
        jobs = [job for job in jobs if self.options.only in job[0]]
        first = [word for word in self.options.first.split("+") if word]
        jobs.sort(key=lambda job: next((i for i, word in enumerate(first) if word in job[0]), len(first)))
        numbers = itertools.count()
        start = (lambda: runs.take_two_processors(numbers)) if EMULATES else None
        end = threading.Timer(self.options.end_within, self.stop)
        end.daemon = True
        end.start()
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs, initializer=start) as pool:
            for done in concurrent.futures.as_completed([pool.submit(self.one, *job) for job in jobs]):
                self.count(done.result())
        end.cancel()
        self.print_table()
        return 1 if any(self.wrong.values()) or not self.counts else 0

    def one(self, name, work):
        if time.monotonic() > self.last_start:
            print("left out:", name, flush=True)
            return [("left out, because there was no time", None)]
        job = (name, time.monotonic())
        with self.counting:
            self.running.add(job)
        found = work()
        with self.counting:
            self.running.discard(job)
        return found

    def count(self, found):
        with self.counting:
            for kind, reason in found:
                self.counts[kind] += 1
                if reason:
                    self.wrong[kind].append(reason)
                    print("WRONG:", reason, flush=True)

    def print_table(self):
        for kind, count in sorted(self.counts.items()):
            print(f"{kind:40} {count - len(self.wrong[kind]):6} right {len(self.wrong[kind]):6} wrong", flush=True)

    def stop(self):
        """Ends this process in the middle. The programs that it has started end by themselves."""
        with self.counting:
            for name, start in sorted(self.running):
                print(f"UNFINISHED after {time.monotonic() - start:.0f} s: {name}")
            self.print_table()
            os._exit(1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sub-group", type=int, default=32, help="how many work-items a sub-group of the device has")
    parser.add_argument("--graphs", type=int, default=1000, help="how many random graphs")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=float, default=300, help="for each program")
    parser.add_argument("--start-within", type=float, default=1e6, help="seconds after which nothing more is started")
    parser.add_argument("--end-within", type=float, default=1e6, help="seconds after which the judge ends at once")
    parser.add_argument("--first", default="", metavar="WORD+WORD...",
                        help="programs with the first word in their names start first, then those with the second")
    parser.add_argument("--logs", help="folder for what each program prints")
    parser.add_argument("--only", default="", help="what has this in its name")
    options = parser.parse_args()
    os.environ.setdefault("SINTER_DEVICE", "cpu" if EMULATES else "gpu")
    if options.logs:
        os.makedirs(options.logs, exist_ok=True)
    return Judge(options).run()


if __name__ == "__main__":
    sys.exit(main())
