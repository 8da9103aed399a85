#!/usr/bin/env python3
"""Runs the benchmarks, prints their figures and writes them to BUILD/benchmarks/results.json."""
import argparse
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from unittest import mock

import report
from cpu_programs import CPU_PROGRAMS
from gpu import compare as gpu_compare
from paired import interval, median, ratio

SOURCE = os.path.dirname(os.path.abspath(__file__))


def run(command, **environment):
    """The output of a command that must succeed."""
    result = subprocess.run(command, stdout=subprocess.PIPE, env={**os.environ, **environment}, text=True)
    if result.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} ended with code {result.returncode}")
    return result.stdout


def program(options, *path):
    return os.path.join(options.build, "benchmarks", *path)


#: The figures for the report, each with its interval and goal. Each benchmark appends its figures.
drawn = []
skipped = {}  # the reason, for each skipped benchmark
running = ""


def draw(name, figure, unit, goal):
    drawn.append({"benchmark": running, "name": name, "unit": unit, "goal": goal,
                  **{key: figure[key] for key in ("median", "low", "high")}})


def row(name, figure, target=""):
    print(f"  {name:<46} {figure:<34} {target}", flush=True)


def skip(why):
    """The machine lacks something that the running benchmark needs, so there are no results."""
    row("skipped: " + why, "")
    skipped[running] = why
    return {}


def show_ratio(name, figure, target):
    row(name, f"{figure['median']:.3f}  [{figure['low']:.3f}, {figure['high']:.3f}]", target)
    draw(name, figure, "", target)


def show_figure(name, values, unit, target=""):
    low, high = interval(values)
    row(name, f"{median(values):.2f} {unit}  [{low:.2f}, {high:.2f}]", target)
    figure = {"median": median(values), "low": low, "high": high, "unit": unit}
    draw(name, figure, unit, target)
    return figure


def stream(options):
    """Vector add and triad over 2^25 floats against OpenMP, and against the memory's measured peak."""
    count = 1 << 25
    lines = [json.loads(line) for line in run([program(options, "stream", "stream"), str(options.pairs), str(count)]).splitlines()]
    results = {}
    for name in ("vector add", "triad"):
        samples = [line for line in lines if line["name"] == name]
        ours, theirs, peak = ([sample[key] for sample in samples] for key in ("sinter", "openmp", "peak"))
        figure = ratio(ours, theirs)
        show_ratio(f"{name}: time / OpenMP's", figure, "interval reaches 1.0")
        bandwidth = {key: 3 * 4 * count / median(values) * 1e-6 for key, values in
                     (("sinter", ours), ("openmp", theirs), ("peak", peak))}
        row(f"{name}: GB/s (Sinter, OpenMP, peak)", ", ".join(f"{value:.1f}" for value in bandwidth.values()))
        results[name] = {"ratio": figure, "gigabytes_per_second": bandwidth,
                         "milliseconds": {"sinter": ours, "openmp": theirs, "peak": peak}}
    return results


def startup(options):
    """Time from exec to exit and peak memory of the smallest program with a kernel: with a cached kernel, without a
    cached kernel, and without a cached kernel but with SINTER_TIERED."""
    launcher, hello, plain = (program(options, "startup", name) for name in ("launcher", "hello", "plain"))
    samples = {"warm": [], "cold": [], "cold, tiered": [], "plain C++": []}
    with tempfile.TemporaryDirectory(prefix="sinter-bench-") as folder:
        warm = os.path.join(folder, "warm")
        run([launcher, hello], SINTER_CACHE_DIR=warm)
        for pair in range(options.pairs):
            cold = os.path.join(folder, f"cold{pair}")
            samples["cold"].append(json.loads(run([launcher, hello], SINTER_CACHE_DIR=cold)))
            tiered = os.path.join(folder, f"tiered{pair}")
            samples["cold, tiered"].append(json.loads(run([launcher, hello], SINTER_CACHE_DIR=tiered, SINTER_TIERED="1")))
            samples["warm"].append(json.loads(run([launcher, hello], SINTER_CACHE_DIR=warm)))
            samples["plain C++"].append(json.loads(run([launcher, plain])))
    targets = {"warm": ("at most 6 ms", "at most 15 MB"), "cold": ("at most 80 ms", ""),
               "cold, tiered": ("", ""), "plain C++": ("", "")}
    results = {}
    for name, (time_target, memory_target) in targets.items():
        results[name] = {
            "time": show_figure(f"hello, {name}: exec to exit", [s["milliseconds"] for s in samples[name]], "ms", time_target),
            "memory": show_figure(f"hello, {name}: peak memory", [s["megabytes"] for s in samples[name]], "MB", memory_target)}
    ratios = ratio(*([s["milliseconds"] for s in samples[name]] for name in ("cold, tiered", "warm")))
    show_ratio("hello: cold, tiered / warm", ratios, "at most 1.5")
    return {**results, "cold, tiered / warm": ratios}


def compile_time(options):
    """Measures the compile time of a small program and of its OpenMP version. The program is compiled with the plugin,
    without the plugin, with precompiled headers, and by sinter++ with its precompiled header. Both programs are also
    compiled with <iostream>, and the umbrella header is compiled alone."""
    compiler = shutil.which("clang++-22") or sys.exit("bench: clang++-22 is missing")
    search = {"PKG_CONFIG_PATH": os.path.join(options.build, "meson-uninstalled")}
    with_plugin = run(["pkg-config", "--cflags", "sinter"], **search).split()
    without = run(["pkg-config", "--cflags", "sinter-library"], **search).split()
    folder = os.path.join(SOURCE, "compile_time")
    program = ["-O2", "-c", os.path.join(folder, "sinter_program.cpp")]
    openmp = ["-O2", "-fopenmp", "-c", os.path.join(folder, "openmp_program.cpp")]
    iostream = ["-include", "iostream"]
    lean = ["-DSINTER_LEAN_HEADERS"]  # OpenMP's program includes what it needs, too
    seconds = {}
    with tempfile.TemporaryDirectory(prefix="sinter-bench-") as output:
        header, precompiled = (os.path.join(output, name) for name in ("common.hpp", "common.pch"))
        with open(header, "w", encoding="utf-8") as file:
            file.write("#include <sycl/sycl.hpp>\n")
        run([compiler, "-std=c++20", "-O2", "-x", "c++-header", "-fpch-instantiate-templates", header, "-o", precompiled,
             *with_plugin])
        # The program is written as users write it, because sinter++ does not use its precompiled header if there is an
        # option -include.
        written = os.path.join(output, "with_iostream.cpp")
        with open(program[-1], encoding="utf-8") as source, open(written, "w", encoding="utf-8") as file:
            file.write("#include <iostream>\n" + source.read())
        wrapper = os.path.join(options.build, "packaging", "sinter++")
        commands = {
            "with plugin": [*lean, *program, *with_plugin],
            "without plugin": [*lean, *program, *without],
            "with all standard headers": [*program, *with_plugin],
            "headers precompiled": ["-include-pch", precompiled, *program, *with_plugin],
            "OpenMP": openmp,
            "with plugin and <iostream>": [*lean, *iostream, *program, *with_plugin],
            "OpenMP and <iostream>": [*iostream, *openmp],
            "sinter++": program,
            "sinter++ and <iostream>": ["-O2", "-c", written],
            "standard headers": ["-fsyntax-only", os.path.join(folder, "standard_headers.cpp")],
            "umbrella header": [*lean, "-fsyntax-only", os.path.join(folder, "umbrella_header.cpp"), *without],
        }
        for pair in range(options.pairs + 1):
            for name, words in commands.items():
                target = [] if "-fsyntax-only" in words else ["-o", os.path.join(output, "program.o")]
                uses = wrapper if name.startswith("sinter++") else compiler
                start = time.monotonic()
                run([uses, "-std=c++20", *words, *target], SINTER_CACHE_DIR=output)
                if pair > 0:  # the first round reads everything from disk
                    seconds.setdefault(name, []).append(time.monotonic() - start)
    results = {"seconds": seconds}
    for name, ours, theirs, goal in (
            ("with plugin / without", "with plugin", "without plugin", "at most 1.25"),
            ("with plugin / OpenMP version", "with plugin", "OpenMP", "at most 2.0"),
            ("the same with <iostream>", "with plugin and <iostream>", "OpenMP and <iostream>", "at most 2.0"),
            ("headers precompiled / OpenMP version", "headers precompiled", "OpenMP", "at most 2.0"),
            ("sinter++ / OpenMP, <iostream> in both", "sinter++ and <iostream>", "OpenMP and <iostream>",
             "at most 0.8"),
            ("sinter++ / OpenMP, without", "sinter++", "OpenMP", "at most 0.8")):
        results[name] = ratio(seconds[ours], seconds[theirs])
        show_ratio("compile: " + name, results[name], goal)
    extra = [a - b for a, b in zip(seconds["umbrella header"], seconds["standard headers"], strict=True)]
    results["header"] = show_figure("compile: umbrella header costs", extra, "s", "at most 0.35 s")
    for name, values in seconds.items():
        row(f"compile: {name}", f"{median(values) * 1e3:.0f} ms")
    return results


def fusion(options):
    """Chains of element-wise kernels, compared with OpenMP loops: unfused, fused with promotion, fused without
    hints."""
    results = {}
    # The first chains are limited by memory. The arrays of the last chains fit the caches.
    sizes = [(2, 1 << 24, 1), (5, 1 << 24, 1), (10, 1 << 24, 1), (5, 1 << 10, 2000), (5, 1 << 15, 500), (5, 1 << 19, 40)]
    for steps, count, repeats in sizes:
        command = [program(options, "fusion", "chain"), str(steps), str(count), str(options.pairs), str(repeats)]
        samples = [json.loads(line) for line in run(command).splitlines()]
        column = {key: [sample[key] for sample in samples] for key in samples[0]}
        name = f"{steps} kernels, 2^{count.bit_length() - 1} floats"
        large = count >= 1 << 24
        figures = {
            "five loops / unfused": ratio(column["openmp_loops"], column["unfused"]),
            "hand-fused / promoted": ratio(column["openmp_fused"], column["promoted"]),
            "hand-fused / scoped": ratio(column["openmp_fused"], column["scoped"]),
            "unfused / promoted": ratio(column["unfused"], column["promoted"]),
        }
        show_ratio(f"{name}: OpenMP loops / unfused", figures["five loops / unfused"], "at least 0.95" if large else "")
        show_ratio(f"{name}: hand-fused / promoted", figures["hand-fused / promoted"], "at least 0.97" if large else "")
        show_ratio(f"{name}: hand-fused / no hints", figures["hand-fused / scoped"], "at least 0.97" if large else "")
        show_ratio(f"{name}: unfused / promoted", figures["unfused / promoted"], "" if large else "at least 0.95")
        row(f"{name}: ms (promoted, traffic limit)", f"{median(column['promoted']):.4f}, {median(column['traffic']):.4f}")
        results[name] = {"ratios": figures, "milliseconds": column}
    results["jit"] = fusion_jit_time(options)
    results["complete"] = fusion_complete(options)
    for name, count, repeats in (("black_scholes", 1 << 20, 1), ("gradients", 1 << 22, 1), ("gradients", 1 << 14, 50),
                                 ("gesummv", 1 << 11, 1)):
        results[f"{name} {count}"] = fusion_workload(options, name, count, repeats)
    results["photo"] = fusion_photo(options)
    return results


# BabelStream's goals for arrays in memory; arrays that fit a cache have another goal.
STREAM_GOALS = {"copy": 1.25, "mul": 1.25, "add": 1.1, "triad": 1.1, "dot": 1.0}
CACHED_STREAM_GOAL = 0.95


def cpu_goal(name, case, reference):
    if name == "babelstream":
        kernel, count = case.removesuffix(" doubles").split(", ")
        return STREAM_GOALS[kernel] if int(count) >= 1 << 24 else CACHED_STREAM_GOAL
    for start, side, goal in CPU_PROGRAMS[name][1]:
        if case.startswith(start) and side == reference:
            return goal
    return None


def cpu_program(options, name):
    """A kernel in its usual form, compared with OpenMP or intrinsics; cpu/README.md explains the columns."""
    command = program(options, name if name == "everyday" else "cpu", name)
    # Measures first launches, with small sizes. LLVM is loaded already, so this is the time to compile.
    compiling = {}
    for _ in range(5):
        output = run([command, "0", *map(str, CPU_PROGRAMS[name][0])], SINTER_CACHE="0")
        for position, line in enumerate(output.splitlines()):
            compiling.setdefault(position, []).append(json.loads(line)["first"])
    rounds, work = {}, {}
    for line in run([command, str(options.pairs)]).splitlines():
        sample = json.loads(line)
        if "first" in sample:
            rounds[sample["name"]] = []
            work[sample["name"]] = sample
        else:
            rounds[sample["name"]].append(sample)
    results = {}
    print(f"  {'case':<28} {'reference':<18} {'Sinter ms':>10} {'ref. ms':>10} {'of peak':>22}  {'speed [95 %]':<24} "
          f"{'goal':<6} JIT ms", flush=True)
    for position, (case, samples) in enumerate(rounds.items()):
        times = {key: [sample[key] for sample in samples] for key in samples[0] if key not in ("name", "runs")}
        figures = {}
        peak = f"{work[case]['work'] / median(times['peak']) * 1e3:.1f} {work[case]['unit']}/s"
        # Later sizes use the kernel that was compiled for the first size.
        compiled = f"{jit:.1f}" if (jit := median(compiling[position])) > 1 else ""
        for reference in times:
            if reference in ("sinter", "peak"):
                continue
            speed = ratio(times[reference], times["sinter"])
            share = ratio(times["peak"], times[reference])
            goal = cpu_goal(name, case, reference)
            figures[reference] = {"speed": speed, "share_of_peak": share, "goal": goal}
            draw(f"{case}: speed / {reference}", speed, "", f"at least {goal}" if goal else "")
            bounds = f"{speed['median']:.3f} [{speed['low']:.3f}, {speed['high']:.3f}]"
            print(f"  {case:<28} {reference:<18} {median(times['sinter']):>10.4f} {median(times[reference]):>10.4f} "
                  f"{share['median']:>5.0%} of {peak:>13}  {bounds:<24} {goal or '':<6} {compiled}", flush=True)
        results[case] = {"references": figures, "milliseconds": times, "jit_milliseconds": compiling[position]}
    return results


def latency(options):
    """Measures how many microseconds one command takes: to submit it, to run it to its end, with a wait after each
    command, and in a chain through accessors. OpenMP and oneTBB are measured for comparison."""
    samples = [json.loads(line) for line in run([program(options, "latency", "latency"), str(options.pairs)]).splitlines()]
    column = {key: [sample[key] for sample in samples] for key in samples[0]}
    rows = (("submit", "in-order USM, range 1: submit", "at most 0.15 us"),
            ("pipelined_1", "in-order USM, range 1: end to end", "at most 0.4 us"),
            ("pipelined_1024", "in-order USM, range 2^10: end to end", ""),
            ("wait_1", "in-order USM, range 1: submit and wait", ""),
            ("wait_1024", "in-order USM, range 2^10: submit and wait", "at most 1.5 us"),
            ("task", "single_task: submit and wait", ""),
            ("out_of_order", "out of order, range 2^10: submit and wait", ""),
            ("accessors_1", "chain through accessors, range 1: each", "at most 1.5 us"),
            ("accessors_1024", "chain through accessors, range 2^10: each", "at most 1.5 us"),
            ("buffers_5", "chain of 5 buffers, range 2^10: all five", ""),
            ("openmp_1024", "OpenMP parallel for, 2^10 floats", ""),
            ("tbb_1024", "oneTBB parallel_for, 2^10 floats", ""),
            ("call_1024", "plain call, 2^10 floats", ""))
    results = {key: show_figure(name, column[key], "us", target) for key, name, target in rows}
    for key in ("openmp_1024", "tbb_1024"):
        results[f"wait_1024 / {key}"] = ratio(column["wait_1024"], column[key])
        show_ratio(f"submit and wait, 2^10: time / {key[:-5]}'s", results[f"wait_1024 / {key}"], "")
    return {"figures": results, "microseconds": column}


def graph(options):
    """The cost of recorded graphs, and their gain over the same commands submitted one by one."""
    samples = [json.loads(line) for line in run([program(options, "graph", "graph"), str(options.pairs)]).splitlines()]
    column = {key: [sample[key] for sample in samples] for key in samples[0]}
    rows = (("line", "100 empty kernels in a line: replay, each", "ns", "at most 40 ns"),
            ("line_plain", "the same one by one, each", "ns", ""),
            ("fan", "1000 kernels, 998 side by side: each", "ns", "at most 80 ns"),
            ("finalize", "finalize of these", "ms", "at most 2 ms"),
            ("update", "update of one parameter", "ns", "at most 300 ns"),
            ("gradients", "conjugate gradients, 32 x 32: a step", "us", ""),
            ("gradients_plain", "the same one by one", "us", ""),
            ("small_gradients", "conjugate gradients, 16 x 16: a step", "us", ""),
            ("small_gradients_plain", "the same one by one", "us", ""),
            ("chain", "eight kernels over 64 MiB, fused: replay", "ms", ""),
            ("chain_plain", "the same, not fused", "ms", ""),
            ("large_gradients", "conjugate gradients, 4096 x 4096, fused: a step", "ms", ""),
            ("large_gradients_plain", "the same, not fused", "ms", ""))
    results = {key: show_figure(name, column[key], unit, target) for key, name, unit, target in rows}
    for key, name, target in (("line", "replay / one by one, line", "at most 0.33"),
                              ("gradients", "replay / one by one, gradients 32 x 32", ""),
                              ("small_gradients", "replay / one by one, gradients 16 x 16", "at most 0.5"),
                              ("chain", "fused / not fused, chain", "at most 0.33"),
                              ("large_gradients", "fused / not fused, gradients 4096 x 4096", "")):
        results[f"{key} / plain"] = ratio(column[key], column[f"{key}_plain"])
        show_ratio(name, results[f"{key} / plain"], target)
    return {"figures": results, "samples": column, "photo": graph_photo(options)}


def graph_photo(options):
    """The photo example's twelve kernels. Compares a replay with the kernels one by one, and a graph that finalize has
    fused with kernels that are fused by hand."""
    results = {}
    for height, width, name in ((2048, 4096, "photo, 8 megapixels"), (32, 32, "photo, 32 x 32"),
                                (16, 16, "photo, 16 x 16")):
        lines = run([program(options, "graph", "photo_graph"), str(height), str(width), str(options.pairs)]).splitlines()
        samples = [json.loads(line) for line in lines]
        column = {key: [sample[key] for sample in samples] for key in samples[0]}
        results[name] = {"samples": column}
        # In small pictures, launches take longer than the kernels.
        small = height < 32
        for ours, other, target in (("replay", "plain", "at most 0.5" if small else ""),
                                    ("fused_replay", "fused", "at most 1.0")):
            results[name][f"{ours} / {other}"] = figure = ratio(column[ours], column[other])
            show_ratio(f"{name}: {ours} / {other}", figure, target)
    return results


def specialization(options):
    """Kernels that are compiled for values known at run time, compared with the same kernels with template parameters
    and with ordinary arguments."""
    lines = [json.loads(line) for line in
             run([program(options, "specialization", "specialization"), str(options.pairs)]).splitlines()]
    goals = {("tiled product", "template", "constant"): "at least 0.97", ("tiled product", "argument", "adaptive"): "",
             ("convolution", "run time", "constant"): "at least 2.0", ("convolution", "run time", "adaptive"): "",
             ("power", "run time", "adaptive"): "", ("strides", "run time", "adaptive"): ""}
    results = {}
    for (name, other, ours), goal in goals.items():
        samples = [line for line in lines if line["name"] == name]
        figure = ratio([sample[other] for sample in samples], [sample[ours] for sample in samples])
        show_ratio(f"{name}: time '{other}' / '{ours}'", figure, goal)
        results[f"{name}: {other} / {ours}"] = figure
    return {"ratios": results, "samples": lines}


def opencl(options):
    """Kernels in SYCL on OpenCL's device, compared with the same kernels in OpenCL C on the same driver: times,
    launches, starts."""
    driver = os.path.join(options.build, "opencl-driver")
    on_driver = [sys.executable, os.path.join(SOURCE, "..", "tests", "devices", "opencl_driver.py"), "run", driver]
    beside = program(options, "opencl", "opencl_beside")
    if not os.path.exists(beside) or not os.path.exists(os.path.join(driver, "intel.icd")):
        return skip("no OpenCL loader to link to, or no driver")
    samples = {}
    images = program(options, "opencl", "opencl_images")
    lines = run([*on_driver, beside, str(options.pairs)], SINTER_DEVICE="opencl:0").splitlines()
    # These lines measure images on Sinter's CPU device, on the same processor.
    lines += run([*on_driver, images, str(options.pairs)], SINTER_DEVICE="cpu").splitlines()
    for line in lines:
        sample = json.loads(line)
        samples.setdefault(sample["name"], []).append(sample)
    results = {}
    for name, lines in samples.items():
        ours, theirs = ([line[side] for line in lines] for side in ("sinter", "opencl"))
        is_launch = name.startswith("launch")
        unit = "us" if is_launch else "ms"
        show_figure(f"{name}: SYCL", ours, unit)
        show_figure(f"{name}: OpenCL C", theirs, unit)
        results[name] = ratio(ours, theirs) if is_launch else ratio(theirs, ours)
        if is_launch:
            show_ratio(f"{name}: time / OpenCL's", results[name], "at most 1.2" if name == "launch" else "")
        else:
            goal = "at least 1.5" if name.startswith("images") else "at least 0.97"
            show_ratio(f"{name}: speed / OpenCL C's", results[name], goal)
    # Whole processes are compared, because the start and the end of the driver take most of the difference.
    launcher, first = program(options, "startup", "launcher"), program(options, "opencl", "opencl_first_launch")
    starts = {"sycl": [], "bare": []}
    with tempfile.TemporaryDirectory(prefix="sinter-bench-") as folder:
        words = {"sycl": ["sycl"], "bare": ["bare", os.path.join(folder, "binary")]}
        for pair in range(options.pairs + 1):
            for side in sorted(words, reverse=pair % 2 == 1):
                output = run([*on_driver, launcher, first, *words[side]], SINTER_DEVICE="opencl:0", SINTER_CACHE_DIR=folder)
                if pair > 0:  # the first processes compile
                    starts[side].append(json.loads(output)["milliseconds"])
    for side, name in (("sycl", "from the cache"), ("bare", "by clCreateProgramWithBinary")):
        show_figure(f"first launch {name}: exec to exit", starts[side], "ms")
    more = [ours - theirs for ours, theirs in zip(starts["sycl"], starts["bare"], strict=True)]
    results["start"] = show_figure("first launch: SYCL takes longer by", more, "ms", "at most 5 ms")
    return {"ratios": results, "samples": samples, "starts": starts}


# Programs of gpu/ that print one figure a line. Their CUDA C++ counterparts (NAME.cu) print lines in the same format.
# GPU_GOALS has the goals for Sinter's figure divided by CUDA C++'s, by the name of the line.
GPU_PROGRAMS = ("overheads", "graphs", "fused_chain")
GPU_GOALS = {"launch, in order": "at most 1.1", "chain through accessors, in order": "at most 1.35",
             "triad": "at least 0.99",
             "copy up, page-locked": "at least 0.97", "copy down, page-locked": "at least 0.97",
             "copy up, pageable": "at least 0.9", "copy down, pageable": "at least 0.9"}
# The goals: speed as a multiple of one GPU's speed, by the number of GPUs.
HALO_GOALS = {"2": "at least 1.9", "4": "at least 3.6"}


def cuda_programs(folder):
    """Builds the CUDA C++ programs of gpu/ and returns their paths by names; returns no paths if NVIDIA's compiler is
    missing."""
    compiler = shutil.which("nvcc") or shutil.which("nvcc", path="/usr/local/cuda/bin")
    if not compiler:
        row("without CUDA C++: nvcc is missing", "")
        return {}
    sides = ["streams.cu", "kernels.cu", "groups.cu", "copies.cu"]
    sources = {**{name: [name + ".cu"] for name in GPU_PROGRAMS}, "first_launch": ["first_launch.cpp", *sides],
               "kernels": ["side_by_side.cpp", "memory_problems.cpp", "kernel_problems.cpp", "group_problems.cpp",
                           *sides]}
    made = {}
    for name, files in sources.items():
        made[name] = os.path.join(folder, name)
        run([compiler, "-O3", "-std=c++17", "-arch=native", "-o", made[name],
             *(os.path.join(SOURCE, "gpu", file) for file in files)])
    return made


def gpu_lines(options, name, cuda):
    """Runs a program of gpu/ and its CUDA C++ counterpart in turns; shows and returns the figures of both. Each program
    itself takes the best of many runs."""
    rounds = max(3, options.pairs // 6)
    sides = [program(options, "gpu", "gpu_" + name), *([cuda[name]] if name in cuda else [])]
    samples = [{} for _ in sides]
    for turn in range(rounds):
        for k in sorted(range(len(sides)), reverse=turn % 2 == 1):
            for line, value, unit in re.findall(r"^(.+?) +([0-9.]+) (us|[GT]B/s)\b", run([sides[k]]), re.M):
                # CUDA C++'s line "one kernel" is for a kernel written by hand. It is compared with the fused kernels.
                samples[k].setdefault("fused" if line == "one kernel" else line, (unit, []))[1].append(float(value))
    results = {"samples": samples}
    for line, (unit, ours) in samples[0].items():
        show_figure(f"{line}: SYCL", ours, unit)
        if len(samples) > 1 and line in samples[1]:
            theirs = samples[1][line][1]
            show_figure(f"{line}: CUDA C++", theirs, unit)
            results[line] = ratio(ours, theirs)
            kind = "time" if unit == "us" else "speed"
            show_ratio(f"{line}: {kind} / CUDA C++'s", results[line], GPU_GOALS.get(line, ""))
    return results


def gpu_kernels(options, cuda):
    """The kernels of gpu/, compared with CUDA C++; their results are checked as well."""
    paths = [program(options, "gpu", "gpu_kernels"), *([cuda["kernels"]] if cuda else [])]
    cases = [";".join(each) for each in gpu_compare.sizes_of(paths[0]).items()]
    results = {}
    for case, result in zip(cases, gpu_compare.measure_all(paths, cases, options.pairs), strict=True):
        name = case.partition(";")[0]
        if isinstance(result, RuntimeError):
            sys.exit(f"bench: {name}: {result}")
        unit = result["unit"] + "/s"
        for side, times in zip(("SYCL", "CUDA C++"), result["ms"]):
            show_figure(f"{name}: {side}", [1e3 * result["amount"] / time for time in times], unit)
        results[name] = {"unit": unit, "milliseconds": result["ms"]}
        if cuda:
            results[name]["ratio"] = ratio(result["ms"][1], result["ms"][0])
            show_ratio(f"{name}: speed / CUDA C++'s", results[name]["ratio"], f"at least {gpu_compare.goal_of(name)}")
    return results


def gpu_starts(options, cuda):
    """First launches of n-body."""
    times = gpu_compare.first_launches(program(options, "gpu", "gpu_first_launch"), cuda.get("first_launch"),
                                       max(3, options.pairs // 3))
    for name, goal in (("compiled", "at most 80 ms"), ("from the cache", ""), ("CUDA C++", "")):
        if name in times:
            show_figure(f"first launch of n-body: {name}", times[name], "ms", goal)
    if "CUDA C++" in times:
        more = [ours - theirs for ours, theirs in zip(times["from the cache"], times["CUDA C++"], strict=True)]
        show_figure("first launch: SYCL takes longer by", more, "ms", "at most 1 ms")
    return times


def gpu_halo(options):
    """A stencil over all GPUs, compared with the same stencil on one GPU; returns nothing if there is only one GPU."""
    times = {}
    for _ in range(3):
        output = run([program(options, "gpu", "gpu_halo")], SINTER_DEVICE="cuda")
        for size, count, faster in re.findall(r"^(.+?): .* on (\d+): ([0-9.]+) times", output, re.M):
            times.setdefault((size, count), []).append(float(faster))
    for (size, count), values in times.items():
        if count != "1":
            low, high = interval(values)
            figure = {"median": median(values), "low": low, "high": high}
            show_ratio(f"stencil, {size}: speed of {count} GPUs / one", figure, HALO_GOALS.get(count, ""))
    return {f"{size} on {count}": values for (size, count), values in times.items()}


def gpu(options):
    """Launches, memory, copies, graphs and kernels of an NVIDIA GPU, compared with CUDA C++ if its compiler is
    installed; a stencil over all GPUs, compared with one GPU."""
    with mock.patch.dict(os.environ, SINTER_DEVICE="cuda:0"):
        # With a CUDA GPU, the program prints a line that begins with "open: ", and ends because its input is empty.
        probe = subprocess.run([program(options, "gpu", "gpu_kernels")], capture_output=True, stdin=subprocess.DEVNULL,
                               text=True)
        if probe.returncode != 0 or not probe.stdout.startswith("open: "):
            return skip("no CUDA GPU")
        name = probe.stdout.partition("\n")[0].removeprefix("open: ")
        row("device: " + name, "")
        with tempfile.TemporaryDirectory(prefix="sinter-bench-") as folder:
            cuda = cuda_programs(folder)
            results = {"device": name, **{each: gpu_lines(options, each, cuda) for each in GPU_PROGRAMS}}
            results["kernels"] = gpu_kernels(options, cuda)
            results["starts"] = gpu_starts(options, cuda)
    results["halo"] = gpu_halo(options)
    return results


def fusion_jit_time(options):
    """Compile time of five fused kernels, in a process that has compiled kernels before."""
    times = []
    for _ in range(options.pairs):
        result = subprocess.run([program(options, "fusion", "chain"), "5", "1024", "1", "1"], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True,
                                env={**os.environ, "SINTER_CACHE": "0", "SINTER_REPORT": "fusion"}, check=True)
        times.append(float(re.findall(r"compiled +in ([0-9.]+) ms", result.stderr)[-1]))
    return show_figure("5 kernels: compiling them as one", times, "ms", "at most 30 ms")


def fusion_workload(options, name, count, repeats):
    """A list of kernels from a real program, unfused and fused, compared with OpenMP loops."""
    command = [program(options, "fusion", "workloads"), name, str(count), str(options.pairs), str(repeats)]
    samples = [json.loads(line) for line in run(command).splitlines()]
    column = {key: [sample[key] for sample in samples] for key in samples[0]}
    figures = {}
    for ours, theirs in (("unfused", "openmp_loops"), ("fused", "openmp_fused")):
        figures[ours] = ratio(column[theirs], column[ours])
        show_ratio(f"{name}, {count}: {theirs} / {ours}", figures[ours], "")
    figures["gain"] = ratio(column["unfused"], column["fused"])
    show_ratio(f"{name}, {count}: unfused / fused", figures["gain"], "")
    row(f"{name}, {count}: ms (fused, traffic limit)", f"{median(column['fused']):.4f}, {median(column['traffic']):.4f}")
    return {"ratios": figures, "milliseconds": column}


def fusion_complete(options):
    """The time of a repeated complete_fusion, compared with one launch."""
    samples = [json.loads(line) for line in run([program(options, "fusion", "complete"), str(options.pairs)]).splitlines()]
    return {"complete": show_figure("5 kernels, again: complete_fusion and wait", [s["complete"] for s in samples], "us"),
            "launch": show_figure("one kernel: submit and wait", [s["launch"] for s in samples], "us"),
            "more": show_figure("complete_fusion costs more than a launch by",
                                [s["complete"] - s["launch"] for s in samples], "us", "at most 5 us")}


STENCIL_GOALS = {"blur": 3.0, "unsharp": None, "harris": 3.0, "sobel": 1.5, "jacobi": 1.8, "local_contrast": 1.5}


def stencils(options):
    """Pipelines whose kernels read results of neighbouring work-items: one by one, fused by tiles, fused by hand, and
    in Halide."""
    results = {}
    has_halide = subprocess.run([sys.executable, "-c", "import halide"], capture_output=True).returncode == 0
    for name, size in ((name, size) for size in ("1024", "4096") for name in STENCIL_GOALS):
        command = [program(options, "stencils", "stencils"), name, str(options.pairs), size]
        samples = [json.loads(line) for line in run(command).splitlines()]
        column = {key: [sample[key] for sample in samples] for key in samples[0]}
        goal = STENCIL_GOALS[name] if size == "4096" else None
        figures = {"gain": ratio(column["one by one"], column["fused"])}
        show_ratio(f"{name}, {size} x {size}: one by one / fused", figures["gain"], f"at least {goal}" if goal else "")
        if "by hand" in column:
            figures["by hand"] = ratio(column["by hand"], column["fused"])
            show_ratio(f"{name}, {size} x {size}: by hand / fused", figures["by hand"], "at least 0.95")
        if has_halide:
            # A separate process makes these runs, so they are not interleaved with the other variants' runs.
            script = [sys.executable, os.path.join(SOURCE, "stencils", "halide_strips.py"), name, str(options.pairs), size]
            column["halide"] = [json.loads(line)["halide"] for line in run(script).splitlines()]
            figures["halide"] = median(column["halide"]) / median(column["fused"])
            row(f"{name}, {size} x {size}: Halide / fused, of medians", f"{figures['halide']:.2f}", "at least 0.9")
        row(f"{name}, {size} x {size}: ms (fused)", f"{median(column['fused']):.3f}")
        results[f"{name} {size}"] = {"ratios": figures, "milliseconds": column}
    return results


def stencil_sizes(options):
    """Stencils on small to large pictures: fused by the program, and in a graph, where the runtime decides whether to
    use tiles."""
    sizes = (64, 256, 512, 1024, 2048, 4096, 8192)
    results, table = {}, {"fused": {}, "graph": {}}
    for size, name in ((size, name) for size in sizes for name in STENCIL_GOALS):
        rounds = max(5, min(200, options.pairs * 1024 // size))
        command = [program(options, "stencils", "stencils"), name, str(rounds), str(size)]
        samples = [json.loads(line) for line in run(command).splitlines()]
        # The least time of many samples counts, because other work on the machine only adds time.
        least = {key: min(sample[key] for sample in samples) for key in samples[0]}
        for way, cells in table.items():
            cells.setdefault(size, []).append(f"{least['one by one'] / least[way]:.1f}")
        results[f"{name} {size}"] = least
        print(f"{name}, {size} x {size}: " + ", ".join(f"{key} {value:.3f} ms" for key, value in least.items()), flush=True)
    for way, cells in table.items():
        print(f"| one by one / {way} | " + " | ".join(f"`{name}`" for name in STENCIL_GOALS) + " |")
        print("|---" * (len(STENCIL_GOALS) + 1) + "|")
        for size, row_of_size in cells.items():
            print(f"| {size} x {size} | " + " | ".join(row_of_size) + " |")
        print()
    return results


def fusion_photo(options):
    """The photo example's twelve kernels on 8 megapixels: one by one, fused by hand, fused by the runtime."""
    command = [program(options, "fusion", "photo_pipeline"), "2048", "4096", str(options.pairs)]
    samples = [json.loads(line) for line in run(command).splitlines()]
    column = {key: [sample[key] for sample in samples] for key in samples[0]}
    figures = {}
    for ours in ("fused", "automatic"):
        figures[ours] = ratio(column["unfused"], column[ours])
        show_ratio(f"photo, 8 megapixels: unfused / {ours}", figures[ours], "")
    row("photo, 8 megapixels: ms (fused, traffic limit)", f"{median(column['fused']):.2f}, {median(column['traffic']):.2f}")
    return {"ratios": figures, "milliseconds": column}


BENCHMARKS = {"stream": stream, "startup": startup, "compile_time": compile_time, "fusion": fusion,
              "stencils": stencils, "stencil_sizes": stencil_sizes, "latency": latency, "graph": graph,
              "specialization": specialization, "opencl": opencl, "gpu": gpu}
ON_REQUEST = ("stencil_sizes",)  # they take long
BENCHMARKS.update({name: functools.partial(cpu_program, name=name) for name in CPU_PROGRAMS})
GROUPS = {"cpu": [name for name in CPU_PROGRAMS if name != "everyday"]}


def first_line(command):
    """The first line of a command's output, or an empty text if the command can't be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, cwd=SOURCE).stdout.partition("\n")[0]
    except OSError:
        return ""


def machine(options):
    """The machine's properties on which the figures depend."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*: (.*)", file.read())
    with open("/proc/meminfo", encoding="utf-8") as file:
        memory = int(re.search(r"MemTotal: +(\d+)", file.read()).group(1)) / (1 << 20)
    commit = first_line(["git", "log", "-1", "--format=%h of %cs"])
    return {"processor": model.group(1) if model else "unknown", "cores": os.cpu_count(), "memory": f"{memory:.1f} GiB",
            "system": " ".join(os.uname()[i] for i in (0, 2, 4)), "compiler": first_line(["clang++-22", "--version"]),
            "Sinter": commit or "unknown", "device": options.device or "the default one",
            "measured": time.strftime("%Y-%m-%d %H:%M", time.gmtime()) + " UTC",
            "load before": f"{os.getloadavg()[0]:.2f} processes", "pairs": options.pairs}


def choose_device(options):
    """All programs run on this device, except the references."""
    os.environ["SINTER_DEVICE"] = options.device
    driver = os.path.join(options.build, "opencl-driver")
    if options.device.startswith("opencl") and os.path.exists(driver):
        os.environ["OCL_ICD_VENDORS"] = driver
        libraries = [driver, *filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))]
        os.environ["LD_LIBRARY_PATH"] = ":".join(libraries)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build folder")
    parser.add_argument("--pairs", type=int, default=30, help="measurements of each side, interleaved (default 30)")
    parser.add_argument("--device", help="the device to measure, as SINTER_DEVICE has it; opencl:0 takes the driver that "
                                         "./run test has fetched, if it has")
    parser.add_argument("--report", action="store_true", help="also draw BUILD/benchmarks/report.html")
    parser.add_argument("--against", help="with --report: an earlier results.json, to be shown beside these")
    parser.add_argument("names", nargs="*", help=f"only these of {', '.join(BENCHMARKS)}; cpu stands for its group")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.names = [name for word in options.names for name in GROUPS.get(word, [word])]
    for name in options.names:
        if name not in BENCHMARKS:
            parser.error(f"there is no benchmark {name}")

    if options.device:
        choose_device(options)
    # The file is read before the measurements, because this run may replace it.
    earlier = report.read(options.against) if options.against else None
    global running
    results = {"pairs": options.pairs, "cores": os.cpu_count(), "machine": machine(options), "rows": drawn,
               "described": {}, "skipped": skipped}
    print(f"Medians of {options.pairs} interleaved measurements with 95 % intervals.")
    for name, benchmark in BENCHMARKS.items():
        if name in options.names or (not options.names and name not in ON_REQUEST):
            described = (benchmark.func if name in CPU_PROGRAMS else benchmark).__doc__
            print(f"{name}: {described}", flush=True)
            running = name
            results["described"][name] = " ".join(described.split())
            results[name] = benchmark(options)
            if results[name] and "device" in results[name]:
                results["machine"]["device of " + name] = results[name]["device"]
    path = os.path.join(options.build, "benchmarks", "results.json")
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        json.dump(results, file, indent=1)
    print(f"All samples: {path}")
    if options.report:
        page = os.path.join(os.path.dirname(path), "report.html")
        report.write(results, page, earlier)
        print(f"Report: {page}")


main()
