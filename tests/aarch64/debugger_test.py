#!/usr/bin/env python3
"""gdb shows Sinter's objects in a program for 64-bit Arm, which qemu runs.

usage: debugger_test.py ROOT   ROOT: Debian's packages for arm64 (sysroot.py)
"""
import os
import socket
import subprocess
import sys

ROOT = os.path.abspath(sys.argv.pop(1))
sys.path.insert(0, os.path.join(os.environ["TEST_SOURCE_ROOT"], "tests", "scripts"))

import common  # noqa: E402
import shown_objects  # noqa: E402

LIBRARIES = os.path.join(common.BUILD, "src")


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def test_printers():
    """buffers, accessors, ids and vectors are shown on the host and in kernels for Arm"""
    common.need("gdb-multiarch")
    target = ["--target=aarch64-linux-gnu", "--sysroot=" + ROOT, "-fuse-ld=lld"]
    with common.Folder() as folder:
        source, program = folder.write("shown.cpp", shown_objects.PROGRAM), folder / "shown"
        common.run([common.CLANGXX, *target, "-std=c++20", "-O0", "-g", *common.plugin_flags(), source, "-o", program,
                    *common.link_flags()]).expect()
        port = free_port()
        variables = {"SINTER_CACHE_DIR": folder / "cache", "SINTER_THREADS": "1"}
        settings = [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
        # gdb finds a library of the Arm machine under the library's name, and code from the cache under its path.
        places = ":".join([LIBRARIES, os.path.join(ROOT, "lib", "aarch64-linux-gnu"), os.path.join(ROOT, "lib")])
        words = shown_objects.commands("set sysroot /", "set solib-search-path " + places, f"file {program}",
                                       f"target remote localhost:{port}", "continue")
        with subprocess.Popen(["qemu-aarch64-static", "-cpu", "max,sve=off", "-g", str(port), "-L", ROOT, *settings,
                               program], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as emulated:
            try:
                result = common.run(["gdb-multiarch", "--batch", "-nx", "-iex", "set tcp connect-timeout 60", "-iex",
                                     "add-auto-load-safe-path " + LIBRARIES, *words], timeout=280)
            finally:
                emulated.kill()
        shown_objects.check(result)


common.main(globals())
