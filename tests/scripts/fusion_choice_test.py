#!/usr/bin/env python3
"""Where the estimate is not clear, graphs and automatic queues measure one kernel against several, and keep the choice."""
import common

PROGRAM = r"""
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <sycl/ext/sinter/auto_fusion.hpp>
#include <sycl/sycl.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
namespace ex = sycl::ext::oneapi::experimental;

int main(int, char** words) {
  using auto_fusion = sycl::ext::sinter::property::queue::auto_fusion;
  const bool automatic = std::string(words[1]) == "queue";
  const int runs = std::atoi(words[2]);
  const sycl::property::queue::in_order in_order;
  sycl::queue queue(automatic ? sycl::property_list{in_order, auto_fusion()} : sycl::property_list{in_order});
  // The last cache holds the data of sums of rows and of what follows, a core's own does not: nobody knows what is faster.
  const std::size_t cache = queue.get_device().get_info<sycl::info::device::global_mem_cache_size>();
  constexpr std::size_t width = 256;
  const std::size_t height = cache / 8 / (2 * width * sizeof(int)) / 64 * 64;
  int* const in = sycl::malloc_shared<int>(height * width, queue);
  int* const out = sycl::malloc_shared<int>(height * width, queue);
  int* const sums = sycl::malloc_shared<int>(height, queue);
  for (std::size_t i = 0; i < height * width; ++i) in[i] = static_cast<int>(i * 31 % 1009);
  const auto submit = [&] {
    queue.parallel_for<class row_sums>(sycl::range<1>(height), [=](sycl::id<1> y) {
      int sum = 0;
      for (std::size_t x = 0; x < width; ++x) sum += in[y * width + x];
      sums[y] = sum;
    });
    queue.parallel_for<class differences>(sycl::range<2>(height, width), [=](sycl::id<2> at) {
      out[at[0] * width + at[1]] = in[at[0] * width + at[1]] - sums[at[0]];
    });
  };
  ex::command_graph graph(queue);
  if (!automatic) {
    graph.begin_recording(queue);
    submit();
    graph.end_recording();
  }
  auto fused = graph.finalize({sycl::ext::sinter::property::graph::fuse()});
  bool right = true;
  for (int run = 0; run < runs; ++run) {
    for (std::size_t i = 0; i < height * width; ++i) out[i] = -1;
    if (automatic) submit();
    else queue.ext_oneapi_graph(fused);
    queue.wait();
    // The list is compiled in the background.
    if (automatic && run < 20) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    for (std::size_t y = 0; y < height; ++y) {
      int sum = 0;
      for (std::size_t x = 0; x < width; ++x) sum += in[y * width + x];
      for (std::size_t x = 0; x < width; ++x) right &= out[y * width + x] == in[y * width + x] - sum;
    }
  }
  std::puts(right ? "right" : "wrong");
  for (int* each : {in, out, sums}) sycl::free(each, queue);
}
"""
FOLDER = common.Folder()
BUILT = []
MEASURED = "fusion measured: one kernel takes "


def run(cache, door, runs, **variables):
    if not BUILT:
        source = FOLDER.write("rows.cpp", PROGRAM)
        common.compile_program(source, FOLDER / "rows", "-O2").expect()
        BUILT.append(FOLDER / "rows")
    variables = {"SINTER_CACHE_DIR": FOLDER / cache, "SINTER_REPORT": "fusion,graph", **variables}
    return common.run([BUILT[0], door, runs], **variables).expect(contains=["right\n"])


def test_choice():
    """both forms run in turns until one is chosen; later processes find the choice in the cache, until they forget it"""
    common.not_sanitized()
    for door, runs in (("graph", 40), ("queue", 120)):
        for wins, text in (("joined-wins", "so they run as one\n"), ("apart-wins", "so they run one by one\n")):
            cache = door + wins
            first = run(cache, door, runs, SINTER_TEST=wins).expect(contains=[MEASURED, text])
            common.check(first.err.count(MEASURED) == 1, "it was measured again")
            if door == "graph":
                first.expect(contains=["measured    both forms run in turns until one is known to be faster"])
            later = run(cache, door, runs).expect(lacks=[MEASURED, "both forms run in turns"])
            if wins == "apart-wins":
                later.expect(contains=["one kernel takes ", text.strip()])
            elif door == "graph":
                later.expect(contains=["fused       kernel 'row_sums'"], lacks=["not fused"])
            run(cache, door, runs, SINTER_FUSION="again").expect(contains=[MEASURED])


def test_estimate():
    """nothing is measured where the estimate is to decide"""
    common.not_sanitized()
    run("estimate", "graph", 40, SINTER_FUSION="estimate").expect(lacks=[MEASURED, "both forms run in turns"])


common.main(globals())
