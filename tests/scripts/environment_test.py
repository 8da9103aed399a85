#!/usr/bin/env python3
"""Environment variables, sinter-info, and binaries whose device image is damaged."""
import os
import shutil

import common

INFO = os.path.join(common.BUILD, "jitd", "tools", "sinter_info", "sinter-info")
FOLDER = common.Folder()
HELLO = []


def hello():
    if not HELLO:
        HELLO.append(common.build_hello(FOLDER, "-O2"))
    return HELLO[0]


def test_misspelt_variable():
    """an unknown SINTER_ variable leads to one warning with the nearest known name"""
    with common.Folder() as folder:
        result = common.run([hello()], SINTER_CACHE_DIR=folder / "cache", SINTER_CACHE_DIRR="x")
        result.expect(contains=["sum 14850", "SINTER_CACHE_DIRR", "SINTER_CACHE_DIR"])
        common.check(result.err.count("SINTER_CACHE_DIRR") == 1, "the warning should come once: " + result.err)


def test_no_noise():
    """a program without problems gets no output from the library"""
    with common.Folder() as folder:
        for _ in range(2):
            result = common.run([hello()], SINTER_CACHE_DIR=folder / "cache").expect()
            common.check(result.err == "", "unexpected output: " + result.err)


def test_unknown_device():
    """an unknown device selector is reported, with a list of the existing devices"""
    with common.Folder() as folder:
        result = common.run([hello()], SINTER_CACHE_DIR=folder / "cache", SINTER_DEVICE="quantum:7")
        common.check(result.code != 139, "the program crashed")
        common.check("quantum" in result.text and "cpu" in result.text.lower(), "not a helpful message: " + result.text)


def test_info():
    """sinter-info describes devices, versions, cache and every environment variable"""
    with common.Folder() as folder:
        info = common.run([INFO], SINTER_CACHE_DIR=folder / "cache").expect(contains=["cpu", common.LLVM + "."])
        common.check(len(info.out.splitlines()) > 5, "too little: " + info.out)
        table = common.run([INFO, "--environment"]).expect(contains=["SINTER_CACHE_DIR", "SYCL_RT_WARNING_LEVEL"])
        for line in table.out.splitlines():
            common.check(len(line) < 200, "a line of the table is too long: " + line)
        common.run([INFO, "--no-such-option"]).expect(code=2)


def test_damaged_image():
    """if a device image is damaged, a message says so, and the host computes the right result"""
    with common.Folder() as folder:
        with open(hello(), "rb") as file:
            data = bytearray(file.read())
        start = data.find(b"SINTERIM")
        common.check(start > 0, "the program has no image")
        size = int.from_bytes(data[start + 16:start + 24], "little")
        common.check(144 < size < 1 << 20, f"unexpected image size {size}")
        damages = {"magic": 0, "version": 8, "size": 17, "kernel count": 28, "string offset": 88, "hash": 129,
                   "first byte after the header": 144, "middle": size // 2, "last byte": size - 1}
        for name, offset in damages.items():
            broken = bytearray(data)
            broken[start + offset] ^= 0x5A
            path = folder / "broken"
            with open(path, "wb") as file:
                file.write(broken)
            os.chmod(path, 0o755)
            result = common.run([path], SINTER_CACHE_DIR=folder / "cache")
            common.check(result.code == 0, f"{name}: exit code {result.code}: {result.text[-2000:]}")
            result.expect(contains=["sum 14850", common.HOST])
            common.check("image" in result.err, f"{name}: no message about the image: {result.err}")


def test_missing_jit():
    """without the JIT library, a message says so, and the program computes the right result on the host"""
    common.not_sanitized()
    with common.Folder() as folder:
        library = os.path.join(common.BUILD, "src", "libsinter.so")
        # The copied libsinter.so has no libsinter-jit.so beside it.
        os.mkdir(folder / "lib")
        for name in os.listdir(os.path.dirname(library)):
            path = os.path.join(os.path.dirname(library), name)
            if name.startswith("libsinter.so") and os.path.isfile(path):
                shutil.copy(path, os.path.join(folder / "lib", name))
        result = common.run([hello()], SINTER_CACHE_DIR=folder / "cache", LD_LIBRARY_PATH=folder / "lib")
        if common.COLD in result.out:
            raise common.Skip("the program found the JIT of the build tree all the same")
        result.expect(contains=["sum 14850"])
        common.check("libsinter-jit" in result.err, "no message about the missing library: " + result.err)


def test_raised_rights():
    """if a program has more rights than its user, it opens no driver that the user's variables name"""
    common.not_sanitized()
    with common.Folder() as folder:
        source = folder.write("driver.cpp",
                              '#include <cstdio>\n[[gnu::constructor]] void opened() { std::puts("driver opened"); }')
        common.run([common.CLANGXX, "-shared", "-fPIC", source, "-o", folder / "libdriver.so"]).expect()
        folder.write("own.icd", folder / "libdriver.so" + "\n")
        variables = {"OCL_ICD_VENDORS": folder.path, "SINTER_CACHE": "0"}
        lists = folder.write("lists.cpp", "#include <sycl/sycl.hpp>\n#include <cstdio>\nint main() {\n"
                             '  std::printf("%zu devices\\n", sycl::device::get_devices().size());\n}\n')
        program = folder / "lists"
        common.compile_program(lists, program).expect()
        if "driver opened" not in common.run([program], **variables).expect(contains=["devices"]).out:
            raise common.Skip("there is no loader of OpenCL that listens to OCL_ICD_VENDORS")
        common.raise_rights(folder, [program], **variables)
        raised = common.run([program], **variables).expect(contains=["devices"])
        common.check("driver opened" not in raised.out, "it listened: " + raised.out)


common.main(globals())
