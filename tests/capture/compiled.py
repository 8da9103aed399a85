"""Common parts of the plugin's tests: compile sources with the plugin, and read the images."""
import re
import struct
import subprocess
import sys
from pathlib import Path

clang, plugin, root = sys.argv[1], sys.argv[2], Path(sys.argv[3])
version = int(clang.rsplit("-", 1)[1])
here = Path(__file__).parent
flags = ["-std=c++20", f"-I{root}/src", f"-I{here}", f"-fplugin={plugin}", f"-fpass-plugin={plugin}"]
objcopy = re.sub(r"clang\+\+(-\d+)?$", r"llvm-objcopy\1", clang)


def run(*command, **options):
    return subprocess.run([str(c) for c in command], text=True, capture_output=True, **options)


def compile_object(source, output, *options, expect=0):
    result = run(clang, *flags, *options, "-c", source, "-o", output, cwd=Path(output).parent)
    assert result.returncode == expect, f"{source} {options}: clang said {result.returncode}\n{result.stderr}"
    return result.stderr


def images(obj):
    """Returns the device images of an object file, as bytes."""
    section = Path(f"{obj}.section")
    result = run(objcopy, f"--dump-section=sinter_image={section}", obj, "/dev/null")
    if result.returncode != 0:
        return []
    data, found, at = section.read_bytes(), [], 0
    while at + 160 <= len(data):
        size = struct.unpack_from("<Q", data, at + 16)[0]
        assert data[at:at + 8] == b"SINTERIM" and size % 8 == 0, "no image header where one should be"
        found.append(data[at:at + size])
        at += size
    return found


def tables(blob):
    """Returns {display name: (leaves as 'offset,size,kind' text, flags, required sizes, aspects)} for one image."""
    (_, _, _, _, flags, kernels, _, imports, _, _, _, _, k_at, l_at, _, _, _, _, s_at) = struct.unpack_from(
        "<8sIIQ8I7Q", blob)
    text = lambda at: blob[s_at + at:blob.index(b"\0", s_at + at)].decode()
    result = {}
    for i in range(kernels):
        row = struct.unpack_from("<14I2Q", blob, k_at + 88 * i)
        leaves = [struct.unpack_from("<IIHBBI", blob, l_at + 16 * (row[8] + j)) for j in range(row[9])]
        result[text(row[1])] = (" ".join(f"{l[0]},{l[1]},{l[2]}" for l in leaves), row[3], row[10:14], row[14] | row[15] << 64)
    return result
