#!/usr/bin/env python3
"""The pipelines of stencils.cpp in Halide (PyPI: halide): each thread computes strips of rows, and keeps only those
rows of a stage that later stages still read. The arithmetic is that of stencils.cpp. Only the input picture is repeated
beyond its border. Stages are computed beyond the border instead of being repeated, because this is the fastest way in
Halide. So results differ in the outermost rows and columns.

usage: halide_strips.py PIPELINE [ROUNDS [HEIGHT [WIDTH]]]; prints one line of JSON per round, milliseconds.
"""
import json
import sys
import time

import halide as hl
import numpy as np

x, y, outer, inner = (hl.Var(name) for name in ("x", "y", "outer", "inner"))
WEIGHTS = (0.03, 0.11, 0.22, 0.28, 0.22, 0.11, 0.03)


def f32(value):
    return hl.f32(value)


class Pipeline:
    def __init__(self, source):
        self.source, self.stages = hl.BoundaryConditions.repeat_edge(source), []

    def stage(self, value):
        stage = hl.Func(f"stage{len(self.stages)}")
        stage[x, y] = value
        self.stages.append(stage)
        return stage

    @staticmethod
    def at(source):
        return lambda dy, dx: source[x + dx, y + dy]


def blur(p):
    def mean(values):
        return hl.u16((hl.i32(values[0]) + hl.i32(values[1]) + hl.i32(values[2])) / 3)
    rows = p.stage(mean([p.source[x + by, y] for by in (-1, 0, 1)]))
    return mean([rows[x, y + by] for by in (-1, 0, 1)])


def weigh(values):
    total = values[0] * f32(WEIGHTS[0])
    for value, weight in zip(values[1:], WEIGHTS[1:]):
        total = total + value * f32(weight)
    return total


def unsharp(p):
    rows = p.stage(weigh([p.source[x + by, y] for by in range(-3, 4)]))
    smooth = weigh([rows[x, y + by] for by in range(-3, 4)])
    here = p.source[x, y]
    return here + f32(1.5) * (here - smooth)


def gradients(p, source):
    a = p.at(source)
    across = (a(-1, 1) - a(-1, -1)) + 2 * (a(0, 1) - a(0, -1)) + (a(1, 1) - a(1, -1))
    down = (a(1, -1) - a(-1, -1)) + 2 * (a(1, 0) - a(-1, 0)) + (a(1, 1) - a(-1, 1))
    return across, down


def box(p, source):
    a, total = p.at(source), f32(0)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            total = total + a(dy, dx)
    return total


def harris(p):
    across, down = gradients(p, p.source)
    a, b, c = (box(p, p.stage(value)) for value in (across * across, across * down, down * down))
    return a * c - b * b - f32(0.04) * (a + c) * (a + c)


def sobel(p):
    across, down = gradients(p, p.stage(box(p, p.source)))
    strength = hl.sqrt(across * across + down * down)
    return hl.select(strength > 4.0, strength, f32(0))


def jacobi(p):
    source = p.source
    for sweep in range(5):
        a = p.at(source)
        value = f32(0.25) * (a(-1, 0) + a(1, 0) + a(0, -1) + a(0, 1))
        if sweep < 4:
            source = p.stage(value)
    return value


def local_contrast(p):
    def mean(stage):
        rows = p.stage((stage(-2) + stage(-1) + stage(0) + stage(1) + stage(2)) * f32(0.2))
        a = [rows[x, y + by] for by in range(-2, 3)]
        return (a[0] + a[1] + a[2] + a[3] + a[4]) * f32(0.2)
    here = p.source[x, y]
    average = mean(lambda by: p.source[x + by, y])
    square = mean(lambda by: p.source[x + by, y] * p.source[x + by, y])
    variance = square - average * average
    return (here - average) / hl.sqrt(hl.select(variance > f32(1e-4), variance, f32(1e-4)))


def main():
    name = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    height = int(sys.argv[3]) if len(sys.argv) > 3 else 4096
    width = int(sys.argv[4]) if len(sys.argv) > 4 else height
    integers = name == "blur"
    dice = np.random.default_rng(42)
    data = dice.integers(0, 1000, (height, width)).astype(np.uint16)
    if not integers:
        data = (data / 1000.0).astype(np.float32)
    source = hl.Buffer(data)
    pipeline = Pipeline(source)
    value = globals()[name](pipeline)
    result = hl.Func("result")
    result[x, y] = value
    lanes = 32 if integers else 16
    strip = 128
    result.split(y, outer, inner, strip).parallel(outer)
    result.vectorize(x, lanes)
    for stage in pipeline.stages:
        stage.store_at(result, outer).compute_at(result, inner).vectorize(x, lanes)
    out = hl.Buffer(np.zeros((height, width), data.dtype))
    result.compile_jit()
    result.realize(out)
    for _ in range(rounds):
        start = time.perf_counter()
        result.realize(out)
        print(json.dumps({"halide": 1e3 * (time.perf_counter() - start)}))


if __name__ == "__main__":
    main()
