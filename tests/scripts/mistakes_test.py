#!/usr/bin/env python3
"""Mistakes in calls of templates: the first error is one sentence of Sinter's, from clang and from g++, and
clang adds few lines."""
import functools
import re

import common

PROGRAM = """
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/device_global/device_global.hpp>
#include <sycl/ext/oneapi/experimental/forward_progress.hpp>
#include <memory>
#include <string>
#include <vector>
constexpr sycl::specialization_id<int> five(5);
void function(sycl::id<1>) {}
int main() {
  sycl::queue queue;
  sycl::buffer<int> buffer(4);
  int* data = sycl::malloc_shared<int>(4, queue);
  MISTAKE
}
"""
PROGRESS = "namespace ex = sycl::ext::oneapi::experimental; using guarantee = ex::forward_progress_guarantee; "
GROUP = "queue.submit([&](sycl::handler& handler) { %s });"
GROUPS = "queue.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1> item) { %s });"
SUM = "sycl::reduction(data, sycl::plus<int>())"
REDUCED = f"queue.parallel_for(sycl::range<1>(4), {SUM}, [=](sycl::id<1>, auto& sum) {{ %s }});"
TAKES = "the kernel function does not take what this kernel gives it"
ORDER = "parallel_for takes the range first"
ONE_RANGE = "parallel_for takes one range"
NO_FUNCTION = "a launch ends with the kernel function"
EVENTS = "events stand right behind the range"
ONCE = "single_task takes"
SUBMIT = "submit takes a function of a handler"
ACCESSOR = "an accessor is made from a buffer that is not const, the handler"
LOCAL = "a local_accessor is made from a range of as many dimensions, not a buffer, and the handler"
BUFFER = "a buffer is made from a range of as many dimensions"
REDUCTION = "a reduction is made from a pointer"
REDUCER = "a reducer takes values by combine()"

#: Each mistake, with the sentence that the compiler must print.
MISTAKES = {
    "handler before buffer": (GROUP % "sycl::accessor out(handler, buffer, sycl::read_only);",
                              "the buffer stands before the handler"),
    "handler before buffer, with types": (GROUP % "sycl::accessor<int, 1> out(handler, buffer);",
                                          "the buffer stands before the handler"),
    "a mode that is no tag": (GROUP % "sycl::accessor out(buffer, handler, sycl::access_mode::read);",
                              ACCESSOR),
    "other dimensions": (GROUP % "sycl::accessor<int, 2> out(buffer, handler);", "other dimensions than its buffer"),
    "another element type": (GROUP % "sycl::accessor<float, 1> out(buffer, handler);",
                             "another element type than its buffer"),
    "a host_accessor for a kernel": (GROUP % "sycl::host_accessor out(buffer, handler);",
                                     "a host_accessor takes no handler"),
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
    "an item by reference": ("queue.parallel_for(sycl::range<1>(4), [=](sycl::item<1>&) {});",
                             "by value or reference to const"),
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
                                    ORDER),
    "a command group without a handler": ("queue.submit([&] {});", SUBMIT),
    "a handler by value": ("queue.submit([&](sycl::handler handler) {});", SUBMIT),
    "a host task with an argument": (GROUP % "handler.host_task([](int) {});", "a host task's function takes nothing"),
    "an atomic of two bytes": ("short n = 0; sycl::atomic_ref<short, sycl::memory_order::relaxed, "
                               "sycl::memory_scope::device> r(n);", "atomic_ref is for integers of 4 or 8 bytes"),
    "concurrent work-groups of a range": (
        PROGRESS + "queue.parallel_for(sycl::range<1>(4), ex::properties{ex::work_group_progress<"
        "guarantee::concurrent, ex::execution_scope::root_group>}, [=](sycl::id<1>) {});",
        "is for launches over an nd_range"),
    "progress among threads of a narrower scope": (
        PROGRESS + "queue.single_task(ex::properties{ex::work_group_progress<guarantee::parallel, "
        "ex::execution_scope::sub_group>}, [=] {});", "is wider than the property's scope"),

    # Launches.
    "the number behind the kernel": ("queue.parallel_for([=](sycl::id<1>) {}, 4);", ORDER),
    "the range behind the kernel, with a name": (
        "queue.parallel_for<class Name>([=](sycl::id<1>) {}, sycl::range<1>(4));",
        ORDER),
    "two numbers": ("queue.parallel_for(8, 8, [=](sycl::id<2>) {});", ONE_RANGE),
    "two numbers, with a name": ("queue.parallel_for<class Name>(8, 8, [=](sycl::id<2>) {});", ONE_RANGE),
    "two numbers of a handler": (GROUP % "handler.parallel_for(8, 8, [=](sycl::id<2>) {});", ONE_RANGE),
    "two ranges": ("queue.parallel_for(sycl::range<1>(8), sycl::range<1>(4), [=](sycl::nd_item<1>) {});", ONE_RANGE),
    "braces for an nd_range": ("queue.parallel_for({8, 4}, [=](sycl::nd_item<1>) {});", TAKES),
    "no range": ("queue.parallel_for([=](sycl::id<1>) {});", ORDER),
    "no kernel": ("queue.parallel_for(sycl::range<1>(8));", "behind the range, parallel_for takes the kernel function"),
    "nothing": ("queue.parallel_for();", ORDER),
    "a number for a kernel": ("queue.parallel_for(sycl::range<1>(8), 5);", NO_FUNCTION),
    "a pointer for a kernel": ("queue.parallel_for<class Name>(sycl::range<1>(8), data);", NO_FUNCTION),
    "a function for a kernel": ("queue.parallel_for(sycl::range<1>(8), function);", "call it in a lambda"),
    "a single task over a range": ("queue.single_task(sycl::range<1>(8), [=] {});", ONCE),
    "a single task over a range, with a name": ("queue.single_task<class Name>(sycl::range<1>(8), [=] {});", ONCE),
    "a single task over a range, of a handler": (GROUP % "handler.single_task(sycl::range<1>(8), [=] {});", ONCE),
    "a single task with a reduction": (f"queue.single_task({SUM}, [=](auto& sum) {{ sum += 1; }});", ONCE),
    "a number for a single task": ("queue.single_task(8);", NO_FUNCTION),
    "an event behind the kernel": ("queue.parallel_for(sycl::range<1>(8), [=](sycl::id<1>) {}, sycl::event());",
                                   EVENTS),
    "an event behind the single task": ("queue.single_task([=] {}, sycl::event());", ONCE),
    "an event for a handler": (GROUP % "handler.parallel_for(sycl::range<1>(8), sycl::event(), [=](sycl::id<1>) {});",
                               EVENTS),
    "an event behind the reduction": (
        f"queue.parallel_for(sycl::range<1>(4), {SUM}, sycl::event(), [=](sycl::id<1>, auto&) {{}});",
        EVENTS),
    "a command group of a kernel": ("queue.submit(sycl::range<1>(4), [=](sycl::id<1>) {});", SUBMIT),
    "a command group of an item": ("queue.submit([=](sycl::item<1>) {});", SUBMIT),
    "nothing submitted": ("queue.submit();", SUBMIT),
    "an id of an nd_range of two dimensions": (
        "queue.parallel_for(sycl::nd_range<2>({8, 8}, {4, 4}), [=](sycl::id<1>) {});",
        TAKES),
    "an int of an nd_range": ("queue.parallel_for(sycl::nd_range<1>(8, 4), [=](int) {});",
                              "over an nd_range an nd_item"),
    "a size_t of an nd_range": ("queue.parallel_for(sycl::nd_range<1>(8, 4), [=](std::size_t) {});",
                                "over an nd_range an nd_item"),
    "an nd_item by reference": ("queue.parallel_for(sycl::nd_range<1>(8, 4), [=](sycl::nd_item<1>&) {});", TAKES),
    "an int of two dimensions": ("queue.parallel_for(sycl::range<2>(8, 8), [=](int) {});", TAKES),
    "two ints": ("queue.parallel_for(sycl::range<2>(8, 8), [=](int, int) {});", TAKES),
    "no item": ("queue.parallel_for(sycl::range<1>(8), [=] {});", TAKES),
    "a kernel_handler before the item": (
        "queue.parallel_for(sycl::range<1>(8), [=](sycl::kernel_handler, sycl::id<1>) {});",
        TAKES),
    "a kernel_handler by reference": ("queue.single_task([=](sycl::kernel_handler&) {});", TAKES),
    "work-groups of items": (
        GROUP % "handler.parallel_for_work_group(sycl::range<1>(8), sycl::range<1>(4), [=](sycl::item<1>) {});",
        "gives its function a group"),
    "an nd_range of different dimensions": ("sycl::nd_range bad(sycl::range(8, 8), sycl::range(4));",
                                            "as many dimensions as itself"),
    "an nd_range<2> of different dimensions": ("sycl::nd_range<2> bad(sycl::range<2>(8, 8), sycl::range<1>(4));",
                                               "as many dimensions as itself"),
    "an nd_range of one range": ("sycl::nd_range<1> bad(8);", "an nd_range has a global range and the local one"),
    "an nd_range of numbers": ("sycl::nd_range bad(8, 4);", "do not tell how many dimensions"),

    # Reductions.
    "a reduction before the range": (f"queue.parallel_for({SUM}, sycl::range<1>(4), [=](sycl::id<1>, auto&) {{}});",
                                     ORDER),
    "the kernel between reductions": (
        f"queue.parallel_for(sycl::range<1>(4), {SUM}, [=](sycl::id<1>, auto&, auto&) {{}}, {SUM});",
        "reductions before the kernel function"),
    "a reduction without a kernel": (f"queue.parallel_for(sycl::range<1>(4), {SUM});", "comes behind the reductions"),
    "a reducer by value": (f"queue.parallel_for(sycl::range<1>(4), {SUM}, [=](sycl::id<1>, auto) {{}});",
                           "by reference (auto&)"),
    "an id of an nd_range with a reduction": (
        f"queue.parallel_for(sycl::nd_range<1>(8, 4), {SUM}, [=](sycl::id<1>, auto&) {{}});",
        "over an nd_range an nd_item"),
    "a mutable lambda that reduces": (
        f"queue.parallel_for(sycl::range<1>(4), {SUM}, [=](sycl::id<1>, auto&) mutable {{}});",
        "may not change itself"),
    "no operator": ("auto sum = sycl::reduction(data);", REDUCTION),
    "a buffer reduced without a handler": ("auto sum = sycl::reduction(buffer, sycl::plus<int>());", REDUCTION),
    "a number reduced": ("int n = 0; auto sum = sycl::reduction(n, sycl::plus<int>());", REDUCTION),
    "the identity behind the operator": ("auto sum = sycl::reduction(data, sycl::plus<int>(), 0);", REDUCTION),
    "a reducer subtracted from": (REDUCED % "sum -= 1;", REDUCER),
    "a reducer read": (REDUCED % "sum = sum + 1;", REDUCER),

    # Accessors and buffers.
    "a queue for a handler": ("sycl::accessor out(buffer, queue, sycl::read_only);", ACCESSOR),
    "the mode before the handler": (GROUP % "sycl::accessor out(buffer, sycl::read_only, handler);", ACCESSOR),
    "the range before the handler": (GROUP % "sycl::accessor out(buffer, sycl::range<1>(2), handler);", ACCESSOR),
    "the offset before the range": (GROUP % "sycl::accessor out(buffer, handler, sycl::id<1>(2), sycl::range<1>(2));",
                                    ACCESSOR),
    "a range of other dimensions": (GROUP % "sycl::accessor out(buffer, handler, sycl::range<2>(2, 2));", ACCESSOR),
    "an accessor of a container": (
        "std::vector<int> v(4);" + GROUP % "sycl::accessor out(v, handler, sycl::read_only);",
        ACCESSOR),
    "an accessor of a const buffer": ("const auto& b = buffer;" + GROUP % "sycl::accessor out(b, handler);", ACCESSOR),
    "a mode that is no tag, of a host_accessor": ("sycl::host_accessor out(buffer, sycl::access_mode::read);",
                                                  "a host_accessor is made from a buffer"),
    "a local_accessor without handler": (GROUP % "sycl::local_accessor<int, 1> local(4);", LOCAL),
    "a local_accessor of a queue": ("sycl::local_accessor<int, 1> local(sycl::range<1>(4), queue);", LOCAL),
    "a local_accessor of a buffer": (GROUP % "sycl::local_accessor<int, 1> local(buffer, handler);", LOCAL),
    "a local_accessor of other dimensions": (GROUP % "sycl::local_accessor<int, 2> local(sycl::range<1>(4), handler);",
                                             LOCAL),
    "a local_accessor without a type": (GROUP % "sycl::local_accessor local(sycl::range<1>(4), handler);",
                                        "has an element type"),
    "a buffer of a temporary": ("sycl::buffer<int> b(std::vector<int>(4));", BUFFER),
    "a buffer of a container and a range": ("std::vector<int> v(16); sycl::buffer<int, 2> b(v, sycl::range<2>(4, 4));",
                                            BUFFER),
    "a buffer of other elements": ("std::vector<float> v(4); sycl::buffer<int> b(v);", BUFFER),
    "a buffer of other dimensions": ("sycl::buffer<int, 2> b(sycl::range<1>(4));", BUFFER),
    "the range before the pointer": ("sycl::buffer<int> b(sycl::range<1>(4), data);", BUFFER),
    "a buffer without elements": ("sycl::buffer b(sycl::range<1>(4));", "says which elements it has"),
    "a buffer of a pointer alone": ("sycl::buffer<int> b(data);", BUFFER),
    "a buffer of a pointer and a number": ("sycl::buffer b(data, 16);", "behind a pointer, a buffer takes the range"),

    # Memory.
    "memory of a queue, first": ("int* p = sycl::malloc_shared<int>(queue, 4);",
                                 "malloc_shared<T> takes how many elements"),
    "memory of a device alone": ("int* p = sycl::malloc_device<int>(4, queue.get_device());", "malloc_device<T> takes"),
    "memory freed without a queue": ("sycl::free(data);", "sycl::free takes the pointer, then a queue"),
    "memcpy of a vector": ("std::vector<int> v(4); queue.memcpy(data, v, 16);", "memcpy takes where to"),
    "memcpy without a size": ("queue.memcpy(data, data);", "memcpy takes where to"),
    "copy of another type": ("float f[4]; queue.copy(f, data, 4);", "copy takes where from"),
    "copy of a buffer": ("queue.copy(buffer, data);", "buffers are reached by accessors"),
    "fill without a number": ("queue.fill(data, 1);", "fill takes a pointer"),
    "fill of a string": ("queue.fill(data, std::string(), 4);", "fill needs a device copyable pattern"),

    # Mistakes in kernels:
    "an item for a group": (GROUPS % "data[0] = sycl::reduce_over_group(item, 1, sycl::plus<int>());",
                            "reduce_over_group takes a group"),
    "no operator of a group": (GROUPS % "data[0] = sycl::reduce_over_group(item.get_group(), 1);",
                               "reduce_over_group takes a group"),
    "the operator before the value": (
        GROUPS % "data[0] = sycl::reduce_over_group(item.get_group(), sycl::plus<int>(), 1);",
        "reduce_over_group takes a group"),
    "a barrier of an item": (GROUPS % "sycl::group_barrier(item);", "group_barrier takes a group"),
    "a shift of a group": (GROUPS % "data[0] = sycl::shift_group_left(item.get_group(), 1);",
                           "shift_group_left takes a sub-group"),
    "a constant of another type": (GROUP % "handler.set_specialization_constant<five>(nullptr);", "has another type"),
    "a constant as an argument": (GROUP % "handler.set_specialization_constant(five, 4);",
                                  "the specialization_id is a template argument"),
    "vecs of different elements": ("sycl::float4 a(1); sycl::int4 b(1); auto c = a + b;",
                                   "both vecs need the same element type"),
    "a string printed": (
        GROUP % "sycl::stream out(1024, 256, handler); handler.single_task([=] { out << std::string(); });",
        "kernels print text that is a const char*"),
    "a queue by name": ("sycl::queue named(\"gpu\");", "a queue is made from a selector"),
}

#: Mistakes in generic lambdas and in template arguments, for which clang lists what leads to the error.
EXPLAINED_AT_LENGTH = {"a reducer subtracted from", "a reducer read", "concurrent work-groups of a range",
                       "progress among threads of a narrower scope"}
#: Mistakes that only clang explains, because g++ ignores attributes of deduction guides.
CLANG_ONLY = {"an nd_range of numbers", "a buffer without elements", "a buffer of a pointer and a number"}

#: Correct code that looks like some of the mistakes.
LEGAL = """
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/device_global/device_global.hpp>
#include <sycl/ext/oneapi/experimental/forward_progress.hpp>
#include <array>
#include <vector>
struct from_nd_item { from_nd_item(sycl::nd_item<1>) {} };
struct from_item { from_item(sycl::item<2>) {} };
struct any_position {
  template <int D> void operator()(sycl::nd_item<D>) const {}
  template <int D> void operator()(sycl::item<D>) const {}
};
constexpr sycl::specialization_id<int> five(5);
struct base {
  template <class... T> void launch(sycl::queue& queue, T... all) { queue.parallel_for(sycl::range<1>(8), all...); }
};
int main() {
  sycl::queue queue, same(queue.get_device(), {sycl::property::queue::in_order()});
  const sycl::range<1> eight(8);
  const sycl::nd_range<1> groups(8, 4);
  int* data = sycl::malloc_shared<int>(8, queue);
  auto sum = sycl::reduction(data, sycl::plus<>());
  auto other = sycl::reduction(data + 1, 0, [](int a, int b) { return a + b; });
  sycl::event event = queue.single_task([] {});
  const std::vector<sycl::event> events{event};
  queue.parallel_for(8, [=](auto) {});
  queue.parallel_for({8, 8}, [=](sycl::id<2>) {});
  queue.parallel_for({8, 8}, event, [=](from_item) {});
  queue.parallel_for(8u, {event, event}, [=](int) {});
  queue.parallel_for<class A>(eight, events, [=](std::size_t) {});
  queue.parallel_for(eight, [=](const auto&) {});
  queue.parallel_for(eight, [=](auto&) {});
  queue.parallel_for(eight, [=](sycl::item<1, false>) {});
  queue.parallel_for(eight, [=](sycl::id<1>, sycl::kernel_handler h) {
    data[0] = h.get_specialization_constant<five>();
  });
  queue.parallel_for(groups, [=](sycl::nd_item<1>, sycl::kernel_handler) {});
  queue.parallel_for(groups, [=](from_nd_item) {});
  queue.parallel_for(groups, [=](auto item) { item.get_local_id(0); });
  queue.parallel_for(groups, event, [=](sycl::item<1>) {});
  queue.parallel_for(groups, any_position());
  queue.parallel_for(sycl::range<3>(1, 2, 3), any_position());
  queue.parallel_for(eight, sum, [=](auto i, auto& s) { s += int(i); });
  queue.parallel_for(groups, event, sum, other, [=](sycl::nd_item<1>, auto& s, auto& o) { s += 1; o.combine(2); });
  queue.parallel_for<class B>(eight, events, sum, [=](sycl::id<1>, auto& s, sycl::kernel_handler) { ++s; });
  base().launch(queue, sum, [=](sycl::item<1>, auto& s) { s.combine(1); });
  queue.single_task(event, [] {});
  queue.single_task({event, event}, [](sycl::kernel_handler) {});
  sycl::buffer<int> buffer(8), with_data(data, 8), braced(sycl::range(8));
  sycl::buffer<int, 2> wide({8, 8}), of_pointer(data, {2, 4});
  std::vector<int> values(8);
  const std::vector<int> constant(8);
  std::array<float, 4> array{};
  sycl::buffer of_vector(values), of_constant(constant), of_iterators(values.begin(), values.end());
  sycl::buffer<const float> of_array(array);
  sycl::buffer<int> empty(nullptr, 8);
  queue.submit([&](auto& handler) {
    handler.depends_on({event, event});
    sycl::accessor all(buffer, handler);
    sycl::accessor part(wide, handler, sycl::range<2>(2, 2), sycl::id<2>(1, 1), sycl::write_only, sycl::no_init);
    sycl::accessor braced(wide, handler, {2, 2}, {1, 1}, sycl::read_only);
    sycl::accessor later(buffer, sycl::read_only);
    sycl::accessor<int, 1, sycl::access_mode::read> read(buffer, handler, 4, 2);
    sycl::local_accessor<int, 1> local(4, handler);
    sycl::local_accessor<int, 2> tile({4, 4}, handler);
    sycl::local_accessor<int, 0> single(handler);
    handler.parallel_for(sycl::range<1>(4), sycl::id<1>(2), [=](sycl::item<1>) {});
  });
  queue.memcpy(data, values.data(), 32).wait();
  queue.copy(values.data(), data, 8);
  queue.fill(data, 1, 8);
  sycl::float4 v(1.0f), w = v * 2.0f + 1;
  sycl::vec<float, 1> one(1.0f);
  w = v * one;
}
"""


def flags_of(compiler):
    package = "sinter" if compiler == common.CLANGXX else "sinter-library"
    return common.read_headers("-std=c++20", "-DSINTER_LEAN_HEADERS", *common.pkg_config(package, "--cflags"),
                               compiler=compiler)


@functools.cache
def messages_together(compiler):
    """Compiles all mistakes in one file, each in a function on a line of its own. Returns the first error of each line,
    and the number of lines that the compiler prints for it. This takes a tenth of the time of one file for each."""
    mistakes = [wrong for wrong, _ in MISTAKES.values()]
    head, body = PROGRAM.split("int main() {")
    body = body.replace("\n", " ")
    with common.Folder() as folder:
        lines = "".join("void in_line_%d() {%s\n" % (number, body.replace("MISTAKE", wrong))
                        for number, wrong in enumerate(mistakes))
        source = folder.write("wrong.cpp", head + '#line 1 "all.cpp"\n' + lines)
        limit = ["-ferror-limit=0"] if compiler == common.CLANGXX else []
        printed = common.run([compiler, *flags_of(compiler), *limit, "-fsyntax-only", source]).err
    # clang prints the place of a template's use behind the error, and g++ before it.
    found = {}
    if compiler == common.CLANGXX:
        blocks = re.split(r"^(?=.*?error: )", printed, flags=re.MULTILINE)[1:]
    else:
        blocks = re.split(r"(?<=\n)(?=all\.cpp:|In file|\S+: In )", printed)
        blocks = "".join("\0" + block if re.match(r"\S+: In |In file", block) else block for block in blocks).split("\0")
    for block in blocks:
        error, place = re.search(r"error: (.*)", block), re.search(r"^all\.cpp:(\d+):", block, re.MULTILINE)
        if error and place:
            found.setdefault(int(place.group(1)) - 1, (error.group(1), len(block.splitlines())))
    return found


def make(number, title, mistake, sentence, compiler):
    def test():
        common.not_sanitized()
        common.need(compiler)
        explained = compiler != common.CLANGXX or title in EXPLAINED_AT_LENGTH
        error, lines = messages_together(compiler).get(number, ("", 0))
        if sentence in error and (explained or lines <= 15):
            return
        # Compilers print an error once if several mistakes use the same template.
        with common.Folder() as folder:
            source = folder.write("wrong.cpp", PROGRAM.replace("MISTAKE", mistake))
            result = common.run([compiler, *flags_of(compiler), "-fsyntax-only", source])
            common.check(result.code != 0, "it compiles")
            first = re.search(r"error: (.*)", result.err)
            common.check(first and sentence in first.group(1), f"the first error is not ours:\n{result.err[:1500]}")
            if not explained:
                lines = len([line for line in result.err.splitlines() if "headers.hpp" not in line])
                common.check(lines <= 15, f"{lines} lines instead of one sentence:\n{result.err[:3000]}")

    test.__doc__ = f"{compiler}: {title}"
    return test


def legal(compiler):
    def test():
        common.not_sanitized()
        common.need(compiler)
        with common.Folder() as folder:
            source = folder.write("right.cpp", LEGAL)
            common.run([compiler, *flags_of(compiler), "-fsyntax-only", source]).expect()

    test.__doc__ = f"{compiler}: what looks like mistakes, and is right"
    return test


test_legal_clang, test_legal_gxx = legal(common.CLANGXX), legal(common.GXX)
for number, (name, (wrong, expected)) in enumerate(MISTAKES.items()):
    for its_compiler in (common.CLANGXX,) if name in CLANG_ONLY else (common.CLANGXX, common.GXX):
        globals()[f"test_{number}_{its_compiler}"] = make(number, name, wrong, expected, its_compiler)

common.main(globals())
