"""Common parts of the test scripts: paths, compiling and running programs, and printing the results.

A script imports this module, defines functions whose names begin with `test_`, and ends with
`common.main(globals())`. The first line of a test's docstring is the test's name in the output. Meson passes the paths
in environment variables.
"""
import contextlib
import functools
import glob
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback
import zlib

SOURCE = os.environ["TEST_SOURCE_ROOT"]
BUILD = os.environ["TEST_BUILD_ROOT"]
LLVM = os.environ.get("TEST_LLVM_VERSION", "22")
CLANGXX = "clang++-" + LLVM
GXX = "g++"
SANITIZED = os.environ.get("TEST_SANITIZED") == "1"
LONG = os.environ.get("TEST_LONG") == "1"
SKIP_CODE = 77


#: Some kernels of these programs call host functions of other files or of the C library, or use assembly or
#: variables of the program. Such kernels run only on the host CPU.
HOST_ONLY = {"e2e_aspects", "e2e_external", "e2e_host_constructs",
             *(part.format(kind) for kind in ("shared", "bound", "fixed", "bound_fixed")
               for part in ("e2e_external_{}", "libe2e_external_{}_library.so"))}


def images():
    """Every test program and library in the build folder that has device images."""
    for path in sorted(glob.glob(os.path.join(BUILD, "tests", "e2e", "*")) +
                       glob.glob(os.path.join(BUILD, "examples", "*", "*")) +
                       glob.glob(os.path.join(BUILD, "examples", "*"))):
        if os.path.isfile(path) and os.access(path, os.X_OK) and os.path.basename(path) not in HOST_ONLY:
            with open(path, "rb") as file:
                if b"SINTERIM" in file.read():
                    yield path


def in_half(path, half):
    """Whether the program belongs to the half with the number `half` (0 or 1). A program belongs to the same half in
    each run of the tests. With TEST_LONG, all programs belong to both halves."""
    return LONG or zlib.crc32(os.path.basename(path).encode()) % 2 == half


class Skip(Exception):
    """Raised by a test that needs something that this machine lacks."""


class Result:
    def __init__(self, process):
        self.code = process.returncode
        self.out = process.stdout
        self.err = process.stderr
        self.text = process.stdout + process.stderr

    def expect(self, code=0, contains=(), lacks=()):
        """Checks the exit code and the output, and returns the result itself."""
        problems = []
        if code is not None and self.code != code:
            problems.append(f"exit code {self.code} instead of {code}")
        problems += [f"the output lacks {word!r}" for word in contains if word not in self.text]
        problems += [f"the output has {word!r}" for word in lacks if word in self.text]
        if problems:
            raise AssertionError("; ".join(problems) + "\n--- output\n" + self.text[-6000:])
        return self


def run(command, timeout=300, cwd=None, **environment):
    """Runs a command with SINTER_VERIFY. Keyword arguments are environment variables, and None removes one."""
    variables = dict(os.environ, SINTER_VERIFY="1")
    for name, value in environment.items():
        if value is None:
            variables.pop(name, None)
        else:
            variables[name] = str(value)
    process = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                             errors="replace", env=variables, cwd=cwd, timeout=timeout, stdin=subprocess.DEVNULL)
    return Result(process)


def check(condition, message):
    if not condition:
        raise AssertionError(message)


def pkg_config(package, *options, path=None):
    """The options that pkg-config prints for `package`, from the build folder unless a search path is given."""
    search = path or os.path.join(BUILD, "meson-uninstalled")
    return run(["pkg-config", *options, package], PKG_CONFIG_PATH=search).expect().out.split()


def plugin_flags():
    return pkg_config("sinter", "--cflags")


_reading = threading.Lock()


@functools.cache
def _state_of_headers():
    """A folder for precompiled headers that were made from the current headers and plugin. Files for older headers
    are removed."""
    newest = 0
    for top in (os.path.join(SOURCE, "include"), os.path.join(BUILD, "include"), os.path.join(BUILD, "jitd", "capture")):
        for folder, _, files in os.walk(top):
            newest = max([newest, *(os.stat(os.path.join(folder, name)).st_mtime_ns for name in files
                                    if name.endswith((".hpp", ".so")))])
    all_states = os.path.join(BUILD, "tests", "scripts", "headers-read")
    os.makedirs(all_states, exist_ok=True)
    for name in os.listdir(all_states):
        if name != str(newest):
            shutil.rmtree(os.path.join(all_states, name), ignore_errors=True)
    return os.path.join(all_states, str(newest))


def read_headers(*flags, compiler=CLANGXX):
    """Returns `flags` and options by which `compiler` uses a precompiled <sycl/sycl.hpp>, for scripts that compile many
    texts. The header is precompiled once for all scripts of a build."""
    name = hashlib.sha256("\n".join((compiler, *flags)).encode()).hexdigest()[:16]
    with _reading:
        folder = os.path.join(_state_of_headers(), name)
        header = os.path.join(folder, "headers.hpp")
        result = header + (".gch" if compiler == GXX else ".pch")
        if not os.path.exists(result):
            os.makedirs(folder, exist_ok=True)
            # Another script may write the same files now, so each file is written under another name and then renamed.
            # The header is written once, because its time stamp must not change afterwards.
            own = f"{header}.{os.getpid()}"
            with open(own, "w", encoding="utf-8") as file:
                file.write("#include <sycl/sycl.hpp>\n")
            with contextlib.suppress(FileExistsError):
                os.link(own, header)
            os.remove(own)
            made = f"{result}.{os.getpid()}"
            once = [] if compiler == GXX else ["-fpch-instantiate-templates"]
            run([compiler, *flags, *once, "-x", "c++-header", header, "-o", made]).expect()
            os.rename(made, result)
    return [*flags, *(["-include", header] if compiler == GXX else ["-include-pch", result])]


def link_flags():
    return pkg_config("sinter", "--libs") + runtime_path(os.path.join(BUILD, "src"))


def runtime_path(folder):
    return ["-Wl,-rpath," + folder]


def sanitizer_flags():
    """Flags for programs that are linked with the libraries of this build."""
    return ["-fsanitize=address,undefined"] if SANITIZED else []


#: With these options, a compilation reads the headers instead of a precompiled header, as for users, because these
#: options change the program's includes or belong to the linker.
OWN_HEADERS = ("-include", "-isystem", "-I", "-L", "-l", "-Wl,", "-flto", "-shared", "-x", "-save-temps")


def may_know_headers(source, words):
    if any(word.startswith(OWN_HEADERS) or not word.startswith("-") for word in words):
        return False
    with open(source, encoding="utf-8") as file:
        return "#define" not in file.read().partition("#include")[0]


def compile_program(source, output, *flags, compiler=CLANGXX, cwd=None, reads_headers=False):
    """Compiles and links one program with the README's options and `flags`. The program includes the lean headers. They
    are precompiled unless the program `reads_headers` itself, because about a hundred programs are compiled."""
    words = ["-std=c++20", "-DSINTER_LEAN_HEADERS", *sanitizer_flags(), *flags]
    known = [*words, *plugin_flags()]
    if compiler == CLANGXX and not reads_headers and may_know_headers(source, words):
        known = read_headers(*known)
    return run([compiler, *known, source, "-o", output, *link_flags()], cwd=cwd)


def compile_object(source, output, *flags):
    """Compiles an object file in the same way as compile_program, from a text that begins with <sycl/sycl.hpp>."""
    of_plugin = [each for each in flags if each.startswith("-fplugin-arg-")]
    words = [each for each in flags if each not in of_plugin]
    known = ["-std=c++20", "-O1", "-DSINTER_LEAN_HEADERS", *words, *plugin_flags()]
    if may_know_headers(source, words):
        known = read_headers(*known)
    return run([CLANGXX, *known, *of_plugin, "-c", source, "-o", output])


class Folder:
    """A temporary folder. `folder / name` is a path in it."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix="sinter-test-")

    def __truediv__(self, name):
        return os.path.join(self.path, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for folder, _, _ in os.walk(self.path):
            os.chmod(folder, 0o700)
        shutil.rmtree(self.path)

    def write(self, name, text):
        path = self / name
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path


#: A program with one kernel. The program prints the kernel's result, the origin of the code of its launches, and on
#: request the process map.
HELLO = r"""
#include <sycl/ext/sinter/counters.hpp>
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>

class hello_kernel;

int main(int count, char** words) {
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(100, queue);
  queue.parallel_for<hello_kernel>(sycl::range<1>(100), [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]) * 3; }).wait();
  int sum = 0;
  for (int i = 0; i < 100; ++i) sum += data[i];
  sycl::free(data, queue);
  std::printf("sum %d\n", sum);
  const auto tiers = sycl::ext::sinter::launch_counters();
  std::printf("host_entry=%llu jit=%llu cache=%llu\n", (unsigned long long)tiers.host_entry,
              (unsigned long long)tiers.jit, (unsigned long long)tiers.cache);
  if (count > 1 && std::strcmp(words[1], "--map") == 0) {
    std::FILE* map = std::fopen("/proc/self/maps", "r");
    char line[4096];
    while (std::fgets(line, sizeof line, map)) {
      if (std::strchr(line, '/')) std::fputs(line, stdout);
    }
  }
  return sum == 14850 ? 0 : 1;
}
"""
COLD = "host_entry=0 jit=1 cache=0"
WARM = "host_entry=0 jit=0 cache=1"
HOST = "host_entry=1 jit=0 cache=0"


def build_hello(folder, *flags, name="hello", reads_headers=False):
    """Compiles HELLO into the folder; returns the program's path."""
    source = folder.write(name + ".cpp", HELLO)
    compile_program(source, folder / name, *flags, reads_headers=reads_headers).expect()
    return folder / name


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Skip(program + " is not installed")


INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def sources(*tops):
    """The C++ files in these folders of the project, as paths from the project's root."""
    for top in tops:
        for folder, folders, files in os.walk(os.path.join(SOURCE, top)):
            folders.sort()
            for name in sorted(files):
                if name.endswith((".hpp", ".cpp", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), SOURCE)


def includes(path):
    """Line number, opening quote and name of each include in this file."""
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if found := INCLUDE.match(line):
                yield number, found.group(1), found.group(2)


def not_sanitized():
    """Skips tests that can't link a Sinter with sanitizers, or that would learn nothing from such a build."""
    if SANITIZED:
        raise Skip("the build is sanitized")


def raise_rights(folder, command, **environment):
    """Lets the program of `command`, which lies in `folder`, run with the rights of another group of this user. Skips
    the test if there is no other group, or if the program does not get the other group's rights."""
    groups = [65534] if os.geteuid() == 0 else os.getgroups()
    other = next((group for group in groups if group != os.getgid()), None)
    if other is None:
        raise Skip("this user has one group only")
    os.chown(command[0], -1, other)
    os.chmod(command[0], 0o2755)
    os.chmod(folder.path, 0o755)
    # The C library ignores LD_SHOW_AUXV in programs with raised privileges.
    if "AT_SECURE" in run(["env", "LD_SHOW_AUXV=1", *command], **environment).out:
        raise Skip("programs can't have more rights here")


def main(names, needs_device_code=False):
    if needs_device_code and int(LLVM) < 22:
        print(f"skipped: Sinter makes no code for GPUs with LLVM {LLVM} (docs/llvm_versions.md)")
        sys.exit(SKIP_CODE)
    tests = [value for name, value in names.items() if name.startswith("test_") and callable(value)]
    wanted = sys.argv[1:]
    failed = skipped = 0
    for test in tests:
        if wanted and test.__name__ not in wanted:
            continue
        title = " ".join((test.__doc__ or test.__name__).split())
        try:
            test()
            print("ok:", title, flush=True)
        except Skip as reason:
            skipped += 1
            print(f"skipped: {title}: {reason}", flush=True)
        except Exception:  # any failure of a test is reported, and the other tests still run
            failed += 1
            print("FAILED:", title, flush=True)
            traceback.print_exc(file=sys.stdout)
            sys.stdout.flush()
    if failed:
        sys.exit(1)
    if tests and skipped == len(tests):
        sys.exit(SKIP_CODE)
