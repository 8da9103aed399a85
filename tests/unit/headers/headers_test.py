"""All public headers compile in one file without warnings, also if each is included twice. This test is for g++, and
tests/scripts/include_guard_test.py compiles each header on its own with clang. With TEST_LONG=1, g++ also compiles each
header on its own. This takes a minute, and an include that is missing for one compiler is missing for both
compilers."""
import os
import shutil
import subprocess
import sys

FLAGS = ["-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++", "-"]


def headers(folder):
    """Paths as programs include them. detail/ holds parts of headers, which programs do not include."""
    for name in ("sycl", "CL"):
        for where, folders, files in os.walk(os.path.join(folder, name)):
            folders[:] = sorted(part for part in folders if part != "detail")
            for file in sorted(files):
                if file.endswith(".hpp"):
                    yield os.path.relpath(os.path.join(where, file), folder)


def main(include, compilers):
    failed = 0
    found = [compiler for compiler in compilers if shutil.which(compiler)]
    for missing in sorted(set(compilers) - set(found)):
        print(f"skipped: {missing} is not installed")
    for compiler in found:
        public = list(headers(include))
        if len(public) < 100:
            failed += 1
            print(f"FAILED: there are only {len(public)} public headers in {include}")
        for group in [[header] for header in public] if os.environ.get("TEST_LONG") == "1" else [public]:
            unit = "".join(f"#include <{header}>\n" for header in group * 2)
            result = subprocess.run([compiler, "-I" + include, *FLAGS], input=unit, capture_output=True, text=True)
            if result.returncode != 0:
                failed += 1
                what = group[0] if len(group) == 1 else "the unit with all headers"
                print(f"FAILED: {what} does not compile with {compiler}:\n{result.stderr[:3000]}")
    print(f"{failed} failures")
    return 1 if failed else 0 if found else 77


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
