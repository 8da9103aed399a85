#!/usr/bin/env python3
"""The kernel cache with failing disks, killed writers, many processes and limits: results stay right, and no
files are left behind."""
import concurrent.futures
import errno
import os
import shutil
import signal
import socket
import subprocess

import common

FOLDER = common.Folder()
BUILT = {}

#: Kernels of different sizes. Each argument is the number of a kernel to run.
MANY = r"""
#include <sycl/ext/sinter/counters.hpp>
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstdlib>
#include <utility>

template <int N> void run(sycl::queue& queue, int* data) {
  queue.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {
    int value = static_cast<int>(i[0]);
    for (int k = 0; k < N; ++k) value = value * (2 * k + 3) + N;
    data[i] = value;
  }).wait();
}

template <int N> bool right(const int* data) {
  for (unsigned i = 0; i < 64; ++i) {
    unsigned value = i;
    for (unsigned k = 0; k < N; ++k) value = value * (2 * k + 3) + N;
    if (data[i] != static_cast<int>(value)) return false;
  }
  return true;
}

template <int... N> int all(int count, char** words, std::integer_sequence<int, N...>) {
  sycl::queue queue;
  int* data = sycl::malloc_shared<int>(64, queue);
  bool good = true;
  for (int at = 1; at < count; ++at) {
    const int wanted = std::atoi(words[at]);
    ((N == wanted ? (run<N>(queue, data), good = good && right<N>(data)) : false), ...);
  }
  sycl::free(data, queue);
  const auto tiers = sycl::ext::sinter::launch_counters();
  std::printf("host_entry=%llu jit=%llu cache=%llu\n", (unsigned long long)tiers.host_entry,
              (unsigned long long)tiers.jit, (unsigned long long)tiers.cache);
  return good ? 0 : 1;
}

int main(int count, char** words) { return all(count, words, std::make_integer_sequence<int, 24>()); }
"""


def many():
    if "many" not in BUILT:
        source = FOLDER.write("many.cpp", MANY)
        common.compile_program(source, FOLDER / "many", "-O1").expect()
        BUILT["many"] = FOLDER / "many"
    return BUILT["many"]


def faults():
    """The library that makes calls fail."""
    if "faults" not in BUILT:
        source = os.path.join(common.SOURCE, "tests/scripts/faults.c")
        common.run(["clang-" + common.LLVM, "-shared", "-fPIC", "-O1", source, "-o", FOLDER / "faults.so"]).expect()
        BUILT["faults"] = FOLDER / "faults.so"
    return BUILT["faults"]


def with_faults(cache, **settings):
    return {"LD_PRELOAD": faults(), "FAULT_FOLDER": cache, "SINTER_CACHE_DIR": cache, **settings}


def names(cache):
    return sorted(os.listdir(cache)) if os.path.isdir(cache) else []


def check_clean(cache, what):
    left = [name for name in names(cache) if name.startswith(".")]
    common.check(not left, f"{what}: left behind: {left}")


def test_failing_calls():
    """if calls fail as on full, read-only or remote disks, there is a message, results are right, and no files are left
    behind"""
    common.not_sanitized()
    cases = [("write", errno.ENOSPC), ("open", errno.EROFS), ("open", errno.EDQUOT),
             ("rename", errno.ESTALE), ("rename", errno.EIO), ("rename", errno.EACCES), ("write", errno.EIO)]
    for call, code in cases:
        with common.Folder() as folder:
            cache = folder / "cache"
            what = f"{call} fails with {errno.errorcode[code]}"
            result = common.run([many(), 1, 2], **with_faults(cache, FAULT_CALLS=call, FAULT_ERRNO=code))
            result.expect(contains=["host_entry=0 jit=2"])
            common.check("could not be kept" in result.err, f"{what}: nothing was said: {result.err}")
            common.check(len(result.err.strip().splitlines()) == 1, f"{what}: said more than once: {result.err}")
            common.check(not names(cache), f"{what}: left behind: {names(cache)}")
            common.run([many(), 1, 2], SINTER_CACHE_DIR=cache).expect(contains=["jit=2"])
            common.run([many(), 1, 2], SINTER_CACHE_DIR=cache).expect(contains=["cache=2"])


def test_unlink_fails():
    """if a damaged entry can't be removed, the kernel is compiled nevertheless"""
    common.not_sanitized()
    with common.Folder() as folder:
        cache = folder / "cache"
        common.run([many(), 3], SINTER_CACHE_DIR=cache).expect()
        with open(os.path.join(cache, names(cache)[0]), "r+b") as file:
            file.truncate(1000)
        settings = with_faults(cache, FAULT_CALLS="unlink", FAULT_ERRNO=errno.EPERM)
        common.run([many(), 3], **settings).expect(contains=["jit=1", "damaged"])


def test_killed_writers():
    """a writer is killed at each of its system calls in turn: later processes get right results and remove its files"""
    common.not_sanitized()
    deaths = 0
    for number in range(1, 200):
        with common.Folder() as folder:
            cache = folder / "cache"
            result = common.run([many(), 4], **with_faults(cache, FAULT_KILL=number))
            if result.code == 0:
                break
            common.check(result.code == -signal.SIGKILL, f"call {number}: code {result.code}: {result.text}")
            deaths += 1
            common.run([many(), 4], SINTER_CACHE_DIR=cache).expect(contains=["host_entry=0"])
            # The cache has no code for this kernel, so this process writes, too.
            common.run([many(), 5], SINTER_CACHE_DIR=cache).expect(contains=["jit=1"])
            check_clean(cache, f"killed at call {number}")
            common.run([many(), 4, 5], SINTER_CACHE_DIR=cache).expect(contains=["cache=2"])
    else:
        raise AssertionError("the program never came to its end")
    common.check(deaths >= 5, f"only {deaths} calls were seen: the faults library misses some")


def test_crowd():
    """64 processes share one cold cache, and some of them are killed at random moments; the others get right results"""
    common.not_sanitized()
    with common.Folder() as folder, concurrent.futures.ThreadPoolExecutor(64) as pool:
        cache = folder / "cache"
        jobs = []
        for number in range(64):
            settings = with_faults(cache, FAULT_KILL=1 + number) if number % 8 == 0 else {"SINTER_CACHE_DIR": cache}
            jobs.append((number, pool.submit(common.run, [many(), 1 + number % 4, 1 + (number + 1) % 4], **settings)))
        for number, job in jobs:
            result = job.result()
            if number % 8 == 0 and result.code == -signal.SIGKILL:
                continue
            result.expect(contains=["host_entry=0"], lacks=["damaged"])
        common.run([many(), 1, 2, 3, 4], SINTER_CACHE_DIR=cache).expect(contains=["host_entry=0"])
        common.run([many(), 6], SINTER_CACHE_DIR=cache).expect(contains=["jit=1"])
        check_clean(cache, "after the crowd")
        common.run([many(), 1, 2, 3, 4, 6], SINTER_CACHE_DIR=cache).expect(contains=["cache=5"])


def test_limit():
    """the cache stays within its limit, and the entries used last are kept longest"""
    common.not_sanitized()
    with common.Folder() as folder:
        cache = folder / "cache"
        common.run([many(), 1], SINTER_CACHE_DIR=cache).expect()
        first = names(cache)[0]
        # Adds files that look like kernels that were used long ago. The limit is 1 MiB.
        for number in range(16):
            ballast = folder.write(f"cache/{number:032x}.so", "x" * 65536)
            os.utime(ballast, (1000 + number, 1000 + number))
        os.utime(os.path.join(cache, first), (500, 500))
        common.run([many(), 1], SINTER_CACHE_DIR=cache, SINTER_CACHE_SIZE=1).expect(contains=["cache=1"])
        common.run([many(), 2], SINTER_CACHE_DIR=cache, SINTER_CACHE_SIZE=1).expect(contains=["jit=1"])
        left = names(cache)
        size = sum(os.path.getsize(os.path.join(cache, name)) for name in left)
        common.check(size <= 1 << 20, f"{size} bytes are left")
        common.check(first in left, "a kernel used a moment ago was removed")
        common.check(f"{0:032x}.so" not in left and f"{15:032x}.so" in left, f"not the oldest went: {left}")
        common.run([many(), 1, 2], SINTER_CACHE_DIR=cache).expect(contains=["cache=2"])


def test_small_disk():
    """results are right if a real file system is full or read-only"""
    common.not_sanitized()
    common.need("unshare", "mount")
    for options in ("size=4k", "ro"):
        with common.Folder() as folder:
            os.mkdir(folder / "disk", 0o700)
            script = 'mount -t tmpfs -o mode=700,"$0" none "$1" && shift && exec "$@"'
            command = ["unshare", "-m", "sh", "-c", script, options, folder / "disk", many(), 1, 2]
            probe = subprocess.run(["unshare", "-m", "sh", "-c", 'mount -t tmpfs none "$0"', folder / "disk"],
                                   stderr=subprocess.DEVNULL, check=False)
            if probe.returncode != 0:
                raise common.Skip("file systems can't be mounted here")
            common.run(command, SINTER_CACHE_DIR=folder / "disk").expect(contains=["host_entry=0 jit=2", "could not be kept"])


def test_no_files():
    """if a pipe, a socket, a link, a device or a folder has the name of an entry, no process waits for it"""
    common.not_sanitized()
    def make_socket(path):
        with socket.socket(socket.AF_UNIX) as end:
            end.bind(path)
    makers = {"pipe": os.mkfifo, "folder": os.mkdir, "socket": make_socket,
              "dead link": lambda path: os.symlink("nowhere", path),
              "terminal": lambda path: os.symlink("/dev/ptmx", path)}
    with common.Folder() as folder:
        cache = folder / "c"
        common.run([many(), 3], SINTER_CACHE_DIR=cache).expect(contains=["jit=1"])
        entry = os.path.join(cache, names(cache)[0])
        for name, make in makers.items():
            os.remove(entry)
            make(entry)
            common.run([many(), 3], timeout=100, SINTER_CACHE_DIR=cache).expect(contains=["jit=1"])
            if name == "folder":
                os.rmdir(entry)
                common.run([many(), 3], SINTER_CACHE_DIR=cache).expect(contains=["jit=1"])
            # If the path is not a regular file, the next write replaces it by a regular file.
            common.run([many(), 3], SINTER_CACHE_DIR=cache).expect(contains=["cache=1"])
            check_clean(cache, name)


def test_size_limit():
    """if the limit for file sizes is too small, kernels are not stored, and the program continues"""
    common.not_sanitized()
    for blocks in (0, 1, 4):
        with common.Folder() as folder:
            cache = folder / "cache"
            command = ["sh", "-c", 'ulimit -f "$1" && shift && exec "$@"', "sh", blocks, many(), 3, 4]
            result = common.run(command, SINTER_CACHE_DIR=cache).expect(contains=["host_entry=0 jit=2"])
            check_clean(cache, f"at most {blocks} blocks")
            common.check("could not be kept" in result.err, f"nothing was said about {blocks} blocks: {result.err}")
            common.run([many(), 3, 4], SINTER_CACHE_DIR=cache).expect(contains=["host_entry=0"])


def test_relative_folders():
    """relative paths are refused as cache folders"""
    common.not_sanitized()
    with common.Folder() as folder:
        nothing = {"SINTER_CACHE_DIR": None, "XDG_CACHE_HOME": None, "HOME": None}
        for variables in ({"HOME": "home"}, {"HOME": "."}, {"XDG_CACHE_HOME": "x"}, {"SINTER_CACHE_DIR": "cache"}):
            for _ in range(2):
                result = common.run([many(), 3], cwd=folder.path, **{**nothing, **variables}).expect(contains=["jit=1"])
                common.check(("SINTER_CACHE_DIR=" in result.err) == ("SINTER_CACHE_DIR" in variables), result.err)
        common.check(not os.listdir(folder.path), f"something was made: {os.listdir(folder.path)}")


def test_parents():
    """a folder that another user could replace is refused, also if it is reached by links"""
    common.not_sanitized()
    with common.Folder() as folder:
        os.makedirs(folder / "open/deep", 0o700)
        os.symlink(folder / "open/deep", folder / "link")
        for mode in (0o777, 0o770):
            os.chmod(folder / "open", mode)
            for place in ("open/deep", "open/deep/cache", "link/cache"):
                result = common.run([many(), 3], SINTER_CACHE_DIR=folder / place).expect(contains=["jit=1"])
                common.check("could put another folder in its place" in result.err, f"{place}: {result.err}")
                common.run([many(), 3], SINTER_CACHE_DIR=folder / place).expect(contains=["jit=1"])
        # In this folder, as in /tmp, only owners may rename their files.
        os.chmod(folder / "open", 0o1777)
        common.run([many(), 3], SINTER_CACHE_DIR=folder / "link/cache").expect(contains=["jit=1"])
        common.run([many(), 3], SINTER_CACHE_DIR=folder / "open/deep/cache").expect(contains=["cache=1"])
        if os.geteuid() == 0:
            os.makedirs(folder / "theirs/cache")
            os.chown(folder / "theirs", 12345, 12345)
            result = common.run([many(), 3], SINTER_CACHE_DIR=folder / "theirs/cache").expect(contains=["jit=1"])
            common.check("belongs to another user" in result.err, result.err)


def test_raised_rights():
    """a program with more rights than its user uses neither environment variables nor a cache of that user"""
    common.not_sanitized()
    with common.Folder() as folder:
        program = folder / "many"
        shutil.copy(many(), program)
        cache = folder / "cache"
        common.raise_rights(folder, [program, 3], SINTER_CACHE="0")
        for _ in range(2):
            # Otherwise the compiler would complain on stderr about these variables, and the runtime would select
            # another device.
            result = common.run([program, 3], SINTER_CACHE_DIR=cache, SINTER_NONSENSE="1", SINTER_HOST_ENTRY="1",
                                SINTER_PASSES="nonsense", SINTER_BISECT="1", SINTER_CPU="x86-64-v2",
                                OCL_ICD_VENDORS=os.path.join(common.BUILD, "opencl-driver"))
            result.expect(contains=["host_entry=0 jit=1"])
            common.check(result.err == "" and not os.path.exists(cache), f"it listened: {result.err}")


common.main(globals())
