#!/usr/bin/env python3
"""Runs programs of Khronos' SYCL conformance suite against Sinter and keeps a table of the results.

The programs are built by hand (docs/conformance.md), and their paths are FOLDER/CATEGORY/test_NAME. SINTER_DEVICE says
which device is tested. Results are written to cts_state.csv beside this script. Rows of categories that are not run
stay unchanged. Without --programs, the script only prints the table in Markdown.
"""
import argparse
import concurrent.futures
import csv
import os
import pathlib
import re
import subprocess
import time
import xml.etree.ElementTree as xml

HERE = pathlib.Path(__file__).resolve().parent
STATES = {False: HERE / "cts_state.csv", True: HERE / "cts_state_full.csv"}
ON_GPU = HERE / "cts_state_gpu.csv"
ON_OPENCL = HERE / "cts_state_opencl.csv"

# Categories of the suite, in numbered rungs. The categories of a rung need features of the rungs before it. The list
# lacks categories for CUDA interoperability, for extensions, and for features that SYCL 2020 removed.
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
    19: ["image", "image_accessor"],
}
PASSED = ("passes", "skips itself")
FIELDS = ["category", "case", "status", "reason"]

# Reasons why cases fail, chosen by a part of the case's name. They are used if the suite's message does not give
# the reason. The suite's message is appended to the reason.
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


def reason_of(case):
    """The text of a case's first failed assertion."""
    for found in case.iter():
        if found.tag in ("Expression", "Exception", "Failure", "FatalErrorCondition"):
            text = " ".join(part.strip() for part in found.itertext() if part.strip())
            return re.sub(r"\s+", " ", text)[:200]
    return ""


def spec_of(name):
    return re.sub(r"([,\[\]*\\])", r"\\\1", name)


def run_together(program, names, environment, limit):
    """Runs several cases in one process and returns the table's rows. Cases that do not pass in that process run again,
    each in a process of its own."""
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
    """Runs one case in a process of its own. Returns (case, status, reason)."""
    try:
        done = subprocess.run([program, spec_of(name), "--reporter", "xml"], capture_output=True, text=True,
                              errors="replace", timeout=limit, env=environment)
    except subprocess.TimeoutExpired:
        return name, "takes too long", f"not done after {limit} s"
    if done.returncode < 0:
        lines = done.stderr.strip().splitlines()
        return name, "crashes", f"signal {-done.returncode}: {lines[-1][:160] if lines else ''}"
    try:
        # Several cases may have the same name with different tags. All of these cases run, and the first failure
        # gives the reason.
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
    # The category device_api needs a device that can be divided into sub-devices of three compute units and of one.
    environment = dict(os.environ, SINTER_REPORT="launches", SINTER_THREADS=str(max(4, os.cpu_count())))
    environment.setdefault("SINTER_CACHE_DIR", str(folder / "cache"))
    return environment


def cases_of(program, environment):
    listed = subprocess.run([program, "--list-tests", "--verbosity", "quiet"], capture_output=True, text=True, timeout=60,
                            env=environment)
    return list(dict.fromkeys(line.strip() for line in listed.stdout.splitlines() if line.strip()))


def run_programs(folder, state, options):
    """Runs each program's cases, --jobs of them at the same time."""
    environment = environment_of(folder)
    rows = {}
    start = time.time()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        programs = sorted(folder.glob("*/test_*"))
        for program, cases in zip(programs, pool.map(lambda each: cases_of(each, environment), programs)):
            wanted = [case for case in cases if re.search(options.cases, case)]
            rows.setdefault(program.parent.name, []).extend(
                pool.submit(run_together, program, wanted[i:i + options.together], environment, options.limit)
                for i in range(0, len(wanted), options.together))
        for category, parts in rows.items():
            done = sum((each.result() for each in parts), [])
            merge(state, category, done, bool(options.cases))
            report(category, done, time.time() - start)


def report(category, rows, seconds):
    counts = {status: sum(1 for row in rows if row[1] == status) for status in sorted({row[1] for row in rows})}
    counted = ", ".join(f"{count} {status}" for status, count in counts.items())
    print(f"{category}, {seconds:.0f} s: {counted}", flush=True)
    for case, status, reason in rows:
        if status not in PASSED:
            print(f"  {status}: {case}: {reason}", flush=True)


def merge(state, category, rows, some):
    """Replaces the rows of a category, or with `some` only the rows of the cases that ran."""
    table = []
    if state.exists():
        anew = {row[0] for row in rows}
        with state.open(newline="") as file:
            table = [row for row in csv.DictReader(file)
                     if row["category"] != category or (some and row["case"] not in anew)]
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
    """The cases that ran, with the categories to which they belong."""
    with state.open(newline="") as file:
        return [row for row in csv.DictReader(file) if row["status"] not in ("skips itself", "not run")]


def summary(state):
    """The table in Markdown, with one row for each rung."""
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
    parser.add_argument("--programs", type=pathlib.Path, metavar="FOLDER", help="run the programs of this folder")
    parser.add_argument("--cases", default="", help="run only the cases that this pattern finds, keep the other rows")
    parser.add_argument("--limit", type=int, default=300, help="seconds a test case may take")
    parser.add_argument("--jobs", type=int, default=1, help="cases at a time")
    parser.add_argument("--together", type=int, default=1, help="cases of one process")
    parser.add_argument("--full", action="store_true", help="the table of the suite's full conformance mode")
    parser.add_argument("--state", type=pathlib.Path, help="the table to keep, instead of the one beside this script")
    options = parser.parse_args()
    state = options.state or STATES[options.full]
    if options.programs:
        run_programs(options.programs.resolve(), state, options)
    else:
        print(summary(state))


if __name__ == "__main__":
    main()
