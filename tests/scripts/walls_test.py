#!/usr/bin/env python3
"""The tables in the READMEs of src, jitd and include say which folders may include which headers, and the code follows
them."""
import glob
import os
import re

import common

#: The words in backticks in a table cell: folders, single headers, libraries, or <standard> headers.
WORDS = re.compile(r"`([^`]+)`")
#: Patterns of libraries' headers, by the name that the tables use for the library. The first pattern that matches
#: counts.
LIBRARIES = {
    "ORC": ("llvm/ExecutionEngine/Orc",),
    "LLVM": ("llvm/", "llvm-c/"),
    "clang": ("clang/", "clang-c/"),
    "lld": ("lld/",),
    "oneTBB": ("tbb/", "oneapi/"),
    "Boost.Context": ("boost/context/",),
    "Boost.CircularBuffer": ("boost/circular_buffer.hpp",),
    "OpenCL": ("CL/",),
    "xxHash": ("xxhash.h",),
    "nlohmann-json": ("nlohmann/",),
    "zstd": ("zstd.h",),
    # The build generates these headers.
    "generated": ("planted_errors_wanted.hpp", "device_table.hpp", "builtins_bitcode.hpp", "complex_bitcode_aarch64.hpp",
                  "complex_bitcode_x86_64.hpp", "library_bitcode.hpp"),
}
#: The C++ library's headers, whose names have neither extension nor folder. All code may include these system
#: headers, too.
SYSTEM = re.compile(r"^(\w+|(sys|bits)/\w+\.h|(cpuid|cxxabi|dirent|dlfcn|elf|fcntl|ftw|link|pthread|sched|signal|spawn|unistd)\.h)$")
#: Folders in which an include is searched, in the compiler's order. The headers of src/abi are installed in
#: the folder `sinter/abi`.
ROOTS = ("src", "jitd", "include")
INSTALLED = ("sinter/abi/", "src/abi/")


class Row:
    """One row of a table: the paths that it is about (headers, or folders with / at their end), and what they
    may include."""

    def __init__(self, places, allowed):
        self.places = places
        self.allowed = allowed

    def fits(self, path):
        """Returns the length of the part of the path that the row names, or 0 if the row is not about this path."""
        lengths = [0]
        for place in self.places:
            # <vendor> stands for the name of any folder.
            words = ["[^/]+" if word.startswith("<") else re.escape(word) for word in re.split(r"(<\w+>)", place)]
            if found := re.match("".join(words) + ("" if place.endswith("/") else "$"), path):
                lengths.append(len(found.group()))
        return max(lengths)

    def __str__(self):
        return " and ".join(self.places)


def read_tables():
    """Returns the rows of all tables that have these two columns."""
    rows = []
    for top in ROOTS:
        with open(os.path.join(common.SOURCE, top, "README.md"), encoding="utf-8") as file:
            lines = [[cell.strip() for cell in line.strip().strip("|").split("|")] for line in file if line.startswith("|")]
        common.check(lines and "where" in lines[0] and "may include" in lines[0], f"{top}/README.md has no table of folders")
        where, may = lines[0].index("where"), lines[0].index("may include")
        rows += [Row([resolve_word(top, word) for word in WORDS.findall(line[where])],
                     [resolve_word(top, word) for word in WORDS.findall(line[may])]) for line in lines[2:]]
    return rows


def resolve_word(top, word):
    """Resolves a word to a folder (with / at its end, or /* for all folders in it), a header, a library, or
    <header>."""
    if word.startswith("<") or word in LIBRARIES:
        return word
    if word.endswith("/*"):
        return resolve_word(top, word[:-2]) + "*"
    for path in (os.path.join(top, word), word):
        place = os.path.join(common.SOURCE, path)
        if os.path.isfile(place):
            return path
        if os.path.isdir(place) or "<" in path:
            return path.rstrip("/") + "/"
    raise AssertionError(f"{top}/README.md: `{word}` is no folder, header or library")


def row_of(rows, path):
    """Returns the row that names the longest part of the path."""
    best = max(rows, key=lambda row: row.fits(path))
    return best if best.fits(path) else None


def rows_meant(rows, word):
    """Returns the rows of the folder or header that a word means. If no row is about the folder itself, or if the
    word ends with /*, these are the rows of everything in the folder."""
    if word.startswith("<") or word in LIBRARIES:
        return []
    if word.endswith("/*"):
        return [row for row in rows if any(place.startswith(word[:-1]) for place in row.places)]
    exact = [row for row in rows if word in row.places]
    if exact or not word.endswith("/"):
        return exact or [row_of(rows, word)]
    return [row for row in rows if any(place.startswith(word) for place in row.places)]


def file_of(path, quote, name):
    """Returns the project's file that an include names, or None if the file is not the project's."""
    if name.startswith(INSTALLED[0]):
        name = name.replace(*INSTALLED)
        return name if os.path.exists(os.path.join(common.SOURCE, name)) else None
    folders = ([os.path.dirname(path)] if quote == '"' else []) + list(ROOTS)
    for folder in folders:
        found = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(os.path.join(common.SOURCE, found)):
            return found
    return None


def complaint(rows, path, quote, name):
    """Returns the reason why the file may not include the other file, or None if the include is allowed."""
    row = row_of(rows, path)
    if row is None:
        return "its folder is in no table"
    target = file_of(path, quote, name)
    if target is None:
        library = next((known for known, prefixes in LIBRARIES.items() if name.startswith(prefixes)), None)
        if library:
            return None if library in row.allowed else f"{library} is not in the row of {row}"
        if not SYSTEM.match(name):
            return "it belongs to no library that the tables know"
        standard = [word for word in row.allowed if word.startswith("<")]
        return "another standard header than its row lists" if standard and f"<{name}>" not in standard else None
    its_row = row_of(rows, target)
    folders = [word for word in row.allowed if word.endswith(("/", "/*"))]
    if its_row is row or target in row.allowed or any(its_row in rows_meant(rows, word) for word in folders):
        return None
    return f"{its_row or target} is not in the row of {row}"


def violations():
    rows = read_tables()
    return [f"{path}:{number}: <{name}>: {why}" for path in common.sources(*ROOTS)
            for number, quote, name in common.includes(path)
            if (why := complaint(rows, path, quote, name))]


def test_includes():
    """the table of each folder allows all includes in the folder's files"""
    found = violations()
    common.check(not found, f"{len(found)} includes go against the READMEs' tables:\n" + "\n".join(found))


#: Folders for one kind of device, whose code may name this kind.
OWN_FOLDERS = re.compile(r"(src/backends|jitd/targets)/\w+/")
#: Other files that may name kinds of devices, and the reasons.
NAMES_VENDORS = {
    "src/runtime/backend_table.cpp": "the one table",
    "src/runtime/interop.cpp": "public functions for one kind of device",
    "src/runtime/cl_interop.cpp": "public functions for one kind of device",
    "src/runtime/ze_interop.cpp": "public functions for one kind of device",
    "src/abi/device_targets.hpp": "names of fixed targets, as programs are compiled for them",
    "src/abi/math_file.hpp": "where a toolkit has its files",
    "src/abi/simulated_gpu.hpp": "names of simulated GPUs",
    "jitd/targets/device_targets.cpp": "the one table of what makes code",
}
VENDORS = r"(?:ext_oneapi_)?(?:cuda|opencl|nvptx(?:64)?|nvidia|amdgcn|hip|level_zero)"
#: Code that tests for one vendor's devices: the vendor's name in a string, an identifier such as is_cuda or
#: ext_oneapi_cuda, or a call of gpu.empty() or family(). In earlier code, these calls tested for the CPU and for
#: devices that run commands without the host.
VENDOR_QUESTION = re.compile(rf'"{VENDORS}[:*]*"|(?<!language::)\b(?:is_)?{VENDORS}\b(?!_c\b)|'
                             r"\.gpu\.empty\(\)|\bfamily\(\)")
COMMENT_OR_TEXT = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)* (?:[^"\\\n]|\\.)*"', re.DOTALL)


def vendor_questions(path, text):
    """Lines of a source that test for one kind of device."""
    if OWN_FOLDERS.match(path) or path in NAMES_VENDORS or path.startswith("jitd/tools/"):
        return []
    # Comments and strings may name any vendor.
    code = COMMENT_OR_TEXT.sub(lambda found: "\n" * found.group().count("\n"), text)
    return [f"{path}:{number}: {line.strip()}" for number, line in enumerate(code.split("\n"), 1)
            if VENDOR_QUESTION.search(line)]


def test_vendor_questions():
    """only the folder for a kind of device, and tables of kinds, name this kind"""
    found = []
    for path in common.sources("src", "jitd"):
        with open(os.path.join(common.SOURCE, path), encoding="utf-8") as file:
            found += vendor_questions(path, file.read())
    common.check(not found, f"{len(found)} lines ask for one kind of device:\n" + "\n".join(found))
    for planted in ['if (row.name == "opencl") return;', "if (is_cuda(device)) return;", 'flags & abi::flag_of_target("nvptx64")',
                    "facts.backend == backend::ext_oneapi_cuda", "return target.gpu.empty();", "if (queue.family()) return;"]:
        common.check(vendor_questions("src/runtime/new.cpp", planted), f"not found: {planted}")
    for kept in ["// as with cuda", 'refuse("devices of opencl have none");', "language::opencl", "source.language = opencl_c;"]:
        common.check(not vendor_questions("src/runtime/new.cpp", kept), f"wrongly found: {kept}")
    gone = [path for path in NAMES_VENDORS if not os.path.exists(os.path.join(common.SOURCE, path))]
    common.check(not gone, f"these files are gone: {gone}")


#: A variable whose destructor exit() would call, while static objects of the program may still launch kernels.
DESTROYED = re.compile(r"^[ \t]*(?:(?:static|thread_local|inline|const) )+std::(?:string|vector|map|unordered_map|set|"
                       r"unordered_set|deque|list|function|shared_ptr|unique_ptr)\b[^*&()=;{]*[ >]\w+(?: = [^;]*|\{[^;]*\})?;",
                       re.MULTILINE)


def destroyed_in(text):
    return [one.group(0).strip() for one in DESTROYED.finditer(text)
            if re.search(r"\b(?:static|thread_local)\b", one.group(0))]


def test_static_objects_stay():
    """static and thread_local objects of the runtime and the compile service are never destroyed"""
    found = []
    for top in ("src", "jitd/service", "jitd/targets", "jitd/passes", "jitd/pipeline", "jitd/input"):
        for folder, _, files in os.walk(os.path.join(common.SOURCE, top)):
            for name in files:
                if name.endswith((".cpp", ".hpp")):
                    with open(os.path.join(folder, name), encoding="utf-8") as file:
                        found += [f"{name}: {line}" for line in destroyed_in(file.read())]
    common.check(not found, "\n".join(found))
    planted = ["  static std::string known;", "thread_local std::vector<int> list{1, 2};", "static const std::map<int, int> all = x;"]
    common.check(all(destroyed_in(line) for line in planted), "planted variables are not found")
    common.check(not destroyed_in("  const std::string name = of(static_cast<unsigned>(i));"), "a cast is taken for a variable")
    kept = ["  static std::vector<int> all();", "static auto& known = *new std::string;", "  static std::string& text();",
            "thread_local const std::string* name = nullptr;"]
    common.check(not any(destroyed_in(line) for line in kept), "what stays is taken for what goes")


#: Folders that count as parts of the folder above them: precompiled headers, and parts of an extension.
PARTS = re.compile(r"^include/sycl/ext/\w+/|/pch/$")


def folders_without_row(rows, paths):
    folders = sorted({os.path.dirname(path) + "/" for path in paths})
    return [folder for folder in folders if not PARTS.search(folder) and not any(folder in row.places for row in rows)]


def test_rows():
    """each folder has its own row, so that no folder may include more than intended"""
    rows, paths = read_tables(), common.sources(*ROOTS)
    common.check(not folders_without_row(rows, paths), f"without a row: {folders_without_row(rows, paths)}")
    planted = folders_without_row(rows, [*paths, "jitd/targets/new/new_target.cpp"])
    common.check(planted == ["jitd/targets/new/"], "a folder without a row is not found")


def test_no_circles():
    """no folder of a table includes itself through others"""
    rows = read_tables()
    below = {str(row): {str(other) for word in row.allowed for other in rows_meant(rows, word)} - {str(row)} for row in rows}

    def reaches(start, goal, seen):
        return any(next_one == goal or (next_one not in seen and reaches(next_one, goal, seen | {next_one}))
                   for next_one in below[start])

    circles = [place for place in below if reaches(place, place, {place})]
    common.check(not circles, f"these folders may include themselves through others: {circles}")


def untested_passes(table):
    """The faults of the table in tests/passes/README.md, whose text is `table`."""
    rows = dict(re.findall(r"^\| ([a-z_/]+) \| (.*) \|$", table, re.M))
    passes = [path.removeprefix("jitd/passes/").removesuffix(".cpp") for path in common.sources("jitd/passes")
              if path.endswith(".cpp")]
    problems = [f"{name} is not in the table" for name in passes if name not in rows]
    for name, tests in rows.items():
        for test in WORDS.findall(tests):
            pattern = os.path.join(common.SOURCE, "tests", test if "/" in test else "passes/" + test)
            if not glob.glob(pattern):
                problems.append(f"{name}: there is no {test}")
    return problems


def test_passes():
    """every pass has its own test, which tests/passes/README.md names"""
    with open(os.path.join(common.SOURCE, "tests", "passes", "README.md"), encoding="utf-8") as file:
        table = file.read()
    common.check(not untested_passes(table), "\n".join(untested_passes(table)))
    common.check(untested_passes(table.replace("| lanes/interior |", "| lanes/inside |")), "a pass left out is not found")
    common.check(untested_passes(table.replace("`flow_graph.ll`", "`flow_grap.ll`")), "a test that is gone is not found")


def test_planted_includes():
    """wrong includes are found: headers of higher folders, of a library, and of an unknown library"""
    rows = read_tables()
    for path, quote, name in [("src/base/panic.cpp", "<", "runtime/object_access.hpp"), ("src/scheduler/command.cpp", "<", "fusion/fusion_list.hpp"),
                              ("src/images/registry.cpp", '"', "../runtime/object_access.hpp"), ("src/runtime/queue.cpp", "<", "llvm/IR/Module.h"),
                              ("src/backends/device.hpp", "<", "tbb/task_arena.h"), ("src/runtime/queue.cpp", "<", "cuda.h"),
                              ("jitd/targets/cpu_target.cpp", '"', "service/api.hpp"),
                              ("jitd/targets/nvptx/prints.cpp", '"', "targets/spirv/address_spaces.hpp"),
                              ("jitd/targets/spirv/prints.cpp", '"', "targets/gpu/dialect.hpp"),
                              ("jitd/targets/gpu/late_stores.cpp", '"', "targets/nvptx/nvptx_target.hpp"),
                              ("jitd/targets/device_targets.cpp", '"', "targets/nvptx/warp_values.hpp"),
                              ("jitd/tools/sinter_info/sinter_info.cpp", '"', "service/compiler.hpp"),
                              ("jitd/tools/spirv_import/flat_memory.cpp", '"', "pipeline/pipeline.hpp"),
                              ("jitd/tools/pass_plugin.cpp", '"', "runtime/object_access.hpp"),
                              ("src/scheduler/command.cpp", "<", "nlohmann/json.hpp"),
                              ("jitd/passes/device/sub_groups.cpp", '"', "passes/entry/vectorizer.hpp"),
                              ("jitd/passes/lanes/interior.cpp", '"', "passes/idioms/local_stores.hpp"),
                              ("jitd/passes/pass_runner.hpp", '"', "passes/machine/vector_math.hpp"), ("src/abi/launch_abi.hpp", "<", "vector"),
                              ("src/nowhere/new.cpp", "<", "vector"), ("include/sycl/queue.hpp", "<", "runtime/object_access.hpp")]:
        common.check(complaint(rows, path, quote, name), f"{path} may include {name}")
    for path, quote, name in [("src/runtime/queue.cpp", "<", "base/environment.hpp"), ("src/images/image_view.cpp", "<", "xxhash.h"),
                              ("include/sycl/queue.hpp", '"', "detail/compiled_core.hpp"), ("src/base/panic.cpp", "<", "cstdio")]:
        why = complaint(rows, path, quote, name)
        common.check(not why, f"{path} may not include {name}: {why}")


common.main(globals())
