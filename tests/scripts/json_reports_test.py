#!/usr/bin/env python3
"""SINTER_REPORT=...,json: every line is a JSON object with the same content as the plain report."""
import json
import re

import common

PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <cstdio>
#include <vector>
namespace cx = sycl::ext::codeplay::experimental;
namespace ex = sycl::ext::oneapi::experimental;

constexpr std::size_t count = 4096;

template <class Name, class Function>
void submit(sycl::queue& queue, sycl::buffer<float>& in, sycl::buffer<float>& out, Function function) {
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor from(in, handler, sycl::read_only);
    sycl::accessor to(out, handler, sycl::write_only);
    handler.parallel_for<Name>(sycl::range<1>(count), [=](sycl::id<1> i) { to[i] = function(from, i); });
  });
}

int main() {
  sycl::queue queue{sycl::property_list{cx::property::queue::enable_fusion{}}};
  cx::fusion_wrapper fusion(queue);
  std::vector<float> values(count, 3.0f), turned(count);
  {
    sycl::buffer<float> in(values), out(turned);
    {
      sycl::buffer<float> between{sycl::range<1>(count)};
      fusion.start_fusion();
      submit<class squares>(queue, in, between, [](const auto& from, auto i) { return from[i] * from[i]; });
      submit<class adds>(queue, between, out, [](const auto& from, auto i) { return from[i] + 1; });
      fusion.complete_fusion();
    }
    queue.wait();
    fusion.start_fusion();
    submit<class shifts>(queue, in, out, [](const auto& from, auto i) { return from[i] + 7; });
    submit<class mirrors>(queue, out, in, [](const auto& from, auto i) { return from[count - 1 - i[0]]; });
    fusion.complete_fusion();
    queue.wait();
  }
  ex::command_graph graph(queue);
  float* shared = sycl::malloc_shared<float>(count, queue);
  graph.begin_recording(queue);
  queue.fill(shared, 2.0f, count);
  graph.end_recording();
  queue.ext_oneapi_graph(graph.finalize()).wait();
  std::puts(turned[7] == 10 && values[7] == 10 && shared[7] == 2 ? "right" : "wrong");
  sycl::free(shared, queue);
}
"""
folder = common.Folder()
KINDS = "summary,launches,transfers,fusion,fused-code,graph,vectorize"


def run(program, form):
    return common.run([program], SINTER_CACHE="0", SINTER_REPORT=KINDS + form, SINTER_DEVICE="sinter:cpu").expect(
        contains=["right"]).err


def objects_of(program):
    """One object for each line, of any kind."""
    return [json.loads(line) for line in run(program, ",json").splitlines() if not line.startswith("sinter: WARNING")]


def texts_of(statement):
    """All texts and numbers in an object and its parts."""
    yield statement["text"]
    for part in statement.get("parts", []):
        yield from texts_of(part)


def without_times(text):
    return re.sub(r"\d+\.\d ms", "N ms", text)


def test_lines():
    """Every line is an object of a known kind, and each of its sentences is also in the plain report"""
    program = folder / "program"
    common.compile_program(folder.write("program.cpp", PROGRAM), program).expect()
    people = without_times(run(program, ""))
    objects = objects_of(program)
    common.check({each["report"] for each in objects} == {"summary", "launches", "fusion", "graph", "vectorize"} or
                 {each["report"] for each in objects} == set(KINDS.split(",")) - {"fused-code"}, str(objects))
    for each in objects:
        for text in texts_of(each):
            common.check(without_times(text) in people, f"{text!r} is not in\n{people}")
    # Lines of the plain report are not JSON, and the JSON output contains none of them.
    common.check("sinter: fusion: 2 kernels -> 1 launch" in people, people)


def test_values():
    """Programs find numbers under fixed names: kernels, bytes, lanes, counts, reasons"""
    objects = objects_of(folder / "program")
    fused, refused = [each for each in objects if each["report"] == "fusion"]
    common.check((fused["kernels"], fused["launches"], fused["work_items"]) == (2, 1, 4096), str(fused))
    parts = {part["topic"]: part for part in fused["parts"]}
    common.check(parts["promoted"]["bytes"] == 4 and parts["saved"]["bytes"] == 8 * 4096, str(fused))
    common.check(parts["compiled"]["milliseconds"] > 0 and "ModuleID" in fused["code"], str(fused))
    common.check((refused["kernels"], refused["launches"]) == (2, 2) and "'mirrors'" in refused["refused"], str(refused))
    lanes = [each for each in objects if each["report"] == "vectorize"]
    common.check({each["kernel"] for each in lanes} == {"squares, adds", "shifts", "mirrors"}, str(lanes))
    common.check(all(part["lanes"] >= 1 for each in lanes for part in each["parts"] if "region" in part), str(lanes))
    graph, = [each for each in objects if each["report"] == "graph"]
    common.check((graph["nodes"], graph["steps"], graph["edges"], graph["partitions"]) == (1, 1, 0, 1), str(graph))
    summary, = [each for each in objects if each["report"] == "summary"]
    common.check((summary["compiled"], summary["from_cache"], summary["not_compiled"]) == (3, 0, 0), str(summary))
    launches = {each["kernel"]: each for each in objects if each["report"] == "launches"}
    common.check(launches["shifts"]["launches"] == 1 and launches["shifts"]["origin"] == "jit", str(launches))


with folder:
    common.main(globals())
