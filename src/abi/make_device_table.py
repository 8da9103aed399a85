#!/usr/bin/env python3
"""Makes the tables of abi/device_targets.hpp: make_device_table.py ASPECTS_HPP DEVICES_YAML OUTPUT.

The script needs no YAML library. It reads only the part of YAML that devices.yaml uses: comments, lines "NAME:", and
below these lines "KEY: VALUE" or "KEY: [VALUE, ...]". A list may continue in the next lines.
"""
import os
import re
import sys


def rows_of(text):
    """[(target, {key: [words]})]"""
    rows = []
    text = re.sub(r"#.*", "", text)
    text = re.sub(r"\[[^\]]*\]", lambda found: " ".join(found[0].split()), text)
    for line in text.splitlines():
        if not line.strip():
            continue
        target = re.fullmatch(r"(\w+):\s*", line)
        entry = re.fullmatch(r"  ([\w-]+): (?:\[([\w, ]*)\]|(\w+))\s*", line)
        if target:
            rows.append((target[1], {}))
        elif entry and rows:
            rows[-1][1][entry[1]] = re.findall(r"\w+", entry[2] if entry[3] is None else entry[3])
        else:
            sys.exit(f"make_device_table.py: no row of devices.yaml: {line}")
    return rows


def main(aspects_path, devices_path, output):
    aspects = re.findall(r"^  (\w+) = (\d+),", open(aspects_path, encoding="utf-8").read(), re.M)
    numbers = dict(aspects)
    lines = ["// Made of devices.yaml and sycl/aspects.hpp by make_device_table.py.",
             "inline constexpr aspect_row aspect_table[] = {"]
    lines += [f'    {{{number}, "{name}"}},' for name, number in aspects]
    lines += ["};", "inline constexpr target_row target_table[] = {"]
    for target, entries in rows_of(open(devices_path, encoding="utf-8").read()):
        unknown = entries.keys() - {"aspects", "sub-group-sizes", "max-work-group-size", "max-work-item-sizes"}
        if unknown or any(name not in numbers and not name.isdigit() for name in entries["aspects"]):
            sys.exit(f"make_device_table.py: {target} has an unknown key or aspect")
        bits = " | ".join(f"aspect_bit({numbers.get(name, name)})" for name in entries["aspects"])
        sizes = ", ".join(entries["sub-group-sizes"])
        most = entries.get("max-work-group-size", ["0"])[0]
        sides = ", ".join(entries.get("max-work-item-sizes", ["0", "0", "0"]))
        lines.append(f'    {{"{target}", {bits}, {{{sizes}}}, {most}, {{{sides}}}}},')
    lines.append("};")
    text = "\n".join(lines) + "\n"
    # Meson calls this script whenever it reads the build files. A table that stays the same keeps its time, so that its
    # users are not compiled again.
    if os.path.exists(output) and open(output, encoding="utf-8").read() == text:
        return
    with open(output, "w", encoding="utf-8") as file:
        file.write(text)


main(*sys.argv[1:])
