#!/usr/bin/env python3
"""The page that `./run bench --report` draws: every figure is there, as valid SVG, in its place, with goals and
earlier results."""
import json
import os
import re
import sys
import xml.etree.ElementTree as ElementTree

import common

REPORT = os.path.join(common.SOURCE, "benchmarks", "report.py")


def figure(name, median, low, high, unit="", goal="", benchmark="matmul"):
    return {"benchmark": benchmark, "name": name, "median": median, "low": low, "high": high, "unit": unit, "goal": goal}


ROWS = [figure("speed / <tiling>", 1.3, 1.2, 1.4, goal="at least 1.2"), figure("slow & steady", 0.5, 0.4, 0.6, goal="at least 0.9"),
        figure("no goal", 1.0, 0.99, 1.01), figure("launch", 0.12, 0.11, 0.13, "us", "at most 0.15 us", "latency"),
        figure("stream", 1.02, 0.99, 1.05, goal="interval reaches 1.0", benchmark="stream"),
        figure("long", 25000.0, 24000.0, 26000.0, "us", "", "latency"),
        figure("a name that takes more room than others", 700.0, 600.0, 800.0, "us", "", "latency")]


def draw(folder, rows, *more):
    machine = {"processor": "A & B", "cores": 2}
    path = folder.write("results.json", json.dumps({"machine": machine, "rows": rows, "described": {"matmul": "a < b"}}))
    page = os.path.join(folder.path, "page.html")
    return page, common.run([sys.executable, REPORT, path, page, *more])


def pictures(page):
    with open(page, encoding="utf-8") as file:
        text = file.read()
    return text, [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", text, re.S)]


def test_page():
    """one plot per benchmark and unit; larger values are farther right; the page loads nothing from the network"""
    with common.Folder() as folder:
        page, result = draw(folder, ROWS)
        result.expect()
        text, drawn = pictures(page)
        common.check(len(drawn) == 3, f"{len(drawn)} plots")
        common.check("3 of 4 goals met, 3 figures" in text, "the summary is wrong")
        common.check("A &amp; B" in text and "a &lt; b" in text and "speed / &lt;tiling&gt;" in text, "text is not escaped")
        common.check(not re.search(r"(src|href)=|url\(|@import", text), "the page wants something from elsewhere")
        for svg in drawn:
            width = float(svg.get("width"))
            for element in svg.iter():
                for name in ("x", "x1", "x2", "cx"):
                    place = element.get(name)
                    common.check(place is None or 0 <= float(place) <= width, f"{element.tag} lies outside: {place}")
            places = sorted(((float(each.get("x")), each.text) for each in svg.iter() if each.get("class") == "tick"))
            for (left, one), (right, other) in zip(places, places[1:]):
                common.check(right - left > 3 * (len(one) + len(other)), f"{one} and {other} overlap")
            for element in svg.iter():
                if element.get("text-anchor") == "end":
                    common.check(float(element.get("x")) > 6 * len(element.text), f"'{element.text}' is cut")
        marks = [float(element.get("cx")) for element in drawn[0].iter() if element.tag.endswith("circle")]
        common.check(marks[1] < marks[2] < marks[0], f"marks are out of order: {marks}")


def test_against():
    """an earlier result appears as a hollow mark, with the change; missing results are skipped"""
    with common.Folder() as folder:
        earlier = folder.write("earlier.json", json.dumps({"machine": {"processor": "old one"}, "rows": [figure("no goal", 2.0, 1.9, 2.1)]}))
        page, result = draw(folder, ROWS, "--against", earlier, "--plots", os.path.join(folder.path, "plots"))
        result.expect()
        text, drawn = pictures(page)
        hollow = [mark for svg in drawn for mark in svg.iter() if mark.get("fill") == "#fff" and mark.get("cx")]
        common.check(len(hollow) == 1 and "0.500×" in text and "old one" in text, "the earlier results are not shown")
        files = os.listdir(os.path.join(folder.path, "plots"))
        common.check(sorted(files) == ["latency-us.svg", "matmul-ratio.svg", "stream-ratio.svg"], f"plots: {files}")
        # Figures with equal names belong to the same measurement.
        rows = [figure("the same", value, value, value) for value in (1.0, 4.0)]
        earlier = folder.write("earlier.json", json.dumps({"machine": {}, "rows": rows}))
        page, result = draw(folder, rows, "--against", earlier)
        result.expect()
        common.check(re.findall(r"[0-9.]+×", pictures(page)[0]) == ["1.00×"] * 2, "a figure has another's earlier result")


#: A program that pretends to be for a GPU. Programs of the other implementation are half as fast
#: as Sinter's.
FAKE_PROGRAM = r"""#!/usr/bin/env python3
import os, sys
name = os.path.basename(sys.argv[0])
ours = name.startswith("gpu_")
if ours and (os.environ["FAKE_GPUS"] == "0" or not os.environ["SINTER_DEVICE"].startswith("cuda")):
    sys.exit("no device matches")
name = name.removeprefix("gpu_")
factor = 1 if ours else 2
if name == "kernels" and sys.argv[1:] == ["--list"]:
    print("stream triad;1000\nmatmul;64")
elif name == "kernels":
    print("open: a fake", flush=True)
    for line in sys.stdin:
        answers = {"prepare": "ready 2.0 GB", "sample": str(0.5 * factor), "check": "right"}
        print(answers[line.split()[0]], flush=True)
elif name == "overheads":
    print(f"{'launch, in order':<42} {3.1 * factor:10.2f} us\n{'copy up, pageable':<42} {8.0 / factor:10.2f} GB/s")
elif name == "graphs":
    print(f"{'line of 100 kernels':<42} {80.0 * factor:10.3f} us")
elif name == "fused_chain":
    print(f"{'fused' if ours else 'one kernel':<42} {450.0 * factor:10.1f} us   4.89 times")
elif name == "first_launch":
    print(4.0 * factor)
elif name == "halo":
    print("512 x 512: 100 us per step on one GPU, 50 on 2: 2.00 times")
"""
#: A compiler that ignores its sources and makes this program.
FAKE_COMPILER = """#!/bin/sh
while [ "$1" != -o ]; do shift; done
cp "$FAKE_PROGRAM" "$2"
"""


def bench_gpu(folder, gpus):
    """The output and files of run.py for programs that claim to have a GPU, and the page."""
    programs = os.path.join(folder.path, "benchmarks", "gpu")
    os.makedirs(programs)
    names = ["gpu_" + each for each in ("kernels", "overheads", "graphs", "fused_chain", "first_launch", "halo")]
    for path, text in [*((os.path.join(programs, name), FAKE_PROGRAM) for name in names),
                       (os.path.join(folder.path, "nvcc"), FAKE_COMPILER)]:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)
    command = [sys.executable, os.path.join(common.SOURCE, "benchmarks", "run.py"), "--build", folder.path]
    result = common.run([*command, "--pairs", "3", "--report", "gpu"], FAKE_GPUS=gpus,
                        FAKE_PROGRAM=os.path.join(programs, names[0]),
                        PATH=folder.path + ":" + os.environ["PATH"]).expect()
    with open(os.path.join(folder.path, "benchmarks", "results.json"), encoding="utf-8") as file:
        return result.out, json.load(file), *pictures(os.path.join(folder.path, "benchmarks", "report.html"))


def test_gpu():
    """the page shows the GPU benchmark, each kind of program beside CUDA C++, with its goals"""
    with common.Folder() as folder:
        _, results, text, drawn = bench_gpu(folder, "2")
        rows = {row["name"]: (row["median"], row["goal"]) for row in results["rows"]}
        expected = {"launch, in order: time / CUDA C++'s": (0.5, "at most 1.1"), "copy up, pageable: SYCL": (8.0, ""),
                    "copy up, pageable: speed / CUDA C++'s": (2.0, "at least 0.9"),
                    "line of 100 kernels: time / CUDA C++'s": (0.5, ""), "fused: CUDA C++": (900.0, ""),
                    "stream triad: SYCL": (4000.0, ""), "stream triad: speed / CUDA C++'s": (2.0, "at least 0.99"),
                    "matmul: speed / CUDA C++'s": (2.0, "at least 0.98"),
                    "first launch of n-body: compiled": (4.0, "at most 80 ms"),
                    "first launch: SYCL takes longer by": (-4.0, "at most 1 ms"),
                    "stencil, 512 x 512: speed of 2 GPUs / one": (2.0, "at least 1.9")}
        wrong = [f"{name}: {rows.get(name)} instead of {figure}" for name, figure in expected.items()
                 if rows.get(name) != figure]
        common.check(not wrong, "; ".join(wrong))
        common.check({row["benchmark"] for row in results["rows"]} == {"gpu"}, "figures of another benchmark")
        labels = {element.text for svg in drawn for element in svg.iter() if element.tag.endswith("text")}
        common.check("<th>device of gpu</th><td>a fake</td>" in text, "the GPU is not named")
        common.check("<h2>gpu</h2>" in text and set(expected) <= labels, f"not drawn: {set(expected) - labels}")


def test_without_gpu():
    """without a GPU, the GPU benchmark is one line of output, and one sentence on the page"""
    with common.Folder() as folder:
        out, results, text, drawn = bench_gpu(folder, "0")
        common.check("skipped: no CUDA GPU" in out and not results["rows"] and not drawn, f"it was not skipped: {out}")
        common.check("<h2>gpu</h2>" in text and "Skipped: no CUDA GPU." in text, "the page does not say so")


def test_refuses():
    """results of an older run.py are refused with a message"""
    with common.Folder() as folder:
        _, result = draw(folder, [])
        common.check(result.code != 0 and "run the benchmarks again" in result.err + result.out, "it drew nothing in silence")


common.main(globals())
