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
    """an instruction sets each address, in reductions of spans too, whose reducers keep an address of the arguments"""
    with common.Folder() as folder:
        sums = fused_ptx(folder, os.path.join(common.BUILD, "tests", "e2e", "e2e_stencil_sums"), E2E_SEED="10")
        common.check(any("stencil_sums_cpp_163" in text for _, text in sums), "no reduction of a span")
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


common.main(globals(), needs_device_code=True)
