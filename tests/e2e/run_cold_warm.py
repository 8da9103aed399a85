#!/usr/bin/env python3
"""Runs a program with an empty kernel cache, and then again with the filled cache. The second run must compile
nothing."""
import argparse
import os
import re
import subprocess
import sys
import tempfile


def run(program, cache):
    environment = dict(os.environ, SINTER_CACHE_DIR=cache, SINTER_VERIFY="1")
    if options.lists and not os.environ.get("TEST_LONG"):
        environment["E2E_FIRST"], environment["E2E_LISTS"] = options.lists.split(",")
    if options.preload:
        environment["LD_PRELOAD"] = options.preload
    text = ""
    with subprocess.Popen(program, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        # Prints each line at once, so that the output of a program that hangs shows its last test.
        for line in process.stdout:
            sys.stdout.write(line)
            sys.stdout.flush()
            text += line
    if process.returncode != 0:
        sys.exit(f"{program[0]} ended with code {process.returncode}")
    return text


def tiers(output):
    found = re.search(r"^tiers: host_entry=(\d+) jit=(\d+) cache=(\d+)$", output, re.MULTILINE)
    if not found:
        sys.exit("the program did not say which tiers it used")
    return [int(number) for number in found.groups()]


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("--any-output", action="store_true", help="the program does not print its tiers")
parser.add_argument("--background-kernels", type=int, default=0,
                    help="how many the warm run may compile that the cold run may not have come to")
parser.add_argument("--lists", metavar="FIRST,NUMBER",
                    help="the random lists that the program runs, unless TEST_LONG is set")
parser.add_argument("--preload", help="a library that the program gets beside its own")
parser.add_argument("program", nargs="+")
options = parser.parse_args()

with tempfile.TemporaryDirectory(prefix="sinter-e2e-") as folder:
    print("== cold", flush=True)
    cold = run(options.program, folder)
    print("== warm", flush=True)
    warm = run(options.program, folder)

if not options.any_output:
    _, cold_jit, _ = tiers(cold)
    _, warm_jit, warm_cache = tiers(warm)
    if cold_jit == 0:
        sys.exit("the cold run compiled nothing")
    if warm_jit > options.background_kernels or warm_cache == 0:
        sys.exit(f"the warm run was not served by the cache: jit={warm_jit} cache={warm_cache}")
