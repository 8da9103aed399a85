"""A program with Sinter's objects, and what gdb's printers show of them, on this processor or on another one."""
import common

PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <vector>
int main() {
  std::vector<int> values{10, 11, 12, 13, 14, 15};
  sycl::queue queue;
  sycl::buffer<int, 2> grid(values.data(), {2, 3});
  sycl::buffer<int> line(values.data(), 6);
  sycl::buffer<int> piece(line, 2, 3);
  sycl::vec<float, 3> three{1.5f, 2.5f, 3.5f};
  sycl::marray<int, 4> four{1, 2, 3, 4};
  sycl::vec<sycl::half, 2> halves{1.0f, 2.5f};
  sycl::nd_range<2> launch({8, 4}, {4, 2});
  {
    sycl::host_accessor host(grid, sycl::range<2>(1, 2), sycl::id<2>(1, 1));
    host[{0, 0}] = 14;  // stop on the host
  }
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(grid, handler, sycl::read_write);
    sycl::accessor some(line, handler, sycl::range<1>(2), sycl::id<1>(3), sycl::read_only);
    sycl::local_accessor<double> local(16, handler);
    handler.parallel_for(launch, [=](sycl::nd_item<2> item) {
      sycl::id<2> where = item.get_global_id();
      auto group = item.get_group();
      local[item.get_local_linear_id()] = out[where[0] % 2][where[1] % 3] + some[0];  // stop in the kernel
    });
  });
  int* shared = sycl::malloc_shared<int>(2, queue);
  queue.wait();
  shared[0] = 5;
  queue.parallel_for(sycl::range<1>(2), [=](sycl::item<1> one) {
    shared[one] = 7;  // stop in an item
  }).wait();
  sycl::free(shared, queue);
}
""".lstrip("\n")
#: The places at which the debugger stops, and the expected output there.
STOPS = [
    ("on the host", {
        "grid":
            "buffer of {2, 3} int = {[0, 0] = 10, [0, 1] = 11, [0, 2] = 12, [1, 0] = 13, [1, 1] = 14, [1, 2] = 15}",
        "line": "buffer of {6} int = {[0] = 10, [1] = 11, [2] = 12, [3] = 13, [4] = 14, [5] = 15}",
        "piece": "buffer of {3} int, part of another = {[0] = 12, [1] = 13, [2] = 14}",
        "three": "{1.5, 2.5, 3.5}", "four": "{1, 2, 3, 4}", "halves": "{1, 2.5}",
        "launch": "{8, 4} in groups of {4, 2}",
        "host": "host_accessor of {1, 2} int from {1, 1} of {2, 3} = {[0, 0] = 14, [0, 1] = 15}"}),
    ("in the kernel", {
        "where": "{0, 0}", "item": "{0, 0} of {8, 4}, {0, 0} of {4, 2} in group {0, 0} of {2, 2}",
        "group": "group {0, 0} of {2, 2}, with {4, 2} work-items",
        "out":
            "accessor of {2, 3} int = {[0, 0] = 10, [0, 1] = 11, [0, 2] = 12, [1, 0] = 13, [1, 1] = 14, [1, 2] = 15}",
        "some": "accessor of {2} int from {3} of {6} = {[0] = 13, [1] = 14}",
        "local": "local_accessor of {16} double, 0 bytes into the group's local memory"}),
    ("in an item", {"one": "{0} of {2}", "shared[0]": "5"}),
]


def line_of(mark):
    return next(number for number, text in enumerate(PROGRAM.splitlines(), 1) if "stop " + mark in text)


def commands(*starts):
    """gdb's commands that start the program by `starts`, and print the objects at all stops."""
    words = ["set confirm off", "set breakpoint pending on", "set debuginfod enabled off"]
    words += [f"tbreak shown.cpp:{line_of(mark)}" for mark, _ in STOPS] + [*starts]
    for _, values in STOPS:
        words += [f"print {name}" for name in values] + ["continue"]
    return [each for word in words for each in ("-ex", word)]


def check(result):
    for mark, values in STOPS:
        for name, text in values.items():
            common.check(f" = {text}\n" in result.out, f"{mark}, {name} is not {text}:\n{result.text[-6000:]}")
