"""Compiles a program twice, with Sinter and with the plain SYCL of this folder."""
import os
import shutil
import threading

from runs import Failure, Runner, call, emulator

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN_FLAGS = ["-std=c++20", "-w", "-O0", "-ffp-contract=off", "-isystem", os.path.join(HERE, "plain"), "-I" + HERE]


class Builder(Runner):
    """`build`: a build tree of Sinter; `work`: a folder for programs and precompiled headers; `root`: if given, the
    build is for 64-bit Arm, and this folder contains its packages (tests/aarch64/sysroot.py); `remote`: see
    runs.emulator."""

    def __init__(self, build, work, compiler="clang++-" + os.environ.get("TEST_LLVM_VERSION", "22"), root=None,
                 remote=None):
        super().__init__(16 if root else None)
        self.target, self.plain_flags = [], PLAIN_FLAGS
        if root:
            self.target = ["--target=aarch64-linux-gnu", "--sysroot=" + root, "-fuse-ld=lld"]
            self.plain_flags = [*PLAIN_FLAGS, "-funsigned-char"]  # as on 64-bit Arm
            self.emulator, self.patience = emulator(root, remote), 1 if remote else 6
        self.build, self.work, self.compiler = os.path.abspath(build), work, compiler
        os.makedirs(work, exist_ok=True)
        search = dict(os.environ, PKG_CONFIG_PATH=os.path.join(self.build, "meson-uninstalled"))

        def words(*options):
            code, text, errors = call(["pkg-config", *options], 60, search)
            if code != 0:
                raise Failure("pkg-config: " + errors)
            return text.split()
        with open(os.path.join(work, "common.hpp"), "w", encoding="utf-8") as file:
            file.write('#include "program.hpp"\n')
        self.flags, self.libraries = words("--cflags", "sinter"), words("--libs", "sinter")
        self.library_words = words("--cflags", "--libs", "sinter-library")
        self.headers, self.making = {}, threading.Lock()

    def sinter_flags(self, level):
        return [*self.target, "-std=c++20", "-w", "-ffp-contract=off", level, *self.flags, "-I" + HERE]

    def library(self, source, program):
        """Compiles with g++, which finds its precompiled header beside a copy of the header."""
        flags = ["g++", "-std=c++20", "-w", "-ffp-contract=off", "-O1", "-I" + HERE]
        header = os.path.join(self.work, "library", "common.hpp")
        with self.making:
            if not os.path.exists(header):
                os.makedirs(os.path.dirname(header))
                shutil.copy(os.path.join(self.work, "common.hpp"), header)
                call([*flags, "-x", "c++-header", header, *self.library_words, "-o", header + ".gch"], 600)
        return call([*flags, "-include", header, source, "-o", program, *self.library_words], 900)

    def header(self, level):
        """The precompiled header for Sinter with the optimisation `level`, or for plain SYCL if `level` is "plain"."""
        with self.making:
            if level not in self.headers:
                source, result = os.path.join(self.work, "common.hpp"), os.path.join(self.work, f"common{level}.pch")
                flags = self.plain_flags if level == "plain" else self.sinter_flags(level)
                code, _, errors = call([self.compiler, *flags, "-x", "c++-header", source, "-o", result], 600)
                if code != 0:
                    raise Failure("the common header does not compile: " + errors[:2000])
                self.headers[level] = result
            return self.headers[level]

    def compile(self, name, text, level):
        """Writes NAME.cpp and compiles it; returns the two programs."""
        source, program, plain = (os.path.join(self.work, name + end) for end in (".cpp", level, ".plain"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        code, _, errors = call([self.compiler, *self.plain_flags, "-include-pch", self.header("plain"), source, "-o",
                                plain], 600)
        if code != 0:
            raise Failure(f"{source} does not compile: " + errors[:2000])
        if level == "library":
            code, _, errors = self.library(source, program)
        else:
            flags = [*self.sinter_flags(level), "-include-pch", self.header(level)]
            code, _, errors = call([self.compiler, *flags, source, "-o", program, *self.libraries], 900)
        if code != 0:
            raise Failure(f"{source} does not compile with Sinter: " + errors[:4000])
        return program, plain
