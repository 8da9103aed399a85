#!/usr/bin/env python3
"""Draws what run.py has measured. The result is one HTML page with a plot of every benchmark. The page needs no
network.

usage: report.py RESULTS.json PAGE.html [--against EARLIER.json] [--plots FOLDER]

Each line of a plot shows a figure with its 95 % interval. A dashed line shows the goal. A hollow mark below the
interval shows the value of the same figure in the earlier results. FOLDER gets an SVG file for each plot.
"""
import argparse
import html
import json
import math
import os
import re

WIDTH, VALUES, LINE = 960, 210, 26
#: The largest width of a letter in the plots.
LETTER = 6.6
GOOD, BAD, PLAIN, OLD, GRID = "#1b6e3c", "#b3261e", "#20457c", "#8a8a8a", "#d9d9d9"
STYLE = ("text{font:12px system-ui,sans-serif;fill:#222}.value{font-variant-numeric:tabular-nums}.tick{fill:#666;font-size:11px}"
         ".title{font-weight:600;font-size:13px}")


def goal_of(row):
    """Returns the row's goal as (bound, whether larger is better), or None if the row has no goal."""
    text = str(row.get("goal") or "")
    if found := re.match(r"at (most|least) ([0-9.]+)", text):
        return float(found.group(2)), found.group(1) == "least"
    if text == "interval reaches 1.0":
        return 1.0, False
    return None


def meets(row):
    """Whether the figure meets its goal; None if it has no goal."""
    goal = goal_of(row)
    if goal is None:
        return None
    bound, larger = goal
    # The goal "interval reaches 1.0" is compared with the lower end of the interval, other goals with the median.
    value = row["low"] if row.get("goal") == "interval reaches 1.0" else row["median"]
    return value >= bound if larger else value <= bound


def number(value):
    """The number with three significant digits, in a readable form."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    digits = max(0, 2 - math.floor(math.log10(abs(value))))
    return f"{value:.{digits}f}" if digits < 7 else f"{value:.2e}"


def ticks(low, high):
    """The marks of the axis: 1, 1.5, 2, 3, 5 and 7 times powers of ten. If these are too many marks, the axis has 1, 2
    and 5 times powers of ten, or only powers of ten."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 1.5, 2, 3, 5, 7), (1, 2, 5), (1,)):
        found = [step * 10.0 ** power for power in powers for step in steps if low <= step * 10.0 ** power <= high]
        if len(found) <= 9:
            return found
    return found


def bounds(rows, earlier):
    values = [1.0] if rows[0]["unit"] == "" else []
    for row in rows:
        values += [row["low"], row["high"], *(goal[:1] if (goal := goal_of(row)) else ())]
        if old := earlier.get(row["key"]):
            values.append(old["median"])
    values = [value for value in values if value > 0] or [1.0]
    low, high = min(values), max(values)
    # The largest value of the axis is at least a certain multiple of the smallest value, because otherwise noise would
    # look like a result.
    middle = math.sqrt(low * high)
    return min(low / 1.08, middle / 1.5), max(high * 1.08, middle * 1.5)


def plot(title, rows, earlier):
    """An SVG plot of rows with the same unit, on a logarithmic axis."""
    low, high = bounds(rows, earlier)
    left, right = min(460, max(200, LETTER * max(len(row["name"]) for row in rows) + 20)), WIDTH - VALUES
    top, height = 34, 34 + LINE * len(rows) + 26

    def x(value):
        value = min(max(value, low), high)
        return left + (math.log(value) - math.log(low)) / (math.log(high) - math.log(low)) * (right - left)

    unit = rows[0]["unit"]
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" role="img">',
             f"<title>{html.escape(title)}</title><style>{STYLE}</style>",
             f'<rect width="{WIDTH}" height="{height}" fill="#fff"/>',
             f'<text class="title" x="8" y="18">{html.escape(title)}</text>']
    bottom, free = top + LINE * len(rows), 0.0
    for tick in ticks(low, high):
        at = x(tick)
        weight = 1.6 if tick == 1.0 and unit == "" else 0.8
        told = f"{tick:g}"
        shade = "#555" if tick == 1.0 and unit == "" else GRID
        parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top}" y2="{bottom}" stroke="{shade}" stroke-width="{weight}"/>')
        if at - LETTER * len(told) / 2 > free:
            parts.append(f'<text class="tick" x="{at:.1f}" y="{bottom + 16}" text-anchor="middle">{told}</text>')
            free = at + LETTER * (len(told) / 2 + 1)
    for i, row in enumerate(rows):
        y = top + LINE * i + LINE / 2
        met = meets(row)
        colour = PLAIN if met is None else GOOD if met else BAD
        parts.append(f'<text x="{left - 10}" y="{y + 4:.1f}" text-anchor="end">{html.escape(row["name"])}</text>')
        if goal := goal_of(row):
            at = x(goal[0])
            parts.append(f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{y - 11:.1f}" y2="{y + 11:.1f}" stroke="{colour}" '
                         'stroke-width="2" stroke-dasharray="3 2"/>')
            # The triangle points in the direction of better figures.
            way = 5 if goal[1] else -5
            parts.append(f'<path d="M{at:.1f} {y - 11:.1f}l{way} 3l{-way} 3z" fill="{colour}"/>')
        parts.append(f'<line x1="{x(row["low"]):.1f}" x2="{x(row["high"]):.1f}" y1="{y:.1f}" y2="{y:.1f}" stroke="{colour}" stroke-width="3"/>')
        parts.append(f'<circle cx="{x(row["median"]):.1f}" cy="{y:.1f}" r="4.5" fill="{colour}"/>')
        text = f"{number(row['median'])} [{number(row['low'])}, {number(row['high'])}]"
        if met is not None:
            text += " ✓" if met else " missed"
        if old := earlier.get(row["key"]):
            parts.append(f'<circle cx="{x(old["median"]):.1f}" cy="{y + 8:.1f}" r="3" fill="#fff" stroke="{OLD}" stroke-width="1.5"/>')
            text += f"  {number(row['median'] / old['median'])}×" if old["median"] else ""
        parts.append(f'<text class="value" x="{right + 12}" y="{y + 4:.1f}">{html.escape(text)}</text>')
    parts.append("</svg>")
    return "\n".join(parts)


def with_keys(rows):
    """Adds a key to each row. With this key, the row is found in other results. The key contains the row's benchmark,
    name and unit, and a number, because several rows of a benchmark may have the same name ("the same, fused")."""
    seen = {}
    for row in rows:
        place = row["benchmark"], row["name"], row["unit"]
        seen[place] = seen.get(place, 0) + 1
        yield {**row, "key": (*place, seen[place])}


def plots(results, earlier):
    """Returns (benchmark, file name, SVG) for each benchmark and unit."""
    old = {row["key"]: row for row in with_keys(earlier.get("rows", []))}
    results = {**results, "rows": list(with_keys(results["rows"]))}
    drawn = []
    for benchmark in dict.fromkeys(row["benchmark"] for row in results["rows"]):
        rows = [row for row in results["rows"] if row["benchmark"] == benchmark]
        for unit in dict.fromkeys(row["unit"] for row in rows):
            chosen = [row for row in rows if row["unit"] == unit]
            kind = "ratio" if unit == "" else unit
            title = f"{benchmark}: ratios" if unit == "" else f"{benchmark}: {unit}"
            drawn.append((benchmark, f"{benchmark}-{kind}.svg", plot(title, chosen, old)))
    return drawn


def facts(results):
    return "".join(f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value) or 'not found')}</td></tr>"
                   for name, value in results.get("machine", {}).items())


def page(results, earlier, drawn):
    met = [meets(row) for row in results["rows"]]
    summary = f"{met.count(True)} of {met.count(True) + met.count(False)} goals met, {met.count(None)} figures without one."
    legend = ("Medians with 95 % intervals. A dashed line is the goal, its arrow points to the good side; green: met, red: missed, "
              "blue: no goal. Ratios compare Sinter with the reference that the line names.")
    if earlier:
        legend += " Hollow marks: the earlier results; the last number is now divided by then."
    body = []
    for benchmark in dict.fromkeys(name for name, _, _ in drawn):
        told = html.escape(results.get("described", {}).get(benchmark, ""))
        body.append(f"<h2>{html.escape(benchmark)}</h2><p>{told}</p>")
        body += [svg for name, _, svg in drawn if name == benchmark]
    for benchmark, why in results.get("skipped", {}).items():
        told = html.escape(results.get("described", {}).get(benchmark, ""))
        body.append(f"<h2>{html.escape(benchmark)}</h2><p>{told}</p><p>Skipped: {html.escape(why)}.</p>")
    then = f"<h3>Earlier results</h3><table>{facts(earlier)}</table>" if earlier else ""
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Sinter: benchmarks</title><style>
body{{font:15px/1.45 system-ui,sans-serif;max-width:{WIDTH}px;margin:2em auto;padding:0 1em;color:#222}}
table{{border-collapse:collapse}}th{{text-align:left;padding-right:1.5em;font-weight:600}}svg{{max-width:100%;height:auto;display:block}}
</style></head><body><h1>Sinter: benchmarks</h1><p>{summary} {legend}</p><table>{facts(results)}</table>{then}
{chr(10).join(body)}</body></html>
"""


def write(results, target, earlier=None, folder=None):
    """Writes the page, and also each plot as a file of its own if a folder is given."""
    drawn = plots(results, earlier or {})
    with open(target, "w", encoding="utf-8") as file:
        file.write(page(results, earlier or {}, drawn))
    if folder:
        os.makedirs(folder, exist_ok=True)
        for _, name, svg in drawn:
            with open(os.path.join(folder, name.replace(" ", "_").replace("/", "_")), "w", encoding="utf-8") as file:
                file.write(svg + "\n")


def read(path):
    with open(path, encoding="utf-8") as file:
        results = json.load(file)
    if not results.get("rows"):
        raise SystemExit(f"{path}: there are no figures in it, or it is of a run.py that did not write them ('rows'); "
                         "run the benchmarks again")
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results")
    parser.add_argument("page")
    parser.add_argument("--against", help="earlier results, shown beside these")
    parser.add_argument("--plots", help="folder for each plot as an SVG file")
    options = parser.parse_args()
    write(read(options.results), options.page, read(options.against) if options.against else None, options.plots)


if __name__ == "__main__":
    main()
