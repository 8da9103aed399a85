#!/usr/bin/env python3
"""Everything that changes code is in the cache's key, so that code for other circumstances is never used."""
import os
import re
import shutil

import common

FOLDER = common.Folder()
BUILT = []

PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
int main() {
  sycl::queue queue;
  sycl::buffer<float> buffer(sycl::range(100));
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(buffer, handler, sycl::write_only, sycl::no_init);
    handler.parallel_for(sycl::range(100), [=](sycl::id<1> i) { out[i] = float(i); });
  });
  queue.wait();
}
"""


def program():
    if not BUILT:
        common.compile_program(FOLDER.write("one.cpp", PROGRAM), FOLDER / "one", "-O1").expect()
        BUILT.append(FOLDER / "one")
    return BUILT[0]


def is_cold(cache, **environment):
    """Whether the program's only kernel was compiled, and not loaded from the cache."""
    result = common.run([program()], SINTER_CACHE_DIR=cache, **{"SINTER_REPORT": "summary", **environment}).expect()
    found = re.search(r"(\d+) kernels compiled in .*, (\d+) loaded from the cache", result.err)
    common.check(found and sorted(found.groups()) == ["0", "1"], result.text)
    return found[1] == "1"


def check_cold(cache, why, **environment):
    common.check(is_cold(cache, **environment), f"{why}: code for something else was taken")


def check_kept(cache, why, **environment):
    check_cold(cache, why, **environment)
    common.check(not is_cold(cache, **environment), f"{why}: the kernel was not kept")


def test_options():
    """each variable that changes the CPU's code is in the key"""
    with common.Folder() as folder:
        cache = folder / "cache"
        base = {"SINTER_DEVICE": "cpu"}
        check_kept(cache, "at first", **base)
        for name, value in (("SINTER_CPU", "x86-64-v2"), ("SINTER_TEST", "lanes=2"), ("SINTER_TEST", "block=1"),
                            ("SINTER_CHECK", "memory"), ("SINTER_CHECK", "barriers")):
            check_kept(cache, f"{name}={value}", **base, **{name: value})
        # At least one of the two sizes is not the machine's usual size.
        sizes = [is_cold(cache, **base, SINTER_SUB_GROUP_SIZE=size) for size in (4, 32)]
        common.check(all(sizes), f"SINTER_SUB_GROUP_SIZE: {sizes}")
        for variables in ({"SINTER_PASSES": "-vectors"}, {"SINTER_BISECT": "1"},
                          {"SINTER_REPORT": "summary,vectorize"}):
            for _ in range(2):
                check_cold(cache, str(variables), **{**base, **variables})
        common.check(not is_cold(cache, **base), "the first code has been replaced")


def test_compiler():
    """another build of the compiler does not use the stored code"""
    common.not_sanitized()
    with common.Folder() as folder:
        os.mkdir(folder / "lib")
        for name in ("src/libsinter.so.0", "jitd/libsinter-jit.so", "jitd/libsinter-jit-statics.so"):
            shutil.copy(os.path.join(common.BUILD, name), folder / "lib")
        base = {"SINTER_DEVICE": "cpu", "LD_LIBRARY_PATH": folder / "lib"}
        check_kept(folder / "cache", "at first", **base)
        os.utime(folder / "lib/libsinter-jit.so", (1, 1))
        check_kept(folder / "cache", "libsinter-jit.so", **base)


def test_mathematics():
    """for NVIDIA GPUs, the key has the driver and the math file, also if this file is named, changed or installed
    later"""
    common.not_sanitized()
    built = os.path.join(common.BUILD, "tests", "devices", "libcuda.so.1")
    if not os.path.exists(built):
        raise common.Skip("no fake driver")
    with common.Folder() as folder:
        cache = folder / "cache"
        os.mkdir(folder / "driver")
        shutil.copy(built, folder / "driver")
        base = {"SINTER_DEVICE": "gpu", "LD_LIBRARY_PATH": folder / "driver", "SINTER_LIBDEVICE": None,
                "CUDA_HOME": None, "CUDA_PATH": None}
        check_kept(cache, "at first", **base)
        own = folder.write("own.bc", "no kernel needs it")
        check_kept(cache, "SINTER_LIBDEVICE", **{**base, "SINTER_LIBDEVICE": own})
        folder.write("own.bc", "it is another one now")
        check_kept(cache, "a changed file", **{**base, "SINTER_LIBDEVICE": own})
        check_kept(cache, "a file that is not there", **{**base, "SINTER_LIBDEVICE": folder / "none.bc"})
        for name, place in (("CUDA_HOME", "nvvm/libdevice"), ("CUDA_PATH", "libdevice")):
            variables = {**base, name: folder / name}
            common.check(not is_cold(cache, **variables), f"{name} leads nowhere yet")
            os.makedirs(folder / f"{name}/{place}")
            folder.write(f"{name}/{place}/libdevice.10.bc", "a toolkit")
            check_kept(cache, f"a toolkit in {name}", **variables)
        common.check(not is_cold(cache, **base), "the first code has been replaced")
        os.utime(folder / "driver/libcuda.so.1", (1, 1))
        check_kept(cache, "another driver of the same version", **base)


def test_mathematics_of_hip():
    """for AMD's GPUs, the key has the file with math functions, the GPU's full name, and the runtime"""
    common.not_sanitized()
    built = os.path.join(common.BUILD, "tests", "devices", "hip", "libamdhip64.so.7")
    if not os.path.exists(built):
        raise common.Skip("no simulated GPUs")
    with common.Folder() as folder:
        cache = folder / "cache"
        os.mkdir(folder / "runtime")
        shutil.copy(built, folder / "runtime")
        base = {"SINTER_DEVICE": "hip:0", "LD_LIBRARY_PATH": folder / "runtime", "SINTER_OCML": None,
                "HIP_DEVICE_LIB_PATH": None, "ROCM_PATH": None}
        check_kept(cache, "at first", **base)
        own = folder.write("own.bc", "no kernel needs it")
        check_kept(cache, "SINTER_OCML", **{**base, "SINTER_OCML": own})
        folder.write("own.bc", "it is another one now")
        check_kept(cache, "a changed file", **{**base, "SINTER_OCML": own})
        check_kept(cache, "another GPU", **{**base, "TEST_HIP_ARCH": "simulated-wave32"})
        check_kept(cache, "another version", **{**base, "TEST_HIP_VERSION": "70000000"})
        check_kept(cache, "SINTER_FLOAT_ATOMICS", **{**base, "SINTER_FLOAT_ATOMICS": "device"})
        common.check(not is_cold(cache, **base), "the first code has been replaced")
        os.utime(folder / "runtime/libamdhip64.so.7", (1, 1))
        check_kept(cache, "another runtime of the same version", **base)


def test_drivers_of_opencl():
    """for OpenCL, the key has the variables that drivers read, and the CPU if the device is a CPU"""
    driver = os.path.join(common.BUILD, "opencl-driver")
    if common.SANITIZED or not os.path.exists(os.path.join(driver, "intel.icd")):
        raise common.Skip("no OpenCL driver")
    with common.Folder() as folder:
        base = {"SINTER_DEVICE": "opencl:0", "OCL_ICD_VENDORS": driver, "LD_LIBRARY_PATH": driver}
        check_kept(folder / "cache", "at first", **base)
        check_cold(folder / "cache", "CL_CONFIG_*", **base, CL_CONFIG_OF_NOBODY="1")
        check_cold(folder / "cache", "the CPU", **base, SINTER_CPU="x86-64-v2")


def test_every_variable_has_a_row():
    """for each variable, src/images/README.md says which part of the key has it, or that code does not depend on it"""
    info = os.path.join(common.BUILD, "jitd", "tools", "sinter_info", "sinter-info")
    names = re.findall(r"^[A-Z]\w+$", common.run([info, "--environment"]).expect().out, re.MULTILINE)
    with open(os.path.join(common.SOURCE, "src/images/README.md"), encoding="utf-8") as file:
        text = file.read()
    missing = [name for name in names if f"`{name}`" not in text]
    common.check(len(names) > 20 and not missing, f"without a row: {missing} of {names}")


#: Files that may read environment variables: the project's own table of variables, files for single variables, and
#: files for variables of drivers.
READERS = {"src/base/environment.cpp", "src/abi/read_variable.hpp", "src/base/foreign_variables.cpp"}
#: This file passes all environment variables on to a child process.
HANDS_ON = {"src/images/spirv_import.cpp"}


def test_variables_are_read_in_few_places():
    """only the listed files read environment variables; they ignore these variables in a program with raised rights"""
    asks = re.compile(r"\b(secure_getenv|getenv|environ|__environ)\b")
    found = {}
    for path in common.sources("src", "jitd", "include"):
        with open(os.path.join(common.SOURCE, path), encoding="utf-8") as file:
            words = set(asks.findall(re.sub(r"//.*", "", file.read())))
        if words:
            found[path] = words
    common.check(READERS <= set(found), f"they are elsewhere: {found}")
    for path, words in found.items():
        common.check(path in READERS or (path in HANDS_ON and words == {"environ"}),
                     f"{path} reads environment variables ({', '.join(sorted(words))}); use abi/read_variable.hpp")


common.main(globals())
