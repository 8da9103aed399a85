#!/usr/bin/env python3
"""If MPI is installed, the commands of docs/distributed.md build the examples, and the examples' results are right on
1, 2 and 4 ranks. The example without Celerity also compiles and runs without MPI, on one rank."""
import os
import re

import common

#: The part of MPI that a program with one rank needs.
ONE_RANK = r"""
#pragma once
#include <cstdio>
#include <cstdlib>
#include <cstring>
using MPI_Comm = int;
using MPI_Info = int;
using MPI_Datatype = int;
using MPI_Op = int;
struct MPI_Status {};
enum { MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, MPI_INFO_NULL, MPI_FLOAT = 4, MPI_LONG_LONG = 8, MPI_SUM, MPI_PROC_NULL = -1 };
#define MPI_STATUS_IGNORE nullptr
inline int MPI_Init(int*, char***) { return 0; }
inline int MPI_Finalize() { return 0; }
inline int MPI_Abort(MPI_Comm, int code) { std::exit(code); }
inline int MPI_Comm_rank(MPI_Comm, int* rank) { return *rank = 0; }
inline int MPI_Comm_size(MPI_Comm, int* size) { return *size = 1, 0; }
inline int MPI_Comm_split_type(MPI_Comm, int, int, MPI_Info, MPI_Comm* part) { return *part = 0; }
inline int MPI_Comm_free(MPI_Comm*) { return 0; }
inline int MPI_Barrier(MPI_Comm) { return 0; }
inline int MPI_Sendrecv(const void*, int, MPI_Datatype, int to, int, void*, int, MPI_Datatype, int from, int, MPI_Comm, MPI_Status*) {
  if (to != MPI_PROC_NULL || from != MPI_PROC_NULL) std::puts("WRONG: there is no other rank"), std::exit(1);
  return 0;
}
inline int MPI_Allreduce(const void* mine, void* all, int count, MPI_Datatype type, MPI_Op, MPI_Comm) {
  std::memcpy(all, mine, static_cast<std::size_t>(count * type));
  return 0;
}
"""

EXAMPLES = os.path.join(common.SOURCE, "examples/distributed")
#: Open MPI's variables that allow more ranks than processors, ranks without fixed processors, and root. MPICH allows
#: these by default.
OPEN_MPI = {"OMPI_ALLOW_RUN_AS_ROOT": 1, "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": 1, "OMPI_MCA_rmaps_base_oversubscribe": 1,
            "OMPI_MCA_hwloc_base_binding_policy": "none", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
            "PRTE_MCA_hwloc_default_binding_policy": "none"}


def commands():
    """The page's commands that build the examples."""
    with open(os.path.join(common.SOURCE, "docs/distributed.md"), encoding="utf-8") as page:
        block = re.search(r"^```sh\n(.*?)^```", page.read(), re.MULTILINE | re.DOTALL).group(1)
    return [line for line in re.sub(r"\\\n *", "", block).splitlines() if line.startswith("cmake ")]


def build_for_one_rank(folder):
    common.not_sanitized()
    folder.write("mpi.h", ONE_RANK)
    common.compile_program(os.path.join(EXAMPLES, "stencil_mpi.cpp"), folder / "stencil", "-O2", "-I" + folder.path).expect()
    return folder / "stencil"


def test_one_rank():
    """the stencil example compiles without MPI, and its results on one rank are right, for plates of any size"""
    with common.Folder() as folder:
        program = build_for_one_rank(folder)
        for words in ((), (1, 1, 1), (1, 7, 3), (2, 2, 2), (3, 3, 3), (17, 5, 9), (5, 100, 0)):
            result = common.run([program, *words], SINTER_CACHE_DIR=folder / "cache")
            result.expect(contains=["; right"], lacks=["WRONG"])
        for words in (("x",), (0,), (3, 3, -1), (1, 2, 3, 4)):
            common.run([program, *words], SINTER_CACHE_DIR=folder / "cache").expect(code=2, contains=["usage"])


def test_wrong_results_are_found():
    """the stencil example's comparison notices a plate that was computed differently"""
    with common.Folder() as folder:
        common.not_sanitized()
        folder.write("mpi.h", ONE_RANK)
        with open(os.path.join(EXAMPLES, "stencil_mpi.cpp"), encoding="utf-8") as file:
            text = file.read()
        planted = text.replace("fresh[at] = next_value(old + at, columns);", "fresh[at] = next_value(old + at, columns) + (at == 5000);")
        common.check(planted != text, "there is nothing to plant an error in")
        source = folder.write("stencil.cpp", planted)
        common.compile_program(source, folder / "stencil", "-O2", "-I" + folder.path, "-I" + EXAMPLES).expect()
        common.run([folder / "stencil"], SINTER_CACHE_DIR=folder / "cache").expect(code=1, contains=["WRONG"])


def test_bound_rank():
    """a process that may use only one processor has one compute unit and one thread for kernels"""
    common.need("taskset")
    with common.Folder() as folder:
        program = build_for_one_rank(folder)
        processor = min(os.sched_getaffinity(0))
        result = common.run(["taskset", "-c", processor, program], SINTER_CACHE_DIR=folder / "cache", SINTER_DEVICE="cpu")
        result.expect(contains=[", 1 compute units", "right"])


def test_ranks():
    """the page's commands build the examples; the results of 1, 2 and 4 ranks are right; if 4 ranks start with a cold
    cache, one rank compiles"""
    common.not_sanitized()
    common.need("cmake", "mpicxx", "mpirun")
    with common.Folder() as folder:
        os.makedirs(folder / "build")
        os.symlink(os.path.join(common.SOURCE, "examples"), folder / "examples")
        os.symlink(os.path.join(common.BUILD, "packaging"), folder / "build/packaging")
        lines = commands()
        common.check(len(lines) == 2, f"expected a line that configures and one that builds: {lines}")
        settings = {"SINTER_CACHE_DIR": folder / "cache"}
        text = "".join(common.run(["sh", "-ec", line], cwd=folder.path, **settings).expect().text for line in lines)
        programs = [("stencil_mpi", ((), (4, 3, 5), (9, 1000, 3), (7, 2, 4)))]
        if os.environ.get("celerity_prefix"):
            programs += [("celerity_stencil", ((), (9, 100, 3))), ("celerity_product", ((), (37,)))]
        else:
            common.check(text.count("are left out") == 1, "nothing is said about Celerity: " + text)
        for program, sizes in programs:
            for ranks in (1, 2, 4):
                for words in sizes:
                    command = ["mpirun", "-n", ranks, folder / ("build/distributed/" + program), *words]
                    result = common.run(command, **OPEN_MPI, **settings)
                    result.expect(contains=["; right"], lacks=["WRONG", "host code"])
        cold = {"SINTER_CACHE_DIR": folder / "cold", "SINTER_REPORT": "summary", "SINTER_DEVICE": "cpu"}
        result = common.run(["mpirun", "-n", 4, folder / "build/distributed/stencil_mpi"], **OPEN_MPI, **cold).expect()
        compiled = sorted(int(number) for number in re.findall(r"(\d+) kernels compiled", result.text))
        common.check(compiled == [0, 0, 0, 1], f"kernels that each rank compiled: {compiled}")


common.main(globals())
