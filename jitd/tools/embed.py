#!/usr/bin/env python3
"""embed.py FILE HEADER NAME: the bytes of a file as the array NAME of a header."""
import sys

data = open(sys.argv[1], "rb").read()
with open(sys.argv[2], "w") as header:
    header.write(f"#pragma once\n\ninline constexpr unsigned char {sys.argv[3]}[] = {{\n")
    for at in range(0, len(data), 24):
        header.write("  " + ", ".join(str(byte) for byte in data[at:at + 24]) + ",\n")
    header.write("};\n")
