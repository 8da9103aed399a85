#!/usr/bin/env python3
"""Fetches Intel's OpenCL driver for CPUs from PyPI, for the tests of suite `opencl`.

opencl_driver.py fetch FOLDER     unpacks it into FOLDER, unless it is there; without a network, says so and succeeds
opencl_driver.py run FOLDER COMMAND...  runs a command on it; code 77 (skipped) where it is not there
opencl_driver.py skip ...  code 77, for a Sinter that makes no SPIR-V
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

PACKAGES = ["intel-opencl-rt==2026.2.0", "intel-cmplr-lib-rt==2026.2.0", "tbb==2023.2.0", "tcmlib==1.6.0", "umf==1.2.0"]
DRIVER = "libintelocl.so"
# COPY matches libraries that other parts of the driver open by a shorter name. The script makes a copy of each library
# with this name. UNUSED lists parts that the tests don't need. They are for other languages, for debuggers and for
# other devices.
COPY = re.compile(r"^lib(intelocl|tbb.*|tcm|umf|hwloc|OpenCL)\.so\.\d+\.\d+")
UNUSED = ("libOpenCL", "icx-lto", "libze_", "libxptifw", "libqkmalloc", "libtbbmalloc_proxy", "libtcm_debug")
SKIPPED = 77


def unpack(wheel, folder):
    """Extracts all libraries from a wheel, from any of the wheel's folders."""
    with zipfile.ZipFile(wheel) as archive:
        for entry in archive.infolist():
            name = os.path.basename(entry.filename)
            if "/lib/" not in entry.filename or not name or name.startswith(UNUSED) or COPY.match(name):
                continue
            with archive.open(entry) as source, open(os.path.join(folder, name), "wb") as target:
                shutil.copyfileobj(source, target)


def fetch(folder):
    done = os.path.join(folder, "intel.icd")
    if os.path.exists(done):
        return
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder) as wheels:
        found = subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:",
                                "--disable-pip-version-check", "--retries", "1", "--timeout", "30", "-d", wheels,
                                *PACKAGES],
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if found.returncode != 0:
            print("no OpenCL driver from PyPI, tests on it are skipped: " + " ".join(found.stdout.split()[-40:]))
            return
        for wheel in os.listdir(wheels):
            unpack(os.path.join(wheels, wheel), folder)
    # The library without a version number is not copied, because nothing opens it.
    if os.path.exists(os.path.join(folder, "libcommon_clang.so")):
        os.remove(os.path.join(folder, "libcommon_clang.so"))
    with open(done, "w") as file:
        file.write(os.path.join(os.path.abspath(folder), DRIVER) + "\n")


def run(folder, command):
    if not os.path.exists(os.path.join(folder, "intel.icd")):
        print("there is no OpenCL driver in " + folder)
        return SKIPPED
    libraries = [os.path.abspath(folder), *filter(None, os.environ.get("LD_LIBRARY_PATH", "").split(":"))]
    environment = dict(os.environ, OCL_ICD_VENDORS=os.path.abspath(folder), LD_LIBRARY_PATH=":".join(libraries))
    environment.setdefault("SINTER_DEVICE", "opencl:0")
    return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    if len(sys.argv) >= 3 and sys.argv[1] == "fetch":
        sys.exit(fetch(sys.argv[2]))
    if len(sys.argv) >= 4 and sys.argv[1] == "run":
        sys.exit(run(sys.argv[2], sys.argv[3:]))
    if len(sys.argv) >= 2 and sys.argv[1] == "skip":
        print("Sinter makes no SPIR-V with this LLVM (docs/llvm_versions.md)")
        sys.exit(SKIPPED)
    sys.exit(__doc__)
