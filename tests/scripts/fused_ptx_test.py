#!/usr/bin/env python3
"""The PTX of lists of kernels on NVIDIA GPUs. The test runs e2e_fusion_forms on the fake driver, which stores the
PTX that it gets."""
import glob
import os
import re
import shutil

import common
from ptx_text import unset_addresses

PROGRAM = os.path.join(common.BUILD, "tests", "e2e", "e2e_fusion_forms")
DRIVER = os.path.join(common.BUILD, "tests", "devices")
FOLDER = common.Folder()
FOUND = []


IN_PLACE = """#include <sycl/sycl.hpp>
using namespace sycl;
namespace cx = sycl::ext::codeplay::experimental;
int main() {
  queue q{cx::property::queue::enable_fusion{}};
  cx::fusion_wrapper fusion(q);
  buffer<float> a(range<1>(1000)), b(range<1>(1000)), c(range<1>(1000));
  const auto update = [&](float by) {
    q.submit([&](handler& h) {
      accessor x(a, h), y(b, h), z(c, h);
      h.parallel_for(range<1>(1000), [=](id<1> i) { x[i] *= by; y[i] *= by; z[i] *= by; });
    });
  };
  fusion.start_fusion();
  update(2);
  update(3);
  fusion.complete_fusion().wait();
}
"""

SOFTMAX = """#include <sycl/sycl.hpp>
using namespace sycl;
namespace cx = sycl::ext::codeplay::experimental;
int main() {
  constexpr std::size_t rows = 3000, width = 512;
  queue q{{cx::property::queue::enable_fusion{}, property::queue::in_order{}}};
  float *in = malloc_device<float>(rows * width, q), *out = malloc_device<float>(rows * width, q);
  float *most = malloc_device<float>(rows, q), *sums = malloc_device<float>(rows, q);
  cx::fusion_wrapper fusion(q);
  fusion.start_fusion();
  q.parallel_for(range<1>(rows), [=](id<1> row) {
    float largest = in[row * width];
    for (std::size_t i = 1; i < width; ++i) largest = fmax(largest, in[row * width + i]);
    most[row] = largest;
  });
  q.parallel_for(range<2>(rows, width), [=](id<2> at) {
    out[at[0] * width + at[1]] = exp(in[at[0] * width + at[1]] - most[at[0]]);
  });
  q.parallel_for(range<1>(rows), [=](id<1> row) {
    float sum = 0;
    for (std::size_t i = 0; i < width; ++i) sum += out[row * width + i];
    sums[row] = sum;
  });
  q.parallel_for(range<2>(rows, width), [=](id<2> at) { out[at[0] * width + at[1]] /= sums[at[0]]; });
  fusion.complete_fusion().wait();
}
"""


def fused_ptx(folder, program, **environment):
    """The PTX of each fused kernel of a program. The fake driver runs no kernels, so their results do not matter."""
    common.not_sanitized()
    result = common.run([program], LD_LIBRARY_PATH=DRIVER, SINTER_DEVICE="gpu", SINTER_CACHE="0",
                        SINTER_REPORT="fusion", FAKE_DRIVER_PTX=str(folder / "."), **environment)
    common.check("-> 1 launch" in result.err, result.err)
    found = []
    for path in sorted(glob.glob(str(folder / "*.ptx"))):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if ".entry sinter_fused_" in text:
            found.append((path, text))
    return found


def modules():
    """The PTX modules of the program's lists. The fake driver runs no kernels, so the program's own checks fail."""
    if not FOUND:
        FOUND.extend(fused_ptx(FOLDER, PROGRAM))
    return FOUND


def test_assembles():
    """ptxas accepts all modules"""
    common.check(len(modules()) >= 16, f"only {len(modules())}")
    ptxas = shutil.which("ptxas")
    if not ptxas:
        raise common.Skip("ptxas is missing")
    for path, text in modules():
        gpu = re.search(r"\.target (\w+)", text).group(1)
        common.run([ptxas, "-arch=" + gpu, path, "-o", FOLDER / "fused.cubin"]).expect()


def test_values_stay_in_registers():
    """temporaries need no memory, and members read arguments directly from the parameters"""
    for _, text in modules():
        common.check(not re.search(r"\b(ld|st)\.local", text), "private memory\n" + text)
        common.check(not re.search(r"\b(ld|st)\.(v\d\.)?(b|u|s|f)\d", text), "accesses of no address space\n" + text)


def test_addresses_are_set():
    """every register that holds an address is set by an instruction, also in reductions of spans, whose reducers store
    an address of the arguments"""
    with open(os.path.join(common.SOURCE, "tests", "e2e", "stencil_sums.cpp"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    # The kernel's name contains the line of its lambda expression.
    line = next(number for number, text in enumerate(lines, 1) if "three[(i[0] + i[1]) % 3] += last[i];" in text)
    with common.Folder() as folder:
        sums = fused_ptx(folder, os.path.join(common.BUILD, "tests", "e2e", "e2e_stencil_sums"), E2E_SEED="10")
        common.check(any(f"stencil_sums_cpp_{line}" in text for _, text in sums), "no reduction of a span")
        common.check(not any("st.local.b8" in text for _, text in sums), "the arguments are copied")
        for _, text in modules() + sums:
            common.check(not unset_addresses(text), f"{unset_addresses(text)}\n{text}")


def test_shared_memory():
    """promotion to local memory uses shared memory, and barriers that fusion keeps are barriers of the block"""
    common.check(any("sinter_shared_memory" in text for _, text in modules()), "no shared memory")
    common.check(any("bar" in text and "sync" in text for _, text in modules()), "no barrier")


def test_loads_before_stores():
    """loads from one buffer do not wait for stores to another"""
    common.not_sanitized()
    with common.Folder() as folder:
        program = folder / "in_place"
        common.run([common.CLANGXX, "-std=c++20", "-O2", "-w", folder.write("in_place.cpp", IN_PLACE), "-o", program,
                    *common.plugin_flags(), *common.link_flags()]).expect()
        for _, text in fused_ptx(folder, program):
            accesses = re.findall(r"\b(ld|st)\.global", text)
            common.check(accesses == 3 * ["ld"] + 3 * ["st"], f"{accesses}\n{text}")


def test_rows_are_reduced_in_shared_memory():
    """each group of a softmax copies its rows to shared memory, and work-items read along rows only in these copies"""
    common.not_sanitized()
    with common.Folder() as folder:
        program = folder / "softmax"
        common.run([common.CLANGXX, "-std=c++20", "-O2", "-w", folder.write("softmax.cpp", SOFTMAX), "-o", program,
                    *common.plugin_flags(), *common.link_flags()]).expect()
        found = fused_ptx(folder, program)
        common.check(len(found) == 1, f"{len(found)} kernels")
        path, text = found[0]
        common.check(text.count("bar.sync") == 5, "other barriers than one behind each kernel and each copy\n" + text)
        common.check(not re.search(r"\b(ld|st)\.(v\d\.)?(b|u|s|f)\d", text), "accesses of no address space\n" + text)
        additions = re.search(r"(?:ld\.shared[^\n]*\n\s*add\.rn\.f32[^\n]*\n\s*){4}", text)
        common.check(additions, "no sum in shared memory\n" + text)
        # Ids are divided only by the width, which is a constant, so no division instruction is left.
        common.check("div" not in re.sub(r"div\.(full|rn|approx)\.f32", "", text), "divisions of ids\n" + text)
        ptxas = shutil.which("ptxas")
        if ptxas:
            common.run([ptxas, "-arch=" + re.search(r"\.target (\w+)", text).group(1), path, "-o",
                        folder / "softmax.cubin"]).expect()


common.main(globals(), needs_device_code=True)
