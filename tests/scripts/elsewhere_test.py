#!/usr/bin/env python3
"""tests/elsewhere/judge.py counts right results and names wrong results, whatever goes wrong."""
import os
import shutil
import sys
import tempfile

import common

# Shell programs that print these texts replace the tests, and the judge runs these programs like tests.
RIGHT = "scene 0 a 11\nscene 1 a 22"


def write(path, lines):
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + lines + "\n")
    os.chmod(path, 0o755)


def judged(name, program, code):
    """Runs the judge over a folder with one random program and one named program."""
    with tempfile.TemporaryDirectory() as folder:
        programs = os.path.join(folder, "bin")
        os.makedirs(programs)
        for file in ("tests/elsewhere/judge.py", "tests/random/runs.py", "tests/e2e/run_cold_warm.py"):
            shutil.copy(os.path.join(common.SOURCE, file), folder)
        write(os.path.join(programs, "graph_stress"), "exit 0")
        write(os.path.join(programs, "random_7.plain"), 'scene=$1; echo "' + RIGHT + '" | grep "scene $scene" || true')
        write(os.path.join(programs, "random_7-O2"), program)
        write(os.path.join(programs, "named_one"), f"exit {code}")
        return common.run([sys.executable, os.path.join(folder, "judge.py"), "--jobs", "1", "--graphs", "30", "--only", name])


def test_right():
    """right results are counted: scenes once for each mode, graphs by their number"""
    judged("", f'echo "{RIGHT}" | grep "scene $1"', 0).expect(0, contains=[
        "named programs                                1 right      0 wrong",
        "random graphs                                30 right      0 wrong",
        "random kernels, scenes in modes               6 right      0 wrong"], lacks=["WRONG"])


def test_wrong_values():
    """a scene with wrong values is reported with its mode"""
    judged("random", 'printf "scene 0 a 11\\nscene 1 a 23\\n" | grep "scene $1"', 0).expect(1, contains=[
        "WRONG: random_7 1 -O2 warm: values", "scenes in modes               3 right      3 wrong"])


def test_crash():
    """if a program does not finish, its scenes are run one by one"""
    judged("random", f'[ "$1" = 0 ] && echo "scene 0 a 11" && exit 0\nkill -SEGV $$', 0).expect(1, contains=[
        "WRONG: random_7 1 -O2 warm: crash", "scenes in modes               3 right      3 wrong"])


def test_exit_code():
    """a program that ends with an exit code other than 0 counts as wrong"""
    judged("named", "exit 0", 3).expect(1, contains=["WRONG: named_one (3)", "0 right      1 wrong"])


def test_nothing():
    """if no program is found, no result counts as right"""
    judged("no such program", "exit 0", 0).expect(1, lacks=["right"])


common.main(globals())
