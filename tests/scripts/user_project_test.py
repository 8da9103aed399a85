#!/usr/bin/env python3
"""A small project outside the tree, built with pkg-config from the build folder and from an install prefix."""
import glob
import os

import common

MAIN = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
int twice(sycl::queue& queue, int value);
int main() {
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(1, queue);
  queue.single_task([=] { *data = 20; }).wait();
  const int result = twice(queue, *data + 1);
  std::printf("answer %d\n", result);
  sycl::free(data, queue);
  return result == 42 ? 0 : 1;
}
"""
OTHER = r"""
#include <sycl/sycl.hpp>
int twice(sycl::queue& queue, int value) {
  int* data = sycl::malloc_shared<int>(1, queue);
  queue.single_task([=] { *data = value * 2; }).wait();
  const int result = *data;
  sycl::free(data, queue);
  return result;
}
"""
MAKEFILE = """
CXX = clang++-%s
CXXFLAGS = -std=c++20 -O2 $(shell pkg-config --cflags sinter)
LDLIBS = $(shell pkg-config --libs sinter)
answer: main.o other.o
\t$(CXX) -o $@ $^ $(LDLIBS)
"""


def build_and_run(folder, search, library_path):
    folder.write("main.cpp", MAIN)
    folder.write("other.cpp", OTHER)
    words = {"PKG_CONFIG_PATH": search}
    flags = common.run(["pkg-config", "--cflags", "--libs", "sinter"], **words).expect().out.split()
    common.run([common.CLANGXX, "-std=c++20", "main.cpp", "other.cpp", "-o", "answer", *flags], cwd=folder.path).expect()
    cache = {"SINTER_CACHE_DIR": folder / "cache", "LD_LIBRARY_PATH": library_path}
    common.run([folder / "answer"], **cache).expect(contains=["answer 42"])
    common.run([folder / "answer"], **cache).expect(contains=["answer 42"])


def test_build_tree():
    """a project builds against the build folder"""
    common.not_sanitized()
    with common.Folder() as folder:
        build_and_run(folder, os.path.join(common.BUILD, "meson-uninstalled"), None)


def test_install_prefix():
    """a project can be built with an install prefix, using only the installed files"""
    common.not_sanitized()
    with common.Folder() as folder:
        # With --no-rebuild, the tests use the present build. DESTDIR keeps the machine unchanged.
        common.run(["meson", "install", "-C", common.BUILD, "--no-rebuild", "--quiet"], DESTDIR=folder / "root").expect()
        pc = glob.glob(folder / "root/**/sinter.pc", recursive=True)
        common.check(len(pc) == 1, f"installed sinter.pc files: {pc}")
        search = os.path.dirname(pc[0])
        library = os.path.dirname(glob.glob(folder / "root/**/libsinter.so", recursive=True)[0])
        # The installed files must not contain paths of the source or build folder.
        for name in glob.glob(os.path.join(search, "*.pc")):
            with open(name, encoding="utf-8") as file:
                text = file.read()
            common.check(common.BUILD not in text and common.SOURCE not in text, name + " names the build tree")
            prefix = [line for line in text.splitlines() if line.startswith("prefix=")][0].removeprefix("prefix=")
            with open(name, "w", encoding="utf-8") as file:
                file.write(text.replace("prefix=" + prefix, "prefix=" + (folder / "root") + prefix, 1))
        build_and_run(folder, search, library)


def test_make():
    """a Makefile of seven lines is enough for a project"""
    common.not_sanitized()
    common.need("make")
    with common.Folder() as folder:
        folder.write("main.cpp", MAIN)
        folder.write("other.cpp", OTHER)
        folder.write("Makefile", MAKEFILE % common.LLVM)
        common.run(["make"], cwd=folder.path, PKG_CONFIG_PATH=os.path.join(common.BUILD, "meson-uninstalled")).expect()
        common.run([folder / "answer"], SINTER_CACHE_DIR=folder / "cache").expect(contains=["answer 42"])


def test_old_standard():
    """with a standard older than C++20, the umbrella header stops with one readable sentence"""
    with common.Folder() as folder:
        source = folder.write("old.cpp", "#include <sycl/sycl.hpp>\nint main() {}\n")
        for compiler in (common.CLANGXX, common.GXX):
            flags = common.pkg_config("sinter-library", "--cflags")
            result = common.run([compiler, "-std=c++17", "-fsyntax-only", source, *flags])
            result.expect(code=1, contains=["C++20"])
            errors = [line for line in result.err.splitlines() if "error:" in line]
            common.check(len(errors) <= 2, f"{compiler} prints {len(errors)} errors:\n{result.err[:3000]}")


common.main(globals())
