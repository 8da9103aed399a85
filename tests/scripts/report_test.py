#!/usr/bin/env python3
"""The page that `./run bench --report` draws: every figure is there, valid SVG, in its place, with goals and earlier results."""
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
        figure("long", 25000.0, 24000.0, 26000.0, "us", "", "latency")]


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
    """one plot per benchmark and unit; marks lie inside, larger values further right; nothing comes from the network"""
    with common.Folder() as folder:
        page, result = draw(folder, ROWS)
        result.expect()
        text, drawn = pictures(page)
        common.check(len(drawn) == 3, f"{len(drawn)} plots")
        common.check("3 of 4 goals met, 2 figures" in text, "the summary is wrong")
        common.check("A &amp; B" in text and "a &lt; b" in text and "speed / &lt;tiling&gt;" in text, "text is not escaped")
        common.check(not re.search(r"(src|href)=|url\(|@import", text), "the page wants something from elsewhere")
        for svg in drawn:
            width = float(svg.get("width"))
            for element in svg.iter():
                for name in ("x", "x1", "x2", "cx"):
                    place = element.get(name)
                    common.check(place is None or 0 <= float(place) <= width, f"{element.tag} lies outside: {place}")
        marks = [float(element.get("cx")) for element in drawn[0].iter() if element.tag.endswith("circle")]
        common.check(marks[1] < marks[2] < marks[0], f"marks are out of order: {marks}")


def test_against():
    """earlier results give a hollow mark and the change; what they lack is left out"""
    with common.Folder() as folder:
        earlier = folder.write("earlier.json", json.dumps({"machine": {"processor": "old one"}, "rows": [figure("no goal", 2.0, 1.9, 2.1)]}))
        page, result = draw(folder, ROWS, "--against", earlier, "--plots", os.path.join(folder.path, "plots"))
        result.expect()
        text, drawn = pictures(page)
        hollow = [mark for svg in drawn for mark in svg.iter() if mark.get("fill") == "#fff" and mark.get("cx")]
        common.check(len(hollow) == 1 and "0.500×" in text and "old one" in text, "the earlier results are not shown")
        files = os.listdir(os.path.join(folder.path, "plots"))
        common.check(sorted(files) == ["latency-us.svg", "matmul-ratio.svg", "stream-ratio.svg"], f"plots: {files}")


def test_refuses():
    """results of an older run.py are refused with a sentence"""
    with common.Folder() as folder:
        _, result = draw(folder, [])
        common.check(result.code != 0 and "run the benchmarks again" in result.err + result.out, "it drew nothing in silence")


common.main(globals())
