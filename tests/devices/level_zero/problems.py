#!/usr/bin/env python3
"""Problems with Level Zero appear as lines of sinter-info or as messages of exceptions. Such problems never end the
process.

usage: problems.py SINTER-INFO FAULTS, where the environment names the tests' driver (ZE_ENABLE_ALT_DRIVERS)
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
    """sinter-info prints a line with the words, and programs run on the CPU."""
    found = run([info], SINTER_DEVICE="", **variables)
    if found.returncode != 0 or wanted not in " ".join(found.stdout.split()):
        failures.append(f"{what}: code {found.returncode}, no {wanted!r} in {found.stdout}")
    if what != "a driver":
        expect_right("others", SINTER_DEVICE="*:*", **variables)


def expect_right(what, **variables):
    found = run([faults, what], **variables)
    if found.returncode != 0:
        failures.append(f"{what}: {found.stdout}")


expect("a driver", "Level Zero by its loader")
expect("no driver", "Level Zero a loader, and no driver that can be used",
       ZE_ENABLE_ALT_DRIVERS="/nowhere/libze_none.so")
expect("an old driver", "not used, because its driver is too old: it has version 1.2 of Level Zero, and 1.3 is needed",
       TEST_ZE_API="2")
expect("no SPIR-V's arguments", "not used, because its kernels take 64 bytes of arguments", TEST_ZE_ARGUMENTS="64")
with tempfile.TemporaryDirectory() as folder:
    libraries = folder + ":" + os.environ.get("LD_LIBRARY_PATH", "")
    loader = os.path.join(folder, "libze_loader.so.1")
    open(loader, "w").close()
    expect("no loader", "no Level Zero loader (libze_loader.so.1)", LD_LIBRARY_PATH=libraries)
    # Makes a library that has the name of Level Zero's loader but not its functions.
    os.remove(loader)
    os.symlink("/usr/lib/x86_64-linux-gnu/libm.so.6", loader)
    expect("another library", "the Level Zero loader is too old: it has no ze", LD_LIBRARY_PATH=libraries)
expect_right("lost", TEST_ZE_LOST="1")
expect_right("double", TEST_ZE_DOUBLE="0")
expect_right("half", TEST_ZE_HALF="0")
expect_right("atomic64", TEST_ZE_ATOMIC64="0")
# The third run has a device of another stepping, for which the driver reports the same name.
with tempfile.TemporaryDirectory() as folder:
    stepping = os.path.join(folder, "stepping")
    for number, what in (1, "kept"), (1, "kept"), (2, "foreign"):
        with open(stepping, "w") as file:
            file.write(str(number))
        expect_right(what, TEST_ZE_STEPPING=stepping, SINTER_CACHE_DIR=os.path.join(folder, "cache"))
expect_right("memory", TEST_ZE_MEMORY="64")
for failure in failures:
    print(failure)
sys.exit(1 if failures else 0)
