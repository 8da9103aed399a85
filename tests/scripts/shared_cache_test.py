#!/usr/bin/env python3
"""Processes that start at the same time with one cold cache: one process compiles a kernel, and the others wait for it,
but not for ever."""
import concurrent.futures
import errno
import fcntl
import glob
import os
import re
import signal
import subprocess
import sys
import time

import common

FOLDER = common.Folder()
BUILT = {}

#: A kernel that takes some tenths of a second to compile, and two short kernels. The arguments select the kernels that
#: run, and their order.
LONG = r"""
#include <sycl/ext/sinter/counters.hpp>
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstring>
#include <utility>

template <int... N> float chain(float x, std::integer_sequence<int, N...>) {
  ((x = x * (1.0f + N) + sycl::sin(x + N) * (x > N ? 1.0f : sycl::exp(-x))), ...);
  return x;
}

int main(int count, char** words) {
  sycl::queue queue;
  float* data = sycl::malloc_shared<float>(64, queue);
  int* numbers = sycl::malloc_shared<int>(64, queue);
  bool right = true;
  for (int at = 1; at < count; ++at) {
    if (std::strcmp(words[at], "long") == 0) {
      queue.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) {
        data[i] = chain(i[0] * 0.01f, std::make_integer_sequence<int, 60>());
      }).wait();
    } else if (std::strcmp(words[at], "twice") == 0) {
      queue.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { numbers[i] = 2 * static_cast<int>(i[0]); }).wait();
      right &= numbers[21] == 42;
    } else {
      queue.parallel_for(sycl::range<1>(64), [=](sycl::id<1> i) { numbers[i] = 3 * static_cast<int>(i[0]); }).wait();
      right &= numbers[14] == 42;
    }
  }
  const auto tiers = sycl::ext::sinter::launch_counters();
  std::printf("%s host_entry=%llu jit=%llu cache=%llu\n", right ? "right" : "wrong", (unsigned long long)tiers.host_entry,
              (unsigned long long)tiers.jit, (unsigned long long)tiers.cache);
  sycl::free(data, queue);
  sycl::free(numbers, queue);
  return right ? 0 : 1;
}
"""

#: A program that fuses two kernels.
FUSED = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
#include <utility>
namespace cx = sycl::ext::codeplay::experimental;

template <int... N> float chain(float x, std::integer_sequence<int, N...>) {
  ((x = x * 0.5f + sycl::sin(x + N)), ...);
  return x;
}

int main() {
  sycl::queue queue{cx::property::queue::enable_fusion{}};
  float* data = sycl::malloc_shared<float>(4096, queue);
  cx::fusion_wrapper fusion(queue);
  fusion.start_fusion();
  queue.parallel_for(sycl::range<1>(4096), [=](sycl::id<1> i) {
    data[i] = chain(0.5f, std::make_integer_sequence<int, 40>());
  });
  queue.parallel_for(sycl::range<1>(4096), [=](sycl::id<1> i) { data[i] = data[i] == data[i] ? 1.0f : 2.0f; });
  fusion.complete_fusion();
  queue.wait();
  const bool right = data[77] == 1.0f;
  std::puts(right ? "right" : "wrong");
  sycl::free(data, queue);
  return right ? 0 : 1;
}
"""


def program(name="long"):
    common.not_sanitized()
    if name not in BUILT:
        source = FOLDER.write(name + ".cpp", {"long": LONG, "fused": FUSED}[name])
        common.compile_program(source, FOLDER / name, "-O2").expect()
        BUILT[name] = FOLDER / name
    return BUILT[name]


def counts(result):
    """Returns how many launches ran code from the JIT, and how many ran code from the cache."""
    found = re.search(r"right host_entry=0 jit=(\d+) cache=(\d+)", result.out)
    common.check(found, "not right: " + result.text)
    return int(found.group(1)), int(found.group(2))


def lock_of_kernel(folder, word):
    """Runs one of the kernels. Returns the path of the kernel's lock file, and removes the kernel from the cache in
    folder/cache."""
    common.run([program(), word], SINTER_CACHE_DIR=folder / "cache").expect()
    kernel, = glob.glob(folder / "cache/*.so")
    os.remove(kernel)
    return folder / "cache/.lock-" + os.path.basename(kernel).removesuffix(".so")


def check_clean(cache):
    left = [name for name in os.listdir(cache) if name.startswith(".")]
    common.check(not left, f"left behind: {left}")


class Timer:
    def __init__(self):
        self.start = time.monotonic()

    def seconds(self):
        return time.monotonic() - self.start


def test_one_compiles():
    """if four processes start at the same time with a cold cache, one compiles each kernel, and the others load it"""
    for words in (["long"], ["long", "twice", "thrice"]):
        with common.Folder() as folder, concurrent.futures.ThreadPoolExecutor(4) as pool:
            jobs = [pool.submit(common.run, [program(), *words], SINTER_CACHE_DIR=folder / "cache") for _ in range(4)]
            found = [counts(job.result().expect()) for job in jobs]
            compiled, loaded = (sum(numbers) for numbers in zip(*found))
            common.check(compiled == len(words) and loaded == 3 * len(words), f"(compiled, loaded): {found}")
            check_clean(folder / "cache")


def test_one_fuses():
    """if four processes have the same fusion list, one compiles it"""
    with common.Folder() as folder, concurrent.futures.ThreadPoolExecutor(4) as pool:
        settings = {"SINTER_CACHE_DIR": folder / "cache", "SINTER_REPORT": "summary"}
        results = [job.result().expect(contains=["right"]) for job in
                   [pool.submit(common.run, [program("fused")], **settings) for _ in range(4)]]
        compiled = [int(re.search(r"(\d+) kernels compiled", result.err).group(1)) for result in results]
        common.check(sorted(compiled) == [0, 0, 0, 1], f"kernels compiled: {compiled}")
        check_clean(folder / "cache")


def test_crossed_orders():
    """processes that need the same kernels in different orders do not deadlock"""
    with common.Folder() as folder, concurrent.futures.ThreadPoolExecutor(4) as pool:
        for attempt in range(5):
            cache = folder / f"cache{attempt}"
            orders = [["long", "twice", "thrice"], ["thrice", "long", "twice"], ["twice", "thrice", "long"],
                      ["thrice", "twice", "long"]]
            timer = Timer()
            jobs = [pool.submit(common.run, [program(), *order], SINTER_CACHE_DIR=cache) for order in orders]
            for job in jobs:
                common.check(sum(counts(job.result().expect(lacks=["another process"]))) == 3, job.result().text)
            common.check(timer.seconds() < 25, f"it took {timer.seconds():.0f} s")
            check_clean(cache)


def test_killed_holder():
    """if the process that compiles is killed, the process that waits for it compiles at once"""
    holder = ("import fcntl, sys, time; f = open(sys.argv[1], 'w'); fcntl.flock(f, fcntl.LOCK_EX); "
              "print('held', flush=True); time.sleep(600)")
    with common.Folder() as folder:
        lock = lock_of_kernel(folder, "twice")
        with subprocess.Popen([sys.executable, "-c", holder, lock], stdout=subprocess.PIPE) as other, \
             concurrent.futures.ThreadPoolExecutor(1) as pool:
            try:
                other.stdout.readline()
                job = pool.submit(common.run, [program(), "twice"], SINTER_CACHE_DIR=folder / "cache")
                time.sleep(2)
                common.check(not job.done(), "it did not wait: " + (job.result().text if job.done() else ""))
                timer = Timer()
            finally:
                other.send_signal(signal.SIGKILL)
            common.check(counts(job.result().expect()) == (1, 0), job.result().text)
            common.check(timer.seconds() < 10, f"it went on {timer.seconds():.0f} s later")
        check_clean(folder / "cache")


def test_bounded_wait():
    """if a process never finishes compiling, the others wait as long as SINTER_CACHE_WAIT says"""
    with common.Folder() as folder:
        lock = lock_of_kernel(folder, "twice")
        with open(lock, "w", encoding="utf-8") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            settings = {"SINTER_CACHE_DIR": folder / "cache"}
            timer = Timer()
            result = common.run([program(), "twice"], SINTER_CACHE_WAIT=2, **settings)
            result.expect(contains=["right host_entry=0 jit=1", "another process has been compiling kernel", "2 s"])
            common.check(2 <= timer.seconds() < 15, f"it took {timer.seconds():.1f} s instead of 2")
            common.check(os.path.exists(lock), "a lock that somebody holds was removed")
            # The kernel is stored nevertheless, so later processes do not wait.
            common.run([program(), "twice"], **settings).expect(contains=["jit=0 cache=1"], lacks=["another process"])
            os.remove(glob.glob(folder / "cache/*.so")[0])
            timer = Timer()
            result = common.run([program(), "twice"], SINTER_CACHE_WAIT=0, **settings)
            result.expect(contains=["jit=1"], lacks=["another process"])
            common.check(timer.seconds() < 15, f"it took {timer.seconds():.1f} s without waiting")
        # The next process that writes to the cache removes the files that ended processes have left.
        common.run([program(), "thrice"], **settings).expect(contains=["jit=1"])
        check_clean(folder / "cache")


def test_no_lock_files():
    """a pipe, a folder or a link in place of a lock file blocks no process, and the target of a link is not changed"""
    with common.Folder() as folder:
        lock = lock_of_kernel(folder, "twice")
        folder.write("precious", "text")
        makers = {"pipe": os.mkfifo, "folder": os.mkdir, "dead link": lambda path: os.symlink(folder / "nowhere", path),
                  "terminal": lambda path: os.symlink("/dev/ptmx", path),
                  "link": lambda path: os.symlink(folder / "precious", path)}
        for name, make in makers.items():
            make(lock)
            result = common.run([program(), "twice"], timeout=100, SINTER_CACHE_DIR=folder / "cache")
            common.check(counts(result.expect()) == (1, 0), f"{name}: {result.text}")
            common.run([program(), "twice"], SINTER_CACHE_DIR=folder / "cache").expect(contains=["cache=1"])
            os.remove(glob.glob(folder / "cache/*.so")[0])
            (os.rmdir if name == "folder" else os.remove)(lock)
        common.check(not os.path.exists(folder / "nowhere"), "a link was followed")
        with open(folder / "precious", encoding="utf-8") as file:
            common.check(file.read() == "text", "a file elsewhere was changed")


def test_no_locks():
    """if files can't be locked, each process compiles, and gets right results"""
    source = os.path.join(common.SOURCE, "tests/scripts/faults.c")
    program()
    common.run(["clang-" + common.LLVM, "-shared", "-fPIC", "-O1", source, "-o", FOLDER / "faults.so"]).expect()
    for code in (errno.ENOLCK, errno.ENOSYS, errno.EINVAL):
        with common.Folder() as folder:
            cache = folder / "cache"
            settings = {"LD_PRELOAD": FOLDER / "faults.so", "FAULT_FOLDER": cache, "SINTER_CACHE_DIR": cache}
            result = common.run([program(), "twice", "thrice"], FAULT_CALLS="flock", FAULT_ERRNO=code, **settings)
            common.check(counts(result.expect()) == (2, 0) and result.err == "", result.text)
            check_clean(cache)
            common.run([program(), "twice", "thrice"], SINTER_CACHE_DIR=cache).expect(contains=["cache=2"])


common.main(globals())
