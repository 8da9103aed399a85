"""Compiling a program twice, with Sinter and with the plain SYCL of this folder, and running it in modes."""
import os
import shutil
import subprocess
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
PLAIN_FLAGS = ["-std=c++20", "-w", "-O0", "-ffp-contract=off", "-isystem", os.path.join(HERE, "plain"), "-I" + HERE]
FUSIONS = ["list", "list", "auto", "graph", "graph_fuse"]
SUB_GROUPS = {"x86-64-v2": 4, "x86-64-v3": 8, "x86-64-v4": 16}


class Failure(Exception):
    pass


def call(command, seconds, environment=None):
    """Exit code, output and errors; 124 when it took too long."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              text=True,
                              errors="replace", timeout=seconds, env=environment)
        return done.returncode, done.stdout, done.stderr
    except subprocess.TimeoutExpired as late:
        text = late.stdout.decode(errors="replace") if late.stdout else ""
        return 124, text, f"took longer than {seconds} s"


class Mode:
    """How a program is compiled and run: a flag of the compiler, variables, and whether the cache is warm. The level
    "library" is g++ without the plugin, where kernels are host code."""

    def __init__(self, level="-O2", variables=None, warm=False):
        self.level, self.variables, self.warm = level, dict(variables or {}), warm

    def text(self):
        words = [self.level] + [f"{name}={value}" for name, value in sorted(self.variables.items())]
        return " ".join(words + (["warm"] if self.warm else []))

    @staticmethod
    def parse(text):
        mode = Mode()
        for word in text.split():
            if word.startswith("-O") or word == "library":
                mode.level = word
            elif word == "warm":
                mode.warm = True
            else:
                name, _, value = word.partition("=")
                mode.variables[name] = value
        return mode


def random_mode(random, level):
    """Most of what users have, and something of everything else."""
    variables = {}

    def sometimes(name, chance, values):
        if random.random() < chance:
            variables[name] = random.choice(values)
    if level == "library":
        sometimes("SINTER_THREADS", 0.5, ["1", "2", "3", "5"])
        sometimes("PROGRAM_FUSION", 0.5, FUSIONS)
        return Mode(level, variables)
    sometimes("SINTER_CPU", 0.5, list(SUB_GROUPS))
    # Sixteen lanes in registers of four are much to compile.
    sometimes("SINTER_LANES", 0.35, ["1", "2", "4", "8", "4" if variables.get("SINTER_CPU") == "x86-64-v2" else "16"])
    sometimes("SINTER_BLOCK", 0.35, ["1", "2", "4", "8"])
    sometimes("SINTER_THREADS", 0.4, ["1", "2", "3", "5"])
    sometimes("PROGRAM_FUSION", 0.4, FUSIONS)
    if variables.get("PROGRAM_FUSION") == "auto":
        variables["SINTER_FUSE_SMALL"] = "1"
    sometimes("SINTER_TIERED", 0.15, ["1"])
    return Mode(level, variables, warm=random.random() < 0.15)


class Builder:
    """`build`: a build tree of Sinter; `work`: a folder for programs and precompiled headers."""

    def __init__(self, build, work, compiler="clang++-" + os.environ.get("TEST_LLVM_VERSION", "22")):
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
        self.sub_group = 16 if "avx512f" in open("/proc/cpuinfo", encoding="utf-8").read() else 8
        self.planted = None

    def sinter_flags(self, level):
        return ["-std=c++20", "-w", "-ffp-contract=off", level, *self.flags, "-I" + HERE]

    def library(self, source, program):
        """With g++, which finds its precompiled header beside a copy of the header."""
        flags = ["g++", "-std=c++20", "-w", "-ffp-contract=off", "-O1", "-I" + HERE]
        header = os.path.join(self.work, "library", "common.hpp")
        with self.making:
            if not os.path.exists(header):
                os.makedirs(os.path.dirname(header))
                shutil.copy(os.path.join(self.work, "common.hpp"), header)
                call([*flags, "-x", "c++-header", header, *self.library_words, "-o", header + ".gch"], 600)
        return call([*flags, "-include", header, source, "-o", program, *self.library_words], 900)

    def header(self, level):
        """The precompiled header for that level of Sinter, or for "plain"."""
        with self.making:
            if level not in self.headers:
                source, result = os.path.join(self.work, "common.hpp"), os.path.join(self.work, f"common{level}.pch")
                flags = PLAIN_FLAGS if level == "plain" else self.sinter_flags(level)
                code, _, errors = call([self.compiler, *flags, "-x", "c++-header", source, "-o", result], 600)
                if code != 0:
                    raise Failure("the common header does not compile: " + errors[:2000])
                self.headers[level] = result
            return self.headers[level]

    def compile(self, name, text, level):
        """Writes NAME.cpp; gives the two programs."""
        source, program, plain = (os.path.join(self.work, name + end) for end in (".cpp", level, ".plain"))
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        code, _, errors = call([self.compiler, *PLAIN_FLAGS, "-include-pch", self.header("plain"), source, "-o",
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

    def expected(self, plain, mode, words=(), **variables):
        # What the machine lacks is not chosen.
        size = min(SUB_GROUPS.get(mode.variables.get("SINTER_CPU"), self.sub_group), self.sub_group)
        if mode.level == "library":  # attributes say nothing there
            variables["PLAIN_REQUIRES_NOTHING"] = "1"
        code, text, errors = call([plain, *words], 300, dict(os.environ, PLAIN_SUB_GROUP=str(size), **variables))
        if code != 0:
            raise Failure(f"{plain} ended with {code}: {errors[-500:]}")
        return text

    def has_race(self, plain, mode):
        """Whether the results depend on the order of work-items: a mistake of the generator."""
        return self.expected(plain, mode, PLAIN_BACKWARDS="1") != self.expected(plain, mode)

    def run(self, program, mode, words=(), seconds=600):
        """Exit code, output, errors of the last run."""
        variables = {name: value for name, value in os.environ.items() if not name.startswith("SINTER_")}
        variables.update(mode.variables)
        if mode.variables.get("PROGRAM_FUSION") != "list":
            variables["SYCL_RT_WARNING_LEVEL"] = "0"
        if self.planted:
            variables["PLANTED_ERROR"] = self.planted
        if not mode.warm:
            code, text, errors = call([program, *words], seconds, dict(variables, SINTER_CACHE="0"))
            return code, text, errors.replace("host_entry=", "host=") if mode.level == "library" else errors
        cache = program + ".cache"
        shutil.rmtree(cache, ignore_errors=True)
        os.makedirs(cache, mode=0o700)
        variables["SINTER_CACHE_DIR"] = cache
        cold = call([program, *words], seconds, variables)
        warm = call([program, *words], seconds, variables)
        shutil.rmtree(cache, ignore_errors=True)
        return cold if cold[0] != 0 or cold[1] != warm[1] and cold[1].count("\n") < warm[1].count("\n") else warm


def verdict(expected, result, known=()):
    """None, or what is wrong: 'crash', 'late', 'host' or 'values', and the scenes that are. `known`: those whose lists
    must not be trusted with anything."""
    code, text, errors = result
    if code == 0 and text == expected:
        return ("host", []) if "host_entry=" in errors and "host_entry=0 " not in errors else None
    if code == 124:
        return "late", []
    if code != 0:
        return "crash", []
    ours, right = text.splitlines(), expected.splitlines()
    wrong = [one.split()[1] for one, other in zip(right, ours) if one != other]
    wrong = [one for one in dict.fromkeys(wrong) if one not in trusted_in(errors) or one in known]
    return ("values", wrong) if wrong or len(ours) != len(right) else None


def trusted_in(errors):
    """Scenes whose lists were fused on trust, as a warning said: what they give is the program's own affair."""
    trusted, scene = set(), None
    for line in errors.splitlines():
        if line.startswith("scene "):
            scene = line.split()[1]
        elif "fused on trust" in line:
            trusted.add(scene)
    return trusted
