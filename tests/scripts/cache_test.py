#!/usr/bin/env python3
"""The kernel cache: processes with a warm cache stay small, and no fault of the folder causes a crash or wrong
results."""
import glob
import os
import stat

import common

FOLDER = common.Folder()
HELLO = []


def hello():
    """The program, compiled once for all tests of this script."""
    if not HELLO:
        HELLO.append(common.build_hello(FOLDER, "-O2"))
    return HELLO[0]


def entries(cache):
    return [path for path in glob.glob(os.path.join(cache, "**", "*"), recursive=True) if os.path.isfile(path)]


def test_warm_map():
    """a process whose kernels are all in the cache loads neither LLVM nor the JIT"""
    with common.Folder() as folder:
        variables = {"SINTER_CACHE_DIR": folder / "cache"}
        cold = common.run([hello(), "--map"], **variables).expect(contains=[common.COLD, "libsinter.so"])
        common.check("libLLVM" in cold.out, "the cold process should have mapped LLVM")
        common.run([hello(), "--map"], **variables).expect(
            contains=[common.WARM, "libsinter.so"], lacks=["libLLVM", "libsinter-jit", "libclang"])


def test_private_folder():
    """the cache folder is created with its parents, and only its owner can access it"""
    with common.Folder() as folder:
        common.run([hello()], SINTER_CACHE_DIR=folder / "deep/er/cache").expect(contains=[common.COLD])
        common.check(stat.S_IMODE(os.stat(folder / "deep/er/cache").st_mode) == 0o700, "the folder's mode is not 0700")
        common.run([hello()], SINTER_CACHE_DIR=folder / "deep/er/cache").expect(contains=[common.WARM])


def test_xdg_folder():
    """without SINTER_CACHE_DIR, the XDG cache folder is used, or ~/.cache if there is no XDG variable"""
    with common.Folder() as folder:
        common.run([hello()], SINTER_CACHE_DIR=None, XDG_CACHE_HOME=folder / "xdg").expect(contains=[common.COLD])
        common.check(entries(folder / "xdg/sinter"), "nothing was written under XDG_CACHE_HOME/sinter")
        common.run([hello()], SINTER_CACHE_DIR=None, XDG_CACHE_HOME=None, HOME=folder / "home").expect(contains=[common.COLD])
        common.check(entries(folder / "home/.cache/sinter"), "nothing was written under ~/.cache/sinter")


def test_corrupt_entries():
    """truncated, altered, empty and foreign entries are removed, reported once, and compiled again"""
    def damage_flip(data):
        middle = len(data) // 2
        return data[:middle] + bytes([data[middle] ^ 0x55]) + data[middle + 1:]

    damages = {"truncated": lambda d: d[:len(d) // 2], "altered": damage_flip, "empty": lambda d: b"",
               "longer": lambda d: d + b"x", "foreign": lambda d: b"\x7fELF" + b"\0" * 500,
               "first byte": lambda d: b"\0" + d[1:], "last byte": lambda d: d[:-1] + bytes([d[-1] ^ 1])}
    for name, damage in damages.items():
        with common.Folder() as folder:
            variables = {"SINTER_CACHE_DIR": folder / "cache"}
            common.run([hello()], **variables).expect(contains=[common.COLD])
            files = entries(folder / "cache")
            common.check(files, "the cache is empty after a cold run")
            for path in files:
                with open(path, "rb") as file:
                    data = file.read()
                os.chmod(path, 0o600)
                with open(path, "wb") as file:
                    file.write(damage(data))
            again = common.run([hello()], **variables)
            again.expect(contains=["sum 14850", common.COLD])
            common.check(again.err.strip(), f"{name}: nothing was reported")
            common.check(len(again.err.strip().splitlines()) <= 2 * len(files), f"{name}: too many reports: {again.err}")
            common.run([hello()], **variables).expect(contains=["sum 14850", common.WARM])


def test_bad_folders():
    """world-writable folders, files and unwritable folders are refused with a message; results stay right"""
    with common.Folder() as folder:
        os.mkdir(folder / "open")
        os.chmod(folder / "open", 0o777)
        folder.write("file", "not a folder")
        for place in (folder / "open", folder / "file", "/proc/no/such/place"):
            for _ in range(2):
                result = common.run([hello()], SINTER_CACHE_DIR=place)
                result.expect(contains=["sum 14850", common.COLD])
                common.check("cache" in result.err, f"no message about {place}: {result.err}")
        common.check(not entries(folder / "open"), "something was written into a world-writable folder")


def test_disabled():
    """the cache can be switched off"""
    with common.Folder() as folder:
        variables = {"SINTER_CACHE_DIR": folder / "cache", "SINTER_CACHE": "0"}
        for _ in range(2):
            common.run([hello()], **variables).expect(contains=[common.COLD])
        common.check(not os.path.exists(folder / "cache") or not entries(folder / "cache"), "something was written")


def test_many_processes():
    """processes that fill the same cache at the same time all get right results"""
    import concurrent.futures
    with common.Folder() as folder, concurrent.futures.ThreadPoolExecutor(8) as pool:
        program = hello()
        jobs = [pool.submit(common.run, [program], SINTER_CACHE_DIR=folder / "cache") for _ in range(16)]
        for job in jobs:
            job.result().expect(contains=["sum 14850", "host_entry=0"])
        common.run([program], SINTER_CACHE_DIR=folder / "cache").expect(contains=[common.WARM])
        left = [path for path in entries(folder / "cache") if "tmp" in os.path.basename(path)]
        common.check(not left, f"temporary files were left behind: {left}")


common.main(globals())
