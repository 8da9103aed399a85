#!/usr/bin/env python3
"""Compares two builds of Sinter: runs each benchmark of both builds in turns, and prints for each row how long this
build takes relative to the other one, with an interval. Rows that only one build has are left out."""
import argparse
import json
import os
import subprocess
import sys

from cpu_programs import CPU_PROGRAMS
from paired import median, ratio


def cpu_path(name):
    return f"{'everyday' if name == 'everyday' else 'cpu'}/{name}"


#: The arguments of each program in the build's benchmarks folder, with {rounds} in place of its number of rounds.
PROGRAMS = {
    "stream/stream": ["{rounds}", "33554432"],
    "latency/latency": ["{rounds}"],
    "graph/graph": ["{rounds}"],
    "graph/photo_graph": ["32", "32", "{rounds}"],
    "specialization/specialization": ["{rounds}"],
    "fusion/chain": ["5", "524288", "{rounds}", "40"],
    "fusion/workloads black_scholes": ["1048576", "{rounds}", "1"],
    "fusion/workloads gradients": ["16384", "{rounds}", "50"],
    "fusion/workloads gesummv": ["2048", "{rounds}", "1"],
    "fusion/complete": ["{rounds}"],
    "fusion/photo_pipeline": ["2048", "4096", "{rounds}"],
    **{cpu_path(name): ["{rounds}"] for name in CPU_PROGRAMS},
}


def samples_of(build, words):
    """The median of each row of one process. Every line of output is an object in JSON with numbers and maybe a name."""
    result = subprocess.run([os.path.join(build, "benchmarks", words[0]), *words[1:]], stdout=subprocess.PIPE, text=True,
                            env={**os.environ, "SINTER_CACHE": "0"})
    if result.returncode != 0:
        raise RuntimeError(f"{words[0]} of {build} ended with code {result.returncode}")
    columns = {}
    for line in filter(lambda text: text.startswith("{"), result.stdout.splitlines()):
        sample = json.loads(line)
        case = sample.pop("name", "")
        for key, value in sample.items():
            if isinstance(value, (int, float)) and key not in ("work", "runs"):
                columns.setdefault(f"{case}: {key}" if case else key, []).append(value)
    return {key: median(values) for key, values in columns.items()}


def compare(builds, name, words, turns, keep):
    """Prints the ratios of all rows that both builds have and for which keep(row) is true."""
    times = [{}, {}]
    for turn in range(turns):
        for side in sorted((0, 1), reverse=turn % 2 == 1):
            for row, value in samples_of(builds[side], words).items():
                times[side].setdefault(row, []).append(value)
    for row in times[0]:
        if row in times[1] and keep(row) and min(times[0][row] + times[1][row]) > 0:
            figure = ratio(times[0][row], times[1][row])
            verdict = "slower" if figure["low"] > 1 else "faster" if figure["high"] < 1 else ""
            print(f"{name + ': ' + row:<72} {median(times[0][row]):>11.4f} {median(times[1][row]):>11.4f}  "
                  f"{figure['median']:.3f} [{figure['low']:.3f}, {figure['high']:.3f}] {verdict}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--other", required=True, help="build folder of the other version")
    parser.add_argument("--turns", type=int, default=7, help="processes of each build, in turns (default 7)")
    parser.add_argument("--rounds", type=int, default=5, help="rounds in each process (default 5)")
    parser.add_argument("--first", action="store_true", help="compare the first launches: mostly the JIT's time")
    parser.add_argument("names", nargs="*", help=f"only these of {', '.join(PROGRAMS)}")
    options = parser.parse_args()
    builds = (os.path.abspath(options.build), os.path.abspath(options.other))
    print(f"{'row':<72} {'this':>11} {'other':>11}  this / other")
    for name, arguments in PROGRAMS.items():
        program, _, case = name.partition(" ")
        short = program.rpartition("/")[2]
        if (options.names and name not in options.names) or (options.first and short not in CPU_PROGRAMS):
            continue
        words = [program, *filter(None, [case]), *(word.format(rounds=options.rounds) for word in arguments)]
        if options.first:
            words = [program, "0", *map(str, CPU_PROGRAMS[short][0])]  # small sizes, so mostly the JIT's time
        try:
            compare(builds, short, words, options.turns,
                    (lambda row: row.endswith("first")) if options.first else (lambda row: not row.endswith("first")))
        except (RuntimeError, OSError) as problem:
            print(f"{name}: {problem}", file=sys.stderr)


main()
