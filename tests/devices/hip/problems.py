#!/usr/bin/env python3
"""Problems with HIP's runtime appear as lines of sinter-info or as messages of exceptions. They never end the process.

usage: problems.py SINTER-INFO FAULTS, with the folder of the tests' runtime in LD_LIBRARY_PATH
"""
import os
import subprocess
import sys
import tempfile

info, faults = sys.argv[1:]
failures = []


def run(words, **variables):
    environment = {**os.environ, **variables}
    return subprocess.run(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def expect(what, wanted, **variables):
    found = run([info], **variables)
    line = next((line for line in found.stdout.split("\n") if line.strip().startswith("HIP ")), "")
    if found.returncode != 0 or wanted not in line:
        failures.append(f"{what}: code {found.returncode}, {line!r} instead of {wanted!r}")


def expect_right(what, **variables):
    found = run([faults, what], **variables)
    if found.returncode != 0:
        failures.append(f"{what}: {found.stdout}")


expect("a runtime with a device", "HIP 6.3", SINTER_DEVICE="")
expect("no device", "HIP 6.3 finds no device", SINTER_DEVICE="", TEST_HIP_DEVICES="0")
expect("an old runtime", "HIP's runtime is too old: it is version 4.5, 5.2 is needed", SINTER_DEVICE="",
       TEST_HIP_VERSION="40500000")
with tempfile.TemporaryDirectory() as folder:
    expect("no runtime", "no HIP runtime (libamdhip64.so.7 or an older one", SINTER_DEVICE="", LD_LIBRARY_PATH=folder)
    # Makes a library that has the name of HIP's runtime but not its functions.
    os.symlink("/usr/lib/x86_64-linux-gnu/libm.so.6", os.path.join(folder, "libamdhip64.so.7"))
    expect("another library", "too old", SINTER_DEVICE="", LD_LIBRARY_PATH=folder)
# This case uses the machine's own runtime. It may be missing, or it may be Debian's, on a machine without a GPU.
expect("the machine's own runtime", "HIP", SINTER_DEVICE="", LD_LIBRARY_PATH="")
expect_right("facts")
expect_right("fault")
expect_right("texts")
expect_right("arguments")
expect_right("arrays")
# The simulated GPU can't run AMD's code objects.
expect_right("foreign", TEST_HIP_ARCH="gfx942")
expect_right("unknown", TEST_HIP_ARCH="gfx700")
expect_right("memory", TEST_HIP_MEMORY="64")
expect_right("memory", TEST_HIP_MEMORY="64", TEST_HIP_POOLS="0")
expect_right("interop", SINTER_DEVICE="hip;sinter:0")
# HIP versions before 6 use other numbers for the kinds of memory.
expect_right("times", TEST_HIP_VERSION="50221153")
expect_right("peers", TEST_HIP_DEVICES="2", SINTER_DEVICE="hip")
expect_right("peers", TEST_HIP_DEVICES="2", SINTER_DEVICE="hip", TEST_HIP_POOLS="0")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
