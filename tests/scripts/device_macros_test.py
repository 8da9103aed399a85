#!/usr/bin/env python3
"""Programs that test in the preprocessor whether they are compiled for a device get a warning, or a second pass with
the device's macros."""
import common

OPTION = "-fplugin-arg-sinter-device-macros="
PROGRAM = """#include <sycl/sycl.hpp>
#include <cstdio>
static int asked = 0;
SYCL_EXTERNAL int exported(int x);
#if defined(__SPIR__) || WIDTH == 8
static const int table[] = {10, 20, 30};
template <class T> T element(T i) { return table[i]; }
int exported(int x) { return x + 100; }
#else
template <class T> T element(T i) { return ++asked, i; }
int exported(int x) { return x; }
#endif
int main() {
  sycl::queue q;
  int* p = sycl::malloc_shared<int>(3, q);
  const auto run = [&](auto kernel) { q.parallel_for(3, kernel).wait(); };
  run([p](sycl::id<1> i) { p[i] = element(int(i)); });
  run([p](sycl::id<1> i) { p[i] = exported(p[i]); });
  std::printf("%d %d %d, host %d\\n", p[0], p[1], p[2], exported(element(7)));
  sycl::free(p, q);
}
"""
QUESTION = "#include <sycl/sycl.hpp>\n%s\nint main() { %s }\n"
KERNEL = "sycl::queue().single_task([] {}).wait();"


def output(folder, *flags):
    source = folder.write("main.cpp", PROGRAM)
    said = common.compile_program(source, folder / "main", *flags, reads_headers=True).expect()
    return said, common.run([folder / "main"], SINTER_STRICT=1, SINTER_CACHE_DIR=folder / "cache").expect().out.strip()


def test_second_pass():
    """kernels and exported functions come from the second pass and host code from the first, at each optimisation
    level"""
    common.not_sanitized()
    for flags in (["-O0", "-g"], ["-O2", "-flto"]):
        with common.Folder() as folder:
            said, numbers = output(folder, *flags, OPTION + "__SPIR__")
            common.check(numbers == "110 120 130, host 7", f"{flags}: {numbers}")
            common.check("__SPIR__" not in said.text, said.text)
    with common.Folder() as folder:
        _, numbers = output(folder, OPTION + "OTHER,WIDTH=8")
        common.check(numbers == "110 120 130, host 7", numbers)


def test_one_pass():
    """without a second pass, kernels have the code of the host branches"""
    with common.Folder() as folder:
        said, numbers = output(folder, OPTION + "none")
        common.check(numbers == "0 1 2, host 7" and "__SPIR__" not in said.text, numbers + said.text)


def warned(folder, question, body, *flags):
    source = folder.write("asks.cpp", QUESTION % (question, body))
    return common.compile_object(source, folder / "asks.o", *flags).expect().text


def test_warning():
    """a file that has kernels and tests a device macro gets one warning, at the first test, with all such macros"""
    asked = "asks for '__NVPTX__', '__SPIR__', which are not defined"
    with common.Folder() as folder:
        for question in ("#ifdef __NVPTX__\n#endif", "#ifndef __NVPTX__\n#endif", "#if 1 && defined(__NVPTX__)\n#endif",
                         "#if 0\n#elifdef __NVPTX__\n#endif"):
            said = warned(folder, question + "\n#ifdef __SPIR__\n#endif", KERNEL)
            common.check(said.count("warning: this file") == 1 and asked in said, said)
        asked = "asks for '__NVPTX__', which is not defined"
        common.check(asked in warned(folder, "#ifdef __NVPTX__\n#endif\n#ifdef __NVPTX__\n#endif", KERNEL), "two tests")
        common.check(asked not in warned(folder, "#ifdef __NVPTX__\n#endif", ""), "a file without kernels")
        common.check(asked not in warned(folder, "#ifdef __NVPTX__\n#endif", KERNEL, "-D__NVPTX__"), "a defined macro")
        common.check(asked not in warned(folder, "#ifdef __NVPTX__\n#endif", KERNEL, OPTION + "none"), "silenced")
        common.check("asks for" not in warned(folder, "#ifdef __linux__\n#endif", KERNEL), "another macro")


def test_suggested_macros():
    """the warning suggests a macro of passes and a macro for a kind of device, if the file tests both"""
    suggestions = {
        "#ifdef __SYCL_DEVICE_ONLY__\n#endif": "__SYCL_DEVICE_ONLY__",
        "#if defined(__AMDGCN__)\n#elif defined(__SPIRV__)\n#endif": "__SPIRV__",
        "#ifdef __SYCL_DEVICE_ONLY__\n#endif\n#if !defined(__NVPTX__) && !defined(__SPIR__)\n#endif":
            "__SYCL_DEVICE_ONLY__,__SPIR__",
        "#if defined(__SYCL_CUDA_ARCH__) || defined(__SYCL_DEVICE_ONLY__)\n#endif":
            "__SYCL_DEVICE_ONLY__,__SYCL_CUDA_ARCH__",
    }
    with common.Folder() as folder:
        for question, macros in suggestions.items():
            said = warned(folder, question, KERNEL)
            common.check(f"by {OPTION}{macros}, or" in said, said)


def test_mistakes():
    """different kernels in the passes, errors of the second pass, and wrong options are errors with a sentence"""
    common.not_sanitized()
    captures = "int n = 1; sycl::queue().single_task([=] { if constexpr (device) n; });"
    cases = {
        "captures other variables": ("#ifdef __SPIR__\nconstexpr bool device = true;\n#else\nconstexpr bool device = false;"
                                     "\n#endif\n", captures),
        "captures 'q' where the macros of device-macros are defined, and 'p' where they are not": (
            "", "int *p = nullptr, *q = nullptr; sycl::queue().single_task([=] {\n#ifdef __SPIR__\n*q = *p;\n#else\n"
            "*p = *q;\n#endif\n});"),
        "is not launched where": ("", "\n#ifndef __SPIR__\n" + KERNEL + "\n#endif\n"),
        "does not compile with the macros": ("#ifdef __SPIR__\n#error no\n#endif", KERNEL),
    }
    with common.Folder() as folder:
        for sentence, (head, body) in cases.items():
            source = folder.write("wrong.cpp", QUESTION % (head, body))
            common.compile_object(source, folder / "wrong.o", OPTION + "__SPIR__").expect(
                code=1, contains=[sentence])
        for words in ("", "7", "A,,B", "A-B"):
            source = folder.write("right.cpp", QUESTION % ("", KERNEL))
            common.compile_object(source, folder / "right.o", OPTION + words).expect(
                code=1, contains=["is no MACRO or MACRO=VALUE"])
        common.run([common.CLANGXX, "-std=c++20", *common.plugin_flags(), OPTION + "__SPIR__", "-save-temps=obj", "-c",
                    folder / "right.cpp", "-o", folder / "right.o"]).expect(code=1, contains=["was preprocessed"])


common.main(globals())
