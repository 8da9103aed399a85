#!/usr/bin/env python3
"""Runs the RUN lines of one .ll file like LLVM's lit: `run_filecheck.py --bindir DIR --plugin FILE TEST.ll`.

In RUN lines, %opt is opt with the JIT's passes, and %s is the file itself. FileCheck, llc and not are LLVM's
programs. If a line does not set SINTER_CPU=..., code is for znver4. A line fails if any program in its pipe
fails. `--self-test` instead checks that tests with wrong expectations fail.
"""
import argparse
import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile

PACKAGES = {"FileCheck": "llvm-{0}-tools", "not": "llvm-{0}-tools", "opt": "llvm-{0}", "llc": "llvm-{0}"}


#: Tests use the IR syntax of LLVM 22. In older versions, lifetime markers have a length, masked accesses have a number
#: for the alignment, and vectors of one value are written element by element. So sed changes the input and output of
#: older opts.
SIDE = r"(<[0-9]+ x ptr>|ptr)"
READS, WRITES = r"@llvm\.masked\.(load|gather)\.[a-z0-9.]*\(", r"@llvm\.masked\.(store|scatter)\..*"
TO_OLDER = ["/^ *;/b",
            r"s/(@llvm\.lifetime\.(start|end)\.p0\()ptr/\1i64 -1, ptr/g; /^declare.*lifetime/s/i64 -1/i64/",
            "/^declare/s/(" + READS + ")" + SIDE + r",/\1\3, i32,/",
            r"/^declare/s/(@llvm\.masked\.(store|scatter)\.[a-z0-9.]*\(<[^>]*>, )" + SIDE + r",/\1\3, i32,/",
            "s/(" + READS + ")" + SIDE + r" align ([0-9]+) ([^,]*),/\1\3 \5, i32 \4,/g",
            "s/(" + WRITES + "), " + SIDE + r" align ([0-9]+) ([^,]*), </\1, \3 \5, i32 \4, </g"]
FROM_OLDER = [r"s/(@llvm\.lifetime\.(start|end)\.p0\()i64( -?[0-9]+)?, ptr/\1ptr/g",
              "s/(" + READS + ")" + SIDE + r" (.*), i32 ([0-9]+), </\1\3 align \5 \4, </g",
              "s/(" + WRITES + "), " + SIDE + r" (.*), i32 ([0-9]+), </\1, \3 align \5 \4, </g",
              r"/shufflevector/!s/<([a-z0-9]+) ([^ ,<>]+)(, \1 \2)+>/splat (\1 \2)/g",
              r"s/nocapture/captures(none)/g"]


def version_of(bindir):
    found = re.search(r"llvm-(\d+)", bindir)
    return int(found.group(1)) if found else 22


def sed(lines):
    return "sed -E " + " ".join("-e " + shlex.quote(line) for line in lines)


@contextlib.contextmanager
def older_words(path, bindir, plugin):
    """Writes the test in the syntax of an older LLVM, and a program that translates opt's output back."""
    with tempfile.TemporaryDirectory(prefix="sinter-test-") as folder:
        text = os.path.join(folder, os.path.basename(path))
        with open(text, "w", encoding="utf-8") as file:
            subprocess.run(["bash", "-c", sed(TO_OLDER) + " " + shlex.quote(path)], stdout=file, check=True)
        program = os.path.join(folder, "opt")
        with open(program, "w", encoding="utf-8") as file:
            file.write(f"#!/bin/bash\nset -o pipefail\n{shlex.quote(os.path.join(bindir, 'opt'))} "
                       f"-load-pass-plugin={shlex.quote(plugin)} -S \"$@\" | {sed(FROM_OLDER)}\n")
        os.chmod(program, 0o700)
        yield program, text


def missing_tool(bindir):
    """Returns a sentence about the first program that is missing, or None if all programs are there."""
    for tool, package in PACKAGES.items():
        if not os.access(os.path.join(bindir, tool), os.X_OK):
            return f"{tool} is missing in {bindir}: install the Debian package {package.format(version_of(bindir))}"
    return None


def run_lines(path):
    """Returns the commands of the RUN lines. A backslash at the end of a command joins it with the next line."""
    with open(path, encoding="utf-8") as file:
        parts = re.findall(r"^\s*;\s*RUN:\s*(.*?)\s*$", file.read(), re.MULTILINE)
    return [line for line in re.sub(r"\s*\\\n", " ", "\n".join(parts)).split("\n") if line]


def run_file(path, bindir, plugin):
    """Returns True if the file has RUN lines and all RUN lines succeed."""
    problem = missing_tool(bindir)
    if problem:
        print("FAILED:", problem)
        return False
    commands = run_lines(path)
    if not commands:
        print(f"FAILED: {path} has no RUN line")
        return False
    plain = f"opt -load-pass-plugin={shlex.quote(plugin)} -S"
    if version_of(bindir) < 22:
        with older_words(path, bindir, plugin) as (program, text):
            return run_commands(commands, path, bindir, {"%opt": shlex.quote(program), "%s": shlex.quote(text)}, plain)
    return run_commands(commands, path, bindir, {"%opt": plain, "%s": shlex.quote(os.path.abspath(path))}, plain)


def run_commands(commands, path, bindir, words, plain):
    """`plain` is the opt command for lines with llc, which understands only its own version's syntax."""
    # With a fixed processor, the code is the same on all machines.
    environment = dict(os.environ, SINTER_CPU="znver4", SINTER_VERIFY="1", PATH=bindir + os.pathsep + os.environ.get("PATH", ""))
    for command in commands:
        known = dict(words, **{"%opt": plain}) if "| llc" in command else words
        expanded = re.sub(r"%opt\b|%s\b", lambda match: known[match.group()], command)
        # Without pipefail, the test would pass if opt printed matching output and then crashed.
        process = subprocess.run(["bash", "-o", "pipefail", "-c", expanded], env=environment, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                                 timeout=100)
        if process.returncode != 0:
            print(f"FAILED: {path}: exit code {process.returncode} of\n  {expanded}\n{process.stdout[-20000:]}")
            return False
    print(f"ok: {path}: {len(commands)} RUN lines")
    return True


#: For each self-test: its name, whether it has to pass, and its file.
PLANTED = [
    ("a matching expectation passes", True,
     "; RUN: %opt -passes=sinter-device-math %s | FileCheck %s\n; CHECK: declare double @cbrt(double)\n"),
    ("a wrong expectation fails", False,
     "; RUN: %opt -passes=sinter-device-math %s | FileCheck %s\n; CHECK: declare double @sqrt(double)\n"),
    ("a failing line behind a good one fails", False,
     "; RUN: %opt -passes=sinter-device-math %s | FileCheck %s\n; RUN: not %opt %s\n; CHECK: @cbrt\n"),
    ("opt's failure is not hidden by FileCheck's success", False,
     "; RUN: %opt -passes=sinter-inline-device-calls %s 2>&1 | FileCheck %s\n; CHECK: sinter-kernel\n"),
    ("an unknown pass fails", False, "; RUN: %opt -passes=sinter-nothing %s\n"),
    ("a file without RUN lines fails", False, "; CHECK: @cbrt\n"),
]


def self_test(bindir, plugin):
    failed = 0
    with tempfile.TemporaryDirectory(prefix="sinter-test-") as folder:
        path = os.path.join(folder, "planted.ll")
        cases = [(title, text, bindir, wanted) for title, wanted, text in PLANTED]
        cases.append(("a missing FileCheck fails and names the package", PLANTED[0][2], folder, False))
        for title, text, tools, wanted in cases:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text + "declare double @__sinter_math_cbrt_f64(double)\n")
            output = io.StringIO()
            with contextlib.redirect_stdout(output):
                passed = run_file(path, tools, plugin)
            named = "install the Debian package llvm-22-tools" in output.getvalue()
            good = passed == wanted and (tools == bindir or named)
            print("ok:" if good else "FAILED:", title)
            if not good:
                failed += 1
                print(output.getvalue())
    return failed == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bindir", required=True, help="folder of opt, FileCheck and not")
    parser.add_argument("--plugin", required=True, help="sinter-passes.so")
    parser.add_argument("--self-test", action="store_true")
    parser.add_argument("file", nargs="?")
    options = parser.parse_args()
    if options.self_test:
        problem = missing_tool(options.bindir)
        if problem:
            print("FAILED:", problem)
        sys.exit(0 if not problem and self_test(options.bindir, options.plugin) else 1)
    if not options.file:
        parser.error("no file")
    sys.exit(0 if run_file(options.file, options.bindir, options.plugin) else 1)


if __name__ == "__main__":
    main()
