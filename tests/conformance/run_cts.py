#!/usr/bin/env python3
"""Builds and runs Khronos' SYCL conformance suite against Sinter, category by category, and keeps a table of the results.

The suite is fetched to be run, never committed: SUITE is a checkout of github.com/KhronosGroup/SYCL-CTS with its
submodule Catch2 (or --catch2, a checkout of the commit that the submodule names). pkg-config has to find sinter: for a
build tree, PKG_CONFIG_PATH=build/meson-uninstalled. Results go to cts_state.csv beside this script, with --full to
cts_state_full.csv; rows of categories that are not run stay as they are.

For a device of another machine: with --pack FOLDER programs are built and put there instead of being run; on that
machine, run_cts.py --programs FOLDER --state FILE. SINTER_DEVICE says which device is tested.
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
STATES = {False: HERE / "cts_state.csv", True: HERE / "cts_state_full.csv"}
ON_GPU = HERE / "cts_state_gpu.csv"
ON_OPENCL = HERE / "cts_state_opencl.csv"

# The order in which features build on each other; what is left out is images, CUDA's interop, extensions and what SYCL
# 2020 no longer has.
RUNGS = {
    1: ["header", "language", "namespace", "error"],
    2: ["exceptions", "exception_handling"],
    3: ["id", "range", "nd_range", "item"],
    4: ["platform", "device", "context", "device_selector"],
    5: ["event"],
    6: ["queue"],
    7: ["usm"],
    8: ["buffer"],
    9: ["host_task", "handler"],
    10: ["accessor_basic", "host_accessor", "local_accessor", "accessor_generic", "accessor_placeholder"],
    11: ["nd_item", "group", "sub_group", "group_functions", "invoke", "kernel_args", "scalars", "function_objects",
         "bit_cast", "is_device_copyable"],
    12: ["atomic_ref", "atomic_fence"],
    13: ["reduction"],
    14: ["spec_constants"],
    15: ["optional_kernel_features", "kernel", "sycl_external"],
    16: ["kernel_bundle"],
    17: ["multi_ptr", "marray_basic", "marray_arithmetic_assignment", "marray_arithmetic_binary", "marray_bitwise",
         "marray_pre_post", "marray_relational", "vector_alias", "vector_api", "vector_constructors",
         "vector_deduction_guides", "vector_load_store", "vector_operators", "vector_swizzle_assignment",
         "vector_swizzles", "math_builtin_api", "hierarchical", "h_item", "stream", "property", "address_space"],
    18: ["opencl_interop"],
}
# Interop with OpenCL needs its headers and its loader.
OPTIONS = {"HALF_TESTS": 1, "DOUBLE_TESTS": 1, "OPENCL_INTEROP_TESTS": int(os.path.exists("/usr/include/CL/cl.h")),
           "CUDA_INTEROP_TESTS": 0}
PASSED = ("passes", "skips itself")
FIELDS = ["category", "case", "status", "reason"]

# Why what does not pass does not, by part of the case's name, where the suite's own words don't say it; the rest of the
# reason is theirs.
WHY = {
    "requisite for the entire underlying buffer for sycl::accessor":
        "by design: commands whose ranged accessors do not meet are not ordered",
    "math_builtin_common_half_0":
        "smoothstep of half: rounded once here, after each operation in the suite's reference, which allows 1e-5",
    "Generic sycl::accessor api": "by design: reads through get_pointer() what lies outside of the accessor's range",
    "math_builtin_float_base_1": "fdim of constants, which the driver's compiler cut off; LLVM folds it since (not run)",
    "nd_item_async_work_group_copy_core": "thousands of kernels, which LLVM optimises one by one, no deadlock",
    "group_async_work_group_copy_core": "thousands of kernels, which the driver builds one by one",
    "device_api": "asks for sub-devices of three and one compute units, which the device has not",
    "joint scan functions with init":
        "2916 kernels, which LLVM optimises one by one; the 243 of the case without init take 50 to 92 s",
}


def prepare(suite, build, options):
    """Configures the suite once."""
    for name, ready in (("Catch2", options.catch2), ("OpenCL-Headers", None)):
        folder = suite / "vendor" / name
        if (folder / "CMakeLists.txt").exists():
            continue
        if ready:
            # A copy: the suite finds files of its own through this folder's parent.
            shutil.copytree(ready, folder, dirs_exist_ok=True, symlinks=True)
        elif name == "OpenCL-Headers":
            folder.mkdir(exist_ok=True)
            (folder / "CMakeLists.txt").write_text("add_library(OpenCLHeaders INTERFACE)\n"
                                                   "add_library(OpenCL::Headers ALIAS OpenCLHeaders)\n")
        else:
            sys.exit(f"run_cts: {folder} is empty; fetch the submodule or name a checkout with --catch2")
    if (build / "build.ninja").exists():
        return
    # Folders that need other vendors' interfaces.
    excluded = build.parent / (build.name + ".excluded")
    excluded.write_text("cuda_interop\n" if OPTIONS["OPENCL_INTEROP_TESTS"] else "opencl_interop\ncuda_interop\n")
    command = ["cmake", "-G", "Ninja", "-S", suite, "-B", build, "-DSYCL_IMPLEMENTATION=ProtoSYCL",
               "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld",
               f"-DCMAKE_MODULE_PATH={HERE / 'cmake'}", f"-DCMAKE_CXX_COMPILER={os.environ.get('CXX', 'clang++-22')}",
               f"-DCMAKE_CXX_FLAGS=-O{options.optimise}", f"-DSYCL_CTS_EXCLUDE_TEST_CATEGORIES={excluded}"]
    switches = dict(OPTIONS, FULL_CONFORMANCE=options.full, DEPRECATED_FEATURES_TESTS=options.full)
    command += [f"-DSYCL_CTS_ENABLE_{name}={'ON' if value else 'OFF'}" for name, value in switches.items()]
    if os.environ.get("CTS_LAUNCHER"):
        command.append(f"-DCMAKE_CXX_COMPILER_LAUNCHER={os.environ['CTS_LAUNCHER']}")
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit("run_cts: can't configure the suite:\n" + done.stdout[-3000:])


def first_error(text):
    """The first line that says what is wrong."""
    for line in text.splitlines():
        found = re.search(r"(?:[\w./-]*/)?([\w.-]+:\d+):\d+: (?:fatal )?error: (.*)|(undefined reference to .*)", line)
        if found:
            return f"{found.group(1)}: {found.group(2)}" if found.group(1) else found.group(3)
    return text.strip().splitlines()[-1] if text.strip() else "no output"


def ninja(build, limit, jobs, *targets):
    return subprocess.run(["ninja", "-C", build, f"-j{jobs}", "-k0", *targets], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=limit)


def programs_of(build, category):
    """The programs that a category consists of: one, for most."""
    folder = build / "tests" / category / "CMakeFiles"
    names = sorted(each.name.removesuffix(".dir") for each in folder.glob("test_*.dir"))
    return [name for name in names if f"{name}_objects" in names]


def build_program(build, program, options, log):
    """Builds a program out of all or some of its files; those that don't compile are left out.

    Gives rows for what was left out, whether there is a program, and the files.
    """
    start = time.time()
    listed = subprocess.run(["ninja", "-C", build, "-t", "commands", program], capture_output=True, text=True).stdout
    link = listed.strip().splitlines()[-1]
    objects = re.findall(rf"\S+/{program}_objects\.dir/\S+\.o\b", link)
    wanted = [name for name in objects[::options.every] if re.search(options.files, pathlib.Path(name).name)]
    rows = []
    if len(wanted) < len(objects) and not options.files:
        rows.append(("", "not run", f"{len(objects) - len(wanted)} of {len(objects)} files: only each {options.every}th, "
                     f"from the first on, in the order of the build"))
    try:
        done = ninja(build, options.build_limit, options.jobs, *(wanted + ["Catch2", "util", "oclmath",
                                                                            "main_function_object"]))
        log.write_text(done.stdout)
        failures = re.split(r"^FAILED: ", done.stdout, flags=re.M)[1:]
        reasons = {text.split()[0]: first_error(text) for text in failures}
    except subprocess.TimeoutExpired:
        reasons = {}
    # Which files have been run in this build folder, over several calls with --files.
    record = build / f"{program}.ran"
    ran = set(record.read_text().split()) if options.files and record.exists() else set()
    ran |= {pathlib.Path(name).name for name in wanted}
    record.write_text("\n".join(sorted(ran)))
    never = sorted(pathlib.Path(name).name.removesuffix(".cpp.o") for name in objects if pathlib.Path(name).name not in ran)
    if options.files and never:
        rows.append(("", "not run", f"{len(never)} of {len(objects)} files: {', '.join(never)}"))
    missing = [name for name in wanted if not (build / name).exists() or name in reasons]
    for name in missing:
        file = pathlib.Path(name).name.removesuffix(".o")
        rows.append((f"file {file}", *(("does not compile", reasons[name]) if name in reasons else
                                       ("not run", f"the category takes longer than {options.build_limit} s to build"))))
    for name in set(objects) - set(wanted) | set(missing):
        link = link.replace(f" {name} ", " ")
    if len(missing) < len(wanted):
        done = subprocess.run(link, shell=True, cwd=build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            rows.append((f"program {program}", "does not compile", first_error(done.stdout)))
    print(f"  {program}: {len(wanted) - len(missing)} of {len(objects)} files built in {time.time() - start:.0f} s",
          flush=True)
    names = [pathlib.Path(name).name.removesuffix(".o") for name in wanted]
    return rows, len(missing) < len(wanted) and done.returncode == 0, names


def reason_of(case):
    """What the first failed assertion of a case says."""
    for found in case.iter():
        if found.tag in ("Expression", "Exception", "Failure", "FatalErrorCondition"):
            text = " ".join(part.strip() for part in found.itertext() if part.strip())
            return re.sub(r"\s+", " ", text)[:200]
    return ""


def spec_of(name):
    return re.sub(r"([,\[\]*\\])", r"\\\1", name)


def run_together(program, names, environment, limit):
    """Rows of several cases of one process. What does not pass there is run again, in a process of its own."""
    passed = set()
    if len(names) > 1:
        try:
            done = subprocess.run([program, ",".join(map(spec_of, names)), "--reporter", "xml"], capture_output=True,
                                  text=True, errors="replace", timeout=limit, env=environment)
            cases = xml.fromstring(re.sub(r"[^\x09\x0a\x20-\x7e]", "?", done.stdout)).iter("TestCase")
            if done.returncode >= 0 and not re.search(r"launches? of '.*' \(host", done.stderr):
                results = [(case.get("name"), case.find("OverallResult")) for case in cases]
                failed = {name for name, result in results
                          if result.get("success") != "true" or result.get("skips", "0") != "0"}
                passed = {name for name, _ in results} - failed
        except (subprocess.TimeoutExpired, xml.ParseError):
            pass
    return [(name, "passes", "") if name in passed else run_case(program, name, environment, limit) for name in names]


def run_case(program, name, environment, limit):
    """One case in a process of its own: (case, status, reason)."""
    try:
        done = subprocess.run([program, spec_of(name), "--reporter", "xml"], capture_output=True, text=True,
                              errors="replace", timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        return name, "takes too long", f"not done after {limit} s"
    if done.returncode < 0:
        lines = done.stderr.strip().splitlines()
        return name, "crashes", f"signal {-done.returncode}: {lines[-1][:160] if lines else ''}"
    try:
        # Several have one name, but for their tags: all of them run, and the first that does not pass says why.
        cases = list(xml.fromstring(re.sub(r"[^\x09\x0a\x20-\x7e]", "?", done.stdout)).iter("TestCase"))
        case = min(cases, key=lambda each: each.find("OverallResult").get("success") == "true")
    except (xml.ParseError, ValueError):
        return name, "crashes", f"exit status {done.returncode} without a result"
    on_host = re.findall(r"launches? of '(.*)' \(host", done.stderr)
    result = case.find("OverallResult")
    if result.get("skips", "0") != "0" and result.get("success") == "true":
        return name, "skips itself", ""
    if on_host:
        return name, "fails", f"not compiled, ran as host code: {on_host[0]}"
    if result.get("success") == "true":
        return name, "passes", ""
    return name, "fails", reason_of(case)


def environment_of(folder):
    # device_api asks for sub-devices of three and one compute units.
    environment = dict(os.environ, SINTER_REPORT="launches", SINTER_THREADS=str(max(4, os.cpu_count())))
    environment.setdefault("SINTER_CACHE_DIR", str(folder / "cache"))
    return environment


def cases_of(program, environment):
    listed = subprocess.run([program, "--list-tests", "--verbosity", "quiet"], capture_output=True, text=True, timeout=60,
                            env=environment)
    return list(dict.fromkeys(line.strip() for line in listed.stdout.splitlines() if line.strip()))


def run_program(program, folder, limit):
    """Rows (case, status, reason). Cases are run one by one, so that a crash costs one of them."""
    environment = environment_of(folder)
    return [run_case(program, name, environment, limit) for name in cases_of(program, environment)]


def run_elsewhere(folder, state, options):
    """Runs programs that were built on another machine, --jobs cases at a time."""
    environment = environment_of(folder)
    rows = {}
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        programs = sorted(folder.glob("*/test_*"))
        for program, cases in zip(programs, pool.map(lambda each: cases_of(each, environment), programs)):
            wanted = [case for case in cases if re.search(options.files, case)]
            rows.setdefault(program.parent.name, []).extend(
                pool.submit(run_together, program, wanted[i:i + options.together], environment, options.run_limit)
                for i in range(0, len(wanted), options.together))
        for category, parts in rows.items():
            done = sum((each.result() for each in parts), [])
            merge(state, category, done, [] if options.files else None)
            report(category, done, time.time() - start)


def report(category, rows, seconds):
    counts = {status: sum(1 for row in rows if row[1] == status) for status in sorted({row[1] for row in rows})}
    counted = ", ".join(f"{count} {status}" for status, count in counts.items())
    print(f"{category}, {seconds:.0f} s: {counted}", flush=True)
    for case, status, reason in rows:
        if status not in PASSED:
            print(f"  {status}: {case}: {reason}", flush=True)


def merge(state, category, rows, files):
    """Replaces the rows of a category; with `files`, only those of cases and files that were run anew."""
    table = []
    if state.exists():
        anew = {"", *(row[0] for row in rows)} | {f"file {file}" for file in files or []}
        with state.open(newline="") as file:
            table = [row for row in csv.DictReader(file)
                     if row["category"] != category or (files is not None and row["case"] not in anew)]
    for case, status, reason in rows:
        why = [text for part, text in WHY.items() if part in case]
        if status not in PASSED and why:
            reason = f"{why[0]} ({reason})"
        table.append(dict(zip(FIELDS, (category, case, status, reason))))
    order = {name: i for i, name in enumerate(sum(RUNGS.values(), []))}
    table.sort(key=lambda row: (order.get(row["category"], 999), row["case"]))
    with state.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)


def results_of(state):
    """What ran, with the categories that it is of."""
    with state.open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["status"] not in ("skips itself", "not run")]


def summary(state):
    """The table rung by rung, in Markdown."""
    with state.open(newline="") as file:
        table = list(csv.DictReader(file))
    elsewhere = {"a GPU": results_of(ON_GPU), "OpenCL": results_of(ON_OPENCL)} if state == STATES[False] else {}
    names = "".join(f" pass on {name} | fail there |" for name in elsewhere)
    lines = [f"| rung | cases that ran | pass | fail |{names} not run |", "|---" * (5 + 2 * len(elsewhere)) + "|"]
    for rung, categories in RUNGS.items():
        rows = [row for row in table if row["category"] in categories and row["status"] != "skips itself"]
        run = [row for row in rows if row["status"] != "not run"]
        passed = sum(row["status"] == "passes" for row in run)
        missing = [f"{row['category']}: {row['reason'].split(':')[0]}" if not row["case"] else row["case"]
                   for row in rows if row["status"] == "not run"]
        missing += [f"{name}: whole category" for name in categories if name not in {row["category"] for row in table}]
        there = ""
        for rows in elsewhere.values():
            passes = [row["status"] == "passes" for row in rows if row["category"] in categories]
            there += f" {sum(passes)} | {len(passes) - sum(passes)} |" if passes else " | |"
        lines.append(f"| {rung} | {len(run)} | {passed} | {len(run) - passed} |{there} {'; '.join(missing)} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suite", type=pathlib.Path, nargs="?", help="checkout of the suite; without, the table's sums")
    parser.add_argument("build", type=pathlib.Path, nargs="?", help="folder to build it in")
    parser.add_argument("categories", nargs="*", help="rungs (numbers) or categories; nothing: all")
    parser.add_argument("--catch2", type=pathlib.Path, help="checkout of Catch2, where the submodule is empty")
    parser.add_argument("--build-limit", type=int, default=1200, help="seconds a program may take to build")
    parser.add_argument("--run-limit", type=int, default=300, help="seconds a test case may take")
    parser.add_argument("--every", type=int, default=1, help="build only each Nth file of a category")
    parser.add_argument("--files", default="", help="run only the files that this pattern finds, keep the other rows")
    parser.add_argument("--jobs", type=int, default=1, help="compilers at a time; with --programs, cases at a time")
    parser.add_argument("--optimise", default="0", help="optimisation level of the host code")
    parser.add_argument("--full", action="store_true", help="the suite's full conformance mode and its deprecated features")
    parser.add_argument("--pack", type=pathlib.Path, help="build programs and put them into this folder, run nothing")
    parser.add_argument("--programs", type=pathlib.Path, help="run the programs of such a folder, build nothing; "
                        "--files chooses cases")
    parser.add_argument("--together", type=int, default=1, help="with --programs, cases of one process")
    parser.add_argument("--state", type=pathlib.Path, help="the table to keep, instead of the one beside this script")
    options = parser.parse_intermixed_args()
    state = options.state or STATES[options.full]
    if options.programs:
        return run_elsewhere(options.programs.resolve(), state, options)
    if not options.build:
        return print(summary(state))
    suite, build = options.suite.resolve(), options.build.resolve()
    prepare(suite, build, options)
    wanted = []
    for name in options.categories or map(str, RUNGS):
        wanted += RUNGS[int(name)] if name.isdigit() else [name]
    for category in wanted:
        rows, files = [], []
        start = time.time()
        for program in programs_of(build, category):
            found, ready, names = build_program(build, program, options, build / f"{program}.log")
            rows += found
            files += names
            if ready and options.pack:
                (options.pack / category).mkdir(parents=True, exist_ok=True)
                subprocess.run(["strip", "-g", build / "bin" / program, "-o", options.pack / category / program], check=True)
            elif ready:
                rows += run_program(build / "bin" / program, build, options.run_limit)
        if not options.pack:
            merge(state, category, rows, files if options.files else None)
        report(category, rows, time.time() - start)


if __name__ == "__main__":
    main()
