"""Makes PTX and SPIR-V of a program's kernels by sinter-lower, which needs no device."""
import hashlib
import os
import re
import shutil
import tempfile
import threading

import runs

#: Messages of kernels that are refused because devices lack a feature. Any other refusal is a defect.
REFUSED = ("requires sub-groups of", "its work-groups have", "bytes together, and the device takes",
           "Sinter was built with LLVM")  # this LLVM is too old for devices
OPTIONS = {"ptx": [[], [], ["--wide"], ["--folded"], ["--turns"], ["--disjoint"], ["--local=1,1,64"]],
           "spirv": [[], [], ["--wide"], ["--pointers-apart"], ["--local=1,1,64"]]}


def find_ptxas():
    return shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


class Lowering:
    """One of `part` modules, chosen by a hash of the module's bytes, is assembled or validated."""

    def __init__(self, build, part=1):
        self.lower = os.path.join(os.path.abspath(build), "jitd", "sinter-lower")
        self.part, self.ptxas, self.validator = part, find_ptxas(), shutil.which("spirv-val")
        self.counts = {"ptx": 0, "assembled": 0, "spirv": 0, "validated": 0, "refused": 0}
        self.seen, self.lock = set(), threading.Lock()

    def text(self):
        return "kernels lowered: " + ", ".join(f"{value} {name}" for name, value in self.counts.items())

    def problems(self, program, random):
        """Problems with the kernels of an executable, as sentences."""
        return [one for target, options in OPTIONS.items()
                for one in self.check(program, target, random.choice(options))]

    def check(self, program, target, options):
        code, out, errors = runs.call([self.lower, "--emit=" + target, *options, program], 300, binary=True)
        how = " ".join([f"--emit={target}", *options])
        if code not in (0, 1):
            return [f"{how} ended with {code}: {errors[-300:]}"]
        lines = [line for line in errors.splitlines() if line.startswith("sinter-lower:")]
        found = [f"{how}: {line}" for line in lines if not any(words in line for words in REFUSED)]
        modules = self.ptx_modules(out) if target == "ptx" else self.spirv_modules(out)
        self.count(target, len(modules), refused=len(lines))
        if target == "ptx":
            return found + self.judge(modules, self.ptxas, ["-arch=sm_90", "-O0", "-o", "/dev/null"], "assembled", how)
        return found + self.judge(modules, self.validator, ["--target-env", "spv1.4"], "validated", how)

    def judge(self, modules, tool, words, name, how):
        """Returns the errors that ptxas or spirv-val reports, or no errors if the machine lacks the tool."""
        found = []
        for module in modules if tool else []:
            digest = hashlib.sha256(module).digest()
            with self.lock:
                is_new = digest not in self.seen
                self.seen.add(digest)
            if not is_new or digest[0] % self.part != 0:
                continue
            with tempfile.NamedTemporaryFile(suffix=".ptx" if name == "assembled" else ".spv") as file:
                file.write(module)
                file.flush()
                code, out, errors = runs.call([tool, *words, file.name], 300)
            self.count(name, 1)
            if code != 0:
                found.append(f"{how}: {os.path.basename(tool)}: {(out + errors)[-300:]}")
        return found

    def count(self, name, number, refused=0):
        with self.lock:
            self.counts[name] += number
            self.counts["refused"] += refused

    @staticmethod
    def ptx_modules(out):
        return re.split(rb"(?m)^(?=\.version)", out)[1:]

    @staticmethod
    def spirv_modules(out):
        """Returns the modules. In the output, a line with the module's number of bytes stands in front of each
        module."""
        found, at = [], 0
        while at < len(out):
            line = out.index(b"\n", at)
            size = int(out[at:line])
            found.append(out[line + 1:line + 1 + size])
            at = line + 1 + size + 1
        return found
