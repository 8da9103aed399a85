#!/usr/bin/env python3
"""Code of kernels for AMD's GPUs: code objects as drivers load them, instructions that the tests find in the assembly,
and refusals."""
import functools
import os
import re
import struct
import subprocess

import common

LOWER = os.path.join(common.BUILD, "jitd", "sinter-lower")
READELF, OBJDUMP = "llvm-readelf-" + common.LLVM, "llvm-objdump-" + common.LLVM

#: For each GPU's name: the number of work-items of a wave, and the processor's number in the flags of a code object.
GPUS = {"gfx90a": (64, 0x3f), "gfx942": (64, 0x4c), "gfx1030": (32, 0x36), "gfx1100": (32, 0x41), "gfx1201": (32, 0x4e)}

#: Parts of messages by which kernels are refused, because these GPUs lack a feature.
NOT_THERE = ("requires sub-groups of", "its work-groups have", "an array of variable length",
             "bytes together, and the device takes", "it can run on the host CPU only", "bytes of private memory",
             "it has a joint_matrix that")

#: Small programs that together have all operations with special code for these GPUs.
SAMPLE = ("e2e_atomics", "e2e_barriers", "e2e_constant_tables", "e2e_device_globals", "e2e_exceptions",
          "e2e_group_memory", "e2e_local_memory", "e2e_math_pairs", "e2e_specialization_sets", "e2e_surface")

#: A program whose kernels the tests find by name. It is compiled once.
KERNELS = """#include <sycl/sycl.hpp>
#include <sycl/ext/oneapi/experimental/root_group.hpp>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <cstdlib>
using namespace sycl;
int main(int count, char**) {
  queue q;
  int *in = nullptr, *out = nullptr;
  float* real = nullptr;
  constexpr auto relaxed = memory_order::relaxed;
  const nd_range<1> groups(256, 256);
  q.parallel_for<class plain>(range(count), [=](id<1> i) { out[i] = in[i] + count; });
  q.parallel_for<class plane>(range(count, count), [=](item<2> i) { out[i.get_linear_id()] = 1; });
  q.parallel_for<class neighbours>(range(count, count), [=, n = static_cast<std::size_t>(count)](item<2> i) {
    const std::size_t y = i[0] + 1, x = i[1] + 1;
    out[y * n + x] = in[y * n + x] + in[(y - 1) * n + x] + in[(y + 1) * n + x]; });
  q.parallel_for<class any_size>(groups, [=](nd_item<1> i) { out[i.get_global_id(0)] = i.get_local_range(0); });
  q.parallel_for<class required_size>(nd_range<2>({8, 8}, {8, 8}),
    [=](nd_item<2> i) [[sycl::reqd_work_group_size(8, 8)]] { out[i.get_global_linear_id()] = 1; });
  q.parallel_for<class barriers>(groups, [=](nd_item<1> i) {
    out[i.get_local_id(0)] = 1; group_barrier(i.get_group()); in[0] = out[255 - i.get_local_id(0)]; });
  q.parallel_for<class sub_barrier>(groups, [=](nd_item<1> i) {
    out[i.get_local_id(0)] = 1; group_barrier(i.get_sub_group()); in[i.get_local_id(0)] = 2; });
  q.submit([&](handler& h) {
    local_accessor<int> tile(256, h);
    h.parallel_for<class local>(groups, [=](nd_item<1> i) {
      const auto k = i.get_local_id(0);
      tile[k] = in[k]; group_barrier(i.get_group()); out[k] = tile[255 - k];
      atomic_ref<int, relaxed, memory_scope::work_group>(tile[0]).fetch_add(1); }); });
  q.parallel_for<class whole_waves>(groups, [=](nd_item<1> i) {
    const auto s = i.get_sub_group();
    out[i.get_global_id(0)] = select_from_group(s, in[0], in[1] & 7) + any_of_group(s, in[i.get_local_id(0)] > 2); });
  q.parallel_for<class parts>(groups, [=](nd_item<1> i) [[sycl::reqd_sub_group_size(8)]] {
    out[i.get_global_id(0)] = select_from_group(i.get_sub_group(), in[i.get_global_id(0)], 7); });
  q.parallel_for<class odd_sub_groups>(groups, [=](nd_item<1> i) [[sycl::reqd_sub_group_size(128)]] {
    out[i.get_global_id(0)] = i.get_sub_group().get_local_linear_id(); });
  q.parallel_for<class far_fence>(range(count), [=](id<1> i) {
    out[i] = 1; atomic_fence(memory_order::acq_rel, memory_scope::system); in[i] = 2; });
  q.parallel_for<class near_fence>(range(count), [=](id<1> i) {
    out[i] = 1; atomic_fence(memory_order::acq_rel, memory_scope::work_group); in[i] = 2; });
  q.parallel_for<class atomic_integers>(range(count), [=](id<1> i) {
    atomic_ref<int, relaxed, memory_scope::device>(out[0]).fetch_add(in[i]);
    atomic_ref<int, relaxed, memory_scope::device>(out[1]).fetch_max(in[i]); });
  q.parallel_for<class atomic_reals>(range(count), [=](id<1> i) {
    atomic_ref<float, relaxed, memory_scope::device>(real[0]).fetch_add(1.5f); });
  buffer<float> own_memory{range<1>(count)};
  q.submit([&](handler& h) {
    accessor sums(own_memory, h);
    h.parallel_for<class buffer_reals>(range(count), [=](id<1> i) {
      atomic_ref<float, relaxed, memory_scope::device>(sums[i[0] % 7]).fetch_add(1.5f); }); });
  q.parallel_for<class tables>(range(count), [=](id<1> i) {
    static constexpr int primes[16] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53};
    out[i] = primes[in[i] & 15]; });
  q.parallel_for<class chosen_tables>(range(count), [=](id<1> i) {
    static constexpr int powers[4] = {1, 10, 100, 1000};
    const int* from = in[i] < 4 ? &powers[0] : &in[1];
    out[i] = from[in[i] & 3]; });
  q.parallel_for<class own_arrays>(range(count), [=](id<1> i) {
    int own[64];
    for (int k = 0; k < 64; ++k) own[k] = in[k * count];
    out[i] = own[in[i] & 63]; });
  q.parallel_for<class large_arrays>(range(count), [=](id<1> i) {
    int own[100000];
    for (int k = 0; k < 100000; ++k) own[k] = in[k * count];
    out[i] = own[in[i]]; });
  q.parallel_for<class failing>(range(count), [=](id<1> i) { assert(in[i] != 3); out[i] = 1; });
  q.parallel_for<class meeting>(groups, [=](nd_item<1> i) {
    ext::oneapi::experimental::root_group<1> all = i.ext_oneapi_get_root_group();
    assert(count > 0); out[i.get_global_id(0)] = count; group_barrier(all); in[0] = out[count]; });
  q.parallel_for<class printing>(range(count), [=](id<1> i) { std::printf("%d", in[i]); });
  const char* text = std::getenv("PATH");
  q.parallel_for<class printing_any>(range(count), [=](id<1> i) { std::printf(text, in[i]); });
  q.parallel_for<class printing_text>(range(count), [=](id<1> i) { std::printf("is %s", text); });
  q.parallel_for<class natives>(range(count), [=](id<1> i) {
    const float x = real[i], y = real[i + 1];
    real[i] = native::sin(x) + native::cos(y) + native::tan(x) + native::rsqrt(x) + native::exp2(x) + native::log2(x) + native::divide(x, y) +
              native::sqrt(y); });
  q.parallel_for<class mathematics>(range(count), [=](id<1> i) {
    int e; float p, x = real[i];
    real[i] = std::lround(x) + std::scalbn(x, 3) + sycl::frexp(x, &e) + e + std::modf(x, &p) + p + sycl::sin(x) +
              sycl::fmod(x, 3.0f) + sycl::lgamma_r(x, &e) + e + sycl::sincos(x, &p) + p + sycl::remquo(x, p, &e) +
              e; });
  q.parallel_for<class gammas>(range(count), [=](id<1> i) {
    real[i] = sycl::tgamma(real[i]) + sycl::lgamma(real[i + 1]); });
}
"""


class CodeObject:
    """One kernel's ELF file: the parts that drivers read, read by our own code."""

    def __init__(self, data):
        self.data = data
        common.check(data[:8] == b"\x7fELF\x02\x01\x01\x40", "no ELF of AMD's")
        self.version, self.flags = data[8], struct.unpack_from("<I", data, 48)[0]
        first, size, count, names = struct.unpack_from("<Q", data, 40)[0], *struct.unpack_from("<HHH", data, 58)
        self.sections = [struct.unpack_from("<IIQQQQIIQQ", data, first + i * size) for i in range(count)]
        self.names = [self.text(self.sections[names][4] + each[0]) for each in self.sections]
        table = self.sections[self.names.index(".dynsym")]
        strings = self.sections[table[6]][4]
        self.symbols = {}
        for at in range(table[4] + 24, table[4] + table[5], 24):
            name, _, other, section, value, length = struct.unpack_from("<IBBHQQ", data, at)
            self.symbols[self.text(strings + name)] = (section, value, length, other)

    def text(self, at):
        return self.data[at:self.data.index(b"\0", at)].decode()

    def at_address(self, address, size):
        for each in self.sections:
            if each[1] != 8 and each[3] <= address and address + size <= each[3] + each[5]:
                return self.data[each[4] + address - each[3]:][:size]
        raise AssertionError(f"no section has address {address:#x}")

    def check(self, gpu, notes):
        """Checks symbols and the kernel's descriptor, and compares them with the metadata that llvm-readelf prints."""
        wave, machine = GPUS[gpu]
        common.check(self.version == 3, f"version {self.version} of the ABI is not that of code objects 5")
        common.check(self.flags & 0xff == machine, f"flags {self.flags:#x}")
        common.check(all(section != 0 for section, *_ in self.symbols.values()), f"undefined symbols {self.symbols}")
        kernel, = [name for name in self.symbols if name.endswith(".kd")]
        section, place, length, _ = self.symbols[kernel]
        common.check(length == 64 and place % 64 == 0, f"descriptor of {length} bytes at {place:#x}")
        descriptor = self.at_address(place, 64)
        group, private, arguments = struct.unpack_from("<III", descriptor, 0)
        entry, properties = struct.unpack_from("<q", descriptor, 16)[0], struct.unpack_from("<H", descriptor, 56)[0]
        common.check(place + entry == self.symbols[kernel[:-3]][1], "the descriptor leads elsewhere")
        common.check(bool(properties & 1 << 10) == (wave == 32), f"waves: properties {properties:#x}")
        # These bits would request the dispatch packet, the queue and the number of the launch.
        common.check(properties & 0b10110 == 0, f"asks for more than its arguments: properties {properties:#x}")
        number = lambda name: int(re.search(rf"\.{name}:\s+(\d+)", notes)[1])
        common.check((group, private, arguments) == (number("group_segment_fixed_size"),
                     number("private_segment_fixed_size"), number("kernarg_segment_size")), "sizes differ\n" + notes)
        common.check(group == 0, "local memory that the launch does not know of")
        common.check(number("wavefront_size") == wave, notes)
        kinds = re.findall(r"\.value_kind:\s+(\w+)", notes)
        common.check(kinds == ["by_value"] * 2 and ".uses_dynamic_stack: false" in notes, notes)
        common.check(re.search(r"amdhsa\.version:\s+- 1\s+- 2\s", notes) and gpu in notes, notes)


def lowered(path, gpu, *options, **environment):
    """Compiles a file's kernels. Returns the code objects, and the messages of refused kernels."""
    process = subprocess.run([LOWER, "--emit=amdgcn", "--gpu=" + gpu, *options, str(path)],
                                    stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                    env={**os.environ, "SINTER_VERIFY": "1", **environment}, timeout=600)
    common.check(process.returncode in (0, 1), f"{path}: sinter-lower ended with {process.returncode}")
    data, at, objects = process.stdout, 0, []
    while at < len(data):
        end = data.index(b"\n", at)
        size = int(data[at:end])
        objects.append(CodeObject(data[end + 1:end + 1 + size]))
        at = end + size + 2
    return objects, process.stderr.decode()


def write(folder, objects):
    paths = []
    for number, each in enumerate(objects):
        paths.append(str(folder / f"kernel{number}"))
        with open(paths[-1], "wb") as file:
            file.write(each.data)
    return paths


def check_objects(objects, gpu):
    with common.Folder() as folder:
        paths = write(folder, objects)
        for first in range(0, len(paths), 200):
            some = paths[first:first + 200]
            notes = common.run([READELF, "--notes", *some]).expect().out
            notes = notes.split("\nFile: ")[1:] if len(some) > 1 else [notes]
            common.check(len(notes) == len(some), f"{len(notes)} notes of {len(some)} files")
            for each, text in zip(objects[first:first + 200], notes):
                each.check(gpu, text)


@functools.lru_cache(None)
def program():
    """The object file with all kernels of KERNELS."""
    common.not_sanitized()
    folder = common.Folder()
    place = folder.__enter__()
    source = place.write("kernels.cpp", KERNELS)
    common.run([common.CLANGXX, *common.read_headers("-std=c++20", "-O2", "-w", *common.plugin_flags()), "-c", source,
                "-o", place / "kernels.o"]).expect()
    with open(place / "kernels.o", "rb") as file:
        data = file.read()
    folder.__exit__(None, None, None)
    return data


@functools.lru_cache(None)
def kernels(gpu, *options, environment=()):
    """The program's kernels as assembly, by name, and the refusals of other kernels."""
    with common.Folder() as folder:
        with open(folder / "kernels.o", "wb") as file:
            file.write(program())
        objects, refused = lowered(folder / "kernels.o", gpu, *options, **dict(environment))
        check_objects(objects, gpu)
        text = common.run([OBJDUMP, "-d", "--no-show-raw-insn", *write(folder, objects)]).expect().out
        text = re.sub(r"(?m)^\t(s_nop 0|s_code_end)\b.*\n", "", text)
        parts = re.split(r"(?m)^\w+ <sinter_(?:class_)?(\w+)>:$", text)
        return dict(zip(parts[1::2], parts[2::2])), refused


def test_all_kernels():
    """kernels of the end-to-end programs become code objects whose symbols, descriptors and metadata are consistent"""
    common.not_sanitized()
    count, problems = 0, []
    for gpu in ("gfx942", "gfx1100"):
        for path in common.images():
            if not common.LONG and os.path.basename(path) not in SAMPLE:
                continue
            objects, refused = lowered(path, gpu)
            lines = [line for line in refused.splitlines() if not any(words in line for words in NOT_THERE)]
            problems += [f"{gpu}: {os.path.basename(path)}: {line}" for line in lines]
            check_objects(objects, gpu)
            count += len(objects)
    common.check(not problems, "\n".join(problems))
    common.check(count > 200, f"only {count} kernels")


def test_gpus():
    """each generation of GPUs has the right wave size; unknown and older GPUs are refused"""
    for gpu in ("gfx90a", "gfx1030", "gfx1201"):
        with common.Folder() as folder:
            with open(folder / "kernels.o", "wb") as file:
                file.write(program())
            objects, refused = lowered(folder / "kernels.o", gpu, "--kernel=4")
            common.check(len(objects) == 1 and not refused, refused)
            check_objects(objects, gpu)
    for gpu, words in (("gfx803", "from gfx900 on"), ("gfx9999", "LLVM makes no code"), ("gfx", "from gfx900 on")):
        _, refused = kernels_refused(gpu)
        common.check(words in refused, refused)


def kernels_refused(gpu):
    with common.Folder() as folder:
        with open(folder / "kernels.o", "wb") as file:
            file.write(program())
        return lowered(folder / "kernels.o", gpu, "--kernel=0")


def both():
    for gpu in ("gfx942", "gfx1100"):
        yield gpu, kernels(gpu)[0]


def has(text, *patterns):
    at = 0
    for pattern in patterns:
        found = re.search(pattern, text[at:])
        common.check(found, f"{pattern} is not where it should be\n{text}")
        at += found.end()


def lacks(text, pattern):
    common.check(not re.search(pattern, text), f"{pattern} is there\n{text}")


def test_ranges():
    """a range kernel has few instructions besides its accesses to global memory"""
    for _, code in both():
        instructions = re.findall(r"(?m)^\t\w+", code["plain"])
        common.check(len(instructions) < 28, code["plain"])
        has(code["plain"], "s_load", "global_load", "global_store", "s_endpgm")
        lacks(code["plain"], "flat_|scratch_|buffer_")


def test_sizes():
    """if group sizes are unknown at compile time, kernels read them from the geometry"""
    for _, code in both():
        has(code["any_size"], r"s_load_(dword|b32)\b.*0x68\b")  # at 0x68, behind a pointer, a gpu_geometry, z and y
        lacks(code["required_size"], r"s_load_(dword|b32)\b")


def test_barriers():
    """a barrier stands between the accesses; a barrier of a sub-group becomes no instruction"""
    for _, code in both():
        has(code["barriers"], "global_store", "s_barrier", "global_load")
        lacks(code["sub_barrier"], "s_barrier")


def test_local_memory():
    """local accessors are in LDS, with LDS instructions for atomics"""
    for _, code in both():
        has(code["local"], "ds_(write|store)_b32", "s_barrier", "ds_(read|load)_b32", "ds_add_u32")
        lacks(code["local"], "flat_")


def test_sub_groups():
    """sub-groups are waves or parts of them"""
    for gpu, code in both():
        has(code["whole_waves"], "ds_bpermute_b32|v_readlane|v_readfirstlane")
        has(code["whole_waves"], "v_cmp_lt_i32|v_cmp_gt_i32")
        has(code["parts"], "ds_bpermute_b32|dpp|ds_swizzle|v_permlane")
        has(code["parts"], "v_mbcnt|v_and_b32|v_or_b32|v_bfi")
        common.check(f"requires sub-groups of 128 work-items, which are {GPUS[gpu][0]}" in kernels(gpu)[1], gpu)


def test_order():
    """fences have the scope that the program names"""
    for gpu, code in both():
        far = "buffer_wbl2 sc0 sc1" if gpu == "gfx942" else "buffer_gl1_inv"
        has(code["far_fence"], "global_store", far, "global_store")
        lacks(code["near_fence"], "buffer_wbl2 sc0 sc1|buffer_gl1_inv")


def test_atomics():
    """atomic additions of integers are one instruction; those of floats are compare-and-swap loops, but one instruction
    in buffers, which the host can't access, and wherever the user promises that the host accesses no memory"""
    for _, code in both():
        has(code["atomic_integers"], "global_atomic_add")
        has(code["atomic_reals"], "global_atomic_cmpswap")
        has(code["buffer_reals"], "global_atomic_add_f32")
        lacks(code["buffer_reals"], "global_atomic_cmpswap")
    for gpu in ("gfx942", "gfx1100"):
        code, _ = kernels(gpu, environment=(("SINTER_FLOAT_ATOMICS", "device"),))
        has(code["atomic_reals"], "global_atomic_add_f32")
        lacks(code["atomic_reals"], "global_atomic_cmpswap")


def test_memory():
    """tables are constants of the object, arrays of a work-item are private memory, and no symbol is undefined"""
    for _, code in both():
        has(code["tables"], "s_getpc_b64", "global_load|s_load")
        for name in ("tables", "own_arrays"):
            lacks(code[name], "flat_")
        has(code["own_arrays"], "scratch_store|v_movrel|s_set_gpr_idx|v_cndmask")
        common.check("chosen_tables" in code, "LLVM's search for address spaces went wrong")
    refused = kernels("gfx942")[1]
    common.check(re.search(r"its variables take 4000\d\d bytes of private memory, and the device has \d+", refused),
                 refused)


def test_addresses():
    """accesses to neighbouring elements share one multiplication per work-item, and the scalar unit adds the rest"""
    def products(code):
        return len(re.findall(r"v_mad_[ui]64_[ui]32|v_mul_lo_u32|v_mul_hi_u32", code["neighbours"]))
    for gpu in ("gfx942", "gfx1100"):
        shared = products(kernels(gpu)[0])
        apart = products(kernels(gpu, environment=(("SINTER_PASSES", "-scalar-addresses"),))[0])
        common.check(0 < shared < apart, f"{gpu}: {shared} products instead of {apart}")


def test_failures():
    """work-items that fail report the reason and end; a barrier of all groups does not wait for them"""
    for _, code in both():
        has(code["failing"], "global_atomic_cmpswap", "s_endpgm")
        has(code["meeting"], "s_barrier", "global_atomic_add", "s_barrier")
        for name in ("failing", "meeting"):
            lacks(code[name], "s_swappc|s_setpc")


def test_printf():
    """printed texts become words in a ring buffer; printf with texts that only the host could read is refused"""
    for _, code in both():
        has(code["printing"], "global_atomic_cmpswap_x2|global_atomic_cmpswap_b64", "global_store")
        lacks(code["printing"], "s_swappc")
    refused = kernels("gfx942")[1]
    for words in ("printf with a format that is no constant", "prints a string that is no constant, by %s in 'is %s'"):
        common.check(words in refused, refused)


def test_mathematics():
    """math functions for which there is no instruction come from ocml or libclc"""
    for _, code in both():
        common.check("mathematics" in code, "not lowered")
    ocml = "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc"
    for library in ("", *([ocml] if os.path.exists(ocml) else [])):
        code, refused = kernels("gfx1100", environment=(("SINTER_OCML", library),))
        common.check("mathematics" in code, refused)
        if not library:
            # A function that computes in doubles replaces libclc's tgamma.
            has(code["gammas"], r"v_fma\w*_f64")
    _, refused = kernels("gfx1100", environment=(("SINTER_OCML", "/nowhere.bc"),))
    common.check("no math library" in refused and "/nowhere.bc" in refused, refused)


def test_native():
    """native functions are single instructions, whose arguments are turns instead of radians"""
    for _, code in both():
        has(code["natives"], "v_mul|v_dual_mul|v_pk_mul", "v_fract", "v_sin")
        has(code["natives"], "v_mul|v_dual_mul|v_pk_mul", "v_fract", "v_cos")
        for instruction in ("v_rsq_f32", "v_exp_f32", "v_log_f32", "v_rcp_f32", "v_sqrt_f32"):
            has(code["natives"], instruction)
        lacks(code["natives"], "v_div_scale|s_swappc")


def test_steps_left_out():
    """SINTER_PASSES and SINTER_BISECT can skip steps"""
    whole = kernels("gfx942")[0]
    for names in ("-all", "-llvm"):
        code, _ = kernels("gfx942", environment=(("SINTER_PASSES", names),))
        changed = code["own_arrays"] != whole["own_arrays"]
        common.check(code.keys() == whole.keys() and changed, f"{names} changes nothing")
    said = kernels("gfx942", environment=(("SINTER_BISECT", "2:plain"),))[1]
    common.check(re.search(r"step \d+ leaves out llvm", said), said)


common.main(globals(), needs_device_code=True)
