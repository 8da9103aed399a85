#!/usr/bin/env python3
"""find_package(Sinter), sinter++ and clang's configuration file, from the build folder and from an installed prefix
that was moved."""
import fnmatch
import glob
import json
import os
import shlex
import shutil

import common

PACKAGING = os.path.join(common.BUILD, "packaging")

KERNEL = r"""
#include <sycl/sycl.hpp>
int NAME(sycl::queue& queue, int value) {
  int* data = sycl::malloc_shared<int>(1, queue);
  queue.single_task([=] { *data = value * FACTOR; }).wait();
  const int result = *data;
  sycl::free(data, queue);
  return result;
}
"""
MAIN = r"""
#include <sycl/sycl.hpp>
#include <sycl/ext/sinter/counters.hpp>
#include <cstdio>
#if SYCL_LANGUAGE_VERSION < 202001
#error
#endif
extern "C" int plain_c(int);
int from_object(sycl::queue&, int);
int from_static(sycl::queue&, int);
int from_shared(sycl::queue&, int);
int main() {
  sycl::queue queue;
  const int result = from_object(queue, 1) + from_static(queue, 1) + from_shared(queue, 1) + plain_c(1);
  std::printf("answer %d, %d on the host\n", result, static_cast<int>(sycl::ext::sinter::launch_counters().host_entry));
}
"""
C = "int plain_c(int value) { int class = value; return class * 7; }\n"
CMAKE = """
cmake_minimum_required(VERSION 3.16)
project(user C CXX)
find_package(%(find)s REQUIRED)
message(STATUS "mode ${Sinter_MODE}")
add_library(object_kernels OBJECT object.cpp)
add_library(static_kernels STATIC static.cpp)
add_library(shared_kernels SHARED shared.cpp plain.c)
set_target_properties(object_kernels PROPERTIES CXX_STANDARD 17)
add_executable(answer main.cpp)
target_link_libraries(static_kernels PRIVATE m)
target_link_libraries(shared_kernels m)
foreach(name object_kernels static_kernels shared_kernels answer)
  add_sycl_to_target(TARGET ${name} SOURCES unused.cpp)
endforeach()
%(more)s
target_link_libraries(answer PRIVATE object_kernels static_kernels shared_kernels)
"""


def write_project(folder, find="Sinter 0.1", more=""):
    for factor, name in ((10, "object"), (20, "static"), (5, "shared")):
        text = KERNEL.replace("NAME", "from_" + name).replace("FACTOR", str(factor))
        folder.write(name + ".cpp", "#define SINTER_LEAN_HEADERS\n" + text)
    folder.write("main.cpp", MAIN)
    folder.write("plain.c", C)
    folder.write("CMakeLists.txt", CMAKE % {"find": find, "more": more})


def configure(folder, prefix, compiler=common.CLANGXX):
    common.need("cmake", "make")
    c_compiler = "gcc" if compiler == common.GXX else "clang-" + common.LLVM
    return common.run(["cmake", "-S", ".", "-B", "out", "-DCMAKE_PREFIX_PATH=" + prefix, "-DCMAKE_CXX_COMPILER=" + compiler,
                       "-DCMAKE_C_COMPILER=" + c_compiler], cwd=folder.path)


def build_project(folder, prefix, compiler=common.CLANGXX, mode="plugin", host=0):
    configure(folder, prefix, compiler).expect(contains=["mode " + mode])
    common.run(["cmake", "--build", "out", "-j2"], cwd=folder.path).expect()
    common.run([folder / "out/answer"], SINTER_CACHE_DIR=folder / "cache").expect(
        contains=[f"answer 42, {host} on the host"])


def installed(folder):
    """Installs into the folder and moves the prefix; returns where it is."""
    common.run(["meson", "install", "-C", common.BUILD, "--no-rebuild", "--quiet"], DESTDIR=folder / "root").expect()
    config = glob.glob(folder / "root/**/SinterConfig.cmake", recursive=True)
    common.check(len(config) == 1, f"installed SinterConfig.cmake: {config}")
    program = glob.glob(folder / "root/**/bin/sinter++", recursive=True)[0]
    shutil.move(os.path.dirname(os.path.dirname(program)), folder / "moved")
    for path in (*glob.glob(folder / "moved/**/*.cmake", recursive=True), folder / "moved/bin/sinter++",
                 folder / "moved/bin/sinter-clangd", folder / "moved/share/sinter/sinter.cfg"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        common.check(common.BUILD not in text and common.SOURCE not in text, path + " names the build or source tree")
    return folder / "moved"


def test_cmake_build_tree():
    """object, static and shared libraries with kernels next to C code, from the build folder, with a precompiled
    header"""
    common.not_sanitized()
    with common.Folder() as folder:
        write_project(folder, more="target_precompile_headers(answer PRIVATE <sycl/sycl.hpp>)")
        build_project(folder, PACKAGING)


def test_moved_prefix():
    """an installed prefix still works after it was moved: the package, the names of other implementations,
    sinter++, sinter.cfg, tools"""
    common.not_sanitized()
    with common.Folder() as folder:
        prefix = installed(folder)
        if shutil.which("cmake"):
            write_project(folder)
            build_project(folder, prefix)
            shutil.rmtree(folder / "out")
            for name in ("AdaptiveCpp 24.02", "IntelSYCL", "SimSYCL"):
                write_project(folder, find=name)
                configure(folder, prefix).expect(code=1, contains=["Could not find a package"])
                shutil.rmtree(folder / "out")
                configure(folder, os.path.join(prefix, "share/sinter/compatibility")).expect(contains=["mode plugin"])
            common.run(["cmake", "--build", "out", "--target", "static_kernels"], cwd=folder.path).expect()
        named_sycl = os.path.join(prefix, "share/sinter/compatibility/lib/libsycl.so")
        common.check(os.path.realpath(named_sycl).startswith(os.path.realpath(prefix)) and os.path.exists(named_sycl),
                     "libsycl.so leads to Sinter's library")
        source = folder.write("hello.cpp", common.HELLO)
        cache = {"SINTER_CACHE_DIR": folder / "cache"}
        common.run([os.path.join(prefix, "bin/sinter++"), source, "-o", folder / "hello"], **cache).expect()
        common.run([folder / "hello"], **cache).expect(contains=[common.COLD])
        tool = [os.path.join(prefix, "bin/sinter-info"), "--image", folder / "hello"]
        common.run(tool, LD_LIBRARY_PATH="").expect(contains=["kernel"])
        if shutil.which("clangd-" + common.LLVM):
            check = common.run([os.path.join(prefix, "bin/sinter-clangd"), "--check=" + source, "--log=error"], cwd=folder.path)
            common.check("sinter-clangd" not in check.err and "ld.so" not in check.err, check.err)
        os.makedirs(folder / "links")
        os.symlink(os.path.join(prefix, "bin/sinter++"), folder / "links/sinter++")
        common.run([folder / "links/sinter++", source, "-o", folder / "hello"], **cache).expect()
        config = "--config=" + os.path.join(prefix, "share/sinter/sinter.cfg")
        common.run([common.CLANGXX, config, "-Wall", "-Wextra", "-Werror", source, "-o", folder / "configured"]).expect()
        common.run([folder / "configured"], **cache).expect(contains=["host_entry=0"])
        by_name = ["--config-user-dir=" + debian_config(folder, prefix), "--config", "sinter"]
        common.run([common.CLANGXX, *by_name, source, "-o", folder / "named"]).expect()
        common.run([folder / "named"], **cache).expect(contains=["host_entry=0"])


def debian_config(folder, prefix):
    """Makes a folder with the files that the Debian package installs for `--config sinter`, but with this
    prefix."""
    with open(os.path.join(common.SOURCE, "packaging/debian/sinter.cfg"), encoding="utf-8") as file:
        text = file.read()
    with open(os.path.join(common.SOURCE, "packaging/debian/libsinter-dev.links"), encoding="utf-8") as file:
        target, link = file.read().replace("llvm-22", "llvm-" + common.LLVM).split()
    compiler = os.path.realpath(shutil.which(common.CLANGXX))
    places = {os.path.dirname(compiler), *("/" + os.path.dirname(each) for each in (target, link))}
    common.check(len(places) == 1, f"clang looks elsewhere than the package puts it: {places}")
    folder.write("beside/" + os.path.basename(target), text.replace("@/usr", "@" + prefix))
    os.symlink(os.path.basename(target), folder / ("beside/" + os.path.basename(link)))
    return folder / "beside"


def test_bundle():
    """sinter-bundle packs a program and all its libraries into an archive that runs on other machines, and names
    the files that it can't include"""
    common.not_sanitized()
    with common.Folder() as folder:
        prefix = installed(folder)
        source = folder.write("hello.cpp", common.HELLO)
        common.run([os.path.join(prefix, "bin/sinter++"), source, "-o", folder / "hello"]).expect()
        bundle, archive = os.path.join(prefix, "bin/sinter-bundle"), folder / "hello.tar"  # packing it takes minutes
        common.run([bundle, archive, folder / "hello"]).expect(contains=["1 programs"])
        shutil.rmtree(prefix)
        common.run(["tar", "-C", folder.path, "-xf", archive]).expect()
        cache = {"SINTER_CACHE_DIR": folder / "cache", "LD_LIBRARY_PATH": None}
        common.run([folder / "sinter/with", folder / "sinter/bin/hello"], **cache).expect(contains=[common.COLD])
        libraries = common.run([folder / "sinter/with", "ldd", folder / "sinter/lib/libsinter-jit.so"]).expect().out
        common.check(f"libLLVM.so.{common.LLVM}" in libraries and libraries.count(folder / "sinter/lib/") > 3, libraries)
        again = os.path.join(common.SOURCE, "packaging/bundle.py")
        for program, what in ((source, "is no program"), ("/bin/true", "none of the programs needs libsinter.so.0"),
                              (folder / "hello", "does not find: set LD_LIBRARY_PATH")):
            common.run([again, folder / "none.tar", program], LD_LIBRARY_PATH=None).expect(code=1, contains=[what])
        common.check(not os.path.exists(folder / "none.tar"), "an archive of nothing")


def test_library_mode():
    """with g++, the package reports library mode; COMPONENTS plugin makes this an error"""
    common.not_sanitized()
    with common.Folder() as folder:
        write_project(folder)
        build_project(folder, PACKAGING, compiler=common.GXX, mode="library", host=3)
    with common.Folder() as folder:
        write_project(folder, find="Sinter COMPONENTS plugin")
        result = configure(folder, PACKAGING, common.GXX)
        result.expect(code=1, contains=["library mode", "the plugin is for Clang " + common.LLVM])
        shutil.rmtree(folder / "out")
        configure(folder, PACKAGING).expect(contains=["mode plugin"])


def test_versions():
    """find_package fails if another version is asked for, and the version macros have the project's version"""
    common.not_sanitized()
    version = common.run(["pkg-config", "--modversion", "sinter"], PKG_CONFIG_PATH=os.path.join(common.BUILD, "meson-uninstalled"))
    numbers = version.expect().out.strip().split(".")
    with common.Folder() as folder:
        source = folder.write("macros.cpp", "#include <sycl/sycl.hpp>\nversion SINTER_VERSION_MAJOR SINTER_VERSION_MINOR SINTER_VERSION_PATCH\n")
        text = common.run([common.CLANGXX, "-std=c++20", "-E", "-P", source, *common.plugin_flags()]).expect().out
        common.check("version " + " ".join(numbers) in text, "the macros differ from " + ".".join(numbers))
        common.need("cmake")
        for wanted in ("9.0", "1.0"):
            write_project(folder, find="Sinter " + wanted)
            result = configure(folder, PACKAGING)
            common.check(result.code != 0 and "version" in result.text, f"version {wanted} is accepted")


def test_sinter_changes():
    """sinter++ accepts other compilers' options, reports once which ones it translates, and passes all others on"""
    common.not_sanitized()
    with common.Folder() as folder:
        cache = {"SINTER_CACHE_DIR": folder / "cache"}
        folder.write("mine.yaml", "mine:\n  aspects: [gpu]\n")
        folder.write("hello.cpp", common.HELLO + "#ifndef _OPENMP\n#error\n#endif\n")
        command = [os.path.join(PACKAGING, "sinter++"), "-fsycl", "-fsycl-fixed-targets=x86_64", "-fsycl-device-config-file=mine.yaml", "-fsycl-device-code-split=per_kernel", "-fsycl-device-code-split",
                   "-fsycl-targets=spir64_gen", "-Xsycl-target-backend=spir64_gen",
                   "-device pvc", "-qopenmp", "-std=c++17", "-Wno-sycl-strict", "-O2", "-MD", "-MF", "hello.d", "hello.cpp", "-o", "hello"]
        common.run(command, cwd=folder.path, **cache).expect(
            contains=["-fsycl is left out", "-fsycl-device-config-file=mine.yaml becomes -fplugin-arg-sinter-device-config-file=mine.yaml", "-fsycl-fixed-targets=x86_64 becomes -fplugin-arg-sinter-fixed-targets=x86_64",
                      "-fsycl-device-code-split=per_kernel becomes -fplugin-arg-sinter-device-code-split=per_kernel",
                      "-fsycl-device-code-split becomes -fplugin-arg-sinter-device-code-split",
                      "-qopenmp becomes -fopenmp", "-std=c++17 becomes -std=c++20", "-Wno-sycl-strict is left out"],
            lacks=["unknown warning option"])
        common.check("mine.yaml" in open(folder / "hello.d").read(), "a change of the file of devices goes unseen")
        common.check(common.run(command, cwd=folder.path, **cache).expect().err == "", "it repeats itself")
        common.run([folder / "hello"], **cache).expect(contains=[common.COLD])
        wrong = folder.write("wrong.cpp", "#include <sycl/sycl.hpp>\nint main() { return undeclared; }\n")
        result = common.run([command[0], wrong], cwd=folder.path, **cache)
        common.check(result.code == 1 and result.err.count("undeclared'") == 1, "an error is not passed on: " + result.text)


def test_algorithms():
    """sinter++ --sinter-algorithms, and other compilers' options with this meaning, make kernels of standard
    algorithms"""
    common.not_sanitized()
    with common.Folder() as folder:
        folder.write("sum.cpp", "#include <execution>\n#include <numeric>\n#include <vector>\nint main() {\n"
                     "  std::vector<int> ones(1000, 1);\n"
                     "  return std::reduce(std::execution::par_unseq, ones.begin(), ones.end()) == 1000 ? 0 : 1;\n}\n")
        for words in (["--sinter-algorithms"], ["-fsycl", "--acpp-stdpar"], ["-fsycl-pstl-offload=cpu"]):
            common.run([os.path.join(PACKAGING, "sinter++"), *words, "-O1", "sum.cpp", "-o", "sum"], cwd=folder.path,
                       SINTER_CACHE_DIR=folder / "cache").expect()
            common.run([folder / "sum"], SINTER_CACHE_DIR=folder / "cache", SINTER_REPORT="launches").expect(
                contains=["1 launch"])


#: Options of other compilers, and their translations.
INTEL_WORDS = {
    "-xCORE-AVX512": "-march=skylake-avx512",
    "-xCORE-AVX2": "-march=haswell",
    "-xcore-avx2": "-march=haswell",
    "-xSKYLAKE-AVX512": "-march=skylake-avx512",
    "-xSAPPHIRERAPIDS": "-march=sapphirerapids",
    "-xSSE4.2": "-march=nehalem",
    "-xHost": "-march=native",
    "-xNO-SUCH-ONE": "-march=native",
    "-xSKYLAKE.AVX512": "-march=native",
    "-fp-model fast": "-ffp-model=fast",
    "-fp-model=fast": "-ffp-model=fast",
    "-fp-model fast=2": "-ffp-model=aggressive",
    "-fp-model precise": "-ffp-model=precise",
    "-fp-model source": "-ffp-model=precise",
    "-fp-model=strict": "-ffp-model=strict",
    "-foffload-static-lib=parts/libone.a": "-Wl,parts/libone.a",
}
LEFT_OUT = ["-fp-model except", "-fp-model=no-except", "-qmkl", "-qmkl=parallel", "-static-intel", "-no-intel-lib",
            "-no-intel-lib=libirc", "-qopt-report=3", "-qopt-zmm-usage=high", "-fimf-precision=high",
            "-fimf-use-svml=true:sin", "-ftarget-register-alloc-mode=pvc:large", "-ftarget-compile-fast",
            "-axCORE-AVX512", "-flink-huge-device-code", "-Xclang -fsycl-allow-func-ptr", "-Xclang -sycl-std=2020"]
#: Options that stay unchanged, because they are clang's own or wrong.
KEPT = ["-x c++", "-xc++", "-x c", "-xnone", "-Xclang -disable-llvm-passes", "-Xclang -xCORE-AVX2", "-Xclang",
        "-fp-model", "-o -fp-model", "-Xlinker -xCORE-AVX2"]


def shown(folder, *words):
    """Returns the arguments with which sinter++ would run the compiler, and sinter++'s messages."""
    command = [os.path.join(PACKAGING, "sinter++"), "--sinter-show", "--sinter-no-pch", *words]
    result = common.run(command, cwd=folder.path, SINTER_CACHE_DIR="/dev/null").expect()  # forgets what it said
    return shlex.split(result.out)[1:], result.err


def test_words_of_others():
    """sinter++ translates Intel's options for processors and floating point, drops those for Intel's
    libraries, and keeps clang's options"""
    with common.Folder() as folder:
        for given, becomes in INTEL_WORDS.items():
            words, said = shown(folder, *given.split(), "-c", "a.cpp")
            common.check(words[:4] == ["-std=c++20", becomes, "-c", "a.cpp"], f"{given} gives {words}")
            one_word = given.replace("-fp-model ", "-fp-model=")
            common.check(f"{one_word} becomes {becomes.removeprefix('-Wl,')}" in said, said)
        for given in LEFT_OUT:
            words, said = shown(folder, *given.split(), "-c", "a.cpp")
            common.check(words[:3] == ["-std=c++20", "-c", "a.cpp"], f"{given} gives {words}")
            common.check(f"{given.replace('-fp-model ', '-fp-model=')} is left out" in said, said)
        for given in KEPT:
            words, said = shown(folder, "a.cpp", *given.split())
            expected = ["-std=c++20", "a.cpp", *given.split()]
            common.check(words[:len(expected)] == expected and not said, f"{given} gives {words}, and says {said}")


def test_words_of_others_compile():
    """a program compiles with these options and a precompiled header, and a named static library is linked"""
    common.not_sanitized()
    with common.Folder() as folder:
        cache = {"SINTER_CACHE_DIR": folder / "cache"}
        compiler = os.path.join(PACKAGING, "sinter++")
        folder.write("part.cpp", KERNEL.replace("NAME", "part").replace("FACTOR", "6"))
        folder.write("app.cpp", '#include <sycl/sycl.hpp>\nint part(sycl::queue&, int);\n'
                     'int main() { sycl::queue queue; std::printf("answer %d\\n", part(queue, 7)); }\n')
        flags = ["-fsycl", "-O2", "-fp-model", "precise", "-xCORE-AVX2", "-qmkl", "-static-intel", "-no-intel-lib",
                 "-qopt-report=3", "-fimf-precision=high", "-ftarget-register-alloc-mode=pvc:auto",
                 "-flink-huge-device-code", "-Xclang", "-fsycl-allow-func-ptr", "-Xclang", "-disable-O0-optnone"]
        common.run([compiler, *flags, "-c", "part.cpp", "-o", "part.o"], cwd=folder.path, **cache).expect(
            contains=["-xCORE-AVX2 becomes -march=haswell", "-qmkl is left out"])
        common.check(len(precompiled(folder)) == 1, "no precompiled header goes with these words")
        common.run(["ar", "rc", "libpart.a", "part.o"], cwd=folder.path).expect()
        linked = ["app.cpp", "-foffload-static-lib=libpart.a", "-o", "app"]
        common.run([compiler, *flags, *linked], cwd=folder.path, **cache).expect()
        common.run([folder / "app"], SINTER_STRICT="1", **cache).expect(contains=["answer 42"])


def precompiled(folder):
    return sorted(glob.glob(folder / "cache/sinter++/*/sycl.pch"))


def test_precompiled_header():
    """each set of flags has one precompiled header, which is not used if it would change the program's meaning"""
    common.not_sanitized()
    with common.Folder() as folder:
        cache = {"SINTER_CACHE_DIR": folder / "cache"}
        compiler = os.path.join(PACKAGING, "sinter++")
        plain = folder.write("plain.cpp", "// a comment\n#include <cstdio>\n#include <sycl/sycl.hpp>\nint main() {}\n")
        defines = folder.write("defines.cpp", "#define SYCL_SIMPLE_SWIZZLES\n#include <sycl/sycl.hpp>\n"
                               "int main() { return static_cast<int>(sycl::float2(0).yx().x()); }\n")
        for number, (source, flags) in enumerate([(plain, ["-O2"]), (plain, ["-O2", "-Ielsewhere", "-MD"]), (defines, ["-O2"])]):
            common.run([compiler, "-c", *flags, source, "-o", folder / f"{number}.o"], cwd=folder.path, **cache).expect()
            common.check(len(precompiled(folder)) == 1, f"after {flags} there are {precompiled(folder)}")
        common.run([compiler, "-c", "-O2", "-DMORE", plain, "-o", folder / "more.o"], **cache).expect()
        common.check(len(precompiled(folder)) == 2, f"after -DMORE there are {precompiled(folder)}")
        with open(folder / "1.d", encoding="utf-8") as file:
            common.check(folder / "cache" not in file.read(), "a makefile would depend on the cache")
        # Damaged precompiled headers are replaced without a message.
        for path in precompiled(folder):
            with open(path, "r+b") as file:
                file.truncate(1000)
        common.check(common.run([compiler, "-c", "-O2", plain, "-o", folder / "0.o"], **cache).expect().err == "", "it complains")


def test_parallel_make():
    """parallel compilations with an empty header cache, then with flags for which the cache has no header"""
    common.not_sanitized()
    common.need("make")
    with common.Folder() as folder:
        names = [f"part{i}" for i in range(5)]
        for name in names:
            folder.write(name + ".cpp", KERNEL.replace("NAME", name).replace("FACTOR", "2"))
        calls = " + ".join(f"{name}(queue, 1)" for name in names)
        folder.write("main.cpp", "#include <sycl/sycl.hpp>\n" + "".join(f"int {name}(sycl::queue&, int);\n" for name in names) +
                     f'int main() {{ sycl::queue queue; std::printf("answer %d\\n", {calls}); }}\n')
        folder.write("Makefile", f"CXX = {os.path.join(PACKAGING, 'sinter++')}\nCXXFLAGS = -fsycl -O1\nanswer: main.o " +
                     " ".join(name + ".o" for name in names) + "\n\t$(CXX) -o $@ $^\n")
        for flags in ("-fsycl -O1", "-fsycl -O0 -g"):
            common.run(["make", "-B", "-j8", "CXXFLAGS=" + flags], cwd=folder.path, SINTER_CACHE_DIR=folder / "cache").expect()
            common.run([folder / "answer"], SINTER_CACHE_DIR=folder / "cache").expect(contains=["answer 10"])
        common.check(len(precompiled(folder)) == 2, f"headers: {precompiled(folder)}")
        common.check(not glob.glob(folder / "cache/sinter++/*/sycl.pch.*"), "unfinished headers were left behind")


def test_unwritable_cache():
    """without a cache folder, sinter++ still compiles"""
    common.not_sanitized()
    with common.Folder() as folder:
        source = folder.write("hello.cpp", common.HELLO)
        blocked = folder.write("file", "")
        common.run([os.path.join(PACKAGING, "sinter++"), source, "-o", folder / "hello"], SINTER_CACHE_DIR=blocked).expect()


def test_debian_lists():
    """every installed file is in one of the Debian packages"""
    patterns = []
    for path in glob.glob(os.path.join(common.SOURCE, "packaging/debian/*.install")):
        with open(path, encoding="utf-8") as file:
            patterns += file.read().split()
    common.check(len(patterns) > 5, f"lists of files: {patterns}")
    facts = json.loads(common.run(["meson", "introspect", "--installed", "--buildoptions", common.BUILD]).expect().out)
    prefix = next(each["value"] for each in facts["buildoptions"] if each["name"] == "prefix")
    names = ["usr/" + os.path.relpath(path, prefix) for path in facts["installed"].values()]
    left = [name for name in names
            if not any(fnmatch.fnmatch(name, pattern) or fnmatch.fnmatch(name, pattern + "/*") for pattern in patterns)]
    common.check(len(names) > 10 and not left, f"in no package: {left}")


common.main(globals())
