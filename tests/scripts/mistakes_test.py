#!/usr/bin/env python3
"""Mistakes in calls of templates: the first error is one sentence of ours, from clang and from g++."""
import re

import common

PROGRAM = """
#include <sycl/sycl.hpp>
#include <memory>
int main() {
  sycl::queue queue;
  sycl::buffer<int> buffer(4);
  int* data = sycl::malloc_shared<int>(4, queue);
  MISTAKE
}
"""
GROUP = "queue.submit([&](sycl::handler& handler) { %s });"
TAKES = "the kernel function does not take what this kernel gives it"

#: What is wrong: the mistake, and the sentence.
MISTAKES = {
    "handler before buffer": (GROUP % "sycl::accessor out(handler, buffer, sycl::read_only);",
                              "the buffer stands before the handler"),
    "handler before buffer, with types": (GROUP % "sycl::accessor<int, 1> out(handler, buffer);",
                                          "the buffer stands before the handler"),
    "a mode that is no tag": (GROUP % "sycl::accessor out(buffer, handler, sycl::access_mode::read);",
                              "an accessor's mode is sycl::read_only"),
    "other dimensions": (GROUP % "sycl::accessor<int, 2> out(buffer, handler);", "other dimensions than its buffer"),
    "another element type": (GROUP % "sycl::accessor<float, 1> out(buffer, handler);", "another element type than its buffer"),
    "a host_accessor for a kernel": (GROUP % "sycl::host_accessor out(buffer, handler);", "a host_accessor takes no handler"),
    "a copy to what the host may not write": (
        "namespace oneapi = sycl::ext::oneapi::experimental;"
        "static oneapi::device_global<int, decltype(oneapi::properties(oneapi::host_access_read))> all;"
        "queue.copy(data, all);", "the host does not write this device_global"),
    "a copy from what the host may not read": (
        "namespace oneapi = sycl::ext::oneapi::experimental;"
        "static oneapi::device_global<int, decltype(oneapi::properties(oneapi::host_access_none))> all;"
        "queue.memcpy(data, all);", "the host does not read this device_global"),
    "a variable of devices with a destructor": (
        "static sycl::ext::oneapi::experimental::device_global<std::unique_ptr<int>> all;", "nobody destroys a device_global"),
    "handler before range": (GROUP % "sycl::local_accessor<int, 1> local(handler, sycl::range<1>(4));",
                             "the range stands before the handler"),
    "an id of other dimensions": ("queue.parallel_for(sycl::range<1>(4), [=](sycl::id<2>) {});", TAKES),
    "an nd_item of a range": ("queue.parallel_for(sycl::range<1>(4), [=](sycl::nd_item<1>) {});", TAKES),
    "an item by reference": ("queue.parallel_for(sycl::range<1>(4), [=](sycl::item<1>&) {});", "by value or reference to const"),
    "a single task with an argument": ("queue.single_task([=](int) {});", TAKES),
    "a mutable lambda": ("int n = 0; queue.parallel_for(sycl::range<1>(4), [=](sycl::id<1>) mutable { ++n; });",
                         "the kernel function may not change itself"),
    "a capture that can't be copied": ("auto p = std::make_unique<int>(1); queue.single_task([p = std::move(p)] {});",
                                       "the kernel function can't be copied"),
    "no reducer": ("queue.parallel_for(sycl::range<1>(4), sycl::reduction(data, sycl::plus<int>()), [=](sycl::id<1>) {});",
                   "then one reducer for each reduction"),
    "a reduction behind the kernel": ("queue.parallel_for(sycl::range<1>(4), [=](sycl::id<1>, auto& sum) { sum += 1; }, "
                                      "sycl::reduction(data, sycl::plus<int>()));", "reductions before the kernel function"),
    "the range behind the kernel": (GROUP % "handler.parallel_for([=](sycl::id<1>) {}, sycl::range<1>(4));",
                                    "takes the range first"),
    "a command group without a handler": ("queue.submit([&] {});", "submit takes a function of a handler"),
    "a handler by value": ("queue.submit([&](sycl::handler handler) {});", "submit takes a function of a handler"),
    "a host task with an argument": (GROUP % "handler.host_task([](int) {});", "a host task's function takes nothing"),
    "an atomic of two bytes": ("short n = 0; sycl::atomic_ref<short, sycl::memory_order::relaxed, "
                               "sycl::memory_scope::device> r(n);", "atomic_ref is for integers of 4 or 8 bytes"),
}


def make(title, mistake, sentence, compiler):
    def test():
        common.not_sanitized()
        common.need(compiler)
        with common.Folder() as folder:
            source = folder.write("wrong.cpp", PROGRAM.replace("MISTAKE", mistake))
            package = "sinter" if compiler == common.CLANGXX else "sinter-library"
            flags = common.read_headers("-std=c++20", "-DSINTER_LEAN_HEADERS", *common.pkg_config(package, "--cflags"),
                                        compiler=compiler)
            result = common.run([compiler, *flags, "-fsyntax-only", source])
            common.check(result.code != 0, "it compiles")
            first = re.search(r"error: (.*)", result.err)
            common.check(first and sentence in first.group(1), f"the first error is not ours:\n{result.err[:1500]}")

    test.__doc__ = f"{compiler}: {title}"
    return test


for number, (name, (wrong, expected)) in enumerate(MISTAKES.items()):
    for its_compiler in (common.CLANGXX, common.GXX):
        globals()[f"test_{number}_{its_compiler}"] = make(name, wrong, expected, its_compiler)

common.main(globals())
