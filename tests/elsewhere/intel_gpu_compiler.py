#!/usr/bin/env python3
"""Shows what Intel's compiler for GPUs reports about the kernels of programs, on machines without a GPU. Run by hand.

usage: intel_gpu_compiler.py [--ocloc PATH] [--devices tgllp,dg2-g10,pvc] [--every N] BUILD PROGRAM...

ocloc is Debian's (intel-opencl-icd and the libraries that it recommends; unpacked ones need LD_LIBRARY_PATH). Each N-th
kernel of all programs becomes SPIR-V by sinter-lower and code by ocloc. Devices without doubles get the kernels whose
sources have no doubles. Refusals and spills are listed with the kernel. The exit code is 77 if there is no ocloc, and 1
if a kernel is refused for another reason than a missing feature of the device (for example, the device may lack a
sub-group size).
"""
import argparse
import collections
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
#: Messages about missing features of a device, which are no faults of the module.
LACKS = ["Cannot compile a kernel in the SIMD mode", "Kernel compiled with required subgroup size",
         "total size of kernel arguments", "exceeds limit", "intel_reqd_sub_group_size",
         "Unsupported required sub group size"]
#: How the names of devices with doubles begin.
WITH_DOUBLES = ("bdw", "skl", "kbl", "cfl", "glk", "bxt", "xehp", "pvc")
SPILL = re.compile(r"kernel (\S+)\s+compiled SIMD(\d+) allocated (\d+) regs and spilled around (\d+)")


def modules(lower, program, options):
    """The SPIR-V modules of a program. Another test handles kernels that sinter-lower refuses."""
    made = subprocess.run([lower, "--emit=spirv", *options, program], stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL).stdout
    at = 0
    while at < len(made):
        line = made.index(b"\n", at)
        size = int(made[at:line])
        yield made[line + 1:line + 1 + size]
        at = line + 1 + size + 1


def compile_module(ocloc, device, module):
    """Returns whether ocloc compiled the module, and its messages."""
    with tempfile.TemporaryDirectory() as folder:
        source = os.path.join(folder, "kernel.spv")
        with open(source, "wb") as file:
            file.write(module)
        done = subprocess.run([ocloc, "compile", "-spirv_input", "-file", source, "-device", device, "-output", "kernel",
                               "-out_dir", folder], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, cwd=folder,
                              text=True, errors="replace")
        return done.returncode == 0, done.stdout


def compile_all(chosen, device, work):
    """Prints what the compiler says of the kernels. Returns how many kernels the compiler refuses because of a fault of
    Sinter."""
    work = work[::chosen.every]
    lacking, spilled, faults = collections.Counter(), [], 0
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        results = pool.map(lambda each: compile_module(chosen.ocloc, device, each[1]), work)
        for (name, _), (is_built, words) in zip(work, results):
            spilled += [f"{name}: {' '.join(each)}" for each in SPILL.findall(words)]
            if is_built:
                continue
            reason = next((each for each in LACKS if each in words), None)
            lacking[reason or "another reason"] += 1
            if reason is None:
                faults += 1
                print(f"{device}: {name} is refused:\n" + "\n".join(words.strip().splitlines()[-8:]))
    print(f"{device}: {len(work) - sum(lacking.values())} of {len(work)} kernels are built; "
          f"{dict(lacking) or 'none is refused'}; {len(spilled)} spill (name, SIMD, registers, around)")
    for each in spilled:
        print("  spills: " + each)
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ocloc", default="ocloc")
    parser.add_argument("--devices", default="tgllp,dg2-g10,pvc")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("build")
    parser.add_argument("programs", nargs="+")
    chosen = parser.parse_args()
    if not shutil.which(chosen.ocloc):
        print("there is no ocloc (Debian's package intel-opencl-icd)")
        return SKIPPED
    lower = os.path.join(chosen.build, "jitd", "sinter-lower")
    # Drivers of 2022 report SPIR-V 1.2 but accept 1.3, the first version with sub-groups. These drivers accept fewer
    # bytes of arguments than OpenCL's device for CPUs.
    options = ["--gpu=spirv64v1.3", "--sub-group=16"]
    work = {}
    for lacking in ((), ("--lacks=fp64",)):
        work[lacking] = [(f"{os.path.basename(program)} {number}", module) for program in chosen.programs
                         for number, module in enumerate(modules(lower, program, [*options, *lacking]))]
    faults = 0
    for device in chosen.devices.split(","):
        faults += compile_all(chosen, device, work[() if device.startswith(WITH_DOUBLES) else ("--lacks=fp64",)])
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
