#!/usr/bin/env python3
"""Messages of fusion from SYCL_RT_WARNING_LEVEL 1 on: why a list ended early, which lists were not fused, and which
calls were wrong."""
import collections
import os
import re

import common

FOLDER = common.Folder()
SYNCHRONIZED = "Aborting fusion because synchronization with one of the kernels in the fusion list was requested"
EVENT = "Aborting fusion because of event dependency from a different fusion"
MEMORY = "Aborting fusion because of requirement from a different fusion"
CIRCLE = "Aborting fusion because it would create a circular dependency"


def not_fusing(kind):
    return f"Not fusing '{kind}' command group. Can only fuse device kernel command groups."


def warnings(program, level):
    """Runs an end-to-end program and returns {name of the test: {text of a warning: number of times}}."""
    path = os.path.join(common.BUILD, "tests", "e2e", "e2e_" + program)
    # Output is written line by line, so that a warning comes before the name of the test that caused it.
    command = ["sh", "-c", 'exec stdbuf -oL "$0" 2>&1', path]
    text = common.run(command, SYCL_RT_WARNING_LEVEL=level, SINTER_CACHE_DIR=FOLDER / "cache").expect().out
    result, seen = {}, collections.Counter()
    for line in re.sub(r":\n|\n\t|\n(?=combination|Illegal|Detailed)", " ", text).splitlines():
        if line.startswith("sinter: WARNING: "):
            seen[re.sub(r"^(\d+ kernels run in \d+ launches): .*", r"\1", line.removeprefix("sinter: WARNING: "))] += 1
        elif line.startswith("ok: "):
            result[line.removeprefix("ok: ")] = dict(seen)
            seen.clear()
    return result


#: Each synchronization scenario of sycl_ext_codeplay_kernel_fusion (e2e/fusion_sync.cpp), with the warning that it must
#: cause.
SCENARIOS = {
    "destroying a buffer that writes back": {SYNCHRONIZED: 1},
    "a host accessor": {SYNCHRONIZED: 1},
    "a host accessor of a buffer no listed kernel uses ends nothing": {},
    "waiting for the queue, or asking it to go on": {SYNCHRONIZED: 3},
    "waiting for the event of a listed kernel": {SYNCHRONIZED: 2},
    "destroying the queue": {SYNCHRONIZED: 1},
    "a kernel on another queue that needs the buffer, or the event": {SYNCHRONIZED: 2},
    "a kernel on another queue that needs nothing ends nothing": {},
    "two queues that fuse: an event of the one in the other ends the first, and back the second": {EVENT: 1, SYNCHRONIZED: 1},
    "two queues that fuse: a buffer of the one in the other ends nothing, and back both": {CIRCLE: 1, SYNCHRONIZED: 1},
    "a kernel on a queue that fuses by itself ends the list whose buffer it needs": {MEMORY: 1},
    "lists that wait for each other's buffers in one direction are complete in any order": {},
    "a list that is cancelled, or whose queue goes, waits for the one it depends on, which goes on": {SYNCHRONIZED: 1},
    "who waits behind a list that is complete ends those it waits for": {SYNCHRONIZED: 4},
    "a circle through several lists ends the one that closes it, and what then is needed": {CIRCLE: 3, SYNCHRONIZED: 3},
    "two queues that fuse side by side": {},
    "a host task that needs the results": {SYNCHRONIZED: 2, not_fusing("host_task"): 1},
    "who needs one kernel of a list does not wait for what the others wait for": {SYNCHRONIZED: 2},
    "copies and fills of the buffer, and of the memory behind a kernel's event":
        {SYNCHRONIZED: 5, not_fusing("copy"): 2, not_fusing("fill"): 2, not_fusing("memcpy"): 1},
    "commands that are no kernels and need nothing run at once and end nothing":
        {not_fusing("memcpy"): 1, not_fusing("fill"): 1, not_fusing("memset"): 1, not_fusing("copy"): 3,
         not_fusing("prefetch"): 1, not_fusing("host_task"): 1},
    "work in front of and behind a fusion keeps its place": {},
    "an exception inside a command group leaves the list as it was": {},
    "a kernel that fails in a list that was cut leaves the others as they are": {"5 kernels run in 2 launches": 1},
}


def test_every_synchronization():
    """each way to end a fusion early leads to its warning, and commands that end no fusion lead to none"""
    found = warnings("fusion_sync", 1)
    common.check(found.keys() == SCENARIOS.keys(), f"other scenarios: {found.keys() ^ SCENARIOS.keys()}")
    for name, expected in SCENARIOS.items():
        common.check(found[name] == expected, f"{name}: {found[name]} instead of {expected}")


def test_silence():
    """at level 0, there are no messages"""
    for name, texts in warnings("fusion_sync", 0).items():
        common.check(not texts, f"{name}: {texts}")


MISUSE = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
namespace cx = sycl::ext::codeplay::experimental;

template <class Function>
void attempt(const char* what, Function function) {
  try {
    function();
    std::printf("%s: nothing thrown\n", what);
  } catch (const sycl::exception& error) {
    std::printf("%s: %s%s\n", what, error.code() == sycl::errc::invalid ? "invalid: " : "", error.what());
  }
}

std::size_t place(sycl::item<1> at) { return at.get_linear_id(); }
template <int Dimensions>
std::size_t place(sycl::nd_item<Dimensions> at) { return at.get_global_linear_id(); }

int main() {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  sycl::queue plain, queue{cx::property::queue::enable_fusion{}};
  attempt("wrap", [&] { cx::fusion_wrapper wrapper{plain}; });
  attempt("member", [&] { plain.ext_codeplay_start_fusion(); });
  cx::fusion_wrapper fusion{queue};
  attempt("complete", [&] { fusion.complete_fusion(); });
  std::puts("cancel");
  fusion.cancel_fusion();
  fusion.start_fusion();
  attempt("start", [&] { fusion.start_fusion(); });
  std::puts("empty");
  fusion.complete_fusion().wait();
  sycl::buffer<int> a{sycl::range<1>(64), {cx::property::promote_local{}}}, b{sycl::range<1>(64)};
  attempt("conflict", [&] {
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor in(a, handler, sycl::read_only, sycl::property_list{cx::property::promote_private{}});
    });
  });
  const auto run = [&](auto first, auto second) {
    fusion.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(b, handler, sycl::write_only);
      handler.parallel_for(first, [=](auto at) { out[place(at)] = 1; });
    });
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor out(b, handler, sycl::read_write);
      handler.parallel_for(second, [=](auto at) { out[place(at)] += 1; });
    });
    fusion.complete_fusion().wait();
  };
  std::puts("local sizes");
  run(sycl::nd_range<1>(64, 16), sycl::nd_range<1>(64, 8));
  std::puts("groups");
  run(sycl::nd_range<1>(9, 3), sycl::range<1>(64));
  run(sycl::nd_range<2>({4, 4}, {2, 2}), sycl::nd_range<2>({2, 2}, {2, 2}));
  std::puts("empty range");
  run(sycl::range<1>(64), sycl::range<1>(0));
  std::puts("neighbour");
  fusion.start_fusion();
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(b, handler, sycl::write_only);
    handler.parallel_for<class writer>(sycl::range<1>(64), [=](sycl::id<1> i) { out[i] = 1; });
  });
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor in(b, handler, sycl::read_only);
    sycl::accessor out(a, handler, sycl::write_only);
    handler.parallel_for<class reader>(sycl::nd_range<1>(64, 8), [=](sycl::nd_item<1> item) {
      const std::size_t i = item.get_global_id(0);
      out[i] = in[63 - i];
      sycl::group_barrier(item.get_group());
    });
  });
  fusion.complete_fusion().wait();
}
"""


def test_misuse():
    """wrong uses are exceptions that name the remedy; lists that can't be fused are warnings with the reason"""
    common.not_sanitized()
    source = FOLDER.write("misuse.cpp", MISUSE)
    common.compile_program(source, FOLDER / "misuse", "-O1").expect()
    result = common.run(["sh", "-c", 'exec "$0" 2>&1', FOLDER / "misuse"], SYCL_RT_WARNING_LEVEL=1)
    result.expect(contains=["wrap: invalid: ", "member: invalid: ", "enable_fusion", "not in fusion mode",
                            "complete: invalid: ", "start: invalid: ", "Queue already in fusion mode", "conflict: invalid: ",
                            "Fusion list is empty", "Illegal ND-range combination",
                            "Cannot fuse kernels with different local sizes",
                            "Cannot fuse kernels whose fusion would yield non-uniform work-group sizes",
                            "with a specific local size has different global sizes in dimensions [2, N)", "empty range",
                            "'reader' reads", "of 'writer' writes it", "end the fusion before 'reader'"])


TRUST = r"""
#include <sycl/sycl.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>
namespace cx = sycl::ext::codeplay::experimental;
using trust = sycl::ext::sinter::property::fusion::trust_accesses;
constexpr std::size_t count = 64;

void run(sycl::queue queue, const sycl::property_list& properties, std::size_t size, bool gathers) {
  std::vector<int> t(size), out(size);
  std::vector<std::size_t> places(size);
  for (std::size_t i = 0; i < size; ++i) places[i] = i;
  {
    sycl::buffer of_t(t), of_out(out);
    sycl::buffer of_places(places);
    cx::fusion_wrapper fusion(queue);
    fusion.start_fusion();
    queue.submit([&](sycl::handler& handler) {
      sycl::accessor to(of_t, handler, sycl::write_only);
      handler.parallel_for<class writer>(sycl::range<1>(size), [=](sycl::id<1> i) { to[i] = static_cast<int>(i[0]); });
    });
    if (gathers) {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(of_out, handler, sycl::write_only);
        sycl::accessor from(of_t, handler, sycl::read_only);
        sycl::accessor at(of_places, handler, sycl::read_only);
        handler.parallel_for<class gather>(sycl::range<1>(size), [=](sycl::id<1> i) { to[i] = from[at[i]]; });
      });
    } else {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(of_out, handler, sycl::write_only);
        sycl::accessor from(of_t, handler, sycl::read_only);
        handler.parallel_for<class copier>(sycl::range<1>(size), [=](sycl::id<1> i) { to[i] = from[i]; });
      });
    }
    fusion.complete_fusion(properties);
    std::puts("completed");
  }
  for (std::size_t i = 0; i < size; ++i) {
    if (out[i] != static_cast<int>(i)) std::puts("other values");
  }
}

int main() {
  const sycl::property_list fuses{cx::property::queue::enable_fusion{}}, trusts{cx::property::queue::enable_fusion{}, trust{}};
  // stdout is fully buffered: printed text stays in the buffer for a while, unless a warning is printed.
  std::puts("first");
  run(sycl::queue{fuses}, {}, count, true);
  std::puts("again");
  run(sycl::queue{fuses}, {}, count, true);
  std::puts("another size");
  run(sycl::queue{fuses}, {}, 2 * count, true);
  std::puts("proved");
  run(sycl::queue{fuses}, {}, count, false);
  run(sycl::queue{fuses}, {}, 3 * count, false);
  std::puts("by property");
  run(sycl::queue{fuses}, {trust{}}, count, true);
  std::puts("by queue");
  run(sycl::queue{trusts}, {}, count, true);
  std::puts("end");
}
"""


def test_trusted():
    """kernels run one by one if their fusion is not proved to be right, and a warning says so once for each list,
    behind the program's earlier output; with either of two properties, they are fused without a warning"""
    common.not_sanitized()
    source = FOLDER.write("trust.cpp", TRUST)
    common.compile_program(source, FOLDER / "trust", "-O1").expect()
    command = ["sh", "-c", 'exec "$0" 2>&1', FOLDER / "trust"]
    for _ in range(2):  # cold and warm
        lines = common.run(command, SINTER_CACHE_DIR=FOLDER / "cache_of_trust").expect(lacks=["other values"]).out.splitlines()
        common.check(all("'gather' reads argument" in line and "'writer' writes argument" in line
                         for line in lines if line.startswith("sinter: ")), f"other texts: {lines}")
        seen = ["WARNING" if line.startswith("sinter: WARNING: kernels run one by one: it is not proved") else line for line in lines]
        common.check(seen == ["first", "WARNING", "completed", "again", "WARNING", "completed", "another size", "WARNING",
                              "completed", "proved", "completed", "completed", "by property", "completed", "by queue",
                              "completed", "end"], f"another order: {seen}")
    silent = common.run(command, SINTER_CACHE_DIR=FOLDER / "cache_of_trust", SYCL_RT_WARNING_LEVEL="0")
    silent.expect(lacks=["WARNING", "other values"])
    strict = common.run(["sh", "-c", 'exec "$0" 2>&1', FOLDER / "trust"], SINTER_STRICT="1")
    common.check(strict.code != 0 and "not proved" in strict.out, "strict mode trusts")


def test_every_list():
    """the report describes each list, with memory traffic for its own size, and reused code is not compiled again"""
    common.not_sanitized()
    text = common.run([FOLDER / "trust"], SINTER_CACHE_DIR=FOLDER / "cache_of_report", SINTER_REPORT="fusion").expect().err
    for part, times in {"2 kernels -> 1 launch, 64 work-items": 3, "2 kernels -> 1 launch, 192 work-items": 1,
                        "sinter: fusion refused: it is not proved": 3, "compiled    in ": 2, "reused      what": 2,
                        "trusted, for the program promises it": 2}.items():
        common.check(text.count(part) == times, f"{text.count(part)} times '{part}' instead of {times} in\n{text}")


common.main(globals())
