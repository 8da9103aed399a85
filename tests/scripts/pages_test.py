#!/usr/bin/env python3
"""Compiles and runs the programs on the pages that are for users of other systems. Checks that all links on the pages
in docs lead to existing files and headings."""
import glob
import os
import re
import shutil

import common

DOCS = os.path.join(common.SOURCE, "docs")
#: For each page: the flags for the program before porting, and the output of both programs. The CUDA program is
#: only compiled, not run.
PAGES = {
    "from_cuda": (None, "heat 1.000000"),
    "from_openmp": (["-fopenmp"], "heat 1.000000, at most 0.007979"),
    "from_dpcpp": (["-fplugin-arg-sinter-device-macros=none"], "longest 3.000"),
}

#: The part of CUDA that the CUDA program uses, for clang without a toolkit.
CUDA = r"""
#pragma once
#include <cstddef>
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))
struct uint3 { unsigned x, y, z; };
struct dim3 {
  unsigned x, y, z;
  __host__ __device__ constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
using cudaStream_t = struct CUstream_st*;
enum cudaError_t { cudaSuccess };
enum cudaMemcpyKind { cudaMemcpyHostToHost, cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
extern const __device__ uint3 threadIdx, blockIdx;
extern const __device__ dim3 blockDim, gridDim;
__device__ void __syncthreads();
__device__ double atomicAdd(double* at, double value);
cudaError_t cudaStreamCreate(cudaStream_t*);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamDestroy(cudaStream_t);
template <typename T> cudaError_t cudaMalloc(T**, std::size_t);
cudaError_t cudaFree(void*);
cudaError_t cudaMemcpyAsync(void*, const void*, std::size_t, cudaMemcpyKind, cudaStream_t = nullptr);
cudaError_t cudaMemsetAsync(void*, int, std::size_t, cudaStream_t = nullptr);
extern "C" cudaError_t cudaConfigureCall(dim3, dim3, std::size_t = 0, cudaStream_t = nullptr);  // before CUDA 9.2
extern "C" cudaError_t __cudaPushCallConfiguration(dim3, dim3, std::size_t = 0, cudaStream_t = nullptr);
extern "C" cudaError_t cudaLaunchKernel(const void*, dim3, dim3, void**, std::size_t, cudaStream_t);
"""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def program(page, heading):
    """The one block of code under a heading, in C++ or CUDA."""
    section = read(os.path.join(DOCS, page + ".md")).split(f"\n## {heading}\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```(?:cpp|cuda)\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    common.check(len(blocks) == 1, f"{page}: {len(blocks)} programs under {heading}")
    return blocks[0]


def test_before():
    """the original programs run: OpenMP's with clang's library, DPC++'s without the warning about its macro"""
    common.not_sanitized()
    for page, (flags, printed) in PAGES.items():
        if flags is None:
            continue
        with common.Folder() as folder:
            source = folder.write("before.cpp", program(page, "Before"))
            words = ["-std=c++20", "-O2", "-Wall", "-Wextra", "-Werror", *flags, source, "-o", folder / "before"]
            sycl = [] if "-fopenmp" in flags else [*common.plugin_flags(), *common.link_flags()]
            common.run([common.CLANGXX, *words, *sycl]).expect()
            common.run([folder / "before"], SINTER_CACHE_DIR=folder / "cache").expect(contains=[printed])


def test_before_cuda():
    """the original CUDA program compiles with clang for host and device, and with nvcc if it is installed"""
    with common.Folder() as folder:
        source = folder.write("before.cu", program("from_cuda", "Before"))
        words = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-x", "cuda", "--cuda-path=/nonexistent", "-nocudainc",
                 "-nocudalib", "-include", folder.write("cuda.h", CUDA), "-fsyntax-only", source]
        for part in ("--cuda-host-only", "--cuda-device-only"):
            common.run([common.CLANGXX, part, *words]).expect()
        if shutil.which("nvcc"):  # atomicAdd of doubles came with sm_60
            common.run(["nvcc", "-std=c++17", "-arch=sm_80", "-c", source, "-o", folder / "before.o"]).expect()


def test_after():
    """the ported programs run, print the same as the originals, and run no kernel as host code"""
    common.not_sanitized()
    for page, (_, printed) in PAGES.items():
        with common.Folder() as folder:
            source = folder.write("after.cpp", program(page, "After"))
            common.compile_program(source, folder / "after", "-O2", "-Wall", "-Wextra", "-Werror").expect()
            variables = {"SINTER_CACHE_DIR": folder / "cache", "SINTER_STRICT": "1"}
            common.run([folder / "after"], **variables).expect(contains=[printed])


def anchors(text):
    """The anchors that GitHub makes for the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_links():
    """every file and every heading to which a page links exists"""
    missing = []
    for page in sorted(glob.glob(os.path.join(DOCS, "*.md"))):
        prose = re.sub(r"^```.*?^```$", "", read(page), flags=re.MULTILINE | re.DOTALL)
        prose = re.sub(r"`[^`]*`", "code", prose)
        for target in re.findall(r"\]\(([^)]+)\)", prose):
            path, _, heading = target.partition("#")
            if "://" in target:
                continue
            path = os.path.normpath(os.path.join(DOCS, path)) if path else page
            if not os.path.exists(path) or heading and heading not in anchors(read(path)):
                missing.append(f"{os.path.basename(page)}: {target}")
    common.check(not missing, "\n".join(missing))


def files_with(pattern, *tops):
    """Returns the C++ files in the folders `tops` that contain a match of the pattern."""
    found = []
    for path in common.sources(*tops):
        with open(os.path.join(common.SOURCE, path), encoding="utf-8") as file:
            if re.search(pattern, file.read()):
                found.append(path)
    common.check(found, f"no file has {pattern}")
    return found


def cells_of(page, heading):
    """The first cells of the rows below this heading of a page."""
    text = read(os.path.join(DOCS, page)).split(heading)[1].split("\n## ")[0]
    return " ".join(line.split(" | ")[0] for line in text.splitlines() if line.startswith("| "))


def test_processors():
    """docs/processors.md names every file of include, src and jitd that knows a processor"""
    cells = cells_of("processors.md", "## What knows a processor")
    used = files_with(r"__(x86_64|aarch64)__|is(X86|AArch64)\(", "include", "src", "jitd")
    missing = [path for path in used if f"{os.path.dirname(path)}/`" not in cells
               and not re.search(rf"[`/]{os.path.basename(path)}`", cells)]
    common.check(not missing, "the table of what knows a processor has no row for " + ", ".join(missing))


def test_relaxed():
    """docs/processors.md names every file of src and jitd with relaxed accesses"""
    cells = cells_of("processors.md", "## Memory order")
    relaxed = files_with(r"std::memory_order_relaxed|__ATOMIC_RELAXED", "src", "jitd")
    used = {os.path.splitext(path)[0] for path in relaxed}
    missing = [stem for stem in sorted(used) if not re.search(rf"[`/]{os.path.basename(stem)}\.[ch]pp`", cells)]
    common.check(not missing, "the table on memory order has no row for " + ", ".join(missing))


common.main(globals())
