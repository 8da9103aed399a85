#!/usr/bin/env python3
"""Makes a relocatable archive of programs, Sinter's libraries and their dependencies, for other Linux machines.

usage: sinter-bundle ARCHIVE [--root ROOT] PROGRAM...  ARCHIVE: .tar.xz, .tar.gz, .tar
       bundle.py ARCHIVE --build BUILD           all examples and end-to-end programs of a build folder

--root: the programs are for 64-bit Arm, and ROOT holds that machine's libraries (tests/aarch64/sysroot.py). In the
unpacked folder, `./with bin/PROGRAM` runs a program. The machine that runs it must have the driver of its GPU, and a C
library that is at least as new as that of the machine where the archive was made. Files that programs open by
themselves are not packed, because this script does not know them.
With --build, `./with ./test` runs all programs that test themselves, on the device that SINTER_DEVICE names.
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

# The C library and its parts are not packed: they come from the machine that runs the programs, because they have to
# fit its kernel.
FROM_SYSTEM = re.compile(r"/(ld-linux-[a-z0-9_-]+|libc|libm|libdl|libpthread|librt|libresolv)[.-]")

FORMATS = {".xz": "xz", ".gz": "gz", ".tar": ""}

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


class Problem(Exception):
    """An error that the command prints as a sentence."""


#: The folder with another machine's libraries, or None if the programs are for this machine.
other_root = None


def loader():
    """A command that prints which shared libraries a file needs."""
    if not other_root:
        return ["ldd"]
    return ["qemu-aarch64-static", "-L", other_root, os.path.join(other_root, "lib", "ld-linux-aarch64.so.1"), "--list"]


def needed_by(path):
    """The paths of the shared libraries that the loader would open, by name."""
    done = subprocess.run([*loader(), path], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Problem(f"{path} is no program or shared library of this machine: {done.stderr.strip()}")
    needed = {}
    for name, place in re.findall(r"(\S+) => (\S+|not found)", done.stdout):
        if place == "not":
            raise Problem(f"{path} needs {name}, which the loader does not find: set LD_LIBRARY_PATH")
        inside = (other_root or "") + place
        needed[name] = inside if os.path.exists(inside) else place
    return needed


def libraries_of(programs):
    """Sinter's own files: the library that the programs find, and the files that this library opens beside itself."""
    for program in programs:
        library = needed_by(program).get("libsinter.so.0")
        if library:
            break
    else:
        raise Problem("none of the programs needs libsinter.so.0")
    found = {"libsinter.so.0": library}
    beside = os.path.dirname(os.path.realpath(library))
    for name in ("libsinter-jit.so", "libsinter-jit-statics.so", "sinter-import"):
        for path in (os.path.join(beside, name), os.path.join(beside, "..", "jitd", name)):
            if os.path.exists(path):
                found.setdefault(name, path)
    if "libsinter-jit.so" not in found:
        raise Problem(f"libsinter-jit.so is not beside {library}")
    return found


def copy(source, target, strip=True):
    shutil.copy(os.path.realpath(source), target)
    os.chmod(target, 0o755)
    if strip:
        subprocess.run(["llvm-strip-22" if other_root else "strip", "--strip-debug", target], check=True)


def programs_of(build):
    found = glob.glob(os.path.join(build, "tests", "e2e", "e2e_*")) + glob.glob(os.path.join(build, "examples", "*", "*"))
    found += glob.glob(os.path.join(build, "examples", "*"))
    return sorted(path for path in found if os.path.isfile(path) and os.stat(path).st_mode & stat.S_IXUSR
                  and not path.endswith((".so", ".py")))


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(path, 0o755)


def packed(archive, root):
    form = FORMATS[os.path.splitext(archive)[1]]
    if form == "xz" and shutil.which("xz"):  # uses all processors, which Python's own does not
        with open(archive, "wb") as file, subprocess.Popen(["xz", "--threads=0"], stdin=subprocess.PIPE,
                                                           stdout=file) as process:
            with tarfile.open(fileobj=process.stdin, mode="w|") as tar:
                tar.add(root, arcname="sinter")
            process.stdin.close()
        if process.returncode != 0:
            raise Problem(f"xz could not write {archive}")
        return
    with tarfile.open(archive, "w:" + form) as tar:
        tar.add(root, arcname="sinter")


def make(archive, programs, tests=False, files=()):
    """Packs programs and their dependencies. `tests` adds the script TEST; `files` are copied beside the folder of
    programs."""
    if os.path.splitext(archive)[1] not in FORMATS:
        raise Problem(f"{archive}: an archive ends in {', '.join(FORMATS)}")
    own = libraries_of(programs)
    with tempfile.TemporaryDirectory() as folder:
        root = os.path.join(folder, "sinter")
        for name in ("lib", "bin"):
            os.makedirs(os.path.join(root, name))
        wanted = {}
        for path in [*own.values(), *programs]:
            wanted.update(needed_by(path))
        for name, path in sorted(wanted.items()):
            if name not in own and not FROM_SYSTEM.search(path):
                copy(path, os.path.join(root, "lib", name), strip=False)
        for name, path in own.items():
            copy(path, os.path.join(root, "lib", name))
        for path in programs:
            target = os.path.join(root, "bin", os.path.basename(path))
            if os.path.exists(target):
                raise Problem(f"two programs are called {os.path.basename(path)}")
            copy(path, target)
        write(os.path.join(root, "with"), WITH)
        if tests:
            write(os.path.join(root, "test"), TEST)
        for path in files:
            shutil.copy(path, root)
        packed(archive, root)
    print(f"{archive}: {len(programs)} programs, {os.path.getsize(archive) / 1e6:.0f} MB")


def main():
    if len(sys.argv) < 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    global other_root
    archive, words = sys.argv[1], sys.argv[2:]
    if words[0] == "--root" and len(words) > 2:
        other_root, words = os.path.abspath(words[1]), words[2:]
    tests = words[0] == "--build"
    try:
        make(archive, programs_of(words[1]) if tests else words, tests)
    except Problem as problem:
        sys.exit(f"{os.path.basename(sys.argv[0])}: {problem}")


if __name__ == "__main__":
    main()
