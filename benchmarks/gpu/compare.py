#!/usr/bin/env python3
"""Measures gpu_kernels and the same kernels in CUDA C++ in turns, and prints ratios with their intervals.

usage: compare.py [--pairs N] [--divide N] [--json FILE] [--case NAME[;SIZE]]... SYCL [CUDA]
       compare.py --first-launch [--pairs N] SYCL CUDA, the two forms of first_launch.cpp

Both programs keep running; each reports whether its results are right before and after it is measured. `--divide` makes
all sizes smaller. Without the second program, only times are printed.
"""
import argparse
import json
import os
import select
import subprocess
import sys
import tempfile

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from paired import interval, median, ratio  # pylint: disable=wrong-import-position

SAMPLE_MS = 40.0  # at least: a thread that waits for more than 5 ms sleeps in the driver, and wakes up 0.2 ms late
LIMIT_S = 60  # for one answer

#: The goals, by the beginning of the case's name. A goal is the least speed of Sinter as a share of CUDA C++'s speed.
GOALS = {"stream": 0.99, "matmul": 0.98, "n-body": 0.98, "Black-Scholes": 0.98, "Mandelbrot": 0.98, "transpose": 0.98,
         "copy up, pinned": 0.97, "copy down, pinned": 0.97, "copy up, pageable": 0.9, "copy down, pageable": 0.9,
         "pipeline": 0.9}
OTHER_GOAL = 0.95


class Side:
    """A running program that answers each line with a line."""

    def __init__(self, path):
        self.path = path
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
        self.rest = b""
        self.device = self.answer()

    def ask(self, line):
        self.process.stdin.write((line + "\n").encode())

    def answer(self):
        while b"\n" not in self.rest:
            if not select.select([self.process.stdout], [], [], LIMIT_S)[0]:
                self.process.kill()
                raise RuntimeError(f"{self.path} gives no answer within {LIMIT_S} s")
            read = os.read(self.process.stdout.fileno(), 4096)
            if not read:
                raise RuntimeError(f"{self.path} has ended with code {self.process.wait()}")
            self.rest += read
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def sample(self, runs):
        self.ask(f"sample {runs}")
        return float(self.answer())

    def stop(self):
        self.process.kill()
        self.process.wait()


def device_of(path):
    """The program's line about its device."""
    side = Side(path)
    side.stop()
    return side.device


def goal_of(name):
    return next((goal for start, goal in GOALS.items() if name.startswith(start)), OTHER_GOAL)


def all_ask(sides, line, accepted):
    """Sends a line to all sides, which work at the same time, and returns their answers; raises an error if an answer
    is not accepted."""
    for side in sides:
        side.ask(line)
    answers = [side.answer() for side in sides]
    for side, answer in zip(sides, answers):
        if not answer.startswith(accepted):
            raise RuntimeError(f"{side.path}: {line}: {answer}")
    return answers


def measure(sides, case, pairs):
    _, amount, unit = all_ask(sides, f"prepare {case}", "ready")[0].split(" ", 2)
    for side in sides:
        side.sample(1)
    runs = max(1, min(2000, int(SAMPLE_MS / max(min(side.sample(2) for side in sides), 1e-3)) + 1))
    times = [[] for _ in sides]
    for pair in range(pairs):
        # In each round, another side comes first.
        for k in range(len(sides)):
            k = (k + pair) % len(sides)
            times[k].append(sides[k].sample(runs))
    all_ask(sides, "check", "right")
    return {"case": case, "runs": runs, "amount": float(amount), "unit": unit, "ms": times}


def sizes_of(program):
    """The program's cases, with their default sizes."""
    listed = subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout
    return dict(line.split(";") for line in listed.splitlines())


def measure_all(paths, cases, pairs):
    """For each case, NAME;SIZE: the result of measure(), or a RuntimeError."""
    sides = [Side(path) for path in paths]
    for case in cases:
        try:
            yield measure(sides, case, pairs)
        except RuntimeError as error:
            yield error
            # A program that has not answered, or has printed more than its answer, is started again.
            for side in sides:
                side.stop()
            sides = [Side(path) for path in paths]
    for side in sides:
        side.stop()


def show(result):
    name = result["case"].split(";")[0]
    speeds = [1e3 * result["amount"] / median(times) for times in result["ms"]]
    line = f"{name:<38}" + "".join(f"{speed:12.1f}" for speed in speeds) + f"  {result['unit']}/s"
    if len(speeds) > 1:
        figure = ratio(result["ms"][1], result["ms"][0])
        line = f"{line:<78}{figure['median']:6.3f} [{figure['low']:.3f}, {figure['high']:.3f}]  goal {goal_of(name)}"
        line += "" if figure["median"] >= goal_of(name) else "  MISSED"
    print(line, flush=True)


def first_launches(sycl, cuda, pairs):
    """Milliseconds of first launches, measured in turns: compiled, from the cache, and with CUDA C++ if its program is
    given."""
    def run(program, cache):
        # The driver has its own cache of compiled code, so the folders of both caches are set.
        environment = {**os.environ, "SINTER_CACHE_DIR": cache, "CUDA_CACHE_DISABLE": "1"}
        result = subprocess.run([program], env=environment, timeout=LIMIT_S, capture_output=True, text=True, check=True)
        return float(result.stdout)
    programs = {"compiled": sycl, "from the cache": sycl, **({"CUDA C++": cuda} if cuda else {})}
    times = {name: [] for name in programs}
    for _ in range(pairs):
        with tempfile.TemporaryDirectory() as cache:
            for name, program in programs.items():
                times[name].append(run(program, cache))
    return times


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=21)
    parser.add_argument("--divide", type=int, default=1)
    parser.add_argument("--json")
    parser.add_argument("--case", action="append", default=[])
    parser.add_argument("--first-launch", action="store_true")
    parser.add_argument("programs", nargs="+")
    options = parser.parse_args()
    if options.first_launch:
        for name, values in first_launches(*options.programs, options.pairs).items():
            low, high = interval(values)
            print(f"first launch of n-body, {name:<22}{median(values):8.2f} ms [{low:.2f}, {high:.2f}]", flush=True)
        return
    listed = sizes_of(options.programs[0])
    cases = []
    for case in options.case or list(listed):
        name, _, size = case.partition(";")
        cases.append(f"{name};{int(size or listed[name]) // options.divide}")
    devices = [device_of(path) for path in options.programs]
    print("; ".join(devices))
    if any(device == "no GPU" for device in devices):
        return
    results, wrong = [], False
    for case, result in zip(cases, measure_all(options.programs, cases, options.pairs)):
        if isinstance(result, RuntimeError):
            wrong = True
            print(f"{case.partition(';')[0]:<38}{result}", flush=True)
        else:
            results.append(result)
            show(result)
        if options.json:
            with open(options.json, "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
