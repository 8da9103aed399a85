#!/usr/bin/env python3
"""Counts instructions of hot loops on AMD's GPUs, without a GPU. Compares Sinter's code objects with clang's code for
the same kernels, compiled as HIP (the .cu files, with hip_words.hpp). If a kernel has loops, the instructions of the
innermost loop with most of the work are counted, else those of the whole kernel. `each` is the number per unit of work,
because loops may be unrolled by different numbers. Sinter's code is made for the launches in side_by_side.cpp: for
their local range, and for the addresses of their local accessors. The runtime makes such code for a kernel's first
layout of groups. Launches with other layouts share code that is right for any layout. The table has separate rows for
this code.

hot_loops.py BUILD [CLANGXX]
"""
import math
import os
import re
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LLVM = "22"
#: For each GPU: the number of vector registers of a SIMD unit, the granularity in which a wave gets registers, and the
#: largest number of waves.
GPUS = {"gfx942": (512, 8, 8), "gfx1100": (1536, 24, 16)}
#: For each kernel: name, source, index of Sinter's kernel in its file, HIP's name, the instructions that do the work
#: (none: the whole kernel counts), how many of them are one unit of work, and Sinter's groups. Groups are described by
#: their local range, and for each local accessor by its range and the bytes of an element (None: the default groups of
#: this kind of kernel).
FLOATS = r"v_(?:dual_|pk_)?(?:fma|fmac|fmamk|fmaak|mul)_f32"
CASES = (
    ("matmul_16", "kernels", 0, "matmul_kernelILi16E", FLOATS, 1, ((1, 16, 16), [((16, 16), 4), ((16, 16), 4)])),
    ("matmul_32", "kernels", 1, "matmul_kernelILi32E", FLOATS, 1, ((1, 32, 32), [((32, 32), 4), ((32, 32), 4)])),
    ("nbody", "kernels", 2, "nbody_kernel", r"v_rsq_f32", 1, ((1, 1, 256), [((256,), 16)])),
    ("stencil", "kernels", 6, "stencil_kernel", None, 1, None),
    ("dot (a reduction)", "streams", 4, "dot_kernelE", r"v_(?:fma|fmac|mul)_f64", 1, None),
)


def run(words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, **more).stdout


def group_words(group):
    """sinter-lower's options that describe the groups. A local accessor is given by its offset and its range
    (abi/accessor_layout.hpp)."""
    if not group:
        return []
    place, accessors = 0, b""
    for lengths, element in group[1]:
        accessors += struct.pack(f"<{1 + len(lengths)}Q", place, *lengths)
        place += element * math.prod(lengths)
    return ["--local=" + ",".join(map(str, group[0])), "--local-accessors=" + accessors.hex()]


def ours(build, source, gpu, folder, words=(), kind="all"):
    """Sinter's code objects of all kernels of a file, in order, or of the kernels that the options `words` select."""
    object_file = os.path.join(build, "benchmarks/gpu/gpu_kernels.p", source + ".cpp.o")
    data, at, paths = run([os.path.join(build, "jitd/sinter-lower"), "--emit=amdgcn", "--gpu=" + gpu, *words,
                           object_file]), 0, []
    while at < len(data):
        end = data.index(b"\n", at)
        size = int(data[at:end])
        paths.append(os.path.join(folder, f"{source}-{gpu}-{kind}-{len(paths)}"))
        with open(paths[-1], "wb") as file:
            file.write(data[end + 1:end + 1 + size])
        at = end + size + 2
    return paths


def theirs(clang, source, gpu, folder):
    path = os.path.join(folder, f"{source}-{gpu}.hip")
    run([clang, "-x", "hip", "--offload-device-only", "--no-gpu-bundle-output", "--offload-arch=" + gpu, "-nogpuinc",
         "-nogpulib", "-std=c++20", "-O3", "-include", os.path.join(HERE, "hip_words.hpp"), "-c",
         os.path.join(HERE, source + ".cu"), "-o", path])
    return path


def blocks(path, name):
    """The kernel's blocks of code: label and instructions."""
    text = run(["llvm-objdump-" + LLVM, "-d", "--no-show-raw-insn", "--symbolize-operands", path], text=True)
    parts = re.split(r"(?m)^[0-9a-f]+ <(\w+)>:$", text)
    found, label, wanted = [], None, False
    for label, body in zip(parts[1::2], parts[2::2]):
        if not re.fullmatch(r"L\d+", label):
            wanted = name in label if name else label.startswith("sinter_")
        if not wanted:
            continue
        lines = [line.split("//")[0].strip() for line in body.splitlines() if line.startswith("\t")]
        lines = [line for line in lines if not re.match(r"s_(nop|code_end)\b", line)]
        found.append((label, lines))
    return found


def loops(parts):
    """The instructions of each innermost loop: from a label to the branch back to it."""
    places = {label: number for number, (label, _) in enumerate(parts)}
    found = set()
    for end, (_, lines) in enumerate(parts):
        for line in lines:
            target = re.match(r"s_c?branch\w* (L\d+)$", line)
            if target and places.get(target[1], end + 1) <= end:
                found.add((places[target[1]], end))
    inner = [one for one in found if not any(one != other and one[0] <= other[0] and other[1] <= one[1]
                                             for other in found)]
    return [[line for _, lines in parts[begin:end + 1] for line in lines] for begin, end in inner]


def resources(path, name):
    """The numbers of registers, of spilled bytes, and of bytes of private memory."""
    notes = run(["llvm-readelf-" + LLVM, "--notes", path], text=True)
    for part in notes.split("- .agpr_count" if ".agpr_count" in notes else "- .args")[1:]:
        if name and name not in part:
            continue
        number = lambda key: int(re.search(rf"\.{key}:\s+(\d+)", part)[1])
        return number("vgpr_count"), number("sgpr_count"), number("vgpr_spill_count") + number("sgpr_spill_count")
    raise SystemExit(f"no kernel {name} in {path}")


def waves(gpu, registers):
    """How many waves a SIMD unit can run at the same time."""
    there, together, most = GPUS[gpu]
    return min(most, there // (-(-registers // together) * together))


def cost(path, name, work, pieces):
    """The number of instructions of the hot loop, in all and for each unit of work."""
    all_blocks = blocks(path, name)
    if work is None:
        count = sum(len(lines) for _, lines in all_blocks)
        return count, float(count)
    # v_dual_... is two operations in one instruction, v_pk_... one operation on two numbers.
    def done(lines):
        return sum(len(re.findall(work, line)) * (2 if line.startswith("v_pk_") else 1) for line in lines)
    hot = max(loops(all_blocks), key=done)
    return len(hot), len(hot) / (done(hot) / pieces)


def row(title, gpu, ours, theirs, work, pieces):
    """A line of the table. `ours` and `theirs` are the path of the code and the kernel's name on each side."""
    (a, each_a), (b, each_b) = cost(*ours, work, pieces), cost(*theirs, work, pieces)
    (va, sa, pa), (vb, sb, pb) = resources(*ours), resources(*theirs)
    print(f"| {title} | {gpu} | {a}, {each_a:.2f} | {b}, {each_b:.2f} | {each_a / each_b:.2f} | "
          f"{va}, {sa}; clang {vb}, {sb} | {waves(gpu, va)}; clang {waves(gpu, vb)} | {pa}; clang {pb} |")


def main():
    build, clang = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "clang++-" + LLVM
    print("| kernel | GPU | Sinter: loop, each | clang: loop, each | ratio | registers (vector, scalar) | waves | "
          "spills |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for gpu in GPUS:
            made = {}
            for source in ("kernels", "streams"):
                made[source] = (ours(build, source, gpu, folder), theirs(clang, source, gpu, folder))
            for title, source, place, name, work, pieces, group in CASES:
                mine, hip = made[source]
                versions = [(title, mine[place])]
                if group:
                    known = ours(build, source, gpu, folder, [f"--kernel={place}", *group_words(group)], "known")[0]
                    versions = [(title, known), (title + ", any layout", mine[place])]
                for version, path in versions:
                    row(version, gpu, (path, None), (hip, name), work, pieces)


if __name__ == "__main__":
    main()
