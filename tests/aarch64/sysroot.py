#!/usr/bin/env python3
"""Makes a folder with Debian's packages for 64-bit Arm, against which Sinter is built on another machine.

usage: sysroot.py FOLDER

FOLDER/root becomes the Arm machine's root directory. Packages are only unpacked: none of their programs runs.
FOLDER/place.ini tells Meson where FOLDER/root is. Pass it as a second --cross-file, after cross.ini. apt reads this
machine's list of sources and keeps everything else in FOLDER/apt, so nothing is installed on this machine. Packages
that are already in FOLDER are not downloaded again. FOLDER/root also has the lists of files that dpkg-shlibdeps asks
for. Without a network, the script prints that it needs one and exits with code 77.
"""
import glob
import os
import shutil
import subprocess
import sys

PACKAGES = ["doctest-dev", "libboost-context-dev", "libc6-dev", "libclang-22-dev", "liblld-22-dev", "libpng-dev",
            "libsleef3", "libstdc++-12-dev", "libtbb-dev", "libxxhash-dev", "libzstd-dev", "llvm-22-dev",
            "nlohmann-json3-dev", "opencl-c-headers", "zlib1g-dev"]
SKIPPED = 77

SETTINGS = """APT::Architecture "arm64";
APT::Architectures "arm64";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Dir::State "{0}";
Dir::State::status "{0}/status";
Dir::Cache "{0}/cache";
"""


def fetch(folder):
    """The packages and all that they depend on, as files; None without a network."""
    os.makedirs(os.path.join(folder, "lists", "partial"), exist_ok=True)
    os.makedirs(os.path.join(folder, "cache", "archives", "partial"), exist_ok=True)
    settings = os.path.join(folder, "apt.conf")
    with open(settings, "w", encoding="utf-8") as file:
        file.write(SETTINGS.format(folder))
    with open(os.path.join(folder, "status"), "w", encoding="utf-8"):
        pass  # no package is installed
    for words in (["update"], ["install", "--yes", "--download-only", *PACKAGES]):
        done = subprocess.run(["apt-get", "-q", *words], env=dict(os.environ, APT_CONFIG=settings), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        # If the lists of packages can't be renewed, the old lists may be good enough.
        if done.returncode != 0 and words[0] == "install":
            print("apt can't fetch Debian's packages for arm64: " + " ".join(done.stdout.split()[-40:]))
            return None
    return sorted(glob.glob(os.path.join(folder, "cache", "archives", "*.deb")))


def output_of(*words):
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout


def unpack(package, root, records):
    """Unpacks a package unless that was done before, and keeps its control files as dpkg does."""
    name = output_of("dpkg-deb", "--field", package, "Package").strip()
    if output_of("dpkg-deb", "--field", package, "Multi-Arch").strip() == "same":
        name += ":arm64"
    control = os.path.join(records, "info", name)
    if os.path.exists(control + ".list"):
        return
    # dpkg-deb alone would replace links to folders by folders.
    with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", package], stdout=subprocess.PIPE) as files:
        subprocess.run(["tar", "-x", "--keep-directory-symlink", "-C", root], stdin=files.stdout, check=True)
    own = control + ".files"
    subprocess.run(["dpkg-deb", "--control", package, own], check=True)
    for kind in ("symbols", "shlibs"):
        if os.path.exists(os.path.join(own, kind)):
            os.replace(os.path.join(own, kind), control + "." + kind)
    with open(os.path.join(own, "control"), encoding="utf-8") as file:
        text = file.read().strip("\n").split("\n", 1)
    with open(os.path.join(records, "status"), "a", encoding="utf-8") as file:
        file.write(f"{text[0]}\nStatus: install ok installed\n{text[1]}\n\n")
    names = [line.split(maxsplit=5)[5].split(" -> ")[0] for line in output_of("dpkg-deb", "--contents", package).splitlines()]
    with open(control + ".list", "w", encoding="utf-8") as file:
        # Tools on this machine find the files by these names.
        file.writelines(os.path.normpath(os.path.join(root, each)) + "\n" for each in names)


def join_folders(root):
    """/lib and /bin are links into /usr, as on Debian 12."""
    for name in ("bin", "lib", "sbin"):
        os.makedirs(os.path.join(root, "usr", name), exist_ok=True)
        if not os.path.lexists(os.path.join(root, name)):
            os.symlink("usr/" + name, os.path.join(root, name))


def make_links_relative(root):
    for folder, folders, files in os.walk(root):
        for name in folders + files:
            path = os.path.join(folder, name)
            if os.path.islink(path) and os.readlink(path).startswith("/"):
                target = os.path.relpath(root + os.readlink(path), folder)
                os.remove(path)
                os.symlink(target, path)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = os.path.abspath(sys.argv[1])
    packages = fetch(os.path.join(folder, "apt"))
    if packages is None:
        sys.exit(SKIPPED)
    root = os.path.join(folder, "root")
    records = os.path.join(root, "var", "lib", "dpkg")
    os.makedirs(os.path.join(records, "info"), exist_ok=True)
    with open(os.path.join(records, "info", "format"), "w", encoding="utf-8") as file:
        file.write("1\n")  # names of files have the architecture
    join_folders(root)
    for package in packages:
        unpack(package, root, records)
    make_links_relative(root)
    with open(os.path.join(folder, "place.ini"), "w", encoding="utf-8") as file:
        file.write(f"[constants]\nsysroot = '{root}'\n")
        if shutil.which("ccache"):
            file.write("cache = ['ccache']\n")
    print(f"{root}: {len(packages)} packages for arm64")


main()
