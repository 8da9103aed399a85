#!/usr/bin/env python3
"""SINTER_TRACE: the timeline is JSON that Perfetto's UI can open. The timeline has every command, and the timeline's
arrows begin and end at spans."""
import collections
import json
import os

import common

# In both programs, this text replaces ADD.
ADD = r"""template <class Name>
void add(sycl::handler& handler, float* data) {
  handler.parallel_for<Name>(count, [=](sycl::id<1> i) { data[i] += 1.0f; });
}
"""
PROGRAM = r"""
#include <sycl/ext/sinter/counters.hpp>
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <atomic>
#include <cstdio>
#include <thread>
#include <unistd.h>
#include <vector>
namespace cx = sycl::ext::codeplay::experimental;
namespace graphs = sycl::ext::oneapi::experimental;

constexpr std::size_t count = 1 << 16;

// ADD
int main() {
  sycl::queue in_order{sycl::property::queue::in_order{}}, queue;
  float* data = sycl::malloc_shared<float>(count, queue);
  for (int i = 0; i < 20; ++i) in_order.submit([&](sycl::handler& handler) { add<class in_a_row>(handler, data); });
  in_order.memset(data, 0, sizeof(float) * count).wait();

  // Two threads submit a diamond of events. Complete commands get no arrows, so these wait for the last submission.
  std::atomic<bool> submitted = false;
  sycl::event first = queue.submit([&](sycl::handler& handler) { add<class top>(handler, data); });
  std::vector<sycl::event> middle(2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      middle[i] = queue.submit([&](sycl::handler& handler) {
        handler.depends_on({first, first});
        handler.host_task([&] { submitted.wait(false); });
      });
    });
  }
  for (std::thread& each : threads) each.join();
  sycl::event last = queue.submit([&](sycl::handler& handler) {
    handler.depends_on(middle);
    handler.depends_on(middle);
    add<class bottom>(handler, data);
  });
  queue.submit([&](sycl::handler& handler) { handler.depends_on(last); });
  submitted = true;
  submitted.notify_all();
  queue.wait();

  // Accessors.
  std::vector<float> values(count);
  {
    sycl::buffer<float> buffer(values);
    for (int i = 0; i < 3; ++i) {
      queue.submit([&](sycl::handler& handler) {
        sycl::accessor in(buffer, handler, sycl::read_only);
        sycl::accessor out(buffer, handler, sycl::read_write);
        handler.parallel_for<class with_buffer>(count, [=](sycl::id<1> i) { out[i] = in[i] + 1; });
      });
    }
    sycl::host_accessor host(buffer);
    if (host[1] != 3) return 1;
  }

  // Kernels that become one.
  sycl::queue fusing{cx::property::queue::enable_fusion{}};
  cx::fusion_wrapper fusion(fusing);
  fusion.start_fusion();
  fusing.submit([&](sycl::handler& handler) { add<class fused_a>(handler, data); });
  fusing.submit([&](sycl::handler& handler) { add<class fused_b>(handler, data); });
  fusion.complete_fusion();
  fusing.wait();

  // A graph, replayed.
  graphs::command_graph graph(queue);
  auto before = graph.add([&](sycl::handler& handler) { add<class node_a>(handler, data); });
  auto behind = graph.add([&](sycl::handler& handler) { add<class node_b>(handler, data); },
                          {graphs::property::node::depends_on(before)});
  auto copy = graph.add([&](sycl::handler& handler) { handler.memcpy(data + count / 2, data, count); },
                        {graphs::property::node::depends_on(behind)});
  graph.add([&](sycl::handler& handler) { handler.host_task([] {}); }, {graphs::property::node::depends_on(copy)});
  auto executable = graph.finalize();
  for (int i = 0; i < 5; ++i) in_order.ext_oneapi_graph(executable);
  in_order.wait();
  const auto counts = sycl::ext::sinter::launch_counters();
  std::printf("launches %llu\n", static_cast<unsigned long long>(counts.host_entry + counts.jit + counts.cache));
  std::printf("process %d\n", getpid());
  sycl::free(data, queue);
}
"""

# A program for a device that has its own memory and runs commands without the host.
DEVICE_PROGRAM = r"""
#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>
#include <atomic>
#include <vector>
namespace graphs = sycl::ext::oneapi::experimental;

constexpr std::size_t count = 1 << 10;

// ADD
int main() {
  sycl::queue queue;
  float* data = sycl::malloc_device<float>(count, queue);
  queue.fill(data, 0.0f, count).wait();

  // The graph runs two kernels, a host task, a kernel and a fill in this order, between two other commands.
  graphs::command_graph graph(queue);
  using graphs::property::node::depends_on;
  auto a = graph.add([&](sycl::handler& handler) { add<class node_a>(handler, data); });
  auto b = graph.add([&](sycl::handler& handler) { add<class node_b>(handler, data); }, {depends_on(a)});
  auto host = graph.add([&](sycl::handler& handler) { handler.host_task([] {}); }, {depends_on(b)});
  auto c = graph.add([&](sycl::handler& handler) { add<class node_c>(handler, data); }, {depends_on(host)});
  graph.add([&](sycl::handler& handler) { handler.fill(data, 1.0f, count); }, {depends_on(c)});
  auto executable = graph.finalize();
  for (int i = 0; i < 2; ++i) {
    std::atomic<bool> submitted = false;
    sycl::event gate = queue.submit([&](sycl::handler& handler) {
      handler.host_task([&] { submitted.wait(false); });
    });
    sycl::event before = queue.submit([&](sycl::handler& handler) {
      handler.depends_on(gate);
      add<class before_graph>(handler, data);
    });
    sycl::event replay = queue.submit([&](sycl::handler& handler) {
      handler.depends_on(before);
      handler.ext_oneapi_graph(executable);
    });
    sycl::event after = queue.submit([&](sycl::handler& handler) {
      handler.depends_on(replay);
      add<class after_graph>(handler, data);
    });
    submitted = true;
    submitted.notify_all();
    after.wait();
  }

  // Transfers to the device and back.
  std::vector<float> values(count);
  sycl::buffer<float> buffer(values);
  queue.submit([&](sycl::handler& handler) {
    sycl::accessor out(buffer, handler, sycl::read_write);
    handler.parallel_for<class with_buffer>(count, [=](sycl::id<1> i) { out[i] += 1; });
  });
  sycl::host_accessor read(buffer);
  sycl::free(data, queue);
  return read[1] == 1 ? 0 : 1;
}
"""

EXPECTED = {"in_a_row": 20, "top": 1, "bottom": 1, "with_buffer": 3, "fused: fused_a, fused_b": 1, "node_a": 5,
            "node_b": 5}


folder = common.Folder()


def program(name="traced", text=PROGRAM):
    path = folder / name
    if not os.path.exists(path):
        common.compile_program(folder.write(name + ".cpp", text.replace("// ADD\n", ADD)), path).expect()
    return path


def traced(its_program=None, cache="cache", **environment):
    """The file that the program writes, parsed, and its output."""
    path = folder / "trace.json"
    result = common.run([its_program or program()], SINTER_TRACE=path, SINTER_CACHE_DIR=folder / cache,
                        **environment).expect()
    with open(path, encoding="utf-8") as file:
        return json.load(file)["traceEvents"], result


def spans_of(events):
    return [event for event in events if event["ph"] == "X"]


def process_of(events, name):
    """The pid of the process `name` in the timeline, which is "queues" or "threads"."""
    return next(event["pid"] for event in events if event["name"] == "process_name" and event["args"]["name"] == name)


def tracks_of(events, process):
    """The names of a process's tracks, by their tids."""
    pid = process_of(events, process)
    return {event["tid"]: event["args"]["name"] for event in events
            if event["name"] == "thread_name" and event["pid"] == pid}


def arrows_of(events):
    """The names of the spans at which each arrow begins and ends."""
    spans = collections.defaultdict(list)
    for span in spans_of(events):
        spans[span["pid"], span["tid"]].append(span)
    ends = collections.defaultdict(dict)
    for event in events:
        if event["ph"] in "sf":
            at = nanoseconds(event["ts"])
            met = [span["name"] for span in spans[event["pid"], event["tid"]]
                   if nanoseconds(span["ts"]) <= at < nanoseconds(span["ts"]) + nanoseconds(span["dur"])]
            ends[event["id"]][event["ph"]] = met[-1] if met else None
    return [(each["s"], each["f"]) for each in ends.values()]


def nanoseconds(microseconds):
    return round(microseconds * 1000)


def problems_of(events):
    """Returns sentences about the faults of a timeline."""
    found = []
    queues = process_of(events, "queues")
    tracks = collections.defaultdict(list)
    for span in spans_of(events):
        if not span["name"]:
            found.append(f"a span without a name: {span}")
        if span.get("args") == {}:
            found.append(f"arguments of {span['name']} are empty")
        begin = nanoseconds(span["ts"])
        tracks[span["pid"], span["tid"]].append((begin, begin + nanoseconds(span["dur"]), span["name"]))
    for track, spans in tracks.items():
        open_spans = []
        for begin, end, name in sorted(spans, key=lambda each: (each[0], -each[1])):
            while open_spans and open_spans[-1][1] <= begin:
                open_spans.pop()
            if open_spans and end > open_spans[-1][1]:
                found.append(f"{name} overlaps {open_spans[-1][2]} on track {track}")
            if open_spans and track[0] == queues:
                found.append(f"{name} lies in {open_spans[-1][2]} on the track of a queue")
            open_spans.append((begin, end, name))
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    found += [f"track {track} has no name" for track in tracks if track not in named]
    arrows = collections.defaultdict(dict)
    for event in events:
        if event["ph"] in "sf":
            arrows[event["id"]][event["ph"]] = event
            at = nanoseconds(event["ts"])
            if not any(begin <= at < end for begin, end, _ in tracks[event["pid"], event["tid"]]):
                found.append(f"arrow {event['id']} ({event['ph']}) meets no span")
    drawn = collections.Counter(tuple((kind, end["pid"], end["tid"], end["ts"]) for kind, end in sorted(ends.items()))
                                for ends in arrows.values())
    found += [f"{number} arrows {ends}" for ends, number in drawn.items() if number > 1]
    for number, ends in arrows.items():
        if set(ends) != {"s", "f"}:
            found.append(f"arrow {number} has one end")
        elif nanoseconds(ends["s"]["ts"]) > nanoseconds(ends["f"]["ts"]):
            found.append(f"arrow {number} leads back in time")
    return found


def test_commands():
    """Each launched kernel is in the timeline, on its queue and on the thread that ran it, with its size"""
    events, result = traced()
    queues, threads = process_of(events, "queues"), process_of(events, "threads")
    by_track = collections.Counter((span["pid"], span["name"]) for span in spans_of(events) if span["cat"] == "kernel")
    for name, number in EXPECTED.items():
        found = by_track[threads, name]
        common.check(found == number, f"{found} of {number} spans of {name} on threads")
        found = by_track[queues, name]
        common.check(name.startswith("node") or found == number, f"{found} of {number} spans of {name} on queues")
    on_threads = sum(number for (process, _), number in by_track.items() if process == threads)
    common.check(f"launches {on_threads}\n" in result.out, f"{on_threads} kernels in the timeline, but {result.out}")
    items = {span["name"]: span.get("args", {}).get("work_items") for span in spans_of(events)
             if span["cat"] == "kernel"}
    common.check(set(items.values()) == {1 << 16}, f"work-items of kernels: {items}")
    kinds = collections.Counter(span["cat"] for span in spans_of(events))
    common.check(all(kinds[kind] for kind in ("host", "memory", "graph", "fusion", "jit")), f"kinds: {dict(kinds)}")


def test_arguments():
    """The timeline gives the bytes of each copy and fill, and the queue of each submitted command. A command group
    without a command has the name empty"""
    events, _ = traced()
    spans = {span["name"]: span.get("args", {}) for span in spans_of(events)}
    common.check(spans["memset"].get("bytes") == 4 << 16, f"memset: {spans['memset']}")
    common.check(spans["memcpy"] == {"bytes": 1 << 16}, f"memcpy in a graph: {spans['memcpy']}")
    common.check("queue" in spans["empty"] and "queue" in spans["in_a_row"], f"empty: {spans['empty']}")
    common.check(spans["host access"] == {}, f"host access: {spans['host access']}")


def test_numbers():
    """Processes and threads have the system's numbers, and queues have no such numbers; names don't contain the
    numbers"""
    events, result = traced()
    queues, threads = process_of(events, "queues"), process_of(events, "threads")
    common.check(f"process {threads}\n" in result.out, f"threads of process {threads}, but {result.out}")
    names = tracks_of(events, "threads")
    common.check(names.get(threads) == "main thread", f"thread {threads} of {names}")
    common.check(not [number for number, name in names.items() if str(number) in name], f"doubled numbers: {names}")
    tracks = tracks_of(events, "queues")
    common.check(sorted(tracks) == list(range(1, len(tracks) + 1)), f"tracks of queues: {tracks}")
    common.check(queues not in [*names, *tracks], f"{queues} is a thread's number as well")


def test_compiling():
    """Spans for compiling name the kernel, also for fused kernels. A span for one search in the cache, and a span for
    one decision about fusing, come before these spans"""
    events, _ = traced(cache="cold")
    names = collections.Counter(span["name"] for span in spans_of(events) if span["cat"] in ("jit", "fusion"))
    for name in ("look in the cache for in_a_row", "compile in_a_row", "compile fused: fused_a, fused_b",
                 "decide whether to fuse fused_a, fused_b"):
        common.check(names[name] == 1, f"{names[name]} spans '{name}' of {dict(names)}")


def test_device():
    """On devices, arrows lead to the first part of a graph and from its last part; parts and transfers have names"""
    if common.SANITIZED:
        raise common.Skip("the mock device is preloaded")
    path = program("on_device", DEVICE_PROGRAM)
    events, _ = traced(path, LD_PRELOAD=os.path.join(common.BUILD, "tests", "devices", "libsinter-mock.so"),
                       SINTER_DEVICE="Mock accelerator 1")
    common.check(not problems_of(events), "; ".join(problems_of(events)[:5]))
    arrows = collections.Counter(arrows_of(events))
    for ends in (("host_task", "before_graph"), ("before_graph", "node_a"), ("node_b", "host_task"),
                 ("host_task", "node_c"), ("fill", "after_graph")):
        common.check(arrows[ends] == 2, f"{arrows[ends]} of 2 arrows {ends}: {dict(arrows)}")
    spans = spans_of(events)
    common.check(not [span for span in spans if span["name"] in ("graph", "memory")], "parts of a graph have no names")
    tracks = tracks_of(events, "queues")
    replays = [span for span in spans if span["name"] == "replay"]
    common.check(len(replays) == 2, f"{len(replays)} of 2 replays")
    for replay in replays:
        track = tracks[replay["tid"]]
        common.check(track.startswith("replays of graph "), f"a replay on track {track}")
    # The first fill runs before all other commands, and does not belong to the graph.
    starts = [span["ts"] for span in spans if span["name"] == "node_a"]
    ends = sorted(nanoseconds(span["ts"]) + nanoseconds(span["dur"]) for span in spans if span["name"] == "fill")[1:]
    common.check([replay["ts"] for replay in replays] == starts, f"replays begin otherwise than at {starts}: {replays}")
    common.check([nanoseconds(replay["ts"]) + nanoseconds(replay["dur"]) for replay in replays] == ends,
                 f"replays end otherwise than at {ends}: {replays}")
    transfers = {tracks[span["tid"]].split(" Mock")[0]: span["args"] for span in spans if span["cat"] == "transfer"}
    common.check(transfers == {"transfers to": {"bytes": 4 << 10}, "transfers from": {"bytes": 4 << 10}},
                 f"transfers: {transfers} of {tracks}")


def test_tracks():
    """The spans of a thread are nested, the spans of a queue don't overlap, and each arrow leads forward from one span
    to another"""
    for threads in ("1", "2", "4"):
        events, _ = traced(SINTER_THREADS=threads)
        common.check(not problems_of(events), "; ".join(problems_of(events)[:5]))
        names = {(span["pid"], span["tid"], nanoseconds(span["ts"])): span["name"] for span in spans_of(events)}
        ends = [names.get((event["pid"], event["tid"], nanoseconds(event["ts"]))) for event in events if event["ph"] == "f"]
        common.check(ends.count("bottom") == 2 and ends.count("node_b") == 5, f"arrows end at {ends}")


def test_planted():
    """This test finds overlapping spans, arrows to nowhere, arrows with one end, and arrows that are drawn twice"""
    events, _ = traced()
    queues = process_of(events, "queues")
    span = next(event for event in spans_of(events) if event["name"] == "in_a_row" and event["pid"] == queues)
    common.check(problems_of(events + [{**span, "ts": span["ts"] + span["dur"] / 2}]), "an overlap is not found")
    arrow = next(event for event in events if event["ph"] == "s")
    common.check(problems_of([event for event in events if event is not arrow]), "half an arrow is not found")
    again = [{**event, "id": 1 << 40} for event in events if event.get("id") == arrow["id"]]
    common.check(problems_of(events + again), "an arrow that is drawn twice is not found")
    common.check(problems_of([{**event, "ts": event["ts"] - 1e6} if event is arrow else event for event in events]),
                 "an arrow that meets nothing is not found")


def test_unwritable():
    """If the file can't be written, the program prints a message and continues"""
    result = common.run([program()], SINTER_TRACE="/nowhere/trace.json").expect(
        contains=["sinter: SINTER_TRACE: '/nowhere/trace.json' can't be written: No such file or directory"])
    common.check(result.text.count("SINTER_TRACE") == 1, "it is said more than once")


def test_full_disk():
    """If the file can't be written to its end, the program prints a message as well"""
    result = common.run([program()], SINTER_TRACE="/dev/full").expect(
        contains=["sinter: SINTER_TRACE: '/dev/full' can't be written to its end: No space left on device"])
    common.check(result.text.count("SINTER_TRACE") == 1, "it is said more than once")


def test_process_number():
    """%p in the file's name becomes the process id"""
    place = folder / "numbers"
    os.makedirs(place, exist_ok=True)
    common.run([program()], SINTER_TRACE=os.path.join(place, "trace-%p.json")).expect()
    names = os.listdir(place)
    common.check(len(names) == 1 and names[0][6:-5].isdigit(), f"files: {names}")


with folder:
    common.main(globals())
