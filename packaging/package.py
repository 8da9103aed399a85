#!/usr/bin/env python3
"""Makes the Debian package libsinter0, and the Debian package libsinter-dev with the plugin and the tools.

usage: package.py FOLDER [--arch arm64 PACKAGES]

dpkg-buildpackage builds a copy of the sources, with packaging/debian, in FOLDER/source, and writes the packages to
FOLDER. Then lintian checks the packages; an error that it finds ends the script. For 64-bit Arm, PACKAGES is the folder
that tests/aarch64/sysroot.py made.
"""
import glob
import os
import re
import shutil
import subprocess
import sys
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MAINTAINER = "The Sinter developers <maintainers@sinter.example.org>"


def files_of_project():
    """The files that git tracks; without git, all files except build results."""
    found = subprocess.run(["git", "ls-files", "-z"], cwd=SOURCE, capture_output=True, text=True)
    if found.returncode == 0 and found.stdout:
        return [name for name in found.stdout.split("\0") if name and os.path.exists(os.path.join(SOURCE, name))]
    names = []
    for folder, folders, files in os.walk(SOURCE):
        folders[:] = [each for each in folders if not each.startswith(("build", ".git"))]
        names += [os.path.relpath(os.path.join(folder, each), SOURCE) for each in files]
    return names


def copy_sources(target):
    shutil.rmtree(target, ignore_errors=True)
    for name in files_of_project():
        place = os.path.join(target, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        # The copy keeps the file's time, so that build tools do not build unchanged files again.
        shutil.copy2(os.path.join(SOURCE, name), place, follow_symlinks=False)
    shutil.copytree(os.path.join(SOURCE, "packaging", "debian"), os.path.join(target, "debian"))


def version():
    with open(os.path.join(SOURCE, "meson.build"), encoding="utf-8") as file:
        return re.search(r"version: '([0-9.]+)'", file.read()).group(1)


def write_changelog(target):
    commit = subprocess.run(["git", "log", "-1", "--format=%ct"], cwd=SOURCE, capture_output=True, text=True)
    moment = time.gmtime(int(commit.stdout)) if commit.returncode == 0 and commit.stdout.strip() else time.gmtime()
    date = time.strftime("%a, %d %b %Y %H:%M:%S +0000", moment)
    with open(os.path.join(target, "debian", "changelog"), "w", encoding="utf-8") as file:
        file.write(f"sinter ({version()}) bookworm; urgency=medium\n\n  * Packages of this version.\n\n -- {MAINTAINER}  {date}\n")


def main():
    if len(sys.argv) != 2 and (len(sys.argv) != 5 or sys.argv[2:4] != ["--arch", "arm64"]):
        sys.exit(__doc__)
    folder = os.path.abspath(sys.argv[1])
    source = os.path.join(folder, "source")
    os.makedirs(folder, exist_ok=True)
    for old in glob.glob(os.path.join(folder, "*.deb")):
        os.remove(old)
    copy_sources(source)
    write_changelog(source)
    log = os.path.join(folder, "dpkg-buildpackage.log")
    command, environment = ["dpkg-buildpackage", "-b", "-us", "-uc"], dict(os.environ)
    if len(sys.argv) == 5:
        # dpkg would look for the needed packages among this machine's own packages, so this check is off.
        command += ["--host-arch", "arm64", "--no-check-builddeps"]
        environment["SINTER_ARM64_PACKAGES"] = os.path.abspath(sys.argv[4])
    with open(log, "w", encoding="utf-8") as file:
        made = subprocess.run(command, cwd=source, env=environment, stdout=file, stderr=subprocess.STDOUT)
    if made.returncode != 0:
        with open(log, encoding="utf-8", errors="replace") as file:
            sys.stderr.writelines(file.readlines()[-40:])
        sys.exit(f"dpkg-buildpackage failed (whole output: {log})")
    packages = sorted(glob.glob(os.path.join(folder, "*.deb")))
    checked = subprocess.run(["lintian", "--fail-on", "error", "--allow-root", *packages], capture_output=True, text=True)
    sys.stdout.write(checked.stdout)
    if checked.returncode != 0:
        sys.exit("lintian finds errors in the packages")
    for path in packages:
        print(f"{path} ({os.path.getsize(path) / 1e6:.1f} MB)")


main()
