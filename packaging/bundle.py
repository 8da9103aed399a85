#!/usr/bin/env python3
"""Makes a relocatable archive of Sinter's libraries, what they need, and programs.

usage: bundle.py BUILD ARCHIVE.tar.xz [PROGRAM...]

Programs are paths below BUILD; without any, all examples and end-to-end programs. In the unpacked folder, `./with
bin/PROGRAM` runs one; `./with ./test` runs all that test themselves, on the device that SINTER_DEVICE names.
"""
import glob
import os
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile

# The C library and what belongs to it comes from the machine: it has to fit its kernel.
FROM_SYSTEM = re.compile(r"/(ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libresolv)[.-]")

WITH = """#!/bin/sh
# Runs a command with this folder's libraries.
here=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH=$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} exec "$@"
"""

TEST = """#!/bin/sh
# Runs all end-to-end programs, or those that are named, and says which failed.
here=$(cd "$(dirname "$0")" && pwd)
[ $# -gt 0 ] || set -- $(cd "$here/bin" && ls | grep '^e2e_')
passed=0 failed=
for name in "$@"; do
  if timeout ${TEST_TIMEOUT:-120} "$here/bin/$name" >"${TEST_LOGS:-/tmp}/$name.log" 2>&1; then
    passed=$((passed + 1))
  else
    failed="$failed $name($?)"
  fi
done
echo "$passed passed; failed:${failed:- none}"
[ -z "$failed" ]
"""


def needed_by(path):
    """Files of the shared libraries that the loader would open."""
    output = subprocess.run(["ldd", path], capture_output=True, text=True, check=True).stdout
    return [line.split("=>")[1].split("(")[0].strip() for line in output.splitlines() if "=>" in line and "/" in line]


def copy(source, target, strip=True):
    shutil.copy(os.path.realpath(source), target)
    os.chmod(target, 0o755)
    if strip:
        subprocess.run(["strip", "--strip-debug", target], check=True)


def programs_of(build):
    found = glob.glob(os.path.join(build, "tests", "e2e", "e2e_*")) + glob.glob(os.path.join(build, "examples", "*", "*"))
    found += glob.glob(os.path.join(build, "examples", "*"))
    return sorted(path for path in found if os.path.isfile(path) and os.stat(path).st_mode & stat.S_IXUSR
                  and not path.endswith((".so", ".py")))


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    build, archive = sys.argv[1:3]
    programs = [os.path.join(build, name) for name in sys.argv[3:]] or programs_of(build)
    own = {"libsinter.so.0": os.path.join(build, "src", "libsinter.so.0"),
           "libsinter-jit.so": os.path.join(build, "jitd", "libsinter-jit.so"),
           # Looked for beside the JIT; the translator it starts, where it was built (-Dspirv_translator=true).
           "sinter-import": os.path.join(build, "jitd", "sinter-import")}
    if os.path.exists(os.path.join(build, "jitd", "llvm-spirv-22")):
        own["llvm-spirv-22"] = os.path.join(build, "jitd", "llvm-spirv-22")
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "sinter")
        for name in ("lib", "bin"):
            os.makedirs(os.path.join(root, name))
        wanted = set()
        for path in [*own.values(), *programs]:
            wanted.update(needed_by(path))
        for path in sorted(wanted):
            name = os.path.basename(path)
            if name not in own and not FROM_SYSTEM.search(path):
                copy(path, os.path.join(root, "lib", name), strip=False)
        for name, path in own.items():
            copy(path, os.path.join(root, "lib", name))
        for path in programs:
            copy(path, os.path.join(root, "bin", os.path.basename(path)))
        write(os.path.join(root, "with"), WITH)
        write(os.path.join(root, "test"), TEST)
        with tarfile.open(archive, "w:xz", preset=6) as tar:
            tar.add(root, arcname="sinter")
    print(f"{archive}: {len(programs)} programs, {os.path.getsize(archive) / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
