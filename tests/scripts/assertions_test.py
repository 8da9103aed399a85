#!/usr/bin/env python3
"""The output of failed assertions in kernels: position in the source, ids of the work-item, and expression, on
all devices and in library mode."""
import os
import random
import re
import shutil

import common

PROGRAM = r"""#include <sycl/sycl.hpp>
#include <sycl/ext/codeplay/experimental/fusion_wrapper.hpp>
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <string>
#ifdef __clang__
[[gnu::noinline]]
#endif
float checked(const float* d, std::size_t i) { assert(d[i] < 100); return d[i] * 2; }
float halves(float x, int depth) { assert(x < 1000); return depth == 0 ? x : halves(x * 0.5f, depth - 1); }
int main(int, char** words) {
  const std::string form = words[1];
  namespace cx = sycl::ext::codeplay::experimental;
  sycl::queue q(form == "fused" ? sycl::property_list{cx::property::queue::enable_fusion{}} : sycl::property_list{});
  float* d = sycl::malloc_shared<float>(4096, q);
  for (int i = 0; i < 4096; ++i) d[i] = 1;
  d[std::atoi(words[2])] = 7777;
  const int width = 37;
  try {
    q.submit([&](sycl::handler& h) {
      using namespace sycl;
      if (form == "range") h.parallel_for(range<1>(1013), [=](id<1> i) { assert(d[i] < 100); d[i] += 1; });
      if (form == "plane") h.parallel_for(range<2>(19, 53), [=](item<2> i) {
        float& own = d[i.get_linear_id()]; assert(own < 100); own += 1; });
      if (form == "cube") h.parallel_for(range<3>(5, 7, 11), [=](item<3> i) {
        d[i.get_linear_id()] = checked(d, i.get_linear_id()); });
      if (form == "offset") h.parallel_for(range<1>(64), id<1>(120), [=](item<1> i) {
        assert(d[i.get_id(0)] < 100); d[i.get_id(0)] += 1; });
      if (form == "groups") h.parallel_for(nd_range<1>(960, 96), [=](nd_item<1> i) {
        float& own = d[i.get_global_id(0)]; assert(own < 100); own += 1; });
      if (form == "flat") h.parallel_for(nd_range<1>(960, 96), [=](nd_item<1> i) {
        const int at = static_cast<int>(i.get_global_id(0)), x = at % width, y = at / width;
        assert(d[y * width + x] < 100); d[y * width + x] = x; });
      if (form == "barrier") h.parallel_for(nd_range<2>({24, 40}, {3, 8}), [=](nd_item<2> i) {
        float own = d[i.get_global_linear_id()]; group_barrier(i.get_group());
        assert(own < 100); d[i.get_global_linear_id()] = own + 1; });
      if (form == "task") h.single_task([=] { for (int i = 0; i < 4096; ++i) assert(d[i] < 100); });
      if (form == "reduction") h.parallel_for(range<1>(1013), reduction(d + 4000, plus<float>()),
                                              [=](id<1> i, auto& sum) { assert(d[i] < 100); sum += d[i]; });
      if (form == "recursive") h.parallel_for(range<1>(1013), [=](id<1> i) { d[i] = halves(d[i], 5); });
      if (form == "several") h.parallel_for(range<1>(1013), [=](id<1> i) { assert(d[i] > 100); d[i] += 1; });
    }).wait_and_throw();
    if (form == "fused") {
      cx::fusion_wrapper fusion(q);
      fusion.start_fusion();
      q.parallel_for(sycl::range<1>(256), [=](sycl::id<1> i) { d[2048 + i] += 1; });
      q.parallel_for(sycl::range<1>(1013), [=](sycl::id<1> i) { assert(d[i] < 100); d[i] += 1; });
      fusion.complete_fusion().wait_and_throw();
      q.wait_and_throw();
    }
    std::puts("nothing failed");
  } catch (const sycl::exception& error) { std::puts(error.what()); }
}
"""

#: Each form has the extents of the range, the extents of a group, and the offset of ids.
FORMS = {
    "range": ((1, 1, 1013), None, 0), "plane": ((1, 19, 53), None, 0), "cube": ((5, 7, 11), None, 0),
    "offset": ((1, 1, 64), None, 120), "groups": ((1, 1, 960), (1, 1, 96), 0), "flat": ((1, 1, 960), (1, 1, 96), 0),
    "barrier": ((1, 24, 40), (1, 3, 8), 0), "task": (None, None, 0), "reduction": ((1, 1, 1013), None, 0),
    "recursive": ((1, 1, 1013), None, 0), "fused": ((1, 1, 1013), None, 0),
}
DRIVER = os.path.join(common.BUILD, "opencl-driver")
ON_OPENCL = ["python3", os.path.join(common.SOURCE, "tests", "devices", "opencl_driver.py"), "run", DRIVER]


def split(index, extents):
    return index // (extents[1] * extents[2]), index // extents[2] % extents[1], index % extents[2]


def ids_of(form, index):
    """The ids of work-item `index` as the text has them, the fastest dimension first."""
    extents, group, offset = FORMS[form]
    place = split(index, extents) if extents else (0, 0, 0)
    own = tuple(p % g for p, g in zip(place, group)) if group else (0, 0, 0)
    text = [",".join(str(number) for number in reversed(each)) for each in ((*place[:2], place[2] + offset), own)]
    return f"global id: [{text[0]}], local id: [{text[1]}] Assertion `"


def check_forms(command, without=(), **environment):
    numbers = random.Random(7)
    for form, (extents, _, offset) in FORMS.items():
        if form in without:
            continue
        count = extents[0] * extents[1] * extents[2] if extents else 4096
        for index in {numbers.randrange(count), *((count - 1,) if common.LONG else ())}:
            result = common.run([*command, form, index + offset], **environment)
            wanted = ids_of(form, index)
            common.check(wanted in result.text and "failed." in result.text,
                         f"{form}, work-item {index}: no '{wanted}' in\n{result.text}")
            common.check("program.cpp:" in result.text, result.text)


def program(folder):
    source = folder.write("program.cpp", PROGRAM)
    common.compile_program(source, folder / "program", "-O2", "-w").expect()
    return folder / "program"


def test_cpu():
    """a failed assertion names its work-item on the CPU, in kernels of all shapes, vectorized or not"""
    common.not_sanitized()
    with common.Folder() as folder:
        name = program(folder)
        check_forms([name], SINTER_CACHE_DIR=folder / "cache")
        check_forms([name], SINTER_CACHE_DIR=folder / "one_by_one", SINTER_PASSES="-vectors")
        # The assertion fails in all lanes at once, and the message names the first lane of a vector.
        result = common.run([name, "several", 0], SINTER_CACHE_DIR=folder / "cache", SINTER_THREADS="1")
        common.check("global id: [1,0,0]" in result.text, result.text)


def test_lanes():
    """kernels with assertions are vectorized across work-items"""
    common.not_sanitized()
    with common.Folder() as folder:
        name = program(folder)
        for form in ("range", "plane", "groups", "flat", "barrier"):
            result = common.run([name, form, 4095], SINTER_CACHE_DIR=folder / "cache", SINTER_REPORT="vectorize")
            result.expect(contains=["nothing failed"])
            common.check("lanes" in result.err, f"{form} has no lanes: {result.err}")


def test_library_mode():
    """a failed assertion names its work-item in library mode, where kernels run as the host's code"""
    common.not_sanitized()
    common.need("g++")
    with common.Folder() as folder:
        source = folder.write("program.cpp", PROGRAM)
        common.run(["g++", "-std=c++20", "-O0", "-w", *common.pkg_config("sinter-library", "--cflags"), source, "-o",
                    folder / "program", *common.pkg_config("sinter-library", "--libs"),
                    *common.runtime_path(os.path.join(common.BUILD, "src"))]).expect()
        check_forms([folder / "program"], without=("fused", "reduction"))
        source = folder.write("plain.cpp", "#include <sycl/sycl.hpp>\n#include <cassert>\nint main() {\n"
                              "  sycl::queue queue; assert(queue.is_in_order()); }\n")
        common.run(["g++", "-std=c++20", "-w", *common.pkg_config("sinter-library", "--cflags"), source, "-o",
                    folder / "plain", *common.pkg_config("sinter-library", "--libs"),
                    *common.runtime_path(os.path.join(common.BUILD, "src"))]).expect()
        # Outside of kernels, the message is that of the C library.
        common.run([folder / "plain"]).expect(code=None, contains=["Assertion `queue.is_in_order()' failed."],
                                              lacks=["global id"])


def test_opencl():
    """a failed assertion on an OpenCL device throws an exception that names the work-item"""
    common.not_sanitized()
    if not os.path.exists(os.path.join(DRIVER, "intel.icd")) or int(common.LLVM) < 22:
        raise common.Skip("there is no OpenCL driver")
    with common.Folder() as folder:
        check_forms([*ON_OPENCL, program(folder)], without=("recursive",), SINTER_CACHE_DIR=folder / "cache")


def test_ptx():
    """kernels for NVIDIA GPUs pass ids to the code that informs the host, and ptxas accepts this code"""
    common.not_sanitized()
    if int(common.LLVM) < 22:
        raise common.Skip("there is no code for GPUs with this LLVM")
    with common.Folder() as folder:
        lower = os.path.join(common.BUILD, "jitd", "sinter-lower")
        text = common.run([lower, "--emit=ptx", program(folder)]).out
        modules = re.split(r"(?m)^(?=\.version)", text)[1:]
        common.check(len(modules) >= 8, text[-3000:])
        counts = []
        ptxas = shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")
        for module in modules:
            if "sinter_fail" not in module:
                continue
            # Constants that are equal in all calls become part of the called function, so only ids remain as arguments.
            handed = max(len(call.split(",")) for call in re.findall(r"call\.uni sinter_\$_fail, \(([^)]*)\)", module))
            counts.append(handed)
            if ptxas:
                gpu = re.search(r"\.target (\w+)", module).group(1)
                common.run([ptxas, "-arch=" + gpu, folder.write("kernel.ptx", module), "-o",
                            folder / "kernel.cubin"]).expect()
        # A range of one dimension has one id, a plane has two, and a cube has three. In groups of two dimensions there
        # are two global and two local ids.
        common.check({1, 2, 3, 4} <= set(counts), f"ids: {counts}")


common.main(globals())
