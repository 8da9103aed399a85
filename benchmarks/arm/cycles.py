#!/usr/bin/env python3
"""Counts the cycles of inner loops of benchmarks/cpu on a Neoverse V2, by the model of llvm-mca. Also counts the cycles
of the same loops in OpenMP, compiled by clang. No loop is executed, so no Arm machine is needed.

usage: cycles.py BUILD ROOT [NAME...]   BUILD: this machine's build, for its plugin and sinter-lower
                                        ROOT: Debian's packages for arm64 (tests/aarch64/sysroot.py)

Each kernel or OpenMP function is represented by its innermost loop with the fewest cycles per element, because this
loop handles nearly all elements. To count the elements of an iteration, the script counts the lanes of an instruction
that each element needs exactly once. Caches and the branch predictor are not in the model.
"""
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CPU = os.path.join(SOURCE, "benchmarks", "cpu")
OPENMP = os.path.join(SOURCE, "benchmarks", "arm", "openmp.cpp")
TARGET = ["clang++-22", "--target=aarch64-linux-gnu", "-std=c++20", "-fopenmp", "-I" + os.path.join(SOURCE, "include")]
PROCESSOR = "neoverse-v2"
SVE_BITS = 128
TURNS = 200

MULTIPLY_ADD = r"f(mla|madd|mad)$"
#: For each loop: the program, a word that identifies the source line of the kernel's launch, the file of the reference,
#: the function in this file, and the instruction whose lanes are counted.
LOOPS = {
    "copy": ("babelstream", "c[i] = a[i]; }).wait", "babelstream_reference.cpp", "stream_copy", "store 8"),
    "mul": ("babelstream", "b[i] = factor", "babelstream_reference.cpp", "stream_mul", r"fmul$"),
    "add": ("babelstream", "c[i] = a[i] + b[i]", "babelstream_reference.cpp", "stream_add", r"fadd$"),
    "triad": ("babelstream", "a[i] = b[i] + factor", "babelstream_reference.cpp", "stream_triad", MULTIPLY_ADD),
    "dot": ("babelstream", "total += a[i]", "babelstream_reference.cpp", "stream_dot_reassociated", r"f(mla|madd|add)$"),
    "reduction": ("reduction", "total += values[i]", "reduction_reference.cpp", "reduction_simd", r"fadd$"),
    "stencil": ("stencil", "sycl::id<2> point", "stencil_reference.cpp", "stencil_simd", r"fmul$"),
    "matmul": ("matmul", "sycl::nd_range<2>(sycl::range<2>(n, n)", "plain_references.cpp", "matmul_tiled",
               MULTIPLY_ADD),
    "nbody": ("nbody", "sycl::nd_range<1>(count, tile)", OPENMP, "arm_nbody", r"f(sqrt|rsqrte)$"),
    "mandelbrot": ("mandelbrot", "sycl::id<2> pixel", "plain_references.cpp", "mandelbrot_scalar", r"fcm(ge|gt|p)$"),
    "spmv": ("spmv", "sycl::id<1>", "spmv_reference.cpp", "spmv_rows", MULTIPLY_ADD),
    "spmv in order": ("spmv", "sycl::id<1>", OPENMP, "arm_spmv_in_order", MULTIPLY_ADD),
}


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)} failed:\n{done.stderr[-2000:]}")
    return done.stdout


def lanes_of(line):
    """The number of lanes of an instruction on floats; a scalar instruction has one lane."""
    found = re.search(r"\bv\d+\.(\d+)[sd]\b", line)
    if found:
        return int(found.group(1))
    found = re.search(r"\bz\d+\.([sd])\b", line)
    if found:
        return SVE_BITS // {"s": 32, "d": 64}[found.group(1)]
    return 1


def bytes_stored(line):
    words = re.match(r"\s*(stp|str|stur|stnp|st1[bhwd]?)\s+(.*)", line)
    if not words:
        return 0
    register = re.search(r"\b([bhsdqvz])\d+", words.group(2))
    size = {"b": 1, "h": 2, "s": 4, "d": 8, "q": 16, "v": 16, "z": SVE_BITS // 8}[register.group(1)] if register else \
        {"w": 4, "x": 8}[words.group(2)[0]]
    return 2 * size if words.group(1) in ("stp", "stnp") else size


def elements_of(loop, counted):
    if counted.startswith("store "):
        return sum(bytes_stored(line) for line in loop) / int(counted.split()[1])
    named = [line for line in loop if re.match(counted, line.split()[0])]
    return sum(lanes_of(line) for line in named)


def innermost_loops(text):
    """The innermost loops of the assembly, as lists of instructions."""
    lines = [line.split("//")[0].rstrip() for line in text.splitlines()]
    places = {line[:-1]: number for number, line in enumerate(lines) if re.match(r"^\.?\w+:$", line)}
    spans = []
    for number, line in enumerate(lines):
        found = re.match(r"\s+(?:b|b\.\w+|cbn?z|tbn?z)\s+(?:.*,\s*)?(\.L\w+)$", line)
        if found and places.get(found.group(1), number) < number:
            spans.append((places[found.group(1)], number))
    for first, last in spans:
        if any(first <= other and end <= last and (other, end) != (first, last) for other, end in spans):
            continue
        yield [line.strip() for line in lines[first:last + 1] if re.match(r"\s+[a-z]", line)]


def cycles_of(loop):
    """Cycles of one iteration; None if the model lacks an instruction, such as an atomic one."""
    with tempfile.NamedTemporaryFile("w", suffix=".s") as file:
        # All branches lead to a label behind the loop, because the model follows no branch.
        file.write("\n".join(re.sub(r"\.L\w+$", ".Lnext", line) for line in loop) + "\n.Lnext:\n")
        file.flush()
        done = subprocess.run(["llvm-mca-22", "-mtriple=aarch64", "-mcpu=" + PROCESSOR, f"-iterations={TURNS}", file.name],
                              capture_output=True, text=True)
    found = re.search(r"Total Cycles:\s+(\d+)", done.stdout)
    return int(found.group(1)) / TURNS if found else None


def best(text, counted):
    """Cycles per element of the fastest loop, and the loop."""
    found = []
    for loop in innermost_loops(text):
        elements = elements_of(loop, counted)
        calls = any(re.match(r"blr?\s", line) for line in loop)
        cycles = cycles_of(loop) if elements and not calls else None
        if cycles:
            found.append((cycles / elements, loop))
    return min(found, key=lambda each: each[0]) if found else (None, [])


def kernel_text(build, root, folder, program, word):
    source = os.path.join(CPU, program + ".cpp")
    compiled = os.path.join(folder, program + ".o")
    plugin = os.path.join(build, "jitd", "capture", "libsinter-capture.so")
    if not os.path.exists(compiled):
        run(*TARGET, "--sysroot=" + root, "-O2", "-fplugin=" + plugin, "-fpass-plugin=" + plugin, "-DSINTER_LEAN_HEADERS",
            "-c", source, "-o", compiled)
    lower = os.path.join(build, "jitd", "sinter-lower")
    with open(source, encoding="utf-8") as file:
        lines = [number for number, line in enumerate(file, 1) if word in line]
    listed = run(lower, "--list", compiled)
    # A lambda begins in the line of its launch or a few lines below.
    for number, line in re.findall(r"^kernel (\d+) .* at \S*" + program + r"\.cpp:(\d+):", listed, re.MULTILINE):
        if any(0 <= int(line) - each <= 3 for each in lines):
            return run(lower, f"--cpu=aarch64:{PROCESSOR}:{SVE_BITS}", "--emit=asm", "--kernel=" + number, compiled)
    sys.exit(f"no kernel in {source} begins near '{word}':\n{listed}")


def reference_text(root, name, function):
    text = run(*TARGET, "--sysroot=" + root, "-O3", "-mcpu=" + PROCESSOR, "-S", "-o", "-", os.path.join(CPU, name))
    # clang outlines each parallel region to a function, whose name contains the name of the enclosing function.
    parts = re.split(r"^(?=(?!\.L)[\w.$]+:)", text, flags=re.MULTILINE)
    return "".join(part for part in parts if function in part.split(":")[0])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, root, names = sys.argv[1], sys.argv[2], sys.argv[3:] or LOOPS
    print("| loop | Sinter | OpenMP | ratio |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            program, word, reference, function, counted = LOOPS[name]
            ours, loop = best(kernel_text(build, root, folder, program, word), counted)
            theirs, other = best(reference_text(root, reference, function), counted)
            numbers = [f"{each:.2f}" if each else "none" for each in (ours, theirs)]
            ratio = f"{ours / theirs:.2f}" if ours and theirs else ""
            print(f"| {name} | {numbers[0]} | {numbers[1]} | {ratio} |", flush=True)
            if os.environ.get("SHOW_LOOPS"):
                print("\n".join(loop), "\n--- OpenMP", *other, sep="\n")


main()
