#!/usr/bin/env python3
"""Reports and decisions about lists of kernels: the report, strict mode, specialization constants and streams, and runs
without the compiler."""
import os
import re
import shutil

import common

PROGRAM = r"""
#include <sycl/ext/sinter/auto_fusion.hpp>
#include <sycl/ext/sinter/counters.hpp>
#include <sycl/sycl.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>
namespace cx = sycl::ext::codeplay::experimental;

constexpr sycl::specialization_id<int> factor{2};
constexpr sycl::specialization_id<std::size_t> distance{0};
constexpr std::size_t count = 128, group = 16;

template <class Name, class Function>
void submit(sycl::queue& queue, sycl::buffer<int>& in, sycl::buffer<int>& out, Function function) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor from(in, handler, sycl::read_only);
    sycl::accessor to(out, handler, sycl::write_only);
    handler.parallel_for<Name>(sycl::nd_range<1>(count, group), [=](sycl::nd_item<1> at) {
      to[at.get_global_id(0)] = function(from, at);
    });
  });
}

void multiply(sycl::queue& queue, sycl::buffer<int>& in, sycl::buffer<int>& out, int by) {
  queue.submit([&](sycl::handler& handler) {
    if (by != 0) handler.set_specialization_constant<factor>(by);
    sycl::accessor from(in, handler, sycl::read_only);
    sycl::accessor to(out, handler, sycl::write_only);
    handler.parallel_for<class multiplier>(sycl::range<1>(count), [=](sycl::id<1> i, sycl::kernel_handler values) {
      to[i] = from[i] * values.get_specialization_constant<factor>();
    });
  });
}

void shift(sycl::queue& queue, sycl::buffer<int>& in, sycl::buffer<int>& out, std::size_t by) {
  queue.submit([&](sycl::handler& handler) {
    handler.set_specialization_constant<distance>(by);
    sycl::accessor from(in, handler, sycl::read_only);
    sycl::accessor to(out, handler, sycl::write_only);
    handler.parallel_for<class shifter>(sycl::range<1>(count - 8), [=](sycl::id<1> i, sycl::kernel_handler values) {
      to[i] = from[i[0] + values.get_specialization_constant<distance>()];
    });
  });
}

/// Runs fusion lists that differ only in a constant.
bool run_values(int different) {
  sycl::queue queue{cx::property::queue::enable_fusion{}};
  cx::fusion_wrapper fusion(queue);
  bool right = true;
  for (int round = 0; round < 2 * different; ++round) {
    const int by = round % different - 3;
    std::vector<int> in(count), out(count);
    for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<int>(i) - 9;
    {
      sycl::buffer<int> first(in.data(), sycl::range<1>(count)), middle{sycl::range<1>(count)};
      sycl::buffer<int> last(out.data(), sycl::range<1>(count));
      fusion.start_fusion();
      multiply(queue, first, middle, by);
      multiply(queue, middle, last, 7);
      fusion.complete_fusion();
    }
    for (std::size_t i = 0; i < count; ++i) right &= out[i] == in[i] * (by == 0 ? 2 : by) * 7;
  }
  return right;
}

void print(sycl::queue& queue, sycl::buffer<int>& in, sycl::buffer<int>& out, int by) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor from(in, handler, sycl::read_only);
    sycl::accessor to(out, handler, sycl::write_only);
    sycl::stream text(1024, 64, handler);
    handler.parallel_for<class printer>(sycl::range<1>(count), [=](sycl::id<1> i) {
      to[i] = from[i] * by;
      if (i[0] % 50 == 7) text << "item " << i[0] << " times " << by << sycl::endl;
    });
  });
}

/// Runs rounds of two kernels on an automatic queue. Returns in how many rounds the two kernels were one launch. If
/// `rounds` is 0, runs until the first such round, for at most two minutes: code is compiled in the background.
int count_fused(std::size_t size, int rounds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  sycl::queue queue{sycl::property_list{sycl::property::queue::in_order{}, sycl::ext::sinter::property::queue::auto_fusion{}}};
  int* const data = sycl::malloc_shared<int>(size, queue);
  int fused = 0;
  const auto goes_on = [&](int round) {
    return rounds != 0 ? round < rounds : fused == 0 && std::chrono::steady_clock::now() < end;
  };
  for (int round = 0; goes_on(round); ++round) {
    const auto launches = [] {
      const auto counts = sycl::ext::sinter::launch_counters();
      return counts.host_entry + counts.jit + counts.cache;
    };
    const auto before = launches();
    queue.parallel_for<class adder>(sycl::range<1>(size), [=](sycl::id<1> i) { data[i] = static_cast<int>(i[0]); });
    queue.parallel_for<class doubler>(sycl::range<1>(size), [=](sycl::id<1> i) { data[i] = data[i] * 2 + 1; });
    queue.wait();
    fused += launches() - before == 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    for (std::size_t i = 0; i < size; i += 97) {
      if (data[i] != static_cast<int>(i) * 2 + 1) std::puts("wrong");
    }
  }
  sycl::free(data, queue);
  return fused;
}

int main(int, char** words) {
  const std::string mode = words[1];
  if (mode == "automatic") {
    std::printf("fused %d\nright\n", count_fused(std::strtoull(words[2], nullptr, 10), std::atoi(words[3])));
    return 0;
  }
  if (mode == "values") {
    std::puts(run_values(std::atoi(words[2])) ? "right" : "wrong");
    return 0;
  }
  std::vector<int> expected(count, -1), in(count), out(count, -1);
  for (std::size_t i = 0; i < count; ++i) in[i] = static_cast<int>(i) - 9;
  {
    sycl::queue queue{cx::property::queue::enable_fusion{}};
    sycl::buffer<int> first(in.data(), sycl::range<1>(count)), last(out.data(), sycl::range<1>(count));
    sycl::buffer<int> middle{sycl::range<1>(count), {cx::property::promote_private{}}}, shared{sycl::range<1>(count)};
    cx::fusion_wrapper fusion(queue);
    fusion.start_fusion();
    if (mode == "groups") {
      submit<class writer>(queue, first, middle, [](auto& from, auto at) { return from[at.get_global_id(0)] * 3; });
      submit<class scaler>(queue, middle, shared, [](auto& from, auto at) { return from[at.get_global_id(0)] + 1; });
      submit<class turner>(queue, shared, last, [](auto& from, auto at) {
        return from[at.get_group(0) * group + group - 1 - at.get_local_id(0)];
      });
    } else if (mode == "neighbours") {
      submit<class from_first>(queue, first, shared, [](auto& from, auto at) { return from[at.get_global_id(0)] * 3; });
      submit<class from_others>(queue, shared, last, [](auto& from, auto at) { return from[count - 1 - at.get_global_id(0)]; });
    } else if (mode == "empty") {
      submit<class alone>(queue, first, last, [](auto& from, auto at) { return from[at.get_global_id(0)]; });
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor to(last, handler, sycl::write_only);
        handler.parallel_for<class no_items>(sycl::range<1>(0), [=](sycl::id<1> i) { to[i] = 1; });
      });
    } else if (mode == "constants") {
      multiply(queue, first, middle, std::atoi(words[2]));
      multiply(queue, middle, last, 0);
    } else if (mode == "shift") {
      multiply(queue, first, shared, 3);
      shift(queue, shared, last, std::strtoull(words[2], nullptr, 10));
    } else {
      print(queue, first, middle, 3);
      print(queue, middle, last, 5);
    }
    try {
      // The analysis proves nothing about kernels that print.
      using promise = sycl::ext::sinter::property::fusion::trust_accesses;
      fusion.complete_fusion(mode == "stream" ? sycl::property_list{promise{}} : sycl::property_list{});
    } catch (const sycl::exception& error) {
      std::printf("%sthrown: %s\n", error.code() == sycl::errc::kernel_not_supported ? "not supported: " : "", error.what());
    }
    queue.wait_and_throw();
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (mode == "groups") expected[i] = in[i / group * group + group - 1 - i % group] * 3 + 1;
    if (mode == "neighbours") expected[i] = in[count - 1 - i] * 3;
    if (mode == "empty") expected[i] = in[i];
    if (mode == "constants") expected[i] = in[i] * std::atoi(words[2]) * 2;
    if (mode == "shift" && i < count - 8) expected[i] = in[i + std::strtoull(words[2], nullptr, 10)] * 3;
    if (mode == "stream") expected[i] = in[i] * 15;
  }
  std::puts(out == expected ? "right" : "wrong");
}
"""
LOOK_UP = "call ptr @__sinter_specialization_constant"
FOLDER = common.Folder()
BUILT = []


def run(*words, **variables):
    if not BUILT:
        source = FOLDER.write("lists.cpp", PROGRAM)
        common.compile_program(source, FOLDER / "lists", "-O2").expect()
        BUILT.append(FOLDER / "lists")
    variables = {"SINTER_CACHE_DIR": FOLDER / "cache", "SYCL_RT_WARNING_LEVEL": 1, **variables}
    return common.run([BUILT[0], *words], **variables).expect(contains=["right\n"])


def test_report():
    """the report names kernels, ranges, merged arguments, barriers, promotions and saved traffic"""
    common.not_sanitized()
    run("groups", SINTER_REPORT="fusion").expect(contains=[
        "3 kernels -> 1 launch, 128 work-items", "writer {128} in groups of {16}, scaler {128} in groups of {16}",
        "merged      argument 0 of 'writer' = argument 1 of 'scaler'\n",
        "kept        the barrier before 'turner': work-items of a group exchange data, 'turner' reads argument 1 of 'turner'",
        "barriers    1 of 2 kept\n", "promoted    argument 0 of 'writer' to private memory, 4 bytes (promised and proved)",
        "saved       1 kB of memory traffic in this launch\n", "compiled    in "])
    run("neighbours", SINTER_REPORT="fusion").expect(contains=[
        "fusion refused: 'from_others' reads argument 1 of 'from_others'", "of 'from_first' writes it",
        "end the fusion before 'from_others'", "from_first {128} in groups of {16}"])


def test_strict():
    """in strict mode, a list that is not fused throws an exception, but its kernels still run"""
    common.not_sanitized()
    run("groups", SINTER_STRICT="1").expect(lacks=["thrown"])
    run("neighbours", SINTER_STRICT="1").expect(contains=["not supported: thrown: ", "'from_first', 'from_others'", "end the fusion"])
    run("empty", SINTER_STRICT="1").expect(contains=["not supported: thrown: ", "'no_items'", "empty range"])
    run("neighbours").expect(lacks=["thrown"])


def test_specialization_constants():
    """each kernel of a list reads the values of its own command group, and promotions are still proved"""
    common.not_sanitized()
    for value in ("3", "-4"):
        for report in (run("constants", value, SINTER_REPORT="fusion"), run("constants", value, SINTER_STRICT="1")):
            report.expect(lacks=["thrown", "refused", "not proved"])
    run("constants", "5", SINTER_REPORT="fusion").expect(contains=["2 kernels -> 1 launch", "(promised and proved)"])
    # The indices are constants in the code, so no index is loaded.
    run("constants", "5", SINTER_REPORT="fused-code").expect(contains=["2 kernels -> 1 launch"],
                                                             lacks=[LOOK_UP])


def test_specialized_indices():
    """if accesses depend on a specialization constant, fusion is proved for the constant's value, both for accesses to
    a work-item's own element and to a tile"""
    common.not_sanitized()
    run("shift", "0", SINTER_STRICT="1").expect(lacks=["thrown"])
    run("shift", "1", SINTER_STRICT="1").expect(lacks=["thrown"])
    run("shift", "1", SINTER_REPORT="fusion").expect(contains=[
        "2 kernels -> 1 launch", "argument 0 of 'multiplier' is kept in local memory as well", "stage       'multiplier': its tile and 0 before and 1 behind\n",
        "stage       'shifter': its tile\n"])


def test_many_values():
    """a list gets separate code for each of 32 sets of values; all other sets share code that looks values up"""
    common.not_sanitized()
    report = run("values", "35", SINTER_REPORT="fused-code", SINTER_CACHE="0").expect(contains=[LOOK_UP]).err
    made = report.count("compiled    in ")
    common.check(made == 33, f"{made} fused kernels")


def test_streams():
    """kernels that print are fused if the program promises that this is right, and each prints the same as alone"""
    common.not_sanitized()
    result = run("stream", SINTER_REPORT="fusion")
    result.expect(contains=["2 kernels -> 1 launch"])
    lines = sorted(line for line in result.out.splitlines() if line.startswith("item "))
    common.check(lines == sorted(f"item {i} times {by}" for i in (7, 57, 107) for by in (3, 5)), f"other lines: {lines}")


def fused_rounds(size, rounds, **variables):
    return int(re.search(r"fused (\d+)", run("automatic", size, rounds, **variables).out)[1])


def test_profit():
    """automatic queues fuse if that probably pays; they fuse very short kernels only if SINTER_TEST requests it"""
    common.not_sanitized()
    common.check(fused_rounds(1 << 20, 0) > 0, "large kernels were never fused")
    # If the system interrupts a kernel twice, the kernel seems long until its next launch.
    common.check(fused_rounds(64, 300) < 150, "kernels of next to no work were fused")
    common.check(fused_rounds(64, 0, SINTER_TEST="fuse-small") > 0, "they were not when asked for")


def test_no_compiler():
    """if nothing can be compiled, the kernels run one by one, with a warning"""
    common.not_sanitized()
    with common.Folder() as folder:
        # The copied library has no libsinter-jit.so beside it.
        shutil.copy(os.path.join(common.BUILD, "src", "libsinter.so.0"), folder / "libsinter.so.0")
        result = run("groups", LD_LIBRARY_PATH=folder.path, SINTER_CACHE="0")
        result.expect(contains=["kernels run one by one: the compiler can't be opened"], lacks=["thrown"])


common.main(globals())
