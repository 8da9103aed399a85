#!/usr/bin/env python3
"""What lists of kernels become on NVIDIA GPUs: e2e_fusion_forms on the fake driver, which keeps the PTX it is given."""
import glob
import os
import re
import shutil

import common

PROGRAM = os.path.join(common.BUILD, "tests", "e2e", "e2e_fusion_forms")
DRIVER = os.path.join(common.BUILD, "tests", "devices")
FOLDER = common.Folder()
FOUND = []


def modules():
    """The PTX of each fused kernel. What kernels compute is nothing there, so that the program's own checks fail."""
    if not FOUND:
        common.not_sanitized()
        result = common.run([PROGRAM], LD_LIBRARY_PATH=DRIVER, SINTER_DEVICE="gpu", SINTER_CACHE="0",
                            SINTER_REPORT="fusion", FAKE_DRIVER_PTX=str(FOLDER / "."))
        common.check("-> 1 launch" in result.err, result.err)
        for path in sorted(glob.glob(str(FOLDER / "*.ptx"))):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            if ".entry sinter_fused_" in text:
                FOUND.append((path, text))
    return FOUND


def test_assembles():
    """ptxas has no complaint about any"""
    common.check(len(modules()) >= 16, f"only {len(modules())}")
    ptxas = shutil.which("ptxas")
    if not ptxas:
        raise common.Skip("ptxas is missing")
    for path, text in modules():
        gpu = re.search(r"\.target (\w+)", text).group(1)
        common.run([ptxas, "-arch=" + gpu, path, "-o", FOLDER / "fused.cubin"]).expect()


def test_values_stay_in_registers():
    """temporaries need no memory, and arguments are read where they are handed over"""
    for _, text in modules():
        common.check(not re.search(r"\b(ld|st)\.local", text), "private memory\n" + text)
        common.check(not re.search(r"\b(ld|st)\.(v\d\.)?(b|u|s|f)\d", text), "accesses of no address space\n" + text)


def test_shared_memory():
    """promotion to local memory is shared memory, and kept barriers are those of the block"""
    common.check(any("sinter_shared_memory" in text for _, text in modules()), "no shared memory")
    common.check(any("bar" in text and "sync" in text for _, text in modules()), "no barrier")


common.main(globals())
