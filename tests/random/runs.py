"""Runs random programs in modes and compares what they print. Needs only Python, because it is packed for other
machines."""
import os
import shutil
import signal
import subprocess
import tempfile

FUSIONS = ["list", "list", "auto", "graph", "graph_fuse"]
SUB_GROUPS = {"x86-64-v2": 4, "x86-64-v3": 8, "x86-64-v4": 16, "armv8-a": 4, "armv8.2-a": 4}
LEVELS_OF_CPUS = {"x86_64": ["x86-64-v2", "x86-64-v3", "x86-64-v4"], "aarch64": ["armv8-a", "armv8.2-a"]}
#: Processors that qemu emulates, and the number of floats in their vectors.
EMULATED = {"max,sve=off": 4, "max,sve128=on": 4, "max,sve128=on,sve256=on": 8, "max,sve128=on,sve256=on,sve512=on": 16}


class Failure(Exception):
    pass


def emulator(root, remote=None, qemu="qemu-aarch64-static"):
    """The command line that comes before a program for 64-bit Arm. `root`: the Arm machine's files; `remote`: a folder
    with libraries for Arm and with a compiler that is not emulated (tests/aarch64/remote_jit.cpp)."""
    root = os.path.abspath(root)
    words = [qemu, "-L", root, "-E", "E2E_EMULATED=1"]
    if remote:
        remote = os.path.abspath(remote)
        variables = {"LD_LIBRARY_PATH": remote, "TEST_REMOTE_COMPILER": os.path.join(remote, "remote-compiler"),
                     "QEMU_LD_PREFIX": root}
        words += [word for name, value in variables.items() for word in ("-E", f"{name}={value}")]
    return words


def call(command, seconds, environment=None, binary=False):
    """Exit code (124: it took too long), output and errors. `binary`: the output is bytes."""
    # If the command takes too long, the programs that it has started, such as an emulator, are ended as well.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                          env=environment, start_new_session=True) as process:
        try:
            out, errors = process.communicate(timeout=seconds)
            code, errors = process.returncode, errors.decode(errors="replace")
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, _ = process.communicate()
            code, errors = 124, f"took longer than {seconds} s"
        except BaseException:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return code, out if binary else out.decode(errors="replace"), errors


def take_two_processors(numbers):
    """Lets each emulated program that this thread starts use two processors. If each program that runs at the same time
    used all processors, all of them would be slow. `numbers` counts threads."""
    number, count = next(numbers), os.cpu_count()
    os.sched_setaffinity(0, {number % count, (number + 1) % count})


class Mode:
    """How a program is compiled and run: a flag of the compiler, environment variables, and whether the cache is
    filled. The level "library" is g++ without the plugin, where kernels are host code."""

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


def random_mode(random, level, emulated=False):
    """A mode like that of most users, but sometimes with other settings. `emulated`: on a 64-bit Arm processor."""
    variables = {"QEMU_CPU": random.choice(list(EMULATED))} if emulated else {}

    def sometimes(name, chance, values):
        if random.random() < chance:
            variables[name] = random.choice(values)
    if level == "library":
        sometimes("SINTER_THREADS", 0.5, ["1", "2", "3", "5"])
        sometimes("PROGRAM_FUSION", 0.5, FUSIONS)
        return Mode(level, variables)
    sometimes("SINTER_CPU", 0.2 if emulated else 0.5, LEVELS_OF_CPUS["aarch64" if emulated else "x86_64"])
    # Kernels with sixteen lanes take very long to compile if registers hold only four floats.
    widest = "4" if floats_of(variables) == 4 else "16"
    settings = [f"{name}={random.choice(sizes)}" for name, sizes in (("lanes", ["1", "2", "4", "8", widest]),
                                                                    ("block", ["1", "2", "4", "8"]))
                if random.random() < 0.35]
    sometimes("SINTER_THREADS", 0.4, ["1", "2", "3", "5"])
    sometimes("PROGRAM_FUSION", 0.4, FUSIONS)
    if variables.get("PROGRAM_FUSION") == "auto":
        settings.append("fuse-small")
    if settings:
        variables["SINTER_TEST"] = ",".join(settings)
    sometimes("SINTER_TIERED", 0.15, ["1"])
    return Mode(level, variables, warm=random.random() < 0.15)


def floats_of(variables):
    """Returns how many floats a vector has if these environment variables are set, or None if the machine decides."""
    return SUB_GROUPS.get(variables.get("SINTER_CPU")) or EMULATED.get(variables.get("QEMU_CPU"))


class Runner:
    """`sub_group`: how many work-items a sub-group has on the device where programs run."""

    def __init__(self, sub_group=None):
        self.sub_group = sub_group or (16 if "avx512f" in open("/proc/cpuinfo", encoding="utf-8").read() else 8)
        self.planted = None
        self.emulator = []  # the words that come before each program's path
        self.patience = 1  # factor for time limits; larger if the compiler is emulated

    def expected(self, plain, mode, words=(), **variables):
        # The machine can't run sub-groups that are larger than its vectors, so larger sizes are not chosen.
        size = min(floats_of(mode.variables) or self.sub_group, self.sub_group)
        if mode.level == "library":  # attributes have no effect in library mode
            variables["PLAIN_REQUIRES_NOTHING"] = "1"
        code, text, errors = call([plain, *words], 300, dict(os.environ, PLAIN_SUB_GROUP=str(size), **variables))
        if code != 0:
            raise Failure(f"{plain} ended with {code}: {errors[-500:]}")
        return text

    def has_race(self, plain, mode):
        """Whether results depend on the order of work-items, which is a mistake of the generator."""
        return self.expected(plain, mode, PLAIN_BACKWARDS="1") != self.expected(plain, mode)

    def run(self, program, mode, words=(), seconds=600):
        """Exit code, output, errors of the last run."""
        variables = {name: value for name, value in os.environ.items()
                     if not name.startswith("SINTER_") or name == "SINTER_DEVICE"}
        variables.update(mode.variables)
        if mode.variables.get("PROGRAM_FUSION") != "list":
            variables["SYCL_RT_WARNING_LEVEL"] = "0"
        if self.planted:
            variables["PLANTED_ERROR"] = self.planted
        command = [*self.emulator, program, *words]
        seconds *= self.patience
        if not mode.warm:
            code, text, errors = call(command, seconds, dict(variables, SINTER_CACHE="0"))
            return code, text, errors.replace("host_entry=", "host=") if mode.level == "library" else errors
        cache = tempfile.mkdtemp(prefix=os.path.basename(program) + "-cache-", dir=os.path.dirname(program))
        variables["SINTER_CACHE_DIR"] = cache
        cold = call(command, seconds, variables)
        warm = call(command, seconds, variables)
        shutil.rmtree(cache, ignore_errors=True)
        return cold if cold[0] != 0 or cold[1] != warm[1] and cold[1].count("\n") < warm[1].count("\n") else warm


def verdict(expected, result):
    """None, or the kind of fault ('crash', 'late', 'host' or 'values') and the scenes that are wrong."""
    code, text, errors = result
    if code == 0 and text == expected:
        return ("host", []) if "host_entry=" in errors and "host_entry=0 " not in errors else None
    if code == 124:
        return "late", []
    if code != 0:
        return "crash", []
    ours, right = text.splitlines(), expected.splitlines()
    wrong = [one.split()[1] for one, other in zip(right, ours) if one != other]
    wrong = list(dict.fromkeys(wrong))
    return ("values", wrong) if wrong or len(ours) != len(right) else None
