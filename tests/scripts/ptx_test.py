#!/usr/bin/env python3
"""Code of kernels for NVIDIA GPUs: instructions that the tests find in the PTX, and refusals."""
import concurrent.futures
import os
import re
import shutil
import struct
import zlib

import common
from ptx_text import modules, unset_addresses

LOWER = os.path.join(common.BUILD, "jitd", "sinter-lower")
HEAD = """#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/device_global/device_global.hpp>
#include <sycl/ext/oneapi/experimental/root_group.hpp>
#include <sycl/ext/oneapi/free_function_queries.hpp>
#include <sycl/ext/oneapi/group_local_memory.hpp>
#include <cassert>
#include <cmath>
#include <cstdio>
using namespace sycl;
template <class T, memory_order Order, memory_scope Scope>
using global_ref = atomic_ref<T, Order, Scope, access::address_space::global_space>;
int main(int count, char**) {
  queue q;
  int *in = nullptr, *out = nullptr;
  float* real = nullptr;
  %s
}
"""


#: Refusals because of features that GPUs lack.
NOT_ON_GPUS = ("requires sub-groups of", "its work-groups have", "an array of variable length",
               "bytes together, and the device takes", "it can run on the host CPU only", "it has a joint_matrix that")


def find_ptxas():
    """The one in the path, otherwise that in the place of the toolkit's packages; None: there is none."""
    return shutil.which("ptxas") or shutil.which("ptxas", path="/usr/local/cuda/bin")


def ptx(body, *options, level="-O2", flags=(), **environment):
    """Compiles the program's kernels to PTX. If ptxas is installed, it must accept the PTX."""
    common.not_sanitized()
    with common.Folder() as folder:
        source = folder.write("kernels.cpp", HEAD % body)
        common.run([common.CLANGXX, *common.read_headers("-std=c++20", level, "-w", *common.plugin_flags()), *flags, "-c",
                    source, "-o", folder / "kernels.o"]).expect()
        result = common.run([LOWER, "--emit=ptx", *options, folder / "kernels.o"], **environment)
        ptxas = find_ptxas()
        if result.code == 0 and ptxas:
            gpu = re.search(r"\.target (\w+)", result.out).group(1)
            for text in modules(result.out):
                common.run([ptxas, "-arch=" + gpu, folder.write("kernel.ptx", text), "-o",
                            folder / "kernel.cubin"]).expect()
        return result


def over_items(body, shape="range<1>(count)", item="id<1> i"):
    return f"q.parallel_for({shape}, [=]({item}) {{ {body} }});"


def over_groups(body):
    return over_items(body, "nd_range<1>(256, 256)", "nd_item<1> i")


def test_planted_unset_address():
    """the check finds an address that no instruction sets, and finds none if one instruction sets two registers"""
    text = ptx(over_items("out[i] = in[i];")).out
    common.check(modules(text) and not unset_addresses(modules(text)[0]), text)
    planted = re.sub(r"\[(%rd)\d+\]", r"[\g<1>9999]", text)
    common.check(len(unset_addresses(modules(planted)[0])) == 1, planted)
    pair = ".visible .entry two(\n)\n{\n\tld.param.v2.b64 \t{%rd1, %rd2}, [p];\n\tst.b64 \t[%rd2], %rd1;\n}\n"
    common.check(not unset_addresses(pair), pair)


def in_order(text, *patterns):
    """Checks that the patterns occur in this order."""
    at = 0
    for pattern in patterns:
        found = re.search(pattern, text[at:])
        common.check(found, f"{pattern} is not where it should be\n{text}")
        at += found.end()


def test_all_kernels():
    """every kernel of half of the end-to-end programs becomes PTX with an entry point, and ptxas assembles a sample"""
    common.not_sanitized()
    problems, kernels, sources = [], 0, {}
    # CI has time for half of the programs. The other half becomes SPIR-V in the test of SPIR-V.
    for path in common.images():
        if not common.in_half(path, 1):
            continue
        name = os.path.basename(path)
        result = common.run([LOWER, "--emit=ptx", path])
        # On these GPUs, sub-groups are warps, groups have at most 1024 work-items, and arguments at most 4 KiB.
        refused = [line for line in result.err.splitlines() if not any(words in line for words in NOT_ON_GPUS)]
        if refused or result.code not in (0, 1):
            problems.append(f"{name}: {result.err[-500:]}")
            continue
        entries = re.findall(r"\.entry\s+(\w+)", result.out)
        kernels += len(entries)
        # Kernels of these programs access memory through pointers, which must become pointers to global memory.
        if name in ("vector_add", "e2e_usm_basic") and "st.global" not in result.out:
            problems.append(f"{name}: nothing is stored to global memory")
        if name == "e2e_barriers" and not (".shared" in result.out and "bar.sync" in result.out):
            problems.append("e2e_barriers: no shared memory or no barrier")
        if not entries:
            problems.append(f"{name}: no entry point")
        unset = [each for text in modules(result.out) for each in unset_addresses(text)]
        if unset:
            problems.append(f"{name}: addresses that nothing sets: {unset}")
        externals = set(re.findall(r"^\.extern \.func[^;]*?(\w+)\s*(?:\(|;)\s*$", result.out, re.MULTILINE))
        unknown = externals - {"vprintf", "__assertfail", "malloc", "free"}
        if unknown:
            problems.append(f"{name}: unresolved externals {sorted(unknown)}")
        # If several programs have equal kernels, these are assembled once.
        for text in modules(result.out):
            sources.setdefault(text, name)
    common.check(not problems, "\n".join(problems))
    common.check(kernels > (2000 if common.LONG else 1000), f"only {kernels} kernels")
    ptxas = find_ptxas()
    if not ptxas:
        raise common.Skip(f"no ptxas: {len(sources)} kernels are PTX, and nobody has assembled them")
    # CI has time to assemble one module of eight, which is the same one in each run.
    if not common.LONG:
        sources = {text: name for text, name in sources.items() if zlib.crc32(text.encode()) % 8 == 0}
    with common.Folder() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        def assemble(item):
            number, (text, name) = item
            source = folder.write(f"kernel{number}.ptx", text)
            done = common.run([ptxas, "-arch=sm_90", source, "-o", folder / f"kernel{number}.cubin"])
            return f"{name}: ptxas: {done.err[-500:]}" if done.code != 0 else None
        problems += [problem for problem in pool.map(assemble, enumerate(sources.items())) if problem]
    common.check(not problems, "\n".join(problems))


#: Inline assembly as programs write it, with each letter for constraints, with braces and bars.
ASSEMBLY = r"""
    short *halves = nullptr; float *floats = nullptr; double *doubles = nullptr; unsigned long long *longs = nullptr;
    q.parallel_for(nd_range<1>(256, 256), [halves, floats, doubles, longs](nd_item<1> item) {
      const unsigned i = item.get_global_id(0);
#ifdef __NVPTX__
      unsigned lane, other, below, low, high;
      asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
      asm volatile("shfl.sync.bfly.b32 %0, %1, 1, 31, 0xffffffff;" : "=r"(other) : "r"(lane) : "memory");
      asm("{\n .reg .pred p;\n setp.lt.u32 p, %1, %2;\n selp.u32 %0, 1, 0, p;\n}" : "=r"(below) : "r"(i), "n"(17));
      asm("mov.b64 {%0, %1}, %2;" : "=r"(low), "=r"(high) : "l"(longs[i]));
      asm volatile("st.global.u64 [%0], %1;" :: "l"(longs + i), "l"(lane + 1ull) : "memory", "cc");
      asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(floats[i]) : "f"(floats[i] + other));
      asm("fma.rn.f64 %0, %0, %1, %2;" : "+d"(doubles[i]) : "d"(2.0), "d"(1.0));
      asm("{ .reg .b16 t; add.s16 t, %1, %2; mov.b16 %0, t; }" : "=h"(halves[i]) : "h"(halves[i + 1]), "h"(halves[i]));
      floats[i] += below + low + high;
#else
      floats[i] = halves[i] + doubles[i] + longs[i];
#endif
    });"""
MACROS = "-fplugin-arg-sinter-device-macros=__SYCL_DEVICE_ONLY__,__NVPTX__"


def test_inline_assembly():
    """inline PTX from a second pass and from device branches is in the code unchanged, and ptxas accepts it"""
    for level in ("-O0", "-O2"):
        text = ptx(ASSEMBLY, level=level, flags=[MACROS]).expect().out
        in_order(text, r"mov\.u32 \s*%r\d+, %laneid;", r"shfl\.sync\.bfly\.b32 %r\d+, %r\d+, 1, 31, 0xffffffff;")
        for line in (r"\{\n \.reg \.pred p;\n setp\.lt\.u32 p, %r\d+, 17;\n selp\.u32 %r\d+, 1, 0, p;\n\}",
                     r"mov\.b64 \{%r\d+, %r\d+\}, %rd\d+;", r"st\.global\.u64 \[%rd\d+\], %rd\d+;",
                     r"ex2\.approx\.ftz\.f32 %[fr]\d+, %[fr]\d+;", r"fma\.rn\.f64 (%[fr]d\d+), \1, ",
                     r"\{ \.reg \.b16 t; add\.s16 t, %rs\d+, %rs\d+; mov\.b16 %rs\d+, t; \}"):
            common.check(re.search(line, text), f"{level}: {line} is not there\n{text}")
    branch = "int lane = 0; SINTER_IF_DEVICE(asm(\"{ mov.u32 %0, %%laneid; }\" : \"=r\"(lane));) in[i] = lane;"
    in_order(ptx(over_items(branch), level="-O0").expect().out, r"\{ mov\.u32 %r\d+, %laneid; \}", r"st\.global")


def test_refused_assembly():
    """kernels with inline PTX can't be compiled for other targets, and devices without PTX refuse their launches"""
    branch = "int lane = 0; SINTER_IF_DEVICE(asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(lane));) in[i] = lane;"
    launch = "try { " + over_items(branch) + """ } catch (const exception& error) {
      std::puts(error.what());
      return error.code() != errc::kernel_not_supported || q.get_device().has(aspect::ext_sinter_ptx);
    }
    return 2;"""
    said = ["kernel 'lambda at ", " on device '", "inline assembly of NVIDIA GPUs (PTX)", "aspect::ext_sinter_ptx", "Launch it"]
    with common.Folder() as folder:
        source = folder.write("kernels.cpp", HEAD % launch)
        common.compile_program(source, folder / "kernels", reads_headers=True).expect()
        common.run([folder / "kernels"], SINTER_DEVICE="cpu").expect(contains=said)
        for target in ("asm", "spirv", "amdgcn"):
            common.run([LOWER, "--emit=" + target, folder / "kernels"]).expect(
                code=1, contains=["it has inline assembly (ptx), which this device does not take"])


def test_wrong_assembly():
    """operands for which PTX has no registers lead to a compiler error, not to a crash"""
    body = ('unsigned long long* longs = nullptr; q.parallel_for(range<1>(count), [longs](id<1> i) {\n#ifdef __NVPTX__\n'
            'asm volatile("mov.u32 %0, 1;" :: "Q"(unsigned(i[0])));\n#endif\nlongs[i] = 1; });')
    result = ptx(body, flags=[MACROS])
    common.check(result.code == 1 and "kernel" in result.err, f"{result.code} {result.err}")


def test_steps_left_out():
    """SINTER_PASSES skips steps for GPUs, too, and ptxas accepts the result; SINTER_BISECT counts the steps"""
    body = over_groups("""
      float sum = 0;
      for (int k = 0; k < 256; ++k) sum += sycl::rsqrt(real[k] + sum);
      real[i.get_global_id(0)] = sycl::sin(reduce_over_group(i.get_group(), sum, plus<float>()));""")
    whole = ptx(body).expect().out
    for names in ("all", "llvm", "loop-unrolling,-late-stores"):
        common.check(ptx(body, SINTER_PASSES="-" + names).expect().out != whole, f"{names} changes nothing")
    said = ptx(body, SINTER_BISECT="2").expect().err
    steps = re.findall(r"step (\d+) (takes|leaves out) ([a-z-]+)", said)
    common.check([step[2] for step in steps] == ["known-arguments", "disjoint-accessors", "warp-values", "byte-products",
                                                 "loop-unrolling", "llvm", "async-copies", "late-stores",
                                                 "scalar-addresses"], said)
    common.check(all((word == "takes") == (int(number) <= 2) for number, word, _ in steps), said)


def words_of(name):
    """The words of a SPIR-V module that tests/e2e/source_kernels.hpp has as numbers."""
    with open(os.path.join(common.SOURCE, "tests", "e2e", "source_kernels.hpp")) as file:
        text = re.search(name + r"\[\]\s*=\s*\{(.*?)\}", file.read(), re.DOTALL)[1]
    return [int(word, 0) for word in re.findall(r"0x[0-9a-fA-F]+|\d+", text)]


def test_imported():
    """kernels of SPIR-V modules become PTX in all their variants, and ptxas assembles it"""
    common.not_sanitized()
    translator = shutil.which("llvm-spirv-15") or shutil.which("llvm-spirv-22")
    if not translator:
        raise common.Skip("no llvm-spirv-15")
    importer, ptxas = os.path.join(common.BUILD, "jitd", "sinter-import"), find_ptxas()
    with common.Folder() as folder:
        for name, constants in (("spirv_kernels", []), ("spirv_specialized", [])):
            words = words_of(name)
            with open(folder / "module.spv", "wb") as file:
                file.write(struct.pack(f"<{len(words)}I", *words))
            common.run([importer, translator, folder / "module.spv", folder / "image", *constants]).expect()
            listed = len(re.findall(r"kernel \d+", common.run([LOWER, "--list", folder / "image"]).expect().out))
            result = common.run([LOWER, "--emit=ptx", folder / "image"]).expect()
            files = re.split(r"(?m)^(?=\.version)", result.out)[1:]
            common.check(len(files) >= 7 and "st.global" in result.out and (listed == 0 or len(files) == listed),
                         f"{name}: {len(files)} files for {listed} kernels")
            for number, text in enumerate(files if ptxas else []):
                source = folder.write(f"{name}{number}.ptx", text)
                common.run([ptxas, "-arch=sm_90", source, "-o", folder / "kernel.cubin"]).expect()


def test_group_variables():
    """variables of a group are in shared memory, after the memory of group functions and before local accessors"""
    text = ptx(over_groups("auto& a = *ext::oneapi::group_local_memory_for_overwrite<int[32]>(i.get_group()); "
                           "auto& b = *ext::oneapi::group_local_memory_for_overwrite<int[32]>(i.get_group()); "
                           "size_t k = i.get_local_id(0) % 32; a[k] = in[k]; b[k] = in[k + 32]; "
                           "group_barrier(i.get_group()); out[k] = a[31 - k] + b[31 - k];")).expect().out
    in_order(text, r"\.extern \.shared .*sinter_shared_memory", r"st\.shared\.\w+", r"st\.shared\.\w+\s+\[.*\+128\]", r"bar\.sync|barrier\.sync",
             r"ld\.shared")


MATRIX = """q.submit([&](handler& h) {
  local_accessor<%(memory)s, 1> tile(1024, h);
  h.parallel_for(nd_range<1>(32, 32), [=, from = (%(memory)s*)in, sums = (%(sum)s*)out](nd_item<1> i) {
    using namespace ext::oneapi::experimental::matrix;
    joint_matrix<sub_group, %(type)s, use::a, %(m)d, %(k)d, layout::row_major> a;
    joint_matrix<sub_group, %(type)s, use::b, %(k)d, %(n)d, layout::%(layout)s> b;
    joint_matrix<sub_group, %(sum)s, use::accumulator, %(m)d, %(n)d> c;
    auto of = [](auto* p) { return address_space_cast<access::address_space::global_space, access::decorated::no>(p); };
    joint_matrix_fill(i.get_sub_group(), c, 0);
    for (int k = 0; k < count; ++k) {
      tile[i.get_local_id(0)] = from[i.get_local_id(0)];
      group_barrier(i.get_group());
      joint_matrix_load(i.get_sub_group(), a, tile.get_multi_ptr<access::decorated::no>(), %(k)d);
      joint_matrix_load(i.get_sub_group(), b, of(from + k), 64);
      joint_matrix_mad(i.get_sub_group(), c, a, b, c);
      group_barrier(i.get_group());
    }
    joint_matrix_store(i.get_sub_group(), c, of(sums), 64, layout::%(layout)s);
  }); });"""


def matrix(type, sum, m, n, k, layout="col_major", memory=None):
    return MATRIX % {"type": type, "sum": sum, "m": m, "n": n, "k": k, "layout": layout, "memory": memory or type}


def test_matrices():
    """matrices of sub-groups become fragments for tensor cores, which are loaded directly from memory; sums
    stay in registers from iteration to iteration"""
    bodies = [matrix("half", "float", 16, 16, 16), matrix("half", "half", 8, 32, 16, "row_major"),
              matrix("ext::oneapi::bfloat16", "float", 32, 8, 16), matrix("int8_t", "int32_t", 16, 16, 16),
              matrix("uint8_t", "int32_t", 8, 32, 16, "row_major"), matrix("double", "double", 8, 8, 4),
              matrix("ext::oneapi::experimental::matrix::precision::tf32", "float", 16, 16, 8, memory="float")]
    texts = modules(ptx("\n".join(bodies)).expect().out)
    shapes = [("m16n16k16", "f16", "f32.f32", "col"), ("m8n32k16", "f16", "f16.f16", "row"),
              ("m32n8k16", "bf16", "f32.bf16.bf16.f32", "col"), ("m16n16k16", "s8", "s32.s8.s8.s32", "col"),
              ("m8n32k16", "u8", "s32.u8.u8.s32", "row"), ("m8n8k4", "f64", "f64.f64.f64.f64", "col"),
              ("m16n16k8", "tf32", "f32.tf32.tf32.f32", "col")]
    common.check(len(texts) == len(shapes), f"{len(texts)} kernels")
    for text, (shape, element, types, layout) in zip(texts, shapes):
        in_order(text, rf"wmma\.load\.a\.sync\.aligned\.row\.{shape}\.shared\.{element}",
                 rf"wmma\.load\.b\.sync\.aligned\.{layout}\.{shape}\.global\.{element}",
                 rf"wmma\.mma\.sync\.aligned\.row\.{layout}\.{shape}\.{types}", r"bra",
                 rf"wmma\.store\.d\.sync\.aligned\.{layout}\.m\d+n\d+k\d+\.global")
        common.check(not re.search(r"(ld|st)\.local", text), "a part lies in memory\n" + text)


COPIES = """q.submit([&](handler& h) {
  local_accessor<uint4, 1> tile(1024, h), other(1024, h);
  h.parallel_for(nd_range<1>(256, 256), [=, from = (uint4*)in, to = (uint4*)out](nd_item<1> i) {
    const unsigned k = i.get_local_id(0);
    %s
  }); });"""
MEETING = "group_barrier(i.get_group()); to[k] = tile[k ^ 1];"
# Statements, and the number of instructions that copy to shared memory without registers (cp.async). SOME means any
# number above 0, which depends on unrolling.
SOME = -1
COPYING = (
    # The parts of both tiles do not overlap.
    ("tile[k] = from[k]; tile[k + 256] = from[k + 256]; other[k] = from[k + 512]; " + MEETING +
     "to[k + 256] = other[k];", 3),
    # The loop's step is the group's size. LLVM may unroll the loop.
    ("for (unsigned j = k; j < 1024; j += 256) tile[j] = from[j]; " + MEETING, SOME),
    ("i.async_work_group_copy(tile.get_multi_ptr<access::decorated::no>(), address_space_cast<access::address_space::"
     "global_space, access::decorated::no>(from), 1024).wait(); " + MEETING, SOME),
    # The work-item has to wait for its own copy, because it reads the tile.
    ("tile[k] = from[k]; to[k] = tile[k ^ (count & 1)];", 1),
    # After a loop, the work-item waits for the copies of all iterations. Here it reads what the last iteration but
    # one has copied.
    ("size_t j = k, last; do { last = j; tile[j] = from[j]; j += 256; } while (j < size_t(count)); "
     "to[k] = tile[last - 256];", SOME),
    # In this loop, the work-item would have to wait in each iteration, so it does not copy asynchronously.
    ("unsigned sum = 0; for (int j = 0; j < count; ++j) { tile[k] = from[j]; sum += tile[k ^ (j & 1)].x(); } "
     "to[k].x() = sum;", 0),
    # If several iterations or instructions may copy to the same address, the copies must keep their order, so they are
    # not asynchronous.
    ("for (int j = 0; j < count; ++j) tile[j * k & 255] = from[j]; " + MEETING, 0),
    # The work-item writes to the source before the copy, or between the copy and the barrier.
    ("from[k].x() = k; tile[k] = from[k ^ count]; " + MEETING, 0),
    ("for (int j = 0; j < count; ++j) { tile[k] = from[j + k]; from[j * k].x() = k; " + MEETING + " }", 0),
)


def test_asynchronous_copies():
    """work-items continue during copies to local memory and wait at barriers, unless they would notice the delay"""
    body = "\n".join(COPIES % statements for statements, _ in COPYING)
    texts = modules(ptx(body).expect().out)
    common.check(len(texts) == len(COPYING), f"{len(texts)} kernels")
    for text, (statements, count) in zip(texts, COPYING):
        found = len(re.findall(r"cp\.async\.cg\.shared\.global", text))
        common.check(found == count or (count == SOME and found > 0), f"{found} copies for: {statements}\n{text}")
        common.check(("cp.async.wait_all" in text) == (count != 0), text)
        if count:
            in_order(text, r"cp\.async\.cg", r"cp\.async\.wait_all", r"bar\.sync|ld\.shared")
    for without in (ptx(body, "--gpu=sm_75"), ptx(body, SINTER_PASSES="-async-copies")):
        common.check("cp.async" not in without.expect().out, without.out)


# Statements over three tiles, and the numbers of groups of copies that may still run after each wait; 0 means wait_all.
STAGES = """q.submit([&](handler& h) {
  local_accessor<uint4, 1> x(256, h), y(256, h), z(256, h);
  h.parallel_for(nd_range<1>(256, 256), [=, from = (uint4*)in, to = (uint4*)out](nd_item<1> i) {
    const unsigned k = i.get_local_id(0);
    unsigned sum = 0;
    auto meet = [&] { group_barrier(i.get_group()); };
    auto turn = [&](const local_accessor<uint4, 1>& now, const local_accessor<uint4, 1>& next, int j) {
      meet();
      if (j + 2 < count) next[k] = from[(j + 2) * 256 + k];
      sum += now[k ^ 1].x();
    };
    x[k] = from[k];
    y[k] = from[k + 256];
    %s
    meet();
    to[k].x() = sum;
  }); });"""
RING = "for (int j = 0;; j += 3) { if (j >= count) break; turn(x, z, j); if (j + 1 >= count) break; turn(y, x, j + 1); " \
    "if (j + 2 >= count) break; turn(z, y, j + 2); }"
STAGED = (
    (RING, {1, 0}),
    # Here, the only copy to y that may still run is the copy before the loop. Two later groups of copies may continue.
    (RING.replace("turn(z, y, j + 2);", "turn(z, y, j + 2); sum += y[k ^ 2].x();"), {2, 1, 0}),
    # By an atomic operation, the work-item may tell others that its earlier copies are complete, so it waits for all of
    # them.
    (RING.replace("turn(y, x, j + 1);", "turn(y, x, j + 1); atomic_ref<unsigned, memory_order::relaxed, "
                  "memory_scope::device>(to[0].x())++;"), {2, 0}),
    # After the barrier, work-items may write to the source of the copies, so the copies must be complete.
    (RING.replace("turn(y, x, j + 1);", "turn(y, x, j + 1); from[k + j].x() = j;"), {2, 0}),
)


def test_asynchronous_copies_in_stages():
    """copies continue across barriers if nobody reads their results yet; a work-item waits only for the copies
    that it needs, also if all launches have the tiles at the same addresses"""
    body = "\n".join(STAGES % statements for statements, _ in STAGED)
    places = b"".join(struct.pack("<QQ", 4096 * i, 256) for i in range(3)).hex()
    reads = []
    for known in ((), ("--local=1,1,256", "--local-accessors=" + places)):
        texts = modules(ptx(body, *known).expect().out)
        common.check(len(texts) == len(STAGED), f"{len(texts)} kernels")
        for text, (statements, pending) in zip(texts, STAGED):
            found = {int(number or 0) for number in re.findall(r"cp\.async\.wait_(?:all|group\s+(\d+))", text)}
            common.check(found == pending, f"waits for all but {found} in: {statements}\n{text}")
        # If the addresses of the tiles are known, they are constants in the code.
        reads.append([text.count("ld.param") for text in texts])
    common.check(all(any_place - known == 3 for any_place, known in zip(*reads)), reads)


def test_matrices_while_copying():
    """loads of matrices from one tile do not wait for copies to another tile"""
    text = ptx("""q.submit([&](handler& h) {
      local_accessor<uint4, 1> tiles(64, h);
      h.parallel_for(nd_range<1>(32, 32), [=, from = (uint4*)in, sums = (float*)out](nd_item<1> i) {
        using namespace ext::oneapi::experimental::matrix;
        joint_matrix<sub_group, half, use::a, 16, 16, layout::row_major> a;
        joint_matrix<sub_group, half, use::b, 16, 16, layout::col_major> b;
        joint_matrix<sub_group, float, use::accumulator, 16, 16> c;
        auto in_space = []<access::address_space Space>(auto* p) {
          return address_space_cast<Space, access::decorated::no>(p); };
        joint_matrix_fill(i.get_sub_group(), c, 0);
        for (int k = 0, now = 0; k < count; ++k, now ^= 32) {
          group_barrier(i.get_group());
          tiles[(now ^ 32) + i.get_local_id(0)] = from[32 * k + i.get_local_id(0)];
          auto tile = in_space.operator()<access::address_space::local_space>((half*)&tiles[now]);
          joint_matrix_load(i.get_sub_group(), a, tile, 16);
          joint_matrix_load(i.get_sub_group(), b, tile, 16);
          joint_matrix_mad(i.get_sub_group(), c, a, b, c);
        }
        joint_matrix_store(i.get_sub_group(), c, in_space.operator()<access::address_space::global_space>(sums), 16,
                           layout::row_major);
      }); });""").expect().out
    in_order(text, r"cp\.async\.wait_all", r"bar(rier)?\.(warp\.)?sync", r"cp\.async\.cg", r"wmma\.load\.a",
             r"wmma\.mma", r"bra")
    turn = text[text.index("cp.async.cg"):text.index("wmma.mma")]
    common.check("wait" not in turn, text)


def test_no_matrix_unit():
    """matrices that tensor cores do not support are refused, with a list of the supported ones"""
    for body, gpu, words in ((matrix("half", "float", 16, 16, 32), "sm_90", "16 x 32 of f16 (use::a)"),
                             (matrix("float", "float", 16, 16, 16), "sm_90", "f32 (use::a)"),
                             (matrix("ext::oneapi::bfloat16", "float", 16, 16, 16), "sm_75", "of bf16")):
        result = ptx(body, "--gpu=" + gpu)
        common.check(result.code != 0 and words in result.err and f"that {gpu} has no unit for" in result.err and
                     "It has f16 -> f16 or f32" in result.err, result.err)


def test_strides_of_matrices():
    """a known stride that is no multiple of 16 bytes is refused, and the message says which strides are right"""
    body = matrix("half", "float", 16, 16, 16)
    for stride, right in (("20", False), ("24", True)):
        result = ptx(body.replace("of(from + k), 64", "of(from + k), " + stride))
        common.check((result.code == 0) == right, result.err)
        common.check(right or ("a stride of 20 elements" in result.err and "a multiple of 8" in result.err), result.err)


def test_device_globals():
    """device_globals are found through a table, whose address is the geometry's last word; each entry is read once"""
    declared = ("static ext::oneapi::experimental::device_global<int[64]> many; "
                "static ext::oneapi::experimental::device_global<float> unused, one; ")
    text = ptx(declared + over_items("one += real[i]; many[i[0] % 64] = many[3] + in[i];", item="id<1> i")).expect().out
    table = re.search(r"ld\.param\.b64\s+(%rd\d+), \[[%\w]+\+80\]", text)
    common.check(table, text)
    reads = re.findall(r"ld\.global\.nc\.b64\s+%rd\d+, \[" + table.group(1) + r"(?:\+(\d+))?\]", text)
    common.check(sorted(reads) == ["", "8"], f"two of them are used: {reads}\n{text}")
    common.check(not re.search(r"\b(ld|st)\.(b|u|s|f)\d", text), "accesses of no address space\n" + text)
    table_of_them = ptx("static ext::oneapi::experimental::device_global<int> a, b; " +
                        over_items("static ext::oneapi::experimental::device_global<int>* const all[] = {&a, &b}; "
                                   "*all[i[0] % 2] = count;", item="id<1> i"))
    common.check("which devices with a driver can't reach" in table_of_them.out + table_of_them.err, table_of_them.out)


def test_groups_that_meet():
    """a barrier of all work-groups waits for a word in memory, and stops waiting when a work-item has failed"""
    root = ("ext::oneapi::experimental::root_group<1> all = i.ext_oneapi_get_root_group(); out[i.get_global_id(0)] = count; "
            "group_barrier(all); in[0] = out[count];")
    text = ptx(over_groups(root)).expect().out
    common.check(re.search(r"ld\.param\.b64\s+%rd\d+, \[[%\w]+\+72\]", text), "no place to meet\n" + text)
    in_order(text, r"bar\.sync", r"atom\.add\.release\.gpu\.global\.u32", r"ld\.acquire\.gpu\.global", r"bar\.sync")
    common.check("exit;" not in text, "nobody can fail\n" + text)
    text = ptx(over_groups("assert(count > 0); " + root)).expect().out
    in_order(text, r"ld\.acquire\.gpu\.global", r"ld\.global\.b64.*sinter_failure", r"ld\.relaxed\.\w+\.global", "exit;")
    plain = ptx(over_groups("group_barrier(i.get_group()); out[i.get_global_id(0)] = count;")).expect().out
    common.check("atom" not in plain, plain)


def test_range():
    """a range kernel has few instructions besides its accesses"""
    text = ptx(over_items("out[i] = in[i] + count;", item="id<1> i")).expect().out
    # Short ranges are launched with smaller blocks, so the block size is read.
    common.check(".maxntid 256, 1, 1" in text and "%ntid.x" in text, text)
    common.check(not re.search(r"\b(ld|st)\.(b|u|s|f)\d", text), "accesses of no address space\n" + text)
    common.check(len(re.findall(r"^\s+[a-z@]", text, re.MULTILINE)) < 25, "too many instructions\n" + text)
    plane = ptx(over_items("out[i.get_linear_id()] = 1;", "range<2>(count, count)", "item<2> i")).expect().out
    common.check(".reqntid 32, 8, 1" in plane and "ctaid.z" not in plane, plane)


def test_groups_of_any_size():
    """without a known group size, the code leaves registers for the largest groups; a known size is a constant"""
    body = over_groups("out[i.get_global_id(0)] = 1;")
    common.check(".maxntid 1024" in ptx(body).expect().out, "no bound")
    common.check(".reqntid 64, 1, 1" in ptx(body, "--local=64").expect().out, "no size")
    common.check("ctaid.y" in ptx(body, "--folded").expect().out, "not folded")


def test_printf():
    """printf becomes the driver's vprintf, with arguments promoted by the rules of C"""
    text = ptx(over_items('std::printf("%zu of %f in %s\\n", i[0], real[0], "here");')).expect().out
    common.check("sinter_prints" in text and "vprintf" in text, text)
    in_order(text, r"cvt\.f64\.f32", r"call\.uni \(.*vprintf")
    # The numbers are the bytes of "%lu of %f", because the driver does not know %zu.
    common.check("37, 108, 117, 32, 111, 102" in text, text)
    common.check("sinter_prints" not in ptx(over_items("out[i] = 1;")).expect().out, "marked for nothing")


def test_global_order():
    """constants are emitted in the order of their use, so that the text is the same in each run"""
    words = [f"word {i}" for i in range(12)]
    body = ("static const char* const words[] = {%s}; static const char* const more[] = {%s};"
            % (", ".join(f'"{word}"' for word in words), ", ".join(f'"{word}"' for word in reversed(words)))
            + over_items("out[i] = words[in[i] % 12][5] + more[in[i + 1] % 12][in[i] % 5];"))
    text = ptx(body).expect().out
    # The arrays begin with the bytes of "word ".
    found = re.findall(r"\[\d+\] = \{119, 111, 114, 100, 32, ([\d, ]+)\}", text)
    expected = [", ".join(str(ord(each)) for each in word[5:]) for word in words]
    common.check([one.removesuffix(", 0").removesuffix(", 0") for one in found] == expected, text)


def test_large_groups():
    """work-groups that are too large for any GPU are refused"""
    for size in ("1, 1, 1025", "65, 1, 1", "4294967295, 4294967295, 4294967295", "32, 33, 1"):
        kernel = (f"q.parallel_for(nd_range<3>({{1, 1, 1}}, {{1, 1, 1}}), [=](nd_item<3>) "
                  f"[[sycl::reqd_work_group_size({size})]] {{ out[0] = 1; }});")
        ptx(kernel).expect(code=1, contains=["its work-groups have", "1024 in all"])
    body = over_groups("out[i.get_global_id(0)] = 1;")
    ptx(body, "--local=2048").expect(code=1, contains=["2048"])


def test_order_of_atomics():
    """read-modify-write operations keep their memory order, and fences their scope"""
    add = "global_ref<int, memory_order::%s, memory_scope::device>(out[0]).fetch_add(in[i]);"
    text = ptx(over_items(add % "acq_rel")).expect().out
    in_order(text, "fence.acq_rel", r"(atom|red)[a-z._0-9]*add", "fence.acq_rel")
    common.check("fence" not in ptx(over_items(add % "relaxed")).expect().out, "a fence for nothing")
    for scope, name in (("work_group", "cta"), ("device", "gpu"), ("system", "sys")):
        fence = f"atomic_fence(memory_order::acq_rel, memory_scope::{scope});"
        text = ptx(over_items(f"out[i] = 1; {fence} out[i] = 2;")).expect().out
        common.check(f"fence.acq_rel.{name}" in text, f"{scope}\n{text}")


def test_reach_of_atomics():
    """read-modify-write operations are atomic for the host as well, except in local memory"""
    types = {"int": "32", "unsigned": "32", "long": "64", "unsigned long": "64"}
    for type_name, bits in types.items():
        word = f"auto& word = *reinterpret_cast<{type_name}*>(out + 2 * i); "
        ref = f"atomic_ref<{type_name}, memory_order::relaxed, memory_scope::system> a(word); "
        text = ptx(over_items(word + ref + "a += 2; a -= in[i]; a.fetch_min(in[i]); a.fetch_max(7); a.fetch_and(3); "
                              "a.fetch_or(8); a.fetch_xor(9); word = a.exchange(5);")).expect().out
        sign = "u" if "unsigned" in type_name else "s"
        for operation in (f"add.u{bits}", f"min.{sign}{bits}", f"max.{sign}{bits}", f"and.b{bits}", f"or.b{bits}",
                          f"xor.b{bits}", f"exch.b{bits}"):
            common.check(f"atom.relaxed.sys.global.{operation}" in text, f"{type_name}: no {operation}\n{text}")
        common.check(not re.search(r"\batom\.(global|add|min|max|exch)", text), text)
    for type_name, bits in {"float": "32", "double": "64"}.items():
        text = ptx(over_items(f"auto& word = *reinterpret_cast<{type_name}*>(out + 2 * i); atomic_ref<{type_name}, "
                              "memory_order::relaxed, memory_scope::device> a(word); a += 2; a.fetch_max(in[i]);"))
        text = text.expect().out
        common.check(f"atom.relaxed.sys.global.add.f{bits}" in text and f"atom.relaxed.sys.global.cas.b{bits}" in text, text)
    text = ptx("q.submit([&](handler& h) { local_accessor<int> mine(8, h); h.parallel_for(nd_range<1>(256, 256), "
               "[=](nd_item<1> i) { atomic_ref<int, memory_order::relaxed, memory_scope::work_group> a(mine[0]); "
               "a += in[i.get_global_id(0)]; group_barrier(i.get_group()); out[0] = mine[0]; }); });").expect().out
    common.check("atom.shared.add.u32" in text and "sys" not in text, text)


def test_barriers():
    """barriers are those of the group or of the sub-group, with additional fences for wider scopes"""
    text = ptx(over_groups("out[i.get_local_id(0)] = 1; group_barrier(i.get_sub_group()); "
                           "in[i.get_local_id(0)] = 2;")).expect().out
    common.check("bar.warp.sync" in text and "bar.sync" not in text, text)
    text = ptx(over_groups("out[0] = 1; group_barrier(i.get_group(), memory_scope::device); "
                           "in[0] = 2;")).expect().out
    in_order(text, "fence.acq_rel.gpu", "bar.sync", "fence.acq_rel.gpu")


def test_sub_groups():
    """sub-groups are warps; the memory of group functions is read with the type with which it was written"""
    text = ptx(over_groups("auto s = i.get_sub_group(); auto k = i.get_global_id(0); "
                           "out[k] = reduce_over_group(s, in[k], plus<int>()) + any_of_group(s, in[0] > 2);"))
    text = text.expect().out
    common.check("shfl.sync" in text and "vote.sync" in text and "shared" not in text, text)
    text = ptx(over_groups("auto k = i.get_global_id(0); "
                           "out[k] = exclusive_scan_over_group(i.get_group(), in[k], plus<int>());")).expect().out
    common.check("st.shared.b32" in text and "shared.b8" not in text, text)
    required = ("q.parallel_for(nd_range<1>(256, 256), [=](nd_item<1> i) [[sycl::reqd_sub_group_size(%d)]] "
                "{ out[0] = i.get_sub_group().get_local_linear_id(); });")
    ptx(required % 32).expect()
    ptx(required % 16).expect(code=1, contains=["requires sub-groups of 16", "32 on NVIDIA GPUs"])


def test_byte_products():
    """sums of products of four bytes become dp4a, with the signedness of both words"""
    dot = "out[i] = sycl::ext::oneapi::dot_acc({}, {}, {});".format
    cases = [
        (dot("in[i]", "in[i + 1]", "out[i]"), [".s32.s32"]),
        (dot("unsigned(in[i])", "unsigned(in[i + 1])", "0"), [".u32.u32"]),
        (dot("unsigned(in[i])", "in[i + 1]", "0"), [".s32.u32"]),
        # These words are divided into parts of four bits.
        ("int low = in[i] & 0x0f0f0f0f, high = in[i] >> 4 & 0x0f0f0f0f; " + dot("low", "in[i + 1]", "0") +
         dot("high", "in[i + 2]", "out[i]"), [".s32.u32", ".s32.u32"]),
        # The bytes come from halves of words, and from vectors.
        ("auto h = reinterpret_cast<const unsigned short*>(in + i); int v = h[0] | h[1] << 16; " +
         dot("v", "in[i + 8]", "0"), [".s32.s32"]),
        ("using bytes = sycl::vec<signed char, 4>; bytes a = reinterpret_cast<const bytes*>(in)[i], "
         "b = reinterpret_cast<const bytes*>(in)[i + 9]; "
         "out[i] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];", [".s32.s32"]),
        # The sum has only three products of bytes.
        ("int a = in[i], b = in[i + 1]; "
         "for (int k = 0; k < 24; k += 8) out[i] += (a >> k & 255) * (b >> k & 255);", []),
    ]
    made = modules(ptx("".join(over_items(body) for body, _ in cases)).expect().out)
    common.check(len(made) == len(cases), "kernels are missing")
    for (body, expected), text in zip(cases, made):
        found = ["".join(sorted(re.findall(r"\.\w+", signs))) for signs in re.findall(r"dp4a(\S+)", text)]
        common.check(found == expected, f"{expected} expected: {body}\n{text}")


def test_mathematics():
    """functions that PTX lacks come from libdevice or libclc"""
    body = over_items("int e; float p, x = real[i]; real[i] = std::lround(x) + std::llrint(x) + std::scalbn(x, 3) + "
                      "sycl::frexp(x, &e) + e + std::modf(x, &p) + p + sycl::sin(x) + sycl::fmod(x, 3.0f) + "
                      "sycl::lgamma_r(x, &e) + e + sycl::sincos(x, &p) + p;")
    ptx(body, SINTER_LIBDEVICE="").expect()
    libdevice = [path for path in ("/usr/local/cuda/nvvm/libdevice/libdevice.10.bc", ) if os.path.exists(path)]
    if libdevice:
        ptx(body, SINTER_LIBDEVICE=libdevice[0]).expect()
    ptx(body, SINTER_LIBDEVICE="/nowhere.bc").expect(code=1, contains=["no math library", "/nowhere.bc"])
    # LLVM folds this call, and rounds halfway cases to even. Drivers that fold libdevice's assembly truncate instead.
    text = ptx(over_items("real[i] = sycl::fdim(0.8995362876f, 0.1667736401f);")).expect().out
    common.check("1060869718" in text and "sub" not in text, text)
    # libdevice's hypot is sometimes one unit too large. So it returns infinity in cases in which the largest finite
    # number is right. Therefore the code uses another formula.
    text = ptx(over_items("real[i] = sycl::hypot(double(real[i]), 2.0);")).expect().out
    common.check("sqrt.rn.f64" in text and "rsqrt" not in text, text)
    text = ptx(over_items("real[i] = sycl::rsqrt(real[i]);")).expect().out
    common.check("rsqrt.approx.f32" in text and "sqrt.rn" not in text, text)
    names = {"sin": "sin", "cos": "cos", "exp": "ex2", "exp2": "ex2", "log": "lg2", "log2": "lg2", "log10": "lg2",
             "sqrt": "sqrt", "rsqrt": "rsqrt", "recip": "div", "tan": "div"}
    for name, instruction in names.items():
        text = ptx(over_items(f"real[i] = sycl::native::{name}(real[i]);")).expect().out
        common.check(f"{instruction}.approx.f32" in text and "call" not in text, text)


def test_failures():
    """work-items that fail report the reason, and do not stop other work-items"""
    for body, words in (("if (in[i] == 3) throw 3; out[i] = 1;", "exception"),
                        ("assert(in[i] != 3); out[i] = 1;", "in[i] != 3")):
        text = ptx(over_items(body)).expect().out
        common.check("sinter_failure" in text and "exit;" in text, text)
        # In PTX, strings are lists of bytes.
        common.check(", ".join(str(ord(c)) for c in words) in text, f"the message is not there\n{text}")


def test_loops():
    """short loops are unrolled, so that their instructions overlap"""
    text = ptx(over_items("float s = 0; for (int k = 0; k < 256; ++k) s += sycl::rsqrt(real[k] + s); "
                          "real[i] = s;")).expect().out
    common.check(text.count("rsqrt.approx") == 16, text)
    # The short loop is unrolled completely.
    text = ptx(over_items("float s = 0; for (int k = 0; k < 32; ++k) s += real[k] * real[k * count]; "
                          "real[i] = s;")).expect().out
    common.check(text.count("fma.rn.f32") >= 31 and "setp.ne" not in text, text)


def test_loops_of_any_length():
    """loads of several iterations run at the same time in loops for which LLVM does not arrange this"""
    strides = ("auto k = i.get_global_id(0); int s = 0; "
               "for (auto at = k; at < size_t(count); at += i.get_global_range(0)) s += in[at]; out[k] = s;")
    text = ptx(over_groups(strides)).expect().out
    # Sixteen iterations are combined, then four of the remaining ones, and the rest runs one by one.
    common.check(text.count("ld.global.b32") == 16 + 4 + 1, text)
    # A group with eight rows of work-items handles a tile of 32 rows. Each work-item handles four rows, whichever
    # row it begins with.
    rows = "for (size_t k = i.get_local_id(0); k < 32; k += 8) out[k * 64 + i.get_local_id(1)] = in[k * 99];"
    text = ptx(over_items(rows, "nd_range<2>(range<2>(8, 32), range<2>(8, 32))", "nd_item<2> i"), "--local=1,8,32")
    common.check(text.expect().out.count("ld.global.b32") == 4 and "bra" not in text.out, text.out)
    text = ptx("q.parallel_for(range<1>(count), reduction(real, plus<float>()), "
               "[=](id<1> i, auto& sum) { sum += real[i] * 2; });", "--local=1,1,64").expect().out
    common.check(re.search(r"(ld\.global\.b32[^:]*){8}bra", text), text)


def test_negated_bounds():
    """no comparison has a negated operand, which ptxas forgets in unrolled loops (docs/ptxas_defects.md)"""
    for kind, bits in (("int", 32), ("long", 64)):
        for until in (">=", ">", "!="):
            loop = (f"{kind} reach = *in, s = 0; for ({kind} d = 9; d {until} -reach; --d) s = s * 3 + in[d & 1023]; "
                    "out[i] = int(s);")
            text = ptx(over_items(loop)).expect().out
            negated = set(re.findall(r"neg\.s\d+ \t(%\w+),", text) + re.findall(r"sub\.s\d+ \t(%\w+), 0,", text))
            compared = set(re.findall(r"%\w+", " ".join(re.findall(r"setp\.\S+ \t%p\d+, (.*);", text))))
            common.check(compared and not negated & compared, text)
            if until != "!=":  # LLVM counts iterations of such a loop itself
                spelled = rf"not\.b{bits} \t(%\w+), .*;\n\tadd\.s{bits} \t\1, \1, 1;"
                common.check(compared & set(re.findall(spelled, text)), text)


def test_turns():
    """blocks of reductions handle several groups with several loads at once, unless kernels query groups or wait"""
    reduce = ("q.parallel_for(nd_range<%d>(%s), reduction(out, maximum<int>()), "
              "[=](nd_item<%d> i, auto& most) { most.combine(%s); });")
    one = reduce % (1, "count, 256", 1, "in[i.get_global_id(0)]")
    loads = "ld.global.b32[^:]*" * 4
    text = ptx(one, "--turns", "--local=1,1,256").expect().out
    common.check(re.search(loads + "bra", text) and "nctaid.x" in text, text)
    alone = ptx(one, "--local=1,1,256").expect().out
    common.check("nctaid.x" not in alone and not re.search(loads, alone.split("bar.sync")[0]), alone)
    ptx(reduce % (3, "range<3>(64, 64, 64), range<3>(1, 2, 8)", 3, "in[i.get_global_linear_id()]"), "--turns").expect()
    asks = "in[sycl::ext::oneapi::this_work_item::get_nd_item<1>().get_group(0)]"
    waits = "(group_barrier(i.get_group()), in[i.get_global_id(0)])"
    by_pointer = f"(+[](int* in) {{ return {asks}; }})(in)"
    for body in asks, by_pointer, waits:
        one = reduce % (1, "count, 256", 1, body)
        common.check(ptx(one, "--turns").expect().out == ptx(one).expect().out, body)


def test_warps():
    """in groups of whole warps, no code tests whether a work-item has a value, and one instruction combines integers"""
    for kind, shuffles, at_once in (("int", 0, 2), ("float", 8, 0)):
        text = ptx(over_groups(f"auto* values = reinterpret_cast<{kind}*>(in); auto g = i.get_group(); "
                               f"auto s = reduce_over_group(g, values[i.get_global_id(0)], plus<{kind}>()); "
                               "if (g.leader()) values[g.get_group_id(0)] = s;"), "--local=1,1,256").expect().out
        common.check(text.count("shfl.sync") == shuffles and text.count("redux.sync.add") == at_once, text)


def test_local_ids():
    """ids in a group of known size are smaller than the size, so comparisons with the size disappear"""
    text = ptx(over_groups("out[i.get_global_id(0)] = i.get_local_id(0) < 256 ? in[0] : 12345;"),
               "--local=256").expect().out
    common.check("12345" not in text, text)
    text = ptx(over_groups("size_t k = i.get_global_id(0); "
                           "out[k] = reduce_over_group(i.get_group(), in[k], plus<int>());"), "--local=256").expect().out
    common.check("min.u" not in text and "max.u" not in text, "sub-groups are not known to be whole\n" + text)


def test_parameters():
    """kernels with more than 4 KiB of arguments require PTX 8.1, and do not copy the arguments"""
    kernel = "struct table { int values[%d]; } t{}; q.parallel_for(1, [=](id<1> i) { out[i] = t.values[in[i]]; });"
    small, large = ptx(kernel % 990).out, ptx(kernel % 8000).out
    common.check(".version 8.0" in small and ".version 8.1" in large, small + large)
    common.check("__local_depot" not in large, "arguments are copied into private memory\n" + large)
    ptx(kernel % 8200).expect(code=1, contains=["bytes together, and the device takes"])


def test_disjoint_accessors():
    """loads need not wait for stores to other buffers if the launch's buffers are known not to overlap"""
    body = """buffer<float> x(in, 100), y(in, 100), z(in, 100);
  q.submit([&](handler& h) {
    accessor a(x, h), b(y, h), c(z, h);
    h.parallel_for(100, [=](id<1> i) { a[i] += real[i]; b[i] += 2; c[i] += 3; });
  });""".replace("(in,", "(real,")
    order = lambda text: re.findall(r"(ld|st)\.global", text)
    plain, disjoint = ptx(body).expect().out, ptx(body, "--disjoint").expect().out
    common.check(order(plain) == ["ld", "ld", "st", "ld", "st", "ld", "st"], plain)
    common.check(order(disjoint) == ["ld", "ld", "ld", "ld", "st", "st", "st"] or
                 order(disjoint) == ["ld", "ld", "st", "ld", "ld", "st", "st"], disjoint)


def test_gpus():
    """newer and unknown GPUs get code"""
    body = over_items("out[i] = 1;")
    common.check(".target sm_100" in ptx(body, "--gpu=sm_100").out, "no code for sm_100")
    ptx(body, "--gpu=sm_60").expect(code=1, contains=["from sm_70 on"])
    ptx(body, "--gpu=sm_71").expect(code=1, contains=["sm_71"])
    ptx(body, "--gpu=nonsense").expect(code=1, contains=["nonsense"])


common.main(globals(), needs_device_code=True)
