#!/usr/bin/env python3
"""The cost of headers, the includes of user code, the length of files and lines, and the first words of comments."""
import glob
import os
import re

import common

LLVM = ("llvm/", "clang/", "llvm-c/", "clang-c/", "lld/")
TBB = ("tbb/", "oneapi/tbb/")
#: Standard headers that cost much compile time and that no public header needs.
HEAVY = ("iostream", "algorithm", "cmath", "regex", "ostream", "istream", "sstream", "iomanip", "filesystem",
         "functional", "iterator", "unordered_map", "unordered_set", "streambuf", "map", "set", "mutex", "chrono")
#: This header uses a few names of costly headers, for which it includes their cheap parts.
CHEAP_PARTS = "include/sycl/detail/standard.hpp"
#: This header includes costly headers for programs that expect them, unless SINTER_LEAN_HEADERS is defined.
EXPECTED = "include/sycl/detail/standard_headers.hpp"
#: This header overloads functions of costly headers, so it includes those headers. Only programs that want the
#: overloads include this header.
OVERLOADS = "include/sycl/ext/sinter/standard_algorithms.hpp"

#: Folders with C++ code.
FOLDERS = ("include", "src", "jitd", "tests", "benchmarks", "examples")

#: For each folder, prefixes of includes that are not allowed in it, and the reasons. Includes between parts of src,
#: jitd and include are checked by walls_test.py.
FORBIDDEN = {
    "include": [(HEAVY, "the umbrella header must stay cheap")],
    "examples": [(LLVM + TBB, "examples are ordinary user code"), (("sinter/",), "examples use SYCL only")],
    "tests/e2e": [(LLVM + TBB, "end-to-end programs are ordinary user code")],
}


def test_folders():
    """no include breaks the rules of the folder table"""
    common.not_sanitized()
    problems = []
    for folder, rules in FORBIDDEN.items():
        for path in common.sources(folder):
            for number, _, name in common.includes(path):
                for prefixes, reason in rules:
                    exact = prefixes is HEAVY and name in prefixes
                    exact = exact and path not in (EXPECTED, CHEAP_PARTS, OVERLOADS)
                    if exact or (prefixes is not HEAVY and name.startswith(prefixes)):
                        problems.append(f"{path}:{number}: <{name}> does not belong in {folder}: {reason}")
    common.check(not problems, "\n".join(problems))


def test_umbrella_cost():
    """with SINTER_LEAN_HEADERS, the umbrella header includes no costly header, not even through others"""
    common.not_sanitized()
    with common.Folder() as folder:
        source = folder.write("user.cpp", "#include <sycl/sycl.hpp>\n")
        flags = common.pkg_config("sinter-library", "--cflags")
        result = common.run([common.CLANGXX, "-std=c++20", "-DSINTER_LEAN_HEADERS", "-M", "-H", source, *flags]).expect()
        seen = {os.path.basename(word) for word in re.findall(r"\S+", result.out)}
        bad = [name for name in HEAVY
               if any(re.search(r"/c\+\+/[0-9.]+/" + re.escape(name) + r"(\s|$)", line) for line in result.out.splitlines())]
        bad += sorted(set(re.findall(r"sycl/(ext/(?:oneapi|intel)/\S+\.hpp)", result.out)))
        common.check(not bad, f"the umbrella header includes {bad} (of {len(seen)} headers)")


def included_headers(path):
    """Returns the headers of this project that a header includes. The result is empty if the header has anything else
    but comments."""
    with open(os.path.join(common.SOURCE, path), encoding="utf-8") as file:
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", file.read(), flags=re.DOTALL)
    lines = {line.strip() for line in text.splitlines()} - {""}
    found = [re.fullmatch(r'#include "([^"]+)"', line) for line in lines - {"#pragma once"}]
    if "#pragma once" not in lines or not all(found):
        return []
    return [os.path.normpath(os.path.join(os.path.dirname(path), match.group(1))) for match in found]


def units_of_headers(headers):
    """Returns lists of headers. Each list becomes one program. A header with contents of its own has a list of its own.
    The last list has all headers that only include other headers of `headers`."""
    forwarding = [path for path in headers if (others := included_headers(path)) and set(others) <= set(headers)]
    return [[path] for path in headers if path not in forwarding] + [forwarding]


def test_public_headers_alone():
    """every public header compiles on its own without a warning, also if it is included twice"""
    common.not_sanitized()
    flags = common.pkg_config("sinter-library", "--cflags")
    failures = []
    # Only other headers include the headers of detail folders.
    headers = [path for path in common.sources("include") if "/detail/" not in path or common.LONG]
    units = [[path] for path in headers] if common.LONG else units_of_headers(headers)
    common.check(len(units) > 100, f"there are only {len(units)} programs")
    with common.Folder() as folder:
        for unit in units:
            text = "".join(f"#include <{os.path.relpath(path, 'include')}>\n" for path in unit)
            source = folder.write("alone.cpp", text * 2)
            result = common.run([common.CLANGXX, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Wpedantic", source, *flags])
            if result.code != 0 or result.err.strip():
                failures.append(f"{', '.join(unit)}: {result.err[:600]}")
    common.check(not failures, "\n".join(failures))


#: Forward declarations, as in libraries whose public headers name queues but must not include Sinter's headers.
FORWARD = """
namespace sycl { inline namespace _V1 {
class queue; class event; class device; class context; class handler; class exception; class half_not_declared_here;
template <int> class range; template <int> class id; template <int> class nd_item; template <class, int> class vec;
namespace ext::oneapi { class bfloat16; }
} }
#include <sycl/sycl.hpp>
sycl::queue* q; sycl::event e; sycl::range<2> r{1, 2}; sycl::vec<float, 4> v{1}; sycl::ext::oneapi::bfloat16 b;
template <> struct sycl::is_device_copyable<sycl::half_not_declared_here> : std::true_type {};
"""


def test_forward_declarations():
    """all names are in the inline namespace _V1, as DPC++ has them and libraries declare them"""
    common.not_sanitized()
    outside = []
    for path in common.sources("include", "src"):
        with open(os.path.join(common.SOURCE, path), encoding="utf-8") as file:
            outside += [f"{path}:{number}" for number, line in enumerate(file, 1)
                        if re.search(r"(?<!using )\bnamespace sycl\b(?!\s*(=|::\s*inline _V1\b))", line) and not line.startswith("}")]
    common.check(not outside, "namespaces that are not within sycl::inline _V1: " + ", ".join(outside))
    with common.Folder() as folder:
        source = folder.write("forward.cpp", FORWARD)
        common.run([common.CLANGXX, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", source,
                    *common.pkg_config("sinter-library", "--cflags")]).expect()


def test_file_lengths():
    """files are not too long, or give a reason in their first lines"""
    common.not_sanitized()
    too_long = []
    for folder in FOLDERS:
        for path in common.sources(folder):
            with open(os.path.join(common.SOURCE, path), encoding="utf-8") as file:
                lines = file.read().splitlines()
            limit = 400 if path.endswith(".hpp") else 800
            if os.path.basename(path) in ("accessor.hpp", "vec.hpp"):
                limit = 1000
            head = "\n".join(lines[:15]).lower()
            if len(lines) > limit and "long" not in head:
                too_long.append(f"{path}: {len(lines)} lines, {limit} allowed")
    common.check(not too_long, "\n".join(too_long))


def pages():
    """The project's Markdown files, as paths from its root."""
    for top in (".", "docs", *FOLDERS, "packaging"):
        for path in glob.glob(os.path.join(common.SOURCE, top, "*.md" if top == "." else "**/*.md"), recursive=True):
            yield os.path.relpath(path, common.SOURCE)


def test_line_lengths():
    """no line of C++ or prose is longer than 120 columns, except for rows of tables"""
    common.not_sanitized()
    too_long = []
    for path in (*common.sources(*FOLDERS), *pages()):
        with open(os.path.join(common.SOURCE, path), encoding="utf-8") as file:
            too_long += [f"{path}:{number}" for number, line in enumerate(file, 1)
                         if len(line.rstrip("\n")) > 120 and not line.lstrip().startswith("|")
                         # The comment of such a line holds the expected messages, so the line may be long.
                         and not path.startswith("tests/capture/")]
    common.check(not too_long, "lines of more than 120 columns: " + ", ".join(too_long))


#: The characters that begin comments, and the file name extensions for which they do.
SIGNS = {r"///?<?": (".hpp", ".cpp", ".h", ".cu", ".cuh", ".cl", ".def"), r"#:?": (".py", ".yaml", "meson.build", "meson_options.txt"),
         r";+": (".ll",)}
#: A comment that begins with one of these words lacks its subject, so the reader does not learn what it is about.
HEADLESS = re.compile(r"(Of|As|And|The same|Those|What|Who|Whoever)\b")


def headless_comments(path, text):
    """Returns the lines of a file on which a comment, or a paragraph of a comment, begins with a word of HEADLESS."""
    sign = next((sign for sign, ends in SIGNS.items() if path.endswith(ends)), None)
    if not sign:
        return []
    comment = re.compile(rf"\s*{sign}( .*)?$")
    found, before = [], ""
    for number, line in enumerate(text.split("\n"), 1):
        words = (match.group(1) or "").strip() if (match := comment.match(line)) else ""
        if HEADLESS.match(words) and not before:
            found.append(f"{path}:{number}: {words[:60]}")
        before = words
    return found


def test_beginnings_of_comments():
    """no comment begins with Of, As, And, The same, Those, What or Who"""
    common.not_sanitized()
    found = []
    for folder in (*FOLDERS, "packaging"):
        for path in glob.glob(os.path.join(common.SOURCE, folder, "**"), recursive=True):
            if path.endswith(sum(SIGNS.values(), ())) and "subprojects" not in path:
                with open(path, encoding="utf-8") as file:
                    found += headless_comments(os.path.relpath(path, common.SOURCE), file.read())
    common.check(not found, f"{len(found)} comments begin without a subject:\n" + "\n".join(found))
    for path, planted in [("a.cpp", "int a;\n  /// Of the launch.\n"), ("a.hpp", "// Kept.\n//\n// What is left.\n"),
                          ("a.py", "#: Those of a row.\n"), ("a.ll", "; The same in a loop.\n"), ("meson.build", "# As above.")]:
        common.check(headless_comments(path, planted), f"not found: {planted}")
    for path, kept in [("a.cpp", "// A copy\n// Of course a second line may begin like this.\n"), ("a.hpp", "/// Offset in bytes.\n"),
                       ("a.py", 'text = "# What"\n'), ("a.md", "What is new: fusion.\n")]:
        common.check(not headless_comments(path, kept), f"wrongly found: {kept}")


common.main(globals())
